// Eight floats in an AVX2 register: the type V that kernels_body.h and conv_kernels_body.h are written over. Each file
// that includes this has a V of its own, without linkage: see kernels_avx512.cpp for why.
#pragma once
#include <immintrin.h>

namespace {

struct V {
  using T = __m256;
  using Mask = __m256i;
  static constexpr int kWidth = 8;
  // Makes the compiler hold a value in a register.
  static void Keep(T &v) { asm("" : "+v"(v)); }
  static T Zero() { return _mm256_setzero_ps(); }
  static T Set(float x) { return _mm256_set1_ps(x); }
  static T Load(const float *p) { return _mm256_loadu_ps(p); }
  static void Store(float *p, T v) { _mm256_storeu_ps(p, v); }
  static Mask MaskOf(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static T LoadPart(const float *p, Mask m) { return _mm256_maskload_ps(p, m); }
  static T LoadHalf(const void *p) {  // floats of half precision
    return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i *>(p)));
  }
  static void StorePart(float *p, T v, Mask m) { _mm256_maskstore_ps(p, m, v); }
  static T Fma(T a, T b, T c) { return _mm256_fmadd_ps(a, b, c); }
  static T Add(T a, T b) { return _mm256_add_ps(a, b); }
  static T Mul(T a, T b) { return _mm256_mul_ps(a, b); }
  static T Div(T a, T b) { return _mm256_div_ps(a, b); }
  static T Min(T a, T b) { return _mm256_min_ps(a, b); }  // b where one is a NaN
  static T Max(T a, T b) { return _mm256_max_ps(a, b); }
  // A NaN is the maximum.
  static T MaxOrNan(T a, T b) { return _mm256_blendv_ps(Max(a, b), a, _mm256_cmp_ps(a, a, _CMP_UNORD_Q)); }
  // Where one of two values is a NaN.
  using Flags = __m256;
  static Flags Unordered(T a, T b) { return _mm256_cmp_ps(a, b, _CMP_UNORD_Q); }
  static Flags Either(Flags a, Flags b) { return _mm256_or_ps(a, b); }
  static bool Any(Flags a) { return _mm256_movemask_ps(a) != 0; }
  // Of two vectors that follow one another each second value.
  static T Even(T a, T b) {
    const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88));
    return _mm256_castpd_ps(_mm256_permute4x64_pd(pairs, 0xd8));
  }
  // The nearest whole number, of -126 to 127, and v * 2^n. In the sum with 1.5 * 2^23 the last bits are the number.
  struct Nearest {
    T whole, sum;
  };
  static Nearest NearestOf(T v) {
    const T magic = Set(12582912.f), sum = v + magic;
    return {sum - magic, sum};
  }
  static T TimesPower(T v, Nearest n) {
    const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(n.sum), 23);
    return _mm256_mul_ps(v, _mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(127 << 23))));
  }
  static float Sum(T v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
  }
  static T Sub(T a, T b) { return _mm256_sub_ps(a, b); }
  // 8x8: rows become columns.
  static void Transpose(T (&r)[8]) {
    T t[8];
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
      t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
      t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
      r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
      r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
      r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
      r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      t[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
      t[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) r[i] = t[i];
  }

  // Vectors of 32-bit integers.
  using I = __m256i;
  static I BitsOf(T v) { return _mm256_castps_si256(v); }
  static I SetInt(int x) { return _mm256_set1_epi32(x); }
  static I Counting() { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
  static I And(I a, I b) { return _mm256_and_si256(a, b); }
  static I ShiftRight(I v, int n) { return _mm256_srli_epi32(v, n); }
  static I ShiftRightEach(I v, I n) { return _mm256_srlv_epi32(v, n); }
  static I Times(I a, I b) { return _mm256_mullo_epi32(a, b); }
  static T FromInts(I v) { return _mm256_cvtepi32_ps(v); }
  static T Pick(T table, I index) { return _mm256_permutevar8x32_ps(table, index); }
};

}  // namespace
