// Eight floats in an AVX2 register: the type V that kernels_body.h and conv_kernels_body.h are written over. Each file
// that includes this has a V of its own, without linkage: see kernels_avx512.cpp for why.
#pragma once
#include <immintrin.h>

namespace {

struct V {
  using T = __m256;
  using Mask = __m256i;
  static constexpr int kWidth = 8;
  static T Zero() { return _mm256_setzero_ps(); }
  static T Set(float x) { return _mm256_set1_ps(x); }
  static T Load(const float *p) { return _mm256_loadu_ps(p); }
  static void Store(float *p, T v) { _mm256_storeu_ps(p, v); }
  static Mask MaskOf(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static T LoadPart(const float *p, Mask m) { return _mm256_maskload_ps(p, m); }
  static void StorePart(float *p, T v, Mask m) { _mm256_maskstore_ps(p, m, v); }
  static T Fma(T a, T b, T c) { return _mm256_fmadd_ps(a, b, c); }
  static T Add(T a, T b) { return _mm256_add_ps(a, b); }
  static T Mul(T a, T b) { return _mm256_mul_ps(a, b); }
  static T Div(T a, T b) { return _mm256_div_ps(a, b); }
  static T Min(T a, T b) { return _mm256_min_ps(a, b); }  // b where one is a NaN
  static T Max(T a, T b) { return _mm256_max_ps(a, b); }
  static float Sum(T v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
  }
};

}  // namespace
