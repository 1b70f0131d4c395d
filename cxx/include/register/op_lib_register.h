// REGISTER_OP_LIB: a vendor's library of custom operators is told when GE starts.
//
//   uint32_t Start(ge::AscendString &folders) { … }
//   REGISTER_OP_LIB(vendor).RegOpLibInit(Start);
#ifndef INC_REGISTER_OP_LIB_REGISTER_H_
#define INC_REGISTER_OP_LIB_REGISTER_H_

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/detail/library_table.h"
#include "graph/types.h"

namespace ge {

using OpLibInitFunc = uint32_t (*)(AscendString &);

namespace detail {
/// Vendors of this program or library, in the order they registered.
class GE_OF_THIS_LIBRARY OpLibs {
 public:
  static void Add(const std::string &vendor, OpLibInitFunc init) {
    std::lock_guard<std::mutex> lock(Instance().mutex_);
    for (const auto &[known, function] : Instance().waiting_)
      if (known == vendor) return;
    for (const std::string &known : Instance().started_)
      if (known == vendor) return;
    Instance().waiting_.emplace_back(vendor, init);
  }
  /// Starts those that were not started yet and tells each one's folders. The first result that is not 0 ends it.
  static uint32_t Start(void *user, void (*tell)(void *user, const char *vendor, const char *folders)) {
    std::vector<std::pair<std::string, OpLibInitFunc>> waiting;
    {
      std::lock_guard<std::mutex> lock(Instance().mutex_);
      waiting.swap(Instance().waiting_);
      for (const auto &[vendor, init] : waiting) Instance().started_.push_back(vendor);
    }
    for (const auto &[vendor, init] : waiting) {
      AscendString folders;
      const uint32_t status = init(folders);
      if (status != 0) return status;
      tell(user, vendor.c_str(), folders.GetString());
    }
    return 0;
  }

 private:
  static OpLibs &Instance() {
    static auto *libs = new OpLibs;
    return *libs;
  }
  std::mutex mutex_;
  std::vector<std::pair<std::string, OpLibInitFunc>> waiting_;
  std::vector<std::string> started_;
};
}  // namespace detail

/// The copy at the end of the chain counts; a vendor's second registration is ignored.
class OpLibRegister {
 public:
  explicit OpLibRegister(const char_t *vendor_name) : vendor_(vendor_name != nullptr ? vendor_name : "") {}
  OpLibRegister(const OpLibRegister &other) : vendor_(other.vendor_), init_(other.init_) { Register(); }
  OpLibRegister(OpLibRegister &&other) noexcept : vendor_(std::move(other.vendor_)), init_(other.init_) { Register(); }
  OpLibRegister &operator=(const OpLibRegister &) = delete;
  OpLibRegister &operator=(OpLibRegister &&) = delete;
  OpLibRegister &RegOpLibInit(OpLibInitFunc func) {
    init_ = func;
    return *this;
  }

 private:
  void Register() const {
    if (init_ != nullptr && !vendor_.empty()) detail::OpLibs::Add(vendor_, init_);
  }
  std::string vendor_;
  OpLibInitFunc init_ = nullptr;
};

}  // namespace ge

/// Found by name in every library that GE opens, hidden as its other symbols may be.
extern "C" __attribute__((visibility("default"), used)) inline uint32_t GeStartOpLibs(
    void *user, void (*tell)(void *user, const char *vendor, const char *folders)) {
  return ge::detail::OpLibs::Start(user, tell);
}

#define REGISTER_OP_LIB(vendor_name) REGISTER_OP_LIB_UNIQ_HELPER(vendor_name, __COUNTER__)
#define REGISTER_OP_LIB_UNIQ_HELPER(vendor_name, counter) REGISTER_OP_LIB_UNIQ(vendor_name, counter)
#define REGISTER_OP_LIB_UNIQ(vendor_name, counter) \
  static ::ge::OpLibRegister op_lib_register_##counter = ::ge::OpLibRegister(#vendor_name)

#endif
