#include "runtime/session/compile_stats.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/serialize/air.h"
#include "core/support/json_text.h"
#include "core/support/log.h"

namespace gec {
namespace {

struct Counts {
  int64_t matched = 0, applied = 0;
};
using ByPass = std::map<std::string, Counts>;
struct Stats {
  std::mutex mutex;
  std::map<std::pair<uint64_t, uint32_t>, ByPass> graphs;  // session, graph
};
Stats &All() {
  static Stats *stats = new Stats();
  return *stats;
}

/// The lock is held.
void WriteFile(const Stats &stats) {
  std::string text = "[";
  for (const auto &[id, passes] : stats.graphs) {
    if (text.size() > 1) text += ",";
    text += Str("\n  {\"session_and_graph_id_", id.first, "_", id.second, "\": {\n    \"graph_fusion\": {");
    bool first = true;
    for (const auto &[name, counts] : passes) {
      text += Str(first ? "" : ",", "\n      ", JsonText(name), ": {\"effect_times\": \"", counts.applied,
                  "\", \"match_times\": \"", counts.matched, "\"}");
      first = false;
    }
    text += "\n    },\n    \"ub_fusion\": {}\n  }}";
  }
  text += "\n]\n";
  const char *folder = std::getenv("ASCEND_WORK_PATH");
  FileWriter file(folder && *folder ? std::string(folder) + "/fusion_result.json" : "fusion_result.json");
  file.Write(text.data(), text.size());
  file.Commit();
}

}  // namespace

void RecordCompile(uint64_t session, uint32_t graph, const PassReport &report, const Options &options) {
  if (options.Get("ge.exportCompileStat") == "0") return;
  Stats &stats = All();
  std::lock_guard lock(stats.mutex);
  bool any = false;
  for (const PassRun &run : report) {
    if (run.kind != PassKind::kFusion) continue;
    const PassRun::Rule total = run.Total();
    Counts &counts = stats.graphs[{session, graph}][run.name];
    counts.matched += total.applied + total.declined;
    counts.applied += total.applied;
    any = true;
  }
  if (!any || options.Get("ge.exportCompileStat") != "2") return;
  try {
    WriteFile(stats);
  } catch (const Error &e) {
    Log(GE_LOG_WARNING, "fusion_result.json: ", e.what());  // no reason to refuse a compiled graph
  }
}

void FinishCompileStats(const Options &options) noexcept {
  try {
    Stats &stats = All();
    std::lock_guard lock(stats.mutex);
    if (!stats.graphs.empty() && options.Get("ge.exportCompileStat") != "0") WriteFile(stats);
    stats.graphs.clear();
  } catch (const std::exception &e) {
    Log(GE_LOG_WARNING, "fusion_result.json: ", e.what());
  }
}

}  // namespace gec
