#include "core/placement/ge_engines.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/warnings.h"

namespace gec {

// Engines of a device's other units have no counterpart: where a program asks for one of them, the engine that has
// kernels for its operators takes its place.
const std::vector<GeEngineName> kGeEngineNames = {
    {"DNN_VM_CUSTOM", "", "DNN_VM_CUSTOM"},
    {"AIcoreEngine", "AiCore", "AIcoreEngine"},
    {"VectorEngine", "AiVector", "VectorEngine"},
    {"DNN_VM_DVPP", "Dvpp", "DNN_VM_HOST_CPU"},
    {"DNN_VM_AICPU", "AiCpu", "DNN_VM_HOST_CPU"},
    {"DNN_VM_AICPU_ASCEND", "AiCpuAscend", "DNN_VM_HOST_CPU"},
    {"DNN_VM_AICPU_FFTS_PLUS", "", "DNN_VM_HOST_CPU"},
    {"DNN_VM_AICPU_ASCEND_FFTS_PLUS", "", "DNN_VM_HOST_CPU"},
    {"DNN_VM_GE_LOCAL", "", "DNN_VM_GE_LOCAL"},
    {"DNN_VM_HOST_CPU", "HostCpu", "DNN_VM_HOST_CPU"},
    {"DNN_VM_RTS", "", "DNN_VM_HOST_CPU"},
    {"DNN_VM_RTS_FFTS_PLUS", "", "DNN_VM_HOST_CPU"},
    {"DNN_HCCL", "Hccl", ""},
    {"ffts_plus", "FftsPlus", ""},
    {"DSAEngine", "Dsa", "DNN_VM_HOST_CPU"},
};

namespace {

/// The row whose `column` is the name, or null.
const GeEngineName *FindGeEngine(std::string_view name, const char *GeEngineName::*column) {
  auto at = std::find_if(kGeEngineNames.begin(), kGeEngineNames.end(),
                         [&](const GeEngineName &row) { return row.*column == name; });
  return name.empty() || at == kGeEngineNames.end() ? nullptr : &*at;
}

}  // namespace

std::string_view EngineMeant(const EngineList &loaded, std::string_view name) {
  if (std::any_of(loaded.begin(), loaded.end(), [&](const EnginePtr &e) { return e->name() == name; })) return name;
  const GeEngineName *row = FindGeEngine(name, &GeEngineName::name);
  return row && row->here[0] ? std::string_view(row->here) : name;
}

void ExcludeByGe(const std::vector<std::string> &values, const std::vector<EngineEntryPtr> &there,
                 ExcludedEngines *excluded) {
  constexpr const char *kOption = "ge.exec.exclude_engines";
  for (const std::string &value : values) {
    const GeEngineName *row = FindGeEngine(value, &GeEngineName::exclude);
    const std::string name = row ? row->name : value;
    if (std::any_of(there.begin(), there.end(), [&](const EngineEntryPtr &e) { return e->name == name; })) {
      excluded->emplace(name, Str("excluded by option ", kOption, "=", value));
    } else if (row || FindGeEngine(value, &GeEngineName::name)) {
      WarnOnce(Str("option ", kOption, " has no effect on '", value, "': there is no engine ", name, " here"));
    } else {
      std::string known;
      for (const GeEngineName &r : kGeEngineNames)
        if (r.exclude[0]) known += (known.empty() ? "" : ", ") + std::string(r.exclude);
      for (const EngineEntryPtr &e : there) known += ", " + e->name;
      const std::string told = Str("option ", kOption, ": there is no engine '", value, "', allowed: ", known);
      // A plug-in that is not opened has a name that only it knows: it may be this one.
      if (std::all_of(there.begin(), there.end(), [](const EngineEntryPtr &e) { return e->engine != nullptr; }))
        Fail(GE_OPTION_INVALID, told);
      WarnOnce(told);
    }
  }
}

void ExcludeByCoreType(std::string_view core_type, ExcludedEngines *excluded) {
  if (core_type == "VectorEngine" || core_type == "VectorCore")
    excluded->emplace("AIcoreEngine", Str("excluded by option ge.engineType=", core_type));
}

}  // namespace gec
