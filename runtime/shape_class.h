// Classes of sizes: what several sets of input shapes have in common, so that one graph serves all of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/compile/leading_constants.h"
#include "core/compile/plan_sizes.h"
#include "core/ir/graph.h"
#include "core/ops/symbolic_dims.h"
#include "core/placement/open_kernels.h"
#include "runtime/constant_pool.h"

namespace gec {

/// The inputs of a run, seen as one of many sizes. Extents that the graph leaves open become symbolic; equal ones
/// become the same, and 0 and 1, which passes and broadcasts treat like no other number, stay numbers.
struct SizePattern {
  /// Types, ranks and dimensions; symbolic ones are SymbolicDim(0), SymbolicDim(1) … in the order of their first use.
  std::vector<int64_t> key;
  std::vector<int64_t> extents;    // of the symbolic ones
  std::vector<TensorDesc> inputs;  // with the symbolic ones
};
SizePattern PatternOf(const std::vector<TensorDesc> &declared, const std::vector<TensorDesc> &inputs);

/// The graph that serves every size of a pattern that meets the conditions of the symbolic ones. Immutable but for its
/// count.
struct ShapeClass {
  std::vector<int64_t> key;
  std::string inputs;  // their shapes, for people
  SymbolicDims symbolic;
  GraphPtr graph;                             // null: each of these sizes gets a graph of its own,
  std::string refusal;                        // and why
  std::unique_ptr<OpenKernels> open;          // of the graph
  std::unique_ptr<LeadingConstants> leading;  // of the graph
  ConstantPool::Buffers constants;            // of the graph
  mutable std::atomic<size_t> plans = 0;      // that were made of the graph
  mutable std::atomic<bool> gave_up = false;  // it failed for a size that has an exact plan,
  mutable std::string why_gave_up;            // and how; the model's lock guards it
  mutable std::string one_size;               // why plans of it hold for one size each; the model's lock guards it
  bool Serves(const SizePattern &pattern) const { return key == pattern.key && symbolic.Fits(pattern.extents); }
};
/// "x [1, 3, s0, s1], y [s0]"
std::string TextOf(const SizePattern &pattern, const std::vector<std::string> &names);
using ShapeClassPtr = std::shared_ptr<const ShapeClass>;

}  // namespace gec
