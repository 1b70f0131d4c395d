// Calls the inference function of a registered operator on a described node, without a graph.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/ops/registry.h"
#include "ge/op.h"

namespace gec {

inline constexpr int64_t kAny = std::numeric_limits<int64_t>::min();
using Ints = std::vector<int64_t>;

struct Inferred {
  GeStatus status = GE_SUCCESS;
  std::string message;
  std::vector<std::string> shapes;  // "[1, -1]", "[?]"
  std::vector<Ints> dims;           // the same
  std::vector<int32_t> types;
  std::vector<Ints> partials;  // empty: none
};

inline std::string ShapeText(const int64_t *dims, int32_t rank) {
  if (rank < 0) return "[?]";
  std::string text = "[";
  for (int32_t i = 0; i < rank; ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

class InferCase {
 public:
  explicit InferCase(const char *type) : type_(type) {
    const OpEntry *entry = OpRegistry::Instance().Find(Symbol(type));
    if (!entry) return;
    ir_ = entry->ir;
    infer_ = entry->infer;
  }

  InferCase &T(int32_t type, Ints dims) {  // a tensor whose content is not known
    GeTensorData t = Plain(type);
    const Ints &kept = store_->dims.emplace_back(std::move(dims));
    t.rank = t.origin_rank = static_cast<int32_t>(kept.size());
    t.dims = t.origin_dims = kept.data();
    return Add(t);
  }
  InferCase &F(Ints dims) { return T(C_DT_FLOAT, std::move(dims)); }
  InferCase &Unranked(int32_t type = C_DT_FLOAT) {
    GeTensorData t = Plain(type);
    t.rank = t.origin_rank = GE_UNKNOWN_RANK;
    return Add(t);
  }
  InferCase &None() {
    GeTensorData t = Plain(C_DT_UNDEFINED);
    t.rank = t.origin_rank = GE_UNKNOWN_RANK;
    return Add(t);
  }
  InferCase &V(Ints values, int32_t type = C_DT_INT64) {  // a constant vector
    T(type, {static_cast<int64_t>(values.size())});
    return Fill(std::move(values));
  }
  InferCase &S(int64_t value, int32_t type = C_DT_INT64) {  // a constant scalar
    T(type, {});
    return Fill({value});
  }
  InferCase &VF(std::vector<float> values) {
    F({static_cast<int64_t>(values.size())});
    const auto &kept = store_->floats.emplace_back(std::move(values));
    inputs_.back().data = const_cast<float *>(kept.data());
    inputs_.back().size = kept.size() * sizeof(float);
    return *this;
  }
  InferCase &SF(float value) {
    F({});
    const auto &kept = store_->floats.emplace_back(1, value);
    inputs_.back().data = const_cast<float *>(kept.data());
    inputs_.back().size = sizeof(float);
    return *this;
  }
  InferCase &P(Ints values, int32_t type = C_DT_INT64) {  // a vector of which kAny elements are unknown
    T(type, {static_cast<int64_t>(values.size())});
    inputs_.back().partial = store_->dims.emplace_back(std::move(values)).data();
    return *this;
  }
  InferCase &Format(int32_t format) {
    inputs_.back().format = inputs_.back().origin_format = format;
    return *this;
  }
  InferCase &Origin(Ints dims) {
    const Ints &kept = store_->dims.emplace_back(std::move(dims));
    inputs_.back().origin_format = C_FORMAT_NCHW;
    inputs_.back().origin_rank = static_cast<int32_t>(kept.size());
    inputs_.back().origin_dims = kept.data();
    return *this;
  }
  InferCase &Count(int32_t instances) {  // the last `instances` inputs are one dynamic IR input
    counts_.resize(counts_.size() - static_cast<size_t>(instances));
    counts_.push_back(instances);
    return *this;
  }
  InferCase &Outputs(size_t count) {
    output_count_ = count;
    return *this;
  }

  template <std::integral I>
  InferCase &A(const char *name, I value) {
    return Attr(name, AttrValue(static_cast<int64_t>(value)));
  }
  InferCase &A(const char *name, C_DataType value) { return Attr(name, AttrValue(static_cast<int64_t>(value))); }
  InferCase &A(const char *name, Ints value) { return Attr(name, AttrValue(std::move(value))); }
  InferCase &A(const char *name, std::vector<Ints> value) { return Attr(name, AttrValue(std::move(value))); }
  InferCase &A(const char *name, std::vector<float> value) { return Attr(name, AttrValue(std::move(value))); }
  InferCase &A(const char *name, float value) { return Attr(name, AttrValue(value)); }
  InferCase &A(const char *name, const char *value) { return Attr(name, AttrValue(value)); }
  InferCase &B(const char *name, bool value) { return Attr(name, AttrValue(value)); }
  InferCase &D(const char *name, int32_t type) { return Attr(name, AttrValue(DataTypeValue{type})); }

  Inferred Run() {
    Inferred result;
    if (!infer_) {
      result.status = GE_NOT_FOUND;
      result.message = std::string(type_) + " has no inference function";
      return result;
    }
    for (const IrAttr &attr : ir_->attrs)
      if (!attr.required && !attrs_.Has(attr.name)) attrs_.Set(attr.name, attr.fallback);
    AttrViewArena arena;
    std::vector<GeAttrData> views;
    for (const auto &[name, value] : attrs_) views.push_back(arena.View(name.c_str(), value));
    std::sort(views.begin(), views.end(), [](const auto &a, const auto &b) { return std::string(a.name) < b.name; });
    size_t outputs = output_count_ ? output_count_ : ir_->outputs.size();
    std::vector<GeTensorData> out_desc(outputs, Plain(C_DT_UNDEFINED));
    for (GeTensorData &t : out_desc) t.rank = t.origin_rank = GE_UNKNOWN_RANK;
    while (counts_.size() < ir_->inputs.size()) {
      None();
    }
    GeOpDesc op{};
    op.struct_size = sizeof(op);
    op.type = type_;
    op.name = "node";
    op.inputs = inputs_.data();
    op.input_count = inputs_.size();
    op.outputs = out_desc.data();
    op.output_count = outputs;
    op.attrs = views.data();
    op.attr_count = views.size();
    op.ir_input_counts = counts_.data();
    op.ir_input_total = counts_.size();
    constexpr size_t kCapacity = 64;
    std::vector<GeInferOutput> out(outputs);
    std::vector<Ints> room(outputs, Ints(kCapacity));
    for (size_t i = 0; i < outputs; ++i) {
      out[i] = GeInferOutput{};
      out[i].data_type = inputs_.empty() ? static_cast<int32_t>(C_DT_UNDEFINED) : inputs_[0].data_type;
      out[i].rank = GE_UNKNOWN_RANK;
      out[i].partial = room[i].data();
      out[i].partial_capacity = kCapacity;
    }
    GeInferContext ctx{sizeof(ctx), &op, out.data(), outputs, &KeepMessage, nullptr};
    Message().clear();
    result.status = infer_(&ctx);
    result.message = Message();
    for (size_t i = 0; i < outputs; ++i) {
      result.shapes.push_back(ShapeText(out[i].dims, out[i].rank));
      result.dims.emplace_back(out[i].dims, out[i].dims + std::max(0, out[i].rank));
      result.types.push_back(out[i].data_type);
      result.partials.emplace_back(room[i].begin(), room[i].begin() + out[i].partial_count);
    }
    return result;
  }
  /// Shape of the first output, or the message of a refusal.
  std::string Shape() {
    Inferred r = Run();
    return r.status == GE_SUCCESS ? r.shapes.at(0) : "refused: " + r.message;
  }
  /// Shapes of all outputs, joined.
  std::string Shapes() {
    Inferred r = Run();
    if (r.status != GE_SUCCESS) return "refused: " + r.message;
    std::string text;
    for (const std::string &shape : r.shapes) text += (text.empty() ? "" : " ") + shape;
    return text;
  }
  Ints Values() { return Run().partials.at(0); }
  int32_t Type() { return Run().types.at(0); }

 private:
  static std::string &Message() {
    static thread_local std::string text;
    return text;
  }
  static GeStatus KeepMessage(GeStatus code, const char *message) {
    Message() = message;
    return code;
  }
  static GeTensorData Plain(int32_t type) {
    GeTensorData t{};
    t.data_type = type;
    t.format = t.origin_format = C_FORMAT_ND;
    return t;
  }
  InferCase &Add(const GeTensorData &t) {
    inputs_.push_back(t);
    counts_.push_back(1);
    return *this;
  }
  InferCase &Fill(Ints values) {
    GeTensorData &t = inputs_.back();
    if (t.data_type == C_DT_INT32) {
      const auto &kept = store_->narrow.emplace_back(values.begin(), values.end());
      t.data = const_cast<int32_t *>(kept.data());
      t.size = kept.size() * sizeof(int32_t);
    } else {
      const auto &kept = store_->dims.emplace_back(std::move(values));
      t.data = const_cast<int64_t *>(kept.data());
      t.size = kept.size() * sizeof(int64_t);
    }
    static int64_t nothing = 0;
    if (!t.data) t.data = &nothing;
    return *this;
  }
  InferCase &Attr(const char *name, AttrValue value) {
    attrs_.Set(Symbol(name), std::move(value));
    return *this;
  }

  const char *type_;
  const IrDef *ir_ = nullptr;
  GeInferFn infer_ = nullptr;
  std::vector<GeTensorData> inputs_;
  std::vector<int32_t> counts_;
  size_t output_count_ = 0;
  AttrMap attrs_;
  // What the inputs point to; copies of a case share it.
  struct Store {
    std::deque<Ints> dims;
    std::deque<std::vector<int32_t>> narrow;
    std::deque<std::vector<float>> floats;
  };
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
};

}  // namespace gec
