// Convolutions of images and volumes, transposed ones as well, as sums over filter positions ("taps").
#pragma once

#include "activation.h"
#include "support.h"

namespace onednn {

struct TapsAxis {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, before = 0;
  int64_t after = 0;  // padding; of a transposed convolution y's extent says what is cut off behind
};

// Outputs first, first + every, … along an axis: output q reads inputs offset + q * advance + t * step with the filter
// positions tap + t * tap_step. An ordinary convolution has one phase, a transposed one as many as its stride.
struct TapsPhase {
  int64_t first, every, count;
  int64_t taps, tap, tap_step;
  int64_t offset, advance, step;
};

struct TapsSpec {
  bool transposed = false, channels_last = false, blocked_x = false, blocked_y = false;
  int rank = 4;
  int x_port = 0, filter_port = 1, bias_port = -1, residual_port = -1;
  int64_t batch = 1, in_c = 1, out_c = 1, groups = 1;
  int64_t merged = 1;  // groups of the filter that are one of `groups`, with zeros between them
  TapsAxis axis[3];    // depth, height, width
  int64_t filter_in = 0, filter_out = 0, filter_tap[3] = {};  // steps in the filter as it is given
  Activation activation;

  int64_t in_group() const { return in_c / groups; }
  int64_t out_group() const { return out_c / groups; }
  int64_t taps() const { return axis[0].kernel * axis[1].kernel * axis[2].kernel; }
  bool depthwise() const { return groups > 1 && in_c == groups && out_c == groups; }
  /// Lets groups of an ordinary convolution that are narrower than a block of `c` channels share blocks.
  void MergeGroups(int64_t c);
  int64_t phases(int a) const { return transposed ? axis[a].stride : 1; }
  TapsPhase PhaseOf(int a, int64_t phase) const;
  double flops() const;
  /// The extents of x and y as the node has them: of blocked tensors N, C1, H, W, C0. Refuses what does not fit
  /// together.
  void SetExtents(const int64_t *x, const int64_t *y);

 private:
  void MergeAxes();
};

/// Of Conv2D, Conv2DV2, FusedConv2D, Conv3D, Conv3DV2, FusedConv3D, Conv2DTranspose, Conv3DTranspose, Conv3DTransposeV2
/// and FusedConvTranspose: all that does not rest on extents; refuses what the kernels do not do.
TapsSpec ReadTapsSpec(const Node &node);
/// Channels, which have to be known, and the steps of the filter.
void ReadTapsChannels(const Node &node, TapsSpec *spec);

}  // namespace onednn
