// CustomOpFactory: the process's registry of custom operators.
#ifndef INC_GRAPH_CUSTOM_OP_FACTORY_H_
#define INC_GRAPH_CUSTOM_OP_FACTORY_H_

#include <vector>

#include "graph/custom_op.h"
#include "graph/custom_op/args_refresh.h"

namespace ge {

class CustomOpFactory {
 public:
  static graphStatus RegisterCustomOpCreator(const AscendString &type, const BaseOpCreator &creator) {
    return detail::RegisterCustomOp(type.GetString(), creator);
  }
  static BaseCustomOp *CreateOrGetCustomOp(const AscendString &type) {
    return detail::CustomOps().CreateOrGetCustomOp(type);
  }
  static void RemoveCustomOps(const std::vector<AscendString> &types) { detail::CustomOps().RemoveCustomOps(types); }
  static CustomOpRegistry *GetGlobalRegistryPtr() { return &detail::CustomOps(); }
  static graphStatus GetAllRegisteredOps(std::vector<AscendString> &types) {
    return detail::CustomOps().GetAllRegisteredOps(types);
  }
  static bool IsExistOp(const AscendString &type) { return detail::CustomOps().HasCreator(type); }
  static ArgsRefreshStrategy GetArgsRefreshStrategy(const AscendString &type) {
    return ArgsRefreshStrategyOf(CreateOrGetCustomOp(type));
  }
  static bool IsAddressRefreshable(const AscendString &type) {
    return GetArgsRefreshStrategy(type) != ArgsRefreshStrategy::kNone;
  }
};

}  // namespace ge

#endif
