// Pooling: maximum and average over windows, over everything, and over adaptive bins.
#include <algorithm>
#include <limits>
#include <string_view>

#include "conv/image.h"
#include "elementwise/scalar_math.h"
#include "registry.h"

namespace reference {
namespace {

struct PoolSetup {
  Image x, y;
  Window window;
  bool average = false;
  bool exclusive =
      true;             // average over elements inside the image only; else windows reach into the padding, no further
  int64_t divisor = 0;  // 0: the number of elements
  int64_t plane = 0;    // argmax counts within each channel (0), over the elements of each image in the order of
                        // memory (1), or over all images (2)
};

// Positions from `begin` below `end`, `step` apart, that a window covers along one dimension.
struct Range {
  int64_t begin, end, step;
  int64_t count() const { return end > begin ? (end - begin + step - 1) / step : 0; }
};
Range Inside(int64_t start, int64_t kernel, int64_t dilation, int64_t extent) {
  return {start < 0 ? start + CeilDiv(-start, dilation) * dilation : start,
          std::min(start + (kernel - 1) * dilation + 1, extent), dilation};
}
// Positions a window covers up to the end of the padding.
int64_t Padded(int64_t start, int64_t kernel, int64_t dilation, int64_t end) {
  return CeilDiv(std::min(start + (kernel - 1) * dilation + 1, end) - start, dilation);
}

// The result of one window of the channel at `base`; of a maximum also where it is (offset in x, -1: nowhere). A NaN in
// the window is its maximum, the first one if there are several. The maximum of a window that sees padding only is the
// lowest finite number, as in oneDNN and ONNX Runtime; ONNX does not say.
template <class C>
C PoolWindow(const Call &call, const PoolSetup &s, LoadFn<C> load, int64_t base, Range d, Range h, Range w,
             int64_t *where) {
  constexpr int64_t kRun = 64;
  C values[kRun];
  C result = s.average ? C(0) : std::numeric_limits<C>::lowest();
  *where = -1;
  for (int64_t z = d.begin; z < d.end; z += d.step) {
    for (int64_t row = h.begin; row < h.end; row += h.step) {
      const int64_t count = w.count(), first = base + z * s.x.sd + row * s.x.sh + w.begin * s.x.sw;
      for (int64_t done = 0; done < count; done += kRun) {
        const int64_t n = std::min(kRun, count - done), step = w.step * s.x.sw;
        load(call.in(0), first + done * step, step, n, values);
        for (int64_t i = 0; i < n; ++i) {
          if (s.average) {
            result += values[i];
          } else if (*where < 0 || values[i] > result || (values[i] != values[i] && result == result)) {
            result = values[i];
            *where = first + (done + i) * step;
          }
        }
      }
    }
  }
  return result;
}

// The value of argmax for an offset in x.
int64_t Position(const PoolSetup &s, int64_t where, int64_t n, int64_t c) {
  if (s.plane == 2) return where;
  if (s.plane == 1) return where - n * s.x.sn;
  const int64_t at = where - n * s.x.sn - c * s.x.sc, deep = s.x.d > 1 ? at / s.x.sd : 0, flat = at - deep * s.x.sd;
  return (deep * s.x.h + flat / s.x.sh) * s.x.w + flat % s.x.sh / s.x.sw;
}

template <class C>
Kernel CreatePool(const Node &node, const PoolSetup &s) {
  LoadFn<C> load = Loader<C>(node.in_type(0));
  StoreFn<C> store = Storer<C>(node.out_type(0));
  const bool argmax = !s.average && node.has_out(1);
  StoreFn<int64_t> store_where = argmax ? Storer<int64_t>(node.out_type(1)) : nullptr;
  Kernel kernel;
  kernel.flops = double(s.y.count()) * double(s.window.kd * s.window.kh * s.window.kw);
  kernel.run = [=](const Call &call) {
    const Window &win = s.window;
    int64_t grain = std::max<int64_t>(1, (1 << 13) / (s.y.w * win.kd * win.kh * win.kw + 1));
    call.Parallel(s.y.n * s.y.c * s.y.d * s.y.h, grain, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t oh = t % s.y.h, od = t / s.y.h % s.y.d, c = t / s.y.h / s.y.d % s.y.c,
                      n = t / s.y.h / s.y.d / s.y.c;
        const int64_t front = od * win.sd - win.front, top = oh * win.sh - win.top;
        const Range d = Inside(front, win.kd, win.dd, s.x.d), h = Inside(top, win.kh, win.dh, s.x.h);
        for (int64_t ow = 0; ow < s.y.w; ++ow) {
          const int64_t left = ow * win.sw - win.left;
          const Range w = Inside(left, win.kw, win.dw, s.x.w);
          int64_t where;
          C value = PoolWindow<C>(call, s, load, n * s.x.sn + c * s.x.sc, d, h, w, &where);
          if (s.average) {
            int64_t count = s.exclusive ? d.count() * h.count() * w.count()
                                        : Padded(front, win.kd, win.dd, s.x.d + win.back) *
                                              Padded(top, win.kh, win.dh, s.x.h + win.bottom) *
                                              Padded(left, win.kw, win.dw, s.x.w + win.right);
            value = Divide(value, C(s.divisor ? s.divisor : std::max<int64_t>(count, 1)));
          }
          const int64_t at = n * s.y.sn + c * s.y.sc + od * s.y.sd + oh * s.y.sh + ow * s.y.sw;
          store(&value, 1, call.out(0), at, 1);
          if (argmax && call.out(1)) {
            where = where < 0 ? 0 : Position(s, where, n, c);
            store_where(&where, 1, call.out(1), at, 1);
          }
        }
      }
    });
  };
  return kernel;
}

