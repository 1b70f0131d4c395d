// Entering a graph for the function that runs: one thread at a time is inside it (core/support/thread_owner.h).
#pragma once

#include "core/ir/graph.h"

namespace gec {

/// Enters a graph and all that belong to its root until the innermost Visit ends. Throws GE_BAD_STATE as Visit::Enter.
inline Graph &Enter(Graph &graph, const char *function) {
  for (;;) {
    ThreadOwner &owner = graph.owner();
    Visit::Enter(owner, function, [&graph] { return "graph '" + graph.NameFromOutside() + "'"; });
    if (&graph.owner() == &owner) return graph;  // it did not become a subgraph of another one meanwhile
  }
}

}  // namespace gec
