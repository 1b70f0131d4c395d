// A pooling of images in numbers.
#pragma once

#include "support.h"

namespace onednn {

struct PoolSpec {
  bool max = true, nhwc = false, global = false, ceil = false, exclusive = true;
  bool same = false;  // the pads follow from the extents
  bool bf16 = false;  // x and y
  int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  int64_t batch = 0, channels = 0, in_h = 0, in_w = 0, out_h = 0, out_w = 0;

  // Batch, channels, height and width of x and of y: with them the pads become those that make oneDNN's rule (round
  // down) give y's extents.
  void SetExtents(const Dims &x, const Dims &y);
};

/// The attributes; refuses what no kernel does.
PoolSpec ReadPool(const Node &node);
/// The extents of a node whose shapes are known.
void ReadExtents(const Node &node, PoolSpec *spec);

}  // namespace onednn
