// Sixteen numbers in bf16 beside the floats of vector_avx512.h, and results that kernels give as such.
#pragma once
#include "vector_avx512.h"

namespace {

inline V::T Widened(const uint16_t *from, V::Mask part) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(part, from)), 16));
}

struct HalfResult {
  using T = uint16_t;
  static V::T Load(const T *p) { return Widened(p, 0xffff); }
  static void Store(T *p, V::T v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), __builtin_bit_cast(__m256i, _mm512_cvtneps_pbh(v)));
  }
};

}  // namespace
