// Values known while inferring one graph: whole tensors and partly known integer vectors, by endpoint.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/ops/infer.h"
#include "core/support/error.h"

namespace gec {

class InferValues final : public ValueMap {
 public:
  static uint64_t Key(Endpoint e) { return static_cast<uint64_t>(e.node->id()) << 32 | static_cast<uint32_t>(e.port); }
  TensorPtr Value(Endpoint e) const override {
    auto it = values_.find(Key(e));
    return it == values_.end() ? nullptr : it->second;
  }
  const std::vector<int64_t> *Partial(Endpoint e) const override {
    auto it = partials_.find(Key(e));
    return it == partials_.end() ? nullptr : it->second.get();
  }
  /// The value of a constant or a propagated one, or null.
  TensorPtr Known(Endpoint e) const {
    TensorPtr constant = ConstantOf(e);
    return constant ? constant : e ? Value(e) : nullptr;
  }
  void SetValue(Endpoint e, TensorPtr value) { values_[Key(e)] = std::move(value); }
  void SetPartial(Endpoint e, std::vector<int64_t> partial) {
    partials_[Key(e)] = std::make_shared<const std::vector<int64_t>>(std::move(partial));
  }
  /// Copies the knowledge about `from` (in `source`) to `to`.
  void Copy(const InferValues &source, Endpoint from, Endpoint to) {
    if (TensorPtr value = source.Known(from)) SetValue(to, std::move(value));
    else if (from && source.Partial(from)) SetPartial(to, *source.Partial(from));
  }
  void Forget(Endpoint e) {
    values_.erase(Key(e));
    partials_.erase(Key(e));
  }
  std::unordered_map<uint64_t, TensorPtr> TakeValues() { return std::move(values_); }

 private:
  std::unordered_map<uint64_t, TensorPtr> values_;
  std::unordered_map<uint64_t, std::shared_ptr<const std::vector<int64_t>>> partials_;
};

/// The description of a node output or input, as inference compares and merges them.
bool SameDesc(const TensorDesc &a, const TensorDesc &b);
/// Sets an output description; true when it differs from the present one.
bool UpdateOutput(Node &node, size_t i, TensorDesc desc);
/// Merges two shapes: dimensions that differ become unknown.
Shape MergeShapes(const Shape &a, const Shape &b);

struct InferScope {
  InferValues values;
  const EvaluateFn *evaluate = nullptr;
  int64_t evaluate_limit = 4096;
};
/// One node: its prototype's inference function, or the general rules. True when an output changed.
bool InferOne(Node &node, InferScope &scope);
/// A whole graph in topological order. With `failure`, a node that does not infer stops nothing: the shapes of its
/// outputs become unknown, the nodes behind it are inferred from that, and *failure is the first reason.
void InferNodes(Graph &graph, InferScope &scope, std::optional<Error> *failure = nullptr);
/// What Infers answers for the graph from now on.
void SetInfers(Graph &graph, bool infers);
/// Nodes with subgraphs. False when the node is not of that kind.
bool InferControl(Node &node, InferScope &scope, bool *changed);

}  // namespace gec
