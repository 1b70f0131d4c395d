#include "core/passes/pass_config.h"

#include <mutex>

#include "core/ops/registry.h"
#include "core/support/error.h"
#include "core/support/log.h"
#include "ge/pass_manager.h"

namespace gec {
namespace {

struct Keys {
  std::mutex mutex;
  std::map<std::string, ConfigKey, std::less<>> known;
};

Keys &All() {
  static Keys *keys = [] {
    auto *made = new Keys();
    for (const ConfigKey &key : {
             ConfigKey{kMaxRewritesKey, GE_CONFIG_INT, "Rewrites that one pass may make in one run, above 0"},
             ConfigKey{"passes.verify", GE_CONFIG_BOOL, "Check the graph after every pass"},
         })
      made->known.emplace(key.name, key);
    return made;
  }();
  return *keys;
}

}  // namespace

const ConfigKey &ConfigKeyNamed(std::string_view name) {
  Keys &keys = All();
  std::lock_guard lock(keys.mutex);
  auto at = keys.known.find(name);
  if (at != keys.known.end()) return at->second;
  std::vector<std::string> names;
  for (const auto &[known, key] : keys.known) names.push_back(known);
  Fail(GE_OPTION_INVALID, "config key '", name, "' is unknown", NearText("near keys:", NearNames(name, names)));
}

namespace {

[[noreturn]] void WrongType(const ConfigKey &key, const std::string &given) {
  Fail(GE_OPTION_INVALID, "config key '", key.name, "' takes ", ConfigTypeName(key.type), ", not ", given);
}

/// Throws for a value out of the key's range.
void CheckRange(const ConfigKey &key, const ConfigValue &value) {
  if (key.name == kMaxRewritesKey && std::get<int64_t>(value) < 1)
    Fail(GE_OPTION_INVALID, "config key '", key.name, "' is ", ConfigText(value), ", expected 1 or more");
}

}  // namespace

const char *ConfigTypeName(int32_t type) {
  constexpr const char *kNames[] = {"a truth value", "a whole number", "a number", "a text"};
  return type >= 0 && type < 4 ? kNames[type] : "nothing known";
}

std::string ConfigText(const ConfigValue &value) {
  if (const bool *b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const int64_t *i = std::get_if<int64_t>(&value)) return std::to_string(*i);
  if (const double *d = std::get_if<double>(&value)) return Str(*d);
  return std::get<std::string>(value);
}

void RegisterConfigKey(const ConfigKey &key) {
  if (key.name.empty()) Fail(GE_PARAM_INVALID, "a config key needs a name");
  if (key.type < GE_CONFIG_BOOL || key.type > GE_CONFIG_STRING)
    Fail(GE_PARAM_INVALID, "config key '", key.name, "': type ", key.type, " is unknown, allowed: 0 to ",
         GE_CONFIG_STRING);
  Keys &keys = All();
  std::lock_guard lock(keys.mutex);
  auto [at, fresh] = keys.known.emplace(key.name, key);
  if (!fresh && at->second.type != key.type)
    Fail(GE_PARAM_INVALID, "config key '", key.name, "' takes ", ConfigTypeName(at->second.type),
         " already, it cannot take ", ConfigTypeName(key.type), " too");
}

std::vector<const ConfigKey *> ConfigKeys() {
  Keys &keys = All();
  std::lock_guard lock(keys.mutex);
  std::vector<const ConfigKey *> all;
  for (const auto &[name, key] : keys.known) all.push_back(&key);
  return all;
}

ConfigValue CheckedConfig(std::string_view name, const ConfigValue &value) {
  const ConfigKey &key = ConfigKeyNamed(name);
  ConfigValue taken = value;
  if (key.type == GE_CONFIG_FLOAT && std::holds_alternative<int64_t>(value))
    taken = static_cast<double>(std::get<int64_t>(value));
  if (static_cast<int32_t>(taken.index()) != key.type)
    WrongType(key, Str(ConfigTypeName(static_cast<int32_t>(value.index())), " (", ConfigText(value), ")"));
  CheckRange(key, taken);
  return taken;
}

}  // namespace gec
