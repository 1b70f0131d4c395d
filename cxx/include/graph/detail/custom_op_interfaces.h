// The capability interfaces of custom operators.
#ifndef INC_GRAPH_DETAIL_CUSTOM_OP_INTERFACES_H_
#define INC_GRAPH_DETAIL_CUSTOM_OP_INTERFACES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "exe_graph/runtime/annotated_args_context.h"
#include "exe_graph/runtime/eager_op_execution_context.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/op_compile_context.h"
#include "exe_graph/runtime/update_args_context.h"
#include "graph/ascend_string.h"
#include "graph/error_codes.h"

namespace ge {

class BaseCustomOp {
 public:
  virtual ~BaseCustomOp() = default;
};

/// Computes the node. One object serves all nodes of its type in all graphs, from several threads at once.
class EagerExecuteOp : public virtual BaseCustomOp {
 public:
  virtual graphStatus Execute(gert::EagerOpExecutionContext *ctx) = 0;
};
/// Shapes and types of the outputs, while the graph is compiled and, where shapes become known then, while it runs.
class ShapeInferOp : public virtual BaseCustomOp {
 public:
  virtual graphStatus InferShape(gert::InferShapeContext *ctx) = 0;
  virtual graphStatus InferDataType(gert::InferDataTypeContext *ctx) = 0;
};
/// Called before the first Execute for each node of different types, shapes and attributes; one call at a time per
/// object.
class CompilableOp : public virtual BaseCustomOp {
 public:
  virtual graphStatus Compile(gert::OpCompileContext *ctx) = 0;
};
/// The result of Compile, for a model file.
class PortableOp : public virtual BaseCustomOp {
 public:
  virtual graphStatus Serialize(std::vector<uint8_t> &buffer) = 0;
  virtual graphStatus Deserialize(const std::vector<uint8_t> &buffer) = 0;
};
/// For launches that are repeated without Execute. Here every run calls Execute, and nothing is left to update.
class ArgsUpdater : public virtual BaseCustomOp {
 public:
  virtual graphStatus UpdateHostArgs(gert::UpdateArgsContext *ctx) = 0;
};
/// For kernels of a device. Nodes of an operator that has nothing else to run them are refused.
class AnnotatedArgsOp : public virtual BaseCustomOp {
 public:
  virtual graphStatus DeclareLaunchArgs(gert::AnnotatedArgsContext &ctx) = 0;
};

using BaseOpCreator = std::function<std::unique_ptr<BaseCustomOp>()>;
using CustomOpCreateFunc = ge::BaseCustomOp *(*)();

}  // namespace ge

#endif
