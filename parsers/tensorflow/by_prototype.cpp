// Operators whose prototype has TensorFlow's name, inputs and attributes: most of them, since the prototypes were
// modelled on TensorFlow's.
#include <algorithm>

#include "core/ops/registry.h"
#include "parsers/tensorflow/handlers.h"
#include "parsers/tensorflow/node_context.h"

namespace gec::tensorflow {
namespace {

AttrValue::ListInt Dims(const ShapeDef &shape) { return shape.dims; }

/// The value as the prototype's attribute has it; none where it has no such form.
AttrValue Convert(const AttrDef &attr, int32_t type, const std::string &what) {
  const auto *integer = attr.get_if<int64_t>();
  const auto *real = attr.get_if<float>();
  const auto *flag = attr.get_if<bool>();
  const auto *text = attr.get_if<std::string_view>();
  const auto *data_type = attr.get_if<TypeDef>();
  const auto *shape = attr.get_if<ShapeDef>();
  const auto *list = attr.get_if<ListDef>();
  const int32_t ge_type = data_type ? GeTypeOf(data_type->value) : -1;
  if (data_type && ge_type < 0)
    throw NodeProblem{Reason::kUnsupportedType, Str(what, ": ", TypeText(data_type->value), " is not supported"), {}};
  switch (type) {
    case C_VT_INT:
      if (integer) return *integer;
      if (flag) return int64_t{*flag};
      if (data_type) return int64_t{ge_type};
      break;
    case C_VT_FLOAT:
      if (real) return *real;
      if (integer) return static_cast<float>(*integer);
      break;
    case C_VT_BOOL:
      if (flag) return *flag;
      break;
    case C_VT_STRING:
      if (text) return std::string(*text);
      break;
    case C_VT_DATA_TYPE:
      if (data_type) return DataTypeValue{ge_type};
      break;
    case C_VT_TENSOR:
      if (const auto *tensor = attr.get_if<TensorDef>()) return ReadTensor(*tensor, what);
      break;
    case C_VT_LIST_INT:
      if (shape && shape->known_rank) return Dims(*shape);
      if (list && (!list->ints.empty() || list->empty())) return AttrValue::ListInt(list->ints);
      if (list && !list->types.empty()) {
        AttrValue::ListInt types;
        for (int32_t t : list->types) types.push_back(GeTypeOf(t));
        return types;
      }
      break;
    case C_VT_LIST_FLOAT:
      if (list && (!list->floats.empty() || list->empty())) return AttrValue::ListFloat(list->floats);
      break;
    case C_VT_LIST_BOOL:
      if (list && (!list->bools.empty() || list->empty())) return AttrValue::ListBool(list->bools);
      break;
    case C_VT_LIST_STRING:
      if (list && (!list->texts.empty() || list->empty()))
        return AttrValue::ListString(list->texts.begin(), list->texts.end());
      break;
    case C_VT_LIST_DATA_TYPE:
      if (list && (!list->types.empty() || list->empty())) {
        AttrValue::ListType types;
        for (int32_t t : list->types) types.push_back(DataTypeValue{GeTypeOf(t)});
        return types;
      }
      break;
    case C_VT_LIST_LIST_INT:
      if (list && (!list->shapes.empty() || list->empty())) {
        AttrValue::ListListInt shapes;
        for (const ShapeDef &s : list->shapes) shapes.push_back(Dims(s));
        return shapes;
      }
      break;
    default:
      break;
  }
  return {};
}

/// How many outputs a prototype's list of outputs has.
int32_t OutputCount(NodeContext &c) {
  for (const char *name : {"num_split", "num", "num_outputs", "N"})
    if (const AttrDef *attr = c.Attr(name)) {
      const auto *count = attr->get_if<int64_t>();
      if (count && *count >= 0 && *count <= 100'000) return static_cast<int32_t>(*count);
    }
  return static_cast<int32_t>(c.input_count());
}

}  // namespace

void TakeByPrototype(NodeContext &c) {
  const OpEntry *entry = OpRegistry::Instance().Find(c.op());
  if (!entry) {
    std::vector<std::string> names;
    for (const Handler &h : AllHandlers()) names.emplace_back(h.type);
    std::vector<std::string> near = NearNames(std::string(c.op()), names, 2);
    for (std::string &name : OpRegistry::Instance().Near(c.op())) {
      if (std::find(near.begin(), near.end(), name) == near.end()) near.push_back(std::move(name));
    }
    c.Refuse(Reason::kUnknownOperator,
             Str("unknown operator '", c.op(), "': it has no rule, no prototype and no function of this name"),
             std::move(near));
  }
  const IrDef &ir = *entry->ir;
  if (!ir.graphs.empty()) c.Refuse(Reason::kUnsupportedOperator, "operators that call functions this way are unknown");
  bool dynamic = false;
  for (const IrPort &p : ir.outputs) dynamic |= p.kind == GE_IR_DYNAMIC;
  const int32_t outputs = dynamic ? OutputCount(c) : 0;
  NewAttrs attrs;
  for (const IrAttr &a : ir.attrs) {
    const std::string name(a.name.str());
    const AttrDef *attr = c.Attr(name);
    if (!attr) continue;
    AttrValue value = Convert(*attr, a.type, Str("attribute '", name, "'"));
    if (value.type() == C_VT_NONE)
      c.Refuse(Reason::kInvalidModel,
               Str("attribute '", name, "' is ", attr->kind(), ", which '", c.op(), "' does not take"));
    attrs.emplace_back(name, std::move(value));
  }
  c.Ignore({"use_cudnn_on_gpu", "incompatible_shape_error", "validate_indices", "N"});
  c.OutAll(c.Add(c.op(), c.AllInputs(), std::move(attrs), outputs));
}

}  // namespace gec::tensorflow
