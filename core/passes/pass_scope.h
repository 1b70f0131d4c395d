// The wishes of a program about passes: levels, names, options, instruments. Scopes nest, on a stack that each thread
// has.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/passes/instrument.h"
#include "core/passes/pass_config.h"
#include "core/passes/pass_info.h"

namespace gec {

/// Which passes a program switched on or off, by name.
struct PassSwitches {
  std::map<std::string, bool, std::less<>> option, file;  // ge.optimizationSwitch; the file of ge.fusionSwitchFile
  std::optional<bool> all;                                // the file's entry for passes without one of their own
};

/// A remark on a graph.
struct Diagnostic {
  int32_t severity = 0;  // GE_LOG_*: error, warning, info
  std::string node;      // empty: the whole graph
  std::string text;
};

/// Collects remarks. Any thread.
class Diagnostics {
 public:
  void Add(Diagnostic diagnostic);
  std::vector<Diagnostic> All() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Diagnostic> list_;
};

class PassScope;
using PassScopePtr = std::shared_ptr<PassScope>;

class PassScope {
 public:
  int32_t opt_level = 2;
  std::set<std::string> required;  // run whatever their level
  std::set<std::string> disabled;  // never run; stronger than required
  PassSwitches switches;
  std::map<std::string, ConfigValue, std::less<>> config;  // of known keys and their types
  std::vector<PassInstrumentPtr> instruments;              // in the order they are called
  /// Of a compile's own scope: the one whose instruments hold, as they are at each moment. Null: its own.
  std::shared_ptr<PassScope> watched_by;
  std::shared_ptr<Diagnostics> diagnostics;  // null: nobody collects
  /// Of one compile: they take part in its stages beside those that are registered, and are found by name.
  std::vector<PassEntryPtr> own_passes;

  /// Of this thread, innermost. Never null: below all others lies a scope with the defaults above.
  static PassScopePtr Current();
  /// The same, but null where no scope was entered on this thread.
  static std::shared_ptr<PassScope> Entered();
  /// Enters the instruments in order. If one fails, those that had entered are left again, the scope loses all of them
  /// and is not entered.
  static void Enter(const PassScopePtr &scope);
  /// Leaves the innermost scope, then its instruments in order. If one fails, the scope loses all of them, and those
  /// behind it are not called. Throws GE_BAD_STATE where another scope is innermost, a pass runs under this one, or it
  /// is being left already.
  static void Exit(const PassScopePtr &scope);
  /// Leaves the present instruments and enters others instead.
  void OverrideInstruments(std::vector<PassInstrumentPtr> others);
  /// A remark for whoever collects; nothing without one.
  void Report(int32_t severity, std::string node, std::string text) const;
  /// A value that was set, else `fallback`.
  int64_t Int(std::string_view key, int64_t fallback) const;
  bool Bool(std::string_view key, bool fallback) const;

 private:
  void EnterInstruments();
  void ExitInstruments();
};

/// Keeps the scopes that were entered on this thread: the work that goes on while it lives can neither leave them nor
/// cover them for good.
class ScopesStay {
 public:
  ScopesStay();
  ~ScopesStay();
  ScopesStay(const ScopesStay &) = delete;
  ScopesStay &operator=(const ScopesStay &) = delete;

 private:
  size_t floor_;
};

/// The work of a thread that another one started goes on under that one's scope; no instrument is entered or left.
class AdoptScope {
 public:
  explicit AdoptScope(PassScopePtr scope);
  ~AdoptScope();
  AdoptScope(const AdoptScope &) = delete;
  AdoptScope &operator=(const AdoptScope &) = delete;
};

}  // namespace gec
