// Where a model's packed weights are kept, and what they depend on.
#pragma once

#include <memory>

#include "core/ir/graph.h"
#include "core/placement/engine.h"
#include "runtime/options.h"
#include "runtime/weight_store.h"

namespace gec {

/// The attribute of a graph that names the model file which it was imported from; set where option weights.store is.
inline constexpr const char *kModelFileAttr = "_model_file";

/// The store that option weights.store asks for; null without the option, and, with a warning, where it cannot be.
std::unique_ptr<WeightStore> OpenWeightStore(const Settings &settings, const Options &options, const Graph &graph,
                                             const EngineList &engines);

}  // namespace gec
