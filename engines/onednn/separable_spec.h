// A FusedSeparableConv2D in numbers, and how its tiles are cut.
#pragma once

#include "activation.h"
#include "support.h"

namespace onednn {

/// Inputs of the operator.
enum SeparablePort : size_t {
  kSepX,
  kSepDepthwise,
  kSepProject,
  kSepExpand,
  kSepExpandBias,
  kSepDepthwiseBias,
  kSepProjectBias,
  kSepResidual,
  kSepSqueeze,
  kSepSqueezeBias,
  kSepExcite,
  kSepExciteBias
};

struct SeparableSpec {
  int64_t batch, in_c, in_h, in_w;  // of x
  int64_t channels;                 // of the depthwise convolution
  int64_t squeezed;                 // channels of the squeeze; 0: there is none
  int64_t out_c, out_h, out_w;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_bottom, pad_left, pad_right;
  bool expands, residual;
  Activation expand_activation, depthwise_activation, squeeze_activation, excite_activation, activation;
  int64_t c;  // channels of a block

  /// Of a run: N, C1, H, W, C0 of x and of y. Throws what Refuse throws where those of y do not follow from the others.
  void SetExtents(const int64_t *x, const int64_t *y);
  int64_t blocks() const { return (channels + c - 1) / c; }
  int64_t out_blocks() const { return (out_c + c - 1) / c; }
  double expand_flops() const { return expands ? 2.0 * double(batch * in_c * channels) * double(in_h * in_w) : 0; }
  double other_flops() const {
    return 2.0 * double(batch * channels) *
           (double(out_h * out_w) * double(kernel_h * kernel_w + out_c) + 2.0 * double(squeezed));
  }
};

/// Throws what Refuse throws for all that the kernel does not serve. Of open extents batch, height and width are left
/// out.
SeparableSpec ReadSeparable(const Node &node);

/// How the work is cut. Whole: of each image first all that the depthwise convolution makes, some blocks of channels at
/// a time, then the projection. Otherwise bands of output rows, in each some rows at a time; the expanded rows that the
/// next ones read, too, stay in a ring. With a squeeze the projection waits for all that the depthwise convolution
/// makes of an image, which is kept, either way.
struct SeparableTiles {
  bool whole;
  int64_t rows;   // of output at a time
  int64_t ring;   // rows of expanded channels that are kept
  int64_t bands;  // of an image
  int64_t bytes;  // that one worker keeps: rows of expanded channels, and what the depthwise convolution makes of them,
                  // if the image does not keep it
};
SeparableTiles CutSeparable(const SeparableSpec &spec, int64_t threads);

}  // namespace onednn
