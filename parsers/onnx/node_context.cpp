#include "parsers/onnx/node_context.h"

#include <string.h>

#include <cmath>
#include <limits>

#include "core/ir/types.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "core/support/float16.h"
#include "ge/own_data_types.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/limits.h"

namespace gec::onnx {

std::string OperatorText(const Onnx__NodeProto &node) {
  std::string type = node.op_type ? node.op_type : "";
  std::string domain = node.domain ? node.domain : "";
  return domain.empty() || domain == "ai.onnx" ? type : domain + ":" + type;
}

std::string NodeText(const Onnx__NodeProto &node) {
  if (node.name && *node.name) return node.name;
  for (size_t i = 0; i < node.n_output; ++i) {
    if (node.output[i] && *node.output[i]) return std::string(node.op_type ? node.op_type : "") + ":" + node.output[i];
  }
  return node.op_type ? node.op_type : "";
}

NodeContext::NodeContext(Importer &importer, Scope &scope, Onnx__NodeProto *node, int64_t opset)
    : importer_(importer), scope_(scope), node_(node), opset_(opset), op_(node->op_type), origin_(NodeText(*node)) {
  name_ = scope.prefix + origin_;
  outputs_.resize(node->n_output);
  read_inputs_.resize(node->n_input);
  given_.resize(node->n_input);
  given_poisoned_.resize(node->n_input);
  read_attrs_.resize(node->n_attribute);
}

void NodeContext::Refuse(Reason reason, std::string detail, std::vector<std::string> nearest) const {
  throw NodeProblem{reason, std::move(detail), std::move(nearest)};
}

// ---- inputs ----

bool NodeContext::HasInput(size_t i) const { return i < node_->n_input && node_->input[i] && *node_->input[i]; }

namespace {

/// A type of whole bytes that holds every value of one of which several share a byte; -1 for other types.
int32_t CarrierOf(int32_t type) {
  switch (type) {
    case C_DT_INT4:
    case C_DT_INT2:
      return C_DT_INT8;
    case C_DT_UINT4:
    case C_DT_UINT2:
      return C_DT_UINT8;
    case C_DT_FLOAT4_E2M1:
      return C_DT_FLOAT;
    default:
      return -1;
  }
}

}  // namespace

const Value &NodeContext::Given(size_t i) {
  if (!given_[i] && HasInput(i)) {
    bool poisoned = false;
    given_[i] = importer_.LookupValue(scope_, node_->input[i], &poisoned);
    given_poisoned_[i] = poisoned;
  }
  return given_[i];
}

Value NodeContext::OptValue(size_t i) {
  if (!HasInput(i)) return {};
  read_inputs_[i] = true;
  const Value v = Given(i);
  poisoned_ = poisoned_ || given_poisoned_[i];
  if (!v) Refuse(Reason::kInvalidModel, Str("input ", i, " '", node_->input[i], "' is not defined"));
  return v;
}

Value NodeContext::TakeValue(size_t i) {
  Value v = InValue(i);
  // In an outer graph a body reads it again in every round.
  const auto own = scope_.others.find(node_->input[i]);
  if (own != scope_.others.end() && importer_.ReadersOf(node_->input[i]) == 1) {
    own->second.list.reset();
    given_[i].list.reset();
  }
  return v;
}

Value NodeContext::InValue(size_t i) {
  if (!HasInput(i)) Refuse(Reason::kInvalidModel, Str("input ", i, " is missing"));
  return OptValue(i);
}

Endpoint NodeContext::OptIn(size_t i) {
  const Value v = OptValue(i);
  if (!v) return {};
  if (moved_bytes_ && v.is(ValueKind::kText)) return moved_places_[i];
  if (!v.is_tensor())
    Refuse(Reason::kUnsupportedType,
           Str("input ", i, " '", node_->input[i], "' is ", v.what(), ", the operator takes tensors"));
  const Endpoint e = v.parts[0];
  const int32_t carrier = moves_ ? CarrierOf(Type(e)) : -1;
  if (carrier < 0) return e;
  packed_ = Type(e);
  carrier_ = carrier;
  return CastTo(e, carrier);
}

Endpoint NodeContext::In(size_t i) {
  if (!HasInput(i)) Refuse(Reason::kInvalidModel, Str("input ", i, " is missing"));
  return OptIn(i);
}

Value NodeContext::TextIn(size_t i) {
  Value v = InValue(i);
  if (!v.is(ValueKind::kText)) RefuseKind(i, v, "texts are needed");
  return v;
}

void NodeContext::RefuseKinds(std::string detail) const {
  // Tensors stand for the outputs of a node that could not be imported, whatever they are.
  Refuse(poisoned_ ? Reason::kInference : Reason::kInvalidModel, std::move(detail));
}

void NodeContext::RefuseKind(size_t i, const Value &v, const char *wanted) const {
  RefuseKinds(Str("input ", i, " '", node_->input[i], "' is ", v.what(), ", ", wanted));
}

bool NodeContext::HasTexts() {
  for (size_t i = 0; i < node_->n_input; ++i)
    if (HasInput(i) && Given(i).is(ValueKind::kText)) return true;
  return false;
}

void NodeContext::MoveTexts(bool results) {
  moves_results_ = results;
  std::vector<Endpoint> all;
  Endpoint before;  // the number of bytes that lie in front
  for (size_t i = 0; i < node_->n_input; ++i) {
    moved_places_.emplace_back();
    if (!HasInput(i)) continue;
    const Value &v = Given(i);
    if (!v.is(ValueKind::kText)) continue;
    moved_places_[i] = before ? Op("Add", {v.parts[0], before}) : v.parts[0];
    const Endpoint size = Squeeze(ShapeValue(v.parts[1]), {0});
    before = before ? Op("Add", {before, size}) : size;
    all.push_back(v.parts[1]);
  }
  const int64_t n = static_cast<int64_t>(all.size());
  if (n > 1) all.push_back(ConstInt(0, "axis"));
  moved_bytes_ = n == 1 ? all[0] : Op("ConcatV2", all, {{"N", n}});
}

std::vector<Endpoint> NodeContext::AllInputs() {
  std::vector<Endpoint> all;
  for (size_t i = 0; i < node_->n_input; ++i) all.push_back(In(i));
  return all;
}

TensorPtr NodeContext::ConstIn(size_t i) { return HasInput(i) ? ConstantOf(OptIn(i)) : nullptr; }

std::vector<int64_t> NodeContext::NeedInts(size_t i, const char *what) {
  Endpoint e = In(i);
  TensorPtr value = ConstantOf(e);
  if (!value) Refuse(Reason::kNeedsStatic, Str(what, " (input ", i, ") must be constant"));
  if (!IsIntegerType(value->desc.dtype)) {
    Refuse(Reason::kInvalidModel,
           Str(what, " (input ", i, ") is of type ", DataTypeName(value->desc.dtype), ", expected an integer type"));
  }
  return value->Ints();
}

double NodeContext::NeedNumber(size_t i, const char *what) {
  TensorPtr value = ConstantOf(In(i));
  if (!value) Refuse(Reason::kNeedsStatic, Str(what, " (input ", i, ") must be constant"));
  if (value->desc.shape.elements() != 1) {
    Refuse(Reason::kInvalidModel,
           Str(what, " (input ", i, ") has ", value->desc.shape.elements(), " values, expected 1"));
  }
  switch (value->desc.dtype) {
    case C_DT_FLOAT:
      return *value->as<float>();
    case C_DT_DOUBLE:
      return *value->as<double>();
    case C_DT_BOOL:
      return *value->as<uint8_t>();
    default:
      if (IsIntegerType(value->desc.dtype)) return static_cast<double>(value->Ints()[0]);
      Refuse(Reason::kUnsupportedType, Str(what, " (input ", i, ") is of type ", DataTypeName(value->desc.dtype)));
  }
}

int64_t NodeContext::NeedInteger(size_t i, const char *what) {
  TensorPtr value = ConstantOf(In(i));
  if (value && IsIntegerType(value->desc.dtype) && value->desc.shape.elements() == 1) return value->Ints()[0];
  double number = NeedNumber(i, what);
  if (!(std::abs(number) <= static_cast<double>(kMaxDim))) {
    Refuse(Reason::kInvalidModel,
           Str(what, " (input ", i, ") is ", number, ", allowed are ", -kMaxDim, " to ", kMaxDim));
  }
  return static_cast<int64_t>(number);
}

// ---- attributes ----

Onnx__AttributeProto *NodeContext::Attr(const char *name) {
  for (size_t i = 0; i < node_->n_attribute; ++i) {
    Onnx__AttributeProto *a = node_->attribute[i];
    if (!a->name || strcmp(a->name, name) != 0) continue;
    read_attrs_[i] = true;
    if (!a->ref_attr_name || !*a->ref_attr_name) return a;
    if (!scope_.call) Refuse(Reason::kInvalidModel, Str("attribute '", name, "' refers to a function's attribute"));
    auto found = scope_.call->attrs.find(a->ref_attr_name);
    return found == scope_.call->attrs.end() ? nullptr : const_cast<Onnx__AttributeProto *>(found->second);
  }
  return nullptr;
}

Onnx__AttributeProto *NodeContext::Typed(const char *name, int32_t type, const char *type_name) {
  Onnx__AttributeProto *a = Attr(name);
  if (a && a->type != 0 && a->type != type) {
    Refuse(Reason::kInvalidModel, Str("attribute '", name, "' has attribute type ", a->type, ", expected ", type_name));
  }
  return a;
}

bool NodeContext::HasAttr(const char *name) { return Attr(name) != nullptr; }

int64_t NodeContext::Int(const char *name, int64_t fallback) {
  auto *a = Typed(name, 2, "INT");
  return a ? a->i : fallback;
}

bool NodeContext::Flag(const char *name, bool fallback) {
  const int64_t value = Int(name, fallback);
  if (value != 0 && value != 1)
    Refuse(Reason::kInvalidModel, Str("attribute '", name, "' is ", value, ", expected 0 or 1"));
  return value != 0;
}

int64_t NodeContext::NeedInt(const char *name) {
  if (!HasAttr(name)) Refuse(Reason::kInvalidModel, Str("attribute '", name, "' is missing"));
  return Int(name, 0);
}

float NodeContext::Float(const char *name, float fallback) {
  auto *a = Typed(name, 1, "FLOAT");
  return a ? a->f : fallback;
}

std::string NodeContext::String(const char *name, const char *fallback) {
  auto *a = Typed(name, 3, "STRING");
  return a ? std::string(reinterpret_cast<const char *>(a->s.data), a->s.len) : fallback;
}

std::vector<int64_t> NodeContext::Ints(const char *name) {
  auto *a = Typed(name, 7, "INTS");
  return a ? std::vector<int64_t>(a->ints, a->ints + a->n_ints) : std::vector<int64_t>();
}

std::vector<float> NodeContext::Floats(const char *name) {
  auto *a = Typed(name, 6, "FLOATS");
  return a ? std::vector<float>(a->floats, a->floats + a->n_floats) : std::vector<float>();
}

std::vector<std::string> NodeContext::Strings(const char *name) {
  std::vector<std::string> out;
  if (auto *a = Typed(name, 8, "STRINGS")) {
    for (size_t i = 0; i < a->n_strings; ++i) {
      out.emplace_back(reinterpret_cast<const char *>(a->strings[i].data), a->strings[i].len);
    }
  }
  return out;
}

bool NodeContext::IsTextAttr(const char *name) {
  auto *a = Typed(name, 4, "TENSOR");
  return a && a->t && a->t->data_type == 8;
}

Value NodeContext::TextAttr(const char *name, const char *role) {
  const auto [texts, shape] = importer_.TextsOf(*Typed(name, 4, "TENSOR")->t);
  return ConstTexts(texts, shape, role);
}

TensorPtr NodeContext::TensorAttr(const char *name) {
  auto *a = Typed(name, 4, "TENSOR");
  if (!a) return nullptr;
  if (!a->t) Refuse(Reason::kInvalidModel, Str("attribute '", name, "' holds no tensor"));
  return importer_.Take(a->t);
}

Onnx__GraphProto *NodeContext::GraphAttr(const char *name) {
  auto *a = Typed(name, 5, "GRAPH");
  if (!a || !a->g) Refuse(Reason::kInvalidModel, Str("attribute '", name, "' holds no graph"));
  return a->g;
}

void NodeContext::Ignore(std::initializer_list<const char *> names) {
  for (const char *name : names) Attr(name);
}

int32_t NodeContext::TypeAttr(const char *name, int32_t fallback) {
  if (!HasAttr(name)) return fallback;
  int64_t onnx_type = Int(name, 0);
  int32_t type = onnx_type > 0 && onnx_type < 1000 ? GeTypeOf(static_cast<int32_t>(onnx_type)) : -1;
  if (type < 0 || type == C_DT_STRING) {
    Refuse(Reason::kUnsupportedType, Str("attribute '", name, "': element type ",
                                         OnnxTypeName(static_cast<int32_t>(onnx_type)), " is not supported"));
  }
  return type;
}

// ---- knowledge ----

int32_t NodeContext::Type(Endpoint e) const { return e.node->output_desc(e.port).dtype; }

Shape NodeContext::ShapeOf(Endpoint e) const { return e.node->output_desc(e.port).shape; }

int64_t NodeContext::NeedRank(Endpoint e, const char *why) const {
  int64_t rank = Rank(e);
  if (rank < 0) Refuse(Reason::kNeedsStatic, Str("the rank of '", e.node->OriginText(), "' must be known ", why));
  return rank;
}

int64_t NodeContext::NeedDim(Endpoint e, int64_t axis, const char *why) const {
  int64_t a = NeedAxis(axis, e);
  int64_t d = ShapeOf(e)[static_cast<size_t>(a)];
  if (d < 0) Refuse(Reason::kNeedsStatic, Str("dimension ", a, " of '", e.node->OriginText(), "' must be known ", why));
  if (d > kMaxDim) Refuse(Reason::kLimit, Str("dimension ", a, " is ", d, ", the limit is ", kMaxDim));
  return d;
}

int32_t NodeContext::NeedType(Endpoint e, const char *why) const {
  int32_t type = Type(e);
  if (type == C_DT_UNDEFINED) {
    Refuse(Reason::kNeedsStatic, Str("the element type of '", e.node->OriginText(), "' must be known ", why));
  }
  return type;
}

int64_t NodeContext::Axis(int64_t axis, Endpoint e) const {
  int64_t rank = Rank(e);
  if (rank < 0) return axis;
  if (axis < -rank || axis >= rank) {
    Refuse(Reason::kInvalidModel, Str("axis ", axis, " is out of range for rank ", rank));
  }
  return axis < 0 ? axis + rank : axis;
}

int64_t NodeContext::NeedAxis(int64_t axis, Endpoint e) const {
  if (axis < 0) NeedRank(e, "to resolve a negative axis");
  NeedRank(e, "to check an axis");
  return Axis(axis, e);
}

bool NodeContext::IsFloatType(int32_t type) {
  return type == C_DT_FLOAT || type == C_DT_FLOAT16 || type == C_DT_BF16 || type == C_DT_DOUBLE;
}

bool NodeContext::IsFloat(Endpoint e) const { return IsFloatType(Type(e)); }

// ---- building ----

bool NodeContext::Has(const char *type) { return OpRegistry::Instance().Find(type) != nullptr; }

Node *NodeContext::Add(const char *type, const std::vector<Endpoint> &inputs, Attrs attrs, int32_t outputs) {
  const OpEntry *entry = OpRegistry::Instance().Find(type);
  if (!entry) {
    Refuse(Reason::kNoPrototype, Str("it translates to '", type, "', which is not a registered operator"),
           OpRegistry::Instance().Near(type));
  }
  const IrDef &ir = *entry->ir;
  std::vector<int32_t> dyn_in, dyn_out;
  size_t fixed = 0, dynamic = 0;
  for (const IrPort &p : ir.inputs) (p.kind == GE_IR_DYNAMIC ? dynamic : fixed) += 1;
  if (dynamic == 1) {
    if (inputs.size() < fixed) Refuse(Reason::kInvalidModel, Str("too few inputs for '", type, "'"));
    dyn_in.push_back(static_cast<int32_t>(inputs.size() - fixed));
  }
  for (const IrPort &p : ir.outputs) {
    if (p.kind == GE_IR_DYNAMIC) dyn_out.push_back(outputs);
  }
  Graph &graph = *scope_.graph;
  Node *node = graph.AddNode(&ir, graph.UniqueName(name_ + "/" + type), dyn_in.data(), dyn_in.size(), dyn_out.data(),
                             dyn_out.size());
  made_.push_back(node);
  graph.SetOrigins(node, {origin_});
  if (inputs.size() > node->input_count()) {
    Fail(GE_FAILED, "ONNX import: ", inputs.size(), " inputs for '", type, "', which has ", node->input_count());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]) graph.Connect(inputs[i], node, static_cast<int32_t>(i));
  }
  for (const auto &[key, value] : attrs) graph.SetAttr(node, key, value);
  // A body that does not fit is no error as long as it does not run.
  if (ir.graphs.empty()) {
    if (const auto failure = TryInferNode(*node, *scope_.known); failure && !graph.parent())
      Refuse(Reason::kInference, failure->what());
  }
  return node;
}

