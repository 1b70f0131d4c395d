// Regions: graphs that an engine took, each called by one node.
#pragma once

#include <string>

#include "core/ir/graph.h"

namespace gec {

/// An attribute of a region's graph: the name of the engine that took it.
Symbol RegionAttr();
/// The region that a node calls, or null.
const Graph *RegionOf(const Node &node);
bool IsRegion(const Graph &graph);
std::string RegionEngine(const Graph &region);
/// All shapes of a region that its kernel could ask for are known.
bool RegionShapesKnown(const Graph &region);
/// A graph of its own that calls a copy of the region, for regions that are entered from outside a plan.
GraphPtr CallOfRegion(const Graph &region);

}  // namespace gec
