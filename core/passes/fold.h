// Small clean-ups that every compile and every specialisation needs, whatever the optimisation level.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/ir/graph.h"

namespace gec {

/// Values that inference found become constants. Returns how many.
size_t FoldKnownValues(Graph &graph, const std::unordered_map<uint64_t, TensorPtr> &values);
/// Removes nodes that nothing reads and that do nothing but compute. Graph inputs stay. Returns how many.
size_t RemoveDeadNodes(Graph &graph);

}  // namespace gec
