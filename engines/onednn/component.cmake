# Own kernels are compiled once per instruction set and chosen at run time.
find_package(OpenMP REQUIRED COMPONENTS CXX)
target_compile_options(${target}_objects PRIVATE -Werror ${OpenMP_CXX_FLAGS})
target_link_libraries(${target} PRIVATE OpenMP::OpenMP_CXX ${CMAKE_DL_LIBS})
file(GLOB avx512_sources ${CMAKE_SOURCE_DIR}/engines/onednn/*_avx512.cpp)
# GCC 12 takes the undefined halves inside its own intrinsics for uninitialised variables.
set_source_files_properties(${avx512_sources} PROPERTIES COMPILE_OPTIONS
                            "${GE_AVX512_OPTIONS};${GE_KERNEL_OPTIONS};-ffp-contract=fast;-Wno-uninitialized;-Wno-maybe-uninitialized")
file(GLOB avx2_sources ${CMAKE_SOURCE_DIR}/engines/onednn/*_avx2.cpp)
# GCC 12 takes a comparison for control flow while it may trap, and leaves loops with one (every activation) scalar.
set_source_files_properties(${avx2_sources} PROPERTIES COMPILE_OPTIONS
                            "${GE_KERNEL_OPTIONS};-ffp-contract=fast;-fno-trapping-math")
# Results of integer products are rounded after each step, as the operators say.
file(GLOB int8_sources ${CMAKE_SOURCE_DIR}/engines/onednn/int8_kernels_*.cpp)
set_property(SOURCE ${int8_sources} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off)
set_property(SOURCE ${CMAKE_SOURCE_DIR}/engines/onednn/int8_kernels_vnni_avx2.cpp
             APPEND PROPERTY COMPILE_OPTIONS -mavxvnni)
set_property(SOURCE ${CMAKE_SOURCE_DIR}/engines/onednn/int8_kernels_vnni_avx512.cpp
             APPEND PROPERTY COMPILE_OPTIONS ${GE_AVX512_VNNI_OPTIONS})
set_property(SOURCE ${CMAKE_SOURCE_DIR}/engines/onednn/bf16_kernels_avx512.cpp
             APPEND PROPERTY COMPILE_OPTIONS ${GE_AVX512_BF16_OPTIONS})
file(GLOB amx_sources ${CMAKE_SOURCE_DIR}/engines/onednn/*_amx.cpp)
set_source_files_properties(${amx_sources} PROPERTIES COMPILE_OPTIONS
                            "${GE_AVX512_OPTIONS};${GE_AVX512_BF16_OPTIONS};${GE_AMX_OPTIONS};${GE_KERNEL_OPTIONS};-ffp-contract=fast;-Wno-uninitialized;-Wno-maybe-uninitialized")

# oneDNN is opened at run time, through a library beside the plug-in that is linked with it (dnnl_shim.cpp). libge.a has no
# such neighbour and looks for oneDNN by its name.
add_library(${target}_shim OBJECT ${CMAKE_SOURCE_DIR}/engines/onednn/dnnl_shim.cpp)
target_include_directories(${target}_shim PRIVATE ${source_folder})
target_compile_definitions(${target}_shim PRIVATE GE_ONEDNN_SHIM)
target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_shim>)
# A function of oneDNN that the shim lacks is missed here, not where the plug-in is opened.
target_link_options(${target} PRIVATE -Wl,--no-undefined)
add_library(ge_dnnl MODULE ${source_folder}/dnnl_neighbour.c)
target_link_libraries(ge_dnnl PRIVATE -Wl,--push-state,--no-as-needed dnnl -Wl,--pop-state)
get_target_property(ge_dnnl_folder ${target} LIBRARY_OUTPUT_DIRECTORY)
set_target_properties(ge_dnnl PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${ge_dnnl_folder} BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${up}")
add_dependencies(${target} ge_dnnl)
set_target_properties(${target} PROPERTIES GE_ENGINE_LIBRARIES ge_dnnl)
