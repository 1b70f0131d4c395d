#include "core/ops/make_node.h"

#include "core/ops/registry.h"
#include "core/support/error.h"

namespace gec {

Node *MakeNode(Graph &graph, std::string_view type, std::string_view name_hint, std::initializer_list<int32_t> dyn_in,
               std::initializer_list<int32_t> dyn_out) {
  return graph.AddNode(OpRegistry::Instance().Get(type), graph.UniqueName(name_hint), dyn_in.begin(), dyn_in.size(),
                       dyn_out.begin(), dyn_out.size());
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

}  // namespace gec
