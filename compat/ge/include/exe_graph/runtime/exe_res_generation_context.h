// gert::ExeResGenerationContext: the node that tasks for a device are described for (graph/kernel_launch_info.h).
#ifndef INC_EXE_GRAPH_RUNTIME_EXE_RES_GENERATION_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_EXE_RES_GENERATION_CONTEXT_H_

#include <cstdint>
#include <type_traits>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tensor.h"
#include "graph/ascend_string.h"
#include "graph/error_codes.h"

namespace gert {

enum class ExecuteMode { kStaticOffloadExecute, kDynamicExecute, kEnd };

/// A stream that the node wants beside its own.
struct StreamInfo {
  ge::AscendString name{""};
  ge::AscendString reuse_key{""};
  std::vector<int64_t> depend_value_input_indices{};
  bool required{true};
  bool is_valid{false};
  int64_t stream_id{-1};
};

namespace detail {
/// Tensors of the frame are gert::Tensor.
struct ResourceFrame : KernelFrame {
  ExecuteMode mode = ExecuteMode::kStaticOffloadExecute;
  int64_t stream_id = 0, op_id = 0;
  std::vector<int64_t> workspace_bytes;
  std::vector<StreamInfo> attached_streams;
};
}  // namespace detail

class ExeResGenerationContext : public ExtendedKernelContext {
 public:
  explicit ExeResGenerationContext(detail::ResourceFrame *frame) : ExtendedKernelContext(frame) {}

  /// Null where there is no such port.
  const StorageShape *GetInputShape(int64_t index) const {
    return index < 0 ? nullptr : ShapeOf(InputOf<Tensor>(static_cast<size_t>(index)));
  }
  const StorageShape *GetOutputShape(int64_t index) const {
    return index < 0 ? nullptr : ShapeOf(OutputOf<Tensor>(static_cast<size_t>(index)));
  }
  ExecuteMode GetExecuteMode() const { return Frame().mode; }
  int64_t GetStreamId() const { return Frame().stream_id; }
  /// The node's number in its graph.
  int64_t GetOpId() const { return Frame().op_id; }
  std::vector<int64_t> GetWorkspaceBytes() const { return Frame().workspace_bytes; }
  void SetWorkspaceBytes(const std::vector<int64_t> &workspace_bytes) const {
    Frame().workspace_bytes = workspace_bytes;
  }
  ge::graphStatus SetAttachedStreamInfos(std::vector<StreamInfo> &stream_infos) const {
    Frame().attached_streams = stream_infos;
    return ge::GRAPH_SUCCESS;
  }
  std::vector<StreamInfo> GetAttachedStreamInfos() const { return Frame().attached_streams; }

 private:
  static const StorageShape *ShapeOf(const Tensor *tensor) { return tensor == nullptr ? nullptr : &tensor->GetShape(); }
  detail::ResourceFrame &Frame() const { return static_cast<detail::ResourceFrame &>(*frame_); }
};
static_assert(std::is_standard_layout<ExeResGenerationContext>::value, "a view of the context before it");

}  // namespace gert

#endif
