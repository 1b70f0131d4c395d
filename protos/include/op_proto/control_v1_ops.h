// Control flow by dead and live tensors, and calls that choose among subgraphs without state.
#ifndef OP_PROTO_CONTROL_V1_OPS_H_
#define OP_PROTO_CONTROL_V1_OPS_H_

#include "graph/operator_reg.h"

#ifndef BUILTIN_OP_TRAITS  // the library reads it: ge/op_traits.h
#define BUILTIN_OP_TRAITS(type, ...)
#endif

namespace ge {

/// @family nn

/// @brief Runs one of several subgraphs without state, chosen by an index.
/// @family control
REG_OP(StatelessCase)
    .INPUT(branch_index, TensorType({DT_INT32}))
    .DYNAMIC_INPUT(input, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .DYNAMIC_GRAPH(branches)
    .OP_END_FACTORY_REG(StatelessCase)
BUILTIN_OP_TRAITS(StatelessCase, GE_TRAIT_PURE, GE_CONTROL_FLOW_CASE)

/// @brief Sends data to output_true or output_false, as pred says; the other output is dead.
REG_OP(Switch)
    .INPUT(data, TensorType::ALL())
    .INPUT(pred, TensorType({DT_BOOL}))
    .OUTPUT(output_false, TensorType::ALL())
    .OUTPUT(output_true, TensorType::ALL())
    .OP_END_FACTORY_REG(Switch)
BUILTIN_OP_TRAITS(Switch, GE_TRAIT_EFFECT)

/// @brief Sends a reference to output_true or output_false, as pred says.
REG_OP(RefSwitch)
    .INPUT(data, TensorType::ALL())
    .INPUT(pred, TensorType({DT_BOOL}))
    .OUTPUT(output_false, TensorType::ALL())
    .OUTPUT(output_true, TensorType::ALL())
    .OP_END_FACTORY_REG(RefSwitch)
BUILTIN_OP_TRAITS(RefSwitch, GE_TRAIT_EFFECT)

/// @brief Sends data to the output that pred_value numbers; all others are dead.
REG_OP(SwitchN)
    .INPUT(data, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8,
                             DT_UINT16, DT_UINT32, DT_UINT64, DT_BOOL}))
    .INPUT(pred_value, TensorType({DT_INT64}))
    .DYNAMIC_OUTPUT(output, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64,
                                        DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64, DT_BOOL}))
    .OP_END_FACTORY_REG(SwitchN)
BUILTIN_OP_TRAITS(SwitchN, GE_TRAIT_EFFECT)

/// @brief Passes on the one input that is live, and its index.
REG_OP(Merge)
    .DYNAMIC_INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OUTPUT(value_index, TensorType({DT_INT32}))
    .OP_END_FACTORY_REG(Merge)
BUILTIN_OP_TRAITS(Merge, GE_TRAIT_EFFECT)

/// @brief Passes on the one reference that is live, and its index.
REG_OP(RefMerge)
    .DYNAMIC_INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OUTPUT(value_index, TensorType({DT_INT32}))
    .OP_END_FACTORY_REG(RefMerge)
BUILTIN_OP_TRAITS(RefMerge, GE_TRAIT_EFFECT)

/// @brief Brings a tensor into the frame of a loop.
REG_OP(Enter)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16,
                          DT_UINT32, DT_UINT64, DT_BOOL}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16,
                           DT_UINT32, DT_UINT64, DT_BOOL}))
    .REQUIRED_ATTR(frame_name, String)
    .REQUIRED_ATTR(is_constant, Bool)
    .OP_END_FACTORY_REG(Enter)
BUILTIN_OP_TRAITS(Enter, GE_TRAIT_EFFECT)

/// @brief Hands a tensor to the next iteration of its loop.
REG_OP(NextIteration)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16,
                          DT_UINT32, DT_UINT64, DT_BOOL}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16,
                           DT_UINT32, DT_UINT64, DT_BOOL}))
    .OP_END_FACTORY_REG(NextIteration)
BUILTIN_OP_TRAITS(NextIteration, GE_TRAIT_EFFECT)

/// @brief Turns a triple of loop counters into the number of the branch to run.
/// @family math
REG_OP(CaseCondition)
    .INPUT(x, TensorType({DT_INT32, DT_INT64, DT_UINT64}))
    .OUTPUT(y, TensorType({DT_INT32}))
    .ATTR(algorithm, String, "LU")
    .OP_END_FACTORY_REG(CaseCondition)

}  // namespace ge

#endif
