// Resizing by ONNX's rules over any axes, and TensorFlow's two image resizers as special cases.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "common/copy.h"
#include "image/taps.h"
#include "registry.h"

namespace reference {
namespace {

struct ResizeSetup {
  std::string label;
  AxisRule rule;
  Dims x, y;
  int roi_port = -1, scales_port = -1;
  Dims axes;  // what scales and roi (starts, then ends) speak of
  LoadFn<double> load_roi = nullptr, load_scales = nullptr;
  double scales[Dims::kCapacity] = {};  // when no input gives them
  double extrapolation = 0;
  size_t element = 0;
  int32_t out_type = 0;

  int64_t tap_count() const {
    int64_t n = 0;
    for (int i = 0; i < y.n; ++i) n += y[i] * rule.taps(x[i], y[i]);
    return n;
  }
};

// taps[axis] points to the table of that axis.
void BuildTaps(const Call &call, const ResizeSetup &s, Tap *memory, const Tap **taps) {
  double scales[Dims::kCapacity], roi[2 * Dims::kCapacity];
  std::copy(s.scales, s.scales + s.x.n, scales);
  for (int i = 0; i < s.x.n; ++i) {
    roi[i] = 0;
    roi[s.x.n + i] = 1;
  }
  for (int i = 0; i < s.axes.n; ++i) {
    const int64_t axis = s.axes[i];
    if (s.scales_port >= 0) s.load_scales(call.in(size_t(s.scales_port)), i, 1, 1, &scales[axis]);
    if (s.roi_port < 0) continue;
    s.load_roi(call.in(size_t(s.roi_port)), i, 1, 1, &roi[axis]);
    s.load_roi(call.in(size_t(s.roi_port)), s.axes.n + i, 1, 1, &roi[s.x.n + axis]);
  }
  for (int i = 0; i < s.x.n; ++i) {
    taps[i] = memory;
    FillTaps(s.rule, s.x[i], s.y[i], scales[i], roi[i], roi[s.x.n + i], memory);
    memory += s.y[i] * s.rule.taps(s.x[i], s.y[i]);
  }
}

// Nearest without extrapolation moves elements of any type.
void RunNearest(const Call &call, const ResizeSetup &s) {
  const Tap *taps[Dims::kCapacity];
  BuildTaps(call, s, call.workspace<Tap>(), taps);
  const int last = s.y.n - 1;
  const int64_t inner = s.y[last], rows = s.y.count(0, last);
  const Dims strides = RowMajorStrides(s.x);
  call.Parallel(rows, std::max<int64_t>(1, 8192 / inner), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t from = 0, rest = row;
      for (int i = last - 1; i >= 0; --i) {
        from += taps[i][rest % s.y[i]].index * strides[i];
        rest /= s.y[i];
      }
      for (int64_t j = 0; j < inner; ++j)
        memcpy(Shift(call.out(0), row * inner + j, s.element), Shift(call.in(0), from + taps[last][j].index, s.element),
               s.element);
    }
  });
}

// The sum over all combinations of the axes' taps, one output row at a time.
template <class C>
C Whole(double value, IntRange range) {
  if (!(value > double(range.lowest))) return C(range.lowest);
  return value >= double(range.highest) ? C(range.highest) : C(value);
}

