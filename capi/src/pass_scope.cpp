// Scopes of passes, and the typed options that they may have.
#include <memory>
#include <mutex>

#include "capi/src/transform_handles.h"
#include "core/passes/pass_config.h"
#include "ge/log.h"

namespace gec::api {
namespace {

GePassScope *NewScope(PassScopePtr scope) {
  auto handle = std::make_unique<GePassScope>();
  handle->scope = std::move(scope);
  return handle.release();
}

ConfigValue ValueOf(const GeConfigValue &given) {
  switch (given.type) {
    case GE_CONFIG_BOOL:
      return given.integer != 0;
    case GE_CONFIG_INT:
      return given.integer;
    case GE_CONFIG_FLOAT:
      return given.number;
    case GE_CONFIG_STRING:
      if (!given.text) Fail(GE_PARAM_INVALID, "config key '", given.key, "': the text is null");
      return std::string(given.text);
    default:
      Fail(GE_OPTION_INVALID, "config key '", given.key, "': type ", given.type, " is unknown, allowed: 0 to ",
           GE_CONFIG_STRING);
  }
}

}  // namespace
}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GePassScopeCreate(const GePassScopeParts *callers, GePassScope **out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassScopeCreate, out);
    *out = nullptr;
    if (!callers) NullArgument("GePassScopeCreate", "parts");
    constexpr const char *kFunction = "GePassScopeCreate";
    const GePassScopeParts parts = ReadStruct(*callers, kFunction);
    if (parts.level < 0) Fail(GE_OPTION_INVALID, "the level of a pass scope is ", parts.level, ", expected 0 or more");
    auto scope = std::make_shared<PassScope>();
    scope->opt_level = parts.level;
    for (std::string &name : NamesOf(parts.required, parts.required_count, kFunction, "parts->required"))
      scope->required.insert(PassRegistry::Instance().NameOf(name));
    for (std::string &name : NamesOf(parts.disabled, parts.disabled_count, kFunction, "parts->disabled"))
      scope->disabled.insert(PassRegistry::Instance().NameOf(name));
    scope->instruments = InstrumentsOf(parts.instruments, parts.instrument_count, kFunction);
    if (parts.config_count != 0 && !parts.config) NullArgument(kFunction, "parts->config");
    for (size_t i = 0; i < parts.config_count; ++i) {
      const GeConfigValue &value = parts.config[i];
      if (!value.key) Fail(GE_PARAM_INVALID, kFunction, ": parts->config[", i, "].key is null");
      scope->config[value.key] = CheckedConfig(value.key, ValueOf(value));
    }
    if (parts.diagnostics_of) scope->diagnostics = ValidOf(parts.diagnostics_of, kFunction, "scope").scope->diagnostics;
    else if (parts.collect_diagnostics != 0) scope->diagnostics = std::make_shared<Diagnostics>();
    *out = NewScope(std::move(scope));
  });
}

void GePassScopeDestroy(GePassScope *scope) {
  if (IsValid(scope)) Invalidate(scope);
}

GeStatus GePassScopeCurrent(GePassScope **out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassScopeCurrent, out);
    *out = nullptr;
    *out = NewScope(PassScope::Current());
  });
}

GeStatus GePassScopeEnter(GePassScope *scope) {
  return Guard([&] { PassScope::Enter(ValidOf(scope, "GePassScopeEnter", "scope").scope); });
}

GeStatus GePassScopeExit(GePassScope *scope) {
  return Guard([&] { PassScope::Exit(ValidOf(scope, "GePassScopeExit", "scope").scope); });
}

GeStatus GePassScopeOverrideInstruments(GePassScope *scope, GeInstrument *const *instruments, size_t count) {
  return Guard([&] {
    const PassScopePtr self = ValidOf(scope, "GePassScopeOverrideInstruments", "scope").scope;
    self->OverrideInstruments(InstrumentsOf(instruments, count, "GePassScopeOverrideInstruments"));
  });
}

int32_t GePassScopeIsCurrent(const GePassScope *scope) {
  return GuardValue(int32_t{0}, [&] { return IsValid(scope) && scope->scope == PassScope::Current() ? 1 : 0; });
}

int32_t GePassScopeLevel(const GePassScope *scope) { return IsValid(scope) ? scope->scope->opt_level : -1; }

