// Convolution of images of 8-bit integers, exact in 32 bits.
#include <algorithm>

#include "common/quantized.h"
#include "conv/conv_setup.h"
#include "registry.h"

namespace reference {
namespace {

constexpr int64_t kSumTile = 256;

// Adds a row of the image times one weight to output columns [begin, begin + n): column w reads x[w * step + offset].
void AddProducts(uint32_t *sums, int64_t begin, int64_t n, const int32_t *x, int64_t extent, int64_t offset,
                 int64_t step, int32_t weight) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = (begin + i) * step + offset;
    if (at >= 0 && at < extent) sums[i] += uint32_t(x[at] * weight);
  }
}

Kernel CreateQuantizedConv(const Node &node, const OpEntry &) {
  const ConvSetup s = ReadConv(node);
  const QuantizedResult result(node, 1, 1, s.y.c);
  const WidenFn load_x = Widener(node.in_type(kQuantizedX)), load_w = Widener(node.in_type(kQuantizedWeights));
  Kernel kernel;
  kernel.workspace = uint64_t(s.x.count()) * sizeof(int32_t);  // x by channels, without its zero point
  kernel.flops = 2.0 * double(s.y.count()) * double(s.filter.c * s.filter.h * s.filter.w);
  kernel.run = [=](const Call &call) {
    const Image &x = s.x, &f = s.filter, &y = s.y;
    const Window &win = s.window;
    int32_t *plain = call.workspace<int32_t>();
    const int32_t zero = result.x_zero(call, 0);
    call.Parallel(x.n * x.c * x.h, std::max<int64_t>(1, 8192 / std::max<int64_t>(1, x.w)),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t row = begin; row < end; ++row)
                      load_x(call.in(kQuantizedX), row / x.h / x.c * x.sn + row / x.h % x.c * x.sc + row % x.h * x.sh,
                             x.sw, x.w, zero, plain + row * x.w);
                  });
    const int64_t out_group = f.n / s.groups;
    const int64_t work = std::min(y.w, kSumTile) * f.c * f.h * f.w + 1;
    call.Parallel(y.n * y.c * y.h, std::max<int64_t>(1, (1 << 16) / work), [&](int64_t begin, int64_t end) {
      uint32_t sums[kSumTile];
      for (int64_t t = begin; t < end; ++t) {
        const int64_t oh = t % y.h, oc = t / y.h % y.c, n = t / y.h / y.c, first = oc / out_group * f.c;
        for (int64_t ow = 0; ow < y.w; ow += kSumTile) {
          const int64_t columns = std::min(kSumTile, y.w - ow);
          std::fill(sums, sums + columns, 0u);
          for (int64_t ic = 0; ic < f.c; ++ic)
            for (int64_t kh = 0; kh < f.h; ++kh) {
              const int64_t ih = oh * win.sh + kh * win.dh - win.top;
              if (ih < 0 || ih >= x.h) continue;
              const int32_t *row = plain + ((n * x.c + first + ic) * x.h + ih) * x.w;
              for (int64_t kw = 0; kw < f.w; ++kw) {
                int32_t weight;
                load_w(call.in(kQuantizedWeights), oc * f.sn + ic * f.sc + kh * f.sh + kw * f.sw, 1, 1,
                       result.weight_zero(call, oc), &weight);
                AddProducts(sums, ow, columns, row, x.w, kw * win.dw - win.left, win.sw, weight);
              }
            }
          result.Store(call, reinterpret_cast<const int32_t *>(sums), columns, 0, oc, 0,
                       n * y.sn + oc * y.sc + oh * y.sh + ow * y.sw, y.sw);
        }
      }
    });
  };
  return kernel;
}

void CheckQuantizedConv(const Node &node) {
  const std::string format = node.String("data_format", "NCHW");
  if (format != "NCHW" && format != "NHWC")
    Fail(GE_UNSUPPORTED, "%s: data_format '%s' is not supported, expected NCHW or NHWC", node.label().c_str(),
         format.c_str());
  CheckQuantized(node);
}

const OpEntry kQuantizedConvs[] = {
    {"QuantizedConv2D", TypeBit(C_DT_INT8) | TypeBit(C_DT_UINT8), &CreateQuantizedConv, &CheckQuantizedConv},
};

}  // namespace

OpTable QuantizedConvOps() { return TableOf(kQuantizedConvs); }

}  // namespace reference
