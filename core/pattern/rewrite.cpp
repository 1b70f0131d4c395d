#include "core/pattern/rewrite.h"

#include "core/ir/quantization.h"
#include "core/ops/infer.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/make_node.h"
#include "core/ops/recover_ir.h"
#include "core/pattern/lineage.h"
#include "core/support/error.h"

namespace gec {

Refusal WhyNotFuse(const std::vector<Node *> &nodes) {
  if (nodes.empty()) return {"there are no nodes"};
  for (const Node *node : nodes) {
    if (!node || node->removed()) return {"one of the nodes was removed"};
    if (&node->graph() != &nodes.front()->graph())
      return {Str(nodes.front()->Label(), " is of graph '", nodes.front()->graph().name(), "', ", node->Label(),
                  " of graph '", node->graph().name(), "'")};
  }
  if (std::string conflict = AttrConflict(nodes); !conflict.empty()) return {conflict};
  if (WouldMakeCycle(nodes))
    return {Str("one node for ", nodes.front()->Label(), " and the others would lie on a cycle"), "", Mismatch::kCycle};
  return {};
}

void InferReplacement(const Boundary &boundary, Graph &replacement) {
  static const Symbol index("index");
  // Shapes are worked out on a copy, in which constants outside stand beside the inputs that they feed.
  GraphPtr work = RecoverIr(replacement);
  if (!work) work = replacement.Clone();
  for (Node *data : work->Inputs()) {
    const AttrValue *number = data->attrs().Find(index);
    if (!number) Fail(GE_GRAPH_INVALID, "replacement '", replacement.name(), "': ", data->Label(), " has no index");
    auto input = boundary.inputs.find(IntOf(number, -1));
    if (input == boundary.inputs.end() || input->second.empty())
      Fail(GE_GRAPH_INVALID, "replacement '", replacement.name(), "': ", data->Label(), " has index ",
           IntOf(number, -1), ", the part that it replaces has no such input");
    const Use &port = input->second.front();
    if (!port.node || port.node->removed()) Fail(GE_GRAPH_INVALID, "a node of the part to replace was removed");
    const Endpoint source = port.node->input(static_cast<size_t>(port.port));
    if (!source) Fail(GE_GRAPH_INVALID, port.node->Label(), ": input port ", port.port, " is not connected");
    TensorDesc desc = source.node->output_desc(static_cast<size_t>(source.port));
    KeepOnlyQuantization(&desc);
    work->SetOutputDesc(data, 0, std::move(desc));
    if (TensorPtr value = ConstantOf(source); value && value->buffer)
      work->ReplaceUses({data, 0}, {MakeConst(*work, std::move(value), data->name() + "_value"), 0});
  }
  InferGraph(*work);
  TakeOutputDescs(*work, replacement);
}

}  // namespace gec
