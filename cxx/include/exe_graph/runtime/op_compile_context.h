// gert::OpCompileContext: what CompilableOp::Compile is told. Tensors have shapes and types and no data.
#ifndef INC_EXE_GRAPH_RUNTIME_OP_COMPILE_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_OP_COMPILE_CONTEXT_H_

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tensor.h"
#include "ge/session.h"
#include "graph/ascend_string.h"
#include "platform/platform_infos_def.h"

namespace gert {

/// Null where there is no such port.
class OpCompileContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  const Tensor *GetInputTensor(size_t index) const { return InputOf<Tensor>(index); }
  const Tensor *GetRequiredInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir_index, size_t relative_index) const {
    return InputOf<Tensor>(ir_index, relative_index);
  }
  const Tensor *GetOutputTensor(size_t index) const { return OutputOf<Tensor>(index); }
  const Tensor *GetRequiredOutputTensor(size_t ir_index) const { return GetDynamicOutputTensor(ir_index, 0); }
  const Tensor *GetDynamicOutputTensor(size_t ir_index, size_t relative_index) const {
    return OutputOf<Tensor>(ir_index, relative_index);
  }
  /// Of the graph, else of its session, else of GEInitialize. GRAPH_FAILED when none of them sets it.
  ge::graphStatus GetOption(const ge::AscendString &key, ge::AscendString &value) const {
    const char *text = nullptr;
    if (GeCurrentOption(key.GetString(), &text) != GE_SUCCESS || text == nullptr) return ge::GRAPH_FAILED;
    value = ge::AscendString(text);
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus GetPlatformInfos(fe::PlatFormInfos &platform, fe::OptionalInfos &optional) const {
    platform = fe::PlatFormInfos();
    optional = fe::OptionalInfos();
    return ge::GRAPH_SUCCESS;
  }
};
static_assert(std::is_standard_layout<OpCompileContext>::value, "a view of the context before it");

}  // namespace gert

#endif