Kernel CreateFor(const Node &node, const PoolSetup &s) {
  switch (ComputeOf(node.in_type(0))) {
    case Compute::kFloat:
      // Sums of many elements are taken in double.
      return s.average ? CreatePool<double>(node, s) : CreatePool<float>(node, s);
    case Compute::kDouble:
      return CreatePool<double>(node, s);
    case Compute::kUInt:
      return CreatePool<uint64_t>(node, s);
    default:
      return CreatePool<int64_t>(node, s);
  }
}

void Global(PoolSetup *s) {
  s->window = Window();
  s->window.kd = s->x.d;
  s->window.kh = s->x.h;
  s->window.kw = s->x.w;
}

PoolSetup ReadImages(const Node &node, bool channels_last) {
  PoolSetup s;
  s.x = ImageOf(node, node.in_dims(0), channels_last, WindowRank(node));
  s.y = ImageOf(node, node.out_dims(0), channels_last, WindowRank(node));
  return s;
}

void CheckIndices(const Node &node) {
  if (node.has_out(1) && !(kIndex & TypeBit(node.out_type(1))))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for the positions, expected DT_INT32 or DT_INT64",
         node.label().c_str(), DataTypeName(node.out_type(1)));
}

void PadSame(PoolSetup *s) {
  Window &w = s->window;
  SamePads(s->x.d, s->y.d, w.kd, w.sd, w.dd, &w.front, &w.back);
  SamePads(s->x.h, s->y.h, w.kh, w.sh, w.dh, &w.top, &w.bottom);
  SamePads(s->x.w, s->y.w, w.kw, w.sw, w.dw, &w.left, &w.right);
}

// MaxPool3D, AvgPool3D, MaxPool3DWithArgmaxV2 and MaxPoolWithArgmaxV3: explicit pads, or `padding` by name.
Kernel CreateVolume(const Node &node, const OpEntry &) {
  const std::string_view type = node.type();
  const int rank = WindowRank(node);
  const char *format = type == "MaxPoolWithArgmaxV3" ? "NCHW" : type == "MaxPool3DWithArgmaxV2" ? "NCDHW" : "NDHWC";
  const bool last = IsChannelsLast(node.String("data_format", format));
  PoolSetup s = ReadImages(node, last);
  Window &w = s.window;
  s.average = type == "AvgPool3D";
  ReadSteps(node, "ksize", last, rank, &w.kd, &w.kh, &w.kw);
  ReadSteps(node, "strides", last, rank, &w.sd, &w.sh, &w.sw);
  ReadSteps(node, "dilation", last, rank, &w.dd, &w.dh, &w.dw);
  const std::string padding = node.String("padding", "CALCULATED");
  if (padding == "SAME") {
    PadSame(&s);
  } else if (padding != "VALID") {
    Dims pads = node.Ints("pads");
    if (rank == 4 && pads.n == 2) w.top = w.bottom = pads[0], w.left = w.right = pads[1];
    else if (rank == 4 && pads.n == 1) w.top = w.bottom = w.left = w.right = pads[0];
    else ReadPads(node, "pads", &w, rank);
  }
  s.exclusive = !node.Bool("count_include_pad", true);
  s.divisor = node.Int("divisor_override", 0);
  return CreateFor(node, s);
}

