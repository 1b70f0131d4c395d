// The common part of own convolutions between tensors in channel blocks: bias, residual and activation at the end.
#pragma once

#include <algorithm>
#include <limits>

#include "conv.h"
#include "conv_kernels.h"

namespace onednn {

/// A 1 x 1 convolution of all pixels.
inline bool IsPointwise(const ConvSpec &s) {
  return s.groups == 1 && s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1 &&
         s.pad_top + s.pad_bottom + s.pad_left + s.pad_right == 0;
}
/// Stands for images of all sizes where a kernel is chosen.
inline ConvSpec OfMiddleSize(ConvSpec s) {
  s.batch = 1, s.in_h = s.in_w = s.out_h = s.out_w = 28;
  return s;
}

inline bool Clips(const Activation &a) { return a.kind == Act::kNone || a.kind == Act::kRelu || a.kind == Act::kClip; }

// Output blocks of a 1 x 1 convolution are computed in pairs, the last three of an odd number together: one alone would
// leave half of the multiplications' latency unused.
inline int64_t PointwiseGroups(int64_t blocks) { return std::max<int64_t>(1, blocks / 2); }
inline int PointwiseBlocksAt(int64_t block, int64_t blocks) { return blocks - block <= 3 ? int(blocks - block) : 2; }

// Constants of a node as the kernels read them, in blocks of c channels, zeros beyond the last channel. Filters: blocks
// of output channels, in each a row of them for every input channel or position; a filter in format HWCN or OIHW.
const float *PackedPointwise(const Context &context, size_t port, int64_t c, int64_t out_c, int64_t in_c);
const float *PackedDepthwise(const Context &context, size_t port, int64_t c, int64_t channels, int64_t taps);
const float *PackedBias(const Context &context, size_t port, int64_t c, int64_t count);  // may be the constant itself

// A depthwise convolution but for the rows of it that are asked for.
inline DepthwiseRows DepthwiseOf(const ConvSpec &s, int64_t channels) {
  DepthwiseRows d{};
  d.row = s.in_w * channels, d.ring = s.in_h;
  d.in_h = s.in_h, d.in_w = s.in_w, d.out_w = s.out_w;
  d.kernel_h = s.kernel_h, d.kernel_w = s.kernel_w;
  d.stride_h = s.stride_h, d.stride_w = s.stride_w;
  d.dilation_h = s.dilation_h, d.dilation_w = s.dilation_w;
  d.pad_top = s.pad_top, d.pad_left = s.pad_left;
  return d;
}

class DirectConv : public Kernel {
 protected:
  DirectConv(const Context &context, const ConvSpec &spec, bool open)
      : s_(spec), open_(open), set_(ConvKernelsFor(context.features)), kernels_(KernelsFor(context.features)) {
    c_ = set_.channels;
    in_blocks_ = (s_.in_c + c_ - 1) / c_;
    out_blocks_ = (s_.out_c + c_ - 1) / c_;
    flops = open ? 0 : s_.flops();
    if (s_.activation.kind == Act::kRelu) low_ = 0;
    if (s_.activation.kind == Act::kClip) low_ = s_.activation.alpha, high_ = s_.activation.beta;
    if (s_.bias >= 0) {
      bias_ = PackedBias(context, size_t(s_.bias), c_, s_.out_c);
      // Another kernel that was tried may have packed it with more channels.
      if (bias_ == context.node.in(s_.bias).address() && s_.out_c % 16 != 0) reads_originals = true;
    }
    if (s_.residual >= 0) aliases = {{GE_ALIAS_IN_PLACE, s_.residual, 0, 0, 0}};
  }

  // With the extents of a run: N, C1, H, W, C0 or N, C, H, W.
  ConvSpec SpecOf(const int64_t *x, const int64_t *y) const {
    ConvSpec s = s_;
    s.SetExtents(x[0], x[2], x[3], y[0], y[2], y[3]);
    return s;
  }

  // Of a block whose first value is element `at` of y.
  ConvFinish FinishOf(const GeKernelArgs &args, int64_t block, int64_t at) const {
    const float *residual = s_.residual < 0 ? nullptr : static_cast<const float *>(args.inputs[s_.residual]) + at;
    return {bias_ ? bias_ + block * c_ : nullptr, residual, low_, high_};
  }
  void Activate(float *y, int64_t count) const {
    if (!Clips(s_.activation)) kernels_.activate(count, y, s_.activation);
  }

  const ConvSpec s_;
  const bool open_;
  const ConvKernelSet &set_;
  const KernelSet &kernels_;
  int64_t c_, in_blocks_, out_blocks_;
  const float *bias_ = nullptr;
  float low_ = -std::numeric_limits<float>::infinity(), high_ = std::numeric_limits<float>::infinity();
};

}  // namespace onednn
