// Helpers with which kernels find their elements. For *.cu only.
#pragma once

#include "device.h"

namespace cuda_engine {

constexpr size_t kMaxRank = 8;

/// Calls body(i) for each of `count` elements that this thread has.
template <class Body>
__device__ void ForMine(int64_t count, const Body &body) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) body(i);
}

/// Elements of an output, and where each of N broadcast inputs has what belongs to them.
template <int N>
struct Walk {
  int32_t rank = 0;
  int64_t dims[kMaxRank] = {};
  int64_t strides[N][kMaxRank] = {};  // in elements, 0 where an input repeats

  __device__ void At(int64_t index, int64_t (&offsets)[N]) const {
    for (int k = 0; k < N; ++k) offsets[k] = 0;
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t at = index % dims[d];
      index /= dims[d];
      for (int k = 0; k < N; ++k) offsets[k] += at * strides[k][d];
    }
  }
  /// Adds an inner dimension; one that all inputs step through as through the one before becomes part of that.
  void Add(int64_t extent, const int64_t (&steps)[N]) {
    if (extent == 1) return;
    bool merge = rank > 0;
    for (int k = 0; k < N; ++k) merge = merge && strides[k][rank - 1] == steps[k] * extent;
    if (!merge && rank == kMaxRank) Refuse("more than ", kMaxRank, " dimensions");
    const int32_t at = merge ? rank - 1 : rank++;
    dims[at] = merge ? dims[at] * extent : extent;
    for (int k = 0; k < N; ++k) strides[k][at] = steps[k];
  }
};

/// Steps of a dense tensor that is repeated to the extents `to`; an extent of 1 repeats.
inline Dims BroadcastSteps(const Dims &from, const Dims &to, const char *what) {
  if (from.size() > to.size()) Refuse(what, " has a higher rank than the output");
  Dims steps(to.size(), 0);
  int64_t step = 1;
  for (size_t k = 1; k <= from.size(); ++k) {
    const int64_t extent = from[from.size() - k];
    if (extent != 1 && extent != to[to.size() - k])
      Refuse(what, " of shape ", ge::kit::ToText(from), " does not broadcast to ", ge::kit::ToText(to));
    if (extent != 1) steps[to.size() - k] = step;
    step *= extent;
  }
  return steps;
}

}  // namespace cuda_engine
