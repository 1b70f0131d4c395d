// The kinds of functions that IMPL_OP registers.
#ifndef INC_REGISTER_OP_IMPL_KERNEL_REGISTRY_H_
#define INC_REGISTER_OP_IMPL_KERNEL_REGISTRY_H_

#include <cstdint>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "graph/error_codes.h"

#define OP_IMPL_MAIN_VERSION 2

namespace gert {

struct OpImplKernelRegistry {
  using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext *);
  using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext *);
};

}  // namespace gert

#endif
