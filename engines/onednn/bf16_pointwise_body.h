// 1 x 1 convolutions in bf16 over vectors of pairs (bf16_kernels_avx512.cpp): as PointwiseRows of conv_kernels_body.h,
// but that a number of x is a pair.
#pragma once

namespace {

constexpr int kPairs = kW / 2;       // of a pixel of a block
constexpr int kPointwiseTile = 14;   // pixels of two blocks: of 32 registers 28 are sums
constexpr int64_t kFetchedFrom = 4;  // blocks of input channels, as in conv_kernels_body.h
constexpr int kLine = 16, kFetch = 4;

struct FloatResult {
  using T = float;
  static V::T Load(const T *p) { return V::Load(p); }
  static void Store(T *p, V::T v) { V::Store(p, v); }
};
struct HalfResult {
  using T = uint16_t;
  static V::T Load(const T *p) { return Widened(p, 0xffff); }
  static void Store(T *p, V::T v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), __builtin_bit_cast(__m256i, _mm512_cvtneps_pbh(v)));
  }
};

template <class Result, int R, int B>
void PointwiseRows(const onednn::Bf16PointwiseTile &t, int64_t pixel, const float *ahead) {
  V::T acc[R][B];
#pragma GCC unroll 3
  for (int b = 0; b < B; ++b) {
    const V::T bias = t.bias[b] ? V::Load(t.bias[b]) : V::Zero();
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) acc[i][b] = bias;
  }
  const float *x = t.x + pixel * kPairs, *w = t.w;
  const bool fetch = t.in_blocks >= kFetchedFrom;
  for (int64_t block = 0; block < t.in_blocks; ++block, x += t.x_block) {
    if (fetch) {
#pragma GCC unroll 16
      for (int line = 0; line < kFetch; ++line) __builtin_prefetch(ahead + line * kLine);
      ahead += kFetch * kLine;
    }
#pragma GCC unroll 4
    for (int p = 0; p < kPairs; ++p, w += kW) {
      V::T weights[B];
#pragma GCC unroll 3
      for (int b = 0; b < B; ++b) weights[b] = V::Load(w + b * t.w_block);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        const V::T value = V::Set(x[i * kPairs + p]);
#pragma GCC unroll 3
        for (int b = 0; b < B; ++b) acc[i][b] = Pairs::Add(value, weights[b], acc[i][b]);
      }
    }
  }
  const V::T low = V::Set(t.low), high = V::Set(t.high);
#pragma GCC unroll 3
  for (int b = 0; b < B; ++b) {
    auto *y = static_cast<typename Result::T *>(t.y) + b * t.y_block + pixel * kW;
    if (t.residual[b]) {
      const auto *residual = static_cast<const typename Result::T *>(t.residual[b]) + pixel * kW;
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) acc[i][b] = V::Add(acc[i][b], Result::Load(residual + i * kW));
    }
    // In this order a NaN stays one.
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) Result::Store(y + i * kW, V::Min(high, V::Max(low, acc[i][b])));
  }
}

template <class Result, int R, int B>
void PointwiseUpTo(const onednn::Bf16PointwiseTile &t, int64_t pixel, int64_t count, const float *ahead) {
  if constexpr (R > 1)
    if (count < R) return PointwiseUpTo<Result, R - 1, B>(t, pixel, count, ahead);
  PointwiseRows<Result, R, B>(t, pixel, ahead);
}

// Tiles of about the same height: a small rest would use few registers.
template <class Result, int B>
void PointwiseBlocks(const onednn::Bf16PointwiseTile &t) {
  constexpr int kRows = kPointwiseTile * 2 / (B == 1 ? 2 : B);
  const int64_t fetched = t.in_blocks * kFetch * kLine, all = B * t.w_block;
  int64_t tiles = (t.pixels + kRows - 1) / kRows, pixel = 0;
  for (int64_t begin = 0; tiles > 0; --tiles, begin += fetched) {
    const int64_t count = (t.pixels - pixel + tiles - 1) / tiles;
    PointwiseUpTo<Result, kRows, B>(t, pixel, count, begin < all ? t.w + all + begin : t.w);
    pixel += count;
  }
}

template <class Result>
void PointwiseInto(const onednn::Bf16PointwiseTile &t) {
  if (t.blocks == 3) PointwiseBlocks<Result, 3>(t);
  else if (t.blocks == 2) PointwiseBlocks<Result, 2>(t);
  else PointwiseBlocks<Result, 1>(t);
}

void Pointwise(const onednn::Bf16PointwiseTile &t) {
  if (t.y_bf16) PointwiseInto<HalfResult>(t);
  else PointwiseInto<FloatResult>(t);
}

}  // namespace
