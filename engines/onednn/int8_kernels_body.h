// The functions of int8_kernels.h, written once over vectors of floats (V) and of integers (I) that the including file
// defines, with kRows rows and two vectors of columns in a tile. Compiled without contraction: each step of the
// arithmetic is rounded, as the operators say.
#include "int8_kernels.h"
#include "kernels_math.h"

namespace {

using onednn::Int8Mode;
constexpr int kInt8Columns = 2 * V::kWidth;

template <Int8Mode M>
inline I::T LoadWeights(const char *p) {
  if constexpr (M == Int8Mode::kPairs) return I::LoadWidened(p);
  else return I::Load(p);
}
template <Int8Mode M>
inline I::T Dot(I::T sum, I::T x, I::T w) {
  if constexpr (M == Int8Mode::kQuads) return I::DotQuads(sum, x, w);
  else return I::DotPairs(sum, x, w);
}

template <Int8Mode M, int R, int C>
void SumRows(const onednn::Int8Tile &t) {
  constexpr int kBytes = V::kWidth * onednn::GroupSize(M) * onednn::BytesOfWeight(M);  // of a vector of columns
  I::T acc[R][C];
  const char *rows[R];
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
    rows[i] = t.rows[i];
#pragma GCC unroll 2
    for (int j = 0; j < C; ++j) acc[i][j] = I::Zero();
  }
  const char *weights = t.weights;
  const int32_t *offsets = t.offsets;
  for (const int32_t *end = offsets + t.groups; offsets != end; ++offsets, weights += 2 * kBytes) {
    const int64_t at = *offsets;
    I::T w[C];
#pragma GCC unroll 2
    for (int j = 0; j < C; ++j) w[j] = LoadWeights<M>(weights + j * kBytes);
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      const I::T x = I::SetGroup(rows[i] + at);
#pragma GCC unroll 2
      for (int j = 0; j < C; ++j) acc[i][j] = Dot<M>(acc[i][j], x, w[j]);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < C; ++j) I::Store(t.sums + i * kInt8Columns + j * V::kWidth, acc[i][j]);
}

template <Int8Mode M, int R>
void SumUpTo(const onednn::Int8Tile &t) {
  if constexpr (R > 1)
    if (t.m < R) return SumUpTo<M, R - 1>(t);
  if (t.n > V::kWidth) SumRows<M, R, 2>(t);
  else SumRows<M, R, 1>(t);
}