// MaxPool and AvgPool: TensorFlow's padding rules by name.
Kernel CreateNamedPadding(const Node &node, const OpEntry &) {
  bool last = IsChannelsLast(node.String("data_format", "NHWC"));
  PoolSetup s = ReadImages(node, last);
  s.average = std::string_view(node.type()) == "AvgPool";
  s.plane = node.Bool("include_batch_in_index", false) ? 2 : 1;
  ReadPair(node, "ksize", last, &s.window.kh, &s.window.kw);
  ReadPair(node, "strides", last, &s.window.sh, &s.window.sw);
  std::string padding = node.String("padding", "VALID");
  if (padding == "SAME") {
    PadSame(&s);
  } else if (padding != "VALID") {
    Fail(GE_PARAM_INVALID, "%s: padding is '%s', expected SAME or VALID", node.label().c_str(), padding.c_str());
  }
  return CreateFor(node, s);
}

// MaxPoolV3 and AvgPoolV2: explicit pads, or padding_mode SAME / VALID.
Kernel CreateExplicitPadding(const Node &node, const OpEntry &) {
  const char *format = node.in(0).format == C_FORMAT_NHWC ? "NHWC" : "NCHW";
  bool last = IsChannelsLast(node.String("data_format", format));
  PoolSetup s = ReadImages(node, last);
  s.average = std::string_view(node.type()) == "AvgPoolV2";
  ReadPair(node, "ksize", last, &s.window.kh, &s.window.kw);
  ReadPair(node, "strides", last, &s.window.sh, &s.window.sw);
  ReadPads(node, "pads", &s.window);
  std::string mode = node.String("padding_mode", "CALCULATED");
  if (mode == "SAME") {
    PadSame(&s);
  } else if (mode == "VALID") {
    s.window.top = s.window.bottom = s.window.left = s.window.right = 0;
  }
  s.exclusive = node.Bool("exclusive", true);
  s.divisor = node.Int("divisor_override", 0);
  if (node.Bool("global_pooling", false)) Global(&s);
  return CreateFor(node, s);
}

// Pooling: mode 0 maximum, 1 average (padding counts).
Kernel CreatePooling(const Node &node, const OpEntry &) {
  bool last = IsChannelsLast(node.String("data_format", "NCHW"));
  PoolSetup s = ReadImages(node, last);
  s.average = node.Int("mode", 0) == 1;
  s.exclusive = false;
  ReadPair(node, "window", last, &s.window.kh, &s.window.kw);
  ReadPair(node, "stride", last, &s.window.sh, &s.window.sw);
  ReadPair(node, "dilation", last, &s.window.dh, &s.window.dw);
  ReadPads(node, "pad", &s.window);
  if (node.Bool("global_pooling", false)) Global(&s);
  return CreateFor(node, s);
}

// Any rank: everything but batch and channel is one row.
Kernel CreateGlobal(const Node &node, const OpEntry &) {
  Dims x = node.in_dims(0);
  if (x.n < 2) Fail(GE_PARAM_INVALID, "%s: rank is %d, expected at least 2", node.label().c_str(), x.n);
  const bool last = node.in(0).format == C_FORMAT_NHWC || node.in(0).format == C_FORMAT_NDHWC;
  const int64_t channels = x[last ? x.n - 1 : 1], area = last ? x.count(1, x.n - 1) : x.count(2, x.n);
  PoolSetup s;
  s.x = {x[0], channels, 1, area, channels * area, last ? 1 : area, channels * area, last ? channels : 1};
  s.y = {x[0], channels, 1, 1, channels, 1, 1, 1};
  if (node.out_count(0) != x[0] * channels)
    Fail(GE_PARAM_INVALID, "%s: output has shape %s", node.label().c_str(), ToText(node.out_dims(0)).c_str());
  s.average = true;
  Global(&s);
  return CreateFor(node, s);
}

