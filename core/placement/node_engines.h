// The engine of every node, asked before kernels are made.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/placement/kernels.h"

namespace gec {

struct NodeEngine {
  Node *node;
  std::string engine;    // "": none takes it
  std::string refusals;  // one line "engine: reason" per engine asked before
};
/// For the nodes of the root, and of branches and bodies, that need a kernel, and for regions. Large graphs are asked
/// about on the threads of the kernels' model; the order is that of the graphs.
std::vector<NodeEngine> EnginesOfNodes(const Graph &root, const KernelFactory &kernels);

/// Where the kernels of these nodes are to be made, in their order. Shapes are known.
std::vector<KernelPlacement> PlaceNodes(const std::vector<Node *> &nodes, KernelFactory &kernels);

/// Calls visit(k, node, description) for each node of the list, on several threads where there are many. Throws the
/// first exception of the earliest node.
void VisitNodes(const std::vector<Node *> &nodes, const KernelFactory &kernels,
                const std::function<void(size_t k, Node &node, const GeOpDesc &op)> &visit);

}  // namespace gec
