#include "low_bit.h"

#include <algorithm>
#include <cstring>

#include "low_bit_kernels.h"
#include "matmul_kernels.h"
#include "read_activation.h"

namespace onednn {

namespace {

enum Port { kX, kWeight, kScale, kZero, kGroup, kBias, kResidual };

// Up to this many rows a product is bound by reading the weights: they are read once, as they are.
constexpr int64_t kStreamedRows = 8;

// The weights are read in the order in which models have them: column by column, which no other order beats for few
// rows. So there is no second copy of them, and weights that a run computes are served alike.
class LowBitKernel : public ProductKernel {
 protected:
  LowBitKernel(const Context &context, const MatMulSpec &spec, const LowBitWeights &weights)
      : ProductKernel(context, spec), low_bit_(LowBitKernelsFor(context.features)), weights_(weights) {
    const Tensor zero = context.node.in(kZero);
    packed_zero_ = zero.present() && zero.type() == C_DT_UINT8;
    float_zero_ = zero.present() && !packed_zero_;
    reads_originals = true;
  }
  LowBitWeights WeightsOf(const GeKernelArgs &args) const {
    LowBitWeights w = weights_;
    w.data = static_cast<const uint8_t *>(args.inputs[kWeight]);
    w.scale = static_cast<const float *>(args.inputs[kScale]);
    w.packed_zero = packed_zero_ ? static_cast<const uint8_t *>(args.inputs[kZero]) : nullptr;
    w.zero = float_zero_ ? static_cast<const float *>(args.inputs[kZero]) : nullptr;
    return w;
  }

  const LowBitKernelSet &low_bit_;

 private:
  LowBitWeights weights_;
  bool packed_zero_, float_zero_;
};

class Streamed final : public LowBitKernel {
 public:
  static constexpr double kGrainMacs = 200e3;

  Streamed(const Context &context, const MatMulSpec &spec, const LowBitWeights &weights)
      : LowBitKernel(context, spec, weights) {
    row_floats_ = low_bit_.arranged_floats(weights);
    x_at_ = Reserve(uint64_t(s_.m * row_floats_) * sizeof(float));
    // Whole cache lines of the result.
    units_ = (s_.n + kUnit - 1) / kUnit;
    grain_ = std::max<int64_t>(1, int64_t(kGrainMacs / double(s_.m * s_.k * kUnit)));
    implementation = Text("onednn:low-bit-stream:", kernels_.name);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const LowBitWeights w = WeightsOf(args);
    const float *x = static_cast<const float *>(args.inputs[kX]);
    float *arranged = reinterpret_cast<float *>(static_cast<char *>(args.workspace) + x_at_);
    for (int64_t i = 0; i < s_.m; ++i) low_bit_.arrange(w, x + i * s_.k, arranged + i * row_floats_);
    float *y = static_cast<float *>(args.outputs[0]);
    Parallel(units_, grain_, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * kUnit, last = std::min(s_.n, end * kUnit);
      low_bit_.stream(w, int(s_.m), first, last, arranged, row_floats_, y, s_.n);
      FinishPart(args, 0, 0, first, s_.m, last - first, y + first, s_.n);
    });
    return GE_SUCCESS;
  }

 private:
  static constexpr int64_t kUnit = 16;
  int64_t row_floats_, units_, grain_;
  uint64_t x_at_ = 0;
};

// More rows: a panel of weights is expanded into the first-level cache and multiplied with all rows of a block.
class Expanded final : public LowBitKernel {
 public:
  static constexpr int64_t kDepth = kExpandMost;  // rows of a panel
  static constexpr int64_t kMostRows = 256;       // rows of a block: that part of x stays in the second-level cache
  static constexpr int64_t kMostColumns = 32;
  static constexpr double kGrainMacs = 500e3;

  Expanded(const Context &context, const MatMulSpec &spec, const LowBitWeights &weights)
      : LowBitKernel(context, spec, weights) {
    const int64_t mr = kernels_.rows, nr = kernels_.columns;
    panels_ = (s_.n + nr - 1) / nr;
    const int64_t row_blocks = (s_.m + kMostRows - 1) / kMostRows;
    row_block_ = RoundUp((s_.m + row_blocks - 1) / row_blocks, mr);
    // Rows a power of two apart fall into the same cache sets; a copy with longer rows does not.
    x_stride_ = s_.k % 512 ? s_.k : s_.k + 16;
    if (x_stride_ != s_.k) x_at_ = Reserve(uint64_t(s_.m * x_stride_) * sizeof(float));
    grain_ = std::max<int64_t>(1, int64_t(kGrainMacs / double(row_block_ * nr * s_.k)));
    implementation = Text("onednn:low-bit-tiled:", kernels_.name);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const LowBitWeights w = WeightsOf(args);
    const float *x = static_cast<const float *>(args.inputs[kX]);
    if (x_stride_ != s_.k) {
      float *to = reinterpret_cast<float *>(static_cast<char *>(args.workspace) + x_at_);
      Parallel(s_.m, 1 + 100000 / s_.k, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) memcpy(to + i * x_stride_, x + i * s_.k, size_t(s_.k) * sizeof(float));
      });
      x = to;
    }
    const int64_t row_blocks = (s_.m + row_block_ - 1) / row_block_;
    Parallel(row_blocks * panels_, grain_, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) RunPanel(args, w, x, i / panels_ * row_block_, i % panels_);
    });
    return GE_SUCCESS;
  }

 private:
  void RunPanel(const GeKernelArgs &args, const LowBitWeights &w, const float *x, int64_t row, int64_t panel) const {
    const int64_t nr = kernels_.columns, column = panel * nr, n = std::min(nr, s_.n - column);
    const int64_t rows = std::min(row_block_, s_.m - row), tiles = (rows + kernels_.rows - 1) / kernels_.rows;
    const int64_t mr = (rows + tiles - 1) / tiles;  // tiles of about the same height
    alignas(64) float numbers[kDepth * kMostColumns];
    float *c = static_cast<float *>(args.outputs[0]) + row * s_.n + column;
    for (int64_t depth = 0; depth < s_.k; depth += kDepth) {
      const int64_t k = std::min(kDepth, s_.k - depth);
      low_bit_.expand(w, column, n, depth, k, numbers, nr);
      for (int64_t i = 0; i < rows; i += mr)
        kernels_.tile(int(std::min(mr, rows - i)), int(n), k, x + (row + i) * x_stride_ + depth, x_stride_, 1, numbers,
                      nr, c + i * s_.n, s_.n, depth > 0, numbers, kLineAhead);
    }
    FinishPart(args, 0, row, column, rows, n, c, s_.n);
  }

  int64_t panels_, row_block_, x_stride_, grain_;
  uint64_t x_at_ = 0;
};
void CheckPort(const Node &node, int port, const char *name, int32_t type) {
  const Tensor t = node.in(size_t(port));
  if (!t.present()) return;
  RequirePlain(t, name);
  if (t.type() != type) Refuse(t.type_name(), " is not supported for ", name);
}

