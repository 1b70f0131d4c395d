// Summary and Save nodes: values of a graph that a program's callback is told after every run.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

struct WatchedValues {
  std::vector<std::string> summaries;  // names of the Summary nodes
  std::vector<std::string> saved;      // names of the variables that Save nodes read
  size_t count() const { return summaries.size() + saved.size(); }
};

bool HasWatchedValues(const Graph &graph);
/// What these nodes read becomes outputs behind the graph's own, summaries first, and the nodes go.
WatchedValues WatchedValuesToOutputs(Graph &graph);
/// True when the graph has variables of its own, subgraphs aside.
bool HasVariables(const Graph &graph);

}  // namespace gec
