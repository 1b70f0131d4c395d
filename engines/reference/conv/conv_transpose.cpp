// Transposed convolution of images and volumes by its definition: every output row collects the input rows whose
// windows cover it.
#include <algorithm>
#include <string_view>

#include "conv/conv_setup.h"
#include "registry.h"

namespace reference {
namespace {

constexpr int64_t kTransposeTile = 256;

template <class C>
Kernel CreateFor(const Node &node) {
  const int rank = WindowRank(node);
  const bool fused = std::string_view(node.type()).substr(0, 5) == "Fused";
  const bool last = IsChannelsLast(node.String("data_format", fused ? "NCHW" : rank == 5 ? "NDHWC" : "NHWC"));
  const Activation activation = fused ? ReadActivation(node) : Activation();
  const Image x = ImageOf(node, node.in_dims(1), last, rank), f = FilterOf(node, 2, rank),
              y = ImageOf(node, node.out_dims(0), last, rank);
  const int64_t groups = node.Int("groups", 1);
  Window w;
  w.kd = f.d;
  w.kh = f.h;
  w.kw = f.w;
  ReadSteps(node, "strides", last, rank, &w.sd, &w.sh, &w.sw);
  ReadSteps(node, "dilations", last, rank, &w.dd, &w.dh, &w.dw);
  ReadPads(node, "pads", &w, rank);
  if (groups <= 0 || x.c != f.n || x.c % groups || y.c != f.c * groups || x.n != y.n)
    Fail(GE_PARAM_INVALID, "%s: %lld input channels, filter %s, %lld groups and %lld output channels do not fit",
         node.label().c_str(), (long long)x.c, ToText(node.in_dims(2)).c_str(), (long long)groups, (long long)y.c);
  const int64_t in_group = x.c / groups, out_group = f.c;
  LoadFn<C> load_x = Loader<C>(node.in_type(1)), load_f = Loader<C>(node.in_type(2));
  LoadFn<C> load_bias = node.has(3) ? Loader<C>(node.in_type(3)) : nullptr;
  if (load_bias && node.in_count(3) != y.c)
    Fail(GE_PARAM_INVALID, "%s: bias has %lld values, expected %lld", node.label().c_str(), (long long)node.in_count(3),
         (long long)y.c);
  StoreFn<C> store = Storer<C>(node.out_type(0));
  Kernel kernel;
  kernel.flops = 2.0 * double(x.count()) * double(out_group * f.d * f.h * f.w);
  kernel.run = [=](const Call &call) {
    const int64_t tiles = (y.w + kTransposeTile - 1) / kTransposeTile;
    call.Parallel(y.n * y.c * y.d * y.h * tiles, 1, [&](int64_t begin, int64_t end) {
      C acc[kTransposeTile], row[kTransposeTile], weight;
      for (int64_t t = begin; t < end; ++t) {
        const int64_t ow = t % tiles * kTransposeTile, oh = t / tiles % y.h, od = t / tiles / y.h % y.d,
                      oc = t / tiles / y.h / y.d % y.c, n = t / tiles / y.h / y.d / y.c;
        const int64_t columns = std::min(kTransposeTile, y.w - ow), group = oc / out_group;
        C start = 0;
        if (load_bias) load_bias(call.in(3), oc, 1, 1, &start);
        std::fill(acc, acc + columns, start);
        for (int64_t k = 0; k < w.kd * w.kh; ++k) {
          const int64_t kd = k / w.kh, kh = k % w.kh;
          const int64_t down = oh + w.top - kh * w.dh, ih = down / w.sh;
          const int64_t deep = od + w.front - kd * w.dd, id = deep / w.sd;
          if (down < 0 || down % w.sh || ih >= x.h || deep < 0 || deep % w.sd || id >= x.d) continue;
          for (int64_t ic = group * in_group; ic < (group + 1) * in_group; ++ic) {
            for (int64_t kw = 0; kw < w.kw; ++kw) {
              // Input columns iw with ow <= iw * sw + shift < ow + columns.
              const int64_t shift = kw * w.dw - w.left;
              const int64_t first = std::max<int64_t>(0, CeilDiv(ow - shift, w.sw));
              const int64_t stop = std::min(x.w, CeilDiv(ow + columns - shift, w.sw));
              if (first >= stop) continue;
              load_f(call.in(2), ic * f.sn + (oc % out_group) * f.sc + kd * f.sd + kh * f.sh + kw * f.sw, 1, 1,
                     &weight);
              load_x(call.in(1), n * x.sn + ic * x.sc + id * x.sd + ih * x.sh + first * x.sw, x.sw, stop - first, row);
              C *to = acc + first * w.sw + shift - ow;
              for (int64_t i = 0; i < stop - first; ++i) to[i * w.sw] += weight * row[i];
            }
          }
        }
        activation.Apply(acc, columns);
        store(acc, columns, call.out(0), n * y.sn + oc * y.sc + od * y.sd + oh * y.sh + ow * y.sw, y.sw);
      }
    });
  };
  return kernel;
}

Kernel CreateConvTranspose(const Node &node, const OpEntry &) {
  switch (ComputeOf(node.in_type(1))) {
    case Compute::kFloat:
      return CreateFor<float>(node);
    case Compute::kDouble:
      return CreateFor<double>(node);
    default:
      return CreateFor<int64_t>(node);
  }
}

void CheckConvTranspose(const Node &node) {
  if (std::string_view(node.type()).substr(0, 5) == "Fused") ReadActivation(node);
  else if (node.has(4)) Fail(GE_UNSUPPORTED, "%s: offset_w is not supported", node.label().c_str());
  bool x_float = ComputeOf(node.in_type(1)) <= Compute::kDouble,
       f_float = ComputeOf(node.in_type(2)) <= Compute::kDouble;
  if (x_float != f_float)
    Fail(GE_UNSUPPORTED, "%s: %s and %s are not supported together", node.label().c_str(),
         DataTypeName(node.in_type(1)), DataTypeName(node.in_type(2)));
}

const OpEntry kConvTranspose[] = {
    {"Conv2DTranspose", kNumbers, &CreateConvTranspose, &CheckConvTranspose, nullptr, 1},
    {"Conv3DTranspose", kNumbers, &CreateConvTranspose, &CheckConvTranspose, nullptr, 1},
    {"FusedConvTranspose", kNumbers, &CreateConvTranspose, &CheckConvTranspose, nullptr, 1},
    {"Conv3DTransposeV2", kNumbers, &CreateConvTranspose, &CheckConvTranspose, nullptr, 1},
};

}  // namespace

OpTable ConvTransposeOps() { return TableOf(kConvTranspose); }

}  // namespace reference
