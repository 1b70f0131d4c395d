// Makes a context for a function of IMPL_OP(...).InferShape.
#ifndef INC_BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_CONTEXT_BUILDER_H_
#define INC_BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_CONTEXT_BUILDER_H_

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/infer_shape_context.h"

namespace gert {

class OpInferShapeContextBuilder : public OpContextBuilderBase<OpInferShapeContextBuilder> {
 public:
  /// With origin shapes, and data where the function may read it.
  OpInferShapeContextBuilder &InputTensors(const std::vector<Tensor *> &inputs) {
    inputs_ = inputs;
    return *this;
  }
  /// Where the function writes.
  OpInferShapeContextBuilder &OutputShapes(const std::vector<Shape *> &outputs) {
    outputs_ = outputs;
    return *this;
  }
  ContextHolder<InferShapeContext> Build() {
    auto built = Node(DescsOf(inputs_), Descs(outputs_.size()));
    if (built == nullptr) return {};
    built->frame.inputs.assign(inputs_.begin(), inputs_.end());
    built->frame.outputs.assign(outputs_.begin(), outputs_.end());
    return ContextHolder<InferShapeContext>(std::move(built));
  }

 private:
  std::vector<Tensor *> inputs_;
  std::vector<Shape *> outputs_;
};

}  // namespace gert

#endif
