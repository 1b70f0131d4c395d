// Slicing, joining, filling, images and transposed convolutions with attributes in place of constant inputs.
#ifndef OP_PROTO_ATTRIBUTE_FORM_OPS_H_
#define OP_PROTO_ATTRIBUTE_FORM_OPS_H_

#include "graph/operator_reg.h"

#ifndef BUILTIN_ATTRIBUTE_FORM  // the library reads it: core/ops/attribute_forms.h
#define BUILTIN_ATTRIBUTE_FORM(...)
#endif

namespace ge {

/// @family base

/// @brief Joins tensors along an axis that attribute concat_dim names.
REG_OP(ConcatV2D)
    .DYNAMIC_INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(concat_dim, Int)
    .ATTR(N, Int, 1)
    .OP_END_FACTORY_REG(ConcatV2D)
BUILTIN_ATTRIBUTE_FORM(ConcatV2D, ConcatV2)

/// @brief Cuts a tensor into pieces whose sizes are an attribute.
REG_OP(SplitVD)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .DYNAMIC_OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(size_splits, ListInt)
    .REQUIRED_ATTR(split_dim, Int)
    .REQUIRED_ATTR(num_split, Int)
    .OP_END_FACTORY_REG(SplitVD)
BUILTIN_ATTRIBUTE_FORM(SplitVD, SplitV)

/// @brief Repeats x along each axis as often as an attribute says.
REG_OP(TileD)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(multiples, ListInt)
    .OP_END_FACTORY_REG(TileD)
BUILTIN_ATTRIBUTE_FORM(TileD, Tile)

/// @brief Surrounds x with zeros; the widths are an attribute.
REG_OP(PadD)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(paddings, ListListInt)
    .OP_END_FACTORY_REG(PadD)
BUILTIN_ATTRIBUTE_FORM(PadD, Pad)

/// @brief Surrounds x with a constant that is an input; the widths are an attribute.
REG_OP(PadV2D)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .INPUT(constant_values, TensorType({BasicType(), DT_BOOL}))
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(paddings, ListListInt)
    .OP_END_FACTORY_REG(PadV2D)
BUILTIN_ATTRIBUTE_FORM(PadV2D, PadV2)

/// @brief Surrounds x with a constant, its mirror image or its edge; widths and constant are attributes.
REG_OP(PadV3D)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(paddings, ListListInt)
    .ATTR(constant_values, Int, 0)
    .ATTR(mode, String, "constant")
    .ATTR(paddings_contiguous, Bool, true)
    .OP_END_FACTORY_REG(PadV3D)
BUILTIN_ATTRIBUTE_FORM(PadV3D, PadV3)

/// @brief Part of x from begin to end with a step; all three are attributes.
REG_OP(StridedSliceD)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(begin, ListInt)
    .REQUIRED_ATTR(end, ListInt)
    .REQUIRED_ATTR(strides, ListInt)
    .ATTR(begin_mask, Int, 0)
    .ATTR(end_mask, Int, 0)
    .ATTR(ellipsis_mask, Int, 0)
    .ATTR(new_axis_mask, Int, 0)
    .ATTR(shrink_axis_mask, Int, 0)
    .OP_END_FACTORY_REG(StridedSliceD)
BUILTIN_ATTRIBUTE_FORM(StridedSliceD, StridedSlice)

/// @brief Gradient of a strided slice; shape and limits are attributes.
REG_OP(StridedSliceGradD)
    .INPUT(dy, TensorType::BasicType())
    .OUTPUT(output, TensorType::BasicType())
    .REQUIRED_ATTR(shape, ListInt)
    .REQUIRED_ATTR(begin, ListInt)
    .REQUIRED_ATTR(end, ListInt)
    .REQUIRED_ATTR(strides, ListInt)
    .ATTR(begin_mask, Int, 0)
    .ATTR(end_mask, Int, 0)
    .ATTR(ellipsis_mask, Int, 0)
    .ATTR(new_axis_mask, Int, 0)
    .ATTR(shrink_axis_mask, Int, 0)
    .OP_END_FACTORY_REG(StridedSliceGradD)
BUILTIN_ATTRIBUTE_FORM(StridedSliceGradD, StridedSliceGrad)

/// @brief Overwrites a strided slice of a variable; begin, end and strides are attributes.
REG_OP(StridedSliceAssignD)
    .INPUT(var, TensorType(BasicType))
    .INPUT(input_value, TensorType(BasicType))
    .OUTPUT(var, TensorType(BasicType))
    .REQUIRED_ATTR(begin, ListInt)
    .REQUIRED_ATTR(end, ListInt)
    .REQUIRED_ATTR(strides, ListInt)
    .ATTR(begin_mask, Int, 0)
    .ATTR(end_mask, Int, 0)
    .ATTR(ellipsis_mask, Int, 0)
    .ATTR(new_axis_mask, Int, 0)
    .ATTR(shrink_axis_mask, Int, 0)
    .OP_END_FACTORY_REG(StridedSliceAssignD)
BUILTIN_ATTRIBUTE_FORM(StridedSliceAssignD, StridedSliceAssign)

/// @brief Adds the rows of v to the rows of x that an attribute names.
REG_OP(InplaceAddD)
    .INPUT(x, TensorType::BasicType())
    .INPUT(v, TensorType::BasicType())
    .OUTPUT(y, TensorType::BasicType())
    .REQUIRED_ATTR(indices, ListInt)
    .OP_END_FACTORY_REG(InplaceAddD)
BUILTIN_ATTRIBUTE_FORM(InplaceAddD, InplaceAdd)

/// @brief Subtracts the rows of v from the rows of x that an attribute names.
REG_OP(InplaceSubD)
    .INPUT(x, TensorType::BasicType())
    .INPUT(v, TensorType::BasicType())
    .OUTPUT(y, TensorType::BasicType())
    .REQUIRED_ATTR(indices, ListInt)
    .OP_END_FACTORY_REG(InplaceSubD)
BUILTIN_ATTRIBUTE_FORM(InplaceSubD, InplaceSub)

/// @brief Replaces the rows of x that an attribute names with the rows of v.
REG_OP(InplaceUpdateD)
    .INPUT(x, TensorType::BasicType())
    .INPUT(v, TensorType::BasicType())
    .OUTPUT(y, TensorType::BasicType())
    .REQUIRED_ATTR(indices, ListInt)
    .OP_END_FACTORY_REG(InplaceUpdateD)
BUILTIN_ATTRIBUTE_FORM(InplaceUpdateD, InplaceUpdate)

/// @brief Part of x of a given size; offsets and size are attributes.
REG_OP(SliceD)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(offsets, ListInt)
    .REQUIRED_ATTR(size, ListInt)
    .OP_END_FACTORY_REG(SliceD)
BUILTIN_ATTRIBUTE_FORM(SliceD, Slice)

/// @brief Slices of x along an axis that an attribute names, at positions.
REG_OP(GatherV2D)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .INPUT(indices, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(axis, Int)
    .OP_END_FACTORY_REG(GatherV2D)
BUILTIN_ATTRIBUTE_FORM(GatherV2D, GatherV2)

/// @brief A tensor of zeros with updates added at positions; its shape is an attribute.
REG_OP(ScatterNdD)
    .INPUT(indices, TensorType::IndexNumberType())
    .INPUT(x, TensorType::BasicType())
    .OUTPUT(y, TensorType::BasicType())
    .REQUIRED_ATTR(shape, ListInt)
    .OP_END_FACTORY_REG(ScatterNdD)
BUILTIN_ATTRIBUTE_FORM(ScatterNdD, ScatterNd)

/// @brief Reverses x along axes that an attribute names.
REG_OP(ReverseV2D)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(axis, ListInt)
    .OP_END_FACTORY_REG(ReverseV2D)
BUILTIN_ATTRIBUTE_FORM(ReverseV2D, ReverseV2)

/// @brief Broadcasts x to a shape that an attribute holds.
REG_OP(BroadcastToD)
    .INPUT(x, TensorType({BasicType(), DT_BOOL}))
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(shape, ListInt)
    .OP_END_FACTORY_REG(BroadcastToD)
BUILTIN_ATTRIBUTE_FORM(BroadcastToD, BroadcastTo)

/// @brief A tensor filled with one value; its extents are an attribute.
REG_OP(FillD)
    .INPUT(value, TensorType({BasicType(), DT_BOOL}))
    .OUTPUT(y, TensorType({BasicType(), DT_BOOL}))
    .REQUIRED_ATTR(dims, ListInt)
    .OP_END_FACTORY_REG(FillD)
BUILTIN_ATTRIBUTE_FORM(FillD, Fill)

/// @brief Numbers from start up to limit with a step; all three are attributes, and x only says the type.
REG_OP(RangeD)
    .INPUT(x, TensorType({DT_FLOAT, DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_INT32}))
    .REQUIRED_ATTR(start, Float)
    .REQUIRED_ATTR(limit, Float)
    .REQUIRED_ATTR(delta, Float)
    .OP_END_FACTORY_REG(RangeD)
BUILTIN_ATTRIBUTE_FORM(RangeD, Range, "limit=end delta=step")

/// @brief Resizes images to the nearest pixel; the size is an attribute.
REG_OP(ResizeNearestNeighborV2D)
    .INPUT(x, TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_BF16}))
    .OUTPUT(y, TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_BF16}))
    .REQUIRED_ATTR(size, ListInt)
    .ATTR(align_corners, Bool, false)
    .ATTR(half_pixel_centers, Bool, false)
    .OP_END_FACTORY_REG(ResizeNearestNeighborV2D)
