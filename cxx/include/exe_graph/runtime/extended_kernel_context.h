// gert::ExtendedKernelContext: what every callback context knows of its node.
#ifndef INC_EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H_

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/kernel_context.h"

namespace gert {

class ExtendedKernelContext : public KernelContext {
 public:
  using KernelContext::KernelContext;
  const ComputeNodeInfo *GetComputeNodeInfo() const { return GetComputeNodeExtend(); }
  const char *GetNodeName() const { return GetComputeNodeInfo()->GetNodeName(); }
  const char *GetNodeType() const { return GetComputeNodeInfo()->GetNodeType(); }
  const RuntimeAttrs *GetAttrs() const { return GetComputeNodeInfo()->GetAttrs(); }
  size_t GetComputeNodeInputNum() const { return GetComputeNodeInfo()->GetInputsNum(); }
  size_t GetComputeNodeOutputNum() const { return GetComputeNodeInfo()->GetOutputsNum(); }
  const CompileTimeTensorDesc *GetInputDesc(size_t index) const { return GetComputeNodeInfo()->GetInputTdInfo(index); }
  const CompileTimeTensorDesc *GetOutputDesc(size_t index) const {
    return GetComputeNodeInfo()->GetOutputTdInfo(index);
  }
  const AnchorInstanceInfo *GetIrInputInstanceInfo(size_t ir_index) const {
    return GetComputeNodeInfo()->GetInputInstanceInfo(ir_index);
  }
  const AnchorInstanceInfo *GetIrOutputInstanceInfo(size_t ir_index) const {
    return GetComputeNodeInfo()->GetOutputInstanceInfo(ir_index);
  }
  /// The same for a required, an optional and a dynamic port of the prototype; null where there is none.
  const CompileTimeTensorDesc *GetRequiredInputDesc(size_t ir_index) const { return GetDynamicInputDesc(ir_index, 0); }
  const CompileTimeTensorDesc *GetOptionalInputDesc(size_t ir_index) const { return GetDynamicInputDesc(ir_index, 0); }
  const CompileTimeTensorDesc *GetDynamicInputDesc(size_t ir_index, size_t relative_index) const {
    size_t index = 0;
    return InputAt(ir_index, relative_index, index) ? GetInputDesc(index) : nullptr;
  }

 protected:
  /// Numbers of instances; false where there is none.
  bool InputAt(size_t ir_index, size_t relative_index, size_t &index) const {
    return At(GetIrInputInstanceInfo(ir_index), relative_index, index);
  }
  bool OutputAt(size_t ir_index, size_t relative_index, size_t &index) const {
    return At(GetIrOutputInstanceInfo(ir_index), relative_index, index);
  }
  template <class T>
  const T *InputOf(size_t index) const {
    return index < GetComputeNodeInputNum() ? GetInputPointer<T>(index) : nullptr;
  }
  template <class T>
  T *OutputOf(size_t index) const {
    return index < GetComputeNodeOutputNum() ? GetOutputPointer<T>(index) : nullptr;
  }
  template <class T>
  const T *InputOf(size_t ir_index, size_t relative_index) const {
    size_t index = 0;
    return InputAt(ir_index, relative_index, index) ? InputOf<T>(index) : nullptr;
  }
  template <class T>
  T *OutputOf(size_t ir_index, size_t relative_index) const {
    size_t index = 0;
    return OutputAt(ir_index, relative_index, index) ? OutputOf<T>(index) : nullptr;
  }

 private:
  static bool At(const AnchorInstanceInfo *info, size_t relative_index, size_t &index) {
    if (info == nullptr || relative_index >= info->GetInstanceNum()) return false;
    index = info->GetInstanceStart() + relative_index;
    return true;
  }
};

}  // namespace gert

#endif
