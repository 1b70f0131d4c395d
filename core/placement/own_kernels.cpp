#include "core/placement/own_kernels.h"

#include "core/ops/traits.h"

namespace gec {
namespace {

class Marker {
 public:
  explicit Marker(const KernelFactory &kernels) : kernels_(kernels) {}

  void Mark(Graph &graph, uint32_t first) {
    for (Node *node : graph.Nodes()) {
      if (node->id() < first || !NeedsKernel(*node) || !HasBuiltinTraits(*node)) continue;
      const OpDescView view(*node);
      if (kernels_.WouldRunOwn(*node, *view.get())) graph.SetOwnKernel(node);
    }
  }

 private:
  const KernelFactory &kernels_;
};

}  // namespace

NodesSoFar::NodesSoFar(const Graph &root, const KernelFactory &kernels) : root_(&root) {
  if (!kernels.has_own_engines()) return;
  root_limit_ = root.id_limit();
  for (const GraphPtr &graph : root.subgraphs()) subgraphs_.emplace_back(graph, graph->id_limit());
}

uint32_t NodesSoFar::IdLimit(const Graph &graph) const {
  if (&graph == root_) return root_limit_;
  for (const auto &[known, limit] : subgraphs_) {
    if (known.get() == &graph) return limit;
  }
  return 0;
}

void MarkOwnKernels(Graph &root, const KernelFactory &kernels, const NodesSoFar *before) {
  if (!kernels.has_own_engines()) return;
  const auto first = [&](const Graph &graph) { return before ? before->IdLimit(graph) : 0; };
  Marker marker(kernels);
  marker.Mark(root, first(root));
  for (const GraphPtr &graph : root.subgraphs()) marker.Mark(*graph, first(*graph));
}

}  // namespace gec
