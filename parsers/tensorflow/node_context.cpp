#include "parsers/tensorflow/node_context.h"

#include "core/ir/types.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "parsers/tensorflow/importer_internal.h"
#include "parsers/tensorflow/limits.h"

namespace gec::tensorflow {

NodeContext::NodeContext(Importer &importer, Scope &scope, size_t index)
    : importer_(importer), scope_(scope), index_(index), def_((*scope.nodes)[index]) {
  name_ = scope.prefix + std::string(def_.name);
  origin_ = name_;
  for (std::string_view input : def_.inputs) {
    if (!input.empty() && input[0] == '^') continue;
    bool poisoned = false;
    inputs_.push_back(importer.Resolve(scope, input, &poisoned));
    poisoned_ |= poisoned;
  }
  read_inputs_.resize(inputs_.size());
  for (const auto &[name, bytes] : def_.attrs) {
    AttrDef attr = ReadAttr(bytes);
    if (const auto *of_function = attr.get_if<PlaceholderDef>()) {
      auto found = scope.attrs.find(of_function->name);
      if (found == scope.attrs.end())
        Refuse(Reason::kInvalidModel,
               Str("attribute '", name, "' is the function's attribute '", of_function->name, "', which is not given"));
      attr = ReadAttr(found->second);
    }
    attrs_.emplace_back(name, std::move(attr));
  }
  read_attrs_.resize(attrs_.size());
}

void NodeContext::Refuse(Reason reason, std::string detail, std::vector<std::string> nearest) const {
  throw NodeProblem{reason, std::move(detail), std::move(nearest)};
}

// ---- inputs ----

Endpoint NodeContext::In(size_t i) {
  if (i >= inputs_.size())
    Refuse(Reason::kInvalidModel, Str("input ", i, " is missing, the node has ", inputs_.size()));
  read_inputs_[i] = true;
  return inputs_[i];
}

std::vector<Endpoint> NodeContext::AllInputs() {
  read_inputs_.assign(inputs_.size(), true);
  return inputs_;
}

std::vector<int64_t> NodeContext::NeedInts(size_t i, const char *what) {
  TensorPtr value = ConstantOf(In(i));
  if (!value) Refuse(Reason::kNeedsStatic, Str(what, " (input ", i, ") must be constant"));
  if (!IsIntegerType(value->desc.dtype))
    Refuse(Reason::kInvalidModel,
           Str(what, " (input ", i, ") is of type ", DataTypeName(value->desc.dtype), ", expected an integer type"));
  return value->Ints();
}

int64_t NodeContext::NeedInt(size_t i, const char *what) {
  std::vector<int64_t> values = NeedInts(i, what);
  if (values.size() != 1)
    Refuse(Reason::kInvalidModel, Str(what, " (input ", i, ") has ", values.size(), " values, expected 1"));
  return values[0];
}

// ---- attributes ----

const AttrDef *NodeContext::Attr(std::string_view name) {
  const AttrDef *found = nullptr;
  for (size_t i = 0; i < attrs_.size(); ++i) {
    if (attrs_[i].first != name) continue;
    read_attrs_[i] = true;
    found = &attrs_[i].second;
  }
  return found;
}

void NodeContext::WrongKind(std::string_view name, const AttrDef &attr, const char *expected) const {
  Refuse(Reason::kInvalidModel, Str("attribute '", name, "' is ", attr.kind(), ", expected ", expected));
}

int64_t NodeContext::Int(std::string_view name, int64_t fallback) {
  const AttrDef *attr = Attr(name);
  if (!attr) return fallback;
  if (const auto *value = attr->get_if<int64_t>()) return *value;
  WrongKind(name, *attr, "an integer");
}

float NodeContext::Float(std::string_view name, float fallback) {
  const AttrDef *attr = Attr(name);
  if (!attr) return fallback;
  if (const auto *value = attr->get_if<float>()) return *value;
  WrongKind(name, *attr, "a number");
}

bool NodeContext::Bool(std::string_view name, bool fallback) {
  const AttrDef *attr = Attr(name);
  if (!attr) return fallback;
  if (const auto *value = attr->get_if<bool>()) return *value;
  WrongKind(name, *attr, "a truth value");
}

std::string NodeContext::Text(std::string_view name, const char *fallback) {
  const AttrDef *attr = Attr(name);
  if (!attr) return fallback;
  if (const auto *value = attr->get_if<std::string_view>()) return std::string(*value);
  WrongKind(name, *attr, "a text");
}

std::vector<int64_t> NodeContext::Ints(std::string_view name) {
  const AttrDef *attr = Attr(name);
  if (!attr) return {};
  const auto *list = attr->get_if<ListDef>();
  if (!list || (list->ints.empty() && !list->empty())) WrongKind(name, *attr, "a list of integers");
  return list->ints;
}

int32_t NodeContext::Type(std::string_view name, int32_t fallback) {
  const AttrDef *attr = Attr(name);
  if (!attr) return fallback;
  const auto *type = attr->get_if<TypeDef>();
  if (!type) WrongKind(name, *attr, "a type");
  const int32_t ge = GeTypeOf(type->value);
  if (ge < 0)
    Refuse(Reason::kUnsupportedType, Str("attribute '", name, "': ", TypeText(type->value), " is not supported"));
  return ge;
}

void NodeContext::Ignore(std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) Attr(name);
}

