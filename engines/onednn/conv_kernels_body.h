// The convolutions of conv_kernels.h, written once over a vector type V; kTile pixels are computed together.
#include "conv_kernels.h"

namespace {

constexpr int kC = V::kWidth;
constexpr int kLine = 16;                 // floats of a cache line
constexpr int kFetch = kC == 16 ? 8 : 1;  // lines, so that half a dozen tiles fetch the weights of the next blocks

// Kept in registers: the compiler would read the numbers again after each store.
struct Bounds {
  const V::T low, high;
  explicit Bounds(const onednn::ConvFinish &f) : low(V::Set(f.low)), high(V::Set(f.high)) {}
  V::T Clipped(V::T sum) const { return V::Min(high, V::Max(low, sum)); }  // in this order a NaN stays one
};

// Sums stay in registers over all input channels. With Fetch, each block of input channels asks for lines of what comes
// after this tile's weights.
template <int R, int B, bool Fetch>
void PointwiseRows(const onednn::PointwiseTile &t, int64_t pixel, const float *ahead) {
  V::T acc[R][B];
#pragma GCC unroll 3
  for (int b = 0; b < B; ++b) {
    const V::T bias = t.finish[b].bias ? V::Load(t.finish[b].bias) : V::Zero();
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) acc[i][b] = bias;
  }
  const float *x = t.x + pixel * kC, *w = t.w;
  for (int64_t block = 0; block < t.in_blocks; ++block, x += t.x_block) {
    // Six pixels of eight channels are 192 bytes of each block: too few for the processor to see that the next tile
    // follows. Without this, reads of 32 blocks that are not in a cache double the time.
    if constexpr (kC < 16)
#pragma GCC unroll 16
      for (int line = 0; line < R * kC; line += 16) __builtin_prefetch(x + R * kC + line);
    if constexpr (Fetch) {
#pragma GCC unroll 16
      for (int line = 0; line < kFetch; ++line) __builtin_prefetch(ahead + line * kLine);
      ahead += kFetch * kLine;
    }
#pragma GCC unroll 4
    for (int c = 0; c < kC; ++c, w += kC) {
      V::T weights[B];
#pragma GCC unroll 3
      for (int b = 0; b < B; ++b) weights[b] = V::Load(w + b * t.w_block);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        const V::T value = V::Set(x[i * kC + c]);
#pragma GCC unroll 3
        for (int b = 0; b < B; ++b) acc[i][b] = V::Fma(value, weights[b], acc[i][b]);
      }
    }
  }
#pragma GCC unroll 3
  for (int b = 0; b < B; ++b) {
    const Bounds bounds(t.finish[b]);
    float *y = t.y + b * t.y_block + pixel * kC;
    if (const float *residual = t.finish[b].residual) {
      residual += pixel * kC;
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) acc[i][b] = V::Add(acc[i][b], V::Load(residual + i * kC));
    }
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) V::Store(y + i * kC, bounds.Clipped(acc[i][b]));
  }
}

template <int R, int B, bool Fetch>
void PointwiseUpTo(const onednn::PointwiseTile &t, int64_t pixel, int64_t count, const float *ahead) {
  if constexpr (R > 1)
    if (count < R) return PointwiseUpTo<R - 1, B, Fetch>(t, pixel, count, ahead);
  PointwiseRows<R, B, Fetch>(t, pixel, ahead);
}

// Tiles of about the same height: a small rest would use few registers.
template <int B, bool Fetch>
void PointwiseBlocks(const onednn::PointwiseTile &t) {
  constexpr int kRows = kTile * 2 / (B == 1 ? 2 : B);
  const int64_t fetched = t.in_blocks * kFetch * kLine, all = B * t.w_block;
  int64_t tiles = (t.pixels + kRows - 1) / kRows, pixel = 0;
  for (int64_t begin = 0; tiles > 0; --tiles, begin += fetched) {
    const int64_t count = (t.pixels - pixel + tiles - 1) / tiles;
    // When the next blocks' weights are on their way, lines that are in the cache are asked for.
    PointwiseUpTo<kRows, B, Fetch>(t, pixel, count, begin < all ? t.w + all + begin : t.w);
    pixel += count;
  }
}