template <class C>
void RunWeighted(const Call &call, const ResizeSetup &s, LoadFn<C> load, StoreFn<C> store, bool native) {
  const Tap *taps[Dims::kCapacity];
  BuildTaps(call, s, call.workspace<Tap>(), taps);
  const IntRange range = RangeOf(s.out_type);
  const C *x = call.in<C>(0);
  if (!native) {
    C *dense = call.workspace<C>(uint64_t(s.tap_count()) * sizeof(Tap));
    call.Parallel(s.x.count(), 1 << 14,
                  [&](int64_t begin, int64_t end) { load(call.in(0), begin, 1, end - begin, dense + begin); });
    x = dense;
  }
  const int last = s.y.n - 1, count = s.rule.taps(s.x[last], s.y[last]);
  const int64_t inner = s.y[last], rows = s.y.count(0, last);
  const Dims strides = RowMajorStrides(s.x);
  // Axes that keep their extent with one full tap need no loop.
  Dims choices, counts;
  for (int i = 0; i < last; ++i) {
    bool same = s.x[i] == s.y[i];
    counts.push(s.rule.taps(s.x[i], s.y[i]));
    for (int64_t p = 0; same && p < s.y[i]; ++p)
      same = taps[i][p * counts[i]].index == p && taps[i][p * counts[i]].weight == 1.0;
    choices.push(same ? 1 : counts[i]);
  }
  call.Parallel(rows, std::max<int64_t>(1, 2048 / inner), [&](int64_t begin, int64_t end) {
    constexpr int64_t kTile = 256;
    double acc[kTile];
    C out[kTile];
    for (int64_t row = begin; row < end; ++row) {
      int64_t position[Dims::kCapacity], rest = row;
      for (int i = last - 1; i >= 0; --i) {
        position[i] = rest % s.y[i];
        rest /= s.y[i];
      }
      for (int64_t first = 0; first < inner; first += kTile) {
        const int64_t n = std::min(kTile, inner - first);
        std::fill(acc, acc + n, 0.0);
        int64_t choice[Dims::kCapacity] = {};
        do {
          double weight = 1;
          int64_t base = 0;
          bool outside = false;
          for (int i = 0; i < last; ++i) {
            const Tap &tap = taps[i][position[i] * counts[i] + choice[i]];
            weight *= tap.weight;
            base += tap.index * strides[i];
            outside |= tap.index < 0;
          }
          if (weight == 0) continue;
          const Tap *tap = taps[last] + first * count;
          for (int64_t j = 0; j < n; ++j) {
            double value = 0;
            for (int t = 0; t < count; ++t, ++tap) {
              if (tap->weight == 0) continue;
              value += tap->weight * (outside || tap->index < 0 ? s.extrapolation : double(x[base + tap->index]));
            }
            acc[j] += weight * value;
          }
        } while (Next(choices, choice));
        // Cubic weights overshoot: integers stop at the ends of their type.
        for (int64_t j = 0; j < n; ++j)
          out[j] = std::is_integral_v<C> ? Whole<C>(std::nearbyint(acc[j]), range) : C(acc[j]);
        store(out, n, call.out(0), row * inner + first, 1);
      }
    }
  });
}

template <class C>
void UseWeighted(const Node &node, const ResizeSetup &s, Kernel *kernel) {
  LoadFn<C> load = Loader<C>(node.in_type(0));
  StoreFn<C> store = Storer<C>(node.out_type(0));
  const bool native = IsNative<C>(node.in_type(0));
  if (!native) kernel->workspace += uint64_t(s.x.count()) * sizeof(C);
  kernel->run = [=](const Call &call) { RunWeighted<C>(call, s, load, store, native); };
}

Kernel Finish(const Node &node, const ResizeSetup &s) {
  Kernel kernel;
  kernel.workspace = uint64_t(s.tap_count()) * sizeof(Tap);
  if (s.x.n != s.y.n || s.x.n == 0)
    Fail(GE_PARAM_INVALID, "%s: x has rank %d, output %d", s.label.c_str(), s.x.n, s.y.n);
  if (s.y.count() == 0) {
    kernel.run = [](const Call &) {};
    return kernel;
  }
  if (s.x.count() == 0) Fail(GE_PARAM_INVALID, "%s: x is empty", s.label.c_str());
  const bool moves = s.rule.mode == AxisRule::kNearest && s.rule.coordinates != AxisRule::kTfCropAndResize;
  if (moves && node.in_type(0) == node.out_type(0)) {
    kernel.run = [s](const Call &call) { RunNearest(call, s); };
  } else if (node.in_type(0) == C_DT_FLOAT || (kFloat16s & TypeBit(node.in_type(0)))) {
    UseWeighted<float>(node, s, &kernel);
  } else if (kFloats & TypeBit(node.out_type(0))) {
    UseWeighted<double>(node, s, &kernel);
  } else {
    UseWeighted<int64_t>(node, s, &kernel);
  }
  return kernel;
}

