// Quantisation along a line: value = (number - zero point) * scale.
#ifndef OP_PROTO_QUANT_LINEAR_OPS_H_
#define OP_PROTO_QUANT_LINEAR_OPS_H_

#include "graph/operator_reg.h"

#ifndef BUILTIN_OP_TRAITS  // the library reads it: ge/op_traits.h
#define BUILTIN_OP_TRAITS(type, ...)
#endif

namespace ge {

/// @family nn

/// @brief Quantisation: saturate(x / scale + zero_point) in dst_type; integers round half to even.
///
/// scale and zero_point are one number, one for each slice along axis, or one for each block_size elements along it.
/// Without saturate, what is too large for 8-bit floating point becomes infinity or NaN.
REG_OP(QuantizeLinear)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_INT32}))
    .INPUT(scale, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_INT32}))
    .OPTIONAL_INPUT(zero_point, TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_FLOAT8_E4M3FN, DT_FLOAT8_E5M2}))
    .OUTPUT(y, TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_FLOAT8_E4M3FN, DT_FLOAT8_E5M2}))
    .ATTR(axis, Int, 1)
    .ATTR(block_size, Int, 0)
    .REQUIRED_ATTR(dst_type, Int)
    .ATTR(saturate, Bool, true)
    .OP_END_FACTORY_REG(QuantizeLinear)

/// @brief What quantised numbers stand for: (x - zero_point) * scale in dst_type.
///
/// scale and zero_point are one number, one for each slice along axis, or one for each block_size elements along it.
REG_OP(DequantizeLinear)
    .INPUT(x, TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_FLOAT8_E4M3FN, DT_FLOAT8_E5M2}))
    .INPUT(scale, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(zero_point,
                    TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_FLOAT8_E4M3FN, DT_FLOAT8_E5M2}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .ATTR(axis, Int, 1)
    .ATTR(block_size, Int, 0)
    .REQUIRED_ATTR(dst_type, Int)
    .OP_END_FACTORY_REG(DequantizeLinear)
// Not FOLDABLE: weights stay quantised until FuseQuantized has seen them; then FoldDequantized computes the others.
BUILTIN_OP_TRAITS(DequantizeLinear, GE_TRAIT_PURE)

/// @brief x in 8 bits with the scale and the zero point that its range and 0 need.
REG_OP(DynamicQuantizeLinear)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_UINT8}))
    .OUTPUT(y_scale, TensorType({DT_FLOAT}))
    .OUTPUT(y_zero_point, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(DynamicQuantizeLinear)

}  // namespace ge

#endif
