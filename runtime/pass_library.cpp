#include "runtime/pass_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "core/passes/pass.h"
#include "core/support/error.h"
#include "core/support/loader_memory.h"
#include "core/support/log.h"
#include "core/support/package_root.h"
#include "runtime/python_passes.h"

namespace gec {
namespace {

namespace fs = std::filesystem;

struct Library {
  std::string path;
  void *handle;
};
struct Loaded {
  std::mutex mutex;
  int uses = 0;
  std::vector<Library> libraries;
  struct Counted {
    int uses = 0;
    void *handle = nullptr;                 // of a library
    std::vector<PassEntryPtr> passes = {};  // of Python
  };
  std::map<std::string, Counted> single;  // that a program asked for by path
};
Loaded &State() {
  static Loaded *state = new Loaded();
  return *state;
}

bool IsPython(const std::string &path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) || fs::path(path).extension() == ".py";
}

/// A file has one name, whatever links lead to it. A library's name without a folder is looked for by the loader.
std::string OneName(const std::string &path) {
  if (path.find('/') == std::string::npos && !IsPython(path)) return path;
  std::error_code error;
  const fs::path found = fs::weakly_canonical(path, error);
  return error ? path : found.native();
}

std::vector<std::string> Find() {
  std::vector<std::string> found;
  const fs::path root = PackageRoot();
  if (root.empty()) return found;
  for (const fs::path &vendor : SortedEntries(root / "vendors", IsFolder))
    for (const fs::path &file : SortedEntries(vendor / "custom_fusion_passes", IsLibrary))
      found.push_back(OneName(file.native()));
  return found;
}

void Unload(std::vector<Library> &libraries) noexcept {
  PassRegistry &passes = PassRegistry::Instance();
  while (!libraries.empty()) {
    // Its destructors take its passes back. A library that the loader keeps runs none: its passes rest until it is
    // asked for again.
    try {
      passes.UseLibrary(libraries.back().path, false);
    } catch (...) {  // no memory: its passes stay in use
    }
    (void)dlclose(libraries.back().handle);
    libraries.pop_back();
  }
}

void *Open(const std::string &path) {
  PassRegistry &passes = PassRegistry::Instance();
  passes.BeginLibrary(path);
  errno = 0;
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::string reason;
  bool no_memory = false;
  if (!handle) {
    const char *text = dlerror();
    reason = text ? text : "";
    no_memory = LoaderLacksMemory(path, text);
  }
  passes.EndLibrary();
  if (no_memory) throw std::bad_alloc();
  if (!handle) Fail(GE_FAILED, "E13029: pass library '", path, "' cannot be loaded: ", reason);
  return handle;
}

}  // namespace

void LoadPassLibraries() {
  Loaded &state = State();
  std::lock_guard lock(state.mutex);
  if (state.uses == 0) {
    PassRegistry &passes = PassRegistry::Instance();
    std::vector<Library> opened;
    try {
      for (std::string &path : Find()) {
        opened.reserve(opened.size() + 1);
        passes.UseLibrary(path, true);
        void *handle = Open(path);
        Log(GE_LOG_INFO, "pass library '", path, "' loaded");
        opened.push_back({std::move(path), handle});
      }
    } catch (...) {
      Unload(opened);
      throw;
    }
    state.libraries = std::move(opened);
  }
  ++state.uses;
}

bool UnloadPassLibraries() noexcept {
  Loaded &state = State();
  std::lock_guard lock(state.mutex);
  if (state.uses == 0) return false;
  if (--state.uses == 0) Unload(state.libraries);
  return true;
}

namespace {
/// True when it is there already, and counted.
bool CountAgain(Loaded &state, const std::string &path) {
  auto at = state.single.find(path);
  if (at == state.single.end()) return false;
  ++at->second.uses;
  return true;
}

/// Without the lock while Python is at work: its code may come back here on any thread.
void LoadPython(const std::string &path, const Options &options) {
  Loaded &state = State();
  if (std::lock_guard lock(state.mutex); CountAgain(state, path)) return;
  std::error_code error;
  if (!fs::exists(path, error))
    Fail(GE_FAILED, "E13029: Python passes '", path, "' cannot be loaded: there is no such file");
  LoadPythonPasses(options);  // a file that the variable lists as well has its passes by that
  std::vector<PassEntryPtr> passes = PythonPassesOf(path, Str("'", path, "'"), options);
  std::lock_guard lock(state.mutex);
  if (CountAgain(state, path)) return;
  Loaded::Counted &loaded = state.single[path];
  loaded.uses = 1;
  for (PassEntryPtr &pass : passes) {
    loaded.passes.push_back(pass);
    PassRegistry::Instance().Add(std::move(pass));
  }
  Log(GE_LOG_INFO, "passes of '", path, "' loaded");
}
}  // namespace

void LoadPassLibrary(const std::string &given, const Options &options) {
  Loaded &state = State();
  const std::string path = OneName(given);
  if (IsPython(path)) return LoadPython(path, options);
  std::lock_guard lock(state.mutex);
  if (CountAgain(state, path)) return;
  auto at = state.single.try_emplace(path).first;
  try {
    PassRegistry::Instance().UseLibrary(path, true);
    at->second.handle = Open(path);
  } catch (...) {
    state.single.erase(at);
    throw;
  }
  Log(GE_LOG_INFO, "pass library '", path, "' loaded");
  ++at->second.uses;
}

bool UnloadPassLibrary(const std::string &given) {
  Loaded &state = State();
  const std::string path = OneName(given);
  std::vector<PassEntryPtr> passes;  // destroyed without the lock
  std::lock_guard lock(state.mutex);
  auto at = state.single.find(path);
  if (at == state.single.end()) return false;
  if (--at->second.uses != 0) return true;
  passes = std::move(at->second.passes);
  for (const PassEntryPtr &pass : passes) PassRegistry::Instance().Unregister(pass->token);
  std::vector<Library> last;
  if (at->second.handle) last.push_back({path, at->second.handle});
  state.single.erase(at);
  Unload(last);
  return true;
}

std::vector<std::string> LoadedPassLibraries() {
  Loaded &state = State();
  std::lock_guard lock(state.mutex);
  std::vector<std::string> paths;
  for (const auto &[path, loaded] : state.single) paths.push_back(path);
  return paths;
}

std::vector<PassEntryPtr> PassesOfLibrary(const std::string &given) {
  Loaded &state = State();
  const std::string path = OneName(given);
  std::lock_guard lock(state.mutex);
  PassRegistry &passes = PassRegistry::Instance();
  const bool is_for_all =
      state.single.count(path) != 0 || std::any_of(state.libraries.begin(), state.libraries.end(),
                                                   [&](const Library &library) { return library.path == path; });
  if (!is_for_all) passes.UseLibrary(path, false);
  const std::shared_ptr<void> handle(Open(path), [](void *library) { (void)dlclose(library); });
  std::vector<PassEntryPtr> found;
  for (PassEntryPtr &pass : passes.OfLibraryFile(path)) {
    const PassEntry *entry = pass.get();
    // The pass goes before the library with its code.
    found.emplace_back(entry, [handle, pass = std::move(pass)](const PassEntry *) mutable { pass.reset(); });
  }
  return found;
}

}  // namespace gec
