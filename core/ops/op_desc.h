// Builds the plain-data view (GeOpDesc) of a node that engines and inference functions see.
#pragma once

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
  void Reset(const Node &node, const ValueMap *values = nullptr);
  const GeOpDesc *get() const { return &desc_; }
  GeOpDesc *mutable_get() { return &desc_; }
  std::vector<GeTensorData> &inputs() { return inputs_; }  // callers may substitute layouts before asking an engine
  std::vector<GeTensorData> &outputs() { return outputs_; }

 private:
  GeOpDesc desc_{};
  std::vector<GeTensorData> inputs_, outputs_;
  std::vector<GeAttrData> attrs_;
  std::vector<int32_t> in_counts_, out_counts_;
  AttrViewArena arena_;
  std::vector<TensorPtr> keep_;
};

}  // namespace gec
