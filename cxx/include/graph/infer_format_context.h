// gert::InferFormatContext: what a function that infers formats reads and writes.
#ifndef INC_GRAPH_INFER_FORMAT_CONTEXT_H_
#define INC_GRAPH_INFER_FORMAT_CONTEXT_H_

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

/// Formats of the inputs are those of their producers; FORMAT_ND where nothing says more. The library takes the origin
/// formats of outputs; what a function writes to inputs is for itself alone. Null where there is no such port.
class InferFormatContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  /// Origin shapes; -1 is a dimension that is not known, -2 as the only one a rank that is not known.
  const Shape *GetInputShape(size_t index) const { return Origin(GetInputTensor(index)); }
  const Shape *GetRequiredInputShape(size_t ir_index) const { return GetDynamicInputShape(ir_index, 0); }
  const Shape *GetOptionalInputShape(size_t ir_index) const { return GetDynamicInputShape(ir_index, 0); }
  const Shape *GetDynamicInputShape(size_t ir_index, size_t relative_index) const {
    return Origin(GetDynamicInputTensor(ir_index, relative_index));
  }
  /// Its data is null when the value is not known yet.
  const Tensor *GetInputTensor(size_t index) const { return InputOf<Tensor>(index); }
  const Tensor *GetRequiredInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir_index, size_t relative_index) const {
    return InputOf<Tensor>(ir_index, relative_index);
  }
  StorageFormat *GetInputFormat(size_t index) {
    if (index >= GetComputeNodeInputNum()) return nullptr;
    return GetOutputPointer<StorageFormat>(GetComputeNodeOutputNum() + index);  // behind those of the outputs
  }
  StorageFormat *GetRequiredInputFormat(size_t ir_index) { return GetDynamicInputFormat(ir_index, 0); }
  StorageFormat *GetOptionalInputFormat(size_t ir_index) { return GetDynamicInputFormat(ir_index, 0); }
  StorageFormat *GetDynamicInputFormat(size_t ir_index, size_t relative_index) {
    size_t index = 0;
    return InputAt(ir_index, relative_index, index) ? GetInputFormat(index) : nullptr;
  }
  StorageFormat *GetOutputFormat(size_t index) { return OutputOf<StorageFormat>(index); }
  StorageFormat *GetRequiredOutputFormat(size_t ir_index) { return GetDynamicOutputFormat(ir_index, 0); }
  StorageFormat *GetDynamicOutputFormat(size_t ir_index, size_t relative_index) {
    return OutputOf<StorageFormat>(ir_index, relative_index);
  }

 private:
  static const Shape *Origin(const Tensor *tensor) { return tensor == nullptr ? nullptr : &tensor->GetOriginShape(); }
};
static_assert(std::is_standard_layout<InferFormatContext>::value, "a view of the context before it");

}  // namespace gert

#endif
