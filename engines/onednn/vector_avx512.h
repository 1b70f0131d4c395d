// Sixteen floats in an AVX-512 register: the type V that kernels_body.h and conv_kernels_body.h are written over. Each
// file that includes this has a V of its own, without linkage: see kernels_avx512.cpp for why.
#pragma once
#include <immintrin.h>

namespace {

struct V {
  using T = __m512;
  using Mask = __mmask16;
  static constexpr int kWidth = 16;
  // Makes the compiler hold a value in a register.
#ifdef GE_EMULATE_AVX512
  static void Keep(T &) {}
#else
  static void Keep(T &v) { asm("" : "+v"(v)); }
#endif
  static T Zero() { return _mm512_setzero_ps(); }
  static T Set(float x) { return _mm512_set1_ps(x); }
  static T Load(const float *p) { return _mm512_loadu_ps(p); }
  static void Store(float *p, T v) { _mm512_storeu_ps(p, v); }
  static Mask MaskOf(int n) { return n <= 0 ? Mask(0) : n >= 16 ? Mask(0xffff) : Mask((1u << n) - 1); }
  static T LoadPart(const float *p, Mask m) { return _mm512_maskz_loadu_ps(m, p); }
  static T LoadHalf(const void *p) {  // floats of half precision
    return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i *>(p)));
  }
  static void StorePart(float *p, T v, Mask m) { _mm512_mask_storeu_ps(p, m, v); }
  static T Fma(T a, T b, T c) { return _mm512_fmadd_ps(a, b, c); }
  static T Add(T a, T b) { return _mm512_add_ps(a, b); }
  static T Mul(T a, T b) { return _mm512_mul_ps(a, b); }
  static T Div(T a, T b) { return _mm512_div_ps(a, b); }
  static T Min(T a, T b) { return _mm512_min_ps(a, b); }  // b where one is a NaN
  static T Max(T a, T b) { return _mm512_max_ps(a, b); }
  // A NaN is the maximum.
  static T MaxOrNan(T a, T b) { return _mm512_mask_mov_ps(Max(a, b), _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), a); }
  // Where one of two values is a NaN.
  using Flags = __mmask16;
  static Flags Unordered(T a, T b) { return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
  static Flags Either(Flags a, Flags b) { return Flags(a | b); }
  static bool Any(Flags a) { return a != 0; }
  // Of two vectors that follow one another each second value.
  static T Even(T a, T b) {
    const I index = _mm512_add_epi32(Counting(), Counting());
    return _mm512_permutex2var_ps(a, index, b);
  }
  // The nearest whole number, and v * 2^n.
  struct Nearest {
    T whole;
  };
  static Nearest NearestOf(T v) { return {_mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
  static T TimesPower(T v, Nearest n) { return _mm512_scalef_ps(v, n.whole); }
  static float Sum(T v) { return _mm512_reduce_add_ps(v); }
  static T Sub(T a, T b) { return _mm512_sub_ps(a, b); }
  // 16x16: rows become columns.
  static void Transpose(T (&r)[16]) {
    T t[16];
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
      t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
      t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
      r[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(t[i]), _mm512_castps_pd(t[i + 2])));
      r[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(t[i]), _mm512_castps_pd(t[i + 2])));
      r[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(t[i + 1]), _mm512_castps_pd(t[i + 3])));
      r[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(t[i + 1]), _mm512_castps_pd(t[i + 3])));
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
      t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
      t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
      t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
      r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
      r[i + 4] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0x88);
      r[i + 12] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0xdd);
    }
  }

  // Vectors of 32-bit integers.
  using I = __m512i;
  static I BitsOf(T v) { return _mm512_castps_si512(v); }
  static I SetInt(int x) { return _mm512_set1_epi32(x); }
  static I Counting() { return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
  static I And(I a, I b) { return _mm512_and_si512(a, b); }
  static I ShiftRight(I v, int n) { return _mm512_srli_epi32(v, unsigned(n)); }
  static I ShiftRightEach(I v, I n) { return _mm512_srlv_epi32(v, n); }
  static I Times(I a, I b) { return _mm512_mullo_epi32(a, b); }
  static T FromInts(I v) { return _mm512_cvtepi32_ps(v); }
  static T Pick(T table, I index) { return _mm512_permutexvar_ps(index, table); }
};

}  // namespace
