// Operators that fusion passes create. They are no part of GE's operator set.
#ifndef OP_PROTO_INTERNAL_OPS_H_
#define OP_PROTO_INTERNAL_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family internal

/// @brief Convolution with bias, residual and activation: act(conv(x, filter) + bias + residual).
/// dtype is the type of y, and of residual; without it they have that of x. x and filter of DT_BF16 are summed in float32.
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
    .ATTR(dtype, Int, DT_UNDEFINED)
    .OP_END_FACTORY_REG(FusedConv2D)

/// @brief Convolution, activation and pooling in one operator: pool(act(conv(x, filter) + bias)).
///
/// The windows, `window` high and wide, lie side by side on what the convolution makes, and what does not fill one is left
/// out. mode is "max" or "average". The layout is NCHW.
REG_OP(FusedConvPool2D)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(filter, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(pads, ListInt)
    .REQUIRED_ATTR(window, ListInt)
    .REQUIRED_ATTR(mode, String)
    .ATTR(dilations, ListInt, {1, 1, 1, 1})
    .ATTR(groups, Int, 1)
    .ATTR(activation, String, "")
    .ATTR(alpha, Float, 0.0)
    .ATTR(beta, Float, 0.0)
    .OP_END_FACTORY_REG(FusedConvPool2D)

/// @brief Inverted residual in one operator: a 1 x 1 convolution that expands, a depthwise one, a 1 x 1 one that projects.
///
/// act(project(depthwise_act(depthwise(expand_act(expand(x) + expand_bias)) + depthwise_bias)) + project_bias + residual).
/// Without expand_filter the depthwise convolution reads x. strides and pads are those of the depthwise convolution, whose
/// filter has one input channel and as many output channels as it reads; layouts are NCHW, filters by their own format.
/// With squeeze_filter and excite_filter (both or none; 1 x 1) project reads what depthwise makes, d, times one factor for
/// each image and channel: excite_act(excite(squeeze_act(squeeze(mean of d's pixels) + squeeze_bias)) + excite_bias).
REG_OP(FusedSeparableConv2D)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(depthwise_filter, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(project_filter, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(expand_filter, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(expand_bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(depthwise_bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(project_bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(residual, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(squeeze_filter, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(squeeze_bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(excite_filter, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(excite_bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(pads, ListInt)
    .ATTR(expand_activation, String, "")
    .ATTR(expand_alpha, Float, 0.0)
    .ATTR(expand_beta, Float, 0.0)
    .ATTR(depthwise_activation, String, "")
    .ATTR(depthwise_alpha, Float, 0.0)
    .ATTR(depthwise_beta, Float, 0.0)
    .ATTR(squeeze_activation, String, "")
    .ATTR(squeeze_alpha, Float, 0.0)
    .ATTR(squeeze_beta, Float, 0.0)
    .ATTR(excite_activation, String, "")
    .ATTR(excite_alpha, Float, 0.0)
    .ATTR(excite_beta, Float, 0.0)
    .ATTR(activation, String, "")
    .ATTR(alpha, Float, 0.0)
    .ATTR(beta, Float, 0.0)
    .OP_END_FACTORY_REG(FusedSeparableConv2D)

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

/// @brief Transposed convolution of images or volumes with bias and activation: act(transposed(x, filter) + bias).
///
/// The data_format says which: NCHW, NHWC, NCDHW or NDHWC.
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
/// dtype is the type of y, and of residual; without it they have that of x1. Operands of DT_BF16 are summed in float32.
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
    .ATTR(dtype, Int, DT_UNDEFINED)
    .OP_END_FACTORY_REG(FusedMatMulV2)

/// @brief Dense layers, one after the other.
///
/// Layer i reads x, which for all but the first is what the layer before it made, and makes
/// factors[i] * act(x @ weight + bias + (residuals[i] == 1 ? x : 0)) + (residuals[i] == 2 ? x : 0).
/// parameters has, layer after layer, the weight [columns of x, columns of the result] and, where biased[i], the bias of
/// as many values as the result has columns. The activations are those of FusedMatMulV2, with alphas and betas. All lists
/// have as many entries as there are layers.
REG_OP(FusedDenseLayers)
    .INPUT(x, TensorType({DT_FLOAT}))
    .DYNAMIC_INPUT(parameters, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(biased, ListInt)
    .REQUIRED_ATTR(activations, ListString)
    .REQUIRED_ATTR(alphas, ListFloat)
    .REQUIRED_ATTR(betas, ListFloat)
    .REQUIRED_ATTR(factors, ListFloat)
    .REQUIRED_ATTR(residuals, ListInt)
    .OP_END_FACTORY_REG(FusedDenseLayers)

/// @brief Product with weights of 2, 4, 8 or 16 bits: act(x @ transposed((weight - zero_point) * scale) + bias + residual).
/// weight is [n, blocks, block_size * bits / 8]: the values of a column follow one another, low bits first; each block of
/// them has a scale and a zero point ([n, blocks]; uint8 zero points are packed like weights, absent ones are
/// 2^(bits-1)). Numbers of 16 bits are those of DT_FLOAT16, without zero points. group_index names the block of each of
/// the k values, where that is not the one in which it lies.
REG_OP(WeightOnlyQuantizedMatMul)
    .INPUT(x, TensorType({DT_FLOAT}))
    .INPUT(weight, TensorType({DT_UINT8}))
    .INPUT(scale, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(zero_point, TensorType({DT_UINT8, DT_FLOAT}))
    .OPTIONAL_INPUT(group_index, TensorType({DT_INT32}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(residual, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(k, Int)
    .REQUIRED_ATTR(block_size, Int)
    .ATTR(bits, Int, 4)
    .ATTR(activation, String, "")
    .ATTR(alpha, Float, 0.0)
    .ATTR(beta, Float, 0.0)
    .OP_END_FACTORY_REG(WeightOnlyQuantizedMatMul)

/// @brief Slices along gather_axis of (data - zero_point) * scale, chosen by indices.
/// An index out of range gives zeros, or an error where `checked` says so. Numbers in uint8 have `bits` bits, several in a
/// byte along the last axis, and 2^(bits-1) as usual zero point. Each block_size of them along quantize_axis have a scale; 0:
/// all of it.
REG_OP(GatherBlockQuantized)
    .INPUT(data, TensorType({DT_UINT8, DT_INT4, DT_INT2, DT_UINT2, DT_FLOAT16, DT_FLOAT4_E2M1, DT_FLOAT8_E4M3FN, DT_FLOAT8_E5M2}))
    .INPUT(indices, TensorType({DT_INT32, DT_INT64}))
    .INPUT(scale, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(zero_point, TensorType({DT_UINT8, DT_INT4, DT_INT2, DT_UINT2}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(bits, Int, 4)
    .ATTR(block_size, Int, 128)
    .ATTR(gather_axis, Int, 0)
    .ATTR(quantize_axis, Int, 1)
    .ATTR(checked, Bool, false)
    .OP_END_FACTORY_REG(GatherBlockQuantized)

/// @brief x as 8-bit floating point: saturated, or infinity and NaN where it is too large; powers of two by round_mode.
REG_OP(SmallFloatCast)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN, DT_FLOAT8_E8M0}))
    .REQUIRED_ATTR(dst_type, Int)
    .ATTR(saturate, Bool, true)
    .ATTR(round_mode, String, "up")
    .OP_END_FACTORY_REG(SmallFloatCast)
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
/// zero. A query that sees nothing gives NaN, or zeros with `zero_unseen`. dtype is the type of the result, else it is that
/// of query, key and value; those of DT_BF16 may have a mask and a sink of DT_FLOAT, and scores are float32.
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
    .ATTR(dtype, Int, DT_UNDEFINED)
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
    .DYNAMIC_INPUT(x, TensorType({DT_FLOAT, DT_BOOL, DT_INT8, DT_UINT8}))
    .DYNAMIC_OUTPUT(y, TensorType({DT_FLOAT, DT_BOOL, DT_INT8, DT_UINT8}))
    .REQUIRED_ATTR(program, ListInt)
    .ATTR(constants, ListFloat, {})
    .REQUIRED_ATTR(outputs, ListInt)
    .ATTR(output_types, ListInt, {})
    .OP_END_FACTORY_REG(FusedElementwise)

/// @brief Matrix product of 8-bit integers, exact in 32 bits, with scales, bias, activation and rounding to 8 bits.
///
/// acc = sum of (x1 - x1_zero_point) * (x2 - x2_zero_point), plus a bias of type INT32, wrapping. dst_type INT32: y = acc,
/// without scales. Else v = activation(acc * (x1_scale * x2_scale) + bias of type FLOAT), rounded after each step, and
/// y = v for FLOAT, for 8 bits round_half_even(v / y_scale) + y_zero_point, saturated; a NaN becomes the lowest number.
/// Scales and zero points of x1 are scalars or one per row, those of x2 and the bias one per column; absent scales are 1,
/// absent zero points 0.
REG_OP(QuantizedMatMul)
    .INPUT(x1, TensorType({DT_INT8, DT_UINT8}))
    .OPTIONAL_INPUT(x1_scale, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(x1_zero_point, TensorType({DT_INT8, DT_UINT8}))
    .INPUT(x2, TensorType({DT_INT8, DT_UINT8}))
    .OPTIONAL_INPUT(x2_scale, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(x2_zero_point, TensorType({DT_INT8, DT_UINT8}))
    .OPTIONAL_INPUT(bias, TensorType({DT_INT32, DT_FLOAT}))
    .OPTIONAL_INPUT(y_scale, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(y_zero_point, TensorType({DT_INT8, DT_UINT8}))
    .OUTPUT(y, TensorType({DT_INT32, DT_FLOAT, DT_INT8, DT_UINT8}))
    .REQUIRED_ATTR(dst_type, Int)
    .ATTR(adj_x2, Bool, false)
    .ATTR(activation, String, "")
    .ATTR(alpha, Float, 0.0)
    .ATTR(beta, Float, 0.0)
    .OP_END_FACTORY_REG(QuantizedMatMul)

/// @brief Convolution of 8-bit integers, exact in 32 bits, with scales, bias, activation and rounding to 8 bits.
///
/// The arithmetic of QuantizedMatMul, with scalars for x and scalars or one value per output channel for the filter and
/// the bias. What pads the image has the value zero, which is x_zero_point in x.
REG_OP(QuantizedConv2D)
    .INPUT(x, TensorType({DT_INT8, DT_UINT8}))
    .OPTIONAL_INPUT(x_scale, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(x_zero_point, TensorType({DT_INT8, DT_UINT8}))
    .INPUT(filter, TensorType({DT_INT8, DT_UINT8}))
    .OPTIONAL_INPUT(filter_scale, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(filter_zero_point, TensorType({DT_INT8, DT_UINT8}))
    .OPTIONAL_INPUT(bias, TensorType({DT_INT32, DT_FLOAT}))
    .OPTIONAL_INPUT(y_scale, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(y_zero_point, TensorType({DT_INT8, DT_UINT8}))
    .OUTPUT(y, TensorType({DT_INT32, DT_FLOAT, DT_INT8, DT_UINT8}))
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(pads, ListInt)
    .REQUIRED_ATTR(dst_type, Int)
    .ATTR(dilations, ListInt, {1, 1, 1, 1})
    .ATTR(groups, Int, 1)
    .ATTR(data_format, String, "NCHW")
    .ATTR(activation, String, "")
    .ATTR(alpha, Float, 0.0)
    .ATTR(beta, Float, 0.0)
    .OP_END_FACTORY_REG(QuantizedConv2D)

}  // namespace ge

#endif
