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

constexpr int kDepthwiseRows = 4;
void DepthwiseUpTo(const onednn::Int8Tile &t) {
  if (t.m == kDepthwiseRows) return DepthwiseRows<kDepthwiseRows>(t);
  onednn::Int8Tile one = t;
  for (one.m = 1; one.rows != t.rows + t.m; ++one.rows, one.sums += kInt8Columns) DepthwiseRows<1>(one);
}

// One row of a panel: sums to values, before they are stored.
struct Values {
  V::T v[2];
};

inline V::T Bounded(V::T v, V::T low, V::T high) { return V::Min(high, V::Max(low, v)); }  // a NaN stays one

inline void StoreRounded(const Values &values, const onednn::Int8Finish &f, bool is_signed, int n, char *y) {
  const float zero = (float)f.y_zero;
  const V::T low = V::Set((is_signed ? -128.f : 0.f) - zero), high = V::Set((is_signed ? 127.f : 255.f) - zero);
  I::T q[2];
#pragma GCC unroll 2
  for (int j = 0; j < 2; ++j) {
    // In this order a NaN becomes the lowest number.
    const V::T bounded = V::Min(V::Max(V::Div(values.v[j], V::Set(f.y_scale)), low), high);
    q[j] = I::Add(I::Round(bounded), I::Set(f.y_zero));
  }
  if (n == kInt8Columns) return I::StoreBytes(y, q[0], q[1], is_signed);
  char part[kInt8Columns];
  I::StoreBytes(part, q[0], q[1], is_signed);
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

void FinishSums(int m, int n, const int32_t *sums, const onednn::Int8Finish &f, void *y, int64_t stride) {
  using onednn::Act;
  const float kInfinity = __builtin_inff();
  const bool plain = f.activation.kind == Act::kNone, clip = f.activation.kind == Act::kClip;
  const bool bounds = plain || clip || f.activation.kind == Act::kRelu;
  const V::T low = V::Set(plain ? -kInfinity : clip ? f.activation.alpha : 0.f);
  const V::T high = V::Set(clip ? f.activation.beta : kInfinity);
  const int bytes = f.dst_type == C_DT_INT32 || f.dst_type == C_DT_FLOAT ? 4 : 1;
  for (int i = 0; i < m; ++i, sums += kInt8Columns) {
    char *to = (char *)y + i * stride * bytes;
    I::T acc[2];
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      acc[j] = I::Add(I::Load(sums + j * V::kWidth), I::Load(f.add + j * V::kWidth));
      if (f.x_zero)
        acc[j] = I::Subtract(acc[j], I::Multiply(I::Set(f.x_zero[i]), I::Load(f.weight_sums + j * V::kWidth)));
    }
    if (f.dst_type == C_DT_INT32) {
      StoreWords(acc, n, (int32_t *)to);
      continue;
    }
    Values values;
    const V::T x_scale = V::Set(f.x_scale[i * f.x_scale_step]);
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      V::T v = V::Mul(I::ToFloat(acc[j]), V::Mul(x_scale, V::Load(f.scale + j * V::kWidth)));
      if (f.biased) v = V::Add(v, V::Load(f.bias + j * V::kWidth));
      values.v[j] = bounds ? Bounded(v, low, high) : v;
    }
    if (!bounds) {
      float row[kInt8Columns];
      V::Store(row, values.v[0]);
      V::Store(row + V::kWidth, values.v[1]);
      ActivateRow(kInt8Columns, row, f.activation.kind, f.activation.alpha, f.activation.beta);
      values.v[0] = V::Load(row), values.v[1] = V::Load(row + V::kWidth);
    }
    if (f.dst_type == C_DT_FLOAT) {
      const I::T words[2] = {I::FromBits(values.v[0]), I::FromBits(values.v[1])};
      StoreWords(words, n, (int32_t *)to);
    } else {
      StoreRounded(values, f, f.dst_type == C_DT_INT8, n, to);
    }
  }
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
