// Own direct convolutions of tensors in channel blocks (NC1HWC0). Extents are arguments: one function serves every
// image size, and making a kernel costs nothing, where the library writes machine code for each size.
#pragma once

#include <cstdint>

#include "ge/engine.h"
#include "kernels.h"

namespace onednn {

// y = clip(sum + bias + residual, low, high); bounds that are infinite change nothing.
struct ConvFinish {
  const float *bias;      // one value per channel of the block, or null
  const float *residual;  // laid out as y, may be y; or null
  float low, high;
};

// Some pixels of one or two blocks of output channels of a 1 x 1 convolution.
struct PointwiseTile {
  const float *x;  // first pixel; pixels and channels of a block are dense
  int64_t in_blocks, x_block;
  const float *w;  // [in_blocks][channel in][channel out]
  int64_t w_block;
  float *y;
  int64_t y_block;
  int64_t pixels;  // any number
  int blocks;      // 1 or 2
  ConvFinish finish[2];
};

// One row of one block of a depthwise convolution.
struct DepthwiseRow {
  const float *x;  // first pixel of the first input row that is inside
  int64_t row;     // from one input row that is used to the next
  int64_t in_w;    // pixels
  const float *w;  // of the first filter row that falls on an input row, [rows][kernel_w][channels]
  int rows;        // filter rows inside the image
  int kernel_w, stride, dilation, pad_left;
  float *y;
  int64_t out_w;
  ConvFinish finish;
};

struct ConvKernelSet {
  int channels;  // per block
  void (*pointwise)(const PointwiseTile &tile);
  void (*depthwise)(const DepthwiseRow &row);
};
extern const ConvKernelSet kConvAvx2, kConvAvx512;
inline const ConvKernelSet &ConvKernelsFor(uint64_t features) { return HasAvx512(features) ? kConvAvx512 : kConvAvx2; }

}  // namespace onednn