std::vector<std::pair<std::string_view, const AttrDef *>> NodeContext::Unread() const {
  std::vector<std::pair<std::string_view, const AttrDef *>> rest;
  for (size_t i = 0; i < attrs_.size(); ++i)
    if (!read_attrs_[i]) rest.emplace_back(attrs_[i].first, &attrs_[i].second);
  return rest;
}

// ---- knowledge ----

int64_t NodeContext::NeedRank(Endpoint e, const char *why) const {
  const int64_t rank = Rank(e);
  if (rank < 0) Refuse(Reason::kNeedsStatic, Str("the rank of '", e.node->OriginText(), "' must be known ", why));
  return rank;
}

int64_t NodeContext::NeedDim(Endpoint e, int64_t axis, const char *why) const {
  const int64_t rank = NeedRank(e, why);
  if (axis < -rank || axis >= rank) Refuse(Reason::kInvalidModel, Str("axis ", axis, " is out of range, rank ", rank));
  const int64_t extent = ShapeOf(e)[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
  if (extent < 0)
    Refuse(Reason::kNeedsStatic, Str("dimension ", axis, " of '", e.node->OriginText(), "' must be known ", why));
  return extent;
}

// ---- building ----

std::string NodeContext::HelperName(const std::string &role) const {
  const std::string hint = name_ + "/" + role;
  std::string name = hint;
  for (size_t n = 1; importer_.IsNodeName(name) || scope_.graph->Find(name); ++n) name = hint + "_" + std::to_string(n);
  return name;
}

Node *NodeContext::Add(std::string_view type, const std::vector<Endpoint> &inputs, NewAttrs attrs, int32_t outputs) {
  const OpEntry *entry = OpRegistry::Instance().Find(type);
  if (!entry) {
    Refuse(Reason::kNoPrototype, Str("it translates to '", type, "', which is not a registered operator"),
           OpRegistry::Instance().Near(type));
  }
  const IrDef &ir = *entry->ir;
  std::vector<int32_t> dynamic_in, dynamic_out;
  size_t fixed = 0, required = 0, dynamic = 0;
  for (const IrPort &p : ir.inputs) {
    (p.kind == GE_IR_DYNAMIC ? dynamic : fixed) += 1;
    required += p.kind == GE_IR_REQUIRED;
  }
  if (dynamic > 1)
    Refuse(Reason::kUnsupportedUse, Str("'", type, "' has ", dynamic, " lists of inputs, which cannot be told apart"));
  const size_t most = dynamic == 1 ? SIZE_MAX : fixed;
  if (inputs.size() < (dynamic == 1 ? fixed : required) || inputs.size() > most)
    Refuse(Reason::kInvalidModel, Str("the node has ", inputs.size(), " inputs, '", type, "' takes ",
                                      dynamic == 1       ? "at least "
                                      : required < fixed ? "up to "
                                                         : "",
                                      fixed));
  if (dynamic == 1) dynamic_in.push_back(static_cast<int32_t>(inputs.size() - fixed));
  for (const IrPort &p : ir.outputs)
    if (p.kind == GE_IR_DYNAMIC) dynamic_out.push_back(outputs);
  Graph &graph = *scope_.graph;
  Node *node = graph.AddNode(&ir, HelperName(std::string(type)), dynamic_in.data(), dynamic_in.size(),
                             dynamic_out.data(), dynamic_out.size());
  made_.push_back(node);
  graph.SetOrigins(node, {origin_});
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]) graph.Connect(inputs[i], node, static_cast<int32_t>(i));
  for (auto &[key, value] : attrs) graph.SetAttr(node, key, std::move(value));
  // A body that does not fit is no error as long as it does not run.
  if (ir.graphs.empty()) {
    if (const auto failure = TryInferNode(*node); failure && !graph.parent())
      Refuse(Reason::kInference, failure->what());
  }
  return node;
}

