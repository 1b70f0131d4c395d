// The convolutions of conv_kernels.h, written once over a vector type V; kTile pixels are computed together.
#include "conv_kernels.h"
#include "pointwise_body.h"

namespace {

void Pointwise(const onednn::PointwiseTile &t) { PointwiseInto<ChannelNumbers, FloatResult>(t); }

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
      if constexpr (S == 2) V::Keep(value);
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
  if (d.kernel_w == 7 && d.stride_w == 1) return &DepthwiseFilter<7, 1>;
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
