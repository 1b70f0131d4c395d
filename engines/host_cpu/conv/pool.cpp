// Pooling: maximum and average over windows, over everything, and over adaptive bins.
#include <algorithm>
#include <limits>
#include <string_view>

#include "conv/image.h"
#include "elementwise/scalar_math.h"
#include "registry.h"

namespace host_cpu {
namespace {

struct PoolSetup {
  Image x, y;
  Window window;
  bool average = false;
  bool exclusive = true;      // average over elements inside the image only
  bool ceil_padding = false;  // not exclusive: the window may reach beyond the padding, which does not count
  int64_t divisor = 0;        // 0: the number of elements
};

// Elements of rows [h0, h1) and columns [w0, w1) of one channel.
template <class C>
C PoolWindow(const Call &call, const PoolSetup &s, LoadFn<C> load, int64_t base, int64_t h0, int64_t h1, int64_t w0,
             int64_t w1) {
  constexpr int64_t kRun = 64;
  C values[kRun];
  C result = s.average                              ? C(0)
             : std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                                    : std::numeric_limits<C>::lowest();
  for (int64_t h = h0; h < h1; h += s.window.dh) {
    int64_t count = w1 > w0 ? (w1 - w0 + s.window.dw - 1) / s.window.dw : 0;
    for (int64_t done = 0; done < count; done += kRun) {
      int64_t n = std::min(kRun, count - done);
      load(call.in(0), base + h * s.x.sh + (w0 + done * s.window.dw) * s.x.sw, s.window.dw * s.x.sw, n, values);
      for (int64_t i = 0; i < n; ++i) result = s.average ? result + values[i] : Max(result, values[i]);
    }
  }
  return result;
}

template <class C>
Kernel CreatePool(const Node &node, const PoolSetup &s) {
  LoadFn<C> load = Loader<C>(node.in_type(0));
  StoreFn<C> store = Storer<C>(node.out_type(0));
  Kernel kernel;
  kernel.flops = double(s.y.n * s.y.c * s.y.h * s.y.w) * double(s.window.kh * s.window.kw);
  kernel.run = [=](const Call &call) {
    const Window &win = s.window;
    int64_t grain = std::max<int64_t>(1, (1 << 13) / (s.y.w * win.kh * win.kw + 1));
    call.Parallel(s.y.n * s.y.c * s.y.h, grain, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t oh = t % s.y.h, c = t / s.y.h % s.y.c, n = t / s.y.h / s.y.c;
        for (int64_t ow = 0; ow < s.y.w; ++ow) {
          const int64_t top = oh * win.sh - win.top, left = ow * win.sw - win.left;
          // First and last positions of the window inside the image, in steps of the dilation.
          const int64_t h0 = top < 0 ? top + CeilDiv(-top, win.dh) * win.dh : top;
          const int64_t w0 = left < 0 ? left + CeilDiv(-left, win.dw) * win.dw : left;
          const int64_t h1 = std::min(top + (win.kh - 1) * win.dh + 1, s.x.h);
          const int64_t w1 = std::min(left + (win.kw - 1) * win.dw + 1, s.x.w);
          C value = PoolWindow<C>(call, s, load, n * s.x.sn + c * s.x.sc, h0, h1, w0, w1);
          if (s.average) {
            int64_t rows = s.exclusive
                               ? CeilDiv(std::max<int64_t>(h1 - h0, 0), win.dh)
                               : CeilDiv(std::min(top + (win.kh - 1) * win.dh + 1, s.x.h + win.bottom) - top, win.dh);
            int64_t columns =
                s.exclusive ? CeilDiv(std::max<int64_t>(w1 - w0, 0), win.dw)
                            : CeilDiv(std::min(left + (win.kw - 1) * win.dw + 1, s.x.w + win.right) - left, win.dw);
            int64_t divisor = s.divisor ? s.divisor : std::max<int64_t>(rows * columns, 1);
            value = Divide(value, C(divisor));
          }
          store(&value, 1, call.out(0), n * s.y.sn + c * s.y.sc + oh * s.y.sh + ow * s.y.sw, 1);
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
  s->window.kh = s->x.h;
  s->window.kw = s->x.w;
}

PoolSetup ReadImages(const Node &node, bool channels_last) {
  PoolSetup s;
  s.x = ImageOf(node, node.in_dims(0), channels_last);
  s.y = ImageOf(node, node.out_dims(0), channels_last);
  return s;
}

// MaxPool and AvgPool: TensorFlow's padding rules by name.
Kernel CreateNamedPadding(const Node &node, const OpEntry &) {
  bool last = IsChannelsLast(node.Text("data_format", "NHWC"));
  PoolSetup s = ReadImages(node, last);
  s.average = std::string_view(node.type()) == "AvgPool";
  ReadPair(node, "ksize", last, &s.window.kh, &s.window.kw);
  ReadPair(node, "strides", last, &s.window.sh, &s.window.sw);
  std::string padding = node.Text("padding", "VALID");
  if (padding == "SAME") {
    SamePads(s.x.h, s.y.h, s.window.kh, s.window.sh, 1, &s.window.top, &s.window.bottom);
    SamePads(s.x.w, s.y.w, s.window.kw, s.window.sw, 1, &s.window.left, &s.window.right);
  } else if (padding != "VALID") {
    Fail(GE_PARAM_INVALID, "%s: padding is '%s', expected SAME or VALID", node.label().c_str(), padding.c_str());
  }
  return CreateFor(node, s);
}

// MaxPoolV3 and AvgPoolV2: explicit pads, or padding_mode SAME / VALID.
Kernel CreateExplicitPadding(const Node &node, const OpEntry &) {
  const char *format = node.in(0).format == C_FORMAT_NHWC ? "NHWC" : "NCHW";
  bool last = IsChannelsLast(node.Text("data_format", format));
  PoolSetup s = ReadImages(node, last);
  s.average = std::string_view(node.type()) == "AvgPoolV2";
  ReadPair(node, "ksize", last, &s.window.kh, &s.window.kw);
  ReadPair(node, "strides", last, &s.window.sh, &s.window.sw);
  ReadPads(node, "pads", &s.window);
  std::string mode = node.Text("padding_mode", "CALCULATED");
  if (mode == "SAME") {
    SamePads(s.x.h, s.y.h, s.window.kh, s.window.sh, 1, &s.window.top, &s.window.bottom);
    SamePads(s.x.w, s.y.w, s.window.kw, s.window.sw, 1, &s.window.left, &s.window.right);
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
  bool last = IsChannelsLast(node.Text("data_format", "NCHW"));
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

// Bins [floor(i * in / out), ceil((i + 1) * in / out)).
Kernel CreateAdaptive(const Node &node, const OpEntry &) {
  PoolSetup s;
  Dims x = node.in_dims(0), y = node.out_dims(0);
  if (x.n < 2 || y.n != x.n) Fail(GE_PARAM_INVALID, "%s: rank is %d, expected 3 or 4", node.label().c_str(), x.n);
  auto image = [](const Dims &d) {
    int64_t h = d[d.n - 2], w = d[d.n - 1];
    return Image{1, d.count(0, d.n - 2), h, w, d.count(), h * w, w, 1};
  };
  s.x = image(x);
  s.y = image(y);
  s.average = true;
  auto load = Loader<double>(node.in_type(0));
  auto store = Storer<double>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    call.Parallel(s.y.c, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c)
        for (int64_t oh = 0; oh < s.y.h; ++oh)
          for (int64_t ow = 0; ow < s.y.w; ++ow) {
            int64_t h0 = oh * s.x.h / s.y.h, h1 = CeilDiv((oh + 1) * s.x.h, s.y.h);
            int64_t w0 = ow * s.x.w / s.y.w, w1 = CeilDiv((ow + 1) * s.x.w, s.y.w);
            double sum = PoolWindow<double>(call, s, load, c * s.x.sc, h0, h1, w0, w1) / double((h1 - h0) * (w1 - w0));
            store(&sum, 1, call.out(0), c * s.y.sc + oh * s.y.sh + ow, 1);
          }
    });
  };
  return kernel;
}

const OpEntry kPool[] = {
    {"MaxPool", kNumbers, &CreateNamedPadding},      {"AvgPool", kFloats, &CreateNamedPadding},
    {"MaxPoolV3", kNumbers, &CreateExplicitPadding}, {"AvgPoolV2", kFloats, &CreateExplicitPadding},
    {"Pooling", kNumbers, &CreatePooling},           {"GlobalAveragePool", kFloats, &CreateGlobal},
    {"AdaptiveAvgPool2d", kFloats, &CreateAdaptive},
};

}  // namespace

OpTable PoolOps() { return TableOf(kPool); }

}  // namespace host_cpu
