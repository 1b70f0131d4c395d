// gert::InferShapeContext: what a function that infers shapes reads and writes.
#ifndef INC_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

/// Origin shapes; -1 is a dimension that is not known, -2 as the only one a rank that is not known. Null where there is
/// no such port.
class InferShapeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  const Shape *GetInputShape(size_t index) const { return Origin(GetInputTensor(index)); }
  /// Its data is null when the value is not known yet.
  const Tensor *GetInputTensor(size_t index) const { return InputOf<Tensor>(index); }
  const Shape *GetRequiredInputShape(size_t ir_index) const { return GetDynamicInputShape(ir_index, 0); }
  const Shape *GetOptionalInputShape(size_t ir_index) const { return GetDynamicInputShape(ir_index, 0); }
  const Shape *GetDynamicInputShape(size_t ir_index, size_t relative_index) const {
    return Origin(GetDynamicInputTensor(ir_index, relative_index));
  }
  const Tensor *GetRequiredInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir_index, size_t relative_index) const {
    return InputOf<Tensor>(ir_index, relative_index);
  }
  /// To be written. What it holds before is not said: SetDimNum(0) before AppendDim.
  Shape *GetOutputShape(size_t index) { return OutputOf<Shape>(index); }
  Shape *GetRequiredOutputShape(size_t ir_index) { return GetDynamicOutputShape(ir_index, 0); }
  Shape *GetDynamicOutputShape(size_t ir_index, size_t relative_index) {
    return OutputOf<Shape>(ir_index, relative_index);
  }

 private:
  static const Shape *Origin(const Tensor *tensor) { return tensor == nullptr ? nullptr : &tensor->GetOriginShape(); }
};
static_assert(std::is_standard_layout<InferShapeContext>::value, "a view of the context before it");

}  // namespace gert

#endif
