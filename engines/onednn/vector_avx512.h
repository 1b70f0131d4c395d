// Sixteen floats in an AVX-512 register: the type V that kernels_body.h and conv_kernels_body.h are written over. Each
// file that includes this has a V of its own, without linkage: see kernels_avx512.cpp for why.
#pragma once
#include <immintrin.h>

namespace {

struct V {
  using T = __m512;
  using Mask = __mmask16;
  static constexpr int kWidth = 16;
  static T Zero() { return _mm512_setzero_ps(); }
  static T Set(float x) { return _mm512_set1_ps(x); }
  static T Load(const float *p) { return _mm512_loadu_ps(p); }
  static void Store(float *p, T v) { _mm512_storeu_ps(p, v); }
  static Mask MaskOf(int n) { return n <= 0 ? Mask(0) : n >= 16 ? Mask(0xffff) : Mask((1u << n) - 1); }
  static T LoadPart(const float *p, Mask m) { return _mm512_maskz_loadu_ps(m, p); }
  static void StorePart(float *p, T v, Mask m) { _mm512_mask_storeu_ps(p, m, v); }
  static T Fma(T a, T b, T c) { return _mm512_fmadd_ps(a, b, c); }
  static T Add(T a, T b) { return _mm512_add_ps(a, b); }
  static T Mul(T a, T b) { return _mm512_mul_ps(a, b); }
  static T Div(T a, T b) { return _mm512_div_ps(a, b); }
  static T Min(T a, T b) { return _mm512_min_ps(a, b); }  // b where one is a NaN
  static T Max(T a, T b) { return _mm512_max_ps(a, b); }
  static float Sum(T v) { return _mm512_reduce_add_ps(v); }
};

}  // namespace
