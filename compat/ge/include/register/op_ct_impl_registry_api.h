// The functions that IMPL_OP_CT registered, through C functions.
#ifndef INC_REGISTER_OP_CT_IMPL_REGISTRY_API_H_
#define INC_REGISTER_OP_CT_IMPL_REGISTRY_API_H_

#include <cstddef>
#include <cstdint>

#include "register/op_ct_impl_registry.h"

/// op_type: as long as the process lives.
struct TypesToCtImpl {
  const char *op_type;
  gert::OpCtImplKernelRegistry::OpCtImplFunctions funcs;
};

extern "C" {
/// How many types have functions.
__attribute__((visibility("default"), used)) inline size_t GetRegisteredOpCtNum(void) {
  return gert::OpCtImplRegistry::GetInstance().GetAllTypesToImpl().size();
}
/// All of them, in the order of their names, into an array of the caller. GRAPH_FAILED where impl_num is not their
/// number or impl is null.
__attribute__((visibility("default"), used)) inline int32_t GetOpCtImplFunctions(TypesToCtImpl *impl, size_t impl_num) {
  const auto &all = gert::OpCtImplRegistry::GetInstance().GetAllTypesToImpl();
  if (impl == nullptr || impl_num != all.size()) return static_cast<int32_t>(ge::GRAPH_FAILED);
  for (const auto &[type, functions] : all) *impl++ = {type.GetString(), functions};
  return static_cast<int32_t>(ge::GRAPH_SUCCESS);
}
}

#endif