ResizeSetup Start(const Node &node) {
  ResizeSetup s;
  s.label = node.label();
  s.x = node.in_dims(0);
  s.y = node.out_dims(0);
  s.element = ElementSize(node.in_type(0));
  s.out_type = node.out_type(0);
  s.extrapolation = node.Float("extrapolation_value", 0);
  if (s.x.n != s.y.n) Fail(GE_PARAM_INVALID, "%s: x has rank %d, output %d", s.label.c_str(), s.x.n, s.y.n);
  for (int i = 0; i < s.x.n; ++i) s.scales[i] = s.x[i] ? double(s.y[i]) / double(s.x[i]) : 1.0;
  return s;
}

// Inputs x, roi, scales, sizes. The output's shape already follows from scales or sizes.
Kernel CreateResize(const Node &node, const OpEntry &) {
  ResizeSetup s = Start(node);
  s.rule = ReadAxisRule(node);
  for (int64_t axis : node.Ints("axes")) s.axes.push(NormalAxis(node, axis, s.x.n));
  if (s.axes.n == 0)
    for (int i = 0; i < s.x.n; ++i) s.axes.push(i);
  if (node.has(1) && node.in_count(1) > 0) {
    if (node.in_count(1) != 2 * s.axes.n)
      Fail(GE_PARAM_INVALID, "%s: roi has %lld values, expected %d", s.label.c_str(), (long long)node.in_count(1),
           2 * s.axes.n);
    s.roi_port = 1;
    s.load_roi = Loader<double>(node.in_type(1));
  }
  if (node.has(2) && node.in_count(2) > 0) {
    if (node.in_count(2) != s.axes.n)
      Fail(GE_PARAM_INVALID, "%s: scales have %lld values, expected %d", s.label.c_str(), (long long)node.in_count(2),
           s.axes.n);
    s.scales_port = 2;
    s.load_scales = Loader<double>(node.in_type(2));
    s.rule.own_scales = node.has(3) && node.in_count(3) > 0;
  }
  return Finish(node, s);
}

// ResizeD: the same from attributes, for the two image axes.
Kernel CreateResizeD(const Node &node, const OpEntry &) {
  ResizeSetup s = Start(node);
  s.rule = ReadAxisRule(node);
  std::vector<float> scales = node.Floats("scales");
  const int first = node.String("data_format", "NCHW") == "NHWC" ? 1 : 2;
  if (int(scales.size()) == s.x.n) std::copy(scales.begin(), scales.end(), s.scales);
  else if (scales.size() == 2 && s.x.n == 4) std::copy(scales.begin(), scales.end(), s.scales + first);
  return Finish(node, s);
}

// ResizeNearestNeighborV2 and ResizeBilinearV2.
Kernel CreateTfResize(const Node &node, const OpEntry &) {
  ResizeSetup s = Start(node);
  const bool nearest = std::string_view(node.type()) == "ResizeNearestNeighborV2";
  const bool align = node.Bool("align_corners", false), half = node.Bool("half_pixel_centers", false);
  if (s.x.n != 4) Fail(GE_PARAM_INVALID, "%s: x has rank %d, expected 4", s.label.c_str(), s.x.n);
  s.rule.mode = nearest ? AxisRule::kNearest : AxisRule::kLinear;
  s.rule.rounding = align ? AxisRule::kPreferCeil : AxisRule::kFloor;
  s.rule.coordinates = align  ? AxisRule::kAlignCorners
                       : half ? (nearest ? AxisRule::kTfHalfPixelForNn : AxisRule::kHalfPixel)
                              : AxisRule::kAsymmetric;
  std::vector<float> scales = node.Floats("scales");
  const char *format = node.in(0).format == C_FORMAT_NHWC ? "NHWC" : "NCHW";
  const int first = node.String("data_format", format) == "NHWC" ? 1 : 2;
  for (size_t i = 0; i < 2 && scales.size() == 2; ++i)
    if (scales[i] > 0) s.scales[first + int(i)] = scales[i];
  return Finish(node, s);
}

void CheckResize(const Node &node) { ReadAxisRule(node); }

const OpEntry kResize[] = {
    {"Resize", kReal, &CreateResize, &CheckResize},
    {"ResizeD", kReal, &CreateResizeD, &CheckResize},
    {"ResizeNearestNeighborV2", kReal, &CreateTfResize},
    {"ResizeBilinearV2", kReal, &CreateTfResize},
};

}  // namespace

OpTable ResizeOps() { return TableOf(kResize); }

}  // namespace reference
