// Products for all extents. Here those of few rows against matrices that only a run brings: a decoder's queries against
// its caches, which may lie in memory with room to grow. Against a constant matrix the tiles take any number of rows.
#include <algorithm>

#include "matmul_kernels.h"

namespace onednn {

namespace {

class OpenFew final : public Kernel {
 public:
  static constexpr int kMostRank = 8;
  static constexpr double kGrainMacs = 100e3;
  static constexpr int64_t kCached = 64 * 1024;  // values; a matrix of fewer lies in a cache

  explicit OpenFew(const Context &context) : kernels_(KernelsFor(context.features)) {
    const Node &node = context.node;
    const MatMulSpec spec = ReadMatMulAttributes(node);
    if (spec.types.bf16 || spec.adj1 || spec.bias >= 0 || spec.residual >= 0 || spec.addend >= 0)
      Refuse("its kernel serves one size");
    for (const Tensor &t : {node.in(0), node.in(1), node.out(0)})
      if (!t.ranked() || t.rank() > kMostRank) Refuse("its kernel serves one size at ranks above ", kMostRank);
    ranks_[0] = node.in(0).rank(), ranks_[1] = node.in(1).rank(), rank_ = node.out(0).rank();
    rows_ = node.out(0).dim(rank_ - 2);
    if (rows_ < 1 || rows_ > kSkinnyRows) Refuse("with many rows its kernel serves one size");
    adj2_ = spec.adj2;
    finish_.scale = spec.scale, finish_.activation = spec.activation;
    strided_inputs = 2;
    implementation = Text("onednn:", adj2_ ? "dots" : "stream", ":open:", kernels_.name);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const int64_t *a = args.input_dims[0], *b = args.input_dims[1], *y = args.output_dims[0];
    const int64_t *strides = args.input_strides ? args.input_strides[1] : nullptr;
    Extents e{rows_, y[rank_ - 1], a[ranks_[0] - 1], strides ? strides[ranks_[1] - 2] : b[ranks_[1] - 1]};
    const int64_t depth = b[ranks_[1] - (adj2_ ? 1 : 2)], columns = b[ranks_[1] - (adj2_ ? 2 : 1)];
    if (depth != e.k || columns != e.n || a[ranks_[0] - 2] != rows_)
      return env()->fail(GE_FAILED, "the extents of the matrices do not fit one another");
    int64_t matrices = 1;
    for (int d = 0; d < rank_ - 2; ++d) matrices *= y[d];
    const double macs = double(e.m) * double(e.n) * double(e.k);
    Parallel(matrices, std::max<int64_t>(1, int64_t(kGrainMacs / (macs + 1))), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        Product(e, static_cast<const float *>(args.inputs[0]) + OffsetOf(i, y, a, ranks_[0], nullptr),
                static_cast<const float *>(args.inputs[1]) + OffsetOf(i, y, b, ranks_[1], strides),
                static_cast<float *>(args.outputs[0]) + i * e.m * e.n);
    });
    return GE_SUCCESS;
  }

 private:
  struct Extents {
    int64_t m, n, k, row;  // row: elements from one row of the second matrix to the next
  };
  // Elements before the matrix that belongs to result matrix `i`, of an operand that broadcasts.
  int64_t OffsetOf(int64_t i, const int64_t *y, const int64_t *dims, int rank, const int64_t *strides) const {
    int64_t offset = 0, dense = dims[rank - 1] * dims[rank - 2];
    for (int d = rank_ - 3; d >= 0; --d) {
      const int64_t at = i % y[d];
      const int own = d - (rank_ - rank);
      i /= y[d];
      if (own < 0) continue;
      if (dims[own] != 1) offset += at * (strides ? strides[own] : dense);
      dense *= dims[own];
    }
    return offset;
  }
  void Product(const Extents &e, const float *a, const float *b, float *y) const {
    if (adj2_) kernels_.dots(int(e.m), e.n, e.k, a, e.k, b, e.row, y, e.n);
    else if (e.m == 1 && e.n * e.k <= kCached) kernels_.vector(e.n, e.k, a, b, e.row, y);
    else kernels_.stream(int(e.m), e.n, e.k, a, e.k, b, e.row, y, e.n);
    if (!finish_.nothing()) kernels_.finish(e.m, e.n, y, e.n, finish_);
  }

  const KernelSet &kernels_;
  int ranks_[2], rank_;
  int64_t rows_;
  bool adj2_;
  Finish finish_;
};

}  // namespace

std::unique_ptr<Kernel> CreateOpenMatMul(const Context &context) {
  if (!context.node.in(1).constant()) return std::make_unique<OpenFew>(context);
  const MatMulSpec spec = ReadOpenDense(context);
  if (!spec.types.bf16 && IsNarrow(context, spec)) return CreateNarrow(context, spec);
  return spec.types.bf16 ? CreateTiledBf16(context, spec) : CreateTiled(context, spec);
}

}  // namespace onednn
