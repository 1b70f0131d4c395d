#include "core/ops/infer_details.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/ir/attr.h"
#include "core/ir/types.h"
#include "core/ops/traits.h"
#include "ge/tensor.h"

namespace gec {
namespace {

constexpr std::string_view kRangeKey = "shape_range=";

Symbol DetailsAttr() {
  static const Symbol name(GE_TENSOR_DETAILS);
  return name;
}

// "shape_range=1~8,3~3,": one pair a dimension.
const std::string *RangeText(const TensorDesc &desc) {
  const AttrValue *details = desc.attrs ? desc.attrs->Find(DetailsAttr()) : nullptr;
  const auto *texts = details ? details->get_if<AttrValue::ListString>() : nullptr;
  for (size_t i = 0; texts && i < texts->size(); ++i)
    if ((*texts)[i].compare(0, kRangeKey.size(), kRangeKey) == 0) return &(*texts)[i];
  return nullptr;
}

// True when some input has bounds; most graphs have none.
bool AnyRange(const Node &node) {
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Endpoint e = node.input(i);
    if (e && (RangeText(node.input_desc(i)) || RangeText(e.node->output_desc(static_cast<size_t>(e.port)))))
      return true;
  }
  return false;
}

Bounds ParseRange(const std::string &text) {
  Bounds bounds;
  for (const char *at = text.c_str() + kRangeKey.size(); *at != '\0';) {
    char *end = nullptr;
    const int64_t low = std::strtoll(at, &end, 10);
    const int64_t high = *end == '~' ? std::strtoll(end + 1, &end, 10) : low;
    bounds.low.push_back(std::max<int64_t>(low, 0));
    bounds.high.push_back(high < 0 ? GE_UNKNOWN_DIM : high);
    if (*end != ',') break;
    at = end + 1;
  }
  return bounds;
}

bool SetBounds(Node &node, size_t output, const Bounds *bounds) {
  if (!bounds && !RangeText(node.output_desc(output))) return false;
  TensorDesc desc = node.output_desc(output);
  if (!SetBounds(&desc, bounds)) return false;
  node.graph().SetOutputDesc(&node, output, std::move(desc));
  return true;
}

// The layout of what flows along an edge. `budget` limits the nodes looked at.
int32_t FormatOf(Endpoint e, int *budget) {
  static const Symbol data_format("data_format");
  if (!e || --*budget < 0) return C_FORMAT_ND;
  const TensorDesc &desc = e.node->output_desc(static_cast<size_t>(e.port));
  if (desc.origin_format != C_FORMAT_ND) return desc.origin_format;
  if (desc.format != C_FORMAT_ND) return desc.format;
  if (!desc.origin_shape.has_rank()) return C_FORMAT_ND;
  const std::string layout = e.node->String(data_format);
  if (!layout.empty() && layout.size() == desc.origin_shape.dims().size()) {
    const int32_t format = FormatFromName(layout);
    if (IsFormatValue(format)) return format;
  }
  if (!HasTrait(*e.node, GE_TRAIT_LAYOUT_AGNOSTIC)) return C_FORMAT_ND;
  for (size_t i = 0; i < e.node->input_count(); ++i) {
    if (!e.node->input(i)) continue;
    const Shape &shape = e.node->input_desc(i).origin_shape;
    if (!shape.has_rank() || shape.rank() != desc.origin_shape.rank()) continue;
    const int32_t format = FormatOf(e.node->input(i), budget);
    if (format != C_FORMAT_ND) return format;
  }
  return C_FORMAT_ND;
}

GeStatus KeepQuiet(GeStatus code, const char *) { return code == GE_SUCCESS ? GE_FAILED : code; }

// The outputs that inference gives for inputs of these dimensions; empty where it fails.
std::vector<GeInferOutput> Evaluate(Node &node, GeInferFn infer, const ValueMap *values,
                                    const std::vector<Bounds> &inputs, bool low) {
  OpDescView view(node, values);
  FillConstants(*view.get());
  for (size_t i = 0; i < inputs.size(); ++i) {
    GeTensorData &in = view.inputs()[i];
    if (in.data_type == C_DT_UNDEFINED) continue;
    const std::vector<int64_t> &dims = low ? inputs[i].low : inputs[i].high;
    in.format = in.origin_format;
    in.rank = in.origin_rank = static_cast<int32_t>(dims.size());
    in.dims = in.origin_dims = dims.data();
  }
  std::vector<GeInferOutput> outputs(node.output_count());
  for (size_t o = 0; o < outputs.size(); ++o) {
    outputs[o].data_type = node.output_desc(o).dtype;
    outputs[o].rank = GE_UNKNOWN_RANK;
  }
  const GeInferContext context{sizeof(GeInferContext), view.get(), outputs.data(), outputs.size(), KeepQuiet, nullptr};
  try {
    if (infer(&context) == GE_SUCCESS) return outputs;
  } catch (const std::bad_alloc &) {
    throw;
  } catch (...) {  // no bounds then
  }
  return {};
}

// Both stay empty where inference fails, or an input has dimensions without bounds.
void EvaluateEnds(Node &node, GeInferFn infer, const ValueMap *values, std::vector<GeInferOutput> *lowest,
                  std::vector<GeInferOutput> *highest) {
  bool ranged = false;
  std::vector<Bounds> inputs(node.input_count());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!node.input(i)) continue;
    std::optional<Bounds> bounds = InputBounds(node, i, &ranged);
    if (!bounds) return;
    inputs[i] = std::move(*bounds);
  }
  if (!ranged) return;  // what is unknown depends on values
  *lowest = Evaluate(node, infer, values, inputs, true);
  if (!lowest->empty()) *highest = Evaluate(node, infer, values, inputs, false);
}

