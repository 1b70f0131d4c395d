// 1 x 1 convolutions between channel blocks, written once over a vector type V that the including file defines, for
// numbers of x and weights, and for results, of several types; kTile pixels are computed together.
#pragma once

#include "conv_kernels.h"
#include "float_result.h"
#include "tile_body.h"

namespace {

constexpr int kC = V::kWidth;
constexpr int kLine = 16;  // floats of a cache line

// Kept in registers: the compiler would read the numbers again after each store.
struct Bounds {
  const V::T low, high;
  explicit Bounds(const onednn::ConvFinish &f) : low(V::Set(f.low)), high(V::Set(f.high)) {}
  V::T Clipped(V::T sum) const { return V::Min(high, V::Max(low, sum)); }  // in this order a NaN stays one
};

// A pixel of a block of x: each of its floats is multiplied with a vector of weights.
struct ChannelNumbers : Floats {
  static constexpr int kFloats = kC;
  static constexpr int kFetch = kC == 16 ? 8 : 1;  // lines, so that half a dozen tiles fetch the next blocks' weights
};

// Where there are few channels, the zeros behind a rest of them would be a good part of the work; else they are added.
template <int Fetch>
int64_t BlocksOf(const onednn::PointwiseTile &t) {
  return t.in_blocks + (Fetch > 0 && t.rest > 0);
}

template <class Numbers, int R, int B>
[[gnu::always_inline]] inline void AddChannel(const float *x, const float *w, int64_t w_block, V::T (&acc)[R][B]) {
  V::T weights[B];
#pragma GCC unroll 3
  for (int b = 0; b < B; ++b) weights[b] = V::Load(w + b * w_block);
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    const V::T value = V::Set(x[i * Numbers::kFloats]);
#pragma GCC unroll 3
    for (int b = 0; b < B; ++b) acc[i][b] = Numbers::Add(value, weights[b], acc[i][b]);
  }
}

// Sums stay in registers over all input channels. With Fetch, each block of input channels asks for so many times
// kFetch lines of what comes after this tile's weights.
template <class Numbers, class Result, int R, int B, int Fetch>
void PointwiseRows(const onednn::PointwiseTile &t, int64_t pixel, const float *ahead) {
  constexpr int kFloats = Numbers::kFloats;
  V::T acc[R][B];
#pragma GCC unroll 3
  for (int b = 0; b < B; ++b) {
    const V::T bias = t.finish[b].bias ? V::Load(t.finish[b].bias) : V::Zero();
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) acc[i][b] = bias;
  }
  const float *x = t.x + pixel * kFloats, *w = t.w;
  for (int64_t block = 0; block < BlocksOf<Fetch>(t); ++block, x += t.x_block) {
    // Six pixels of eight channels are 192 bytes of each block: too few for the processor to see that the next tile
    // follows. Without this, reads of 32 blocks that are not in a cache double the time.
    if constexpr (kC < 16)
#pragma GCC unroll 16
      for (int line = 0; line < R * kC; line += 16) __builtin_prefetch(x + R * kC + line);
    if constexpr (Fetch > 0) {
#pragma GCC unroll 16
      for (int line = 0; line < Fetch * Numbers::kFetch; ++line) __builtin_prefetch(ahead + line * kLine);
      ahead += Fetch * Numbers::kFetch * kLine;
    }
#pragma GCC unroll 4
    for (int c = 0; c < kFloats; ++c, w += kC) AddChannel<Numbers, R, B>(x + c, w, t.w_block, acc);
  }
  if constexpr (Fetch == 0)
    for (int c = 0; c < t.rest; ++c, w += kC) AddChannel<Numbers, R, B>(x + c, w, t.w_block, acc);
#pragma GCC unroll 3
  for (int b = 0; b < B; ++b) {
    const Bounds bounds(t.finish[b]);
    auto *y = reinterpret_cast<typename Result::T *>(t.y) + b * t.y_block + pixel * kC;
    if (t.finish[b].residual) {
      const auto *residual = reinterpret_cast<const typename Result::T *>(t.finish[b].residual) + pixel * kC;
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) acc[i][b] = V::Add(acc[i][b], Result::Load(residual + i * kC));
    }
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) Result::Store(y + i * kC, bounds.Clipped(acc[i][b]));
  }
}

template <class Numbers, class Result, int R, int B, int Fetch>
void PointwiseUpTo(const onednn::PointwiseTile &t, int64_t pixel, int64_t count, const float *ahead) {
  if constexpr (R > 1)
    if (count < R) return PointwiseUpTo<Numbers, Result, R - 1, B, Fetch>(t, pixel, count, ahead);
  PointwiseRows<Numbers, Result, R, B, Fetch>(t, pixel, ahead);
}

// Tiles of about the same height: a small rest would use few registers.
template <class Numbers, class Result, int B, int Fetch>
void PointwiseBlocks(const onednn::PointwiseTile &t) {
  constexpr int kRows = kTile * 2 / (B == 1 ? 2 : B);
  const int64_t fetched = BlocksOf<Fetch>(t) * Fetch * Numbers::kFetch * kLine, all = B * t.w_block;
  int64_t tiles = (t.pixels + kRows - 1) / kRows, pixel = 0;
  for (int64_t begin = 0; tiles > 0; --tiles, begin += fetched) {
    const int64_t count = (t.pixels - pixel + tiles - 1) / tiles;
    // When the next blocks' weights are on their way, lines that are in the cache are asked for.
    PointwiseUpTo<Numbers, Result, kRows, B, Fetch>(t, pixel, count, begin < all ? t.w + all + begin : t.w);
    pixel += count;
  }
}

// A few input channels more than the first tile needs to fetch the weights itself: with less it costs more than it
// saves.
constexpr int64_t kFetchedFrom = 64;

// Two tiles, of Winograd's small images, have to ask for twice as many lines each.
template <class Numbers, class Result, int B>
void PointwiseFetching(const onednn::PointwiseTile &t) {
  if (t.in_blocks * kC < kFetchedFrom) PointwiseBlocks<Numbers, Result, B, 0>(t);
  else if (kC == 16 && t.pixels <= 2 * kTile) PointwiseBlocks<Numbers, Result, B, 2>(t);
  else PointwiseBlocks<Numbers, Result, B, 1>(t);
}

template <class Numbers, class Result>
void PointwiseInto(const onednn::PointwiseTile &t) {
  if (t.blocks == 3) PointwiseFetching<Numbers, Result, 3>(t);
  else if (t.blocks == 2) PointwiseFetching<Numbers, Result, 2>(t);
  else PointwiseFetching<Numbers, Result, 1>(t);
}

}  // namespace
