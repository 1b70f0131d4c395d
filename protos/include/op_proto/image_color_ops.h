// Colours, pixel formats, blending and preprocessing.
#ifndef OP_PROTO_IMAGE_COLOR_OPS_H_
#define OP_PROTO_IMAGE_COLOR_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family image

/// @brief Multiplies the colour saturation of images by a factor.
REG_OP(AdjustSaturation)
    .INPUT(images, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(scale, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(AdjustSaturation)

/// @brief Preprocesses camera images as a configuration says: crop, colour conversion, normalisation.
REG_OP(Aipp)
    .INPUT(images, TensorType({DT_UINT8}))
    .OPTIONAL_INPUT(params, TensorType({DT_UINT8}))
    .OUTPUT(features, TensorType({DT_FLOAT16}))
    .ATTR(aipp_config_path, String, "./aipp.cfg")
    .OP_END_FACTORY_REG(Aipp)

/// @brief Puts the foreground of src, given by a mask, over another background.
REG_OP(BackgroundReplace)
    .INPUT(bkg, TensorType({DT_UINT8, DT_FLOAT16}))
    .INPUT(src, TensorType({DT_UINT8, DT_FLOAT16}))
    .INPUT(mask, TensorType({DT_FLOAT16, DT_FLOAT16}))
    .OUTPUT(out, TensorType({DT_UINT8, DT_FLOAT16}))
    .OP_END_FACTORY_REG(BackgroundReplace)

/// @brief Divides an accumulated face by its mask and blends it into the background.
REG_OP(BlendFaceBgPartTwo)
    .INPUT(acc_face, TensorType({DT_FLOAT}))
    .INPUT(acc_mask, TensorType({DT_FLOAT}))
    .INPUT(max_mask, TensorType({DT_FLOAT}))
    .INPUT(bg_img, TensorType({DT_UINT8, DT_FLOAT}))
    .OUTPUT(fused_img, TensorType({DT_FLOAT}))
    .ATTR(epsilon, Float, 1e-12f)
    .OP_END_FACTORY_REG(BlendFaceBgPartTwo)

/// @brief Blends an RGB image over a frame with an alpha channel.
REG_OP(BlendImagesCustom)
    .INPUT(rgb, TensorType({DT_UINT8}))
    .INPUT(alpha, TensorType({DT_UINT8}))
    .INPUT(frame, TensorType({DT_UINT8}))
    .OUTPUT(out, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(BlendImagesCustom)

/// @brief Multiplies an RGB image by its alpha channel.
REG_OP(MrgbaCustom)
    .INPUT(rgb, TensorType({DT_UINT8}))
    .INPUT(alpha, TensorType({DT_UINT8}))
    .OUTPUT(dst, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(MrgbaCustom)

/// @brief Pastes the core of a processed patch into the combined image at scale.
REG_OP(PasteSubImg)
    .INPUT(patch_img, TensorType({DT_UINT8, DT_FLOAT16, DT_FLOAT32}))
    .INPUT(patch_coord, TensorType({DT_INT32}))
    .INPUT(core_area_coord, TensorType({DT_INT32}))
    .INPUT(combine_img, TensorType({DT_UINT8, DT_FLOAT16, DT_FLOAT32}))
    .OUTPUT(combine_img, TensorType({DT_UINT8, DT_FLOAT16, DT_FLOAT32}))
    .REQUIRED_ATTR(scale, Float)
    .OP_END_FACTORY_REG(PasteSubImg)

/// @brief Maps colours through a three-dimensional lookup table.
REG_OP(LUT3D)
    .INPUT(img, TensorType({DT_UINT8, DT_FLOAT}))
    .INPUT(lut_table, TensorType({DT_UINT8, DT_FLOAT}))
    .OUTPUT(lut_img, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(LUT3D)

/// @brief Converts images from RGB to YUV with chroma at half the width.
REG_OP(RGB2YUV422)
    .INPUT(rgb, TensorType({DT_UINT8}))
    .OUTPUT(yuv, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(RGB2YUV422)

/// @brief Converts images from RGB to packed YUV 4:2:2 in a chosen layout.
REG_OP(Rgb2yuv422)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .ATTR(data_format, String, "NHWC")
    .DATATYPE(T, TensorType({DT_UINT8, DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(Rgb2yuv422)

/// @brief Halves the chroma width of YUV images.
REG_OP(YUV4442YUV422)
    .INPUT(x, TensorType({DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(YUV4442YUV422)

/// @brief Averages the chroma of neighbouring pixels to get from YUV 4:4:4 to 4:2:2.
REG_OP(Yuv444ToYuv422)
    .INPUT(x, TensorType({DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(Yuv444ToYuv422)

/// @brief Reorders half-precision planes into integer ARGB pixels.
REG_OP(TransArgb)
    .INPUT(x, "T1")
    .OUTPUT(y, "T2")
    .DATATYPE(T1, TensorType({DT_FLOAT16}))
    .DATATYPE(T2, TensorType({DT_INT16}))
    .OP_END_FACTORY_REG(TransArgb)

}  // namespace ge

#endif
