// What squeeze and excitation does to blocks of channels, over a vector type V of kC floats.
#pragma once

#include <cstdint>

namespace {

void SumPixels(const float *x, int64_t pixels, float *sums) {
  constexpr int kSums = 4;  // additions do not wait for one another
  V::T acc[kSums] = {V::Zero(), V::Zero(), V::Zero(), V::Zero()};
  int64_t p = 0;
  for (; p + kSums <= pixels; p += kSums) {
#pragma GCC unroll 4
    for (int i = 0; i < kSums; ++i) acc[i] = V::Add(acc[i], V::Load(x + (p + i) * kC));
  }
  for (; p < pixels; ++p) acc[0] = V::Add(acc[0], V::Load(x + p * kC));
  V::Store(sums, V::Add(V::Load(sums), V::Add(V::Add(acc[0], acc[1]), V::Add(acc[2], acc[3]))));
}

void ScalePixels(float *y, int64_t pixels, const float *by) {
  const V::T factor = V::Load(by);
  for (int64_t p = 0; p < pixels; ++p) V::Store(y + p * kC, V::Mul(V::Load(y + p * kC), factor));
}

void ScaleRows(const float *from, int64_t rows, const float *by, float *to) {
  for (int64_t r = 0; r < rows; ++r) V::Store(to + r * kC, V::Mul(V::Load(from + r * kC), V::Set(by[r])));
}

}  // namespace