BUILTIN_ATTRIBUTE_FORM(ResizeNearestNeighborV2D, ResizeNearestNeighborV2)

/// @brief Gradient of resizing to the nearest pixel; the size is an attribute.
REG_OP(ResizeNearestNeighborV2GradD)
    .INPUT(grads, TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_BF16}))
    .OUTPUT(y, TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_BF16}))
    .REQUIRED_ATTR(size, ListInt)
    .ATTR(align_corners, Bool, false)
    .ATTR(half_pixel_centers, Bool, false)
    .OP_END_FACTORY_REG(ResizeNearestNeighborV2GradD)
BUILTIN_ATTRIBUTE_FORM(ResizeNearestNeighborV2GradD, ResizeNearestNeighborV2Grad)

/// @brief Resizes images with linear interpolation; the size is an attribute.
REG_OP(ResizeBilinearV2D)
    .INPUT(x, TensorType({DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(size, ListInt)
    .ATTR(align_corners, Bool, false)
    .ATTR(half_pixel_centers, Bool, false)
    .OP_END_FACTORY_REG(ResizeBilinearV2D)
BUILTIN_ATTRIBUTE_FORM(ResizeBilinearV2D, ResizeBilinearV2)

/// @brief Cuts boxes out of images and resizes them; the size is an attribute.
REG_OP(CropAndResizeD)
    .INPUT(x, TensorType({DT_UINT8, DT_UINT16, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .INPUT(boxes, TensorType({DT_FLOAT}))
    .INPUT(box_index, TensorType({DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(crop_size, ListInt)
    .ATTR(extrapolation_value, Float, 0)
    .ATTR(method, String, "bilinear")
    .OP_END_FACTORY_REG(CropAndResizeD)
BUILTIN_ATTRIBUTE_FORM(CropAndResizeD, CropAndResize)

/// @brief Transposed convolution of images whose result has a size that is an attribute.
REG_OP(Conv2DTransposeD)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT8, DT_BF16}))
    .INPUT(filter, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT8, DT_BF16}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .OPTIONAL_INPUT(offset_w, TensorType({DT_INT8}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_BF16}))
    .REQUIRED_ATTR(input_size, ListInt)
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(pads, ListInt)
    .ATTR(dilations, ListInt, {1, 1, 1, 1})
    .ATTR(groups, Int, 1)
    .ATTR(data_format, String, "NHWC")
    .ATTR(output_padding, ListInt, {0, 0, 0, 0})
    .ATTR(offset_x, Int, 0)
    .OP_END_FACTORY_REG(Conv2DTransposeD)
BUILTIN_ATTRIBUTE_FORM(Conv2DTransposeD, Conv2DTranspose)

/// @brief Transposed convolution of volumes whose result has a size that is an attribute.
REG_OP(Conv3DTransposeD)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT8, DT_BF16}))
    .INPUT(filter, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT8, DT_BF16}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .OPTIONAL_INPUT(offset_w, TensorType({DT_INT8}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_BF16}))
    .REQUIRED_ATTR(input_size, ListInt)
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(pads, ListInt)
    .ATTR(dilations, ListInt, {1, 1, 1, 1, 1})
    .ATTR(groups, Int, 1)
    .ATTR(data_format, String, "NDHWC")
    .ATTR(output_padding, ListInt, {0, 0, 0, 0, 0})
    .ATTR(offset_x, Int, 0)
    .OP_END_FACTORY_REG(Conv3DTransposeD)
BUILTIN_ATTRIBUTE_FORM(Conv3DTransposeD, Conv3DTranspose)

/// @brief Counts how many values of x fall into each of so many equal parts of a range as an attribute says.
REG_OP(HistogramFixedWidthD)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_INT64}))
    .INPUT(range, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_INT64}))
    .OUTPUT(y, TensorType({DT_INT32}))
    .REQUIRED_ATTR(nbins, Int)
    .ATTR(dtype, Int, 3)
    .OP_END_FACTORY_REG(HistogramFixedWidthD)