Node &NodeContext::AddCopy(const Node &from, const std::vector<int32_t> &dyn_in, const std::vector<int32_t> &dyn_out) {
  Graph &graph = *scope_.graph;
  Node *node = graph.AddNode(&from.ir(), graph.UniqueName(name_ + "/" + from.name()), dyn_in.data(), dyn_in.size(),
                             dyn_out.data(), dyn_out.size());
  made_.push_back(node);
  graph.SetOrigins(node, {origin_});
  return *node;
}

Endpoint NodeContext::Const(TensorPtr value, const char *role) {
  Node *node = MakeConst(*scope_.graph, std::move(value), name_ + "/" + role);
  scope_.graph->SetOrigins(node, {origin_});
  made_.push_back(node);
  return {node, 0};
}

Value NodeContext::ConstTexts(const std::vector<std::string> &texts, const Shape &shape, const char *role) {
  auto [places, bytes] = TextTensors(texts, shape);
  return Value::Text(Const(std::move(places), role), Const(std::move(bytes), role));
}

Endpoint NodeContext::ConstInts(const std::vector<int64_t> &values, const char *role) {
  return Const(Tensor::Of<int64_t>(C_DT_INT64, Shape{static_cast<int64_t>(values.size())}, values), role);
}

Endpoint NodeContext::ConstInt(int64_t value, const char *role) {
  return Const(Tensor::Of<int64_t>(C_DT_INT64, Shape{}, {value}), role);
}

