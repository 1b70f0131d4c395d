// Names of GE's engines in options and attributes of programs, and which engine does their work here.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/placement/registry.h"

namespace gec {

struct GeEngineName {
  const char *name;     // in attributes: "_specified_engine_name"
  const char *exclude;  // in option ge.exec.exclude_engines; "": it cannot be left out
  const char *here;     // the engine that runs its operators here; "": none does
};
/// The engines that GE registers, in its order.
extern const std::vector<GeEngineName> kGeEngineNames;

/// The name of the engine that a program means by `name`: the loaded one of this name, else the one that does the work
/// of GE's engine here, else `name`.
std::string_view EngineMeant(const EngineList &loaded, std::string_view name);

/// Maps the name of an engine to the reason why it is not asked: "excluded by option engines.exclude".
using ExcludedEngines = std::map<std::string, std::string, std::less<>>;

/// Adds what option ge.exec.exclude_engines leaves out, names of GE or of engines that are there. Throws
/// GE_OPTION_INVALID for other names; warns of engines of GE that are not here.
void ExcludeByGe(const std::vector<std::string> &values, const std::vector<EngineEntryPtr> &there,
                 ExcludedEngines *excluded);
/// Adds what option ge.engineType leaves out: vector cores have no matrix unit.
void ExcludeByCoreType(std::string_view core_type, ExcludedEngines *excluded);

}  // namespace gec
