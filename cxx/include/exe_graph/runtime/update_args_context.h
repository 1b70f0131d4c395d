// gert::UpdateArgsContext: arguments of launches that a custom operator made, to be written anew.
#ifndef INC_EXE_GRAPH_RUNTIME_UPDATE_ARGS_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_UPDATE_ARGS_CONTEXT_H_

#include <iterator>

#include "exe_graph/runtime/eager_op_execution_context.h"

namespace gert {

class UpdateArgsContext : public EagerOpExecutionContext {
 public:
  using EagerOpExecutionContext::EagerOpExecutionContext;
  /// Of the index-th MallocReadOnlyDevArgs; null beyond the last one. There is one memory: both placements are the
  /// same.
  const KernelArgs *GetKernelArgs(Placement placement, size_t index) const {
    if (placement != ge::kPlacementHost && placement != ge::kPlacementDevice) return nullptr;
    const auto &all = Frame().args;
    return index < all.size() ? &*std::next(all.begin(), static_cast<std::ptrdiff_t>(index)) : nullptr;
  }
};
static_assert(std::is_standard_layout<UpdateArgsContext>::value, "a view of the context before it");

}  // namespace gert

#endif