// A few input channels more than the first tile needs to fetch the weights itself: with less it costs more than it
// saves.
constexpr int64_t kFetchedFrom = 64;

template <int B>
void PointwiseFetching(const onednn::PointwiseTile &t) {
  if (t.in_blocks * kC >= kFetchedFrom) PointwiseBlocks<B, true>(t);
  else PointwiseBlocks<B, false>(t);
}

void Pointwise(const onednn::PointwiseTile &t) {
  if (t.blocks == 3) PointwiseFetching<3>(t);
  else if (t.blocks == 2) PointwiseFetching<2>(t);
  else PointwiseFetching<1>(t);
}

// One row of outputs reads this: `rows` filter rows that fall on rows of the image, of which row `turn` and those
// behind it lie `back` floats before their place, since the ring of rows ends there.
struct DepthwiseLine {
  const float *x;
  int64_t row, back;
  int64_t turn, rows;
  const float *w;
  int64_t at;  // of the outputs in y
};

// T outputs in a row: every input is loaded once for all outputs that it feeds. Those at both ends may lie outside of
// the image, and then feed nothing.
template <int K, int S, int T>
void DepthwiseOutputs(const onednn::DepthwiseRows &d, const DepthwiseLine &line, int64_t out) {
  constexpr int kInputs = (T - 1) * S + K;
  V::T acc[T];
  const V::T bias = d.finish.bias ? V::Load(d.finish.bias) : V::Zero();
#pragma GCC unroll 16
  for (int t = 0; t < T; ++t) acc[t] = bias;
  const int64_t first = out * S - d.pad_left, begin = -first, end = d.in_w - first;
  const float *x = line.x + first * kC, *w = line.w;
  for (int64_t k = 0; k < line.rows; ++k, w += K * kC, x += line.row) {
    if (k == line.turn) x -= line.back;
    V::T weights[K];
#pragma GCC unroll 8
    for (int j = 0; j < K; ++j) weights[j] = V::Load(w + j * kC);
#pragma GCC unroll 40
    for (int i = 0; i < kInputs; ++i) {
      if (i < K - 1 && i < begin) continue;
      if (i > kInputs - K && i >= end) continue;
      V::T value = V::Load(x + i * kC);
      // Left to itself the compiler loads it for each output anew, which is more loads than there is time for.
      if constexpr (S == 2) asm("" : "+v"(value));
#pragma GCC unroll 8
      for (int j = 0; j < K; ++j)
        if (i >= j && (i - j) % S == 0 && (i - j) / S < T)
          acc[(i - j) / S] = V::Fma(value, weights[j], acc[(i - j) / S]);
    }
  }
  const Bounds bounds(d.finish);
  const int64_t at = line.at + out * kC;
  if (const float *residual = d.finish.residual) {
#pragma GCC unroll 16
    for (int t = 0; t < T; ++t) acc[t] = V::Add(acc[t], V::Load(residual + at + t * kC));
  }
  float *y = d.y + at;
#pragma GCC unroll 16
  for (int t = 0; t < T; ++t) V::Store(y + t * kC, bounds.Clipped(acc[t]));
}

template <int K, int S, int T>
void DepthwiseUpTo(const onednn::DepthwiseRows &d, const DepthwiseLine &line, int64_t out, int64_t count) {
  if constexpr (T > 1)
    if (count < T) return DepthwiseUpTo<K, S, T - 1>(d, line, out, count);
  DepthwiseOutputs<K, S, T>(d, line, out);
}

