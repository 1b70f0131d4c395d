// Builds the plain-data view (GeOpDesc) of a node that engines and inference functions see.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/quantization.h"
#include "ge/op.h"

namespace gec {

/// Values known at inference time besides Const nodes: tensors (fully known) and partial integer values, by endpoint.
class ValueMap {
 public:
  virtual ~ValueMap() = default;
  virtual TensorPtr Value(Endpoint e) const = 0;                      // or null
  virtual const std::vector<int64_t> *Partial(Endpoint e) const = 0;  // or null; INT64_MIN unknown
};

/// Descriptions of nodes, one behind the other in memory of their own. They borrow from the nodes (and from `values`);
/// both must stay unchanged while they live.
class OpDescs {
 public:
  /// `shared`: equal lists of tensors are one, which saves most of the memory of a large graph; nobody may change them.
  explicit OpDescs(bool shared = false);
  OpDescs(const OpDescs &) = delete;
  OpDescs &operator=(const OpDescs &) = delete;
  ~OpDescs();

  /// Stays where it is until Clear.
  GeOpDesc *Add(const Node &node, const ValueMap *values = nullptr);
  /// SymbolicDims (core/ops/symbolic_dims.h) stand as they are; for the library's own inference only.
  GeOpDesc *AddWithSymbolic(const Node &node, const ValueMap *values);
  /// Memory is kept for the next ones.
  void Clear();

 private:
  /// Engines and functions of programs know unknown extents only.
  void HideSymbolic(GeTensorData &tensor);
  const int64_t *Plain(const int64_t *values, size_t count, int64_t unknown);
  void AddLayout(const TensorDesc &desc, GeTensorData *port);
  GeTensorData Input(const Node &node, size_t i, const ValueMap *values);
  size_t FillAttrs(const Node &node, GeAttrData *out);
  const int32_t *Counts(const std::vector<IrPort> &ports, const InlineVec<int32_t, 2> &dynamic);
  /// Of the description that was added last.
  void ShareTensors(GeOpDesc *desc);
  template <class T>
  T *Room(size_t count);

  struct Block {
    std::unique_ptr<std::byte[]> data;
    size_t size = 0;
  };
  std::vector<Block> blocks_;
  size_t block_ = 0, used_ = 0;  // the block that is filled, and how far
  AttrViewArena arena_;
  std::vector<TensorPtr> keep_;
  std::deque<std::vector<int64_t>> plain_;  // lists that had symbolic dimensions
  std::deque<QuantizationView> layouts_;    // of quantised ports
  struct Seen;
  std::unique_ptr<Seen> seen_;  // where lists are shared
};

/// Gives deferred constants of the description their content: for functions that read it there.
void FillConstants(const GeOpDesc &op);

/// The description of one node. Reusable: Reset.
class OpDescView {
 public:
  OpDescView() = default;
  explicit OpDescView(const Node &node, const ValueMap *values = nullptr) { Reset(node, values); }
  void Reset(const Node &node, const ValueMap *values = nullptr) {
    memory_.Clear();
    desc_ = memory_.Add(node, values);
  }
  /// As OpDescs::AddWithSymbolic.
  void ResetWithSymbolic(const Node &node, const ValueMap *values) {
    memory_.Clear();
    desc_ = memory_.AddWithSymbolic(node, values);
  }
  const GeOpDesc *get() const { return desc_; }
  GeOpDesc *mutable_get() { return desc_; }
  /// Callers may substitute layouts before asking an engine.
  std::span<GeTensorData> inputs() { return {const_cast<GeTensorData *>(desc_->inputs), desc_->input_count}; }
  std::span<GeTensorData> outputs() { return {const_cast<GeTensorData *>(desc_->outputs), desc_->output_count}; }

 private:
  OpDescs memory_;
  GeOpDesc *desc_ = nullptr;
};

}  // namespace gec
