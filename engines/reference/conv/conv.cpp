// Convolution of images and volumes by its definition: for every output row, all filter positions, eight output
// channels at a time.
#include <algorithm>
#include <string_view>

#include "common/activation.h"
#include "conv/conv_setup.h"
#include "registry.h"

namespace reference {
namespace {

constexpr int64_t kChannels = 8, kTile = 256;

// Copies a tensor of any type and strides to dense compute values in n, c, d, h, w order.
template <class C>
void Densify(const Call &call, const void *from, LoadFn<C> load, const Image &x, C *to) {
  call.Parallel(x.n * x.c * x.d * x.h, std::max<int64_t>(1, 4096 / std::max<int64_t>(x.w, 1)),
                [&](int64_t begin, int64_t end) {
                  for (int64_t row = begin; row < end; ++row) {
                    int64_t h = row % x.h, d = row / x.h % x.d, c = row / x.h / x.d % x.c, n = row / x.h / x.d / x.c;
                    load(from, n * x.sn + c * x.sc + d * x.sd + h * x.sh, x.sw, x.w, to + row * x.w);
                  }
                });
}

template <class C>
struct ConvRun {
  ConvSetup s;
  LoadFn<C> load_x, load_filter, load_bias, load_residual;
  StoreFn<C> store;
  bool x_native, filter_native;
  uint64_t filter_offset;  // in the workspace
};

// Adds the filter position (kh, kw) of channel ic to output columns [begin, begin + n) of one row.
template <class C>
void Accumulate(C (*acc)[kTile], int64_t channels, const C *x_row, const C *weights, int64_t weight_step, int64_t begin,
                int64_t n, int64_t shift, int64_t stride, int64_t width) {
  // Columns whose input column ow * stride + shift lies inside the image.
  int64_t first = std::max<int64_t>(begin, CeilDiv(-shift, stride));
  int64_t last = std::min(begin + n, CeilDiv(width - shift, stride));
  if (first >= last) return;
  const C *x = x_row + first * stride + shift;
  const int64_t count = last - first;
  for (int64_t o = 0; o < channels; ++o) {
    const C w = weights[o * weight_step];
    C *to = acc[o] + (first - begin);
    if (stride == 1) {
      for (int64_t i = 0; i < count; ++i) to[i] += w * x[i];
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] += w * x[i * stride];
    }
  }
}

template <class C>
void RunConv(const Call &call, const ConvRun<C> &run) {
  const ConvSetup &s = run.s;
  const Window &win = s.window;
  const C *x = call.in<C>(size_t(s.x_port)), *filter = call.in<C>(size_t(s.filter_port));
  if (!run.x_native) {
    Densify(call, call.in(size_t(s.x_port)), run.load_x, s.x, call.workspace<C>());
    x = call.workspace<C>();
  }
  if (!run.filter_native) {
    C *to = call.workspace<C>(run.filter_offset);
    Densify(call, call.in(size_t(s.filter_port)), run.load_filter, s.filter, to);
    filter = to;
  }
  const int64_t in_group = s.x.c / s.groups, out_group = s.y.c / s.groups;
  const int64_t blocks = (out_group + kChannels - 1) / kChannels, tiles = (s.y.w + kTile - 1) / kTile;
  const int64_t filter_step = in_group * win.kd * win.kh * win.kw;
  const int64_t work =
      in_group * win.kd * win.kh * win.kw * std::min(out_group, kChannels) * std::min(s.y.w, kTile) + 1;
  call.Parallel(s.y.n * s.groups * blocks * s.y.d * s.y.h * tiles, std::max<int64_t>(1, (1 << 16) / work),
                [&](int64_t begin, int64_t end) {
                  C acc[kChannels][kTile], extra[kTile];
                  for (int64_t t = begin; t < end; ++t) {
                    int64_t rest = t;
                    const int64_t ow = rest % tiles * kTile;
                    const int64_t oh = (rest /= tiles) % s.y.h;
                    const int64_t od = (rest /= s.y.h) % s.y.d;
                    const int64_t block = (rest /= s.y.d) % blocks;
                    const int64_t group = (rest /= blocks) % s.groups;
                    const int64_t n = rest / s.groups;
                    const int64_t columns = std::min(kTile, s.y.w - ow);
                    const int64_t oc = group * out_group + block * kChannels;
                    const int64_t channels = std::min(kChannels, out_group - block * kChannels);
                    for (int64_t o = 0; o < channels; ++o) {
                      C start = 0;
                      if (run.load_bias) run.load_bias(call.in(size_t(s.bias_port)), oc + o, 1, 1, &start);
                      std::fill(acc[o], acc[o] + columns, start);
                    }
                    for (int64_t ic = 0; ic < in_group; ++ic) {
                      for (int64_t k = 0; k < win.kd * win.kh; ++k) {
                        const int64_t id = od * win.sd + k / win.kh * win.dd - win.front;
                        const int64_t ih = oh * win.sh + k % win.kh * win.dh - win.top;
                        if (id < 0 || id >= s.x.d || ih < 0 || ih >= s.x.h) continue;
                        const C *row = x + (((n * s.x.c + group * in_group + ic) * s.x.d + id) * s.x.h + ih) * s.x.w;
                        const C *weights = filter + oc * filter_step + (ic * win.kd * win.kh + k) * win.kw;
                        for (int64_t kw = 0; kw < win.kw; ++kw)
                          Accumulate<C>(acc, channels, row, weights + kw, filter_step, ow, columns,
                                        kw * win.dw - win.left, win.sw, s.x.w);
                      }
                    }
                    for (int64_t o = 0; o < channels; ++o) {
                      const int64_t at = n * s.y.sn + (oc + o) * s.y.sc + od * s.y.sd + oh * s.y.sh + ow * s.y.sw;
                      if (run.load_residual) {
                        run.load_residual(call.in(size_t(s.residual_port)), at, s.y.sw, columns, extra);
                        for (int64_t i = 0; i < columns; ++i) acc[o][i] += extra[i];
                      }
                      s.activation.Apply(acc[o], columns);
                      run.store(acc[o], columns, call.out(0), at, s.y.sw);
                    }
                  }
                });
}

template <class C>
Kernel CreateFor(const Node &node, const ConvSetup &setup) {
  ConvRun<C> run{};
  run.s = setup;
  run.load_x = Loader<C>(node.in_type(setup.x_port));
  run.load_filter = Loader<C>(node.in_type(setup.filter_port));
  if (setup.bias_port >= 0) run.load_bias = Loader<C>(node.in_type(setup.bias_port));
  if (setup.residual_port >= 0) run.load_residual = Loader<C>(node.in_type(setup.residual_port));
  run.store = Storer<C>(node.out_type(0));
  run.x_native = IsNative<C>(node.in_type(setup.x_port)) && setup.x.sw == 1;
  run.filter_native = IsNative<C>(node.in_type(setup.filter_port)) && setup.filter.sw == 1;
  const Image &x = setup.x, &f = setup.filter;
  Kernel kernel;
  if (!run.x_native) kernel.workspace = uint64_t(x.count()) * sizeof(C);
  kernel.workspace = (kernel.workspace + 63) / 64 * 64;
  run.filter_offset = kernel.workspace;
  if (!run.filter_native) kernel.workspace += uint64_t(f.count()) * sizeof(C);
  kernel.flops = 2.0 * double(setup.y.count()) * double(f.c * f.d * f.h * f.w);
  kernel.run = [run](const Call &call) { RunConv<C>(call, run); };
  return kernel;
}

Kernel CreateConv(const Node &node, const OpEntry &) {
  ConvSetup setup = ReadConv(node);
  switch (ComputeOf(node.in_type(0))) {
    case Compute::kFloat:
      return CreateFor<float>(node, setup);
    case Compute::kDouble:
      return CreateFor<double>(node, setup);
    default:
      return CreateFor<int64_t>(node, setup);
  }
}

const OpEntry kConv[] = {
    {"Conv2D", kNumbers, &CreateConv, &CheckConv},      {"Conv2DV2", kNumbers, &CreateConv, &CheckConv},
    {"Conv3D", kNumbers, &CreateConv, &CheckConv},      {"Conv3DV2", kNumbers, &CreateConv, &CheckConv},
    {"FusedConv2D", kNumbers, &CreateConv, &CheckConv}, {"FusedConv3D", kNumbers, &CreateConv, &CheckConv},
};

}  // namespace

OpTable ConvOps() { return TableOf(kConv); }

}  // namespace reference
