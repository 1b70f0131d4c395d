// FusedConvPool2D by its definition: plane by plane the convolution, then its windows.
#include <algorithm>

#include "conv/conv_setup.h"
#include "registry.h"

namespace reference {
namespace {

enum Port { kX, kFilter, kBias, kPorts };

struct ConvPool {
  Image x, filter, y;
  Window conv;
  int64_t made_h, made_w;      // what the convolution makes
  int64_t window_h, window_w;  // of the pooling
  int64_t groups;
  bool average;
  Activation after;
  LoadFn<float> load[kPorts] = {};
  StoreFn<float> store = nullptr;
};

bool ReadAverage(const Node &node) {
  const std::string mode = node.String("mode", "");
  if (mode != "max" && mode != "average")
    Fail(GE_PARAM_INVALID, "%s: mode is '%s', expected max or average", node.label().c_str(), mode.c_str());
  return mode == "average";
}

// The convolution makes so many pixels along an axis.
int64_t Made(const Node &node, int64_t in, int64_t before, int64_t after, int64_t kernel, int64_t stride,
             int64_t dilation) {
  constexpr int64_t kMost = INT32_MAX;  // keeps sums far from overflow
  for (const int64_t pad : {before, after})
    if (pad < 0 || pad > kMost)
      Fail(GE_PARAM_INVALID, "%s: pads has the value %lld, expected 0 to %lld", node.label().c_str(), (long long)pad,
           (long long)kMost);
  if (dilation > kMost || kernel > kMost)
    Fail(GE_UNSUPPORTED, "%s: a dilation of %lld of %lld positions is not supported", node.label().c_str(),
         (long long)dilation, (long long)kernel);
  const int64_t room = in + before + after - (kernel - 1) * dilation - 1;
  return room < 0 ? 0 : room / stride + 1;
}

// A side of the windows, which have to give y's extent.
int64_t Side(const Node &node, const char *name, int64_t side, int64_t made, int64_t y) {
  if (side < 1 || made < side || y != made / side)
    Fail(GE_PARAM_INVALID, "%s: %s of y is %lld, the convolution makes %lld and a window takes %lld",
         node.label().c_str(), name, (long long)y, (long long)made, (long long)side);
  return side;
}

ConvPool Read(const Node &node) {
  ConvPool s{};
  s.x = ImageOf(node, node.in_dims(kX), false), s.y = ImageOf(node, node.out_dims(0), false);
  s.filter = FilterOf(node, kFilter, 4);
  s.groups = node.Int("groups", 1);
  Window &w = s.conv;
  w.kh = s.filter.h, w.kw = s.filter.w;
  ReadPair(node, "strides", false, &w.sh, &w.sw);
  ReadPair(node, "dilations", false, &w.dh, &w.dw);
  ReadPads(node, "pads", &w);
  if (s.groups <= 0 || s.x.c != s.filter.c * s.groups || s.filter.n % s.groups || s.y.c != s.filter.n || s.y.n != s.x.n)
    Fail(GE_PARAM_INVALID, "%s: %lld input channels, filter %s, %lld groups and %lld output channels do not fit",
         node.label().c_str(), (long long)s.x.c, ToText(node.in_dims(kFilter)).c_str(), (long long)s.groups,
         (long long)s.y.c);
  if (node.has(kBias) && node.in_count(kBias) != s.y.c)
    Fail(GE_PARAM_INVALID, "%s: bias has %lld values, expected %lld", node.label().c_str(),
         (long long)node.in_count(kBias), (long long)s.y.c);
  s.made_h = Made(node, s.x.h, w.top, w.bottom, w.kh, w.sh, w.dh);
  s.made_w = Made(node, s.x.w, w.left, w.right, w.kw, w.sw, w.dw);
  const Dims window = node.Ints("window");
  if (window.n != 2) Fail(GE_PARAM_INVALID, "%s: window has %d values, expected 2", node.label().c_str(), window.n);
  s.window_h = Side(node, "height", window[0], s.made_h, s.y.h);
  s.window_w = Side(node, "width", window[1], s.made_w, s.y.w);
  s.average = ReadAverage(node);
  s.after = ReadActivation(node);
  for (int port = 0; port < kPorts; ++port)
    if (node.has(port)) s.load[port] = Loader<float>(node.in_type(port));
  s.store = Storer<float>(node.out_type(0));
  return s;
}

float One(const Call &call, const ConvPool &s, int port, int64_t at) {
  float value = 0;
  if (s.load[port]) s.load[port](call.in(size_t(port)), at, 1, 1, &value);
  return value;
}

// One channel of what the convolution makes of the planes at `x`.
void Convolve(const Call &call, const ConvPool &s, int64_t channel, const float *x, float *made) {
  const Window &w = s.conv;
  const int64_t first = channel / (s.y.c / s.groups) * s.filter.c;
  std::fill(made, made + s.made_h * s.made_w, One(call, s, kBias, channel));
  for (int64_t c = 0; c < s.filter.c; ++c)
    for (int64_t a = 0; a < w.kh; ++a)
      for (int64_t b = 0; b < w.kw; ++b) {
        const Image &f = s.filter;
        const float weight = One(call, s, kFilter, channel * f.sn + c * f.sc + a * f.sh + b * f.sw);
        for (int64_t i = 0; i < s.made_h; ++i)
          for (int64_t j = 0; j < s.made_w; ++j) {
            const int64_t p = i * w.sh + a * w.dh - w.top, q = j * w.sw + b * w.dw - w.left;
            if (p >= 0 && p < s.x.h && q >= 0 && q < s.x.w)
              made[i * s.made_w + j] += weight * x[((first + c) * s.x.h + p) * s.x.w + q];
          }
      }
  s.after.Apply(made, s.made_h * s.made_w);
}

// A NaN in a window is its maximum.
float Pool(const ConvPool &s, const float *made, int64_t row, int64_t column) {
  const float *first = made + row * s.window_h * s.made_w + column * s.window_w;
  float most = *first;
  double sum = 0;
  for (int64_t i = 0; i < s.window_h; ++i)
    for (int64_t j = 0; j < s.window_w; ++j) {
      const float value = first[i * s.made_w + j];
      sum += value;
      if (value > most || value != value) most = value;
    }
  return s.average ? float(sum / double(s.window_h * s.window_w)) : most;
}

void Run(const Call &call, const ConvPool &s) {
  const int64_t in = s.x.c * s.x.h * s.x.w, made = s.made_h * s.made_w, out = s.y.h * s.y.w;
  float *x = call.workspace<float>(), *planes = x + in, *pooled = planes + s.y.c * made;
  for (int64_t image = 0; image < s.x.n; ++image) {
    s.load[kX](call.in(kX), image * s.x.sn, 1, in, x);
    call.Parallel(s.y.c, 1 + 4096 / (made + 1), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        float *plane = planes + c * made, *to = pooled + c * out;
        Convolve(call, s, c, x, plane);
        for (int64_t i = 0; i < out; ++i) to[i] = Pool(s, plane, i / s.y.w, i % s.y.w);
        s.store(to, out, call.out(0), image * s.y.sn + c * s.y.sc, 1);
      }
    });
  }
}

void CheckConvPool(const Node &node) {
  ReadActivation(node);
  ReadAverage(node);
}

Kernel CreateConvPool(const Node &node, const OpEntry &) {
  const ConvPool s = Read(node);
  Kernel kernel;
  // A convolution may make far more than x and y, whose memory is there.
  const double made = double(s.y.n * s.y.c) * double(s.made_h) * double(s.made_w);
  if (made > double(int64_t{1} << 40))
    Fail(GE_UNSUPPORTED, "%s: the convolution makes %.3g values, more than 2^40", node.label().c_str(), made);
  const int64_t floats = s.x.c * s.x.h * s.x.w + s.y.c * (s.made_h * s.made_w + s.y.h * s.y.w);
  kernel.workspace = uint64_t(floats) * sizeof(float);
  kernel.flops = made * (1 + 2.0 * double(s.filter.c * s.conv.kh * s.conv.kw));
  kernel.run = [s](const Call &call) { Run(call, s); };
  return kernel;
}

const OpEntry kConvPool[] = {{"FusedConvPool2D", kFloats32, &CreateConvPool, &CheckConvPool}};

}  // namespace

OpTable ConvPoolOps() { return TableOf(kConvPool); }

}  // namespace reference
