// Options about passes: a scope that holds while a command compiles or runs passes.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ge/pass_manager.h"
#include "native.h"

namespace tool {

using Pass = std::unique_ptr<GePass, Deleter<GePass, GePassDestroy>>;
using Instrument = std::unique_ptr<GeInstrument, Deleter<GeInstrument, GeInstrumentDestroy>>;
using Scope = std::unique_ptr<GePassScope, Deleter<GePassScope, GePassScopeDestroy>>;

Instrument FindInstrument(const std::string &name, const std::string &argument = "");
/// All that an instrument gathered (GE_INSTRUMENT_*).
std::string Rendered(const GeInstrument *instrument, int32_t form);

/// Command line options about passes.
struct PassArgs {
  std::vector<std::string> files;  // libraries, Python files, folders
  int level = 2;
  std::vector<std::string> required, disabled, config, instruments;

  /// All but the files: a graph may say what runs, not which code is loaded.
  void AddRulesTo(CLI::App *app);
  void AddTo(CLI::App *app);
};

/// Entered as long as it lives. What instruments of the command line gathered is printed by Finish.
class PassScope {
 public:
  /// Loads the files. `own`: instruments of the command itself, which come first.
  explicit PassScope(const PassArgs &args, const std::vector<GeInstrument *> &own = {});
  ~PassScope();
  PassScope(const PassScope &) = delete;
  PassScope &operator=(const PassScope &) = delete;
  /// Leaves the scope; to standard error, so that a command's own output stays as it is.
  void Finish();

 private:
  std::vector<Instrument> instruments_;
  Scope scope_;
};

/// A pass for text like "InferShape,clean(ConstantFolding,DeadCode)": names of passes, and sequences with or without a
/// name. Throws Usage for what is not closed or not there.
Pass ParsePipeline(const std::string &text);

}  // namespace tool
