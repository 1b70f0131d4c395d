// How often registered fusion passes matched and took effect, graph by graph: fusion_result.json.
#pragma once

#include <cstdint>

#include "core/passes/pass.h"
#include "runtime/options.h"

namespace gec {

/// Adds what a compile did. With ge.exportCompileStat 2 the file is written at once.
void RecordCompile(uint64_t session, uint32_t graph, const PassReport &report, const Options &options);
/// Writes what was recorded, unless ge.exportCompileStat says not to, and forgets it.
void FinishCompileStats(const Options &options) noexcept;

}  // namespace gec
