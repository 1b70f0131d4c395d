// Shape and data type inference over a graph, with value propagation through small integer chains.
#pragma once

#include <functional>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/op_desc.h"

namespace gec {

/// Evaluates a node whose inputs are all known; returns false when it cannot (no kernel). Set by the layer that owns
/// engines.
using EvaluateFn =
    std::function<bool(const Node &node, const std::vector<TensorPtr> &inputs, std::vector<TensorPtr> *outputs)>;

struct InferOptions {
  const std::vector<TensorDesc> *inputs = nullptr;  // replaces graph inputs' descriptions, by index
  const EvaluateFn *evaluate = nullptr;             // folds small integer and shape computations while inferring
  int64_t evaluate_limit = 4096;                    // most elements of a value computed while inferring
};

struct InferResult {
  /// Values found by propagation, by (node id, port); only small ones.
  std::unordered_map<uint64_t, TensorPtr> values;
  bool all_known = true;  // every shape of every reachable node is complete
};

/// Infers the graph (subgraphs of If, While, Case, PartitionedCall … included). Throws GE_INFER_FAILED naming node and
/// reason.
InferResult InferGraph(Graph &graph, const InferOptions &options = {});
/// Infers one node from its present input descriptions; true when an output description changed.
bool InferNode(Node &node, const ValueMap *values = nullptr);
/// True when the body of this For takes the counter in front of the loop variables: it reads one argument more than
/// there are variables.
bool TakesCounter(const Node &loop);

}  // namespace gec
