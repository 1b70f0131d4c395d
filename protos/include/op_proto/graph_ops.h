// Inputs, constants, variables and outputs of a graph.
#ifndef OP_PROTO_GRAPH_OPS_H_
#define OP_PROTO_GRAPH_OPS_H_

#include "graph/operator_reg.h"

#ifndef BUILTIN_OP_TRAITS  // the library reads it: ge/op_traits.h
#define BUILTIN_OP_TRAITS(type, ...)
#endif

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
BUILTIN_OP_TRAITS(RefData, GE_TRAIT_EFFECT)

/// @brief A value that lives as long as the model.
REG_OP(Variable)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(index, Int, 0)
    .ATTR(value, Tensor, Tensor())
    .OP_END_FACTORY_REG(Variable)
BUILTIN_OP_TRAITS(Variable, GE_TRAIT_EFFECT)

/// @brief The outputs of the graph.
/// @family control
REG_OP(NetOutput)
    .DYNAMIC_INPUT(x, TensorType::ALL())
    .DYNAMIC_OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(NetOutput)
BUILTIN_OP_TRAITS(NetOutput, GE_TRAIT_EFFECT)

/// @brief Does nothing; a point for control dependencies.
REG_OP(NoOp)
    .OP_END_FACTORY_REG(NoOp)
BUILTIN_OP_TRAITS(NoOp, GE_TRAIT_EFFECT)

}  // namespace ge

#endif
