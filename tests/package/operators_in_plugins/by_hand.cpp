// An Add that a library brings itself, as a static generated library would: it swaps its inputs.
#include "es_graph_builder.h"
#include "ge/compliant_node_builder.h"

namespace {
EsCTensorHolder *Swapped(const char *type, EsCTensorHolder *a, EsCTensorHolder *b) {
  using ge::es::CompliantNodeBuilder;
  EsCGraphBuilder *owner = EsGetOwnerBuilder(a);
  ge::Graph &graph = *owner->GetGraph();
  ge::GNode node = CompliantNodeBuilder(&graph)
                       .OpType(type)
                       .Name("by_hand")
                       .IrDefInputs({{"x1", CompliantNodeBuilder::kEsIrInputRequired, ""},
                                     {"x2", CompliantNodeBuilder::kEsIrInputRequired, ""}})
                       .IrDefOutputs({{"inside_y", CompliantNodeBuilder::kEsIrOutputRequired, ""}})
                       .Build();
  auto port = [](EsCTensorHolder *tensor) { return ge::es::EsTensorHolder(tensor).GetProducerOutIndex(); };
  ge::GNode &x = *ge::es::EsTensorHolder(a).GetProducer(), &y = *ge::es::EsTensorHolder(b).GetProducer();
  (void)ge::es::AddEdgeAndUpdatePeerDesc(graph, x, port(a), node, 1);
  (void)ge::es::AddEdgeAndUpdatePeerDesc(graph, y, port(b), node, 0);
  return owner->GetTensorHolderFromNode(node, 0);
}
}  // namespace

extern "C" {
EsCTensorHolder *EsAdd(EsCTensorHolder *a, EsCTensorHolder *b) { return Swapped("Add", a, b); }
EsCTensorHolder *EsSub(EsCTensorHolder *a, EsCTensorHolder *b) { return Swapped("Sub", a, b); }
EsCTensorHolder *EsMul(EsCTensorHolder *a, EsCTensorHolder *b) { return Swapped("Mul", a, b); }
EsCTensorHolder *EsDiv(EsCTensorHolder *a, EsCTensorHolder *b) { return Swapped("Div", a, b); }
}
