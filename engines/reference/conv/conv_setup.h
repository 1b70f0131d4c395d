// Geometry of a convolution, read from the node and checked.
#pragma once

#include "common/activation.h"
#include "conv/image.h"

namespace reference {

struct ConvSetup {
  Image x, filter, y;  // filter: n output channels, c input channels of a group, h, w
  Window window;
  int64_t groups = 1;
  int x_port = 0, filter_port = 1, bias_port = -1, residual_port = -1;
  Activation activation;
};

// Conv2D, Conv2DV2, FusedConv2D, QuantizedConv2D, Conv3D, Conv3DV2 and FusedConv3D.
ConvSetup ReadConv(const Node &node);
void CheckConv(const Node &node);

// The filter by its desc's format: O I (D) H W unless it says (D)HWCN or N(D)HWC (output channels, space, input
// channels).
Image FilterOf(const Node &node, int port, int rank);

}  // namespace reference
