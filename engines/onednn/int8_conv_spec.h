// Geometry of QuantizedConv2D in NHWC, read from the node and checked.
#pragma once

#include "conv.h"
#include "quantized.h"

namespace onednn {

struct Int8ConvSpec {
  ConvSpec conv{};
  QuantizedSpec quantized;
  int64_t filter_o = 0, filter_i = 0, filter_h = 0, filter_w = 0;  // strides of the filter, in elements

  int64_t in_group() const { return conv.in_c / conv.groups; }
  int64_t out_group() const { return conv.out_c / conv.groups; }
};

// Shapes are read where all are known.
Int8ConvSpec ReadInt8Conv(const Node &node);
// Of images of all sizes: batch, height and width are those of no image.
Int8ConvSpec ReadOpenInt8Conv(const Node &node);

}  // namespace onednn
