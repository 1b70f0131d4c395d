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

/// @brief Convolution of volumes with bias, residual and activation: act(conv(x, filter) + bias + residual).
REG_OP(FusedConv3D)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(filter, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(residual, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(pads, ListInt)
    .ATTR(dilations, ListInt, {1, 1, 1, 1, 1})
    .ATTR(groups, Int, 1)
    .ATTR(data_format, String, "NCDHW")
    .ATTR(activation, String, "")
    .ATTR(alpha, Float, 0.0)
    .ATTR(beta, Float, 0.0)
    .OP_END_FACTORY_REG(FusedConv3D)

/// @brief Transposed convolution of images or volumes with bias and activation: act(transposed(x, filter) + bias). The
/// data_format says which: NCHW, NHWC, NCDHW or NDHWC.
REG_OP(FusedConvTranspose)
    .INPUT(input_size, TensorType({DT_INT32, DT_INT64}))
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(filter, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(pads, ListInt)
    .ATTR(dilations, ListInt, {1})
    .ATTR(groups, Int, 1)
    .ATTR(data_format, String, "NCHW")
    .ATTR(output_padding, ListInt, {0})
    .ATTR(activation, String, "")
    .ATTR(alpha, Float, 0.0)
    .ATTR(beta, Float, 0.0)
    .OP_END_FACTORY_REG(FusedConvTranspose)

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
