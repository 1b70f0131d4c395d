#include "parsers/onnx/value.h"

#include "core/ir/types.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

const char *KindName(ValueKind kind) {
  switch (kind) {
    case ValueKind::kText:
      return "a text tensor";
    case ValueKind::kSequence:
      return "a sequence";
    case ValueKind::kOptional:
      return "an optional value";
    default:
      return "a tensor";
  }
}

/// How many tensors a value of the kind has where it travels.
size_t PartsOf(ValueKind kind) { return kind == ValueKind::kTensor ? 1 : 2; }

Endpoint Vacant(NodeContext &c, int32_t type, Shape shape) {
  if (type == C_DT_UNDEFINED) type = C_DT_FLOAT;
  const uint64_t bytes = ByteSize(type, shape.elements());
  return c.Const(std::make_shared<Tensor>(TensorDesc(type, std::move(shape)), Buffer::Allocate(bytes)), "nothing");
}

/// Stands where an optional value is empty; nobody reads it.
std::vector<Endpoint> Placeholder(NodeContext &c, ValueKind content, int32_t type) {
  switch (content) {
    case ValueKind::kText:
      return {Vacant(c, C_DT_INT64, Shape{0}), Vacant(c, C_DT_UINT8, Shape{0})};
    case ValueKind::kSequence:
      return {Vacant(c, type, Shape{0}), Vacant(c, C_DT_INT64, Shape{0, kSequenceRow})};
    default:
      return {Vacant(c, type, Shape{0})};
  }
}

int32_t ElementOf(const Value &v) {
  if (v.kind == ValueKind::kSequence || v.kind == ValueKind::kOptional) return v.element;
  return v.is_tensor() ? v.parts[0].node->output_desc(v.parts[0].port).dtype : C_DT_UNDEFINED;
}

int32_t CommonElement(NodeContext &c, int32_t a, int32_t b) {
  if (a == C_DT_UNDEFINED || a == b) return b;
  if (b == C_DT_UNDEFINED) return a;
  c.Refuse(Reason::kInvalidModel, Str("a value is of ", DataTypeName(a), " here and of ", DataTypeName(b), " there"));
}

}  // namespace

const char *Value::what() const { return KindName(kind); }

ValueForm ValueForm::Of(const Value &v) {
  ValueForm form;
  form.kind = v.kind;
  form.content = v.content;
  form.element = ElementOf(v);
  return form;
}

ValueForm ValueForm::Common(NodeContext &c, const Value &a, const Value &b) {
  ValueForm one = Of(a), two = Of(b);
  if (one.kind == ValueKind::kOptional || two.kind == ValueKind::kOptional) {
    const ValueKind first = one.kind == ValueKind::kOptional ? one.content : one.kind,
                    second = two.kind == ValueKind::kOptional ? two.content : two.kind;
    if (first != second)
      c.RefuseKinds(Str("an optional value holds ", KindName(first), " here and ", KindName(second), " there"));
    one.kind = ValueKind::kOptional;
    one.content = first;
  } else if (one.kind != two.kind) {
    c.RefuseKinds(Str("a value is ", KindName(one.kind), " here and ", KindName(two.kind), " there"));
  }
  if (one.kind == ValueKind::kTensor) return one;  // types of tensors are for inference to compare
  one.element = CommonElement(c, one.element, two.element);
  one.is_list = a.list && b.list && a.list->tensors.size() == b.list->tensors.size();
  one.listed = one.is_list ? a.list->tensors.size() : 0;
  return one;
}

size_t ValueForm::part_count() const {
  if (is_list) return listed;
  return kind == ValueKind::kOptional ? 1 + PartsOf(content) : PartsOf(kind);
}

Value ValueForm::Make(std::vector<Endpoint> parts) const {
  Value v;
  if (is_list) return Value::List(std::move(parts), element);
  v.kind = kind;
  v.content = content;
  v.element = element;
  v.parts = std::move(parts);
  return v;
}

Value Pack(NodeContext &c, const Value &sequence) {
  if (!sequence.list) return sequence;
  Elements &list = *sequence.list;
  if (list.tensors.empty()) {
    std::vector<Endpoint> none = Placeholder(c, ValueKind::kSequence, sequence.element);
    return Value::Packed(none[0], none[1], sequence.element);
  }
  if (const int32_t type = ElementOf(list.tensors[0]); type != C_DT_UNDEFINED && DataTypeBits(type) % 8 != 0)
    c.Refuse(Reason::kUnsupportedType, Str("sequences of ", DataTypeName(type), " are not supported"));
  if (!list.values || &list.values.node->graph() != c.scope().graph) {
    Node *node = c.Add("SequencePack", list.tensors);
    list.values = {node, 0};
    list.shapes = {node, 1};
  }
  return Value::Packed(list.values, list.shapes, sequence.element);
}

Value InForm(NodeContext &c, const Value &v, const ValueForm &form) {
  if (form.kind == ValueKind::kOptional) {
    if (v.is(ValueKind::kOptional) && !v.parts.empty()) return form.Make(v.parts);
    const bool there = !v.is(ValueKind::kOptional);
    std::vector<Endpoint> parts = {c.ConstNumber(there, C_DT_BOOL, "there")};
    const std::vector<Endpoint> rest = !there                       ? Placeholder(c, form.content, form.element)
                                       : v.is(ValueKind::kSequence) ? Pack(c, v).parts
                                                                    : v.parts;
    parts.insert(parts.end(), rest.begin(), rest.end());
    return form.Make(std::move(parts));
  }
  if (v.kind != form.kind) c.RefuseKinds(Str(KindName(v.kind), " stands where ", KindName(form.kind), " is needed"));
  if (v.is(ValueKind::kSequence) && !form.is_list) return form.Make(Pack(c, v).parts);
  return form.Make(v.tensors());
}

}  // namespace gec::onnx
