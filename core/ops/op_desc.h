// Builds the plain-data view (GeOpDesc) of a node that engines and inference functions see.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/ir/graph.h"
#include "ge/op.h"

namespace gec {

/// Values known at inference time besides Const nodes: tensors (fully known) and partial integer values, by endpoint.
class ValueMap {
 public:
  virtual ~ValueMap() = default;
  virtual TensorPtr Value(Endpoint e) const = 0;                      // or null
  virtual const std::vector<int64_t> *Partial(Endpoint e) const = 0;  // or null; INT64_MIN unknown
};

/// The view borrows from the node (and from `values`); both must stay unchanged while it lives. Reusable: Reset.
class OpDescView {
 public:
  OpDescView() = default;
  explicit OpDescView(const Node &node, const ValueMap *values = nullptr) { Reset(node, values); }
  void Reset(const Node &node, const ValueMap *values = nullptr) {
    ResetWithSymbolic(node, values);
    HideSymbolic();
  }
  /// SymbolicDims (core/ops/symbolic_dims.h) stand as they are; for the library's own inference only.
  void ResetWithSymbolic(const Node &node, const ValueMap *values);
  const GeOpDesc *get() const { return &desc_; }
  GeOpDesc *mutable_get() { return &desc_; }
  std::vector<GeTensorData> &inputs() { return inputs_; }  // callers may substitute layouts before asking an engine
  std::vector<GeTensorData> &outputs() { return outputs_; }

 private:
  /// Engines and functions of programs know unknown extents only.
  void HideSymbolic();
  const int64_t *Plain(const int64_t *values, size_t count, int64_t unknown);

  GeOpDesc desc_{};
  std::vector<GeTensorData> inputs_, outputs_;
  std::vector<GeAttrData> attrs_;
  std::vector<int32_t> in_counts_, out_counts_;
  AttrViewArena arena_;
  std::vector<TensorPtr> keep_;
  std::deque<std::vector<int64_t>> plain_;  // lists that had symbolic dimensions
};

}  // namespace gec
