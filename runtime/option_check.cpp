// Setting an option: the key is looked up, the value checked, and refused or warned of where it has no effect.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "core/ops/registry.h"
#include "core/passes/precision.h"
#include "core/support/error.h"
#include "core/support/warnings.h"
#include "runtime/option_values.h"
#include "runtime/options_table.h"

namespace gec {
namespace {

bool IsOneOf(const char *list, const std::string &value) {
  const std::vector<std::string> values = Split(list, '|');
  return std::find(values.begin(), values.end(), value) != values.end();
}

void CheckChoice(const OptionSpec &spec, const std::string &value) {
  if (IsOneOf(spec.values, value)) return;
  std::string list;
  for (const std::string &v : Split(spec.values, '|')) list += (list.empty() ? "" : ", ") + v;
  Fail(GE_OPTION_INVALID, "option ", spec.key, " is '", value, "', allowed: ", list);
}

void CheckInteger(const OptionSpec &spec, const std::string &value) {
  const char *dots = std::strstr(spec.values, "..");
  const int64_t low = std::strtoll(spec.values, nullptr, 10), high = std::strtoll(dots + 2, nullptr, 10);
  int64_t number = 0;
  if (!ParseInt(value, &number) || number < low || number > high)
    Fail(GE_OPTION_INVALID, "option ", spec.key, " is '", value, "', allowed: an integer from ", low, " to ", high);
}

void CheckLength(const OptionSpec &spec, const std::string &value) {
  const size_t most = std::strtoull(spec.values + std::strcspn(spec.values, "0123456789"), nullptr, 10);
  if (value.size() > most)
    Fail(GE_OPTION_INVALID, "option ", spec.key, " has ", value.size(), " characters, at most ", most, " are allowed");
}

void CheckValue(const OptionSpec &spec, const std::string &value) {
  if (value == spec.fallback) return;
  if (spec.kind == OptionKind::kChoice) CheckChoice(spec, value);
  if (spec.kind == OptionKind::kInteger) CheckInteger(spec, value);
  if (spec.kind == OptionKind::kShort) CheckLength(spec, value);
  const std::string_view key = spec.key;
  if (key == "ge.inputShape" || key == "input_shape_range") InputShapes(key, value);
  if (key == "precision.nodes") ReadPrecisionRules(value);
}

/// True the first time in this process for this row.
bool FirstWarning(const OptionSpec &spec) {
  static std::atomic<bool> *warned = new std::atomic<bool>[kOptionCount] {};  // never destroyed: any thread, any time
  return !warned[&spec - kOptionTable].exchange(true);
}

}  // namespace

size_t OptionSpecCount() { return kOptionCount; }
const OptionSpec *OptionSpecAt(size_t index) { return index < kOptionCount ? &kOptionTable[index] : nullptr; }

const OptionSpec *FindOptionSpec(std::string_view key) {
  const OptionSpec *begin = kOptionTable, *end = begin + kOptionCount;
  const OptionSpec *at =
      std::lower_bound(begin, end, key, [](const OptionSpec &spec, std::string_view k) { return spec.key < k; });
  return at != end && at->key == key ? at : nullptr;
}

std::string UnknownOptionText(std::string_view key) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < kOptionCount; ++i) keys.emplace_back(kOptionTable[i].key);
  return Str("unknown option '", std::string(key), "'", NearText("did you mean", NearNames(key, keys)));
}

const char *EffectName(OptionEffect effect) {
  switch (effect) {
    case OptionEffect::kActs:
      return "acts";
    case OptionEffect::kDevice:
      return "nothing to do on a CPU";
    case OptionEffect::kWarns:
      return "not there: warns";
    default:
      return "not there: refused";
  }
}

OptionEffect EffectOf(std::string_view key, const std::string &value) {
  const OptionSpec *spec = FindOptionSpec(key);
  if (spec == nullptr) Fail(GE_OPTION_INVALID, UnknownOptionText(key));
  CheckValue(*spec, value);
  const bool missing = spec->effect == OptionEffect::kWarns || spec->effect == OptionEffect::kRefused;
  if (missing && (value == spec->fallback || value.empty() || IsOneOf(spec->silent, value)))
    return OptionEffect::kDevice;
  return IsOneOf(spec->warned, value) ? OptionEffect::kWarns : spec->effect;
}

void CheckOption(std::string_view key, const std::string &value) {
  const OptionEffect effect = EffectOf(key, value);
  const OptionSpec &spec = *FindOptionSpec(key);
  if (effect == OptionEffect::kRefused)
    Fail(GE_UNSUPPORTED, "option ", spec.key, " is '", value, "', which is not supported: ", spec.doc);
  if (effect == OptionEffect::kWarns && FirstWarning(spec))
    Warn(Str("option ", spec.key, " is '", value, "' and has no effect: ", spec.doc));
}

}  // namespace gec
