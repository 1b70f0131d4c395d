// The kernels, written once over a vector type V that the including file defines (width, load, store, partial forms,
// fma). kRows is the largest tile height; a tile is two vectors wide.
#include "kernels_math.h"
#include "row_body.h"
#include "tile_body.h"

namespace {

void FinishRows(int64_t m, int64_t n, float *c, int64_t cs, const onednn::Finish &f) {
  const onednn::Activation act = f.activation;
  for (int64_t i = 0; i < m; ++i) {
    float *__restrict y = c + i * cs;
    const float *bias = f.bias, *residual = f.residual ? f.residual + i * f.residual_stride : nullptr;
    float scale = f.scale;
    if (scale != 1)
      for (int64_t j = 0; j < n; ++j) y[j] *= scale;
    if (bias && residual)
      for (int64_t j = 0; j < n; ++j) y[j] += bias[j] + residual[j];
    else if (residual)
      for (int64_t j = 0; j < n; ++j) y[j] += residual[j];
    // Most layers have a bias and an activation alone: that takes one loop.
    if (bias && !residual)
      WithActivation(act.kind, act.alpha, act.beta, [=](const auto &function) {
        ForVectors(n, [=](const auto &at) { at.Store(y, function(at.Load(y) + at.Load(bias))); });
      });
    else ActivateRow(n, y, act.kind, act.alpha, act.beta);
    const float factor = f.factor, *after = f.after;
    if (after)
      for (int64_t j = 0; j < n; ++j) y[j] = y[j] * factor + after[j];
    else if (factor != 1)
      for (int64_t j = 0; j < n; ++j) y[j] *= factor;
  }
}

// A processor fetches ahead along several straight streams at once faster than along one, so memory is always read as
// this many: parts of the depth here, parts of the columns in Dots.
constexpr int kStreams = 4;

// Adds the products of kStreams rows of the matrix to M rows of results. Values of x lie `part` apart.
template <int M>
void StreamStep(int64_t n, const float *x, int64_t xs, int64_t part, const float *w, int64_t apart, float *y,
                int64_t ys) {
  static_assert(kStreams == 4);
  typename V::T s[M][kStreams];
#pragma GCC unroll 4
  for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
    for (int q = 0; q < kStreams; ++q) s[i][q] = V::Set(x[i * xs + q * part]);
  const float *w0 = w, *w1 = w + apart, *w2 = w1 + apart, *w3 = w2 + apart;
  int64_t j = 0;
  for (; j + kW <= n; j += kW) {
    typename V::T v0 = V::Load(w0 + j), v1 = V::Load(w1 + j), v2 = V::Load(w2 + j), v3 = V::Load(w3 + j);
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) {
      float *to = y + i * ys + j;
      typename V::T sum = V::Fma(s[i][0], v0, V::Load(to));
      sum = V::Fma(s[i][1], v1, sum);
      sum = V::Fma(s[i][2], v2, sum);
      V::Store(to, V::Fma(s[i][3], v3, sum));
    }
  }
  if (j == n) return;
  typename V::Mask rest = V::MaskOf(int(n - j));
  for (int i = 0; i < M; ++i) {
    float *to = y + i * ys + j;
    typename V::T sum = V::LoadPart(to, rest);
    sum = V::Fma(s[i][0], V::LoadPart(w0 + j, rest), sum);
    sum = V::Fma(s[i][1], V::LoadPart(w1 + j, rest), sum);
    sum = V::Fma(s[i][2], V::LoadPart(w2 + j, rest), sum);
    V::StorePart(to, V::Fma(s[i][3], V::LoadPart(w3 + j, rest), sum), rest);
  }
}

void StreamRest(int64_t n, float x, const float *w, float *y) {
  typename V::T s = V::Set(x);
  int64_t j = 0;
  for (; j + kW <= n; j += kW) V::Store(y + j, V::Fma(s, V::Load(w + j), V::Load(y + j)));
  typename V::Mask rest = V::MaskOf(int(n - j));
  if (j < n) V::StorePart(y + j, V::Fma(s, V::LoadPart(w + j, rest), V::LoadPart(y + j, rest)), rest);
}