namespace {

template <class T>
TensorPtr Scalar(double value, int32_t dtype) {
  T converted = static_cast<T>(value);
  if constexpr (std::is_integral_v<T>) {  // infinities stand for the type's limits
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) converted = std::numeric_limits<T>::max();
    else if (value <= static_cast<double>(std::numeric_limits<T>::lowest()))
      converted = std::numeric_limits<T>::lowest();
    else converted = static_cast<T>(value);
  }
  return Tensor::Of<T>(dtype, Shape{}, {converted});
}

}  // namespace

Endpoint NodeContext::ConstNumber(double value, int32_t dtype, const char *role) {
  switch (dtype) {
    case C_DT_FLOAT:
      return Const(Tensor::Of<float>(dtype, Shape{}, {static_cast<float>(value)}), role);
    case C_DT_DOUBLE:
      return Const(Tensor::Of<double>(dtype, Shape{}, {value}), role);
    case C_DT_FLOAT16:
      return Const(Tensor::Of<uint16_t>(dtype, Shape{}, {ToHalfBits(static_cast<float>(value))}), role);
    case C_DT_BF16:
      return Const(Tensor::Of<uint16_t>(dtype, Shape{}, {ToBf16Bits(static_cast<float>(value))}), role);
    case C_DT_BOOL:
      return Const(Tensor::Of<uint8_t>(dtype, Shape{}, {static_cast<uint8_t>(value != 0)}), role);
    case C_DT_INT8:
      return Const(Scalar<int8_t>(value, dtype), role);
    case C_DT_UINT8:
      return Const(Scalar<uint8_t>(value, dtype), role);
    case C_DT_INT16:
      return Const(Scalar<int16_t>(value, dtype), role);
    case C_DT_UINT16:
      return Const(Scalar<uint16_t>(value, dtype), role);
    case C_DT_INT32:
      return Const(Scalar<int32_t>(value, dtype), role);
    case C_DT_UINT32:
      return Const(Scalar<uint32_t>(value, dtype), role);
    case C_DT_INT64:
      return Const(Scalar<int64_t>(value, dtype), role);
    case C_DT_UINT64:
      return Const(Scalar<uint64_t>(value, dtype), role);
    default:
      Refuse(Reason::kUnsupportedType, Str("element type ", DataTypeName(dtype), " is not supported here"));
  }
}

