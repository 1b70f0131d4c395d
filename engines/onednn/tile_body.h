// The tile of a matrix product that stays in registers, over a vector type V that the including file defines. It is two
// vectors wide.
#pragma once

#include <cstdint>

#include "kernels.h"

namespace {

constexpr int kW = V::kWidth;

struct Floats {
  static V::T Add(V::T a, V::T b, V::T sum) { return V::Fma(a, b, sum); }
};

// Calls `steps` with a function to call at each of k steps. It asks for `ahead_step` floats more of those from `ahead`
// on.
template <class Steps>
[[gnu::always_inline]] inline void WithFetch(int64_t k, const float *ahead, int64_t ahead_step, const Steps &steps) {
  using onednn::kLineAhead;
  if constexpr (2 * kW > kLineAhead) {
    const int64_t other = ahead_step - kLineAhead;
    steps([&] {
      __builtin_prefetch(ahead, 0, 2);
      __builtin_prefetch(ahead + other, 0, 2);
      ahead += ahead_step;
    });
  } else if (ahead_step == kLineAhead) {
    // A line at each step: the two halves in turn, since memory answers two streams faster than one.
    const float *half = ahead + (k + 1) / 2 * kLineAhead;
    steps([&] {
      __builtin_prefetch(ahead, 0, 2);
      const float *after = ahead + kLineAhead;
      ahead = half, half = after;
    });
  } else {
    steps([&] {
      __builtin_prefetch(ahead, 0, 2);
      ahead += ahead_step;
    });
  }
}

// R rows. Multiply adds the products of lanes to sums; what a lane of the operands holds is its own affair.
template <int R, class Multiply>
void TileRows(int n, int64_t k, const float *a, int64_t rs, int64_t step, const float *b, int64_t bs, float *c,
              int64_t cs, bool accumulate, const float *ahead, int64_t ahead_step) {
  typename V::T acc[R][2];
  bool full = n == 2 * kW;
  typename V::Mask m0 = V::MaskOf(n), m1 = V::MaskOf(n - kW);
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    if (!accumulate) {
      acc[i][0] = acc[i][1] = V::Zero();
    } else {
      acc[i][0] = V::LoadPart(c + i * cs, m0);
      acc[i][1] = V::LoadPart(c + i * cs + kW, m1);
    }
  }
  // Rows in groups of three: base, base + stride, base + 2 * stride are addressing modes.
  const float *group[(R + 2) / 3];
#pragma GCC unroll 16
  for (int g = 0; g < (R + 2) / 3; ++g) group[g] = a + 3 * g * rs;
  if (full) {
    const auto steps = [&](const auto &fetch) __attribute__((always_inline)) {
      for (int64_t p = 0; p < k; ++p) {
        typename V::T b0 = V::Load(b), b1 = V::Load(b + kW);
        b += bs;
        fetch();
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i) {
          typename V::T x = V::Set(group[i / 3][(i % 3) * rs]);
          acc[i][0] = Multiply::Add(x, b0, acc[i][0]);
          acc[i][1] = Multiply::Add(x, b1, acc[i][1]);
        }
#pragma GCC unroll 16
        for (int g = 0; g < (R + 2) / 3; ++g) group[g] += step;
      }
    };
    WithFetch(k, ahead, ahead_step, steps);
  } else {
    for (int64_t p = 0; p < k; ++p) {
      typename V::T b0 = V::LoadPart(b, m0), b1 = V::LoadPart(b + kW, m1);
      b += bs;
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        typename V::T x = V::Set(group[i / 3][(i % 3) * rs]);
        acc[i][0] = Multiply::Add(x, b0, acc[i][0]);
        acc[i][1] = Multiply::Add(x, b1, acc[i][1]);
      }
#pragma GCC unroll 16
      for (int g = 0; g < (R + 2) / 3; ++g) group[g] += step;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    if (full) {
      V::Store(c + i * cs, acc[i][0]);
      V::Store(c + i * cs + kW, acc[i][1]);
    } else {
      V::StorePart(c + i * cs, acc[i][0], m0);
      V::StorePart(c + i * cs + kW, acc[i][1], m1);
    }
  }
}

template <int R, class Multiply = Floats>
void TileUpTo(int m, int n, int64_t k, const float *a, int64_t rs, int64_t step, const float *b, int64_t bs, float *c,
              int64_t cs, bool accumulate, const float *ahead, int64_t ahead_step) {
  if constexpr (R > 1)
    if (m < R) return TileUpTo<R - 1, Multiply>(m, n, k, a, rs, step, b, bs, c, cs, accumulate, ahead, ahead_step);
  TileRows<R, Multiply>(n, k, a, rs, step, b, bs, c, cs, accumulate, ahead, ahead_step);
}

}  // namespace
