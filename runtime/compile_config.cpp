#include "runtime/compile_config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/passes/pass.h"
#include "core/passes/precision.h"
#include "core/support/error.h"
#include "core/support/log.h"
#include "core/support/warnings.h"
#include "runtime/graph_options.h"
#include "runtime/option_values.h"
#include "runtime/pass_library.h"
#include "runtime/pass_switches.h"
#include "runtime/python_passes.h"

namespace gec {

namespace fs = std::filesystem;

namespace {
/// A copy of a scope, whose instruments stay where they are: a pass may override them while the compile goes on, and
/// one that compiles hands them on.
PassScopePtr ScopeUnder(const PassScopePtr &outer) {
  auto scope = std::make_shared<PassScope>(*outer);
  scope->instruments.clear();
  scope->watched_by = outer->watched_by ? outer->watched_by : outer;
  return scope;
}

std::vector<PassEntryPtr> PassesOfFiles(const Options &options) {
  std::vector<PassEntryPtr> all;
  for (const std::string &path : Split(options.Get("passes"), ':')) {
    std::error_code error;
    const bool is_folder = fs::is_directory(path, error);
    if (!is_folder && !fs::exists(path, error))
      Fail(GE_PARAM_INVALID, "option passes: '", path, "': there is no such file");
    const std::string suffix = fs::path(path).extension().native();
    std::vector<PassEntryPtr> found;
    if (is_folder || suffix == ".py") found = PythonPassesOf(path, "option passes='" + path + "'", options);
    else if (suffix == ".so") found = PassesOfLibrary(path);
    else
      Fail(GE_PARAM_INVALID, "option passes: '", path,
           "': expected a library (.so), a Python file (.py) or a folder of them");
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}
}  // namespace

OwnPasses::OwnPasses(const Options &options) {
  const PassScopePtr current = PassScope::Current();
  std::vector<PassEntryPtr> passes = PassesOfFiles(options);
  // A pass that compiles: its compile does not get the passes of the one that runs it.
  if (passes.empty() && current->own_passes.empty()) return;
  auto scope = ScopeUnder(current);
  scope->own_passes = std::move(passes);
  adopted_.emplace(std::move(scope));
}

PassScopePtr ScopeOfCompile(const Settings &settings, const Options &options) {
  const PassScopePtr current = PassScope::Current();
  auto scope = ScopeUnder(current);
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

namespace {
std::string TextOf(const ConfigValue &value) {
  if (const bool *b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const int64_t *i = std::get_if<int64_t>(&value)) return std::to_string(*i);
  if (const double *d = std::get_if<double>(&value)) return Str(*d);
  return std::get<std::string>(value);
}

/// The arguments that make `ge opt` run a pass as this compile does.
std::vector<std::string> ArgumentsOf(const PassScope &scope) {
  std::vector<std::string> all{"--opt-level", std::to_string(scope.opt_level)};
  for (const std::string &name : scope.required) all.insert(all.end(), {"--require-pass", name});
  for (const std::string &name : scope.disabled) all.insert(all.end(), {"--disable-pass", name});
  for (const auto &[key, value] : scope.config) all.insert(all.end(), {"--pass-config", key + "=" + TextOf(value)});
  return all;
}

/// All that are known by their names, for a note to people.
std::vector<std::string> PassFiles(const Options &options) {
  std::string files = options.Get("passes");
  if (const char *listed = std::getenv(kPythonPassesVariable)) files += std::string(":") + listed;
  std::vector<std::string> all;
  for (const std::string &path : Split(files, ':')) all.push_back(fs::absolute(path).native());
  const std::vector<std::string> loaded = LoadedPassLibraries();
  all.insert(all.end(), loaded.begin(), loaded.end());
  return all;
}

/// GE's modes that allow to compute in fp16, of which there are weights in fp16, and in bf16. Option precision counts
/// more.
void FollowPrecisionMode(const Options &options, CompileConfig *config) {
  static constexpr std::string_view kHalf[] = {
      "force_fp16", "cube_fp16in_fp32out", "allow_mix_precision", "allow_mix_precision_fp16", "fp16", "mixed_float16"};
  static constexpr std::string_view kBf16[] = {"allow_mix_precision_bf16", "mixed_bfloat16"};
  const auto is_in = [](const auto &modes, const std::string &mode) {
    return std::find(std::begin(modes), std::end(modes), mode) != std::end(modes);
  };
  if (options.Find("precision")) return;
  for (const char *key : {"ge.exec.precision_mode", "ge.exec.precision_mode_v2"}) {
    const std::string mode = options.Get(key);
    if (is_in(kHalf, mode)) config->options["precision"] = NameOf(Precision::kFp16Weights);
    if (is_in(kBf16, mode)) config->options["precision"] = NameOf(Precision::kBf16);
  }
}
}  // namespace

CompileConfig ConfigOfCompile(const Settings &settings, const Options &options, PassScopePtr scope) {
  CompileConfig config;
  config.scope = std::move(scope);
  config.blocked_layouts = true;
  config.verify = settings.verify || config.scope->Bool("passes.verify", false);
  config.dump_dir = settings.dump_dir;
  config.reproducer = options.Get("passes.reproducer");
  if (!config.reproducer.empty()) {
    if (fs::path(config.reproducer).extension() != ".air")
      Fail(GE_OPTION_INVALID, "option passes.reproducer is '", config.reproducer,
           "', expected a name that ends in .air");
    config.reproducer_arguments = ArgumentsOf(*config.scope);
    config.reproducer_files = PassFiles(options);
  }
  config.input_shapes = settings.input_shapes;
  config.options = options.all();
  FollowPrecisionMode(options, &config);
  if (settings.progress) {
    config.progress = [done = 0](const char *stage) mutable { Log(GE_LOG_INFO, "[", ++done, "/6] ", stage); };
  }
  return config;
}

}  // namespace gec
