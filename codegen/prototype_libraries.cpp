#include "prototype_libraries.h"

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

std::string Trim(const std::string &text) {
  size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> SplitList(const char *text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text ? text : "");
  for (std::string part; std::getline(stream, part, separator);)
    if (!Trim(part).empty()) parts.push_back(Trim(part));
  return parts;
}

bool EndsWith(const std::string &text, const std::string &tail) {
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

// Prototype libraries of a folder: those of lib/<os>/<cpu> when it is there, without the ones for run time only.
void LoadFolder(const fs::path &folder, RegisteredOps *ops, std::ostream &log) {
  if (!fs::is_directory(folder)) return;
  utsname system{};
  uname(&system);
  fs::path native = folder / "lib" / "linux" / system.machine;
  fs::path place = fs::is_directory(native) ? native : folder;
  std::vector<fs::path> libraries;
  std::error_code error;
  for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (EndsWith(name, ".so") && !EndsWith(name, "rt2.0.so") && !EndsWith(name, "rt.so"))
      libraries.push_back(entry->path());
  }
  if (error) throw std::runtime_error("prototype folder '" + place.string() + "' cannot be read: " + error.message());
  std::sort(libraries.begin(), libraries.end());
  for (const fs::path &library : libraries) {
    ops->Load(library.string(), folder.string(), log);
    log << "loaded prototypes of " << library.string() << "\n";
  }
}

// Vendors of vendors/config.ini, key load_priority.
std::vector<std::string> Vendors(const fs::path &root) {
  std::ifstream file(root / "vendors" / "config.ini");
  for (std::string line; std::getline(file, line);) {
    size_t equals = line.find('=');
    if (equals == std::string::npos || Trim(line.substr(0, equals)) != "load_priority") continue;
    return SplitList(line.substr(equals + 1).c_str(), ',');
  }
  return {};
}

}  // namespace

void LoadPrototypeLibraries(RegisteredOps *ops, std::ostream &log) {
  const char *root_text = std::getenv("ASCEND_OPP_PATH");
  if (!root_text || !*root_text)
    throw std::runtime_error(
        "ASCEND_OPP_PATH is not set: it names the folder of operator packages, for example <prefix>/opp");
  fs::path root = root_text;
  if (!fs::is_directory(root))
    throw std::runtime_error("ASCEND_OPP_PATH is '" + root.string() + "', which is not a folder");
  for (const std::string &entry : SplitList(std::getenv("ASCEND_CUSTOM_OPP_PATH"), ':')) {
    fs::path folder = fs::path(entry) / "op_proto";
    if (!fs::is_directory(folder))
      log << "WARNING: ASCEND_CUSTOM_OPP_PATH names '" << entry << "', which has no folder op_proto\n";
    LoadFolder(folder, ops, log);
  }
  std::vector<std::string> vendors = Vendors(root);
  for (const std::string &vendor : vendors) {
    fs::path folder = root / "vendors" / vendor / "op_proto";
    if (!fs::is_directory(folder))
      log << "WARNING: vendor '" << vendor << "' of '" << (root / "vendors" / "config.ini").string()
          << "' has no folder '" << folder.string() << "'\n";
    LoadFolder(folder, ops, log);
  }
  if (vendors.empty()) LoadFolder(root / "op_proto" / "custom", ops, log);
  LoadFolder(root / "built-in" / "op_proto", ops, log);
  LoadFolder(root / "op_proto" / "built-in", ops, log);
}

void LoadPrototypePath(RegisteredOps *ops, const std::string &path, std::ostream &log) {
  if (fs::is_directory(path)) LoadFolder(path, ops, log);
  else if (!fs::exists(path)) throw std::runtime_error("prototype library '" + path + "' does not exist");
  else ops->Load(fs::absolute(path).string(), path, log);
}

}  // namespace codegen
