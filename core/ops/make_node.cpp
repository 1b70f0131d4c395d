#include "core/ops/make_node.h"

#include "core/ops/registry.h"
#include "core/support/error.h"

namespace gec {

Node *MakeNode(Graph &graph, std::string_view type, std::string_view name_hint, std::initializer_list<int32_t> dyn_in,
               std::initializer_list<int32_t> dyn_out) {
  return graph.AddNode(OpRegistry::Instance().Get(type), graph.UniqueName(std::string(name_hint)), dyn_in.begin(),
                       dyn_in.size(), dyn_out.begin(), dyn_out.size());
}

Node *MakeConst(Graph &graph, TensorPtr value, std::string_view name_hint) {
  if (!value) Fail(GE_PARAM_INVALID, "constant '", name_hint, "' has no value");
  static const Symbol value_name("value");
  Transaction all(graph);
  Node *node = MakeNode(graph, "Const", name_hint);
  TensorDesc desc = value->desc;
  desc.attrs = nullptr;
  graph.SetOutputDesc(node, 0, std::move(desc));
  graph.SetAttr(node, value_name, AttrValue(std::move(value)));
  all.Commit();
  return node;
}

NodeParts PartsOf(const Node &node) {
  NodeParts parts;
  parts.dyn_in = node.dynamic_input_counts().data();
  parts.dyn_in_size = node.dynamic_input_counts().size();
  parts.dyn_out = node.dynamic_output_counts().data();
  parts.dyn_out_size = node.dynamic_output_counts().size();
  parts.attrs = node.attrs();
  return parts;
}

Node *CopyNode(Graph &target, const Node &node, std::string name) {
  const auto own = [](TensorDesc desc) {
    if (desc.attrs) desc.attrs = std::make_shared<AttrMap>(*desc.attrs);
    return desc;
  };
  Transaction all(target);
  Node *copy = target.AddNode(&node.ir(), std::move(name), PartsOf(node));
  for (size_t i = 0; i < node.output_count(); ++i) target.SetOutputDesc(copy, i, own(node.output_desc(i)));
  for (size_t i = 0; i < node.input_count(); ++i)
    if (const TensorDesc *desc = node.explicit_input_desc(i)) target.SetInputDesc(copy, i, own(*desc));
  target.SetLineage(copy, node.origins(), node.passes());
  all.Commit();
  return copy;
}

}  // namespace gec
