// Operators that fusion passes create. They are no part of GE's operator set.
#ifndef OP_PROTO_INTERNAL_OPS_H_
#define OP_PROTO_INTERNAL_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family internal

/// @brief Convolution with bias, residual and activation: act(conv(x, filter) + bias + residual).
REG_OP(FusedConv2D)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(filter, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(residual, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(pads, ListInt)
    .ATTR(dilations, ListInt, {1, 1, 1, 1})
    .ATTR(groups, Int, 1)
    .ATTR(data_format, String, "NCHW")
    .ATTR(activation, String, "")
    .ATTR(alpha, Float, 0.0)
    .ATTR(beta, Float, 0.0)
    .OP_END_FACTORY_REG(FusedConv2D)

/// @brief Matrix product with scale, bias, residual and activation: act(scale * (x1 @ x2) + bias + residual).
REG_OP(FusedMatMulV2)
    .INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(residual, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .ATTR(adj_x1, Bool, false)
    .ATTR(adj_x2, Bool, false)
    .ATTR(scale, Float, 1.0)
    .ATTR(activation, String, "")
    .ATTR(alpha, Float, 0.0)
    .ATTR(beta, Float, 0.0)
    .OP_END_FACTORY_REG(FusedMatMulV2)

/// @brief Attention of many heads in one kernel: softmax(scale * query @ key^T + mask) @ value, row by row.
///
/// Tensors of rank 4. A layout says where the heads lie: BNSH is [batch, heads, length, size], BSNH [batch, length,
/// heads, size]. Each head of key and value serves as many heads of query in a row as their numbers say. Scores are
/// scaled, then capped (softcap * tanh(score / softcap), unless softcap is 0), then the mask is added; a mask of
/// DT_BOOL says where a query may look. The mask broadcasts to [batch, heads of query, length of query, length of key];
/// keys behind its last one are not seen. `lengths` ([batch]): keys from there on are not looked at, nor read. Query i
/// stands at position i ("start"), or so that the last one stands at the last key ("end"), or so unless the first one
/// would stand before the first key ("end_or_start"); it sees keys at positions from its own less left_window up to its
/// own plus right_window (-1: any). `sink` ([heads of query]) is a score beside the others whose value is
/// zero. A query that sees nothing gives NaN, or zeros with `zero_unseen`.
REG_OP(ScaledDotProductAttention)
    .INPUT(query, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_DOUBLE}))
    .INPUT(key, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_DOUBLE}))
    .INPUT(value, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_DOUBLE}))
    .OPTIONAL_INPUT(mask, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_DOUBLE, DT_BOOL}))
    .OPTIONAL_INPUT(lengths, TensorType({DT_INT32, DT_INT64}))
    .OPTIONAL_INPUT(sink, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_DOUBLE}))
    .OUTPUT(attention, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_DOUBLE}))
    .ATTR(scale, Float, 1.0)
    .ATTR(softcap, Float, 0.0)
    .ATTR(left_window, Int, -1)
    .ATTR(right_window, Int, -1)
    .ATTR(align, String, "start")
    .ATTR(zero_unseen, Bool, false)
    .ATTR(query_layout, String, "BNSH")
    .ATTR(key_layout, String, "BNSH")
    .ATTR(value_layout, String, "BNSH")
    .ATTR(output_layout, String, "BNSH")
    .OP_END_FACTORY_REG(ScaledDotProductAttention)

/// @brief Puts new rows of keys or values into a cache, [batch, heads, length, size].
///
/// `lengths` ([batch]) counts the rows afterwards: the new ones end there, or begin at the front where they are more.
/// The result is as long as the cache, or as `extent` where that is more; rows that the cache does not have are zeros.
REG_OP(AppendKeyValue)
    .INPUT(cache, TensorType({BasicType(), DT_BF16}))
    .INPUT(rows, TensorType({BasicType(), DT_BF16}))
    .INPUT(lengths, TensorType({DT_INT32, DT_INT64}))
    .OPTIONAL_INPUT(extent, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(y, TensorType({BasicType(), DT_BF16}))
    .ATTR(rows_layout, String, "BNSH")
    .OP_END_FACTORY_REG(AppendKeyValue)

/// @brief A chain of scalar operations run as one loop; ge/fused_program.h describes the program.
REG_OP(FusedElementwise)
    .DYNAMIC_INPUT(x, TensorType({DT_FLOAT, DT_BOOL}))
    .DYNAMIC_OUTPUT(y, TensorType({DT_FLOAT, DT_BOOL}))
    .REQUIRED_ATTR(program, ListInt)
    .ATTR(constants, ListFloat, {})
    .REQUIRED_ATTR(outputs, ListInt)
    .ATTR(output_types, ListInt, {})
    .OP_END_FACTORY_REG(FusedElementwise)

}  // namespace ge

#endif
