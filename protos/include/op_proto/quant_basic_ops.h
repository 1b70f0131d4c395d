// Quantisation with given scales, dequantisation, and simulated quantisation.
#ifndef OP_PROTO_QUANT_BASIC_OPS_H_
#define OP_PROTO_QUANT_BASIC_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family nn

/// @brief Quantises with one scale and offset given as attributes.
REG_OP(AscendQuant)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT32}))
    .OUTPUT(y, TensorType({DT_INT8, DT_INT4, DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN}))
    .REQUIRED_ATTR(scale, Float)
    .REQUIRED_ATTR(offset, Float)
    .ATTR(sqrt_mode, Bool, false)
    .ATTR(round_mode, String, "Round")
    .ATTR(dst_type, Int, DT_INT8)
    .OP_END_FACTORY_REG(AscendQuant)

/// @brief Quantises with scales and offsets per channel.
REG_OP(AscendQuantV2)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .INPUT(scale, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OPTIONAL_INPUT(offset, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OUTPUT(y, TensorType({DT_INT8, DT_INT4, DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN}))
    .ATTR(sqrt_mode, Bool, false)
    .ATTR(round_mode, String, "round")
    .ATTR(dst_type, Int, DT_INT8)
    .ATTR(axis, Int, -1)
    .OP_END_FACTORY_REG(AscendQuantV2)

/// @brief Turns quantised values back with one scale and offset given as attributes.
REG_OP(AscendAntiQuant)
    .INPUT(x, TensorType({DT_INT8, DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT}))
    .REQUIRED_ATTR(scale, Float)
    .REQUIRED_ATTR(offset, Float)
    .ATTR(dtype, Int, DT_FLOAT)
    .ATTR(sqrt_mode, Bool, false)
    .OP_END_FACTORY_REG(AscendAntiQuant)

/// @brief Turns quantised values back with scales and offsets per channel.
REG_OP(AscendAntiQuantV2)
    .INPUT(x, TensorType({DT_INT8, DT_INT4, DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN}))
    .INPUT(scale, TensorType({DT_FLOAT, DT_BF16}))
    .OPTIONAL_INPUT(offset, TensorType({DT_FLOAT, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_BF16}))
    .ATTR(dst_type, Int, DT_FLOAT16)
    .ATTR(sqrt_mode, Bool, false)
    .OP_END_FACTORY_REG(AscendAntiQuantV2)

/// @brief Turns integer sums into floating point with a packed scale per channel.
REG_OP(AscendDequant)
    .INPUT(x, TensorType({DT_INT32}))
    .INPUT(deq_scale, TensorType({DT_FLOAT16, DT_UINT64}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT}))
    .ATTR(sqrt_mode, Bool, false)
    .ATTR(relu_flag, Bool, false)
    .ATTR(dtype, Int, DT_FLOAT)
    .OP_END_FACTORY_REG(AscendDequant)

/// @brief Turns 32-bit integer sums into 16-bit ones, plus a second operand on request.
REG_OP(AscendDequantS16)
    .INPUT(x0, TensorType({DT_INT32}))
    .INPUT(deq_scale, TensorType({DT_UINT64}))
    .OPTIONAL_INPUT(x1, TensorType({DT_INT16}))
    .OUTPUT(y, TensorType({DT_INT16}))
    .ATTR(relu_flag, Bool, false)
    .OP_END_FACTORY_REG(AscendDequantS16)

/// @brief Turns integer sums into 8-bit values of the next layer.
REG_OP(AscendRequant)
    .INPUT(x, TensorType({DT_INT32}))
    .INPUT(req_scale, TensorType({DT_UINT64}))
    .OUTPUT(y, TensorType({DT_INT8}))
    .ATTR(relu_flag, Bool, false)
    .OP_END_FACTORY_REG(AscendRequant)

/// @brief Turns 16-bit sums into 8-bit values, with the 16-bit sum as a second result on request.
REG_OP(AscendRequantS16)
    .INPUT(x0, TensorType({DT_INT16}))
    .INPUT(req_scale, TensorType({DT_UINT64}))
    .OPTIONAL_INPUT(x1, TensorType({DT_INT16}))
    .OUTPUT(y0, TensorType({DT_INT8}))
    .OUTPUT(y1, TensorType({DT_INT16}))
    .ATTR(dual_output, Bool, false)
    .ATTR(relu_flag, Bool, false)
    .OP_END_FACTORY_REG(AscendRequantS16)

/// @brief Subtracts offsets from weights to get narrow integers.
REG_OP(AscendWeightQuant)
    .INPUT(x, TensorType({DT_INT8}))
    .INPUT(offset, TensorType({DT_INT8}))
    .OUTPUT(y, TensorType({DT_INT8, DT_INT4}))
    .ATTR(dst_type, Int, DT_INT8)
    .OP_END_FACTORY_REG(AscendWeightQuant)

/// @brief Packs scales and offsets into the 64-bit words that kernels read.
REG_OP(TransQuantParamV2)
    .INPUT(scale, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(offset, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_UINT64}))
    .ATTR(round_mode, Int, 0)
    .OP_END_FACTORY_REG(TransQuantParamV2)

