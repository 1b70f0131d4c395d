// Sixteen 32-bit integers in an AVX-512 register: the type I that int8_kernels_body.h is written over, beside the
// floats of vector_avx512.h.
#pragma once
#include "vector_avx512.h"

namespace {

struct I {
  using T = __m512i;
  static T Zero() { return _mm512_setzero_si512(); }
  static T Set(int32_t x) { return _mm512_set1_epi32(x); }
  static T SetGroup(const char *p) { return _mm512_castps_si512(_mm512_broadcastss_ps(_mm_load_ss((const float *)p))); }
  static T Load(const void *p) { return _mm512_loadu_si512(p); }
  // Half as many bytes, each as int16.
  static T LoadWidened(const char *p) { return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)p)); }
  static void Store(int32_t *p, T v) { _mm512_storeu_si512(p, v); }
  static T Add(T a, T b) { return _mm512_add_epi32(a, b); }
  static T Subtract(T a, T b) { return _mm512_sub_epi32(a, b); }
  static T Multiply(T a, T b) { return _mm512_mullo_epi32(a, b); }
  static T DotPairs(T sum, T x, T w) { return _mm512_add_epi32(sum, _mm512_madd_epi16(x, w)); }
  static T DotQuads(T sum, T x, T w) {
#ifdef __AVX512VNNI__
    return _mm512_dpbusd_epi32(sum, x, w);
#else
    // Exact where two products next to each other fit into int16 together.
    return _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(x, w), _mm512_set1_epi16(1)));
#endif
  }
  // int16 columns of a and b side by side, some of the columns here and the others there; StorePaired brings the sums
  // of such pairs back into order.
  static T PairLow(T a, T b) { return _mm512_unpacklo_epi16(a, b); }
  static T PairHigh(T a, T b) { return _mm512_unpackhi_epi16(a, b); }
  static void StorePaired(int32_t *p, T low, T high) {
    const T first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    Store(p, _mm512_permutex2var_epi64(low, first, high));
    Store(p + 16, _mm512_permutex2var_epi64(low, second, high));
  }
  static V::T ToFloat(T v) { return _mm512_cvtepi32_ps(v); }
  static T FromBits(V::T v) { return _mm512_castps_si512(v); }
  static T Round(V::T v) { return _mm512_cvtps_epi32(v); }  // to nearest, ties to even
  // Thirty-two values that fit, as bytes.
  static void StoreBytes(char *p, T a, T b, bool) {
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(a));
    _mm_storeu_si128((__m128i *)(p + 16), _mm512_cvtepi32_epi8(b));
  }
};

}  // namespace
