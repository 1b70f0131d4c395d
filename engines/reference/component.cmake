# The reference loops rely on the compiler's vectoriser. The copy for every processor need not be the fastest.
if(march)
  target_compile_options(${target}_objects PRIVATE ${GE_KERNEL_OPTIONS})
endif()
target_compile_options(${target}_objects PRIVATE -Werror)
ge_precompile(${target}_objects ${GE_STANDARD_HEADERS} <registry.h>)
ge_unity(${target}_objects 6)
