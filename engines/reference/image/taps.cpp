#include "image/taps.h"

#include <algorithm>
#include <cmath>

namespace reference {
namespace {

// In float32, as exporters expect: 1.5 / 0.6 must give 2.5 although 0.6 has no exact representation.
double Source(const AxisRule &rule, int64_t position, int64_t in_extent, int64_t out, double scale_factor, double start,
              double end) {
  const float x = float(position), scale = float(scale_factor), in = float(in_extent), from = float(start),
              to = float(end);
  switch (rule.coordinates) {
    case AxisRule::kHalfPixel:
      return (x + 0.5f) / scale - 0.5f;
    case AxisRule::kHalfPixelSymmetric: {
      const float adjustment = float(out) / (scale * in);
      return in / 2 * (1 - adjustment) + (x + 0.5f) / scale - 0.5f;
    }
    case AxisRule::kPytorchHalfPixel:
      return out > 1 ? (x + 0.5f) / scale - 0.5f : 0.0f;
    case AxisRule::kAlignCorners:
      return out == 1 ? 0.0f : x * (in - 1) / float(out - 1);
    case AxisRule::kAsymmetric:
      return x / scale;
    case AxisRule::kTfHalfPixelForNn:
      return (x + 0.5f) / scale;
    case AxisRule::kTfCropAndResize:
      return out > 1 ? from * (in - 1) + x * (to - from) * (in - 1) / float(out - 1) : 0.5f * (from + to) * (in - 1);
  }
  return 0;
}

// Positions are computed in float32: what should lie half-way between two elements may miss it by a rounding (1 / (2 /
// 7) is 3.4999998), and the rule for ties must still decide. Where the scale is a ratio of extents, positions are
// multiples of 1 / (2 * extent), so that no other one comes that near.
constexpr double kTie = 1e-6;

int64_t Nearest(AxisRule::Rounding rounding, double x) {
  switch (rounding) {
    case AxisRule::kPreferFloor:
      return int64_t(std::ceil(x - 0.5 - kTie));
    case AxisRule::kPreferCeil:
      return int64_t(std::floor(x + 0.5 + kTie));
    case AxisRule::kFloor:
      return int64_t(std::floor(x));
    default:
      return int64_t(std::ceil(x));
  }
}

void CubicWeights(double a, double s, double *w) {
  auto near = [a](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  auto far = [a](double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  w[0] = far(1 + s);
  w[1] = near(s);
  w[2] = near(1 - s);
  w[3] = far(2 - s);
}

// Distance at which a linear or cubic window ends, in input positions.
double Support(const AxisRule &rule) { return rule.mode == AxisRule::kCubic ? 2 : 1; }

double Weight(const AxisRule &rule, double distance) {
  const double t = std::abs(distance), a = rule.cubic_a;
  if (rule.mode == AxisRule::kLinear) return std::max(1 - t, 0.0);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

// The window stretched by 1 / scale; its weights add up to 1.
void StretchedTaps(const AxisRule &rule, double from, double scale, int64_t in, int count, Tap *taps) {
  const int64_t first = int64_t(std::floor(from)) - count / 2 + 1;
  double sum = 0;
  for (int t = 0; t < count; ++t) {
    const int64_t i = first + t;
    double w = Weight(rule, (double(i) - from) * scale);
    if (rule.exclude_outside && (i < 0 || i >= in)) w = 0;
    sum += w;
    taps[t] = {std::clamp<int64_t>(i, 0, in - 1), w};
  }
  for (int t = 0; t < count; ++t) taps[t].weight /= sum;
}

}  // namespace

int AxisRule::taps(int64_t in, int64_t out) const {
  if (mode == kNearest) return 1;
  if (!stretches(in, out) || out == 0) return mode == kLinear ? 2 : 4;
  // The scale is at least this: the window reaches no further.
  const double scale = (double(out) - (own_scales ? 0.5 : 0)) / double(in);
  return 2 * int(std::ceil(Support(*this) / scale) + 1);
}

void FillTaps(const AxisRule &rule, int64_t in, int64_t out, double scale, double start, double end, Tap *taps) {
  const bool crop = rule.coordinates == AxisRule::kTfCropAndResize;
  const int count = rule.taps(in, out);
  auto clamp = [in](int64_t i) { return std::clamp<int64_t>(i, 0, in - 1); };
  for (int64_t x = 0; x < out; ++x, taps += count) {
    const double from = Source(rule, x, in, out, scale, start, end);
    if (crop && (from < 0 || from > double(in - 1))) {
      for (int t = 0; t < count; ++t) taps[t] = {-1, t == 0 ? 1.0 : 0.0};
      continue;
    }
    if (rule.mode == AxisRule::kNearest) {
      taps[0] = {clamp(Nearest(rule.rounding, from)), 1.0};
      continue;
    }
    if (rule.stretches(in, out)) {
      StretchedTaps(rule, from, std::min(scale, 1.0), in, count, taps);
      continue;
    }
    const int64_t floor = int64_t(std::floor(from));
    const double s = from - double(floor);
    if (rule.mode == AxisRule::kLinear) {
      taps[0] = {clamp(floor), 1 - s};
      taps[1] = {clamp(floor + 1), s};
      continue;
    }
    double w[4], sum = 0;
    CubicWeights(rule.cubic_a, s, w);
    for (int t = 0; t < 4; ++t) {
      const int64_t i = floor - 1 + t;
      if (rule.exclude_outside && (i < 0 || i >= in)) w[t] = 0;
      sum += w[t];
      taps[t].index = clamp(i);
    }
    for (int t = 0; t < 4; ++t) taps[t].weight = rule.exclude_outside ? w[t] / sum : w[t];
  }
}

AxisRule ReadAxisRule(const Node &node) {
  auto find = [&](const char *attr, const char *fallback, std::initializer_list<const char *> names) {
    std::string value = node.String(attr, fallback);
    int i = 0;
    for (const char *name : names) {
      if (value == name) return i;
      ++i;
    }
    Fail(GE_UNSUPPORTED, "%s: %s '%s' is unknown", node.label().c_str(), attr, value.c_str());
  };
  AxisRule rule;
  rule.mode = AxisRule::Mode(find("mode", "nearest", {"nearest", "linear", "cubic"}));
  rule.coordinates =
      AxisRule::Coordinates(find("coordinate_transformation_mode", "half_pixel",
                                 {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                  "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}));
  rule.rounding = AxisRule::Rounding(
      find("nearest_mode", "round_prefer_floor", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
  rule.cubic_a = node.Float("cubic_coeff_a", -0.75);
  rule.exclude_outside = node.Int("exclude_outside", 0) != 0;
  rule.antialias = node.Int("antialias", 0) != 0;
  return rule;
}

}  // namespace reference
