// Libraries with front-end plug-ins: found in package folders, opened once, never closed.
#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/support/log.h"
#include "core/support/package_root.h"
#include "core/support/shared_library.h"
#include "ge/parser_plugin.h"
#include "parsers/plugin.h"

namespace gec {
namespace {

namespace fs = std::filesystem;

constexpr char kMessages[] = "libge_onnx_proto.so.1";
constexpr size_t kMostLibraries = 64;
constexpr uint64_t kLargest = 838860800, kLargestSum = 1048576000;  // bytes

const char *FrameworkFolder(int32_t framework) {
  switch (framework) {
    case GE_FRAMEWORK_CAFFE:
      return "caffe";
    case GE_FRAMEWORK_TENSORFLOW:
      return "tensorflow";
    default:
      return "onnx";
  }
}

std::string Variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> Split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end != begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Vendors of a package root: those that vendors/config.ini lists (load_priority=a,b), then the others by name.
std::vector<fs::path> Vendors(const fs::path &root) {
  std::vector<fs::path> vendors;
  std::set<std::string> seen;
  std::ifstream config(root / "vendors" / "config.ini");
  for (std::string line; std::getline(config, line);) {
    std::string plain;
    for (char c : line)
      if (c != ' ' && c != '\t' && c != '\r') plain += c;
    if (plain.rfind("load_priority=", 0) != 0) continue;
    for (const std::string &name : Split(plain.substr(plain.find('=') + 1), ','))
      if (name.find('/') == std::string::npos && seen.insert(name).second) vendors.push_back(root / "vendors" / name);
  }
  for (const fs::path &vendor : SortedEntries(root / "vendors", IsFolder))
    if (seen.insert(vendor.filename().native()).second) vendors.push_back(vendor);
  return vendors;
}

/// Every library below the folder: a folder's own first, by name, then those of its folders. Links to folders are not
/// followed, so there is an end.
void Collect(const fs::path &folder, std::vector<std::string> &found) {
  for (const fs::path &file : SortedEntries(folder, IsLibrary))
    if (file.filename() != "lib_caffe_parser.so") found.push_back(file.native());
  for (const fs::path &inner :
       SortedEntries(folder, [](const fs::directory_entry &entry) { return IsFolder(entry) && !entry.is_symlink(); }))
    Collect(inner, found);
}

class Libraries {
 public:
  void Load(int32_t framework) {
    const fs::path root = PackageRoot();
    const std::string custom = Variable("ASCEND_CUSTOM_OPP_PATH");
    std::lock_guard lock(mutex_);
    // The same places as last time: what is there was looked at, or a library of it is being opened by this thread.
    std::string &last = looked_at_[framework];
    std::string places = custom + "\n" + root.native();
    if (last == places) return;
    last = std::move(places);
    std::vector<std::string> found;
    for (const std::string &path : Split(custom, ':')) CollectOf(fs::path(path) / "framework", framework, found);
    if (!root.empty()) {
      for (const fs::path &vendor : Vendors(root)) CollectOf(vendor / "framework", framework, found);
      Collect(root / "built-in" / "framework" / FrameworkFolder(framework), found);
    }
    for (const std::string &path : found) Open(path);
  }

 private:
  /// Without what lies in the folders of other formats.
  static void CollectOf(const fs::path &folder, int32_t framework, std::vector<std::string> &found) {
    std::vector<std::string> all;
    Collect(folder, all);
    for (std::string &path : all) {
      const std::string below = fs::path(path).lexically_relative(folder).begin()->native();
      bool other = false;
      for (int32_t each : {GE_FRAMEWORK_CAFFE, GE_FRAMEWORK_TENSORFLOW, GE_FRAMEWORK_ONNX})
        other |= each != framework && below == FrameworkFolder(each);
      if (!other) found.push_back(std::move(path));
    }
  }

  void Open(const std::string &path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (!error && !seen_.insert(real.native()).second) return;
    const uint64_t size = fs::file_size(path, error);
    if (error) return Warn(path, error.message());
    if (opened_ == kMostLibraries) return Warn(path, Str("at most ", kMostLibraries, " are opened"));
    if (size > kLargest || size > kLargestSum - total_)
      return Warn(path, Str("it has ", size, " bytes, allowed are ", kLargest, ", ", kLargestSum, " for all"));
    if (std::string missing = MissingInLibrary(path); !missing.empty()) return Warn(path, missing);
    (void)dlerror();
    if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
      const char *why = dlerror();
      std::string text = why ? why : "unknown loader error";
      // The library that holds the ONNX messages lies beside this one, where the loader does not look; and plug-ins
      // for GE need not name it at all, because GE has it open.
      const bool named = text.find(kMessages) != std::string::npos;
      const bool unnamed = text.find("undefined symbol") != std::string::npos;
      if ((!named && !unnamed) || !OpenMessages(named ? RTLD_LOCAL : RTLD_GLOBAL) ||
          !dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
        return Warn(path, text);
      }
    }
    ++opened_;
    total_ += size;
    Log(GE_LOG_INFO, "library of front-end plug-ins '", path, "' loaded");
  }

  /// The library with the ONNX messages: known by its name from now on, or (RTLD_GLOBAL) its symbols to all.
  static bool OpenMessages(int scope) {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void *>(&LoadParserPlugins), &info) && info.dli_fname) {
      const fs::path beside = fs::path(info.dli_fname).parent_path() / kMessages;
      if (dlopen(beside.c_str(), RTLD_NOW | scope | RTLD_NODELETE)) return true;
    }
    return dlopen(kMessages, RTLD_NOW | scope | RTLD_NODELETE) != nullptr;
  }
  static void Warn(const std::string &path, const std::string &why) {
    Log(GE_LOG_WARNING, "library of front-end plug-ins '", path, "' is left out: ", why);
  }

  std::recursive_mutex mutex_;
  std::map<int32_t, std::string> looked_at_;
  std::set<std::string> seen_;
  size_t opened_ = 0;
  uint64_t total_ = 0;
};

}  // namespace

void LoadParserPlugins(int32_t framework) {
  static auto *libraries = new Libraries;
  libraries->Load(framework);
}

}  // namespace gec
