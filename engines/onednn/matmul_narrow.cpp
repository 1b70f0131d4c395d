// Products of few columns, of which a tile would be mostly padding: classifiers of two classes, points times a
// rotation. Lanes are rows of the first matrix. A block of these is turned so that they lie side by side, and the tile
// computes the transposed product; where the depth is long, rows are long enough for vectors of their own, and results
// are dot products.
#include <algorithm>
#include <cstring>

#include "matmul_kernels.h"

namespace onednn {

namespace {

bool TakesDots(const MatMulSpec &s) {
  constexpr int64_t kLongDepth = 64, kMostDots = 3;
  return !s.adj1 && s.n <= kMostDots && s.k >= kLongDepth;
}

/// With spec.m 0 for any number of rows, of a constant matrix.
class Narrow final : public ProductKernel {
 public:
  static constexpr double kGrainMacs = 100e3;  // less stays on one thread
  static constexpr int64_t kDepth = 256;       // of a turned block, which stays in the first-level cache
  static constexpr int64_t kMostLanes = 32, kMostColumns = 16;

  Narrow(const Context &context, const MatMulSpec &spec)
      : ProductKernel(context, spec), dots_(TakesDots(spec)), lanes_(kernels_.columns) {
    distinct_b_ = Distinct(s_.step2, s_.batch);
    if (dots_ && !s_.adj2) {
      const Tensor b = context.node.in(1);
      if (b.constant()) turned_b_ = ConstantRows(static_cast<const float *>(b.address()));
      else b_at_ = Reserve(RowsBytes());
    }
    grain_ = std::max<int64_t>(1, int64_t(kGrainMacs / double(lanes_ * s_.n * s_.k)));
    rank_ = s_.rank;
    implementation = Text("onednn:narrow:", s_.m ? "" : "open:", kernels_.name);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const int64_t m = s_.m ? s_.m : RowsOf(args.output_dims[0], rank_), blocks = (m + lanes_ - 1) / lanes_;
    const float *b = static_cast<const float *>(args.inputs[1]);
    if (dots_ && turned_b_) b = turned_b_;
    if (dots_ && !s_.adj2 && !turned_b_) {
      float *to = reinterpret_cast<float *>(static_cast<char *>(args.workspace) + b_at_);
      for (int64_t i = 0; i < distinct_b_; ++i) Turn(b + i * s_.k * s_.n, to + i * s_.k * s_.n);
      b = to;
    }
    float bias[kMostLanes * kMostColumns];  // for all results of a block
    if (s_.bias >= 0)
      for (int64_t i = 0; i < lanes_ * s_.n; ++i) bias[i] = static_cast<const float *>(args.inputs[s_.bias])[i % s_.n];
    Parallel(s_.matrices() * blocks, grain_, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t matrix = i / blocks, row = i % blocks * lanes_;
        Block(args, m, matrix, row, std::min(lanes_, m - row), b, s_.bias >= 0 ? bias : nullptr);
      }
    });
    return GE_SUCCESS;
  }

 private:
  // b [k, n] as [n, k].
  void Turn(const float *b, float *to) const {
    for (int64_t p = 0; p < s_.k; ++p)
      for (int64_t j = 0; j < s_.n; ++j) to[j * s_.k + p] = b[p * s_.n + j];
  }
  uint64_t RowsBytes() const { return uint64_t(distinct_b_ * s_.k * s_.n) * sizeof(float); }
  const float *ConstantRows(const float *b) const {
    const std::string key = Text("onednn:rows:", s_.k, "x", s_.n);
    return static_cast<const float *>(Packed(*env_, b, key, RowsBytes(), [&](const void *from, void *to) {
      for (int64_t i = 0; i < distinct_b_; ++i)
        Turn(static_cast<const float *>(from) + i * s_.k * s_.n, static_cast<float *>(to) + i * s_.k * s_.n);
    }));
  }

