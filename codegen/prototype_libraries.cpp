#include "prototype_libraries.h"

#include <dlfcn.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace codegen {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> SplitList(const char *text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text ? text : "");
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

bool EndsWith(const std::string &text, const std::string &tail) {
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

void LoadFolder(const fs::path &folder, std::ostream &log) {
  if (!fs::is_directory(folder)) return;
  utsname system{};
  uname(&system);
  fs::path native = folder / "lib" / "linux" / system.machine;
  fs::path place = fs::is_directory(native) ? native : folder;
  std::vector<fs::path> libraries;
  for (const auto &entry : fs::directory_iterator(place)) {
    std::string name = entry.path().filename().string();
    if (EndsWith(name, ".so") && !EndsWith(name, "rt2.0.so") && !EndsWith(name, "rt.so"))
      libraries.push_back(entry.path());
  }
  std::sort(libraries.begin(), libraries.end());
  for (const fs::path &library : libraries) {
    if (!dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL))
      throw std::runtime_error("prototype library '" + library.string() + "' cannot be loaded: " + dlerror());
    log << "loaded prototypes of " << library.string() << "\n";
  }
}

// Vendors of vendors/config.ini, key load_priority.
std::vector<std::string> Vendors(const fs::path &root) {
  std::ifstream file(root / "vendors" / "config.ini");
  for (std::string line; std::getline(file, line);) {
    size_t equals = line.find('=');
    if (equals == std::string::npos || line.compare(0, 13, "load_priority") != 0) continue;
    return SplitList(line.substr(equals + 1).c_str(), ',');
  }
  return {};
}

}  // namespace

void LoadPrototypeLibraries(std::ostream &log) {
  for (const std::string &entry : SplitList(std::getenv("ASCEND_CUSTOM_OPP_PATH"), ':'))
    LoadFolder(fs::path(entry) / "op_proto", log);
  const char *root_text = std::getenv("ASCEND_OPP_PATH");
  if (!root_text || !*root_text) return;
  fs::path root = root_text;
  std::vector<std::string> vendors = Vendors(root);
  for (const std::string &vendor : vendors) LoadFolder(root / "vendors" / vendor / "op_proto", log);
  if (vendors.empty()) LoadFolder(root / "op_proto" / "custom", log);
  LoadFolder(root / "built-in" / "op_proto", log);
  LoadFolder(root / "op_proto" / "built-in", log);
}

}  // namespace codegen