Endpoint NodeContext::NumberLike(double value, Endpoint e, const char *role) {
  return ConstNumber(value, NeedType(e, "to make a constant of it"), role);
}

Endpoint NodeContext::CastTo(Endpoint e, int32_t type) {
  if (Type(e) == type) return e;
  return Op("Cast", {e}, {{"dst_type", int64_t{type}}});
}

Endpoint NodeContext::Widened(Endpoint e) {
  const int32_t type = Type(e);
  return type == C_DT_FLOAT16 || type == C_DT_BF16 ? CastTo(e, C_DT_FLOAT) : e;
}

Endpoint NodeContext::CastLike(Endpoint e, Endpoint like) {
  const int32_t type = Type(like);
  return type == C_DT_UNDEFINED ? e : CastTo(e, type);
}

Endpoint NodeContext::ReshapeTo(Endpoint e, const std::vector<int64_t> &shape) {
  TensorPtr value = ConstantOf(e);
  Shape wanted(shape.data(), shape.size());
  if (value && wanted.known() && wanted.elements() == value->desc.shape.elements()) {
    return Const(std::make_shared<Tensor>(TensorDesc(value->desc.dtype, wanted), value->buffer), "reshaped");
  }
  return Op("Reshape", {e, ConstInts(shape, "shape")});
}

