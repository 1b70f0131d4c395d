// Gated linear units and their gradients.
#ifndef OP_PROTO_NN_GATED_OPS_H_
#define OP_PROTO_NN_GATED_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family nn

/// @brief Multiplies one half of x by the sigmoid of the other.
REG_OP(GLU)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .ATTR(dim, Int, -1)
    .OP_END_FACTORY_REG(GLU)

/// @brief Gradient of the gated linear unit.
REG_OP(GLUGrad)
    .INPUT(y_grad, TensorType::FloatingDataType())
    .INPUT(x, TensorType::FloatingDataType())
    .OUTPUT(x_grad, TensorType::FloatingDataType())
    .ATTR(dim, Int, -1)
    .OP_END_FACTORY_REG(GLUGrad)

/// @brief Multiplies one half of x by the Gaussian error unit of the other.
REG_OP(GeGluV2)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .OUTPUT(gelu, "T")
    .ATTR(dim, Int, -1)
    .ATTR(approximate, Int, 1)
    .ATTR(activate_left, Bool, false)
    .DATATYPE(T, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(GeGluV2)

/// @brief Gradient of the unit gated by the Gaussian error unit.
REG_OP(GeGluGradV2)
    .INPUT(dy, "T")
    .INPUT(x, "T")
    .INPUT(gelu, "T")
    .OUTPUT(dx, "T")
    .ATTR(dim, Int, -1)
    .ATTR(approximate, Int, 1)
    .ATTR(activate_left, Bool, false)
    .DATATYPE(T, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .OP_END_FACTORY_REG(GeGluGradV2)

/// @brief Multiplies the Gaussian error unit of one half of the last axis by the other half.
REG_OP(GeluMul)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .ATTR(approximate, String, "none")
    .OP_END_FACTORY_REG(GeluMul)

/// @brief Multiplies the first half, cut below a threshold, by the second half.
REG_OP(FatreluMul)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .INPUT(threshold, TensorType({DT_FLOAT, DT_FLOAT, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(FatreluMul)

/// @brief Multiplies x * sigmoid(x) by y.
REG_OP(SiluMul)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .INPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(z, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(SiluMul)

/// @brief Gradient of the unit gated by swish.
REG_OP(SwiGluGrad)
    .INPUT(y_grad, "T")
    .INPUT(x, "T")
    .OUTPUT(x_grad, "T")
    .ATTR(dim, Int, -1)
    .DATATYPE(T, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(SwiGluGrad)

/// @brief Unit gated by swish with limited halves, groups and offset.
REG_OP(ClippedSwiglu)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OPTIONAL_INPUT(group_index, TensorType({DT_INT64}))
    .OUTPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .ATTR(dim, Int, -1)
    .ATTR(alpha, Float, 1.702)
    .ATTR(limit, Float, 7.0)
    .ATTR(bias, Float, 1.0)
    .ATTR(interleaved, Bool, true)
    .ATTR(clamp_mode, Int, 0)
    .OP_END_FACTORY_REG(ClippedSwiglu)

/// @brief Gradient of the limited unit gated by swish.
REG_OP(ClippedSwigluGrad)
    .INPUT(grad_y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OPTIONAL_INPUT(group_index, TensorType({DT_INT64}))
    .OUTPUT(grad_x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .ATTR(dim, Int, -1)
    .ATTR(alpha, Float, 1.702)
    .ATTR(limit, Float, 7.0)
    .ATTR(bias, Float, 1.0)
    .ATTR(interleaved, Bool, true)
    .OP_END_FACTORY_REG(ClippedSwigluGrad)

/// @brief Gated unit whose activation has parameters beta and linear_beta.
REG_OP(SituGlu)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .ATTR(dim, Int, -1)
    .ATTR(beta, Float, 1.0)
    .ATTR(linear_beta, Float, 0.0)
    .ATTR(activate_left, Bool, true)
    .OP_END_FACTORY_REG(SituGlu)

/// @brief Gradient of the gated unit with parameters beta and linear_beta.
REG_OP(SituGluGrad)
    .INPUT(grad_y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(grad_x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .ATTR(dim, Int, -1)
    .ATTR(beta, Float, 1.0)
    .ATTR(linear_beta, Float, 0.0)
    .ATTR(activate_left, Bool, true)
    .OP_END_FACTORY_REG(SituGluGrad)

/// @brief Unit gated by swish for rows of valid groups, weighted per row.
REG_OP(SwigluGroup)
    .INPUT(x, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .OPTIONAL_INPUT(weight, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(group_index, TensorType({DT_INT64}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .ATTR(clamp_limit, Float, -1.0f)
    .OP_END_FACTORY_REG(SwigluGroup)

/// @brief Gradients of the grouped unit gated by swish, for x and row weights.
REG_OP(SwigluGroupGrad)
    .INPUT(grad_y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OPTIONAL_INPUT(weight, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(y_origin, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OPTIONAL_INPUT(group_index, TensorType({DT_INT64}))
    .OUTPUT(grad_x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(grad_weight, TensorType({DT_FLOAT}))
    .ATTR(clamp_limit, Float, 0)
    .OP_END_FACTORY_REG(SwigluGroupGrad)

/// @brief Unit gated by swish for groups of rows, with quantised result.
REG_OP(SwigluGroupQuant)
    .INPUT(x, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .OPTIONAL_INPUT(weight, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(group_index, TensorType({DT_INT64}))
    .OPTIONAL_INPUT(scale, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT8_E4M3FN, DT_FLOAT8_E5M2, DT_FLOAT4_E2M1, DT_FLOAT4_E1M2, DT_HIFLOAT8}))
    .OUTPUT(y_scale, TensorType({DT_FLOAT, DT_FLOAT8_E8M0}))
    .OUTPUT(y_origin, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .ATTR(dst_type, Int, DT_FLOAT8_E4M3FN)
    .ATTR(quant_mode, Int, 0)
    .ATTR(block_size, Int, 0)
    .ATTR(round_scale, Bool, false)
    .ATTR(clamp_limit, Float, -1.0f)
    .ATTR(dst_type_max, Float, 15.0f)
    .ATTR(output_origin, Bool, false)
    .OP_END_FACTORY_REG(SwigluGroupQuant)

/// @brief Gradients of the grouped and quantised unit gated by swish.
REG_OP(SwigluGroupQuantGrad)
    .INPUT(grad_y, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .INPUT(x, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .OPTIONAL_INPUT(weight, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(y_origin, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .OPTIONAL_INPUT(group_index, TensorType({DT_INT64}))
    .OUTPUT(grad_x, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .OUTPUT(grad_weight, TensorType({DT_FLOAT}))
    .ATTR(clamp_limit, Float, -1.0f)
    .OP_END_FACTORY_REG(SwigluGroupQuantGrad)

}  // namespace ge

#endif
