// Values at the model's borders that are no tensors: each becomes several inputs or outputs, and the graph says which.
#include <algorithm>

#include "core/ir/types.h"
#include "core/ops/make_node.h"
#include "core/support/json_text.h"
#include "parsers/onnx/importer.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

const char kValues[] = "_values";  // the graph's attribute, as ValuesOf tells it

const char *KindText(ValueKind kind) {
  return kind == ValueKind::kText       ? "text"
         : kind == ValueKind::kSequence ? "sequence"
         : kind == ValueKind::kOptional ? "optional"
                                        : "tensor";
}

/// Names of the tensors of a value, in the order of Value::parts.
std::vector<std::string> PartNames(const ValueForm &form, const std::string &name) {
  if (form.kind == ValueKind::kOptional) {
    ValueForm content = form;
    content.kind = form.content;
    std::vector<std::string> names = PartNames(content, name);
    names.insert(names.begin(), name + ".given");
    return names;
  }
  if (form.kind == ValueKind::kSequence) return {name, name + ".shapes"};
  if (form.kind == ValueKind::kText) return {name, name + ".bytes"};
  return {name};
}

/// The names of the tensors of value `name`, among values of these names.
std::vector<std::string> PortNames(const ValueForm &form, const std::string &name, Onnx__ValueInfoProto **values,
                                   size_t count) {
  std::vector<std::string> ports = PartNames(form, name);
  for (std::string &port : ports)
    while (port != name && std::any_of(values, values + count,
                                       [&](const Onnx__ValueInfoProto *v) { return v->name && port == v->name; }))
      port += "_";
  return ports;
}

std::string Describe(const ValueForm &form, const std::string &name, const std::vector<std::string> &ports) {
  std::string list;
  for (const std::string &port : ports) list += (list.empty() ? "" : ", ") + JsonText(port);
  return Str("{\"name\": ", JsonText(name), ", \"kind\": \"", KindText(form.kind), "\", \"content\": \"",
             KindText(form.content), "\", \"type\": ", form.element, ", \"ports\": [", list, "]}");
}

std::string Joined(const std::vector<std::string> &items) {
  std::string all;
  for (const std::string &item : items) all += (all.empty() ? "" : ", ") + item;
  return all;
}

/// The form of an input of this type and what is known of its tensors; false: no such values here.
bool FormOf(const Onnx__TypeProto &type, ValueForm *form, const Onnx__TypeProto__Tensor **tensor) {
  *tensor = type.tensor_type;
  if (*tensor) {
    form->kind = ValueKind::kText;
    return true;
  }
  if (const Onnx__TypeProto__Holder *holder = type.sequence_type) {
    form->kind = ValueKind::kSequence;
    *tensor = holder->elem_type ? holder->elem_type->tensor_type : nullptr;
  } else if (type.optional_type && type.optional_type->elem_type) {
    const Onnx__TypeProto__Content &content = *type.optional_type->elem_type;
    form->kind = ValueKind::kOptional;
    form->content = content.sequence_type ? ValueKind::kSequence : ValueKind::kTensor;
    *tensor = content.tensor_type;
    if (content.sequence_type)
      *tensor = content.sequence_type->elem_type ? content.sequence_type->elem_type->tensor_type : nullptr;
  }
  const int32_t element = *tensor && (*tensor)->has_elem_type ? GeTypeOf((*tensor)->elem_type) : -1;
  form->element = element;
  const bool sequence = form->kind == ValueKind::kSequence || form->content == ValueKind::kSequence;
  if (sequence && element >= 0 && DataTypeBits(element) % 8 != 0) return false;
  return element >= 0 && element != C_DT_STRING && element != C_DT_UNDEFINED;
}

TensorDesc DescOf(const ValueForm &form, size_t part, const Onnx__TypeProto__Tensor *tensor) {
  if (form.kind == ValueKind::kOptional) {
    if (part == 0) return TensorDesc(C_DT_BOOL, Shape{});
    ValueForm content = form;
    content.kind = form.content;
    return DescOf(content, part - 1, tensor);
  }
  if (form.kind == ValueKind::kSequence)
    return part == 0 ? TensorDesc(form.element, Shape{-1}) : TensorDesc(C_DT_INT64, Shape{-1, kSequenceRow});
  if (form.kind == ValueKind::kText && part == 1) return TensorDesc(C_DT_UINT8, Shape{-1});
  return TensorDesc(form.kind == ValueKind::kText ? static_cast<int32_t>(C_DT_INT64) : form.element,
                    DeclaredShape(tensor));
}

}  // namespace

bool Importer::IsOther(const Onnx__TypeProto *type) {
  if (!type) return false;
  if (type->tensor_type)
    return type->tensor_type->has_elem_type && GeTypeOf(type->tensor_type->elem_type) == C_DT_STRING;
  return type->sequence_type || type->optional_type;
}

void Importer::ImportOther(Scope &scope, const std::string &name, int64_t *index, const Onnx__TypeProto *type) {
  ValueForm form;
  const Onnx__TypeProto__Tensor *tensor = nullptr;
  if (!FormOf(*type, &form, &tensor)) {
    Report(nullptr, 0, Reason::kUnsupportedType,
           Str("input '", name,
               "' is of a type that is not supported; sequences and optional values may hold tensors of "
               "numbers, and optional values sequences of these; elements of sequences take whole bytes"));
    form.element = C_DT_UNDEFINED;
  }
  const std::vector<std::string> ports = PortNames(form, name, model_->graph->input, model_->graph->n_input);
  std::vector<Endpoint> parts;
  for (size_t i = 0; i < ports.size(); ++i) {
    Node *data = MakeNode(*scope.graph, "Data", ports[i]);
    scope.graph->SetAttr(data, "index", (*index)++);
    scope.graph->SetOrigins(data, {ports[i]});
    scope.graph->SetOutputDesc(data, 0, DescOf(form, i, tensor));
    parts.push_back({data, 0});
  }
  Bind(scope, name, form.Make(std::move(parts)));
  other_inputs_.push_back(Describe(form, name, ports));
}

void Importer::GiveRootOutputs(Scope &scope, const std::vector<Value> &outputs) {
  char type[] = "outputs";
  Onnx__NodeProto proto = ONNX__NODE_PROTO__INIT;
  proto.op_type = type;
  NodeContext c(*this, scope, &proto, 0);
  std::vector<Endpoint> tensors;
  std::vector<std::string> names, others;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const char *given = model_->graph->output[i]->name;
    const std::string name = given ? given : "";
    const ValueForm form = ValueForm::Of(outputs[i]);
    const std::vector<std::string> ports = PortNames(form, name, model_->graph->output, model_->graph->n_output);
    const std::vector<Endpoint> parts = InForm(c, outputs[i], form).parts;
    tensors.insert(tensors.end(), parts.begin(), parts.end());
    if (!outputs[i].is_tensor()) others.push_back(Describe(form, name, ports));
    names.insert(names.end(), ports.begin(), ports.end());
  }
  AddNetOutput(*root_, tensors);
  root_->SetGraphAttr("_output_names", std::move(names));
  if (others.empty() && other_inputs_.empty()) return;
  root_->SetGraphAttr(kValues, Str("{\"inputs\": [", Joined(other_inputs_), "], \"outputs\": [", Joined(others), "]}"));
}

std::string ValuesOf(const Graph &graph) {
  const AttrValue *values = graph.attrs().Find(kValues);
  const std::string *text = values ? values->get_if<std::string>() : nullptr;
  return text ? *text : "{\"inputs\": [], \"outputs\": []}";
}

}  // namespace gec::onnx
