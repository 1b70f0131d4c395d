#include "runtime/options.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/ops/registry.h"
#include "core/support/error.h"
#include "runtime/options_table.h"
#include "runtime/pass_switches.h"
#include "runtime/threads.h"

namespace gec {
namespace {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool ParseInt(const std::string &text, int64_t *out) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno == ERANGE) return false;
  *out = value;
  return true;
}

const OptionSpec *FindSpec(std::string_view key) {
  const OptionSpec *begin = kOptionTable, *end = begin + kOptionCount;
  const OptionSpec *at =
      std::lower_bound(begin, end, key, [](const OptionSpec &spec, std::string_view k) { return spec.key < k; });
  return at != end && at->key == key ? at : nullptr;
}

int64_t Integer(const Options &options, std::string_view key) {
  int64_t value = 0;
  ParseInt(options.Get(key), &value);
  return value;
}

/// "name:1,3,-1,224;other:1,8"
std::vector<std::pair<std::string, std::vector<int64_t>>> InputShapes(const std::string &text) {
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
  for (const std::string &item : Split(text, ';')) {
    size_t colon = item.rfind(':');
    std::vector<int64_t> dims;
    bool good = colon != std::string::npos && colon != 0;
    if (good) {
      for (const std::string &dim : Split(std::string_view(item).substr(colon + 1), ',')) {
        int64_t value = 0;
        // A range "low~high" leaves the dimension open.
        if (dim.find('~') != std::string::npos) {
          value = -1;
        } else if (!ParseInt(dim, &value) || value < -1) {
          good = false;
        }
        dims.push_back(value);
      }
    }
    if (!good)
      Fail(GE_OPTION_INVALID, "option ge.inputShape: '", item, "' is not of the form name:d0,d1,… with sizes or -1");
    shapes.emplace_back(item.substr(0, colon), std::move(dims));
  }
  return shapes;
}

void AddDisabled(Settings *settings, std::vector<std::string> names) {
  settings->disabled_passes.insert(settings->disabled_passes.end(), names.begin(), names.end());
}

}  // namespace

size_t OptionSpecCount() { return kOptionCount; }
const OptionSpec *OptionSpecAt(size_t index) { return index < kOptionCount ? &kOptionTable[index] : nullptr; }

void CheckOption(std::string_view key, const std::string &value) {
  const OptionSpec *spec = FindSpec(key);
  if (spec == nullptr) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < kOptionCount; ++i) keys.emplace_back(kOptionTable[i].key);
    std::string near;
    for (const std::string &k : NearNames(key, keys)) near += (near.empty() ? "; did you mean " : ", ") + k;
    Fail(GE_OPTION_INVALID, "unknown option '", std::string(key), "'", near);
  }
  if (spec->kind == OptionKind::kChoice) {
    std::vector<std::string> allowed = Split(spec->values, '|');
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    std::string list;
    for (const std::string &v : allowed) list += (list.empty() ? "" : ", ") + v;
    Fail(GE_OPTION_INVALID, "option ", spec->key, " is '", value, "', allowed: ", list);
  }
  if (spec->kind == OptionKind::kInteger) {
    const char *dots = std::strstr(spec->values, "..");
    int64_t low = std::strtoll(spec->values, nullptr, 10), high = std::strtoll(dots + 2, nullptr, 10), number = 0;
    if (!ParseInt(value, &number) || number < low || number > high) {
      Fail(GE_OPTION_INVALID, "option ", spec->key, " is '", value, "', allowed: an integer from ", low, " to ", high);
    }
  }
  if (key == "ge.inputShape") InputShapes(value);
}

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
  const OptionSpec *spec = FindSpec(key);
  return spec ? spec->fallback : "";
}

Settings Resolve(const Options &options) {
  Settings s;
  s.threads = static_cast<int32_t>(Integer(options, "threads"));
  if (s.threads == 0) s.threads = DefaultThreads();
  s.opt_level = static_cast<int32_t>(Integer(options, "opt_level"));
  if (const std::string *level = options.Find("ge.oo.level"); level && !options.Find("opt_level")) {
    s.opt_level = *level == "O1" ? 1 : 3;
  }
  s.disabled_passes = Split(options.Get("passes.disable"), ',');
  for (std::string &name : Split(options.Get("ge.disableOptimizations"), ',')) {
    // The passes here that do the work of GE's passes; one of them has nothing to do.
    if (name == "ConstantFoldingPass") name = "ConstantFolding";
    if (name == "RemoveSameConstPass") name = "CommonSubexpression";
    if (name != "TransOpWithoutReshapeFusionPass") AddDisabled(&s, {std::move(name)});
  }
  s.switches = ReadSwitches(options.Get("ge.optimizationSwitch"), options.Get("ge.fusionSwitchFile"));
  if (options.Get("ge.oo.constantFolding") == "false") AddDisabled(&s, {"ConstantFolding"});
  if (options.Get("ge.oo.deadCodeElimination") == "false") AddDisabled(&s, {"DeadCode", "FinalCleanup"});
  s.excluded_engines = Split(options.Get("engines.exclude"), ',');
  for (std::string &name : Split(options.Get("ge.exec.exclude_engines"), '|'))
    s.excluded_engines.push_back(std::move(name));
  s.engine_folders = Split(options.Get("engines.path"), ':');
  s.max_plans = static_cast<size_t>(Integer(options, "max_plans"));
  s.verify = options.Get("verify") == "1";
  s.progress = options.Get("progress") == "1";
  s.reuse_memory = options.Get("ge.exec.disableReuseMemory") != "1";
  s.dump_dir = options.Get("dump_dir");
  s.input_shapes = InputShapes(options.Get("ge.inputShape"));
  if (options.Find("ge.exec.precision_mode") && options.Find("ge.exec.precision_mode_v2")) {
    Fail(GE_OPTION_INVALID, "options ge.exec.precision_mode and ge.exec.precision_mode_v2 exclude each other");
  }
  return s;
}

}  // namespace gec
