// Inference carries more than types and shapes: formats, and bounds of unknown dimensions ("shape_range" among a
// description's details).
#pragma once

#include <optional>
#include <vector>

#include "core/ops/op_desc.h"
#include "ge/infer_details.h"

namespace gec {

struct Bounds {
  std::vector<int64_t> low, high;  // high: GE_UNKNOWN_DIM where there is none
};
/// Those that the description tells; nothing where it has none, or none of its rank.
std::optional<Bounds> BoundsOf(const TensorDesc &desc);
/// Sets them among the description's details, or removes them (null); false where that changes nothing.
bool SetBounds(TensorDesc *desc, const Bounds *bounds);
/// Of input i's dimensions; nothing where a dimension is not bounded. `ranged`: some dimension is not known.
std::optional<Bounds> InputBounds(const Node &node, size_t i, bool *ranged = nullptr);

/// One call of an inference function. Nothing is allocated unless the function asks.
class DetailsHost {
 public:
  explicit DetailsHost(Node &node) : node_(node) {}
  GeInferDetails Details();
  /// Writes what the function said to the outputs, whose shapes are inferred by now.
  bool Apply();
  bool has_bounds(size_t output) const { return output < bounds_.size() && bounds_[output].has_value(); }

 private:
  static DetailsHost &Of(const GeInferDetails *details) { return *static_cast<DetailsHost *>(details->host); }
  Node &node_;
  std::vector<std::optional<int32_t>> formats_;
  std::vector<std::optional<Bounds>> bounds_;
};

/// Bounds of outputs with unknown dimensions, where those of the inputs are known: the function evaluated at both ends.
bool InferBounds(Node &node, GeInferFn infer, const ValueMap *values, const DetailsHost &said);

}  // namespace gec
