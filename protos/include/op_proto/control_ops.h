// Control flow over subgraphs.
#ifndef OP_PROTO_CONTROL_OPS_H_
#define OP_PROTO_CONTROL_OPS_H_

#include "graph/operator_reg.h"

#ifndef BUILTIN_OP_TRAITS  // the library reads it: ge/op_traits.h
#define BUILTIN_OP_TRAITS(type, ...)
#endif

namespace ge {

/// @family control

/// @brief Runs one of two subgraphs.
REG_OP(If)
    .INPUT(cond, TensorType::ALL())
    .DYNAMIC_INPUT(input, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .GRAPH(then_branch)
    .GRAPH(else_branch)
    .OP_END_FACTORY_REG(If)
BUILTIN_OP_TRAITS(If, GE_TRAIT_PURE, GE_CONTROL_FLOW_IF)

/// @brief Runs one of two subgraphs without state.
REG_OP(StatelessIf)
    .INPUT(cond, TensorType::ALL())
    .DYNAMIC_INPUT(input, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .GRAPH(then_branch)
    .GRAPH(else_branch)
    .OP_END_FACTORY_REG(StatelessIf)
BUILTIN_OP_TRAITS(StatelessIf, GE_TRAIT_PURE, GE_CONTROL_FLOW_IF)

/// @brief Runs a subgraph as long as a condition subgraph says so.
REG_OP(While)
    .DYNAMIC_INPUT(input, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .ATTR(parallel_iterations, Int, 10)
    .GRAPH(cond)
    .GRAPH(body)
    .OP_END_FACTORY_REG(While)
BUILTIN_OP_TRAITS(While, GE_TRAIT_PURE, GE_CONTROL_FLOW_WHILE)

/// @brief Runs a subgraph without state as long as a condition subgraph says so.
REG_OP(StatelessWhile)
    .DYNAMIC_INPUT(input, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .ATTR(parallel_iterations, Int, 10)
    .GRAPH(cond)
    .GRAPH(body)
    .OP_END_FACTORY_REG(StatelessWhile)
BUILTIN_OP_TRAITS(StatelessWhile, GE_TRAIT_PURE, GE_CONTROL_FLOW_WHILE)

/// @brief Runs one of several subgraphs, chosen by an index.
REG_OP(Case)
    .INPUT(branch_index, TensorType({DT_INT32}))
    .DYNAMIC_INPUT(input, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .DYNAMIC_GRAPH(branches)
    .OP_END_FACTORY_REG(Case)
BUILTIN_OP_TRAITS(Case, GE_TRAIT_PURE, GE_CONTROL_FLOW_CASE)

/// @brief Runs a subgraph for each value of a counter.
REG_OP(For)
    .INPUT(start, TensorType({DT_INT32}))
    .INPUT(limit, TensorType({DT_INT32}))
    .INPUT(delta, TensorType({DT_INT32}))
    .DYNAMIC_INPUT(input, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .GRAPH(body)
    .OP_END_FACTORY_REG(For)
BUILTIN_OP_TRAITS(For, GE_TRAIT_PURE, GE_CONTROL_FLOW_FOR)

/// @brief Runs a subgraph.
REG_OP(PartitionedCall)
    .DYNAMIC_INPUT(args, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .ATTR(config, String, "")
    .ATTR(config_proto, String, "")
    .ATTR(executor_type, String, "")
    .GRAPH(f)
    .OP_END_FACTORY_REG(PartitionedCall)
BUILTIN_OP_TRAITS(PartitionedCall, GE_TRAIT_PURE, GE_CONTROL_FLOW_CALL)

/// @brief Runs a subgraph with state.
REG_OP(StatefulPartitionedCall)
    .DYNAMIC_INPUT(args, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .ATTR(config, String, "")
    .ATTR(config_proto, String, "")
    .ATTR(executor_type, String, "")
    .GRAPH(f)
    .OP_END_FACTORY_REG(StatefulPartitionedCall)
BUILTIN_OP_TRAITS(StatefulPartitionedCall, GE_TRAIT_PURE, GE_CONTROL_FLOW_CALL)

}  // namespace ge

#endif