/// @brief Quantises with scales and zero points along an axis.
REG_OP(Quantize)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .INPUT(scales, TensorType({DT_FLOAT, DT_BF16}))
    .OPTIONAL_INPUT(zero_points, TensorType({DT_INT8, DT_UINT8, DT_INT32, DT_FLOAT, DT_BF16}))
    .OUTPUT(y, TensorType({DT_INT8, DT_UINT8, DT_INT32, DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN}))
    .REQUIRED_ATTR(dtype, String)
    .ATTR(axis, Int, 1)
    .OP_END_FACTORY_REG(Quantize)

/// @brief Maps quantised values back to the range from min_range to max_range.
REG_OP(Dequantize)
    .INPUT(x, TensorType({DT_QINT8, DT_QUINT8, DT_QINT32, DT_QINT16, DT_QUINT16}))
    .INPUT(min_range, TensorType({DT_FLOAT}))
    .INPUT(max_range, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(mode, String, "MIN_COMBINED")
    .OP_END_FACTORY_REG(Dequantize)

/// @brief Turns integer sums into floating point by weight and activation scales, then adds a bias.
REG_OP(DequantBias)
    .INPUT(x, TensorType({DT_INT32}))
    .INPUT(weight_scale, TensorType({DT_FLOAT32, DT_BF16}))
    .OPTIONAL_INPUT(activate_scale, TensorType({DT_FLOAT32}))
    .OPTIONAL_INPUT(bias, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT32, DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(output_dtype, Int)
    .OP_END_FACTORY_REG(DequantBias)

/// @brief Rounds to a quantised grid and back, and returns which elements were inside the range.
REG_OP(FakeQuantAffineCachemask)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(scale, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(zero_point, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(mask, TensorType({DT_BOOL}))
    .REQUIRED_ATTR(axis, Int)
    .REQUIRED_ATTR(quant_min, Int)
    .REQUIRED_ATTR(quant_max, Int)
    .OP_END_FACTORY_REG(FakeQuantAffineCachemask)

/// @brief Rounds to a grid between limits given as attributes.
REG_OP(FakeQuantWithMinMaxArgs)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(min, Float, -6.0f)
    .ATTR(max, Float, 6.0f)
    .ATTR(num_bits, Int, 8)
    .ATTR(narrow_range, Bool, false)
    .OP_END_FACTORY_REG(FakeQuantWithMinMaxArgs)

/// @brief Passes the gradient of rounding to a grid where x lies inside the limits.
REG_OP(FakeQuantWithMinMaxArgsGradient)
    .INPUT(gradients, TensorType({DT_FLOAT}))
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(min, Float, -6.0f)
    .ATTR(max, Float, 6.0f)
    .ATTR(num_bits, Int, 8)
    .ATTR(narrow_range, Bool, false)
    .OP_END_FACTORY_REG(FakeQuantWithMinMaxArgsGradient)

/// @brief Rounds to a grid between limits given as inputs.
REG_OP(FakeQuantWithMinMaxVars)
    .INPUT(x, TensorType({DT_FLOAT}))
    .INPUT(min, TensorType({DT_FLOAT}))
    .INPUT(max, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(num_bits, Int, 8)
    .ATTR(narrow_range, Bool, false)
    .OP_END_FACTORY_REG(FakeQuantWithMinMaxVars)

/// @brief Gradients of rounding to a grid, for x and both limits.
REG_OP(FakeQuantWithMinMaxVarsGradient)
    .INPUT(gradients, TensorType({DT_FLOAT}))
    .INPUT(x, TensorType({DT_FLOAT}))
    .INPUT(min, TensorType({DT_FLOAT}))
    .INPUT(max, TensorType({DT_FLOAT}))
    .OUTPUT(backprops_wrt_x, TensorType({DT_FLOAT}))
    .OUTPUT(backprop_wrt_min, TensorType({DT_FLOAT}))
    .OUTPUT(backprop_wrt_max, TensorType({DT_FLOAT}))
    .ATTR(num_bits, Int, 8)
    .ATTR(narrow_range, Bool, false)
    .OP_END_FACTORY_REG(FakeQuantWithMinMaxVarsGradient)

/// @brief Rounds each channel to a grid of its own.
REG_OP(FakeQuantWithMinMaxVarsPerChannel)
    .INPUT(x, TensorType({DT_FLOAT}))
    .INPUT(min, TensorType({DT_FLOAT}))
    .INPUT(max, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(num_bits, Int, 8)
    .ATTR(narrow_range, Bool, false)
    .OP_END_FACTORY_REG(FakeQuantWithMinMaxVarsPerChannel)

/// @brief Gradients of rounding each channel to a grid of its own, for x and limits.
REG_OP(FakeQuantWithMinMaxVarsPerChannelGradient)
    .INPUT(gradients, TensorType({DT_FLOAT}))
    .INPUT(x, TensorType({DT_FLOAT}))
    .INPUT(min, TensorType({DT_FLOAT}))
    .INPUT(max, TensorType({DT_FLOAT}))
    .OUTPUT(backprops_wrt_x, TensorType({DT_FLOAT}))
    .OUTPUT(backprops_wrt_min, TensorType({DT_FLOAT}))
    .OUTPUT(backprops_wrt_max, TensorType({DT_FLOAT}))
    .ATTR(num_bits, Int, 8)
    .ATTR(narrow_range, Bool, false)
    .OP_END_FACTORY_REG(FakeQuantWithMinMaxVarsPerChannelGradient)

/// @brief Searches the scale and offset that lose least when features are quantised.
REG_OP(IFMR)
    .INPUT(data, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(data_min, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(data_max, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(cumsum, TensorType({DT_INT32}))
    .OUTPUT(scale, TensorType({DT_FLOAT}))
    .OUTPUT(offset, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(min_percentile, Float)
    .REQUIRED_ATTR(max_percentile, Float)
    .REQUIRED_ATTR(search_range, ListFloat)
    .REQUIRED_ATTR(search_step, Float)
    .REQUIRED_ATTR(with_offset, Bool)
    .ATTR(quant_bits, Int, 8)
    .OP_END_FACTORY_REG(IFMR)

/// @brief Rounds activations to a grid whose limits are learned.
REG_OP(ActsULQ)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(clamp_min, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(clamp_max, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(clamp_min_mask, TensorType({DT_BOOL, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(clamp_max_mask, TensorType({DT_BOOL, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(x_clamped_loss, TensorType({DT_FLOAT16, DT_FLOAT}))
    .ATTR(fixed_min, Bool, false)
    .ATTR(num_bits, Int, 8)
    .OP_END_FACTORY_REG(ActsULQ)

/// @brief Gradient of rounding to a learned grid for x.
REG_OP(ActsULQInputGrad)
    .INPUT(y_grad, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(clamp_min_mask, TensorType({DT_BOOL, DT_FLOAT16, DT_FLOAT}))
    .INPUT(clamp_max_mask, TensorType({DT_BOOL, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(x_grad, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(ActsULQInputGrad)

/// @brief Gradient of rounding to a learned grid for the upper limit.
REG_OP(ActULQClampMaxGrad)
    .INPUT(y_grad, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(clamp_max_mask, TensorType({DT_BOOL, DT_FLOAT16, DT_FLOAT}))
    .INPUT(x_clamped_loss, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(clamp_max_grad, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(ActULQClampMaxGrad)

/// @brief Gradient of rounding to a learned grid for the lower limit.
REG_OP(ActULQClampMinGrad)
    .INPUT(y_grad, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(clamp_min_mask, TensorType({DT_BOOL, DT_FLOAT16, DT_FLOAT}))
    .INPUT(x_clamped_loss, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(clamp_min_grad, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(ActULQClampMinGrad)

/// @brief Quantises each group of rows with a scale of its own.
REG_OP(GroupQuant)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(scale, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(group_index, TensorType({DT_INT32, DT_INT64}))
    .OPTIONAL_INPUT(offset, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_INT4, DT_INT8}))
    .ATTR(dst_type, Int, DT_INT8)
    .OP_END_FACTORY_REG(GroupQuant)

/// @brief Gaussian error unit with a quantised result.
REG_OP(GeluQuant)
    .INPUT(x, TensorType({DT_FLOAT32, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(input_scale, TensorType({DT_FLOAT32, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(input_offset, TensorType({DT_FLOAT32, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_INT8, DT_FLOAT8_E4M3_FN, DT_FLOAT8_E5M2, DT_HIFLOAT8}))
    .OUTPUT(out_scale, TensorType({DT_FLOAT32}))
    .ATTR(approximate, String, "none")
    .ATTR(quant_mode, String, "dynamic")
    .ATTR(dst_type, Int, DT_INT8)
    .ATTR(round_mode, String, "rint")
    .OP_END_FACTORY_REG(GeluQuant)

/// @brief Quantises with a scale and returns the largest magnitude.
REG_OP(QuantMax)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(scale, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN}))
    .OUTPUT(amax, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .ATTR(round_mode, String, "rint")
    .ATTR(dst_type, Int, DT_FLOAT8_E5M2)
    .OP_END_FACTORY_REG(QuantMax)

/// @brief Quantises each group of rows with its scale and returns each group's largest magnitude.
REG_OP(GroupedQuantMax)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(scale, TensorType({DT_FLOAT}))
    .INPUT(group_list, TensorType({DT_INT64}))
    .OUTPUT(y, TensorType({DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN}))
    .OUTPUT(amax, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .ATTR(round_mode, String, "rint")
    .ATTR(dst_type, Int, DT_FLOAT8_E5M2)
    .OP_END_FACTORY_REG(GroupedQuantMax)

/// @brief Quantises updates and writes them into a cache at given offsets.
REG_OP(QuantUpdateScatter)
    .INPUT(var, TensorType({DT_INT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN, DT_HIFLOAT8}))
    .INPUT(indices, TensorType::IndexNumberType())
    .INPUT(updates, TensorType({DT_BF16, DT_FLOAT16}))
    .INPUT(quant_scales, TensorType({DT_BF16, DT_FLOAT}))
    .OPTIONAL_INPUT(quant_zero_points, TensorType({DT_BF16, DT_INT32}))
    .OUTPUT(var, TensorType({DT_INT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN, DT_HIFLOAT8}))
    .REQUIRED_ATTR(reduce, String)
    .ATTR(axis, Int, -2)
    .ATTR(quant_axis, Int, -1)
    .ATTR(reciprocal_scale, Bool, false)
    .ATTR(round_mode, String, "rint")
    .OP_END_FACTORY_REG(QuantUpdateScatter)

}  // namespace ge

#endif
