// The transforms of winograd.h, written once over a vector type V: lanes are channels.
#include "conv_kernels.h"

namespace {

// One dimension of a tile of M outputs of a convolution with stride S: its inputs, S * (M - 1) + 3, become as many
// numbers, and as many sums M outputs. `in` and `out` may be the same array.
template <int M, int S>
struct WinogradLine;

// Points 0, 1, -1 and infinity.
template <>
struct WinogradLine<2, 1> {
  static void Input(const V::T (&d)[4], V::T (&v)[4]) {
    const V::T d1 = d[1], d2 = d[2];
    v[0] = V::Sub(d[0], d2);
    v[3] = V::Sub(d1, d[3]);
    v[1] = V::Add(d1, d2);
    v[2] = V::Sub(d2, d1);
  }
  static void Output(const V::T (&m)[4], V::T (&y)[2]) {
    y[0] = V::Add(m[0], V::Add(m[1], m[2]));
    y[1] = V::Sub(V::Sub(m[1], m[2]), m[3]);
  }
};

// Points 0, a, -a, b, -b and infinity (kWinogradNear, kWinogradFar).
template <>
struct WinogradLine<4, 1> {
  static constexpr float kA = onednn::kWinogradNear, kB = onednn::kWinogradFar, kA2 = kA * kA, kB2 = kB * kB;
  static void Input(const V::T (&d)[6], V::T (&v)[6]) {
    const V::T near = V::Set(-kA2), far = V::Set(-kB2), product = V::Set(kA2 * kB2), sum = V::Set(-kA2 - kB2);
    const V::T even_a = V::Fma(far, d[2], d[4]), odd_a = V::Fma(far, d[1], d[3]);
    const V::T even_b = V::Fma(near, d[2], d[4]), odd_b = V::Fma(near, d[1], d[3]);
    const V::T first = V::Fma(product, d[0], V::Fma(sum, d[2], d[4]));
    const V::T last = V::Fma(product, d[1], V::Fma(sum, d[3], d[5]));
    v[0] = first;
    v[1] = V::Fma(V::Set(kA), odd_a, even_a);
    v[2] = V::Fma(V::Set(-kA), odd_a, even_a);
    v[3] = V::Fma(V::Set(kB), odd_b, even_b);
    v[4] = V::Fma(V::Set(-kB), odd_b, even_b);
    v[5] = last;
  }
  static void Output(const V::T (&m)[6], V::T (&y)[4]) {
    const V::T sum_a = V::Add(m[1], m[2]), difference_a = V::Sub(m[1], m[2]);
    const V::T sum_b = V::Add(m[3], m[4]), difference_b = V::Sub(m[3], m[4]);
    y[0] = V::Add(m[0], V::Add(sum_a, sum_b));
    y[1] = V::Fma(V::Set(kA), difference_a, V::Mul(V::Set(kB), difference_b));
    y[2] = V::Fma(V::Set(kA2), sum_a, V::Mul(V::Set(kB2), sum_b));
    y[3] = V::Fma(V::Set(kA2 * kA), difference_a, V::Fma(V::Set(kB2 * kB), difference_b, m[5]));
  }
};

// Stride 2: outputs read every other input with the outer two of three weights, which is a convolution of stride 1 by
// two weights and has points, and those between with the middle one, which are numbers as they are.
//
// Points 0, 1 and infinity.
template <>
struct WinogradLine<2, 2> {
  static void Input(const V::T (&d)[5], V::T (&v)[5]) {
    const V::T d1 = d[1], d2 = d[2], d3 = d[3], d4 = d[4];
    v[0] = V::Sub(d[0], d2);
    v[1] = d2;
    v[2] = V::Sub(d2, d4);
    v[3] = d1;
    v[4] = d3;
  }
  static void Output(const V::T (&m)[5], V::T (&y)[2]) {
    y[0] = V::Add(V::Add(m[0], m[1]), m[3]);
    y[1] = V::Add(V::Sub(m[1], m[2]), m[4]);
  }
};

// Points 0, a, -a, b and infinity (kStridedNear, kStridedFar).
template <>
struct WinogradLine<4, 2> {
  static constexpr float kA = onednn::kStridedNear, kB = onednn::kStridedFar, kA2 = kA * kA, kB2 = kB * kB;
  static void Input(const V::T (&d)[9], V::T (&v)[9]) {
    const V::T near = V::Set(-kA2), far = V::Set(-kB);
    const V::T d1 = d[1], d3 = d[3], d5 = d[5], d7 = d[7];
    // x^2 - a^2 times the polynomial of the inputs, from its second and from its first coefficient on.
    const V::T high = V::Fma(near, d[4], d[8]), middle = V::Fma(near, d[2], d[6]), low = V::Fma(near, d[0], d[4]);
    // x (x - b) times it.
    const V::T even = V::Fma(far, d[4], d[6]), odd = V::Fma(far, d[2], d[4]);
    v[0] = V::Fma(far, low, middle);
    v[1] = V::Fma(V::Set(kA), odd, even);
    v[2] = V::Fma(V::Set(-kA), odd, even);
    v[3] = middle;
    v[4] = V::Fma(far, middle, high);
    v[5] = d1;
    v[6] = d3;
    v[7] = d5;
    v[8] = d7;
  }
  static void Output(const V::T (&m)[9], V::T (&y)[4]) {
    const V::T sum = V::Add(m[1], m[2]), difference = V::Sub(m[1], m[2]);
    y[0] = V::Add(V::Add(m[0], sum), V::Add(m[3], m[5]));
    y[1] = V::Fma(V::Set(kA), difference, V::Fma(V::Set(kB), m[3], m[6]));
    y[2] = V::Fma(V::Set(kA2), sum, V::Fma(V::Set(kB2), m[3], m[7]));
    y[3] = V::Fma(V::Set(kA2 * kA), difference, V::Fma(V::Set(kB2 * kB), m[3], V::Add(m[4], m[8])));
  }
};

template <int M, int S>
void WinogradInput(const onednn::WinogradInputRun &r) {
  using One = WinogradLine<M, S>;
  constexpr int N = onednn::WinogradReach(M, S);
  const float *x = r.x;
  float *v = r.v;
  for (int64_t tile = 0; tile < r.tiles; ++tile, x += M * S * kC, v += kC) {
    V::T d[N][N];  // [column][row], so that the second pass finds its line in one array
#pragma GCC unroll 9
    for (int j = 0; j < N; ++j) {
      V::T line[N], made[N];
#pragma GCC unroll 9
      for (int i = 0; i < N; ++i) line[i] = V::Load(x + i * r.row + j * kC);
      One::Input(line, made);
#pragma GCC unroll 9
      for (int i = 0; i < N; ++i) d[i][j] = made[i];
    }
#pragma GCC unroll 9
    for (int i = 0; i < N; ++i) {
      V::T made[N];
      One::Input(d[i], made);
#pragma GCC unroll 9
      for (int j = 0; j < N; ++j) V::Store(v + (i * N + j) * r.v_step, made[j]);
    }
  }
}

template <int M, int S>
void WinogradOutput(const onednn::WinogradOutputRun &r) {
  using One = WinogradLine<M, S>;
  constexpr int N = onednn::WinogradReach(M, S);
  const float *m = r.m;
  const V::T bias = r.finish.bias ? V::Load(r.finish.bias) : V::Zero();
  const Bounds bounds(r.finish);
  const float *residual = r.finish.residual;
  for (int64_t tile = 0; tile < r.tiles; ++tile, m += kC) {
    V::T half[M][N];
#pragma GCC unroll 9
    for (int j = 0; j < N; ++j) {
      V::T line[N], made[M];
#pragma GCC unroll 9
      for (int i = 0; i < N; ++i) line[i] = V::Load(m + (i * N + j) * r.m_step);
      One::Output(line, made);
#pragma GCC unroll 4
      for (int i = 0; i < M; ++i) half[i][j] = made[i];
    }
    const int64_t first = tile * M, columns = r.columns - first < M ? r.columns - first : M;
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) {
      if (i >= r.rows) break;
      V::T made[M];
      One::Output(half[i], made);
      const int64_t at = i * r.row + first * kC;
#pragma GCC unroll 4
      for (int j = 0; j < M; ++j)
        if (j < columns) {
          V::T sum = V::Add(made[j], bias);
          if (residual) sum = V::Add(sum, V::Load(residual + at + j * kC));
          V::Store(r.y + at + j * kC, bounds.Clipped(sum));
        }
    }
  }
}

}  // namespace
