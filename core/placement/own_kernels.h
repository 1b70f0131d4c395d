// Nodes of built-in types that a program runs with kernels of its own.
#pragma once

#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/placement/kernels.h"

namespace gec {

/// Which nodes a graph and its subgraphs have at this moment; nodes made later are told from them.
class NodesSoFar {
 public:
  /// Remembers nothing where no engine of the program's own operators is loaded.
  NodesSoFar(const Graph &root, const KernelFactory &kernels);
  /// Ids of the graph's nodes are below this; 0 for a graph that was not there.
  uint32_t IdLimit(const Graph &graph) const;

 private:
  const Graph *root_;
  uint32_t root_limit_ = 0;
  std::vector<std::pair<GraphPtr, uint32_t>> subgraphs_;  // kept, so that no other graph gets their address
};

/// Marks the nodes of the root and its subgraphs that an engine of the program's own operators takes although their
/// types are built in: what the library knows of these types is not true of them. For nodes that programs made, in the
/// graph at first and by their passes later; nodes that the library's passes make are not marked, and run on its
/// kernels. `before` leaves out those that were there already. Costs nothing without such an engine.
void MarkOwnKernels(Graph &root, const KernelFactory &kernels, const NodesSoFar *before = nullptr);

}  // namespace gec
