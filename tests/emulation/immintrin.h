// Stands in front of the compiler's <immintrin.h> in a build with GE_EMULATE_AVX512: the AVX-512 intrinsics that
// kernels use are made of AVX2 by SIMDe, and those that SIMDe lacks are here, written after Intel's description of
// them. So a processor without AVX-512 can run the AVX-512 kernels: results are right (AMX adds in an order of its
// own), speed says nothing.
#pragma once
#include_next <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <cmath>
#include <cstring>

#ifdef GE_EMULATE_VNNI
#define __AVX512VNNI__ 1
#endif

namespace {

template <typename To, typename From>
To BitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
struct Floats16 {
  float at[16];
};
struct Ints16 {
  int32_t at[16];
};
struct Shorts16 {
  uint16_t at[16];
};

__m512 MaskedLoad(__mmask16 mask, const float *p) {
  Floats16 v{};
  for (int i = 0; i < 16; ++i)
    if (mask >> i & 1) v.at[i] = p[i];
  return BitsAs<__m512>(v);
}
void MaskedStore(float *p, __mmask16 mask, __m512 v) {
  const auto from = BitsAs<Floats16>(v);
  for (int i = 0; i < 16; ++i)
    if (mask >> i & 1) p[i] = from.at[i];
}
__m256i MaskedLoadShorts(__mmask16 mask, const void *p) {
  Shorts16 v{};
  for (int i = 0; i < 16; ++i)
    if (mask >> i & 1) std::memcpy(&v.at[i], static_cast<const uint16_t *>(p) + i, 2);
  return BitsAs<__m256i>(v);
}
void MaskedStoreShorts(void *p, __mmask16 mask, __m256i v) {
  const auto from = BitsAs<Shorts16>(v);
  for (int i = 0; i < 16; ++i)
    if (mask >> i & 1) std::memcpy(static_cast<uint16_t *>(p) + i, &from.at[i], 2);
}
__m512 IntsToFloats(__m512i v) {
  const auto from = BitsAs<Ints16>(v);
  Floats16 to;
  for (int i = 0; i < 16; ++i) to.at[i] = float(from.at[i]);
  return BitsAs<__m512>(to);
}
// What does not fit, and NaN, is the least integer.
__m512i FloatsToInts(__m512 v) {
  const auto from = BitsAs<Floats16>(v);
  Ints16 to;
  for (int i = 0; i < 16; ++i) {
    const float whole = std::nearbyint(from.at[i]);
    to.at[i] = whole >= -2147483648.f && whole < 2147483648.f ? int32_t(whole) : INT32_MIN;
  }
  return BitsAs<__m512i>(to);
}
__m512i ShortsToInts(__m256i v) {
  const auto from = BitsAs<Shorts16>(v);
  Ints16 to;
  for (int i = 0; i < 16; ++i) to.at[i] = from.at[i];
  return BitsAs<__m512i>(to);
}
__m128i IntsToBytes(__m512i v) {
  const auto from = BitsAs<Ints16>(v);
  struct {
    int8_t at[16];
  } to;
  for (int i = 0; i < 16; ++i) to.at[i] = int8_t(from.at[i]);
  return BitsAs<__m128i>(to);
}
__m512 HalvesToFloats(__m256i v) {
  struct {
    __m256 low, high;
  } to = {_mm256_cvtph_ps(_mm256_castsi256_si128(v)), _mm256_cvtph_ps(_mm256_extracti128_si256(v, 1))};
  return BitsAs<__m512>(to);
}
// To nearest, ties to even; denormal numbers become zeros, a NaN stays one.
__m256bh FloatsToBf16(__m512 v) {
  const auto from = BitsAs<Ints16>(v);
  Shorts16 to;
  for (int i = 0; i < 16; ++i) {
    const uint32_t bits = uint32_t(from.at[i]);
    const uint32_t magnitude = bits & 0x7fffffffu;
    to.at[i] = magnitude > 0x7f800000u   ? uint16_t(bits >> 16 | 0x40u)
               : magnitude < 0x00800000u ? uint16_t(bits >> 16 & 0x8000u)
                                         : uint16_t((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
  return BitsAs<__m256bh>(to);
}
// The order of additions in which compilers write _mm512_reduce_add_ps.
float SumOf(__m512 v) {
  auto part = BitsAs<Floats16>(v);
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) part.at[i] += part.at[i + half];
  return part.at[0];
}
// Quarters 0 and 1 of the result come from a, 2 and 3 from b.
__m512 ShuffledQuarters(__m512 a, __m512 b, int which) {
  const auto from_a = BitsAs<Floats16>(a), from_b = BitsAs<Floats16>(b);
  Floats16 to;
  for (int quarter = 0; quarter < 4; ++quarter) {
    const int from = which >> 2 * quarter & 3;
    for (int i = 0; i < 4; ++i) to.at[4 * quarter + i] = (quarter < 2 ? from_a : from_b).at[4 * from + i];
  }
  return BitsAs<__m512>(to);
}

// AMX: eight tiles of at most 16 rows of 64 bytes, of a thread. What a processor refuses ends the process.
struct Tiles {
  bool shaped = false;
  int rows[8] = {}, bytes[8] = {};
  char at[8][16][64] = {};
};
inline Tiles &TilesOfThread() {
  static thread_local Tiles tiles;
  return tiles;
}
inline void Demand(bool condition) {
  if (!condition) __builtin_trap();
}

inline void ShapeEmulated(const void *config) {
  const auto *p = static_cast<const unsigned char *>(config);
  Tiles fresh;
  Demand(p[0] == 1 && p[1] == 0);
  for (int i = 0; i < 16; ++i) {
    const int bytes = p[16 + 2 * i] | p[17 + 2 * i] << 8, rows = p[48 + i];
    Demand(i < 8 ? bytes <= 64 && rows <= 16 && (bytes == 0) == (rows == 0) : bytes == 0 && rows == 0);
    if (i < 8) fresh.rows[i] = rows, fresh.bytes[i] = bytes;
  }
  fresh.shaped = true;
  TilesOfThread() = fresh;
}
inline void ReleaseEmulated() { TilesOfThread() = Tiles(); }
inline Tiles &Shaped(int tile) {
  Tiles &tiles = TilesOfThread();
  Demand(tiles.shaped && tiles.rows[tile] > 0);
  return tiles;
}
inline void ZeroTile(int tile) {
  Tiles &t = Shaped(tile);
  std::memset(t.at[tile], 0, sizeof t.at[tile]);
}
inline void LoadTile(int tile, const void *from, int64_t stride) {
  Tiles &t = Shaped(tile);
  std::memset(t.at[tile], 0, sizeof t.at[tile]);
  for (int i = 0; i < t.rows[tile]; ++i)
    std::memcpy(t.at[tile][i], static_cast<const char *>(from) + i * stride, size_t(t.bytes[tile]));
}
inline void StoreTile(int tile, void *to, int64_t stride) {
  Tiles &t = Shaped(tile);
  for (int i = 0; i < t.rows[tile]; ++i)
    std::memcpy(static_cast<char *>(to) + i * stride, t.at[tile][i], size_t(t.bytes[tile]));
}
// sums[m][n] += the products of the lanes of a[m][k] and b[k][n].
template <class Number, class Products>
void MultiplyTiles(int sums, int a, int b, const Products &products) {
  Tiles &t = Shaped(sums);
  Demand(t.rows[sums] == t.rows[a] && t.bytes[sums] == t.bytes[b] && t.bytes[a] == 4 * t.rows[b] && t.rows[b] > 0);
  for (int m = 0; m < t.rows[sums]; ++m)
    for (int n = 0; n < t.bytes[sums] / 4; ++n) {
      Number sum;
      std::memcpy(&sum, &t.at[sums][m][4 * n], 4);
      for (int k = 0; k < t.rows[b]; ++k) sum = products(sum, &t.at[a][m][4 * k], &t.at[b][k][4 * n]);
      std::memcpy(&t.at[sums][m][4 * n], &sum, 4);
    }
}
inline float FloatOfBf16(const char *p) {
  uint32_t bits = 0;
  std::memcpy(reinterpret_cast<char *>(&bits) + 2, p, 2);
  if ((bits & 0x7f800000u) == 0) bits &= 0x80000000u;  // denormal numbers are zeros
  return BitsAs<float>(bits);
}
inline void MultiplyPairs(int sums, int a, int b) {
  MultiplyTiles<float>(sums, a, b, [](float sum, const char *x, const char *w) {
    for (int i = 0; i < 4; i += 2) sum = std::fma(FloatOfBf16(x + i), FloatOfBf16(w + i), sum);
    return sum;
  });
}
inline void MultiplyQuads(int sums, int a, int b) {
  MultiplyTiles<uint32_t>(sums, a, b, [](uint32_t sum, const char *x, const char *w) {
    for (int i = 0; i < 4; ++i) sum += uint32_t(int(uint8_t(x[i])) * int(int8_t(w[i])));
    return sum;
  });
}

}  // namespace

#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbf16ps
#undef _tile_dpbusd
#define _tile_loadconfig(config) ShapeEmulated(config)
#define _tile_release() ReleaseEmulated()
#define _tile_zero(tile) ZeroTile(tile)
#define _tile_loadd(tile, from, stride) LoadTile(tile, from, stride)
#define _tile_stored(tile, to, stride) StoreTile(tile, to, stride)
#define _tile_dpbf16ps(sums, a, b) MultiplyPairs(sums, a, b)
#define _tile_dpbusd(sums, a, b) MultiplyQuads(sums, a, b)

#define _mm512_maskz_loadu_ps(mask, p) MaskedLoad(mask, p)
#define _mm512_mask_storeu_ps(p, mask, v) MaskedStore(p, mask, v)
#define _mm256_maskz_loadu_epi16(mask, p) MaskedLoadShorts(mask, p)
#define _mm256_mask_storeu_epi16(p, mask, v) MaskedStoreShorts(p, mask, v)
#define _mm512_cvtepi32_ps(v) IntsToFloats(v)
#define _mm512_cvtps_epi32(v) FloatsToInts(v)
#define _mm512_cvtepu16_epi32(v) ShortsToInts(v)
#define _mm512_cvtepi32_epi8(v) IntsToBytes(v)
#define _mm512_cvtph_ps(v) HalvesToFloats(v)
#define _mm512_cvtneps_pbh(v) FloatsToBf16(v)
#define _mm512_reduce_add_ps(v) SumOf(v)
#undef _mm512_madd_epi16  // SIMDe 0.7.4 writes it with the arguments of another one
#define _mm512_madd_epi16(a, b) simde_mm512_madd_epi16(a, b)
#define _mm512_shuffle_f32x4(a, b, which) ShuffledQuarters(a, b, which)
