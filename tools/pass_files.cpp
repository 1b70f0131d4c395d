#include "pass_files.h"

#include <cstdlib>
#include <filesystem>

#include "feed.h"
#include "ge/pass_library.h"
#include "native.h"

namespace tool {

void LoadPassFiles(const std::vector<std::string> &paths, bool now) {
  // A command loads its files before it looks for passes by name, and again, without effect, where it compiles.
  static bool told = false, started = false;
  constexpr const char *kVariable = "ASCEND_GE_PY_PASS_PATH";
  const char *set = std::getenv(kVariable);
  std::string python = set ? set : "";
  if (!told) {
    Check(GePassLibraryLoad(nullptr));
    for (const std::string &path : paths) {
      std::error_code error;
      const bool folder = std::filesystem::is_directory(path, error);
      if (!folder && !std::filesystem::exists(path, error)) throw Usage("--pass " + path + ": there is no such file");
      if (EndsWith(path, ".so")) Check(GePassLibraryLoad(path.c_str()));
      else if (folder || EndsWith(path, ".py")) python += (python.empty() ? "" : ":") + path;
      else throw Usage("--pass " + path + ": expected a library (.so), a Python file (.py) or a folder of them");
    }
    if (!python.empty()) setenv(kVariable, python.c_str(), 1);
    told = true;
  }
  if (!now || started || python.empty()) return;
  started = true;
  GeOptions *raw = nullptr;
  Check(GeOptionsCreate(&raw));
  const Options options(raw);
  Check(GeInitialize(raw));
}

}  // namespace tool