template <int R>
void DepthwiseRows(const onednn::Int8Tile &t) {
  constexpr int kBytes = 4 * V::kWidth;
  I::T acc[R][2];
#pragma GCC unroll 6
  for (int i = 0; i < R; ++i) acc[i][0] = acc[i][1] = I::Zero();
  const char *weights = t.weights;
  for (int64_t g = 0; g < t.groups; ++g, weights += 2 * kBytes) {
    const int64_t first = t.offsets[2 * g], second = t.offsets[2 * g + 1];
    const I::T w0 = I::Load(weights), w1 = I::Load(weights + kBytes);
#pragma GCC unroll 6
    for (int i = 0; i < R; ++i) {
      const I::T a = I::Load(t.rows[i] + first), b = I::Load(t.rows[i] + second);
      acc[i][0] = I::DotPairs(acc[i][0], I::PairLow(a, b), w0);
      acc[i][1] = I::DotPairs(acc[i][1], I::PairHigh(a, b), w1);
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < R; ++i) I::StorePaired(t.sums + i * kInt8Columns, acc[i][0], acc[i][1]);
}

void SumDepthwise(const onednn::Int8Tile &t) {
  constexpr int kRows = 4;
  onednn::Int8Tile part = t;
  for (const char *const *end = t.rows + t.m; part.rows != end;) {
    const int rows = end - part.rows >= kRows ? kRows : 1;
    if (rows == kRows) DepthwiseRows<kRows>(part);
    else DepthwiseRows<1>(part);
    part.rows += rows;
    part.sums += rows * kInt8Columns;
  }
}

// The finish of every row of a panel, in registers: nothing that is stored can change it.
struct Finisher {
  V::T scale[2], bias[2], low, high;  // of the activation
  V::T y_scale, lowest, highest;      // of the rounded result
  I::T add[2], y_zero;
  onednn::Activation activation;
  bool scaled_by_rows, is_signed;
};

inline Finisher FinisherOf(const onednn::Int8Finish &f) {
  using onednn::Act;
  const float kInfinity = __builtin_inff();
  const bool clip = f.activation.kind == Act::kClip;
  Finisher r;
  r.activation = f.activation;
  r.scaled_by_rows = f.x_scale_step != 0;
  r.is_signed = f.dst_type == C_DT_INT8;
  const V::T x_scale = V::Set(r.scaled_by_rows ? 1.f : f.x_scale[0]);
#pragma GCC unroll 2
  for (int j = 0; j < 2; ++j) {
    r.add[j] = I::Load(f.add + j * V::kWidth);
    r.scale[j] = V::Mul(x_scale, V::Load(f.scale + j * V::kWidth));
    // Adding this zero changes nothing, not even the sign of another zero.
    r.bias[j] = f.biased ? V::Load(f.bias + j * V::kWidth) : V::Set(-0.f);
  }
  r.low = V::Set(clip ? f.activation.alpha : f.activation.kind == Act::kRelu ? 0.f : -kInfinity);
  r.high = V::Set(clip ? f.activation.beta : kInfinity);
  const float zero = (float)f.y_zero;
  r.y_scale = V::Set(f.y_scale);
  r.lowest = V::Set((r.is_signed ? -128.f : 0.f) - zero);
  r.highest = V::Set((r.is_signed ? 127.f : 255.f) - zero);
  r.y_zero = I::Set(f.y_zero);
  return r;
}

inline void StoreRounded(const V::T *values, const Finisher &f, int n, char *y) {
  I::T q[2];
#pragma GCC unroll 2
  for (int j = 0; j < 2; ++j) {
    // In this order a NaN becomes the lowest number.
    const V::T bounded = V::Min(V::Max(V::Div(values[j], f.y_scale), f.lowest), f.highest);
    q[j] = I::Add(I::Round(bounded), f.y_zero);
  }
  if (n == kInt8Columns) return I::StoreBytes(y, q[0], q[1], f.is_signed);
  char part[kInt8Columns];
  I::StoreBytes(part, q[0], q[1], f.is_signed);
  for (int j = 0; j < n; ++j) y[j] = part[j];
}

inline void StoreWords(const I::T *words, int n, int32_t *y) {
  if (n == kInt8Columns) {
    I::Store(y, words[0]);
    I::Store(y + V::kWidth, words[1]);
    return;
  }
  int32_t part[kInt8Columns];
  I::Store(part, words[0]);
  I::Store(part + V::kWidth, words[1]);
  for (int j = 0; j < n; ++j) y[j] = part[j];
}

inline void Activated(const onednn::Activation &activation, V::T *values) {
  WithActivation(activation.kind, activation.alpha, activation.beta,
                 [=](const auto &function) { values[0] = function(values[0]), values[1] = function(values[1]); });
}

enum class Result { kWords, kFloats, kBytes };

// kBounds: the activation is none or two bounds.
template <Result R, bool kBounds>
void FinishRows(int m, int n, const int32_t *sums, const onednn::Int8Finish &finish, void *y, int64_t stride) {
  const Finisher f = FinisherOf(finish);
  const int32_t *x_zero = finish.x_zero, *weight_sums = finish.weight_sums;
  const float *x_scale = finish.x_scale;
  constexpr int kBytes = R == Result::kBytes ? 1 : 4;
  char *to = (char *)y;
  for (int i = 0; i < m; ++i, sums += kInt8Columns, to += stride * kBytes) {
    I::T acc[2];
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      acc[j] = I::Add(I::Load(sums + j * V::kWidth), f.add[j]);
      if (x_zero) acc[j] = I::Subtract(acc[j], I::Multiply(I::Set(x_zero[i]), I::Load(weight_sums + j * V::kWidth)));
    }
    if constexpr (R == Result::kWords) {
      StoreWords(acc, n, (int32_t *)to);
      continue;
    }
    V::T values[2];
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      const V::T scale = f.scaled_by_rows ? V::Mul(V::Set(x_scale[i]), f.scale[j]) : f.scale[j];
      values[j] = V::Add(V::Mul(I::ToFloat(acc[j]), scale), f.bias[j]);
      if constexpr (kBounds) values[j] = V::Min(f.high, V::Max(f.low, values[j]));  // a NaN stays one
    }
    if constexpr (!kBounds) Activated(f.activation, values);
    if constexpr (R == Result::kFloats) {
      const I::T words[2] = {I::FromBits(values[0]), I::FromBits(values[1])};
      StoreWords(words, n, (int32_t *)to);
    } else {
      StoreRounded(values, f, n, to);
    }
  }
}

void FinishSums(int m, int n, const int32_t *sums, const onednn::Int8Finish &f, void *y, int64_t stride) {
  using onednn::Act;
  const Act kind = f.activation.kind;
  const bool bounds = kind == Act::kNone || kind == Act::kClip || kind == Act::kRelu;
  if (f.dst_type == C_DT_INT32) FinishRows<Result::kWords, true>(m, n, sums, f, y, stride);
  else if (f.dst_type == C_DT_FLOAT && bounds) FinishRows<Result::kFloats, true>(m, n, sums, f, y, stride);
  else if (f.dst_type == C_DT_FLOAT) FinishRows<Result::kFloats, false>(m, n, sums, f, y, stride);
  else if (bounds) FinishRows<Result::kBytes, true>(m, n, sums, f, y, stride);
  else FinishRows<Result::kBytes, false>(m, n, sums, f, y, stride);
}

void WidenRow(const void *x, bool is_signed, int64_t n, int32_t zero, int16_t *__restrict to) {
  if (is_signed) {
    const int8_t *from = (const int8_t *)x;
    for (int64_t i = 0; i < n; ++i) to[i] = (int16_t)(from[i] - zero);
  } else {
    const uint8_t *from = (const uint8_t *)x;
    for (int64_t i = 0; i < n; ++i) to[i] = (int16_t)(from[i] - zero);
  }
}

void MoveRow(const void *x, bool is_signed, int64_t n, uint8_t *__restrict to) {
  const uint8_t *from = (const uint8_t *)x, flip = is_signed ? 128 : 0;
  for (int64_t i = 0; i < n; ++i) to[i] = from[i] ^ flip;
}

}  // namespace
