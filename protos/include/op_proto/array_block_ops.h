// Blocks of space, batch and depth, patches and their positions.
#ifndef OP_PROTO_ARRAY_BLOCK_OPS_H_
#define OP_PROTO_ARRAY_BLOCK_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family base

/// @brief Moves blocks of the batch into height and width, then crops the borders.
/// @family math
REG_OP(BatchToSpace)
    .INPUT(x, TensorType::BasicType())
    .INPUT(crops, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType::BasicType())
    .REQUIRED_ATTR(block_size, Int)
    .OP_END_FACTORY_REG(BatchToSpace)

/// @brief Moves blocks of the batch into height and width, with the crops as an attribute.
REG_OP(BatchToSpaceD)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .REQUIRED_ATTR(block_size, Int)
    .REQUIRED_ATTR(crops, ListInt)
    .OP_END_FACTORY_REG(BatchToSpaceD)

/// @brief Moves blocks of the batch into any number of spatial axes, then crops them.
/// @family math
REG_OP(BatchToSpaceND)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .INPUT(block_shape, TensorType::IndexNumberType())
    .INPUT(crops, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .OP_END_FACTORY_REG(BatchToSpaceND)

/// @brief Moves blocks of the batch into spatial axes, with block shape and crops as attributes.
REG_OP(BatchToSpaceNDD)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .REQUIRED_ATTR(block_shape, ListInt)
    .REQUIRED_ATTR(crops, ListInt)
    .OP_END_FACTORY_REG(BatchToSpaceNDD)

/// @brief Pads height and width, then moves blocks of them into the batch.
/// @family math
REG_OP(SpaceToBatch)
    .INPUT(x, TensorType::BasicType())
    .INPUT(paddings, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType::BasicType())
    .REQUIRED_ATTR(block_size, Int)
    .OP_END_FACTORY_REG(SpaceToBatch)

/// @brief Pads height and width and moves blocks into the batch, with the paddings as an attribute.
REG_OP(SpaceToBatchD)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .REQUIRED_ATTR(block_size, Int)
    .REQUIRED_ATTR(paddings, ListInt)
    .OP_END_FACTORY_REG(SpaceToBatchD)

/// @brief Pads any number of spatial axes, then moves blocks of them into the batch.
/// @family math
REG_OP(SpaceToBatchND)
    .INPUT(x, TensorType::BasicType())
    .INPUT(block_shape, TensorType::IndexNumberType())
    .INPUT(paddings, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType::BasicType())
    .OP_END_FACTORY_REG(SpaceToBatchND)

/// @brief Pads spatial axes and moves blocks into the batch, with block shape and paddings as attributes.
REG_OP(SpaceToBatchNDD)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .REQUIRED_ATTR(block_shape, ListInt)
    .REQUIRED_ATTR(paddings, ListInt)
    .OP_END_FACTORY_REG(SpaceToBatchNDD)

/// @brief Adds overlapping columns of patches back into images of a given size.
REG_OP(Col2im)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(output_size, TensorType({DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(kernel_size, ListInt)
    .REQUIRED_ATTR(dilation, ListInt)
    .REQUIRED_ATTR(padding, ListInt)
    .REQUIRED_ATTR(stride, ListInt)
    .OP_END_FACTORY_REG(Col2im)

/// @brief Adds overlapping columns of patches back into images; size and kernel are inputs.
/// @family image
REG_OP(Col2ImV2)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(output_size, TensorType({DT_INT32, DT_INT32}))
    .INPUT(kernel_size, TensorType({DT_INT32, DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .REQUIRED_ATTR(dilation, ListInt)
    .REQUIRED_ATTR(padding, ListInt)
    .REQUIRED_ATTR(stride, ListInt)
    .OP_END_FACTORY_REG(Col2ImV2)

/// @brief Lays the patches that a sliding window sees out as columns.
/// @family math
REG_OP(Im2col)
    .INPUT(x, TensorType({RealNumberType(), DT_BOOL, DT_COMPLEX32, DT_COMPLEX64}))
    .OUTPUT(y, TensorType({RealNumberType(), DT_BOOL, DT_COMPLEX32, DT_COMPLEX64}))
    .REQUIRED_ATTR(ksizes, ListInt)
    .ATTR(strides, ListInt, {1})
    .ATTR(dilations, ListInt, {1})
    .ATTR(padding_mode, String, "CALCULATED")
    .ATTR(pads, ListInt, {0})
    .OP_END_FACTORY_REG(Im2col)

/// @brief Gathers image patches under a sliding window into the depth axis.
/// @family image
REG_OP(ExtractImagePatches)
    .INPUT(x, TensorType::RealNumberType())
    .OUTPUT(y, TensorType::RealNumberType())
    .REQUIRED_ATTR(ksizes, ListInt)
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(rates, ListInt)
    .REQUIRED_ATTR(padding, String)
    .OP_END_FACTORY_REG(ExtractImagePatches)

/// @brief Gathers patches of volumes under a sliding window into the depth axis.
REG_OP(ExtractVolumePatches)
    .INPUT(x, TensorType::REALNUMBERTYPE())
    .OUTPUT(y, TensorType::REALNUMBERTYPE())
    .REQUIRED_ATTR(ksizes, ListInt)
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(padding, String)
    .OP_END_FACTORY_REG(ExtractVolumePatches)

/// @brief Adds the gradient of mirrored borders back onto the elements they came from.
REG_OP(MirrorPadGrad)
    .INPUT(x, TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_FLOAT, DT_DOUBLE,
                          DT_COMPLEX64, DT_COMPLEX128}))
    .INPUT(paddings, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(y, TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_FLOAT, DT_DOUBLE,
                           DT_COMPLEX64, DT_COMPLEX128}))
    .REQUIRED_ATTR(mode, String)
    .OP_END_FACTORY_REG(MirrorPadGrad)

/// @brief Gradient of padding: folds the gradient of the border into the inside as mode says.
/// @family math
REG_OP(PadV3Grad)
    .INPUT(x, TensorType::BasicType())
    .INPUT(paddings, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType::BasicType())
    .ATTR(mode, String, "reflect")
    .ATTR(paddings_contiguous, Bool, true)
    .OP_END_FACTORY_REG(PadV3Grad)

/// @brief Pads each axis with values from its opposite end.
/// @family math
REG_OP(CircularPad)
    .INPUT(x, TensorType({DT_INT8, DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT32}))
    .INPUT(paddings, TensorType({DT_INT64}))
    .OUTPUT(y, TensorType({DT_INT8, DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT32}))
    .OP_END_FACTORY_REG(CircularPad)

/// @brief Pads the last axis with its own values mirrored at the edge.
/// @family math
REG_OP(ReflectionPad1dV2)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .INPUT(paddings, TensorType({DT_INT64}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OP_END_FACTORY_REG(ReflectionPad1dV2)

/// @brief Reorders depthwise filters from four axes into the six of a blocked layout.
REG_OP(DepthwiseWeight4DTo6D)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_UINT16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_UINT16}))
    .OP_END_FACTORY_REG(DepthwiseWeight4DTo6D)

/// @brief Brings depthwise filters from the blocked six axes back to four.
REG_OP(DepthwiseWeight6DTo4D)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_UINT16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_UINT16}))
    .ATTR(channel_size, Int, 16)
    .OP_END_FACTORY_REG(DepthwiseWeight6DTo4D)

