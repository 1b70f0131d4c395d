#include "runtime/python_passes.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "bridge/python/python_bridge.h"
#include "core/passes/registry.h"
#include "core/support/error.h"
#include "core/support/log.h"

namespace gec {
namespace {

// There is no lock: Python code may come back here on any thread while it loads passes, and it has a lock of its own.
// An end makes a new generation, so that a load which an end overtakes does not count for what comes after it.
std::atomic<uint64_t> g_generation{1};
std::atomic<uint64_t> g_loaded{0};  // the generation whose passes are there
std::atomic<const GePythonBridge *> g_bridge{nullptr};
thread_local bool t_loading = false;  // a pass file compiles a graph: its own passes are not there yet

bool AnyListed() {
  const char *list = std::getenv(kPythonPassesVariable);
  return list && std::string_view(list).find_first_not_of(": ") != std::string_view::npos;
}

std::filesystem::path BridgeFile() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void *>(&LoadPythonPasses), &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  const std::filesystem::path library = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::filesystem::path() : library.parent_path() / GE_PYTHON_BRIDGE_FILE;
}

/// The variable with its value, for messages.
std::string Variable() {
  const char *list = std::getenv(kPythonPassesVariable);
  return Str(kPythonPassesVariable, "='", list ? list : "", "'");
}

[[noreturn]] void Refuse(const std::string &asked, const std::string &why) {
  Fail(GE_FAILED, "E13029: Python passes (", asked, ") cannot be loaded: ", why);
}

/// Opened once and never closed: the interpreter may call into it at any time.
const GePythonBridge &Bridge(const std::string &asked) {
  if (const GePythonBridge *bridge = g_bridge.load(std::memory_order_acquire)) return *bridge;
  const std::string path = BridgeFile().native();
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    Refuse(asked, Str("'", path, "', which belongs to libge.so, cannot be loaded: ", reason ? reason : ""));
  }
  auto find = reinterpret_cast<GePythonBridgeFindFunction>(dlsym(library, GE_PYTHON_BRIDGE_FUNCTION));
  const GePythonBridge *bridge = find ? find(GE_PYTHON_BRIDGE_VERSION) : nullptr;
  if (!bridge || bridge->struct_size < sizeof(GePythonBridge))
    Refuse(asked, Str("'", path, "' is of another release than libge.so"));
  g_bridge.store(bridge, std::memory_order_release);
  return *bridge;
}

struct Loading {
  Loading() { t_loading = true; }
  ~Loading() { t_loading = false; }
};

}  // namespace

void LoadPythonPasses(const Options &options) {
  const uint64_t generation = g_generation.load(std::memory_order_acquire);
  if (g_loaded.load(std::memory_order_acquire) == generation || t_loading) return;
  if (AnyListed()) {
    const Loading scope;
    const GePythonBridge &bridge = Bridge(Variable());
    const std::string library = options.Get("python.library");
    const int32_t status = bridge.start(library.empty() ? nullptr : library.c_str());
    if (status == GE_PYTHON_FAILED) Refuse(Variable(), bridge.last_error());
    if (status != GE_PYTHON_STARTED) return;
    Log(GE_LOG_INFO, "passes of ", kPythonPassesVariable, " are loaded");
  }
  g_loaded.store(generation, std::memory_order_release);
}

std::vector<PassEntryPtr> PythonPassesOf(const std::string &path, const std::string &asked, const Options &options) {
  const GePythonBridge &bridge = Bridge(asked);
  const std::string library = options.Get("python.library");
  CollectPasses passes;
  const int32_t status = bridge.passes_of(path.c_str(), library.empty() ? nullptr : library.c_str());
  if (status == GE_PYTHON_FAILED) Refuse(asked, bridge.last_error());
  return std::move(passes.found);
}

void UnloadPythonPasses() noexcept {
  g_generation.fetch_add(1, std::memory_order_acq_rel);
  if (const GePythonBridge *bridge = g_bridge.load(std::memory_order_acquire)) bridge->stop();
}

}  // namespace gec
