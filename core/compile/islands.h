// Parts of a graph that can be planned although shapes of other parts depend on values.
//
// A graph that has one node whose output shapes depend on values, or a branch or a loop, has no plan. What lies around
// such nodes has one as soon as the shapes of its own inputs are known: it is moved into graphs of its own ("islands"),
// which the graph calls (PartitionedCall). A run goes through the remaining nodes one by one, and each call runs the
// plan of its island, which is fused, blocked and kept in planned memory like any other.
//
// Which nodes those are is tried out: shapes are inferred for given inputs, and where only values tell an extent, one
// is assumed and inference goes on. A wrong guess costs speed only: an island that turns out to have no plan runs node
// by node.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/infer.h"

namespace gec {

/// True for a graph that MakeIslands made.
bool IsIsland(const Graph &graph);

struct Island {
  std::string name;     // of the graph
  size_t nodes = 0;     // that compute
  bool certain = true;  // no extent in it was assumed: with the inputs that were tried, it gets `inputs`
  std::vector<TensorDesc> inputs;
};

struct IslandGraph {
  GraphPtr graph;  // calls the islands, its subgraphs; null where there are none
  std::vector<Island> islands;
};

/// A copy of `graph` with islands. `inputs` are those that a run has. `prefix` begins the islands' names.
IslandGraph MakeIslands(const Graph &graph, const std::vector<TensorDesc> &inputs, const EvaluateFn &evaluate,
                        const std::string &prefix);

}  // namespace gec