// Columns in chunks whose results stay in L1; a chunk is as wide as that allows, since streams like to be long.
void StreamFew(int m, int64_t n, int64_t k, const float *x, int64_t xs, const float *w, int64_t ws, float *y,
               int64_t ys) {
  constexpr int64_t kChunk = 4096;
  const int64_t part = k / kStreams;
  for (int64_t first = 0; first < n; first += kChunk) {
    const int64_t count = n - first < kChunk ? n - first : kChunk;
    float *to = y + first;
    for (int i = 0; i < m; ++i)
      for (int64_t j = 0; j < count; ++j) to[i * ys + j] = 0;
    for (int64_t p = 0; p < part; ++p) {
      const float *row = w + p * ws + first;
      int i = 0;
      for (; i + 2 <= m; i += 2) StreamStep<2>(count, x + i * xs + p, xs, part, row, part * ws, to + i * ys, ys);
      if (i < m) StreamStep<1>(count, x + i * xs + p, xs, part, row, part * ws, to + i * ys, ys);
    }
    for (int64_t p = part * kStreams; p < k; ++p)
      for (int i = 0; i < m; ++i) StreamRest(count, x[i * xs + p], w + p * ws + first, to + i * ys);
  }
}

void Stream(int m, int64_t n, int64_t k, const float *x, int64_t xs, const float *w, int64_t ws, float *y, int64_t ys) {
  for (int i = 0; i < m; i += 4) StreamFew(m - i < 4 ? m - i : 4, n, k, x + i * xs, xs, w, ws, y + i * ys, ys);
}

// M rows against N columns that lie `apart`.
template <int M, int N>
void DotBlock(int64_t k, const float *x, int64_t xs, const float *w, int64_t ws, float *y, int64_t ys, int64_t apart) {
  // Two sums each where registers suffice, so that additions do not wait for each other.
  constexpr int kSums = M * N <= 4 ? 2 : 1;
  typename V::T acc[kSums][M][N];
#pragma GCC unroll 2
  for (int u = 0; u < kSums; ++u)
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) acc[u][i][j] = V::Zero();
  int64_t p = 0;
  for (; p + kSums * kW <= k; p += kSums * kW)
#pragma GCC unroll 2
    for (int u = 0; u < kSums; ++u) {
      typename V::T v[N];
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) v[j] = V::Load(w + j * apart * ws + p + u * kW);
#pragma GCC unroll 4
      for (int i = 0; i < M; ++i) {
        typename V::T s = V::Load(x + i * xs + p + u * kW);
#pragma GCC unroll 4
        for (int j = 0; j < N; ++j) acc[u][i][j] = V::Fma(s, v[j], acc[u][i][j]);
      }
    }
  for (; p < k; p += kW) {
    typename V::Mask rest = V::MaskOf(k - p < kW ? int(k - p) : kW);
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) {
      typename V::T v = V::LoadPart(w + j * apart * ws + p, rest);
#pragma GCC unroll 4
      for (int i = 0; i < M; ++i) acc[0][i][j] = V::Fma(V::LoadPart(x + i * xs + p, rest), v, acc[0][i][j]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j)
      y[i * ys + j * apart] = V::Sum(kSums == 2 ? V::Add(acc[0][i][j], acc[kSums - 1][i][j]) : acc[0][i][j]);
}

// Columns as kStreams parts that are read side by side.
template <int M>
void DotRows(int64_t n, int64_t k, const float *x, int64_t xs, const float *w, int64_t ws, float *y, int64_t ys) {
  const int64_t part = n / kStreams;
  for (int64_t j = 0; j < part; ++j) DotBlock<M, kStreams>(k, x, xs, w + j * ws, ws, y + j, ys, part);
  for (int64_t j = part * kStreams; j < n; ++j) DotBlock<M, 1>(k, x, xs, w + j * ws, ws, y + j, ys, 0);
}

void Dots(int m, int64_t n, int64_t k, const float *x, int64_t xs, const float *w, int64_t ws, float *y, int64_t ys) {
  // Columns in groups small enough for the cache, so that more than four rows do not read the matrix from memory again.
  int64_t group = m <= 4 ? n : 16;
  for (int64_t j = 0; j < n; j += group) {
    int64_t count = n - j < group ? n - j : group;
    for (int i = 0; i < m; i += 4) {
      const float *xi = x + i * xs, *wj = w + j * ws;
      float *to = y + i * ys + j;
      switch (m - i) {
        case 1:
          DotRows<1>(count, k, xi, xs, wj, ws, to, ys);
          break;
        case 2:
          DotRows<2>(count, k, xi, xs, wj, ws, to, ys);
          break;
        case 3:
          DotRows<3>(count, k, xi, xs, wj, ws, to, ys);
          break;
        default:
          DotRows<4>(count, k, xi, xs, wj, ws, to, ys);
          break;
      }
    }
  }
}

