// Eight 32-bit integers in an AVX2 register: the type I that int8_kernels_body.h is written over, beside the floats of
// vector_avx2.h.
#pragma once
#include "vector_avx2.h"

namespace {

struct I {
  using T = __m256i;
  static T Zero() { return _mm256_setzero_si256(); }
  static T Set(int32_t x) { return _mm256_set1_epi32(x); }
  static T SetGroup(const char *p) { return _mm256_castps_si256(_mm256_broadcast_ss((const float *)p)); }
  static T Load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
  // Half as many bytes, each as int16.
  static T LoadWidened(const char *p) { return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p)); }
  static void Store(int32_t *p, T v) { _mm256_storeu_si256((__m256i *)p, v); }
  static T Add(T a, T b) { return _mm256_add_epi32(a, b); }
  static T Subtract(T a, T b) { return _mm256_sub_epi32(a, b); }
  static T Multiply(T a, T b) { return _mm256_mullo_epi32(a, b); }
  static T DotPairs(T sum, T x, T w) { return _mm256_add_epi32(sum, _mm256_madd_epi16(x, w)); }
  static T DotQuads(T sum, T x, T w) {
#ifdef __AVXVNNI__
    return _mm256_dpbusd_avx_epi32(sum, x, w);
#else
    // Exact where two products next to each other fit into int16 together.
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(x, w), _mm256_set1_epi16(1)));
#endif
  }
  // int16 columns of a and b side by side, some of the columns here and the others there; StorePaired brings the sums
  // of such pairs back into order.
  static T PairLow(T a, T b) { return _mm256_unpacklo_epi16(a, b); }
  static T PairHigh(T a, T b) { return _mm256_unpackhi_epi16(a, b); }
  static void StorePaired(int32_t *p, T low, T high) {
    Store(p, _mm256_permute2x128_si256(low, high, 0x20));
    Store(p + 8, _mm256_permute2x128_si256(low, high, 0x31));
  }
  static V::T ToFloat(T v) { return _mm256_cvtepi32_ps(v); }
  static T FromBits(V::T v) { return _mm256_castps_si256(v); }
  static T Round(V::T v) { return _mm256_cvtps_epi32(v); }  // to nearest, ties to even
  // Sixteen values that fit, as bytes.
  static void StoreBytes(char *p, T a, T b, bool is_signed) {
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
    const __m128i low = _mm256_castsi256_si128(words), high = _mm256_extracti128_si256(words, 1);
    _mm_storeu_si128((__m128i *)p, is_signed ? _mm_packs_epi16(low, high) : _mm_packus_epi16(low, high));
  }
};

}  // namespace
