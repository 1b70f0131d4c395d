// Conv2D, Conv2DV2 and FusedConv2D, and what FusedConvPool2D has in common with them.
#pragma once

#include "activation.h"
#include "float_types.h"
#include "support.h"

namespace onednn {

/// Windows side by side of what a convolution makes, of which only the pooled one is kept (FusedConvPool2D).
struct ConvWindow {
  int64_t h = 1, w = 1;
  bool max = true;  // or the average
  bool pools = false;
};

struct ConvSpec {
  int64_t batch, in_c, in_h, in_w, out_c, out_h, out_w, kernel_h, kernel_w, groups;
  int64_t stride_h, stride_w, dilation_h, dilation_w;
  int64_t pad_top, pad_bottom, pad_left, pad_right;
  // Of a transposed convolution by Winograd's algorithm: the steps between pixels of y that read the same ones of x.
  int64_t apart_h = 1, apart_w = 1;
  bool nhwc, hwcn;
  FloatTypes types;
  Activation activation;
  int bias = -1, residual = -1;  // ports, or -1
  ConvWindow window;             // out_h and out_w are then what whole windows cover

  bool depthwise() const { return groups == in_c && groups == out_c && groups > 1; }
  /// Of x and of y; throws what Refuse throws where those of y do not follow from the others.
  void SetExtents(int64_t x_batch, int64_t x_h, int64_t x_w, int64_t y_batch, int64_t y_h, int64_t y_w);
  double flops() const { return 2.0 * batch * out_c * out_h * out_w * (in_c / groups) * kernel_h * kernel_w; }
};

/// What data_format of a convolution of images means where it is not said.
bool ChannelsFirstByDefault(const Node &node);
/// Reads the node: all that does not rest on extents, and unless the kernel is `open` those. Refuses what no kernel
/// does.
ConvSpec ReadConv(const Node &node, bool open = false);
void CheckConv(const Node &node);
std::unique_ptr<Kernel> CreateConv(const Context &context);
// One for images of all sizes.
std::unique_ptr<Kernel> CreateOpenConv(const Context &context);
// By oneDNN.
std::unique_ptr<Kernel> CreateLibraryConv(const Context &context, const ConvSpec &spec);
// By the own kernels; null where they do not serve (conv_direct.cpp). `open`: the run tells batch, height and width.
std::unique_ptr<Kernel> CreateDirectConv(const Context &context, const ConvSpec &spec, bool open = false);

}  // namespace onednn
