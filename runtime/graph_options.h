// Options whose values are held against what there is when a graph is compiled: its inputs, the engines, the passes.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/placement/ge_engines.h"
#include "runtime/options.h"

namespace gec {

/// Throws GE_OPTION_INVALID where option input_format names another layout than an input of the graph has, and warns
/// where an input says nothing about its layout.
void CheckInputFormat(const Graph &graph, const Options &options);
/// Engines that placement leaves out. Throws GE_OPTION_INVALID for names that no engine has; warns of engines of GE
/// that are not here.
ExcludedEngines EnginesLeftOut(const Settings &settings);
/// Passes of ge.disableOptimizations that there are; warns of the others, as GE's passes are others.
std::vector<std::string> DisabledPassesOfGe(const Settings &settings);

}  // namespace gec
