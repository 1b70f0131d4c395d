// The placed graph: every node with its engine, every copy between memories a node. All forms of dumps show it.
#pragma once

#include "core/compile/exec_plan.h"
#include "core/ir/placement_attrs.h"

namespace gec {

/// A copy of a static plan's graph, whose nodes have the attributes of core/ir/placement_attrs.h. A value that crosses
/// a border between memories goes through a TensorMove.
GraphPtr PlacedGraph(const ExecPlan &plan);
/// Writes down which engine takes each node of a graph and its subgraphs, before shapes are known.
void MarkEngines(Graph &root, const KernelFactory &kernels);

}  // namespace gec
