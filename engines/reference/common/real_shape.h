// The shapes of outputs that only the data tell (GE_KERNEL_DATA_DEPENDENT): a kernel leaves them at the start of its
// workspace.
#pragma once

#include "common/node.h"

namespace reference {

constexpr uint64_t kShapeBytes = 64;  // for each output: the rank, then at most seven extents
constexpr int kMostReported = 7;

inline void ReportShape(const Call &call, int output, const Dims &dims) {
  int64_t *row = call.workspace<int64_t>(uint64_t(output) * kShapeBytes);
  *row++ = dims.n;
  for (int64_t d : dims) *row++ = d;
}

}  // namespace reference
