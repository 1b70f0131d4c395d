// Makes a context for a function of IMPL_OP(...).Tiling.
//
//   auto holder = gert::OpTilingContextBuilder().OpType("AddCustom").InputTensors({&x, &y}).OutputTensors({&z})
//                     .CompileInfo(&info).Build();
//   AddTiling(holder.GetContext());
//   holder.GetContext()->GetBlockDim() …
#ifndef INC_BASE_CONTEXT_BUILDER_OP_TILING_CONTEXT_BUILDER_H_
#define INC_BASE_CONTEXT_BUILDER_OP_TILING_CONTEXT_BUILDER_H_

#include <cstdint>
#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/tiling_context.h"

namespace gert {

/// Decisions begin with their defaults: tiling key 0, block dim 0, atomic clean, no workspaces (room for 16), no data.
class OpTilingContextBuilder : public OpContextBuilderBase<OpTilingContextBuilder> {
 public:
  static constexpr size_t kMostWorkspaces = 16, kUsualTilingDataSize = 2048;
  OpTilingContextBuilder &InputTensors(const std::vector<Tensor *> &inputs) {
    inputs_ = inputs;
    return *this;
  }
  OpTilingContextBuilder &OutputTensors(const std::vector<Tensor *> &outputs) {
    outputs_ = outputs;
    return *this;
  }
  OpTilingContextBuilder &CompileInfo(const void *compile_info) {
    compile_info_ = compile_info;
    return *this;
  }
  /// An fe::PlatFormInfos; without one it is this processor.
  OpTilingContextBuilder &PlatformInfo(const void *platform_info) {
    platform_ = platform_info;
    return *this;
  }
  OpTilingContextBuilder &Deterministic(int32_t deterministic) {
    deterministic_ = deterministic;
    return *this;
  }
  /// Capacity of tiling data that the holder owns; 2048 bytes unless it is said.
  OpTilingContextBuilder &TilingDataSize(size_t tiling_data_size) {
    data_size_ = tiling_data_size;
    return *this;
  }
  /// Tiling data of the caller's instead; he made it with TilingData::CreateCap.
  OpTilingContextBuilder &TilingData(const gert::TilingData *tiling_data) {
    data_ = tiling_data;
    return *this;
  }
  /// Sizes of workspaces in memory of the caller's; he made it with ContinuousVector::Create<size_t>.
  OpTilingContextBuilder &Workspace(const ContinuousVector *workspace) {
    workspace_ = workspace;
    return *this;
  }
  ContextHolder<TilingContext> Build() {
    auto built = Node(DescsOf(inputs_), DescsOf(outputs_));
    if (built == nullptr) return {};
    auto *data = const_cast<gert::TilingData *>(data_);
    if (data == nullptr) data = Block<gert::TilingData>(*built, gert::TilingData::CreateCap(data_size_));
    auto *workspace = const_cast<ContinuousVector *>(workspace_);
    if (workspace == nullptr)
      workspace = Block<ContinuousVector>(*built, ContinuousVector::Create<size_t>(kMostWorkspaces));
    if (data == nullptr || workspace == nullptr) return {};
    auto &in = built->frame.inputs;
    in.assign(inputs_.begin(), inputs_.end());
    in.insert(in.end(), outputs_.begin(), outputs_.end());
    in.insert(in.end(), {compile_info_, Platform(platform_, *built), built->Own<int32_t>(deterministic_)});
    built->frame.outputs = {built->Own<uint64_t>(0u), built->Own<uint32_t>(0u), built->Own<bool>(true), data, workspace,
                            built->Own<int32_t>(0),   built->Own<uint32_t>(0u)};
    return ContextHolder<TilingContext>(std::move(built));
  }

 private:
  template <class T>
  static T *Block(detail::BuiltContext &built, std::unique_ptr<uint8_t[]> block) {
    auto *object = reinterpret_cast<T *>(block.get());
    built.owned.emplace_back(std::shared_ptr<uint8_t>(block.release(), std::default_delete<uint8_t[]>()));
    return object;
  }
  std::vector<Tensor *> inputs_, outputs_;
  const void *compile_info_ = nullptr, *platform_ = nullptr;
  int32_t deterministic_ = 0;
  size_t data_size_ = kUsualTilingDataSize;
  const gert::TilingData *data_ = nullptr;
  const ContinuousVector *workspace_ = nullptr;
};

}  // namespace gert

#endif
