// Nodes that may become one node without closing a cycle.
//
// Every node has a level: that of its producers, plus one over each edge that does not join two nodes of one kind.
// Nodes of one level that such edges join form a group; a path that leaves a group only climbs and so never returns. A
// group that only one other group of its kind reads joins that one, whatever its level: nothing can lie between them.
// All of it is linear in nodes and edges.
#pragma once

#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// Groups of connected nodes of one kind. `kinds` has one number for each node id; nodes with a negative one are in no
/// group, and so has to be every node with control edges. `order` is the graph's topological order. Nodes in a group
/// come in that order, groups in the order of their first nodes. All groups together close no cycle.
std::vector<std::vector<Node *>> ConvexGroups(const Graph &graph, const std::vector<Node *> &order,
                                              const std::vector<int32_t> &kinds);

}  // namespace gec
