// Where packages of operators, passes and front-end plug-ins lie.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace gec {

/// ASCEND_OPP_PATH, else opp beside the folder of this library; "" when neither can be told.
inline std::filesystem::path PackageRoot() {
  namespace fs = std::filesystem;
  if (const char *root = std::getenv("ASCEND_OPP_PATH"); root && *root) return root;
  static const fs::path beside = [] {  // several ask for it at each start
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void *>(&PackageRoot), &info) || !info.dli_fname) return fs::path();
    std::error_code error;
    const fs::path library = fs::canonical(info.dli_fname, error);
    return error ? fs::path() : library.parent_path().parent_path() / "opp";
  }();
  return beside;
}

/// Entries of a folder that are wanted, by name; none when it cannot be read.
inline std::vector<std::filesystem::path> SortedEntries(const std::filesystem::path &folder,
                                                        bool (*wanted)(const std::filesystem::directory_entry &)) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error), end;
  for (; !error && at != end; at.increment(error))
    if (wanted(*at)) paths.push_back(at->path());
  std::sort(paths.begin(), paths.end(),
            [](const auto &a, const auto &b) { return a.filename().native() < b.filename().native(); });
  return paths;
}

inline bool IsFolder(const std::filesystem::directory_entry &entry) {
  std::error_code error;
  return entry.is_directory(error);
}
/// A file with the suffix of a shared library.
inline bool IsLibrary(const std::filesystem::directory_entry &entry) {
  std::error_code error;
  return entry.path().extension() == ".so" && !entry.is_directory(error);
}

}  // namespace gec
