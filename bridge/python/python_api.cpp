#include "bridge/python/python_api.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace ge_bridge {

std::string PythonApi::Version() const {
  const char *text = Py_GetVersion();
  int major = 0, minor = 0;
  if (std::sscanf(text, "%d.%d", &major, &minor) != 2) return text;
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string Bind(void *library, PythonApi *api) {
  std::string missing;
  auto find = [&](const char *name, auto *function, bool is_optional) {
    void *address = dlsym(library, name);
    std::memcpy(function, &address, sizeof address);
    if (!address && !is_optional && missing.empty()) missing = name;
  };
  find("Py_GetVersion", &api->Py_GetVersion, false);
  if (!api->Py_GetVersion) return "it is no libpython: it has no function Py_GetVersion";
  int major = 0, minor = 0;
  const char *version = api->Py_GetVersion();
  if (std::sscanf(version, "%d.%d", &major, &minor) != 2 || major != 3 || minor < 9)
    return std::string("it is Python ") + version + ", passes need 3.9 or a later 3.x";
  if (std::strstr(version, "free-threading"))
    return std::string("it is Python ") + version + ", which has no global lock; passes need a build with one";
#define GE_BRIDGE_FIND(name, result, parameters) find(#name, &api->name, false);
  GE_BRIDGE_PYTHON_FUNCTIONS(GE_BRIDGE_FIND)
#undef GE_BRIDGE_FIND
  find("Py_SetProgramName", &api->Py_SetProgramName, true);
  find("Py_IsFinalizing", &api->Py_IsFinalizing, true);
  if (!missing.empty()) return std::string("Python ") + version + " has no function " + missing;
  return "";
}

}  // namespace ge_bridge