// Bins [floor(i * in / out), ceil((i + 1) * in / out)) of the spatial dimensions.
template <class C>
Kernel CreateAdaptiveFor(const Node &node, PoolSetup s) {
  auto load = Loader<C>(node.in_type(0));
  auto store = Storer<C>(node.out_type(0));
  const bool argmax = !s.average && node.has_out(1);
  StoreFn<int64_t> store_where = argmax ? Storer<int64_t>(node.out_type(1)) : nullptr;
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    auto bin = [](int64_t i, int64_t in, int64_t out) { return Range{i * in / out, CeilDiv((i + 1) * in, out), 1}; };
    call.Parallel(s.y.n * s.y.c * s.y.d, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t od = t % s.y.d, c = t / s.y.d % s.y.c, n = t / s.y.d / s.y.c;
        for (int64_t oh = 0; oh < s.y.h; ++oh) {
          for (int64_t ow = 0; ow < s.y.w; ++ow) {
            const Range d = bin(od, s.x.d, s.y.d), h = bin(oh, s.x.h, s.y.h), w = bin(ow, s.x.w, s.y.w);
            int64_t where;
            C value = PoolWindow<C>(call, s, load, n * s.x.sn + c * s.x.sc, d, h, w, &where);
            if (s.average) value /= C(d.count() * h.count() * w.count());
            const int64_t at = n * s.y.sn + c * s.y.sc + od * s.y.sd + oh * s.y.sh + ow * s.y.sw;
            store(&value, 1, call.out(0), at, 1);
            if (argmax && call.out(1)) {
              where = Position(s, where, n, c);
              store_where(&where, 1, call.out(1), at, 1);
            }
          }
        }
      }
    });
  };
  return kernel;
}

// space: the dimensions that windows have.
template <int space, bool kAverage>
Kernel CreateAdaptive(const Node &node, const OpEntry &) {
  const bool last = space == 3 && kAverage && IsChannelsLast(node.String("data_format", "NDHWC"));
  Dims x = node.in_dims(0), y = node.out_dims(0);
  if (x.n < space || x.n > space + 2 || y.n != x.n)
    Fail(GE_PARAM_INVALID, "%s: rank is %d, expected %d or %d", node.label().c_str(), x.n, space + 1, space + 2);
  auto wide = [&](const Dims &d) {
    Dims all;
    for (int i = d.n; i < space + 2; ++i) all.push(1);
    for (int64_t v : d) all.push(v);
    return ImageOf(node, all, last, space + 2);
  };
  PoolSetup s;
  s.x = wide(x);
  s.y = wide(y);
  if (s.x.count() == 0 && s.y.count() != 0)
    Fail(GE_PARAM_INVALID, "%s: x has shape %s, the bins are empty", node.label().c_str(), ToText(x).c_str());
  s.average = kAverage;
  return s.average || ComputeOf(node.in_type(0)) == Compute::kDouble ? CreateAdaptiveFor<double>(node, s)
                                                                     : CreateAdaptiveFor<float>(node, s);
}

const OpEntry kPool[] = {
    {"MaxPool", kNumbers, &CreateNamedPadding},
    {"AvgPool", kFloats, &CreateNamedPadding},
    {"MaxPoolWithArgmax", kNumbers, &CreateNamedPadding, &CheckIndices},
    {"MaxPoolV3", kNumbers, &CreateExplicitPadding},
    {"AvgPoolV2", kFloats, &CreateExplicitPadding},
    {"MaxPoolWithArgmaxV3", kNumbers, &CreateVolume, &CheckIndices},
    {"MaxPool3D", kNumbers, &CreateVolume},
    {"AvgPool3D", kFloats, &CreateVolume},
    {"MaxPool3DWithArgmaxV2", kNumbers, &CreateVolume, &CheckIndices},
    {"Pooling", kNumbers, &CreatePooling},
    {"GlobalAveragePool", kFloats, &CreateGlobal},
    {"AdaptiveAvgPool2d", kFloats, &CreateAdaptive<2, true>},
    {"AdaptiveAvgPool3d", kFloats, &CreateAdaptive<3, true>},
    {"AdaptiveMaxPool2d", kFloats, &CreateAdaptive<2, false>, &CheckIndices},
    {"AdaptiveMaxPool3d", kFloats, &CreateAdaptive<3, false>, &CheckIndices},
};

}  // namespace

OpTable PoolOps() { return TableOf(kPool); }

}  // namespace reference
