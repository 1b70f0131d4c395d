// How an operator's launches follow addresses that change.
#ifndef INC_GRAPH_CUSTOM_OP_ARGS_REFRESH_H_
#define INC_GRAPH_CUSTOM_OP_ARGS_REFRESH_H_

#include <cstdint>

#include "graph/custom_op/cast.h"

namespace ge {

enum class ArgsRefreshStrategy : uint32_t { kNone = 0, kAnnotatedArgs = 1, kUpdateCallback = 2 };
enum class CustomTaskArgsMode : uint32_t { kUnspecified = 0, kNone = 1, kAnnotatedArgs = 2, kUpdateCallback = 3 };
constexpr const char *ATTR_NAME_CUSTOM_TASK_ARGS_MODE = "_custom_task_args_mode";

inline ArgsRefreshStrategy ArgsRefreshStrategyOf(BaseCustomOp *op) {
  if (CustomOpCast<ArgsUpdater>(op) != nullptr) return ArgsRefreshStrategy::kUpdateCallback;
  if (CustomOpCast<AnnotatedArgsOp>(op) != nullptr) return ArgsRefreshStrategy::kAnnotatedArgs;
  return ArgsRefreshStrategy::kNone;
}

}  // namespace ge

#endif
