// Engines take parts of a graph before operators are fused.
//
// What an engine takes is cut into regions, each a graph of its own that the root calls (PartitionedCall): what passes
// and inference know of calls holds for regions. Nodes of a set go together without closing a cycle when they have one
// level: that of their producers, plus one over every edge that leaves or enters the set. A path that leaves a region
// only climbs and so never returns. A region that only one other of the same set reads joins it, whatever its level:
// nothing can lie between them. Cutting is linear in nodes and edges.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/placement/kernels.h"

namespace gec {

/// What became of what an engine took; data for reports.
struct RegionNote {
  std::string engine, name;
  size_t nodes = 0;
  std::string refusal;  // why the engine does not run it after all; "": it does
};

/// Asks all engines that take parts of graphs, composite ones first, then by cost, and puts calls of regions in the
/// place of what they took. Returns the number of regions. Throws GE_PARAM_INVALID where an engine names nodes that do
/// not exist or takes one twice, and what engines fail with; the graph is then as before.
size_t ClaimRegions(Graph &root, const KernelFactory &kernels);

/// Puts the nodes of all regions back where they were: of a graph that was compiled before, perhaps with other engines.
void DissolveRegions(Graph &root);

struct RegionKernels {
  std::map<std::string, KernelFactory::Made> made;  // by the region's name
  /// What engines saw, also those that refused. They may have packed forms of it that are known by its address, so it
  /// stays where it is as long as the model.
  std::vector<TensorPtr> constants;
};
/// Makes the kernels of the root's regions whose shapes are known, and puts the nodes of refused ones back where they
/// were. Regions of branches and bodies wait for their plans.
RegionKernels MakeRegions(Graph &root, KernelFactory &kernels, std::vector<RegionNote> *notes);

}  // namespace gec