const char *GePassScopeName(const GePassScope *scope, int32_t disabled, size_t index) {
  if (!IsValid(scope)) return nullptr;
  const std::set<std::string> &names = disabled ? scope->scope->disabled : scope->scope->required;
  if (index >= names.size()) return nullptr;
  return std::next(names.begin(), static_cast<ptrdiff_t>(index))->c_str();
}

GeStatus GePassScopeGetConfig(const GePassScope *scope, const char *key, GeConfigValue *out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassScopeGetConfig, out);
    *out = GeConfigValue{};
    GE_CHECK_ARG(GePassScopeGetConfig, key);
    const PassScope &self = *ValidOf(scope, "GePassScopeGetConfig", "scope").scope;
    const int32_t type = ConfigKeyNamed(key).type;
    auto at = self.config.find(key);
    if (at == self.config.end()) Fail(GE_NOT_FOUND, "config key '", key, "' is not set in this scope");
    const ConfigValue &value = at->second;
    out->key = at->first.c_str();
    out->type = type;
    if (const bool *b = std::get_if<bool>(&value)) out->integer = *b;
    if (const int64_t *i = std::get_if<int64_t>(&value)) out->integer = *i;
    if (const double *d = std::get_if<double>(&value)) out->number = *d;
    if (const std::string *text = std::get_if<std::string>(&value)) out->text = text->c_str();
  });
}

GeStatus GePassScopeReport(int32_t severity, const char *node, const char *text) {
  return Guard([&] {
    GE_CHECK_ARG(GePassScopeReport, text);
    if (severity != GE_LOG_ERROR && severity != GE_LOG_WARNING && severity != GE_LOG_INFO)
      Fail(GE_PARAM_INVALID, "GePassScopeReport: severity is ", severity, ", expected an error, a warning or info");
    PassScope::Current()->Report(severity, node ? node : "", text);
  });
}

size_t GePassScopeDiagnosticCount(const GePassScope *scope) {
  return GuardValue(size_t{0}, [&]() -> size_t {
    if (!IsValid(scope) || !scope->scope->diagnostics) return 0;
    return scope->scope->diagnostics->All().size();
  });
}

GeStatus GePassScopeDiagnosticAt(const GePassScope *scope, size_t index, GeDiagnostic *out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassScopeDiagnosticAt, out);
    WriteStruct(GeDiagnostic{}, out, "GePassScopeDiagnosticAt");
    auto &self = const_cast<GePassScope &>(ValidOf(scope, "GePassScopeDiagnosticAt", "scope"));
    // Remarks are only added, so those that were shown stay as they are.
    if (index >= self.shown.size() && self.scope->diagnostics) self.shown = self.scope->diagnostics->All();
    if (index >= self.shown.size())
      Fail(GE_PARAM_INVALID, "GePassScopeDiagnosticAt: index ", index, " is out of range, there are ",
           self.shown.size(), " remarks");
    const Diagnostic &found = self.shown[index];
    WriteStruct(GeDiagnostic{0, found.severity, 0, found.node.c_str(), found.text.c_str()}, out,
                "GePassScopeDiagnosticAt");
  });
}

GeStatus GeConfigKeyRegister(const char *key, int32_t type, const char *text) {
  return Guard([&] {
    GE_CHECK_ARG(GeConfigKeyRegister, key);
    RegisterConfigKey({key, type, text ? text : ""});
  });
}

size_t GeConfigKeyCount(void) {
  return GuardValue(size_t{0}, [] { return ConfigKeys().size(); });
}

GeStatus GeConfigKeyAt(size_t index, GeConfigKey *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeConfigKeyAt, out);
    WriteStruct(GeConfigKey{}, out, "GeConfigKeyAt");
    const std::vector<const ConfigKey *> keys = ConfigKeys();
    if (index >= keys.size())
      Fail(GE_PARAM_INVALID, "GeConfigKeyAt: index ", index, " is out of range, there are ", keys.size(), " keys");
    const ConfigKey &key = *keys[index];
    WriteStruct(GeConfigKey{0, key.name.c_str(), key.type, 0, key.text.c_str()}, out, "GeConfigKeyAt");
  });
}

}  // extern "C"
