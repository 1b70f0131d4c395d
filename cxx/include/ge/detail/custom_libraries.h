// Libraries of custom operators: found through ASCEND_CUSTOM_OPP_PATH and opened when GE starts.
#ifndef INC_GE_DETAIL_CUSTOM_LIBRARIES_H_
#define INC_GE_DETAIL_CUSTOM_LIBRARIES_H_

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ge/detail/files.h"
#include "ge/status.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/detail/library_table.h"

namespace ge {
namespace detail {

/// For each root of the list, in order: libcust_opapi.so in it, then every library in op_graph/lib/linux/x86_64. They
/// register what they bring and stay open. One that cannot be opened is an error.
class GE_OF_THIS_LIBRARY CustomLibraries {
 public:
  /// Opens those that are not open yet.
  static Status Load() {
    CustomLibraries *self = &Instance();
    std::lock_guard<std::mutex> lock(self->mutex_);
    const char *roots = std::getenv("ASCEND_CUSTOM_OPP_PATH");
    for (const std::string &path : Paths(roots != nullptr ? roots : ""))
      if (self->Open(path) != SUCCESS) return FAILED;
    for (const auto &library : self->starts_) {
      const uint32_t status = library.second(&self->folders_, [](void *user, const char *, const char *folders) {
        auto &all = *static_cast<std::string *>(user);
        all += (all.empty() ? "" : ":") + std::string(folders);
      });
      if (status != 0) return Refuse(library.first, "its start function returned " + std::to_string(status));
    }
    return SUCCESS;
  }
  /// Folders that vendors named when they started, then those of ASCEND_CUSTOM_OPP_PATH.
  static std::string Folders() {
    CustomLibraries &self = Instance();
    std::lock_guard<std::mutex> lock(self.mutex_);
    const char *roots = std::getenv("ASCEND_CUSTOM_OPP_PATH");
    std::string all = self.folders_;
    if (roots != nullptr && *roots != '\0') all += (all.empty() ? "" : ":") + std::string(roots);
    return all;
  }

 private:
  using StartFunc = uint32_t (*)(void *user, void (*tell)(void *user, const char *vendor, const char *folders));
  static CustomLibraries &Instance() {
    static auto *self = new CustomLibraries;
    return *self;
  }
  static constexpr size_t kMost = 64;
  static constexpr uint64_t kLargest = 838860800, kLargestSum = 1048576000;  // bytes

  static std::vector<std::string> Paths(const std::string &roots) {
    std::vector<std::string> paths;
    for (size_t begin = 0; begin < roots.size();) {
      const size_t end = std::min(roots.find(':', begin), roots.size());
      const std::string root = roots.substr(begin, end - begin);
      begin = end + 1;
      if (root.empty()) continue;
      uint64_t size = 0;
      if (SizeOfFile(root + "/libcust_opapi.so", size) == 0) paths.push_back(root + "/libcust_opapi.so");
      const std::vector<std::string> found = FilesOf(root + "/op_graph/lib/linux/x86_64", ".so");
      paths.insert(paths.end(), found.begin(), found.end());
    }
    return paths;
  }
  Status Open(const std::string &path) {
    if (open_.count(path) != 0) return SUCCESS;
    uint64_t size = 0;
    const int error = SizeOfFile(path, size);
    if (error != 0) return Refuse(path, std::strerror(error));
    if (open_.size() == kMost) return Refuse(path, "at most 64 libraries of custom operators can be opened");
    if (size > kLargest || total_ + size > kLargestSum)
      return Refuse(path, "it has " + std::to_string(size) + " bytes, allowed are 838860800, 1048576000 for all");
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      const char *why = dlerror();
      return Refuse(path, why != nullptr ? why : "unknown loader error");
    }
    total_ += size;
    open_.insert(path);
    // Of its own: a library without one shows that of another.
    void *start = dlsym(library, "GeStartOpLibs");
    Dl_info where{};
    if (start != nullptr && dladdr(start, &where) != 0 && where.dli_fname == path)
      starts_.emplace_back(path, reinterpret_cast<StartFunc>(start));
    return SUCCESS;
  }
  static Status Refuse(const std::string &path, const std::string &why) {
    const std::string text = "library of custom operators " + path + " cannot be opened: " + why;
    (void)GeSetLastError(GE_PATH_INVALID, text.c_str());
    return FAILED;
  }
  std::mutex mutex_;
  std::set<std::string> open_;
  uint64_t total_ = 0;
  std::vector<std::pair<std::string, StartFunc>> starts_;
  std::string folders_;
};

}  // namespace detail
}  // namespace ge

#endif
