target_link_libraries(${target} PRIVATE hwy)
target_compile_options(${target}_objects PRIVATE ${GE_KERNEL_OPTIONS})
