#include "runtime/options.h"

#include "core/support/error.h"
#include "runtime/option_values.h"
#include "runtime/pass_switches.h"
#include "runtime/threads.h"

namespace gec {
namespace {

int64_t Integer(const Options &options, std::string_view key) {
  int64_t value = 0;
  ParseInt(options.Get(key), &value);
  return value;
}

void AddDisabled(Settings *settings, std::vector<std::string> names) {
  settings->disabled_passes.insert(settings->disabled_passes.end(), names.begin(), names.end());
}

}  // namespace

void Options::Set(std::string_view key, std::string value) {
  CheckOption(key, value);
  values_.insert_or_assign(std::string(key), std::move(value));
}

void Options::Merge(const Options &other) {
  for (const auto &[key, value] : other.values_) values_.insert_or_assign(key, value);
}

const std::string *Options::Find(std::string_view key) const {
  auto at = values_.find(key);
  return at == values_.end() ? nullptr : &at->second;
}

std::string Options::Get(std::string_view key) const {
  if (const std::string *value = Find(key)) return *value;
  const OptionSpec *spec = FindOptionSpec(key);
  return spec ? spec->fallback : "";
}

void RefuseFileOptions(const Options &options) {
  if (!options.Get("input_initializers").empty())
    Fail(GE_OPTION_INVALID, "option input_initializers is for models compiled from an ONNX file or buffer");
  if (options.Get("import_limit") != "0")
    Fail(GE_OPTION_INVALID, "option import_limit is for models compiled from an ONNX file or buffer");
  if (const std::string names = options.Get("ge.outputNodeName"); !names.empty())
    Fail(GE_OPTION_INVALID, "option ge.outputNodeName is '", names,
         "': it is for models compiled from a file or buffer; set the outputs of the graph itself");
}

namespace {

/// The shortest of several options' limits; values below 1 are none.
TimeLimit Shortest(const Options &options, std::initializer_list<const char *> keys) {
  TimeLimit shortest;
  for (const char *key : keys) {
    const int64_t limit = Integer(options, key);
    if (limit > 0 && (shortest.milliseconds == 0 || limit < shortest.milliseconds)) shortest = {limit, key};
  }
  return shortest;
}

}  // namespace

int64_t EngineTimeLimit(const Options &options) {
  return Shortest(options, {"engine_time_limit", "ge.exec.opExecuteTimeout"}).milliseconds;
}

Settings Resolve(const Options &options) {
  Settings s;
  s.threads = static_cast<int32_t>(Integer(options, "threads"));
  if (s.threads == 0) s.threads = DefaultThreads();
  s.opt_level = static_cast<int32_t>(Integer(options, "opt_level"));
  if (const std::string *level = options.Find("ge.oo.level"); level && !options.Find("opt_level")) {
    if (*level == "O1") s.opt_level = 1;
    if (*level == "O3") s.opt_level = 3;
  }
  s.disabled_passes = Split(options.Get("passes.disable"), ',');
  for (std::string &name : Split(options.Get("ge.disableOptimizations"), ',')) {
    // The passes here that do the work of GE's passes; one of them has nothing to do.
    if (name == "ConstantFoldingPass") AddDisabled(&s, {"ConstantFolding"});
    else if (name == "RemoveSameConstPass") AddDisabled(&s, {"CommonSubexpression"});
    else if (name != "TransOpWithoutReshapeFusionPass") s.ge_disabled_passes.push_back(std::move(name));
  }
  s.switches = ReadSwitches(options.Get("ge.optimizationSwitch"), options.Get("ge.fusionSwitchFile"));
  if (options.Get("ge.oo.constantFolding") == "false") AddDisabled(&s, {"ConstantFolding"});
  if (options.Get("ge.oo.deadCodeElimination") == "false") AddDisabled(&s, {"DeadCode", "FinalCleanup"});
  s.excluded_engines = Split(options.Get("engines.exclude"), ',');
  s.ge_excluded_engines = Split(options.Get("ge.exec.exclude_engines"), '|');
  s.core_type = options.Get("ge.engineType");
  s.engine_paths = Split(options.Get("engines.path"), ':');
  s.engine_time_limit = EngineTimeLimit(options);
  s.run_time_limit = Shortest(options, {"run_time_limit", "stream_sync_timeout", "event_sync_timeout",
                                        "ge.exec.graphExecTimeout", "ge.exec.opWaitTimeout"});
  s.loop_limit = static_cast<uint64_t>(Integer(options, "loop_limit"));
  s.loop_bytes = static_cast<uint64_t>(Integer(options, "loop_memory_limit")) << 20;
  s.max_plans = static_cast<size_t>(Integer(options, "max_plans"));
  s.general_plans = options.Get("general_plans") == "1";
  s.islands = options.Get("islands") == "1";
  s.tune = options.Get("tune") == "1";
  if (s.tune && s.engine_time_limit > 0)
    Fail(GE_OPTION_INVALID, "options tune and engine_time_limit exclude each other: a kernel's maker runs it");
  s.verify = options.Get("verify") == "1";
  s.progress = options.Get("progress") == "1";
  s.reuse_memory = options.Get("ge.exec.disableReuseMemory") != "1";
  s.dump_dir = options.Get("dump_dir");
  s.weights_store = options.Get("weights.store");
  s.input_shapes = InputShapes("ge.inputShape", options.Get("ge.inputShape"));
  for (auto &shape : InputShapes("input_shape_range", options.Get("input_shape_range")))
    s.input_shapes.push_back(std::move(shape));
  if (options.Find("ge.exec.precision_mode") && options.Find("ge.exec.precision_mode_v2")) {
    Fail(GE_OPTION_INVALID, "options ge.exec.precision_mode and ge.exec.precision_mode_v2 exclude each other");
  }
  return s;
}

}  // namespace gec
