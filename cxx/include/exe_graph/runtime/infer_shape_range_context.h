// gert::InferShapeRangeContext: what a function that infers the bounds of shapes reads and writes.
#ifndef INC_EXE_GRAPH_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H_

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/range.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

using TensorRange = Range<Tensor>;

namespace detail {
/// Behind an input of the context: the tensors, and their origin shapes.
struct InputRange {
  explicit InputRange(const TensorRange &range) : tensor(range) {
    if (tensor.GetMin() != nullptr) shape.SetMin(&tensor.GetMin()->MutableOriginShape());
    if (tensor.GetMax() != nullptr) shape.SetMax(&tensor.GetMax()->MutableOriginShape());
  }
  TensorRange tensor;
  Range<Shape> shape;
};
}  // namespace detail

/// Origin shapes. Null where there is no such port. An input whose shape is known has equal bounds; a dimension of -1
/// in an upper bound has no bound. Data of a tensor is null when its value is not known.
class InferShapeRangeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  const Range<Shape> *GetInputShapeRange(size_t index) const { return ShapeOf(InputOf<detail::InputRange>(index)); }
  const Range<Shape> *GetRequiredInputShapeRange(size_t ir_index) const {
    return GetDynamicInputShapeRange(ir_index, 0);
  }
  const Range<Shape> *GetOptionalInputShapeRange(size_t ir_index) const {
    return GetDynamicInputShapeRange(ir_index, 0);
  }
  const Range<Shape> *GetDynamicInputShapeRange(size_t ir_index, size_t relative_index) const {
    return ShapeOf(InputOf<detail::InputRange>(ir_index, relative_index));
  }
  const TensorRange *GetInputTensorRange(size_t index) const { return TensorOf(InputOf<detail::InputRange>(index)); }
  const TensorRange *GetRequiredInputTensorRange(size_t ir_index) const {
    return GetDynamicInputTensorRange(ir_index, 0);
  }
  const TensorRange *GetOptionalInputTensorRange(size_t ir_index) const {
    return GetDynamicInputTensorRange(ir_index, 0);
  }
  const TensorRange *GetDynamicInputTensorRange(size_t ir_index, size_t relative_index) const {
    return TensorOf(InputOf<detail::InputRange>(ir_index, relative_index));
  }
  /// Both bounds are there, to be written (SetDimNum(0) before AppendDim); or set to shapes that outlive the call, such
  /// as those of an input.
  Range<Shape> *GetOutputShapeRange(size_t index) { return OutputOf<Range<Shape>>(index); }
  Range<Shape> *GetRequiredOutputShapeRange(size_t ir_index) { return GetDynamicOutputShapeRange(ir_index, 0); }
  Range<Shape> *GetDynamicOutputShapeRange(size_t ir_index, size_t relative_index) {
    return OutputOf<Range<Shape>>(ir_index, relative_index);
  }

 private:
  static const Range<Shape> *ShapeOf(const detail::InputRange *range) { return range ? &range->shape : nullptr; }
  static const TensorRange *TensorOf(const detail::InputRange *range) { return range ? &range->tensor : nullptr; }
};
static_assert(std::is_standard_layout<InferShapeRangeContext>::value, "a view of the context before it");

}  // namespace gert

#endif