  // Some rows, at most lanes_, of one result matrix. Of their transposed product each column is a row of `sums`.
  void Block(const GeKernelArgs &args, int64_t m, int64_t matrix, int64_t row, int64_t rows, const float *b,
             const float *bias) const {
    const Offsets o = OffsetsOf(matrix);
    const float *a = static_cast<const float *>(args.inputs[0]) + o.a + row * (s_.adj1 ? 1 : s_.k);
    alignas(64) float sums[kMostLanes * kMostColumns];
    if (dots_) kernels_.dots(int(s_.n), rows, s_.k, b + o.b, s_.k, a, s_.k, sums, lanes_);
    else Tiles(a, m, rows, b + o.b, sums);
    float *y = static_cast<float *>(args.outputs[0]) + (matrix * m + row) * s_.n;
    // Each row that is turned back writes a whole vector, over whose end the next one writes.
    alignas(64) float back[kMostLanes * kMostColumns + kMostColumns];
    if (s_.n == 1) {
      memcpy(y, sums, size_t(rows) * sizeof(float));
    } else {
      kernels_.transpose(s_.n, rows, sums, lanes_, back, s_.n);
      memcpy(y, back, size_t(rows * s_.n) * sizeof(float));
    }
    if (s_.addend >= 0) return FinishPart(args, matrix, row, 0, rows, s_.n, y, s_.n);
    Finish f;
    f.scale = s_.scale, f.activation = s_.activation, f.bias = bias;
    if (s_.residual >= 0) f.residual = static_cast<const float *>(args.inputs[s_.residual]) + (matrix * m + row) * s_.n;
    if (!f.nothing()) kernels_.finish(1, rows * s_.n, y, 0, f);
  }

  // sums[n, lanes_] = b^T * a^T, a part of the depth after the other.
  void Tiles(const float *a, int64_t m, int64_t rows, const float *b, float *sums) const {
    alignas(64) float turned[kMostLanes * kDepth];
    const int64_t b_row = s_.adj2 ? s_.k : 1, b_step = s_.adj2 ? 1 : s_.n;
    const int64_t tiles = (s_.n + kernels_.rows - 1) / kernels_.rows, height = (s_.n + tiles - 1) / tiles;
    for (int64_t depth = 0; depth < s_.k; depth += kDepth) {
      const int64_t k = std::min(kDepth, s_.k - depth);
      const float *panel = turned;
      if (s_.adj1) panel = a + depth * m;  // lies that way
      else kernels_.transpose(rows, k, a + depth, s_.k, turned, lanes_);
      for (int64_t j = 0; j < s_.n; j += height)
        kernels_.tile(int(std::min(height, s_.n - j)), int(s_.adj1 ? rows : lanes_), k, b + j * b_row + depth * b_step,
                      b_row, b_step, panel, s_.adj1 ? m : lanes_, sums + j * lanes_, lanes_, depth > 0,
                      a + lanes_ * s_.k + depth, kLineAhead);
    }
  }

  const bool dots_;
  const int64_t lanes_;
  int64_t distinct_b_, grain_;
  int rank_ = 0;  // of y, of a kernel for all numbers of rows
  uint64_t b_at_ = 0;
  const float *turned_b_ = nullptr;
};

}  // namespace

// Half a tile's columns and less (1.1 to 5 times as fast). Dot products of a constant matrix serve any number of rows,
// as the kernel for all numbers does; other sums are those of the tiles, one product after the other.
bool IsNarrow(const Context &context, const MatMulSpec &s) {
  const int64_t lanes = KernelsFor(context.features).columns;
  if (s.n > lanes / 2) return false;
  return s.m == 0 || s.m >= lanes || (context.node.in(1).constant() && TakesDots(s));
}

std::unique_ptr<Kernel> CreateNarrow(const Context &context, const MatMulSpec &spec) {
  return std::make_unique<Narrow>(context, spec);
}

}  // namespace onednn
