#include "runtime/graph_options.h"

#include <algorithm>

#include "core/ir/types.h"
#include "core/passes/pass.h"
#include "core/placement/registry.h"
#include "core/support/error.h"
#include "core/support/warnings.h"
#include "core/variables/variables.h"

namespace gec {

void CheckInputFormat(const Graph &graph, const Options &options) {
  const std::string wanted = options.Get("input_format");
  if (wanted == "ND") return;
  const int64_t rank = wanted == "NCHW" || wanted == "NHWC" || wanted == "CHWN" ? 4 : 5;
  for (const Node *input : graph.Inputs()) {
    if (IsVariableInput(*input)) continue;
    const TensorDesc &desc = input->output_desc(0);
    const bool may_have_it = !desc.shape.has_rank() || desc.shape.rank() == rank;
    if (!may_have_it || wanted == FormatName(desc.format)) continue;
    if (desc.format == C_FORMAT_ND) {
      WarnOnce(
          Str("option input_format is '", wanted,
              "', and inputs of format ND stay as they are: the operators that read them say what a dimension is"));
    } else {
      Fail(GE_OPTION_INVALID, "option input_format is '", wanted, "', input '", input->OriginText(), "' of graph '",
           graph.name(), "' is ", FormatName(desc.format),
           ": layouts are not converted; put a Transpose into the graph");
    }
  }
}

ExcludedEngines EnginesLeftOut(const Settings &settings) {
  ExcludedEngines excluded;
  ExcludeByCoreType(settings.core_type, &excluded);
  if (settings.excluded_engines.empty() && settings.ge_excluded_engines.empty()) return excluded;
  const std::vector<EngineEntryPtr> entries = EngineRegistry::Instance().Entries();
  std::string list;
  for (const EngineEntryPtr &entry : entries) list += (list.empty() ? "" : ", ") + entry->name;
  const bool all_open = std::all_of(entries.begin(), entries.end(), [](const EngineEntryPtr &e) { return e->engine; });
  for (const std::string &name : settings.excluded_engines) {
    excluded.emplace(name, "excluded by option engines.exclude");
    if (std::any_of(entries.begin(), entries.end(), [&](const EngineEntryPtr &e) { return e->name == name; })) continue;
    const std::string told = Str("option engines.exclude: there is no engine '", name, "', there are: ", list);
    // A plug-in that is not opened, as on an older processor, has a name that only it knows: it may be this one.
    if (all_open) Fail(GE_OPTION_INVALID, told);
    WarnOnce(told);
  }
  ExcludeByGe(settings.ge_excluded_engines, entries, &excluded);
  return excluded;
}

std::vector<std::string> DisabledPassesOfGe(const Settings &settings) {
  std::vector<std::string> disabled;
  for (const std::string &name : settings.ge_disabled_passes) {
    if (PassRegistry::Instance().Find(name)) disabled.push_back(name);
    else WarnOnce(Str("option ge.disableOptimizations has no effect on '", name, "': there is no such pass"));
  }
  return disabled;
}

}  // namespace gec