/// @brief Converts weights of recurrent layers between a plain and a blocked format.
REG_OP(TransDataRNN)
    .INPUT(src, TensorType::BasicType())
    .OUTPUT(dst, TensorType::BasicType())
    .REQUIRED_ATTR(src_format, String)
    .REQUIRED_ATTR(dst_format, String)
    .REQUIRED_ATTR(input_size, Int)
    .REQUIRED_ATTR(hidden_size, Int)
    .OP_END_FACTORY_REG(TransDataRNN)

/// @brief Maps axis numbers of one data format to those of another.
/// @family nn
REG_OP(DataFormatDimMap)
    .INPUT(x, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType::IndexNumberType())
    .ATTR(src_format, String, "NHWC")
    .ATTR(dst_format, String, "NCHW")
    .OP_END_FACTORY_REG(DataFormatDimMap)

/// @brief Compresses convolution weights and writes the index for unpacking them.
REG_OP(Compress)
    .INPUT(weight, TensorType({DT_INT8, DT_FLOAT16}))
    .OUTPUT(weight_compress, TensorType({DT_INT8, DT_FLOAT16}))
    .OUTPUT(compress_index, TensorType({DT_INT8}))
    .REQUIRED_ATTR(compress_parameters, ListInt)
    .OP_END_FACTORY_REG(Compress)

/// @brief Compresses weights of a fully connected layer, with index and parameters for unpacking.
REG_OP(CompressFcOp)
    .INPUT(weight, TensorType({DT_INT8}))
    .OUTPUT(weight_compress, TensorType({DT_INT8}))
    .OUTPUT(compress_index, TensorType({DT_INT8}))
    .OUTPUT(compress_info, TensorType({DT_UINT32}))
    .REQUIRED_ATTR(compress_parameters, ListInt)
    .OP_END_FACTORY_REG(CompressFcOp)

}  // namespace ge

#endif
