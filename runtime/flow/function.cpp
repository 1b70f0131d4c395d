#include "runtime/flow/function.h"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <new>

#include "core/support/loader_memory.h"
#include "core/support/log.h"
#include "core/support/shared_library.h"

namespace gec {
namespace {

// The library that this thread is loading: its static initialisers register functions.
thread_local const std::string *loading = nullptr;

}  // namespace

struct FlowFunctions::Tables {
  struct Entry {
    uint64_t token;
    std::string library;
    FlowFunctionPtr function;
  };
  std::mutex mutex;
  std::vector<Entry> entries;
  uint64_t next = 1;
  std::recursive_mutex load;  // one library is loaded at a time
  std::vector<std::string> loaded;
};

FlowFunctions &FlowFunctions::Instance() {
  // In memory that is never given back: nothing here allocates before something is registered.
  alignas(Tables) static unsigned char tables[sizeof(Tables)];
  alignas(FlowFunctions) static unsigned char room[sizeof(FlowFunctions)];
  static auto *instance = new (room) FlowFunctions(*new (tables) Tables);
  return *instance;
}

uint64_t FlowFunctions::Register(FlowFunctionPtr function) {
  const std::string library = loading != nullptr ? *loading : "";
  std::lock_guard lock(tables_.mutex);
  for (const Tables::Entry &entry : tables_.entries) {
    if (entry.library != library || entry.function->name() != function->name()) continue;
    Log(GE_LOG_WARNING, "flow function '", function->name(), "' is registered twice: the first one counts");
  }
  tables_.entries.push_back({tables_.next, library, std::move(function)});
  return tables_.next++;
}

void FlowFunctions::Unregister(uint64_t token) noexcept {
  FlowFunctionPtr gone;  // its end is the program's code: not under the lock
  std::lock_guard lock(tables_.mutex);
  auto at = std::find_if(tables_.entries.begin(), tables_.entries.end(),
                         [token](const Tables::Entry &entry) { return entry.token == token; });
  if (at == tables_.entries.end()) return;
  gone = std::move(at->function);
  tables_.entries.erase(at);
}

void FlowFunctions::Load(const std::string &library) {
  std::lock_guard one(tables_.load);
  if (std::find(tables_.loaded.begin(), tables_.loaded.end(), library) != tables_.loaded.end()) return;
  const std::string missing = MissingInLibrary(library);
  if (!missing.empty()) Fail(GE_PATH_INVALID, "library '", library, "' of flow functions: ", missing);
  tables_.loaded.reserve(tables_.loaded.size() + 1);
  const std::string *outer = loading;
  loading = &library;
  errno = 0;
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  loading = outer;
  if (handle == nullptr) {
    const char *why = dlerror();
    if (LoaderLacksMemory(library, why)) throw std::bad_alloc();
    Fail(GE_PATH_INVALID, "library '", library, "' of flow functions cannot be loaded: ", why ? why : "unknown reason");
  }
  tables_.loaded.push_back(library);
}

FlowFunctionPtr FlowFunctions::Find(const std::string &library, const std::string &name) const {
  std::lock_guard lock(tables_.mutex);
  std::string known;
  for (const Tables::Entry &entry : tables_.entries) {
    if (entry.library != library) continue;
    if (entry.function->name() == name) return entry.function;
    known += (known.empty() ? "" : ", ") + entry.function->name();
  }
  const std::string where = library.empty() ? "the program" : "library '" + library + "'";
  if (known.empty()) Fail(GE_NOT_FOUND, where, " registers no flow functions, '", name, "' is asked for");
  Fail(GE_NOT_FOUND, where, " registers no flow function '", name, "', it registers ", known);
}

}  // namespace gec
