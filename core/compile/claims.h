// Engines take parts of a graph before operators are fused.
//
// A set of nodes that an engine takes is cut into regions (core/pattern/convex_groups.h), each a graph of its own that
// the root calls (PartitionedCall): passes and inference treat a region as they treat every call.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/placement/kernels.h"

namespace gec {

/// The fate of a region; data for reports.
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
  /// Engines saw these, also those that refused. They may have packed forms of them that are known by their address, so
  /// they stay where they are as long as the model.
  std::vector<TensorPtr> constants;
};
/// Makes the kernels of the root's regions whose shapes are known, and puts the nodes of refused ones back where they
/// were. Regions of branches and bodies wait for their plans.
RegionKernels MakeRegions(Graph &root, KernelFactory &kernels, std::vector<RegionNote> *notes);

}  // namespace gec