// Sums, an input and weights fit into the registers; parts of a row are of about the same length.
template <int K, int S>
void DepthwiseFilter(const onednn::DepthwiseRows &d, const DepthwiseLine &line) {
  constexpr int kOutputs = kTile > 12 ? 14 : 8;
  int64_t parts = (d.out_w + kOutputs - 1) / kOutputs, out = 0;
  for (; parts > 0; --parts) {
    const int64_t count = (d.out_w - out + parts - 1) / parts;
    DepthwiseUpTo<K, S, kOutputs>(d, line, out, count);
    out += count;
  }
}

// Of any filter, one output after the other.
void DepthwiseAny(const onednn::DepthwiseRows &d, const DepthwiseLine &line) {
  for (int64_t out = 0; out < d.out_w; ++out) {
    V::T acc = d.finish.bias ? V::Load(d.finish.bias) : V::Zero();
    const int64_t first = out * d.stride_w - d.pad_left;
    const float *x = line.x;
    for (int64_t k = 0; k < line.rows; ++k, x += line.row) {
      if (k == line.turn) x -= line.back;
      for (int64_t j = 0; j < d.kernel_w; ++j) {
        const int64_t at = first + j * d.dilation_w;
        if (at < 0 || at >= d.in_w) continue;
        acc = V::Fma(V::Load(x + at * kC), V::Load(line.w + (k * d.kernel_w + j) * kC), acc);
      }
    }
    const int64_t at = line.at + out * kC;
    if (d.finish.residual) acc = V::Add(acc, V::Load(d.finish.residual + at));
    V::Store(d.y + at, Bounds(d.finish).Clipped(acc));
  }
}

using DepthwiseFunction = void (*)(const onednn::DepthwiseRows &, const DepthwiseLine &);
DepthwiseFunction DepthwiseOf(const onednn::DepthwiseRows &d) {
  // Of each output at least one input in a row is inside.
  const bool reaches = d.pad_left < d.kernel_w && (d.out_w - 1) * d.stride_w - d.pad_left < d.in_w;
  if (d.dilation_w != 1 || !reaches) return &DepthwiseAny;
  if (d.kernel_w == 3 && d.stride_w == 1) return &DepthwiseFilter<3, 1>;
  if (d.kernel_w == 3 && d.stride_w == 2) return &DepthwiseFilter<3, 2>;
  if (d.kernel_w == 5 && d.stride_w == 1) return &DepthwiseFilter<5, 1>;
  if (d.kernel_w == 5 && d.stride_w == 2) return &DepthwiseFilter<5, 2>;
  return &DepthwiseAny;
}

// Divisions take as long as a row of few pixels, and most of them are by 1.
inline int64_t StepsIn(int64_t length, int64_t step) { return step == 1 ? length : (length + step - 1) / step; }

void Depthwise(const onednn::DepthwiseRows &d) {
  const DepthwiseFunction run = DepthwiseOf(d);
  const bool whole = d.ring >= d.in_h;
  DepthwiseLine line{};
  line.row = d.dilation_h * d.row;
  line.back = d.ring * d.row;
  for (int64_t r = 0; r < d.rows; ++r, line.at += d.out_w * kC) {
    // Filter rows that fall on rows of the image.
    const int64_t top = (d.first + r) * d.stride_h - d.pad_top;
    const int64_t skipped = top < 0 ? StepsIn(-top, d.dilation_h) : 0;
    const int64_t last = d.in_h > top ? StepsIn(d.in_h - top, d.dilation_h) : 0;
    line.rows = (last < d.kernel_h ? last : d.kernel_h) - skipped;
    line.turn = -1;
    if (line.rows > 0) {
      const int64_t from = top + skipped * d.dilation_h, slot = whole ? from : from % d.ring;
      line.x = d.x + slot * d.row;
      if (!whole) line.turn = StepsIn(d.ring - slot, d.dilation_h);
      line.w = d.w + skipped * d.kernel_w * kC;
    }
    run(d, line);
  }
}

}  // namespace
