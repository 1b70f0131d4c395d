#include "core/placement/regions.h"

#include "core/ops/make_node.h"
#include "core/ops/traits.h"

namespace gec {

Symbol RegionAttr() {
  static const Symbol name("_region");
  return name;
}

bool IsRegion(const Graph &graph) { return !graph.attrs().empty() && graph.attrs().Has(RegionAttr()); }

const Graph *RegionOf(const Node &node) {
  if (node.subgraphs().size() != 1 || ControlFlowOf(node) != GE_CONTROL_FLOW_CALL) return nullptr;
  const Graph *graph = node.subgraph(0);
  return graph && IsRegion(*graph) ? graph : nullptr;
}

std::string RegionEngine(const Graph &region) {
  const AttrValue *value = region.attrs().Find(RegionAttr());
  const std::string *name = value ? value->get_if<std::string>() : nullptr;
  return name ? *name : "";
}

bool RegionShapesKnown(const Graph &region) {
  for (const Node *node : region.Nodes()) {
    for (size_t i = 0; i < node->output_count(); ++i) {
      if (!node->output_desc(i).known()) return false;
    }
  }
  return true;
}

GraphPtr CallOfRegion(const Graph &region) {
  static const Symbol index("index"), body("f");
  GraphPtr root = Graph::Create("call of " + region.name());
  GraphPtr copy = region.Clone();
  const std::vector<Node *> inputs = copy->Inputs();
  const std::vector<Endpoint> results = copy->Outputs();
  Node *call = MakeNode(*root, "PartitionedCall", region.name(), {static_cast<int32_t>(inputs.size())},
                        {static_cast<int32_t>(results.size())});
  for (size_t i = 0; i < inputs.size(); ++i) {
    Node *data = CopyNode(*root, *inputs[i], inputs[i]->name());
    root->Connect({data, 0}, call, static_cast<int32_t>(inputs[i]->Int(index)));
  }
  std::vector<Endpoint> outputs;
  for (size_t o = 0; o < results.size(); ++o) {
    root->SetOutputDesc(call, o, results[o].node->output_desc(static_cast<size_t>(results[o].port)));
    outputs.push_back({call, static_cast<int32_t>(o)});
  }
  root->SetOutputs(std::move(outputs));
  root->AttachSubgraph(call, body, std::move(copy));
  return root;
}

}  // namespace gec
