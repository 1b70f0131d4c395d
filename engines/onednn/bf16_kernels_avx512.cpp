// Tiles in bf16. As in kernels_avx512.cpp, nothing here may be shared with other files.
#include "bf16_kernels.h"
#include "vector_bf16.h"

namespace {
constexpr int kTile = 14;  // pixels of two blocks: of 32 registers 28 are sums
}

#include "pointwise_body.h"
#include "row_body.h"
#include "tile_body.h"

namespace {

struct Pairs {
  static V::T Add(V::T a, V::T b, V::T sum) {
    return _mm512_dpbf16_ps(sum, __builtin_bit_cast(__m512bh, a), __builtin_bit_cast(__m512bh, b));
  }
};

void PairRows(int64_t n, int64_t k, const uint16_t *w, int64_t ws, float *panel, int64_t columns) {
  uint16_t *to = reinterpret_cast<uint16_t *>(panel);
  for (int64_t p = 0; p < k; p += 2, to += 2 * columns) {
    const uint16_t *even = w + p * ws, *odd = even + ws;
    if (p + 1 == k)
      for (int64_t j = 0; j < n; ++j) to[2 * j] = even[j], to[2 * j + 1] = 0;
    else
      for (int64_t j = 0; j < n; ++j) to[2 * j] = even[j], to[2 * j + 1] = odd[j];
    for (int64_t j = 2 * n; j < 2 * columns; ++j) to[j] = 0;
  }
}

void Round(int64_t n, const float *from, uint16_t *to) {
  for (int64_t i = 0; i < n; i += 16) {
    const V::Mask part = V::MaskOf(int(n - i < 16 ? n - i : 16));
    const __m256bh half = _mm512_cvtneps_pbh(V::LoadPart(from + i, part));
    _mm256_mask_storeu_epi16(to + i, part, __builtin_bit_cast(__m256i, half));
  }
}

void Widen(int64_t n, const uint16_t *from, float *to) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) V::Store(to + i, Widened(from + i, 0xffff));
  if (i < n) V::StorePart(to + i, Widened(from + i, V::MaskOf(int(n - i))), V::MaskOf(int(n - i)));
}

void Scaled(int64_t n, const uint16_t *from, uint16_t *to, float by) {
  for (int64_t i = 0; i < n; i += 16) {
    const V::Mask part = V::MaskOf(int(n - i < 16 ? n - i : 16));
    const __m256bh half = _mm512_cvtneps_pbh(V::Mul(Widened(from + i, part), V::Set(by)));
    _mm256_mask_storeu_epi16(to + i, part, __builtin_bit_cast(__m256i, half));
  }
}

struct PairNumbers : Pairs {
  static constexpr int kFloats = kC / 2, kFetch = 4;
};

void Pointwise(const onednn::PointwiseTile &t) {
  if (t.halves) PointwiseInto<PairNumbers, HalfResult>(t);
  else PointwiseInto<PairNumbers, FloatResult>(t);
}

}  // namespace

namespace onednn {
const Bf16KernelSet kBf16Avx512 = {"bf16", 12,        &TileUpTo<12, Pairs>, &Vector<Pairs>, &PairRows, &Round, &Scaled,
                                   &Widen, &Pointwise};
const Bf16KernelSet kBf16Amx = {"bf16:amx", 32,      &AmxTile, &Vector<Pairs>, &PairRows,
                                &Round,     &Scaled, &Widen,   &AmxPointwise};
}  // namespace onednn
