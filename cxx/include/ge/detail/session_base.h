// Members that Session and GeSession have in common.
#ifndef INC_GE_DETAIL_SESSION_BASE_H_
#define INC_GE_DETAIL_SESSION_BASE_H_

#include <memory>

#include "ge/detail/session_core.h"
#include "ge/ge_graph_compile_summary.h"

namespace ge {
namespace detail {

class SessionBase {
 public:
  uint64_t GetSessionId() const { return core_->id(); }
  Status RemoveGraph(uint32_t graph_id) { return core_->Remove(graph_id); }
  /// True before the first compile.
  bool IsGraphNeedRebuild(uint32_t graph_id) { return core_->NeedRebuild(graph_id); }

  /// Outputs of runs on the stream that the caller brings no memory for come from the allocator; the last one counts.
  Status RegisterExternalAllocator(const void *const stream, AllocatorPtr allocator) const {
    return core_->RegisterAllocator(stream, allocator);
  }
  Status UnregisterExternalAllocator(const void *const stream) const { return core_->UnregisterAllocator(stream); }
  /// Where the nodes of a compiled graph run, as JSON; flags must be 0.
  Status GraphDebugJSONPrint(uint32_t graph_id, uint32_t flags, AscendString &json) const {
    return flags == 0 ? core_->Describe(graph_id, json) : FAILED;
  }
  /// Null before the graph is compiled.
  CompiledGraphSummaryPtr GetCompiledGraphSummary(uint32_t graph_id) {
    GeModel *model = core_->CompiledModel(graph_id);
    const bool refreshable = core_->Option(graph_id, OPTION_FEATURE_BASE_REFRESHABLE) == "1";
    return CompiledGraphSummary::Of(model, refreshable);
  }

  /// Memory for the tensors between nodes of a compiled graph: 64-byte aligned, at least GetFeatureMemorySize. It may
  /// be replaced between runs. Runs of the graph in memory from outside wait for one another.
  Status UpdateGraphFeatureMemoryBase(uint32_t graph_id, const void *const memory, size_t size) {
    return core_->SetMemory(graph_id, GE_SESSION_MEMORY_FEATURE, memory, size);
  }
  /// The same under its other name; a graph takes one or the other.
  Status UpdateGraphRefreshableFeatureMemoryBase(uint32_t graph_id, const void *const memory, size_t size) {
    return core_->SetMemory(graph_id, GE_SESSION_MEMORY_REFRESHABLE, memory, size);
  }
  /// Once, before the graph is loaded. No tensor has to stay where it is (GetFixedFeatureMemorySize is 0), so nothing
  /// is put there.
  Status SetGraphFixedFeatureMemoryBase(uint32_t graph_id, const void *const memory, size_t size) {
    return core_->SetMemory(graph_id, GE_SESSION_MEMORY_FIXED, memory, size);
  }
  Status SetGraphFixedFeatureMemoryBaseWithType(uint32_t graph_id, MemoryType type, const void *const memory,
                                                size_t size) {
    return core_->SetMemory(graph_id, GE_SESSION_MEMORY_FIXED, memory, size, type);
  }
  /// Memory for weights, which are copied there: 64-byte aligned, at least GetConstMemorySize, alive as long as the
  /// graph. Once, after compiling and before loading, and before feature memory is set.
  Status SetGraphConstMemoryBase(uint32_t graph_id, const void *const memory, size_t size) {
    return core_->SetMemory(graph_id, GE_SESSION_MEMORY_CONST, memory, size);
  }

 protected:
  explicit SessionBase(const OptionMap &options) : core_(std::make_shared<SessionCore>(options)) {}
  ~SessionBase() = default;
  std::shared_ptr<SessionCore> core_;
};

}  // namespace detail
}  // namespace ge

#endif