Endpoint NodeContext::Const(TensorPtr value, const char *role) {
  Node *node = MakeConst(*scope_.graph, std::move(value), HelperName(role));
  scope_.graph->SetOrigins(node, {origin_});
  made_.push_back(node);
  return {node, 0};
}

Endpoint NodeContext::ConstInts(const std::vector<int64_t> &values, const char *role) {
  return Const(Tensor::Of<int64_t>(C_DT_INT64, Shape{static_cast<int64_t>(values.size())}, values), role);
}

Endpoint NodeContext::ConstInt(int64_t value, const char *role) {
  return Const(Tensor::Of<int64_t>(C_DT_INT64, Shape{}, {value}), role);
}

Endpoint NodeContext::Reshape(Endpoint e, const std::vector<int64_t> &shape) {
  TensorPtr value = ConstantOf(e);
  Shape wanted(shape.data(), shape.size());
  if (value && wanted.known() && wanted.elements() == value->desc.shape.elements())
    return Const(std::make_shared<Tensor>(TensorDesc(value->desc.dtype, wanted), value->buffer), "reshaped");
  return Op("Reshape", {e, ConstInts(shape, "shape")});
}

Endpoint NodeContext::Transpose(Endpoint e, const std::vector<int64_t> &perm) {
  return Op("Transpose", {e, ConstInts(perm, "perm")});
}

// ---- outputs ----

void NodeContext::Out(size_t i, Endpoint e) {
  if (i >= outputs_.size()) outputs_.resize(i + 1);
  outputs_[i] = e;
}

void NodeContext::OutAll(Node *node) {
  for (size_t i = 0; i < node->output_count(); ++i) Out(i, {node, static_cast<int32_t>(i)});
  main_ = node;
}

void NodeContext::Poison() {
  poisoned_ = given_up_ = true;
  outputs_.clear();
  main_ = nullptr;
}

void NodeContext::Finish() {
  Imported &value = scope_.values[index_];
  value.poisoned = poisoned_;
  if (given_up_) return;
  for (size_t i = 0; i < attrs_.size(); ++i) {
    const auto &[name, attr] = attrs_[i];
    // Attributes that begin with _ are the framework's own; types follow from the inputs; empty attributes change
    // nothing.
    if (read_attrs_[i] || name.empty() || name[0] == '_' || attr.get_if<TypeDef>() || attr.says_nothing()) continue;
    const auto *list = attr.get_if<ListDef>();
    if (list && !list->types.empty()) continue;
    Refuse(Reason::kUnsupportedUse, Str("attribute '", name, "' is not understood"));
  }
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (!read_inputs_[i]) Refuse(Reason::kUnsupportedUse, Str("input ", i, " is not supported"));
  if (!main_ && !outputs_.empty() && outputs_[0]) {
    for (Node *made : made_)
      if (made == outputs_[0].node) main_ = made;
  }
  if (main_) scope_.graph->RenameNode(main_, name_);
  value.main = main_;
  value.outputs = std::move(outputs_);
}

}  // namespace gec::tensorflow
