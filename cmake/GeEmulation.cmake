# AVX-512 on processors without it: the kernels that are written for it are compiled for AVX2, with their intrinsics made
# by SIMDe (tests/emulation/immintrin.h), and the host offers AVX-512, VNNI, BF16 and AMX. For tests: it is slow. Highway and
# oneDNN use what the processor really has.
option(GE_EMULATE_AVX512 "Compile the AVX-512 kernels for AVX2, for tests" OFF)

if(GE_EMULATE_AVX512)
  set(GE_KERNEL_OPTIONS -O1)
  set(GE_AVX512_OPTIONS -DGE_EMULATE_AVX512 -isystem ${CMAKE_SOURCE_DIR}/tests/emulation -Wno-psabi)
  set(GE_AVX512_VNNI_OPTIONS -DGE_EMULATE_VNNI)
  set(GE_AVX512_BF16_OPTIONS "")
  set(GE_AMX_OPTIONS "")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/core/placement/isa.cpp ${CMAKE_SOURCE_DIR}/engines/simd/simd.cpp
                              PROPERTIES COMPILE_OPTIONS -DGE_EMULATE_AVX512)
else()
  set(GE_AVX512_OPTIONS -march=skylake-avx512 -mprefer-vector-width=512)
  set(GE_AVX512_VNNI_OPTIONS -mavx512vnni)
  set(GE_AVX512_BF16_OPTIONS -mavx512bf16)
  set(GE_AMX_OPTIONS -mamx-tile -mamx-bf16 -mamx-int8)
endif()
