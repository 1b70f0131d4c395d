#include "core/passes/attribute_forms.h"

#include <algorithm>

#include "core/ops/attribute_forms.h"
#include "core/ops/make_node.h"
#include "core/ops/op_desc.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

TensorPtr ValueOf(const Node &node, const GeOpDesc &desc, Symbol attr, int32_t type) {
  const GeAttrData *value = GeOpAttr(&desc, attr.c_str());
  if (!value) Fail(GE_INFER_FAILED, node.Label(), ": attribute ", attr.view(), " is missing");
  try {
    return AttributeTensor(*value, type);
  } catch (const Error &error) {
    Fail(error.code(), node.Label(), ": ", error.what());
  }
}

/// The inputs of the sibling, with constants for attributes; false while the type of one is not known.
bool InputsOf(Graph &graph, const Node &node, const AttributeForm &form, std::vector<Endpoint> *inputs,
              std::vector<int32_t> *dynamic) {
  const int32_t first_type = node.input_count() ? node.input_desc(0).dtype : static_cast<int32_t>(C_DT_UNDEFINED);
  for (const AttributeForm::Input &input : form.inputs) {
    if (!input.attr.empty() && input.data_type == C_DT_UNDEFINED && first_type == C_DT_UNDEFINED) return false;
  }
  const OpDescView view(node);
  for (size_t ir = 0; ir < form.inputs.size(); ++ir) {
    const AttributeForm::Input &input = form.inputs[ir];
    if (input.own >= 0) {
      const auto [first, count] = node.InputRange(static_cast<size_t>(input.own));
      for (int32_t k = 0; k < count; ++k) inputs->push_back(node.input(static_cast<size_t>(first + k)));
      if (form.sibling->inputs[ir].kind == GE_IR_DYNAMIC) dynamic->push_back(count);
      continue;
    }
    if (input.attr.empty()) {
      inputs->push_back({});
      continue;
    }
    const int32_t type = input.data_type == C_DT_UNDEFINED ? first_type : input.data_type;
    TensorPtr value = ValueOf(node, *view.get(), input.attr, type);
    Node *constant = MakeConst(graph, std::move(value), Str(node.name(), "_", input.attr.view()));
    graph.InheritOrigins(constant, {&node}, "AttributeForms");
    inputs->push_back({constant, 0});
  }
  return true;
}

/// Those that the sibling has, and those that belong to no prototype: engines and programs put them on any node.
AttrMap AttrsOf(const Node &node, const AttributeForm &form) {
  AttrMap attrs = node.attrs();
  for (const IrAttr &attr : node.ir().attrs) {
    if (!form.sibling->FindAttr(attr.name)) {
      attrs.Remove(attr.name);
    } else if (!attrs.Has(attr.name) && !attr.required) {
      attrs.Set(attr.name, attr.fallback);  // the sibling's default may be another one
    }
  }
  return attrs;
}

void MoveDescs(Graph &graph, const Node &node, const AttributeForm &form, Node *made) {
  for (size_t o = 0; o < node.output_count(); ++o) graph.SetOutputDesc(made, o, node.output_desc(o));
  if (!graph.has_input_descs()) return;
  for (size_t ir = 0; ir < form.inputs.size(); ++ir) {
    if (form.inputs[ir].own < 0) continue;
    const auto [from, count] = node.InputRange(static_cast<size_t>(form.inputs[ir].own));
    const int32_t to = made->InputRange(ir).first;
    for (int32_t k = 0; k < count; ++k) {
      if (const TensorDesc *desc = node.explicit_input_desc(static_cast<size_t>(from + k)))
        graph.SetInputDesc(made, static_cast<size_t>(to + k), *desc);
    }
  }
}

bool Replace(Graph &graph, Node *node, const AttributeForm &form) {
  Transaction all(graph.root());
  std::vector<Endpoint> inputs;
  std::vector<int32_t> dynamic_inputs;
  if (!InputsOf(graph, *node, form, &inputs, &dynamic_inputs)) return false;
  NodeParts parts;
  parts.dyn_in = dynamic_inputs.data();
  parts.dyn_in_size = dynamic_inputs.size();
  parts.dyn_out = node->dynamic_output_counts().data();
  parts.dyn_out_size = node->dynamic_output_counts().size();
  parts.inputs = inputs.data();
  parts.attrs = AttrsOf(*node, form);
  std::string name = node->name();
  Node *made = graph.AddNode(form.sibling, graph.UniqueName(name), std::move(parts));
  graph.InheritOrigins(made, {node}, "AttributeForms");
  MoveDescs(graph, *node, form, made);
  for (Node *before : std::vector<Node *>(node->control_inputs())) graph.AddControl(before, made);
  for (Node *after : std::vector<Node *>(node->control_outputs())) graph.AddControl(made, after);
  for (size_t o = 0; o < node->output_count(); ++o)
    graph.ReplaceUses({node, static_cast<int32_t>(o)}, {made, static_cast<int32_t>(o)});
  graph.RemoveNode(node);
  graph.RenameNode(made, std::move(name));
  all.Commit();
  return true;
}

size_t ReplaceIn(Graph &graph) {
  std::vector<std::pair<Symbol, const AttributeForm *>> present;
  for (Symbol type : graph.Types()) {
    if (const AttributeForm *form = FindAttributeForm(type)) present.emplace_back(type, form);
  }
  if (present.empty()) return 0;
  size_t replaced = 0;
  for (Node *node : graph.Nodes()) {
    if (node->ir().own_kernel) continue;
    const auto at =
        std::find_if(present.begin(), present.end(), [&](const auto &p) { return p.first == node->type(); });
    if (at != present.end() && SameIr(node->ir(), *at->second->own)) replaced += Replace(graph, node, *at->second);
  }
  return replaced;
}

}  // namespace

size_t ReplaceAttributeForms(Graph &root) {
  size_t replaced = ReplaceIn(root);
  for (const GraphPtr &sub : root.subgraphs()) replaced += ReplaceIn(*sub);
  return replaced;
}

}  // namespace gec
