// Walking an output and its broadcast inputs in runs along the innermost dimension.
#pragma once

#include <vector>

#include "common/node.h"

namespace reference {

// Shapes merged as far as possible: the innermost stride of each input is 0 (repeated) or 1.
struct BroadcastPlan {
  static constexpr int kMaxInputs = 64;
  Dims dims;
  std::vector<Dims> strides;  // per input, in elements
  int64_t total = 0;
};

// The shape of two inputs together. Fails naming the node and the shapes.
Dims BroadcastDims(const std::string &label, const Dims &a, const Dims &b);

// NumPy rules: aligned at the last dimension, extent 1 repeats. Fails naming the node and the shapes.
BroadcastPlan PlanBroadcast(const std::string &label, const Dims &out, const std::vector<Dims> &inputs);

// fn(offsets of the inputs, offset of the output, length) for runs that cover output elements [begin, end).
template <class F>
void ForEachRun(const BroadcastPlan &plan, int64_t begin, int64_t end, const F &fn) {
  const int rank = plan.dims.n, inputs = int(plan.strides.size());
  const int64_t inner = plan.dims[rank - 1];
  int64_t index[Dims::kCapacity], offsets[BroadcastPlan::kMaxInputs] = {};
  int64_t rest = begin;
  for (int i = rank - 1; i >= 0; --i) {
    index[i] = rest % plan.dims[i];
    rest /= plan.dims[i];
  }
  for (int k = 0; k < inputs; ++k)
    for (int i = 0; i < rank; ++i) offsets[k] += index[i] * plan.strides[k][i];
  for (int64_t at = begin; at < end;) {
    int64_t length = inner - index[rank - 1];
    if (length > end - at) length = end - at;
    fn(static_cast<const int64_t *>(offsets), at, length);
    at += length;
    if (at >= end) break;
    for (int k = 0; k < inputs; ++k) offsets[k] -= index[rank - 1] * plan.strides[k][rank - 1];
    index[rank - 1] = 0;
    for (int i = rank - 2; i >= 0; --i) {
      ++index[i];
      for (int k = 0; k < inputs; ++k) offsets[k] += plan.strides[k][i];
      if (index[i] < plan.dims[i]) break;
      for (int k = 0; k < inputs; ++k) offsets[k] -= index[i] * plan.strides[k][i];
      index[i] = 0;
    }
  }
}

}  // namespace reference