BUILTIN_ATTRIBUTE_FORM(HistogramFixedWidthD, HistogramFixedWidth)

/// @brief Averages volumes under a sliding window; filter and multiplier only steer a device's kernel.
REG_OP(AvgPool3DD)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OPTIONAL_INPUT(filter, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OPTIONAL_INPUT(multiplier, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .REQUIRED_ATTR(ksize, ListInt)
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(pads, ListInt)
    .ATTR(ceil_mode, Bool, false)
    .ATTR(count_include_pad, Bool, true)
    .ATTR(divisor_override, Int, 0)
    .ATTR(data_format, String, "NDHWC")
    .OP_END_FACTORY_REG(AvgPool3DD)
BUILTIN_ATTRIBUTE_FORM(AvgPool3DD, AvgPool3D)

/// @brief A tensor with x on its diagonal and zeros elsewhere; assist only steers a device's kernel.
REG_OP(DiagD)
    .INPUT(x, TensorType::BasicType())
    .INPUT(assist, TensorType::BasicType())
    .OUTPUT(y, TensorType::BasicType())
    .OP_END_FACTORY_REG(DiagD)
BUILTIN_ATTRIBUTE_FORM(DiagD, Diag)

/// @brief The diagonal of x; assist only steers a device's kernel.
REG_OP(DiagPartD)
    .INPUT(x, TensorType::BasicType())
    .INPUT(assist, TensorType::BasicType())
    .OUTPUT(y, TensorType::BasicType())
    .OP_END_FACTORY_REG(DiagPartD)
BUILTIN_ATTRIBUTE_FORM(DiagPartD, DiagPart)

/// @brief Matrices with the rows of x on their diagonals; assist only steers a device's kernel.
REG_OP(MatrixDiagD)
    .INPUT(x, TensorType::BasicType())
    .INPUT(assist, TensorType::BasicType())
    .OUTPUT(y, TensorType::BasicType())
    .OP_END_FACTORY_REG(MatrixDiagD)
BUILTIN_ATTRIBUTE_FORM(MatrixDiagD, MatrixDiag)

/// @brief The diagonals of the matrices in x; assist only steers a device's kernel.
REG_OP(MatrixDiagPartD)
    .INPUT(x, TensorType::BasicType())
    .INPUT(assist, TensorType::BasicType())
    .OUTPUT(y, TensorType::BasicType())
    .OP_END_FACTORY_REG(MatrixDiagPartD)
BUILTIN_ATTRIBUTE_FORM(MatrixDiagPartD, MatrixDiagPart)

/// @brief The matrices in x with other diagonals; assist only steers a device's kernel.
REG_OP(MatrixSetDiagD)
    .INPUT(x, TensorType::BasicType())
    .INPUT(diagonal, TensorType::BasicType())
    .INPUT(assist, TensorType::BasicType())
    .OUTPUT(y, TensorType::BasicType())
    .OP_END_FACTORY_REG(MatrixSetDiagD)
BUILTIN_ATTRIBUTE_FORM(MatrixSetDiagD, MatrixSetDiag)

/// @brief Gradient of averaging images under a window; the size of the images is an attribute.
REG_OP(AvgPoolGradD)
    .INPUT(input_grad, TensorType({DT_FLOAT16, DT_FLOAT32, DT_DOUBLE, DT_BF16}))
    .OPTIONAL_INPUT(mean_matrix, TensorType({DT_FLOAT16, DT_FLOAT32, DT_DOUBLE, DT_BF16}))
    .OPTIONAL_INPUT(kernel_matrix, TensorType({DT_FLOAT16, DT_FLOAT32, DT_DOUBLE, DT_BF16}))
    .OUTPUT(out_grad, TensorType({DT_FLOAT16, DT_FLOAT32, DT_DOUBLE, DT_BF16}))
    .REQUIRED_ATTR(orig_input_shape, ListInt)
    .REQUIRED_ATTR(ksize, ListInt)
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(padding, String)
    .ATTR(data_format, String, "NHWC")
    .OP_END_FACTORY_REG(AvgPoolGradD)
BUILTIN_ATTRIBUTE_FORM(AvgPoolGradD, AvgPoolGrad)

/// @brief Gradient of averaging volumes under a window; the size of the volumes is an attribute.
REG_OP(AvgPool3DGradD)
    .INPUT(grads, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OPTIONAL_INPUT(filter, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OPTIONAL_INPUT(multiplier, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OUTPUT(output, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .REQUIRED_ATTR(orig_input_shape, ListInt)
    .REQUIRED_ATTR(ksize, ListInt)
    .REQUIRED_ATTR(strides, ListInt)
    .REQUIRED_ATTR(pads, ListInt)
    .ATTR(ceil_mode, Bool, false)
    .ATTR(count_include_pad, Bool, true)
    .ATTR(divisor_override, Int, 0)
    .ATTR(data_format, String, "NDHWC")
    .OP_END_FACTORY_REG(AvgPool3DGradD)
BUILTIN_ATTRIBUTE_FORM(AvgPool3DGradD, AvgPool3DGrad)

// Forms that other headers declare.
BUILTIN_ATTRIBUTE_FORM(ArgMaxD, ArgMaxV2)
BUILTIN_ATTRIBUTE_FORM(ArgMinD, ArgMin)
BUILTIN_ATTRIBUTE_FORM(ConcatD, ConcatV2)
BUILTIN_ATTRIBUTE_FORM(ConfusionTransposeD, ConfusionTranspose)
BUILTIN_ATTRIBUTE_FORM(ExpandD, Expand)
BUILTIN_ATTRIBUTE_FORM(OneHotD, OneHot)
BUILTIN_ATTRIBUTE_FORM(SplitD, Split)
BUILTIN_ATTRIBUTE_FORM(TopKV2D, TopKV2)
BUILTIN_ATTRIBUTE_FORM(TransposeD, Transpose)

}  // namespace ge

#endif
