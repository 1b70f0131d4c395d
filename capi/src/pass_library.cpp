// Libraries with passes through the C ABI.
#include "ge/pass_library.h"

#include "capi/src/guard.h"
#include "capi/src/process_options.h"
#include "core/support/error.h"
#include "runtime/pass_library.h"

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GePassLibraryLoad(const char *path) {
  return Guard([&] {
    if (!path) return LoadPassLibraries();
    if (!*path) Fail(GE_PARAM_INVALID, "GePassLibraryLoad: the path is empty");
    LoadPassLibrary(path, ProcessOptions());
  });
}

GeStatus GePassLibraryUnload(const char *path) {
  return Guard([&] {
    if (path ? UnloadPassLibrary(path) : UnloadPassLibraries()) return;
    Fail(GE_NOT_FOUND, "GePassLibraryUnload: ", path ? "library '" : "no libraries of vendors are loaded",
         path ? path : "", path ? "' is not loaded" : "");
  });
}

}  // extern "C"
