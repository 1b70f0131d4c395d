// gert::CtInferShapeContext: shape inference while a graph is compiled, with what operators hand to one another.
#ifndef INC_GRAPH_CT_INFER_SHAPE_CONTEXT_H_
#define INC_GRAPH_CT_INFER_SHAPE_CONTEXT_H_

#include "exe_graph/runtime/infer_shape_context.h"
#include "graph/inference_context.h"

namespace gert {

/// The context with which the library calls IMPL_OP functions for shapes and ShapeInferOp::InferShape.
class CtInferShapeContext : public InferShapeContext {
 public:
  /// Inputs behind those of the node.
  enum AdditionalInput : size_t { kInferShapeFunc = 0, kInferenceContext = 1 };
  using InferShapeContext::InferShapeContext;
  ge::InferenceContext *GetInferenceContext() const {
    return const_cast<ge::InferenceContext *>(
        GetInputPointer<ge::InferenceContext>(GetComputeNodeInputNum() + kInferenceContext));
  }
};
static_assert(std::is_standard_layout<CtInferShapeContext>::value, "a view of the context before it");

}  // namespace gert

#endif
