// Makes a context for a function of IMPL_OP(...).InferShapeRange.
#ifndef INC_BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_RANGE_CONTEXT_BUILDER_H_
#define INC_BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_RANGE_CONTEXT_BUILDER_H_

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/infer_shape_range_context.h"

namespace gert {

class OpInferShapeRangeContextBuilder : public OpContextBuilderBase<OpInferShapeRangeContextBuilder> {
 public:
  OpInferShapeRangeContextBuilder &InputTensorsRange(const std::vector<Range<Tensor> *> &inputs) {
    inputs_ = inputs;
    return *this;
  }
  /// Where the function writes: both bounds of each are set.
  OpInferShapeRangeContextBuilder &OutputShapesRange(const std::vector<Range<Shape> *> &outputs) {
    outputs_ = outputs;
    return *this;
  }
  ContextHolder<InferShapeRangeContext> Build() {
    Descs in;
    for (Range<Tensor> *range : inputs_) in.push_back(DescOf(range == nullptr ? nullptr : range->GetMin()));
    auto built = Node(in, Descs(outputs_.size()));
    if (built == nullptr) return {};
    for (const Range<Tensor> *range : inputs_)
      built->frame.inputs.push_back(range == nullptr ? nullptr : built->Own<detail::InputRange>(*range));
    built->frame.outputs.assign(outputs_.begin(), outputs_.end());
    return ContextHolder<InferShapeRangeContext>(std::move(built));
  }

 private:
  std::vector<Range<Tensor> *> inputs_;
  std::vector<Range<Shape> *> outputs_;
};

}  // namespace gert

#endif
