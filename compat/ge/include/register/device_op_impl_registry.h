// DEVICE_IMPL_OP_OPTILING: tiling functions that run on a device, by operator type.
//
//   DEVICE_IMPL_OP_OPTILING(AddCustom).Tiling(AddTiling);
//   …
//   auto tiling = optiling::DeviceOpImplRegistry::GetSingleton().GetSinkTilingFunc("AddCustom");
//
// They are kept and found by type; the library runs no kernels that need them.
#ifndef INC_REGISTER_DEVICE_OP_IMPL_REGISTRY_H_
#define INC_REGISTER_DEVICE_OP_IMPL_REGISTRY_H_

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "graph/detail/library_table.h"
#include "graph/error_codes.h"
#include "register/detail/function_table.h"

namespace gert {
class TilingContext;
}

namespace optiling {

using SinkTilingFunc = std::function<ge::graphStatus(gert::TilingContext *)>;

/// One for the library it is compiled into. Any thread may call.
class GE_OF_THIS_LIBRARY DeviceOpImplRegistry {
 public:
  static DeviceOpImplRegistry &GetSingleton() {
    static DeviceOpImplRegistry registry;
    return registry;
  }
  /// The last function of a type counts.
  void RegisterSinkTiling(const std::string &opType, const SinkTilingFunc &func) {
    std::lock_guard<std::mutex> lock(mutex_);
    functions_[opType] = func;
  }
  /// Empty for a type that nobody registered.
  SinkTilingFunc GetSinkTilingFunc(const std::string &opType) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = functions_.find(opType);
    return found == functions_.end() ? SinkTilingFunc() : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, SinkTilingFunc> functions_;
};

/// Settings take effect at once; copies have the same settings.
class GE_OF_THIS_LIBRARY DeviceOpImplRegister {
 public:
  explicit DeviceOpImplRegister(const char *opType) : type_(ge::detail::KeyText(opType)) {}
  DeviceOpImplRegister &Tiling(SinkTilingFunc func) {
    DeviceOpImplRegistry::GetSingleton().RegisterSinkTiling(type_, func);
    return *this;
  }

 private:
  std::string type_;
};

}  // namespace optiling

namespace gert {
using optiling::DeviceOpImplRegister;
}

#define DEVICE_IMPL_OP_OPTILING(optype)                                                                   \
  [[maybe_unused]] static ::optiling::DeviceOpImplRegister GE_UNIQUE_NAME(g_device_op_impl_##optype##_) = \
      ::optiling::DeviceOpImplRegister(#optype)

#endif
