// Resizing along one axis: for every output position, which input positions count and how much.
#pragma once

#include <string>

#include "common/node.h"

namespace reference {

struct Tap {
  int64_t index;  // -1: outside, takes the extrapolation value
  double weight;
};

struct AxisRule {
  enum Mode { kNearest, kLinear, kCubic };
  enum Coordinates {
    kHalfPixel,
    kHalfPixelSymmetric,
    kPytorchHalfPixel,
    kAlignCorners,
    kAsymmetric,
    kTfHalfPixelForNn,
    kTfCropAndResize
  };
  enum Rounding { kPreferFloor, kPreferCeil, kFloor, kCeil };
  Mode mode = kNearest;
  Coordinates coordinates = kHalfPixel;
  Rounding rounding = kPreferFloor;
  double cubic_a = -0.75;
  bool exclude_outside = false;
  bool antialias = false;  // shrinking stretches the window so that every input counts

  bool own_scales = false;  // scales are given beside sizes: `out` may be in * scale rounded up

  // True when the window of an axis that goes from `in` to `out` positions may be stretched.
  bool stretches(int64_t in, int64_t out) const { return antialias && (out < in || (own_scales && out == in)); }
  // Taps of one of its output positions.
  int taps(int64_t in, int64_t out) const;
};

// Names as ONNX writes them; fails when one is unknown.
AxisRule ReadAxisRule(const Node &node);

// Taps of output positions 0 … out-1, rule.taps(in, out) each. start and end are the region of interest for
// crop-and-resize.
void FillTaps(const AxisRule &rule, int64_t in, int64_t out, double scale, double start, double end, Tap *taps);

}  // namespace reference
