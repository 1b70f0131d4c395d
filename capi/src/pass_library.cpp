#include "capi/src/pass_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "core/passes/pass.h"
#include "core/support/error.h"
#include "core/support/log.h"

namespace gec::api {
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
};
Loaded &State() {
  static Loaded *state = new Loaded();
  return *state;
}

std::vector<fs::path> Sorted(const fs::path &folder, bool (*wanted)(const fs::directory_entry &)) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
    if (wanted(entry)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end(),
            [](const fs::path &a, const fs::path &b) { return a.filename().native() < b.filename().native(); });
  return paths;
}

fs::path PackageRoot() {
  if (const char *root = std::getenv("ASCEND_OPP_PATH"); root && *root) return root;
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void *>(&PackageRoot), &info) || !info.dli_fname) return {};
  std::error_code error;
  const fs::path library = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : library.parent_path().parent_path() / "opp";
}

std::vector<std::string> Find() {
  std::vector<std::string> found;
  const fs::path root = PackageRoot();
  if (root.empty()) return found;
  auto folder = [](const fs::directory_entry &entry) {
    std::error_code error;
    return entry.is_directory(error);
  };
  auto shared = [](const fs::directory_entry &entry) {
    std::error_code error;
    return entry.path().extension() == ".so" && !entry.is_directory(error);
  };
  for (const fs::path &vendor : Sorted(root / "vendors", folder))
    for (const fs::path &file : Sorted(vendor / "custom_fusion_passes", shared)) found.push_back(file.native());
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
  passes.UseLibrary(path, true);
  passes.BeginLibrary(path);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::string reason;
  if (!handle) {
    const char *text = dlerror();
    reason = text ? text : "";
  }
  passes.EndLibrary();
  if (!handle) Fail(GE_FAILED, "E13029: pass library '", path, "' cannot be loaded: ", reason);
  return handle;
}

}  // namespace

void LoadPassLibraries() {
  Loaded &state = State();
  std::lock_guard lock(state.mutex);
  if (state.uses == 0) {
    std::vector<Library> opened;
    try {
      for (std::string &path : Find()) {
        opened.reserve(opened.size() + 1);
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

void UnloadPassLibraries() noexcept {
  Loaded &state = State();
  std::lock_guard lock(state.mutex);
  if (state.uses == 0 || --state.uses != 0) return;
  Unload(state.libraries);
}

}  // namespace gec::api
