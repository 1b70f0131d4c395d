// What Winograd's algorithm makes of a filter, once, when it is packed. The transforms of images are in
// winograd_kernels_body.h.
#pragma once

#include "conv_kernels.h"

namespace onednn {

// The transform of a filter along one dimension: for each point p a row (1, p, p^2) by the product of p's distances
// from the other points. With strides of 2 such rows (1, 0, p) of the outer weights, then the middle one.
template <int M, int S>
struct FilterLine;
template <>
struct FilterLine<2, 1> {
  static constexpr double kG[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
};
template <>
struct FilterLine<4, 1> {
  static constexpr double kA = kWinogradNear, kB = kWinogradFar, kA2 = kA * kA, kB2 = kB * kB;
  static constexpr double kOfA = 2 * kA2 * (kA2 - kB2), kOfB = 2 * kB2 * (kB2 - kA2);
  static constexpr double kG[6][3] = {
      {1 / (kA2 * kB2), 0, 0},           {1 / kOfA, kA / kOfA, kA2 / kOfA},  {1 / kOfA, -kA / kOfA, kA2 / kOfA},
      {1 / kOfB, kB / kOfB, kB2 / kOfB}, {1 / kOfB, -kB / kOfB, kB2 / kOfB}, {0, 0, 1}};
};
template <>
struct FilterLine<2, 2> {
  static constexpr double kG[5][3] = {{1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {0, 1, 0}, {0, 1, 0}};
};
template <>
struct FilterLine<4, 2> {
  static constexpr double kA = kStridedNear, kB = kStridedFar, kA2 = kA * kA;
  static constexpr double kOf0 = kA2 * kB, kOfA = 2 * kA2 * (kA - kB), kOfMinusA = -2 * kA2 * (kA + kB);
  static constexpr double kOfB = kB * (kB * kB - kA2);
  static constexpr double kG[9][3] = {{1 / kOf0, 0, 0},
                                      {1 / kOfA, 0, kA / kOfA},
                                      {1 / kOfMinusA, 0, -kA / kOfMinusA},
                                      {1 / kOfB, 0, kB / kOfB},
                                      {0, 0, 1},
                                      {0, 1, 0},
                                      {0, 1, 0},
                                      {0, 1, 0},
                                      {0, 1, 0}};
};

}  // namespace onednn
