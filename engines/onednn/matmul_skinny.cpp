// Products with few rows: the second matrix streams through once.
#include <algorithm>

#include "matmul_kernels.h"

namespace onednn {

void ProductKernel::FinishPart(const GeKernelArgs &args, int64_t matrix, int64_t row, int64_t column, int64_t m,
                               int64_t n, float *c, int64_t stride) const {
  Finish f;
  f.scale = s_.scale;
  f.activation = s_.activation;
  if (s_.bias >= 0) f.bias = static_cast<const float *>(args.inputs[s_.bias]) + column;
  if (s_.residual >= 0) {
    f.residual = static_cast<const float *>(args.inputs[s_.residual]) + (matrix * s_.m + row) * s_.n + column;
    f.residual_stride = s_.n;
  }
  if (!f.nothing()) kernels_.finish(m, n, c, stride, f);
  if (s_.addend < 0) return;
  const float *addend = static_cast<const float *>(args.inputs[s_.addend]);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      c[i * stride + j] += s_.addend_scale * addend[(row + i) * s_.addend_row + (column + j) * s_.addend_column];
}

namespace {

// Reads the second matrix as it is.
class Skinny final : public ProductKernel {
 public:
  // Below this the second matrix stays in the cache between calls and results are best kept in registers.
  static constexpr int64_t kCached = 256 * 1024;
  // Columns are handed out in units of whole cache lines.
  static constexpr int64_t kUnit = 64;
  static constexpr double kGrainMacs = 100e3;
  // Rows of so many columns are streams long enough to be divided among threads; shorter ones stay whole, and threads
  // take parts of the depth. Neither depends on how many threads there are: the result is the same for any number.
  static constexpr int64_t kLongRow = 16384;
  static constexpr int64_t kMostParts = 8, kLeastDepth = 64;

  Skinny(const Context &context, const MatMulSpec &spec) : ProductKernel(context, spec) {
    cached_ = s_.m == 1 && s_.k * s_.n <= kCached / int64_t(sizeof(float));
    units_ = (s_.n + kUnit - 1) / kUnit;
    grain_ = std::max<int64_t>(1, int64_t(kGrainMacs / double(s_.m * s_.k * std::min(kUnit, s_.n))));
    const bool stream = !s_.adj2 && !cached_;
    if (stream && s_.matrices() == 1 && s_.n < kLongRow)
      parts_ = std::min({kMostParts, s_.k / kLeastDepth, int64_t(s_.macs() / kGrainMacs)});
    if (parts_ > 1) Reserve(uint64_t((parts_ - 1) * s_.m * s_.n) * sizeof(float));
    implementation = Text("onednn:", s_.adj2 ? "dots" : cached_ ? "vector" : "stream", ":", kernels_.name);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const float *a = static_cast<const float *>(args.inputs[0]), *b = static_cast<const float *>(args.inputs[1]);
    float *y = static_cast<float *>(args.outputs[0]);
    if (parts_ > 1) {
      RunParts(args, a, b, y);
      return GE_SUCCESS;
    }
    Parallel(s_.matrices() * units_, grain_, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        int64_t matrix = begin / units_, unit = begin % units_, stop = std::min(end - begin + unit, units_);
        int64_t column = unit * kUnit, n = std::min(s_.n, stop * kUnit) - column;
        Offsets o = OffsetsOf(matrix);
        float *c = y + matrix * s_.m * s_.n + column;
        if (s_.adj2) kernels_.dots(int(s_.m), n, s_.k, a + o.a, s_.k, b + o.b + column * s_.k, s_.k, c, s_.n);
        else if (cached_) kernels_.vector(n, s_.k, a + o.a, b + o.b + column, s_.n, c);
        else kernels_.stream(int(s_.m), n, s_.k, a + o.a, s_.k, b + o.b + column, s_.n, c, s_.n);
        FinishPart(args, matrix, 0, column, s_.m, n, c, s_.n);
        begin += stop - unit;
      }
    });
    return GE_SUCCESS;
  }

 private:
  // Each part of the depth makes a sum of its own; the first one's place is the result's.
  void RunParts(const GeKernelArgs &args, const float *a, const float *b, float *y) const {
    const int64_t size = s_.m * s_.n;
    float *sums = static_cast<float *>(args.workspace);
    Parallel(parts_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        const int64_t first = s_.k * part / parts_, depth = s_.k * (part + 1) / parts_ - first;
        float *to = part ? sums + (part - 1) * size : y;
        kernels_.stream(int(s_.m), s_.n, depth, a + first, s_.k, b + first * s_.n, s_.n, to, s_.n);
      }
    });
    for (int64_t part = 1; part < parts_; ++part)
      for (int64_t j = 0; j < size; ++j) y[j] += sums[(part - 1) * size + j];
    FinishPart(args, 0, 0, 0, s_.m, s_.n, y, s_.n);
  }

  bool cached_;
  int64_t units_, grain_, parts_ = 1;
};

}  // namespace

std::unique_ptr<Kernel> CreateSkinny(const Context &context, const MatMulSpec &spec) {
  return std::make_unique<Skinny>(context, spec);
}

}  // namespace onednn
