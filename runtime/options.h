// Options are text to text. One table says what each key allows; what the library needs is read into a plain struct.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cstdint>

#include "core/compile/pipeline.h"
#include "core/passes/pass.h"
#include "core/support/cancel.h"

namespace gec {

enum class OptionKind { kText, kShort, kInteger, kChoice };

/// The effect of a value that is not the default.
enum class OptionEffect {
  kActs,     // it takes effect
  kDevice,   // there is nothing to do on a CPU: results and files are what the option asks for
  kWarns,    // it is not there (a limit, a cache, a log, …); results do not depend on it: said once in a process
  kRefused,  // it is not there, and results or files would be others: GE_UNSUPPORTED
};

struct OptionSpec {
  const char *key;
  OptionKind kind;
  const char *values;    // kChoice: "a|b|c"; kInteger: "min..max"; kShort: "at most N characters"; kText: what to write
  const char *fallback;  // default
  OptionEffect effect;
  const char *doc;          // what it does, why there is nothing to do, or what to do instead
  const char *silent = "";  // kWarns, kRefused: values that are as good as the default: "a|b"
  const char *warned = "";  // kRefused: values that are warned of only
};

size_t OptionSpecCount();
const OptionSpec *OptionSpecAt(size_t index);            // null when out of range; sorted by key
const OptionSpec *FindOptionSpec(std::string_view key);  // null when there is no such option
/// "acts", "nothing to do on a CPU", "not there: warns" or "not there: refused".
const char *EffectName(OptionEffect effect);

/// Checks an option and a value as setting it does. Throws GE_OPTION_INVALID: unknown key (near keys), bad value (what
/// is allowed).
OptionEffect EffectOf(std::string_view key, const std::string &value);
/// The same; throws GE_UNSUPPORTED for what is refused, and warns, once in a process, of an option that is not there.
void CheckOption(std::string_view key, const std::string &value);
/// "unknown option 'KEY'", with near keys where there are some.
std::string UnknownOptionText(std::string_view key);

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
  std::vector<std::string> ge_disabled_passes;  // GE's names may be those of passes that are not here
  std::vector<std::string> excluded_engines;
  std::vector<std::string> ge_excluded_engines;  // in GE's words
  std::string core_type;                         // of ge.engineType
  std::vector<std::string> engine_paths;
  int64_t engine_time_limit = 0;  // milliseconds; 0: none
  TimeLimit run_time_limit;
  uint64_t loop_limit = 0;  // rounds; 0: none
  uint64_t loop_bytes = 0;  // 0: half of the memory
  size_t max_plans = 16;
  bool general_plans = true;
  bool islands = true;
  bool tune = false;
  bool verify = false;
  bool progress = false;
  bool reuse_memory = true;
  std::string dump_dir;
  std::string weights_store;  // "on", a folder, or ""
  PassSwitches switches;
  std::vector<InputShape> input_shapes;
};
/// Milliseconds that one call into an engine may take; 0: any time.
int64_t EngineTimeLimit(const Options &options);
/// Throws GE_OPTION_INVALID for options that say how a file is read, where there is no file.
void RefuseFileOptions(const Options &options);
/// The meaning of a set of options together. Throws GE_OPTION_INVALID for values that contradict each other.
Settings Resolve(const Options &options);

}  // namespace gec
