// Options are text to text. One table says what each key allows; what the library needs is read into a plain struct.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cstdint>

#include "core/passes/pass.h"

namespace gec {

enum class OptionKind { kText, kInteger, kChoice };

struct OptionSpec {
  const char *key;
  OptionKind kind;
  const char *values;    // kChoice: "a|b|c"; kInteger: "min..max"; kText: what to write
  const char *fallback;  // default
  const char *doc;
};

size_t OptionSpecCount();
const OptionSpec *OptionSpecAt(size_t index);  // null when out of range; sorted by key
/// Throws GE_OPTION_INVALID: unknown key (near keys), bad value (what is allowed).
void CheckOption(std::string_view key, const std::string &value);

class Options {
 public:
  void Set(std::string_view key, std::string value);  // checked
  /// Adds what `other` sets; its values win.
  void Merge(const Options &other);
  const std::string *Find(std::string_view key) const;
  std::string Get(std::string_view key) const;  // the value set, else the default
  const std::map<std::string, std::string, std::less<>> &all() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct Settings {
  int32_t threads = 1;
  int32_t opt_level = 2;
  std::vector<std::string> disabled_passes;
  std::vector<std::string> excluded_engines;
  std::vector<std::string> engine_folders;
  size_t max_plans = 16;
  bool verify = false;
  bool progress = false;
  bool reuse_memory = true;
  std::string dump_dir;
  PassSwitches switches;
  std::vector<std::pair<std::string, std::vector<int64_t>>> input_shapes;  // by input name
};
/// The meaning of a set of options together. Throws GE_OPTION_INVALID for values that contradict each other.
Settings Resolve(const Options &options);

}  // namespace gec
