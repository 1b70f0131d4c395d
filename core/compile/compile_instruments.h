// A compile tells of itself: times and progress of its stages, and dumps of the graph.
#pragma once

#include "core/compile/pipeline.h"

namespace gec {

/// Names of the stages after which something is dumped.
inline constexpr const char *kCompileSequence = "Compile";
inline constexpr const char *kInferStage = "infer";
inline constexpr const char *kPartitionStage = "partition";

/// Those that the configuration and the environment ask for. Both arguments must outlive them; report may be null.
std::vector<PassInstrumentPtr> CompileInstruments(const CompileConfig &config, CompileReport *report);

}  // namespace gec
