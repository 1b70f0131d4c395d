# Own kernels are compiled once per instruction set and chosen at run time.
find_package(OpenMP REQUIRED COMPONENTS CXX)
target_compile_options(${target}_objects PRIVATE -Werror ${OpenMP_CXX_FLAGS})
target_link_libraries(${target} PRIVATE dnnl OpenMP::OpenMP_CXX)
file(GLOB avx512_sources ${CMAKE_SOURCE_DIR}/engines/aicore/*_avx512.cpp)
set_source_files_properties(${avx512_sources} PROPERTIES COMPILE_OPTIONS
                            "-march=skylake-avx512;-mprefer-vector-width=512;-O3;-ffp-contract=fast;-Wno-uninitialized;-Wno-maybe-uninitialized")
file(GLOB avx2_sources ${CMAKE_SOURCE_DIR}/engines/aicore/*_avx2.cpp)
set_source_files_properties(${avx2_sources} PROPERTIES COMPILE_OPTIONS "-O3;-ffp-contract=fast")
