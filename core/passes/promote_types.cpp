#include "core/passes/promote_types.h"

#include "core/ops/make_node.h"
#include "core/ops/promotion.h"
#include "core/ops/traits.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

void CastInput(Graph &graph, Node *node, size_t i, int32_t type) {
  static const Symbol dst_type("dst_type"), pass("PromoteTypes");
  const Endpoint source = node->input(i);
  Node *cast = MakeNode(graph, "Cast", Str(node->name(), "_promoted_", i));
  graph.SetAttr(cast, dst_type, AttrValue(int64_t{type}));
  graph.Connect(source, cast, 0);
  TensorDesc desc = DescOf(source);
  desc.dtype = type;
  desc.attrs = {};
  if (node->explicit_input_desc(i)) graph.SetInputDesc(node, i, desc);
  graph.SetOutputDesc(cast, 0, std::move(desc));
  graph.Reconnect({cast, 0}, node, static_cast<int32_t>(i));
  graph.InheritOrigins(cast, {node}, pass);
}

size_t PromoteInputsOf(Graph &graph, Node *node) {
  size_t casts = 0;
  for (size_t o = 0; o < node->output_count(); ++o) {
    const int32_t type = PromotedType(*node, o);
    if (type == C_DT_UNDEFINED) continue;
    for (const size_t i : PromotedInputs(*node, o)) {
      const Endpoint source = node->input(i);
      if (!source || DescOf(source).dtype == type || DescOf(source).dtype == C_DT_UNDEFINED) continue;
      CastInput(graph, node, i, type);
      ++casts;
    }
  }
  return casts;
}

size_t PromoteInputsIn(Graph &graph) {
  size_t casts = 0;
  for (Node *node : graph.Nodes()) {
    if (node->ir().own_kernel || node->input_count() < 2) continue;
    if (node->ir().promotes || HasTrait(*node, GE_TRAIT_PROMOTES)) casts += PromoteInputsOf(graph, node);
  }
  return casts;
}

}  // namespace

size_t PromoteInputs(Graph &root) {
  size_t casts = PromoteInputsIn(root);
  for (const GraphPtr &sub : root.subgraphs()) casts += PromoteInputsIn(*sub);
  return casts;
}

}  // namespace gec