Endpoint NodeContext::Unsqueeze(Endpoint e, const std::vector<int64_t> &axes) {
  return Op("UnsqueezeV3", {e, ConstInts(axes, "axes")});
}
Endpoint NodeContext::Squeeze(Endpoint e, const std::vector<int64_t> &axes) {
  return Op("SqueezeV3", {e, ConstInts(axes, "axes")});
}
Endpoint NodeContext::Transpose(Endpoint e, const std::vector<int64_t> &perm) {
  return Op("Transpose", {e, ConstInts(perm, "perm")});
}

Endpoint NodeContext::ShapeValue(Endpoint e) {
  Shape shape = ShapeOf(e);
  if (shape.known()) return ConstInts({shape.dims().begin(), shape.dims().end()}, "shape");
  return Op("Shape", {e}, {{"dtype", int64_t{C_DT_INT64}}});
}

Endpoint NodeContext::Reduce(const char *type, Endpoint e, const std::vector<int64_t> &axes, bool keep_dims) {
  return Op(type, {e, ConstInts(axes, "axes")}, {{"keep_dims", keep_dims}});
}

Endpoint NodeContext::Slice(Endpoint e, const std::vector<int64_t> &begin, const std::vector<int64_t> &end,
                            const std::vector<int64_t> &axes, const std::vector<int64_t> &steps) {
  std::vector<int64_t> strides = steps.empty() ? std::vector<int64_t>(begin.size(), 1) : steps;
  return Op("StridedSliceV2", {e, ConstInts(begin, "begin"), ConstInts(end, "end"), ConstInts(axes, "axes"),
                               ConstInts(strides, "strides")});
}