LowBitWeights ReadWeights(const Node &node) {
  LowBitWeights w{};
  w.bits = int(node.Int("bits", 4));
  w.block = node.Int("block_size", 0);
  w.k = node.Int("k", 0);
  if (w.bits != 2 && w.bits != 4 && w.bits != 8 && w.bits != 16) Refuse("bits is ", w.bits, ", expected 2, 4, 8 or 16");
  if (w.block < 16 || (w.block & (w.block - 1)) != 0)
    Refuse("block_size is ", w.block, ", expected a power of two from 16");
  if (w.k < 1) Refuse("k is ", w.k, ", expected 1 or more");
  w.blocks = (w.k - 1) / w.block + 1;
  if (node.in(kGroup).present()) Refuse("group_index is not supported");
  RequireFloat(node.in(kX), "x");
  CheckPort(node, kX, "x", C_DT_FLOAT);
  CheckPort(node, kWeight, "weight", C_DT_UINT8);
  CheckPort(node, kScale, "scale", C_DT_FLOAT);
  const Tensor zero = node.in(kZero);
  if (zero.present() && w.bits == 16) Refuse("zero_point is given, numbers of 16 bits have none");
  if (zero.present()) CheckPort(node, kZero, "zero_point", zero.type() == C_DT_UINT8 ? C_DT_UINT8 : C_DT_FLOAT);
  CheckPort(node, kBias, "bias", C_DT_FLOAT);
  CheckPort(node, kResidual, "residual", C_DT_FLOAT);
  return w;
}

void RequireShape(const Node &node, int port, const char *name, const Dims &wanted) {
  const Tensor t = node.in(size_t(port));
  if (t.present() && t.dims() != wanted) Refuse(name, " has shape ", ToText(t.dims()), ", expected ", ToText(wanted));
}

MatMulSpec ReadShapes(const Node &node, const LowBitWeights &w) {
  MatMulSpec s;
  const Dims x = node.in(kX).dims(), weight = node.in(kWeight).dims(), y = node.out(0).dims();
  if (x.empty() || x.back() != w.k) Refuse("x has shape ", ToText(x), ", its last extent must be k, which is ", w.k);
  if (weight.size() != 3) Refuse("weight has shape ", ToText(weight), ", expected rank 3");
  s.k = w.k, s.n = weight[0], s.m = Count(x, 0, x.size() - 1);
  RequireShape(node, kWeight, "weight", {s.n, w.blocks, w.block / 8 * w.bits});
  RequireShape(node, kScale, "scale", {s.n, w.blocks});
  if (node.in(kZero).present())
    RequireShape(node, kZero, "zero_point", {s.n, node.in(kZero).type() == C_DT_UINT8 ? w.zero_bytes() : w.blocks});
  RequireShape(node, kBias, "bias", {s.n});
  RequireShape(node, kResidual, "residual", y);
  Dims expected = x;
  expected.back() = s.n;
  if (y != expected) Refuse("y has shape ", ToText(y), ", expected ", ToText(expected));
  if (s.macs() == 0) Refuse("empty matrices are not supported");
  if (node.in(kBias).present()) s.bias = kBias;
  if (node.in(kResidual).present()) s.residual = kResidual;
  s.activation = ActivationOf(node);
  return s;
}

}  // namespace

void CheckLowBit(const Node &node) {
  const LowBitWeights w = ReadWeights(node);
  ActivationOf(node);
  if (node.known()) ReadShapes(node, w);
}

std::unique_ptr<Kernel> CreateLowBit(const Context &context) {
  const LowBitWeights w = ReadWeights(context.node);
  const MatMulSpec s = ReadShapes(context.node, w);
  std::unique_ptr<Kernel> kernel;
  if (s.m <= kStreamedRows) kernel = std::make_unique<Streamed>(context, s, w);
  else kernel = std::make_unique<Expanded>(context, s, w);
  kernel->flops = 2 * s.macs();
  return kernel;
}

}  // namespace onednn
