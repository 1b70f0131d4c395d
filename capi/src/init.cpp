// GE's process-wide start and end. Nothing needs them here: they check options and keep what sessions start from.
#include <mutex>

#include "capi/src/process_options.h"

namespace gec::api {
namespace {

std::mutex g_mutex;
Options *g_options = nullptr;  // null: not initialised

}  // namespace

Options ProcessOptions() {
  std::lock_guard lock(g_mutex);
  return g_options ? *g_options : Options();
}

}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" GeStatus GeInitialize(const GeOptions *options) {
  return Guard([&] {
    const Options &given = OptionsOf(options, "GeInitialize");
    Resolve(given);
    std::lock_guard lock(g_mutex);
    if (g_options) return;  // again is fine, the first call's options stay
    g_options = new Options(given);
  });
}

extern "C" GeStatus GeFinalize(void) {
  return Guard([] {
    std::lock_guard lock(g_mutex);
    delete g_options;
    g_options = nullptr;
  });
}