// Bounds of a shape that was inferred at both ends; nothing when they tell nothing.
std::optional<Bounds> Between(const Shape &shape, const GeInferOutput &a, const GeInferOutput &b) {
  if (!shape.has_rank() || a.rank != shape.rank() || b.rank != a.rank) return std::nullopt;
  Bounds bounds;
  bool any = false;
  for (int32_t d = 0; d < a.rank; ++d) {
    const int64_t known = shape[static_cast<size_t>(d)];
    const bool both = a.dims[d] >= 0 && b.dims[d] >= 0;
    // A dimension without an upper bound grows from the lower one.
    bounds.low.push_back(known >= 0 ? known : both ? std::min(a.dims[d], b.dims[d]) : std::max<int64_t>(a.dims[d], 0));
    bounds.high.push_back(known >= 0 ? known : both ? std::max(a.dims[d], b.dims[d]) : GE_UNKNOWN_DIM);
    any |= known < 0 && (bounds.low.back() > 0 || bounds.high.back() >= 0);
  }
  return any ? std::optional<Bounds>(std::move(bounds)) : std::nullopt;
}

bool Complete(const Shape &shape) {
  return shape.has_rank() && std::none_of(shape.dims().begin(), shape.dims().end(), [](int64_t d) { return d < 0; });
}

}  // namespace

std::optional<Bounds> BoundsOf(const TensorDesc &desc) {
  const std::string *text = RangeText(desc);
  if (!text || !desc.origin_shape.has_rank()) return std::nullopt;
  Bounds bounds = ParseRange(*text);
  if (bounds.low.size() != desc.origin_shape.dims().size()) return std::nullopt;
  return bounds;
}

bool SetBounds(TensorDesc *desc, const Bounds *bounds) {
  const std::string *have = RangeText(*desc);
  std::string text;
  for (size_t d = 0; bounds && d < bounds->low.size(); ++d)
    text += std::to_string(bounds->low[d]) + "~" + std::to_string(bounds->high[d]) + ",";
  if (bounds) text.insert(0, kRangeKey);
  if (have ? *have == text : !bounds) return false;
  AttrValue::ListString texts;
  if (const AttrValue *details = desc->attrs ? desc->attrs->Find(DetailsAttr()) : nullptr)
    if (const auto *present = details->get_if<AttrValue::ListString>()) texts = *present;
  texts.erase(std::remove_if(texts.begin(), texts.end(),
                             [](const std::string &t) { return t.compare(0, kRangeKey.size(), kRangeKey) == 0; }),
              texts.end());
  if (bounds) texts.push_back(std::move(text));
  auto attrs = desc->attrs ? std::make_shared<AttrMap>(*desc->attrs) : std::make_shared<AttrMap>();
  if (texts.empty()) attrs->Remove(DetailsAttr());
  else attrs->Set(DetailsAttr(), std::move(texts));
  desc->attrs = std::move(attrs);  // an empty map replaces the present one, null would leave it
  return true;
}

