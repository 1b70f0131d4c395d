// GE's process-wide start and end: they check options, keep what sessions start from, and load and unload the libraries
// that hold passes and the passes written in Python.
#include <memory>
#include <mutex>

#include "capi/src/process_options.h"
#include "core/support/error.h"
#include "core/support/warnings.h"
#include "ge/session.h"
#include "runtime/pass_library.h"
#include "runtime/python_passes.h"
#include "runtime/session/compile_stats.h"

namespace gec::api {
namespace {

std::mutex g_mutex;
Options *g_options = nullptr;  // null: not initialised

/// Warns of options that a second start would set otherwise. g_mutex is held.
void WarnOfOthers(const Options &given) {
  for (const auto &[key, value] : given.all()) {
    if (g_options->Get(key) == value) continue;
    const bool set = g_options->Find(key) != nullptr;
    WarnOnce(Str("GeInitialize: option ", key, " is '", value, "' and has no effect: GE is initialised already, with ",
                 set ? "'" : "the default '", g_options->Get(key), "'; GeFinalize ends that"));
  }
}

}  // namespace

Options ProcessOptions() {
  std::lock_guard lock(g_mutex);
  return g_options ? *g_options : Options();
}

const char *ProcessOption(const char *key) {
  std::lock_guard lock(g_mutex);
  const std::string *value = g_options ? g_options->Find(key) : nullptr;
  return value ? value->c_str() : nullptr;
}

}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" GeStatus GeInitialize(const GeOptions *options) {
  return Guard([&] {
    const Options &given = OptionsOf(options, "GeInitialize");
    Resolve(given);
    // Without the lock: code of a pass may call into the library, and other threads may wait for it in Python.
    if (GeIsInitialized() == 0) LoadPythonPasses(given);
    std::lock_guard lock(g_mutex);
    if (g_options) return WarnOfOthers(given);  // again is fine, the first call's options stay
    auto options = std::make_unique<Options>(given);
    LoadPassLibraries();
    g_options = options.release();
  });
}

extern "C" int32_t GeIsInitialized(void) {
  std::lock_guard lock(g_mutex);
  return g_options != nullptr;
}

extern "C" GeStatus GeFinalize(void) {
  return Guard([] {
    // Also without a start: a compile may have loaded them.
    struct AtEnd {
      ~AtEnd() { UnloadPythonPasses(); }
    } after_the_lock;
    std::lock_guard lock(g_mutex);
    if (!g_options) return;
    FinishCompileStats(*g_options);
    UnloadPassLibraries();
    delete g_options;
    g_options = nullptr;
  });
}
