// The process-wide table of engines: plug-ins found on disk, engines linked in, and those a program adds itself.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/placement/engine.h"
#include "core/placement/isa.h"

/// An engine that libge.a contains. The shared library has none; libge.a brings a table (cmake/GeStatic.cmake).
struct GeStaticEngine {
  const char *name;
  GeEngineQueryFn query;
  uint64_t cpu_features;  // needed; of two rows with one name the first that the processor has counts
};

namespace gec {

struct EngineEntry {
  std::string name, version, path, error;  // error: why it cannot be used, else empty
  bool other_processor = false;            // it is sound, but made for a processor that has more
  int32_t cost = 0;
  uint32_t flags = 0;
  EnginePtr engine;  // null when it could not be opened
};
using EngineEntryPtr = std::shared_ptr<const EngineEntry>;

class EngineRegistry {
 public:
  static EngineRegistry &Instance();

  /// Everything known, failed ones included, by cost. The first call looks for plug-ins.
  std::vector<EngineEntryPtr> Entries();
  /// Usable engines in the order placement asks them.
  EngineList Engines();

  /// All three replace an engine of the same name; models that use the old one keep it.
  void Load(const std::string &path, const std::string &options);
  void Register(const GeEngineTable *table, const std::string &options);
  void Unload(std::string_view name);  // throws GE_NOT_FOUND with near names

  /// Loads an entry of option engines.path. A folder: every plug-in in it, once; failures are warned of and kept as
  /// entries with their error, a folder without plug-ins throws GE_PATH_INVALID. A file: as Load, once.
  void LoadFrom(const std::string &path);
  /// Folders that were looked at, for diagnosis.
  std::vector<std::string> Folders();
  /// Problems of finding and loading engines, one line each; empty when there are none.
  std::string Problems();

 private:
  EngineRegistry() = default;
  void EnsureFound();  // mutex_ held
  void FindAll();
  void AddStatic();
  std::string AddFolder(const std::string &folder);  // what is wrong with it as a whole, or ""
  void Put(EngineEntry entry);
  void NoteHangs();
  EngineEntry Opened(const std::string &path, const std::string &options) const;
  EngineEntry OpenedTable(const GeEngineTable *table, const std::string &options) const;

  std::recursive_mutex mutex_;
  bool found_ = false;
  std::vector<EngineEntryPtr> entries_;
  std::vector<std::string> folders_, files_;  // looked at so far
  std::vector<std::string> useless_;          // folders of engines.path without engines
  std::vector<std::string> problems_;         // of the default folder; those of engines are in their entries
};

/// The function table that engines get from this process.
const GeEngineHost *EngineHost();

}  // namespace gec
