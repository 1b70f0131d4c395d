// gert::TilingContext: what a tiling function reads, and what it decides for the launch of its kernel.
#ifndef INC_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tensor.h"
#include "exe_graph/runtime/tiling_data.h"
#include "graph/error_codes.h"
#include "platform/platform_infos_def.h"

namespace gert {

/// Behind the node's inputs come its outputs, then the additional inputs; the outputs are the decisions. Getters are
/// null (numbers: their default) where the context has no such thing, setters then answer GRAPH_FAILED.
class TilingContext : public ExtendedKernelContext {
 public:
  /// Inputs behind those of the node and its outputs.
  enum AdditionalInputIndex : uint32_t { kInputCompileInfo, kInputPlatformInfo, kInputDeterministic, kInputNum };
  enum TilingOutputIndex : uint32_t {
    kOutputTilingKey,
    kOutputBlockDim,
    kOutputAtomicCleanFlag,
    kOutputTilingData,
    kOutputWorkspace,
    kOutputTilingCond,
    kOutputScheduleMode,
    kOutputNum
  };
  using ExtendedKernelContext::ExtendedKernelContext;

  /// The result of TilingParse for the operator's compile information.
  const void *GetCompileInfo() const { return Additional<void>(kInputCompileInfo); }
  template <class T>
  const T *GetCompileInfo() const {
    return static_cast<const T *>(GetCompileInfo());
  }
  fe::PlatFormInfos *GetPlatformInfo() const {
    return const_cast<fe::PlatFormInfos *>(Additional<fe::PlatFormInfos>(kInputPlatformInfo));
  }
  /// 1 when equal runs have to give equal bits, else 0.
  int32_t GetDeterministic() const {
    const int32_t *value = Additional<int32_t>(kInputDeterministic);
    return value == nullptr ? 0 : *value;
  }

  const StorageShape *GetInputShape(size_t index) const { return ShapeOf(GetInputTensor(index)); }
  const StorageShape *GetRequiredInputShape(size_t ir_index) const { return GetDynamicInputShape(ir_index, 0); }
  const StorageShape *GetOptionalInputShape(size_t ir_index) const { return GetDynamicInputShape(ir_index, 0); }
  const StorageShape *GetDynamicInputShape(size_t ir_index, size_t relative_index) const {
    return ShapeOf(GetDynamicInputTensor(ir_index, relative_index));
  }
  /// Its data is null when the value is not known while tiling.
  const Tensor *GetInputTensor(size_t index) const { return InputOf<Tensor>(index); }
  const Tensor *GetRequiredInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir_index, size_t relative_index) const {
    return InputOf<Tensor>(ir_index, relative_index);
  }
  const StorageShape *GetOutputShape(size_t index) const {
    if (index >= GetComputeNodeOutputNum()) return nullptr;
    return ShapeOf(GetInputPointer<Tensor>(GetComputeNodeInputNum() + index));
  }

  ge::graphStatus SetTilingKey(uint64_t tiling_key) { return Put(kOutputTilingKey, tiling_key); }
  uint64_t GetTilingKey() const { return Get<uint64_t>(kOutputTilingKey, 0); }
  /// Blocks that the kernel is launched with.
  ge::graphStatus SetBlockDim(uint32_t block_dim) { return Put(kOutputBlockDim, block_dim); }
  uint32_t GetBlockDim() const { return Get<uint32_t>(kOutputBlockDim, 0); }
  /// True when outputs are to be zeroed before the kernel adds to them.
  ge::graphStatus SetNeedAtomic(bool atomic) { return Put(kOutputAtomicCleanFlag, atomic); }
  bool NeedAtomic() const { return Get<bool>(kOutputAtomicCleanFlag, true); }
  ge::graphStatus SetTilingCond(int32_t condition) { return Put(kOutputTilingCond, condition); }
  int32_t GetTilingCond() const { return Get<int32_t>(kOutputTilingCond, 0); }
  ge::graphStatus SetScheduleMode(uint32_t mode) { return Put(kOutputScheduleMode, mode); }
  uint32_t GetScheduleMode() const { return Get<uint32_t>(kOutputScheduleMode, 0); }

  /// Room for the sizes in bytes of `count` workspaces, to be written; null when there is none for as many.
  size_t *GetWorkspaceSizes(size_t count) {
    auto *sizes = GetOutputPointer<ContinuousVector>(kOutputWorkspace);
    return sizes != nullptr && sizes->SetSize(count) == ge::GRAPH_SUCCESS ? static_cast<size_t *>(sizes->MutableData())
                                                                          : nullptr;
  }
  size_t GetWorkspaceNum() const {
    auto *sizes = GetOutputPointer<ContinuousVector>(kOutputWorkspace);
    return sizes == nullptr ? 0 : sizes->GetSize();
  }
  /// The tiling data as one struct, to be written: its size becomes that of T. Null when the capacity is smaller, or
  /// something was appended to the data before.
  template <class T>
  T *GetTilingData() {
    TilingData *data = GetRawTilingData();
    return data == nullptr ? nullptr : static_cast<T *>(data->AsStruct(sizeof(T)));
  }
  /// The tiling data to be appended to.
  TilingData *GetRawTilingData() const { return GetOutputPointer<TilingData>(kOutputTilingData); }

 private:
  static const StorageShape *ShapeOf(const Tensor *tensor) { return tensor == nullptr ? nullptr : &tensor->GetShape(); }
  template <class T>
  const T *Additional(size_t index) const {
    return GetInputPointer<T>(GetComputeNodeInputNum() + GetComputeNodeOutputNum() + index);
  }
  template <class T>
  ge::graphStatus Put(size_t index, T value) {
    T *slot = GetOutputPointer<T>(index);
    if (slot == nullptr) return ge::GRAPH_FAILED;
    *slot = value;
    return ge::GRAPH_SUCCESS;
  }
  template <class T>
  T Get(size_t index, T fallback) const {
    const T *slot = GetOutputPointer<T>(index);
    return slot == nullptr ? fallback : *slot;
  }
};
static_assert(std::is_standard_layout<TilingContext>::value, "a view of the context before it");

}  // namespace gert

#endif
