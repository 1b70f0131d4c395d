// The functions that IMPL_OP registered for an operator type in this process, hidden libraries included, for programs
// that call them directly: tests of tiling functions.
#ifndef INC_BASE_REGISTRY_OP_IMPL_SPACE_REGISTRY_V2_H_
#define INC_BASE_REGISTRY_OP_IMPL_SPACE_REGISTRY_V2_H_

#include <memory>

#include "register/op_impl_registry.h"

namespace gert {

class OpImplSpaceRegistryV2 {
 public:
  /// Null for a type without functions. Valid until the process ends; later registrations of the type change it.
  /// Threads: any, while nothing is registered.
  const OpImplKernelRegistry::OpImplFunctionsV2 *GetOpImpl(const ge::char_t *op_type) const {
    return op_type == nullptr ? nullptr : ge::detail::ImplOps::Find(op_type);
  }
};

class DefaultOpImplSpaceRegistryV2 {
 public:
  static DefaultOpImplSpaceRegistryV2 &GetInstance() {
    static auto *instance = new DefaultOpImplSpaceRegistryV2;
    return *instance;
  }
  /// Never null.
  const std::shared_ptr<OpImplSpaceRegistryV2> GetSpaceRegistry() const { return registry_; }

 private:
  std::shared_ptr<OpImplSpaceRegistryV2> registry_ = std::make_shared<OpImplSpaceRegistryV2>();
};

}  // namespace gert

#endif