void Activate(int64_t n, float *x, const onednn::Activation &a) { ActivateRow(n, x, a.kind, a.alpha, a.beta); }

void Scaled(int64_t n, const float *from, float *to, float by) {
  const typename V::T factor = V::Set(by), zero = V::Zero();
  const int64_t even = n / kW * kW;
  for (int64_t j = 0; j < even; j += kW) V::Store(to + j, V::Fma(V::Load(from + j), factor, zero));
  for (int64_t j = even; j < n; ++j) to[j] = from[j] * by;
}

// e^x for x <= 0, exactly 0 where the result would leave the normal range.
inline F ExpBelow(F x) {
  const F e = ExpNegative(x);
  return x < V::Set(-87.33f) ? V::Zero() : e;
}

float Soften(int64_t n, float *__restrict s, float *top, float *sum) {
  constexpr float kNone = -__builtin_inff();
  const int64_t even = n / kW * kW;
  float most = *top;
  if (even) {
    typename V::T highest = V::Load(s);
    for (int64_t j = kW; j < even; j += kW) highest = V::Max(V::Load(s + j), highest);
    float lanes[kW];
    V::Store(lanes, highest);
    for (int j = 0; j < kW; ++j) most = lanes[j] > most ? lanes[j] : most;
  }
  for (int64_t j = even; j < n; ++j) most = s[j] > most ? s[j] : most;
  // Where all are minus infinity so far, none of them counts.
  const float base = most == kNone ? 0.f : most;
  ForVectors(n, [=](const auto &at) { at.Store(s, ExpBelow(at.Load(s) - base)); });
  typename V::T part = V::Zero();
  for (int64_t j = 0; j < even; j += kW) part = V::Add(part, V::Load(s + j));
  float total = V::Sum(part);
  for (int64_t j = even; j < n; ++j) total += s[j];
  const float by = *top == most ? 1.f : *top == kNone ? 0.f : ExpBelow(V::Set(*top - base))[0];
  *sum = *sum * by + total;
  *top = most;
  return by;
}

void LstmStep(int64_t n, const float *__restrict a, const float *__restrict b, const float *__restrict peephole,
              float *__restrict cell, float *__restrict hidden) {
  const auto gate = [=](const auto &at, int64_t k) { return at.Load(a + k * n) + at.Load(b + k * n); };
  const auto close = [=](const auto &at, F c, F out) {
    at.Store(cell, c);
    at.Store(hidden, Sigmoid(out) * Tanh(c));
  };
  if (peephole) {
    const float *pi = peephole, *po = peephole + n, *pf = peephole + 2 * n;
    return ForVectors(n, [=](const auto &at) {
      const F before = at.Load(cell);
      const F i = Sigmoid(gate(at, 0) + at.Load(pi) * before), f = Sigmoid(gate(at, 2) + at.Load(pf) * before);
      const F c = f * before + i * Tanh(gate(at, 3));
      close(at, c, gate(at, 1) + at.Load(po) * c);
    });
  }
  ForVectors(n, [=](const auto &at) {
    const F i = Sigmoid(gate(at, 0)), f = Sigmoid(gate(at, 2));
    close(at, f * at.Load(cell) + i * Tanh(gate(at, 3)), gate(at, 1));
  });
}

void GruGates(int64_t n, const float *__restrict a, const float *__restrict b, const float *__restrict by,
              float *__restrict update, float *__restrict reset) {
  ForVectors(n, [=](const auto &at) {
    at.Store(update, Sigmoid(at.Load(a) + at.Load(b)));
    at.Store(reset, Sigmoid(at.Load(a + n) + at.Load(b + n)) * at.Load(by));
  });
}

void GruState(int64_t n, const float *__restrict a, const float *__restrict b, const float *__restrict update,
              float *__restrict hidden) {
  ForVectors(n, [=](const auto &at) {
    const F h = Tanh(at.Load(a) + at.Load(b));
    at.Store(hidden, h + at.Load(update) * (at.Load(hidden) - h));
  });
}

}  // namespace
