// Inputs, constants, variables and outputs of a graph.
#ifndef OP_PROTO_GRAPH_OPS_H_
#define OP_PROTO_GRAPH_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family base

/// @brief A constant.
/// @family base,math
REG_OP(Const)
    .OUTPUT(y, TensorType::ALL())
    .ATTR(value, Tensor, Tensor())
    .OP_END_FACTORY_REG(Const)

/// @brief A constant, under the name that other frameworks use.
/// @family math
REG_OP(Constant)
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_INT4, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32,
                           DT_INT64, DT_UINT32, DT_UINT64, DT_BOOL, DT_DOUBLE}))
    .ATTR(value, Tensor, Tensor())
    .OP_END_FACTORY_REG(Constant)

/// @brief An input of the graph.
REG_OP(Data)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(index, Int, 0)
    .OP_END_FACTORY_REG(Data)

/// @brief An input of the graph that the graph may change.
REG_OP(RefData)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .ATTR(index, Int, 0)
    .DATATYPE(T, TensorType::ALL())
    .OP_END_FACTORY_REG(RefData)

/// @brief A value that lives as long as the model.
REG_OP(Variable)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(index, Int, 0)
    .ATTR(value, Tensor, Tensor())
    .OP_END_FACTORY_REG(Variable)

/// @brief The outputs of the graph.
/// @family control
REG_OP(NetOutput)
    .DYNAMIC_INPUT(x, TensorType::ALL())
    .DYNAMIC_OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(NetOutput)

/// @brief Does nothing; a point for control dependencies.
REG_OP(NoOp)
    .OP_END_FACTORY_REG(NoOp)

}  // namespace ge

#endif
