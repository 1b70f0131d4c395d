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
// Returns how many.
size_t LoadFolder(const fs::path &folder, RegisteredOps *ops, std::ostream &log) {
  if (!fs::is_directory(folder)) return 0;
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
  return libraries.size();
}

// Vendors of vendors/config.ini, key load_priority, in their order; none when there is no such file or it names nobody.
std::vector<std::string> Vendors(const fs::path &root, std::ostream &log) {
  fs::path path = root / "vendors" / "config.ini";
  std::error_code error;
  if (!fs::exists(path, error) && !error) return {};
  std::ifstream file(path);
  // Going on without the vendors would take their operators away.
  if (error || !file || fs::is_directory(path))
    throw std::runtime_error("vendor configuration '" + path.string() + "' cannot be read");
  std::vector<std::string> vendors;
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    size_t equals = line.find('=');
    if (equals == std::string::npos || Trim(line.substr(0, equals)) != "load_priority") continue;
    if (found) {
      log << "WARNING: '" << path.string() << "' has load_priority twice; the first counts\n";
      break;
    }
    found = true;
    for (const std::string &vendor : SplitList(line.substr(equals + 1).c_str(), ',')) {
      if (vendor.find('/') != std::string::npos || vendor == "." || vendor == "..")
        throw std::runtime_error("vendor configuration '" + path.string() + "' names '" + vendor +
                                 "', which is not the name of a folder beside it");
      if (std::find(vendors.begin(), vendors.end(), vendor) == vendors.end()) vendors.push_back(vendor);
      else log << "WARNING: '" << path.string() << "' names vendor '" << vendor << "' twice\n";
    }
  }
  if (file.bad()) throw std::runtime_error("vendor configuration '" + path.string() + "' cannot be read");
  if (vendors.empty())
    log << "WARNING: '" << path.string() << "' has " << (found ? "an empty load_priority" : "no key load_priority")
        << "; op_proto/custom is used as if there were no vendors\n";
  return vendors;
}

}  // namespace

void LoadPrototypeLibraries(RegisteredOps *ops, std::ostream &log) {
  const char *root_text = std::getenv("ASCEND_OPP_PATH");
  if (!root_text || !*root_text)
    throw std::runtime_error(
        "ASCEND_OPP_PATH is not set: it names the folder of operator packages, for example <prefix>/opp");
  fs::path root = root_text;
  if (!fs::is_directory(root)) log << "WARNING: ASCEND_OPP_PATH is '" << root.string() << "', which is not a folder\n";
  for (const std::string &entry : SplitList(std::getenv("ASCEND_CUSTOM_OPP_PATH"), ':')) {
    fs::path folder = fs::path(entry) / "op_proto";
    if (!fs::is_directory(folder))
      log << "WARNING: ASCEND_CUSTOM_OPP_PATH names '" << entry << "', which has no folder op_proto\n";
    else if (LoadFolder(folder, ops, log) == 0)
      log << "WARNING: ASCEND_CUSTOM_OPP_PATH names '" << entry << "', which has no prototype library in op_proto\n";
  }
  std::vector<std::string> vendors = Vendors(root, log);
  for (const std::string &vendor : vendors) {
    fs::path folder = root / "vendors" / vendor / "op_proto";
    std::string named =
        "WARNING: vendor '" + vendor + "' of '" + (root / "vendors" / "config.ini").string() + "' has no ";
    if (!fs::is_directory(folder)) log << named << "folder '" << folder.string() << "'\n";
    else if (LoadFolder(folder, ops, log) == 0) log << named << "prototype library in '" << folder.string() << "'\n";
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
