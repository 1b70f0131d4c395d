#include "core/placement/reserved_nodes.h"

#include <algorithm>

#include "core/ops/infer_subgraphs.h"
#include "core/placement/node_engines.h"
#include "core/placement/regions.h"

namespace gec {

void UnmarkReservedNodes(Graph &root) {
  auto unmark = [](Graph &graph) {
    for (Node *node : graph.Nodes()) {
      if (!node->attrs().empty() && node->attrs().Has(ReservedAttr())) graph.RemoveAttr(node, ReservedAttr());
    }
  };
  unmark(root);
  for (const GraphPtr &graph : root.subgraphs()) unmark(*graph);
}

size_t MarkReservedNodes(Graph &root, const KernelFactory &kernels) {
  // Engines of the program's own operators have a mark of their own (IrDef::own_kernel).
  const auto fusible = [](const Engine &e) {
    return !e.takes_nodes() || e.own_operators() || (e.flags() & GE_ENGINE_FUSIBLE) != 0;
  };
  const EngineList &engines = kernels.engines();
  if (std::all_of(engines.begin(), engines.end(), [&](const EnginePtr &e) { return fusible(*e); })) return 0;
  std::vector<Node *> nodes;
  const auto collect = [&](const Graph &graph) {
    if (IsRegion(graph) || !Infers(graph)) return;
    for (Node *node : graph.Nodes())
      if (NeedsKernel(*node) && !node->ir().own_kernel && !node->pinned()) nodes.push_back(node);
  };
  collect(root);
  for (const GraphPtr &graph : root.subgraphs()) collect(*graph);
  std::vector<const Engine *> takers(nodes.size());
  VisitNodes(nodes, kernels,
             [&](size_t k, Node &node, const GeOpDesc &op) { takers[k] = kernels.Place(node, op).engine; });
  size_t count = 0;
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (!takers[k] || fusible(*takers[k])) continue;
    nodes[k]->graph().SetAttr(nodes[k], ReservedAttr(), AttrValue(takers[k]->name()));
    ++count;
  }
  return count;
}

}  // namespace gec
