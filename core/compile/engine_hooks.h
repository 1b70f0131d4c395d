// Engines change graphs for their own nodes, before and after the library's optimisation (GeEngineTable.optimize).
#pragma once

#include <functional>

#include "core/passes/pass.h"
#include "core/placement/kernels.h"
#include "ge/graph.h"

namespace gec {

/// Calls its second argument with the graph as programs see it; the handle ends with the call. The core knows no
/// handles, so the C ABI says how they are made when the library is loaded.
using WithGraphHandle = void (*)(Graph &, const std::function<void(GeGraph *)> &);
void SetGraphHandles(WithGraphHandle with);

/// Asks the engines that change graphs, one after the other. Each is a pass of its own: what it does is verified,
/// stands in the report, and is undone when it fails. Returns how many changed the graph. Throws what an engine fails
/// with, and GE_PARAM_INVALID where a node is gone that another engine claimed, or that the program gave to another
/// engine.
size_t RunEngineHooks(Graph &root, const KernelFactory &kernels, PassContext &context, int32_t hook);

}  // namespace gec