// ---- outputs ----

bool NodeContext::WantsOutput(size_t i) const { return i < node_->n_output && node_->output[i] && *node_->output[i]; }

void NodeContext::Out(size_t i, Value v) {
  if (packed_ >= 0 && v.is_tensor() && Type(v.parts[0]) == carrier_) v = CastTo(v.parts[0], packed_);
  if (moves_results_ && v.is_tensor()) v = Value::Text(v.parts[0], moved_bytes_);
  if (i < outputs_.size()) outputs_[i] = std::move(v);
}

void NodeContext::Finish() {
  for (size_t i = 0; i < read_attrs_.size(); ++i) {
    if (read_attrs_[i]) continue;
    const char *name = node_->attribute[i]->name;
    Refuse(Reason::kUnsupportedUse, Str("attribute '", name ? name : "", "' is not understood"));
  }
  for (size_t i = 0; i < read_inputs_.size(); ++i) {
    if (HasInput(i) && !read_inputs_[i]) {
      Refuse(Reason::kUnsupportedUse, Str("input ", i, " '", node_->input[i], "' is not supported"));
    }
  }
  Graph &graph = *scope_.graph;
  const Node *named = nullptr;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!WantsOutput(i)) continue;
    if (!outputs_[i]) Refuse(Reason::kUnsupportedUse, Str("output ", i, " '", node_->output[i], "' is not supported"));
    if (!outputs_[i].is_tensor()) {
      Importer::Bind(scope_, node_->output[i], outputs_[i]);
      continue;
    }
    const Endpoint made_value = outputs_[i].parts[0];
    Node *node = made_value.node;
    // The node that makes the first result carries the ONNX name.
    if (!named && &node->graph() == &graph) {
      for (Node *made : made_) {
        if (made != node) continue;
        graph.RenameNode(node, graph.UniqueName(name_));
        named = node;
        break;
      }
    }
    // The model's declarations are used where inference does not know.
    const TensorDesc &desc = made_value.node->output_desc(made_value.port);
    auto declared = scope_.types.find(node_->output[i]);
    if (declared != scope_.types.end() && declared->second && declared->second->tensor_type &&
        (!desc.shape.has_rank() || desc.dtype == C_DT_UNDEFINED)) {
      const Onnx__TypeProto__Tensor *t = declared->second->tensor_type;
      TensorDesc better = desc;
      if (!desc.shape.has_rank()) better.SetShape(DeclaredShape(t));
      int32_t type = t->has_elem_type ? GeTypeOf(t->elem_type) : -1;
      if (desc.dtype == C_DT_UNDEFINED && type >= 0) better.dtype = type;
      made_value.node->graph().SetOutputDesc(made_value.node, made_value.port, std::move(better));
    }
    scope_.values[node_->output[i]] = made_value;
  }
}

}  // namespace gec::onnx