std::optional<Bounds> InputBounds(const Node &node, size_t i, bool *ranged) {
  const TensorDesc &desc = node.input_desc(i);
  const Shape &shape = desc.origin_shape;
  if (!node.input(i) || !shape.has_rank()) return std::nullopt;
  Bounds bounds;
  bounds.low.assign(shape.dims().begin(), shape.dims().end());
  bounds.high = bounds.low;
  if (Complete(shape)) return bounds;
  if (ranged) *ranged = true;
  const std::string *text = RangeText(desc);
  const Endpoint e = node.input(i);
  if (!text) text = RangeText(e.node->output_desc(static_cast<size_t>(e.port)));
  if (!text) return std::nullopt;
  const Bounds given = ParseRange(*text);
  if (given.low.size() != shape.dims().size()) return std::nullopt;
  for (size_t d = 0; d < shape.dims().size(); ++d) {
    if (shape[d] >= 0) continue;
    if (given.high[d] >= 0 && given.high[d] < given.low[d]) return std::nullopt;
    bounds.low[d] = given.low[d];
    bounds.high[d] = given.high[d];
  }
  return bounds;
}

GeInferDetails DetailsHost::Details() {
  GeInferDetails details{};
  details.struct_size = sizeof details;
  details.host = this;
  details.input_format = [](const GeInferDetails *d, size_t input) -> int32_t {
    const Node &node = Of(d).node_;
    if (input >= node.input_count() || !node.input(input)) return C_FORMAT_ND;
    const TensorDesc &desc = node.input_desc(input);
    int budget = 1000;
    return desc.origin_format != C_FORMAT_ND ? desc.origin_format : FormatOf(node.input(input), &budget);
  };
  details.input_bounds = [](const GeInferDetails *d, size_t input, int64_t *low, int64_t *high) -> int32_t {
    const Node &node = Of(d).node_;
    if (input >= node.input_count()) return GE_UNKNOWN_RANK;
    const std::optional<Bounds> bounds = InputBounds(node, input);
    if (!bounds || bounds->low.size() > GE_MAX_RANK) return GE_UNKNOWN_RANK;
    std::copy(bounds->low.begin(), bounds->low.end(), low);
    std::copy(bounds->high.begin(), bounds->high.end(), high);
    return static_cast<int32_t>(bounds->low.size());
  };
  details.set_output_format = [](const GeInferDetails *d, size_t output, int32_t format) {
    DetailsHost &self = Of(d);
    if (output >= self.node_.output_count() || !IsFormatValue(format)) return;
    self.formats_.resize(self.node_.output_count());
    self.formats_[output] = format;
  };
  details.set_output_bounds = [](const GeInferDetails *d, size_t output, int32_t rank, const int64_t *low,
                                 const int64_t *high) {
    DetailsHost &self = Of(d);
    if (output >= self.node_.output_count() || rank < 0 || (rank > 0 && (low == nullptr || high == nullptr))) return;
    self.bounds_.resize(self.node_.output_count());
    Bounds bounds;
    for (int32_t i = 0; i < rank; ++i) {
      bounds.low.push_back(std::max<int64_t>(low[i], 0));
      bounds.high.push_back(high[i] < 0 ? GE_UNKNOWN_DIM : high[i]);
    }
    self.bounds_[output] = std::move(bounds);
  };
  return details;
}

bool DetailsHost::Apply() {
  bool changed = false;
  for (size_t o = 0; o < formats_.size(); ++o) {
    if (!formats_[o]) continue;
    TensorDesc desc = node_.output_desc(o);
    if (desc.format != desc.origin_format || desc.format == *formats_[o]) continue;
    desc.format = desc.origin_format = *formats_[o];
    node_.graph().SetOutputDesc(&node_, o, std::move(desc));
    changed = true;
  }
  for (size_t o = 0; o < bounds_.size(); ++o) {
    const Shape &shape = node_.output_desc(o).origin_shape;
    if (bounds_[o] && shape.has_rank() && shape.dims().size() == bounds_[o]->low.size())
      changed |= SetBounds(node_, o, &*bounds_[o]);
  }
  return changed;
}

bool InferBounds(Node &node, GeInferFn infer, const ValueMap *values, const DetailsHost &said) {
  const auto wanted = [&](size_t o) {
    const Shape &shape = node.output_desc(o).origin_shape;
    return !Complete(shape) && !said.has_bounds(o);
  };
  bool any_wanted = false;
  for (size_t o = 0; o < node.output_count(); ++o) any_wanted |= wanted(o);
  if (!any_wanted) return false;
  std::vector<GeInferOutput> lowest, highest;
  if (AnyRange(node)) EvaluateEnds(node, infer, values, &lowest, &highest);
  bool changed = false;
  for (size_t o = 0; o < node.output_count(); ++o) {
    if (!wanted(o)) continue;
    std::optional<Bounds> bounds;
    if (o < lowest.size() && o < highest.size())
      bounds = Between(node.output_desc(o).origin_shape, lowest[o], highest[o]);
    changed |= SetBounds(node, o, bounds ? &*bounds : nullptr);  // those of an earlier inference go
  }
  return changed;
}

}  // namespace gec
