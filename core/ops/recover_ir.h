// Graphs whose prototypes are of another version than those registered here.
//
// A node remembers the prototype that its builder was generated from. Where this library knows the operator by another
// version of the prototype, the node changes over to it, as long as nothing that the program said gets lost.
#pragma once

#include "core/ir/graph.h"

namespace gec {

/// A copy of the graph (of a root with its subgraphs, of a subgraph with those it calls) whose nodes follow the
/// prototypes registered here, or null when all of them do already. Data nodes, NetOutput and types without a
/// registered prototype stay as they are. Throws GE_FAILED naming node, item and both prototypes.
GraphPtr RecoverIr(const Graph &graph);

/// Output descriptions of `recovered`, made by RecoverIr(graph), for the nodes of `graph`.
void TakeOutputDescs(const Graph &recovered, Graph &graph);

}  // namespace gec
