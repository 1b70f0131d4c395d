// One row times a matrix that lies in a cache, with all sums in registers, over a vector type V that the including file
// defines.
#pragma once

#include "tile_body.h"

namespace {

// C vectors of results, two sums each when that still fits, so that additions do not wait for each other.
template <int C, class Multiply>
void VectorBlock(int64_t k, const float *x, const float *w, int64_t ws, float *y) {
  constexpr int kSums = C <= 4 ? 2 : 1;
  typename V::T acc[kSums][C];
#pragma GCC unroll 16
  for (int c = 0; c < C; ++c)
#pragma GCC unroll 2
    for (int q = 0; q < kSums; ++q) acc[q][c] = V::Zero();
  int64_t p = 0;
  for (; p + kSums <= k; p += kSums)
#pragma GCC unroll 2
    for (int q = 0; q < kSums; ++q) {
      typename V::T s = V::Set(x[p + q]);
#pragma GCC unroll 16
      for (int c = 0; c < C; ++c) acc[q][c] = Multiply::Add(s, V::Load(w + (p + q) * ws + c * kW), acc[q][c]);
    }
  for (; p < k; ++p) {
    typename V::T s = V::Set(x[p]);
#pragma GCC unroll 16
    for (int c = 0; c < C; ++c) acc[0][c] = Multiply::Add(s, V::Load(w + p * ws + c * kW), acc[0][c]);
  }
#pragma GCC unroll 16
  for (int c = 0; c < C; ++c) {
    typename V::T sum = acc[0][c];
    if (kSums == 2) sum = V::Add(sum, acc[kSums - 1][c]);
    V::Store(y + c * kW, sum);
  }
}

template <class Multiply = Floats>
void Vector(int64_t n, int64_t k, const float *x, const float *w, int64_t ws, float *y) {
  int64_t j = 0;
  for (; j + 8 * kW <= n; j += 8 * kW) VectorBlock<8, Multiply>(k, x, w + j, ws, y + j);
  if (j + 4 * kW <= n) VectorBlock<4, Multiply>(k, x, w + j, ws, y + j), j += 4 * kW;
  if (j + 2 * kW <= n) VectorBlock<2, Multiply>(k, x, w + j, ws, y + j), j += 2 * kW;
  if (j + kW <= n) VectorBlock<1, Multiply>(k, x, w + j, ws, y + j), j += kW;
  if (j < n) {
    typename V::Mask rest = V::MaskOf(int(n - j));
    typename V::T sum = V::Zero();
    for (int64_t p = 0; p < k; ++p) sum = Multiply::Add(V::Set(x[p]), V::LoadPart(w + p * ws + j, rest), sum);
    V::StorePart(y + j, sum, rest);
  }
}

}  // namespace
