// Typed options of passes. A key is known before a scope may set it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/pattern/rewrite_loop.h"

namespace gec {

/// In the order of GE_CONFIG_*: true or false, whole number, number, text.
using ConfigValue = std::variant<bool, int64_t, double, std::string>;

struct ConfigKey {
  std::string name;
  int32_t type = 0;  // GE_CONFIG_*
  std::string text;  // what it means, in a sentence
};

/// The same key with the same type again is fine. Throws GE_PARAM_INVALID for an empty name, an unknown type, and a
/// key of another type.
void RegisterConfigKey(const ConfigKey &key);
/// By name. Keys stay for good.
std::vector<const ConfigKey *> ConfigKeys();
/// Throws GE_OPTION_INVALID for an unknown key, with near names.
const ConfigKey &ConfigKeyNamed(std::string_view name);
/// The value as the key's type: a whole number counts as a number too. Throws GE_OPTION_INVALID for an unknown key,
/// with near names, and for a wrong type, with both types.
ConfigValue CheckedConfig(std::string_view key, const ConfigValue &value);
std::string ConfigText(const ConfigValue &value);
const char *ConfigTypeName(int32_t type);

/// How often one pass may rewrite in one run: a rule that feeds itself ends there.
inline constexpr const char *kMaxRewritesKey = "passes.max_rewrites";
inline constexpr int64_t kMaxRewrites = RewritePolicy().max_rewrites;

}  // namespace gec
