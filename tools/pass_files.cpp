#include "pass_files.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "feed.h"
#include "ge/pass_library.h"
#include "native.h"

namespace tool {

namespace {
enum class Kind { kLibrary, kPython };

Kind KindOf(const std::string &path) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  if (!folder && !std::filesystem::exists(path, error)) throw Usage("--pass " + path + ": there is no such file");
  if (folder || EndsWith(path, ".py")) return Kind::kPython;
  if (EndsWith(path, ".so")) return Kind::kLibrary;
  throw Usage("--pass " + path + ": expected a library (.so), a Python file (.py) or a folder of them");
}

/// Loads what the environment lists, too.
void Start(const std::string &python) {
  GeOptions *raw = nullptr;
  Check(GeOptionsCreate(&raw));
  const Options options(raw);
  if (!python.empty()) Check(GeOptionsSet(raw, "python.library", python.c_str()));
  Check(GeInitialize(raw));
}
}  // namespace

void LoadPassFiles(const std::vector<std::string> &paths, bool now, const std::string &python) {
  static bool loaded = false, started = false;
  bool any_python = false;
  if (!loaded)
    for (const std::string &path : paths) any_python |= KindOf(path) == Kind::kPython;
  const char *listed = std::getenv("ASCEND_GE_PY_PASS_PATH");
  if (!started && (any_python || (now && listed && *listed))) {
    Start(python);
    started = true;
  }
  if (std::exchange(loaded, true)) return;
  Check(GePassLibraryLoad(nullptr));
  for (const std::string &path : paths)
    if (GePassLibraryLoad(path.c_str()) != GE_SUCCESS) throw Error("--pass " + path + ": " + GeLastErrorMessage());
}

}  // namespace tool
