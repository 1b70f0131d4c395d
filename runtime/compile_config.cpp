#include "runtime/compile_config.h"

#include <string>
#include <utility>

#include "core/passes/pass.h"
#include "core/support/error.h"
#include "core/support/log.h"
#include "core/support/warnings.h"
#include "runtime/graph_options.h"
#include "runtime/pass_switches.h"

namespace gec {

PassScopePtr ScopeOfCompile(const Settings &settings, const Options &options) {
  const PassScopePtr current = PassScope::Current();
  auto scope = std::make_shared<PassScope>(*current);
  scope->instruments.clear();
  scope->watched_by = current;  // a pass may override them while the compile goes on
  // Passes that only sequences of the program know may stand in its scope.
  for (const auto *names : {&current->disabled, &current->required}) {
    for (const std::string &name : *names) {
      if (PassRegistry::Instance().Find(name)) continue;
      const std::string text =
          Str("the compile knows no pass '", name, "' of the scope", PassRegistry::Instance().Suggestion(name));
      scope->Report(GE_LOG_WARNING, "", text);
      WarnOnce(text);
    }
  }
  for (const std::string &name : current->disabled)
    if (PassRegistry::Instance().Find(name)) CheckPassName(name, "the scope of passes", true);
  if (options.Find("opt_level") || options.Find("ge.oo.level")) scope->opt_level = settings.opt_level;
  for (const std::string &name : settings.disabled_passes) {
    CheckPassName(name, "option passes.disable", true);
    scope->disabled.insert(PassRegistry::Instance().NameOf(name));
  }
  for (std::string &name : DisabledPassesOfGe(settings)) {
    CheckPassName(name, "option ge.disableOptimizations", true);
    scope->disabled.insert(std::move(name));
  }
  const PassSwitches &switches = settings.switches;
  for (const auto &[name, on] : switches.option) scope->switches.option[name] = on;
  for (const auto &[name, on] : switches.file) scope->switches.file[name] = on;
  if (switches.all) scope->switches.all = switches.all;
  WarnOfIdleSwitches(switches);
  return scope;
}

CompileConfig ConfigOfCompile(const Settings &settings, const Options &options, PassScopePtr scope) {
  CompileConfig config;
  config.scope = std::move(scope);
  config.blocked_layouts = true;
  config.verify = settings.verify || config.scope->Bool("passes.verify", false);
  config.dump_dir = settings.dump_dir;
  config.input_shapes = settings.input_shapes;
  config.options = options.all();
  if (settings.progress) {
    config.progress = [done = 0](const char *stage) mutable { Log(GE_LOG_INFO, "[", ++done, "/6] ", stage); };
  }
  return config;
}

}  // namespace gec
