// The convolutions of conv_kernels.h, written once over a vector type V; kTile pixels are computed together.
#include "conv_kernels.h"

namespace {

constexpr int kC = V::kWidth;

inline V::T Finished(V::T sum, const onednn::ConvFinish &f, int64_t at) {
  if (f.residual) sum = V::Add(sum, V::Load(f.residual + at));
  // In this order a NaN stays one.
  return V::Min(V::Set(f.high), V::Max(V::Set(f.low), sum));
}

// Sums stay in registers over all input channels.
template <int R, int B>
void PointwiseRows(const onednn::PointwiseTile &t, int64_t pixel) {
  V::T acc[R][B];
#pragma GCC unroll 2
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
#pragma GCC unroll 4
    for (int c = 0; c < kC; ++c, w += kC) {
      V::T weights[B];
#pragma GCC unroll 2
      for (int b = 0; b < B; ++b) weights[b] = V::Load(w + b * t.w_block);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        const V::T value = V::Set(x[i * kC + c]);
#pragma GCC unroll 2
        for (int b = 0; b < B; ++b) acc[i][b] = V::Fma(value, weights[b], acc[i][b]);
      }
    }
  }
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const int64_t at = (pixel + i) * kC;
      V::Store(t.y + b * t.y_block + at, Finished(acc[i][b], t.finish[b], at));
    }
  }
}

template <int R, int B>
void PointwiseUpTo(const onednn::PointwiseTile &t, int64_t pixel, int64_t count) {
  if constexpr (R > 1)
    if (count < R) return PointwiseUpTo<R - 1, B>(t, pixel, count);
  PointwiseRows<R, B>(t, pixel);
}

// Tiles of about the same height: a small rest would use few registers.
template <int B>
void PointwiseBlocks(const onednn::PointwiseTile &t) {
  int64_t tiles = (t.pixels + kTile - 1) / kTile, pixel = 0;
  for (; tiles > 0; --tiles) {
    const int64_t count = (t.pixels - pixel + tiles - 1) / tiles;
    PointwiseUpTo<kTile, B>(t, pixel, count);
    pixel += count;
  }
}

void Pointwise(const onednn::PointwiseTile &t) {
  if (t.blocks == 2) PointwiseBlocks<2>(t);
  else PointwiseBlocks<1>(t);
}

// T outputs in a row, none of which reads beyond the image: every input is loaded once for all outputs that it feeds.
template <int K, int S, int T>
void DepthwiseInside(const onednn::DepthwiseRow &r, int64_t out) {
  V::T acc[T];
  const V::T bias = r.finish.bias ? V::Load(r.finish.bias) : V::Zero();
#pragma GCC unroll 16
  for (int t = 0; t < T; ++t) acc[t] = bias;
  const float *x = r.x + (out * S - r.pad_left) * kC, *w = r.w;
  for (int k = 0; k < r.rows; ++k, x += r.row, w += K * kC) {
    V::T weights[K];
#pragma GCC unroll 8
    for (int j = 0; j < K; ++j) weights[j] = V::Load(w + j * kC);
#pragma GCC unroll 40
    for (int i = 0; i < (T - 1) * S + K; ++i) {
      const V::T value = V::Load(x + i * kC);
#pragma GCC unroll 8
      for (int j = 0; j < K; ++j)
        if (i >= j && (i - j) % S == 0 && (i - j) / S < T)
          acc[(i - j) / S] = V::Fma(value, weights[j], acc[(i - j) / S]);
    }
  }
#pragma GCC unroll 16
  for (int t = 0; t < T; ++t) V::Store(r.y + (out + t) * kC, Finished(acc[t], r.finish, (out + t) * kC));
}

// One output at the edge of the image.
template <int K, int S>
void DepthwiseEdge(const onednn::DepthwiseRow &r, int64_t out) {
  V::T acc = r.finish.bias ? V::Load(r.finish.bias) : V::Zero();
  const int64_t first = out * S - r.pad_left;
  const float *x = r.x + first * kC, *w = r.w;
  for (int k = 0; k < r.rows; ++k, x += r.row, w += K * kC) {
#pragma GCC unroll 8
    for (int j = 0; j < K; ++j)
      if (first + j >= 0 && first + j < r.in_w) acc = V::Fma(V::Load(x + j * kC), V::Load(w + j * kC), acc);
  }
  V::Store(r.y + out * kC, Finished(acc, r.finish, out * kC));
}

// One output anywhere, of any filter.
void DepthwiseOne(const onednn::DepthwiseRow &r, int64_t out) {
  V::T acc = r.finish.bias ? V::Load(r.finish.bias) : V::Zero();
  const int64_t first = out * r.stride - r.pad_left;
  for (int k = 0; k < r.rows; ++k)
    for (int j = 0; j < r.kernel_w; ++j) {
      const int64_t at = first + int64_t{j} * r.dilation;
      if (at < 0 || at >= r.in_w) continue;
      acc = V::Fma(V::Load(r.x + k * r.row + at * kC), V::Load(r.w + (k * r.kernel_w + j) * kC), acc);
    }
  V::Store(r.y + out * kC, Finished(acc, r.finish, out * kC));
}

template <int K, int S>
void DepthwiseFilter(const onednn::DepthwiseRow &r) {
  // Outputs before `begin` and from `end` on read beyond the image.
  int64_t begin = (r.pad_left + S - 1) / S, end = (r.in_w - K + r.pad_left) / S + 1;
  if (r.in_w + r.pad_left < K) end = 0;
  if (end > r.out_w) end = r.out_w;
  if (begin > end) begin = end;
  int64_t out = 0;
  for (; out < begin; ++out) DepthwiseEdge<K, S>(r, out);
  // Sums, inputs and weights fit into the registers.
  if constexpr (kTile > 12)
    for (; out + 12 <= end; out += 12) DepthwiseInside<K, S, 12>(r, out);
  for (; out + 6 <= end; out += 6) DepthwiseInside<K, S, 6>(r, out);
  for (; out + 4 <= end; out += 4) DepthwiseInside<K, S, 4>(r, out);
  for (; out + 2 <= end; out += 2) DepthwiseInside<K, S, 2>(r, out);
  for (; out < r.out_w; ++out) DepthwiseEdge<K, S>(r, out);
}

void Depthwise(const onednn::DepthwiseRow &r) {
  if (r.dilation == 1 && r.kernel_w == 3 && r.stride == 1) return DepthwiseFilter<3, 1>(r);
  if (r.dilation == 1 && r.kernel_w == 3 && r.stride == 2) return DepthwiseFilter<3, 2>(r);
  if (r.dilation == 1 && r.kernel_w == 5 && r.stride == 1) return DepthwiseFilter<5, 1>(r);
  if (r.dilation == 1 && r.kernel_w == 5 && r.stride == 2) return DepthwiseFilter<5, 2>(r);
  for (int64_t out = 0; out < r.out_w; ++out) DepthwiseOne(r, out);
}

}  // namespace
