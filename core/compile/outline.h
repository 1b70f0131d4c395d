// Sets of nodes move into graphs of their own, which calls take the place of.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

struct NodesToOutline {
  std::vector<Node *> nodes;  // in topological order
  std::string hint;           // the graph's name: this and a number
  AttrMap attrs;              // of the graph
};

/// Moves each set into a graph of its own, attached to `root`; PartitionedCall nodes in `graph` call them. Constants
/// that a set reads are copied along (their contents are shared), what else it reads becomes an input. All sets
/// together close no cycle (core/pattern/convex_groups.h). A set that nobody reads stays where it is. Returns the
/// calls, in the order of the sets. *number counts names that were given, also by earlier calls.
std::vector<Node *> OutlineNodes(Graph &root, Graph &graph, const std::vector<NodesToOutline> &sets, size_t *number);

}  // namespace gec
