// Reads and writes of one variable that no edge puts in order.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

struct VariableAccess {
  const Node *node;
  const std::string *variable;  // one string for each
  bool writes;
};
/// Logs GE's warning W18888, once for each variable that a node writes while no path of edges leads from or to another
/// node that reads or writes it. Accesses are in topological order.
void LogRaces(const Graph &graph, const std::vector<VariableAccess> &accesses);

}  // namespace gec
