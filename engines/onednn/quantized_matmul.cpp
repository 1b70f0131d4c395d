// QuantizedMatMul: rows of x1 in the form of the weights' mode, tiles of sums, and their finish while they are in a
// cache.
#include <algorithm>
#include <cstring>

#include "int8_weights.h"

namespace onednn {

namespace {

struct ProductSpec {
  int64_t m = 0, n = 0, k = 0;  // m -1: any number of rows, of one matrix each
  int rank = 0;                 // of y, then
  bool adj = false;
  Dims batch;         // of the result, before the last two dimensions
  Dims step1, step2;  // matrices from one to the next, per batch dimension; 0 where broadcast
  int64_t matrices1 = 1, matrices2 = 1;
  QuantizedSpec quantized;

  int64_t matrices() const { return Count(batch); }
  double macs() const { return double(matrices()) * double(m) * double(n) * double(k); }
};

Dims MatrixSteps(const Dims &from, const Dims &batch, const char *what) {
  Dims steps(batch.size());
  int64_t own = 1;
  for (size_t i = batch.size(), j = from.size() - 2; i-- > 0;) {
    const int64_t extent = j > 0 ? from[--j] : 1;
    if (extent != 1 && extent != batch[i]) Refuse(what, " of shape ", ToText(from), " does not go with the result's");
    steps[i] = extent == 1 ? 0 : own;
    own *= extent;
  }
  return steps;
}

ProductSpec ReadProduct(const Node &node) {
  ProductSpec s;
  s.quantized = ReadQuantized(node);
  s.adj = node.Bool("adj_x2", false);
  const Dims a = node.in(kPortX).dims(), b = node.in(kPortWeights).dims(), y = node.out(0).dims();
  if (a.size() < 2 || b.size() < 2 || y.size() != std::max(a.size(), b.size()))
    Refuse("shapes ", ToText(a), ", ", ToText(b), " and ", ToText(y), " do not fit");
  s.m = a[a.size() - 2], s.k = a.back(), s.n = s.adj ? b[b.size() - 2] : b.back();
  const int64_t inner = s.adj ? b.back() : b[b.size() - 2];
  if (inner != s.k) Refuse("the inner extents differ: ", s.k, " and ", inner);
  if (y[y.size() - 2] != s.m || y.back() != s.n) Refuse("y's shape ", ToText(y), " does not follow from the operands'");
  s.batch = Dims(y.begin(), y.end() - 2);
  s.step1 = MatrixSteps(a, s.batch, "x1"), s.step2 = MatrixSteps(b, s.batch, "x2");
  s.matrices1 = Count(a, 0, a.size() - 2), s.matrices2 = Count(b, 0, b.size() - 2);
  if (s.k > INT32_MAX / 2) Refuse("an inner extent of ", s.k, " is not supported");
  if (Count(y) == 0) Refuse("empty tensors are not supported");
  ReadQuantizedCounts(node, s.matrices1 * s.m, s.m, s.n, &s.quantized);
  // Matrices that meet the same weights are one with more rows, unless each starts its scales anew.
  const bool anew = s.m > 1 && s.matrices() > 1 && (s.quantized.x_scales == s.m || s.quantized.x_zeros == s.m);
  if (s.matrices2 == 1 && s.matrices1 == s.matrices() && !anew) {
    s.m *= s.matrices();
    s.matrices1 = 1;
    s.batch.clear(), s.step1.clear(), s.step2.clear();
  }
  return s;
}

/// Of any number of rows: one constant matrix, and a scale and zero point of x that do not go by rows.
ProductSpec ReadOpenProduct(const Node &node) {
  ProductSpec s;
  s.quantized = ReadQuantized(node);
  s.adj = node.Bool("adj_x2", false);
  const Tensor x = node.in(kPortX), w = node.in(kPortWeights), y = node.out(0), zeros = node.in(kPortWeightZero);
  if (!w.constant() || (zeros.present() && !zeros.constant()) || w.rank() != 2 || x.rank() < 2)
    Refuse("its kernel serves one size");
  s.rank = y.rank(), s.m = -1;
  s.k = w.dim(s.adj ? 1 : 0), s.n = w.dim(s.adj ? 0 : 1);
  if (x.dim(x.rank() - 1) != s.k || y.dim(s.rank - 1) != s.n || s.rank != x.rank())
    Refuse("its depth or its columns are open");
  if (s.k > INT32_MAX / 2 || s.k * s.n == 0) Refuse("an inner extent of ", s.k, " is not supported");
  ReadQuantizedCounts(node, 1, 1, s.n, &s.quantized);
  return s;
}

class QuantizedMatMul final : public Kernel {
 public:
  QuantizedMatMul(const Context &context, const ProductSpec &spec)
      : s_(spec), env_(context.env), kernels_(Int8KernelsFor(context.features)) {
    const Node &node = context.node;
    const Tensor weights = node.in(kPortWeights), zeros = node.in(kPortWeightZero);
    constant_ = weights.constant() && (!zeros.present() || zeros.constant()) && s_.k > 0;
    Int8Source source = SourceOf(weights.content(), zeros.present() ? zeros.content() : nullptr);
    if (constant_) panels_of_.ChooseMode(*env_, source, s_.matrices2 * s_.k * s_.n, kernels_);
    mode_ = panels_of_.mode();
    layout_.Add(mode_, s_.k, 0, [&](int64_t i) { return i * (s_.adj ? 1 : s_.n); });
    panels_ = PanelCount(s_.n, kernels_);
    panel_bytes_ = PanelBytes(mode_, layout_.groups(), kernels_);
    row_bytes_ = RoundUp(s_.k, GroupSize(mode_)) * BytesOfX(mode_);
    if (constant_) {
      panels_of_.Pack(
          *env_, KeyOf(zeros), layout_, s_.matrices2, [&](int64_t i) { return OfMatrix(source, i); }, kernels_);
    } else {
      packed_at_ = Reserve(uint64_t(s_.matrices2 * panels_ * panel_bytes_));
      reads_originals = true;
    }
    // Bytes that are in groups of four already are read where they are.
    in_place_ = mode_ == Int8Mode::kQuads && !s_.quantized.x_signed && s_.k % 4 == 0;
    sizes_workspace = s_.m < 0;
    if (s_.m >= 0) {
      division_ = Divide(s_.m);
      if (!in_place_) x_at_ = Reserve(uint64_t(s_.matrices1 * s_.m * row_bytes_));
    }
    implementation = Text(s_.m < 0 ? "int8:open:" : "int8:",
                          mode_ == Int8Mode::kQuads ? "quads:"
                          : constant_               ? "pairs:"
                                                    : "packed:",
                          kernels_.name);
    flops = s_.m < 0 ? 0 : 2 * s_.macs();
    flops_type = C_DT_INT8;
  }

  uint64_t WorkspaceFor(const int64_t *const *, const int64_t *const *output_dims) const override {
    return in_place_ ? 0 : uint64_t(RowsOf(output_dims[0], s_.rank) * row_bytes_);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (s_.m >= 0) Run(args, division_);
    else if (const int64_t m = RowsOf(args.output_dims[0], s_.rank); m > 0) Run(args, Divide(m));
    return GE_SUCCESS;
  }

 private:
  struct Division {
    int64_t m, row_block = 0, row_blocks = 0, panel_block = 0, panel_blocks = 0, grain = 1;
  };

  void Run(const GeKernelArgs &args, const Division &d) const {
    const QuantizedCall call(s_.quantized, args);
    char *workspace = static_cast<char *>(args.workspace);
    const char *packed = workspace + packed_at_, *x = static_cast<const char *>(args.inputs[kPortX]);
    if (!constant_) {
      char *to = workspace + packed_at_;
      const Int8Source source = SourceOf(args.inputs[kPortWeights], args.inputs[kPortWeightZero]);
      Parallel(s_.matrices2 * panels_, 1 + 50000 / (panel_bytes_ + 1),
               [&](int64_t begin, int64_t end) { PackMatrices(source, begin, end, to); });
    }
    if (!in_place_) {
      char *to = workspace + x_at_;
      Parallel(s_.matrices1 * d.m, 1 + 100000 / (s_.k + 1),
               [&](int64_t begin, int64_t end) { ConvertRows(call, x, begin, end, to); });
      x = to;
    }
    Parallel(s_.matrices() * d.row_blocks * d.panel_blocks, d.grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) RunBlock(args, d, call, i, x, packed);
    });
  }

  Int8Source SourceOf(const void *weights, const void *zeros) const {
    Int8Source source{};
    source.weights = weights, source.is_signed = s_.quantized.weights_signed;
    source.column_step = s_.adj ? s_.k : 1, source.columns = s_.n;
    source.depth_step = s_.adj ? 1 : s_.n, source.column_depth = s_.k;
    source.zeros = zeros, source.zero_count = zeros ? s_.quantized.weight_zeros : 0;
    return source;
  }
  std::string KeyOf(const Tensor &zeros) const {
    std::string key = Text("int8:", kernels_.columns, ":", int64_t(mode_), ":", s_.k, "x", s_.n, s_.adj ? "t" : "");
    if (zeros.present()) key += Text(":", int64_t(reinterpret_cast<intptr_t>(zeros.content())));
    return key;
  }

  Int8Source OfMatrix(Int8Source source, int64_t matrix) const {
    source.weights = static_cast<const char *>(source.weights) + matrix * s_.k * s_.n;
    return source;
  }

  // Panels [begin, end), counted over all matrices of x2.
  void PackMatrices(const Int8Source &source, int64_t begin, int64_t end, char *to) const {
    for (int64_t i = begin; i < end; ++i) {
      PackPanels(OfMatrix(source, i / panels_), mode_, layout_, kernels_, i % panels_, i % panels_ + 1,
                 to + i * panel_bytes_);
    }
  }

  void ConvertRows(const QuantizedCall &call, const char *x, int64_t begin, int64_t end, char *to) const {
    for (int64_t row = begin; row < end; ++row) {
      const char *from = x + row * s_.k;
      char *out = to + row * row_bytes_;
      const int64_t used = s_.k * BytesOfX(mode_);
      if (mode_ == Int8Mode::kQuads) {
        kernels_.quads(from, s_.quantized.x_signed, s_.k, reinterpret_cast<uint8_t *>(out));
      } else {
        const int64_t in_scales = s_.quantized.x_zeros == s_.m ? row % s_.m : row;
        kernels_.pairs(from, s_.quantized.x_signed, s_.k, call.x_zero(in_scales), reinterpret_cast<int16_t *>(out));
      }
      memset(out + used, 0, size_t(row_bytes_ - used));
    }
  }

  Division Divide(int64_t m) const {
    constexpr int64_t kCached = 192 << 10;  // bytes of x that stay in the second-level cache
    constexpr double kGrainMacs = 500e3;
    Division d{m};
    const int64_t most = std::max<int64_t>(kernels_.rows, kCached / (row_bytes_ + 1) / kernels_.rows * kernels_.rows);
    d.row_blocks = (m + most - 1) / most;
    d.row_block = RoundUp((m + d.row_blocks - 1) / d.row_blocks, kernels_.rows);
    d.row_blocks = (m + d.row_block - 1) / d.row_block;
    d.panel_block = std::min<int64_t>(panels_, 8);
    const auto blocks = [&] {
      d.panel_blocks = (panels_ + d.panel_block - 1) / d.panel_block;
      return s_.matrices() * d.row_blocks * d.panel_blocks;
    };
    while (blocks() < 8 * env_->threads && d.panel_block > 1) d.panel_block = (d.panel_block + 1) / 2;
    const double macs = double(s_.matrices()) * double(m) * double(s_.n) * double(s_.k);
    d.grain = std::max<int64_t>(1, int64_t(kGrainMacs / (macs / double(blocks()) + 1)));
    return d;
  }

  void RunBlock(const GeKernelArgs &args, const Division &d, const QuantizedCall &call, int64_t block, const char *x,
                const char *packed) const {
    const int64_t first_panel = block % d.panel_blocks * d.panel_block, rest = block / d.panel_blocks;
    const int64_t row = rest % d.row_blocks * d.row_block, matrix = rest / d.row_blocks;
    const int64_t rows = std::min(d.row_block, d.m - row), last_panel = std::min(panels_, first_panel + d.panel_block);
    int64_t matrix1 = 0, matrix2 = 0, left = matrix;
    for (size_t i = s_.batch.size(); i-- > 0; left /= s_.batch[i])
      matrix1 += left % s_.batch[i] * s_.step1[i], matrix2 += left % s_.batch[i] * s_.step2[i];
    const QuantizedSpec &q = s_.quantized;
    const int32_t *column_sums = panels_of_.column_sums();
    const bool zero_by_rows = mode_ == Int8Mode::kQuads && q.x_zeros > 1;
    const int32_t moved = q.x_signed && mode_ == Int8Mode::kQuads ? 128 : 0;
    char *y = static_cast<char *>(args.outputs[0]) + (matrix * d.m + row) * s_.n * q.bytes_of_y();
    PanelColumns columns;
    alignas(64) int32_t sums[kInt8Batch * kMostInt8Columns];
    int32_t zeros[kInt8Batch];
    for (int64_t panel = first_panel; panel < last_panel; ++panel) {
      const int64_t column = panel * kernels_.columns, n = std::min<int64_t>(kernels_.columns, s_.n - column);
      call.Prepare(column, n, column_sums ? column_sums + matrix2 * s_.n : nullptr,
                   zero_by_rows ? 0 : call.x_zero(0) + moved, &columns);
      const int64_t index = matrix2 * panels_ + panel;
      const ConstantPanels::Panel weights =
          constant_ ? panels_of_.at(index)
                    : ConstantPanels::Panel{layout_.groups(), layout_.offsets.data(), packed + index * panel_bytes_};
      const Int8Tile tile{0, int(n), weights.groups, nullptr, weights.offsets, weights.weights, sums};
      for (int64_t i = 0; i < rows; i += kInt8Batch) {
        const int count = int(std::min<int64_t>(kInt8Batch, rows - i));
        const char *from = x + (matrix1 * d.m + row + i) * row_bytes_;
        SumBatch(kernels_, mode_, tile, count, [&](int r) { return from + r * row_bytes_; });
        const auto value_of = [&](int64_t values) { return (values == d.m ? 0 : matrix1 * d.m) + row + i; };
        Int8Finish finish = call.FinishOf(columns, value_of(q.x_scales));
        if (zero_by_rows) {
          for (int r = 0; r < count; ++r) zeros[r] = call.x_zero(value_of(q.x_zeros) + r) + moved;
          finish.x_zero = zeros, finish.weight_sums = columns.weight_sums;
        }
        kernels_.finish(count, int(n), sums, finish, y + (i * s_.n + column) * q.bytes_of_y(), s_.n);
      }
    }
  }

  ProductSpec s_;
  const GeKernelEnv *env_;
  const Int8Kernels &kernels_;
  Int8Mode mode_ = Int8Mode::kWidePairs;
  Int8Layout layout_;
  bool constant_ = false, in_place_ = false;
  int64_t panels_ = 0, panel_bytes_ = 0, row_bytes_ = 0;
  Division division_{};  // of a kernel for one number of rows
  uint64_t packed_at_ = 0, x_at_ = 0;
  ConstantPanels panels_of_;
};

}  // namespace

void CheckQuantizedMatMul(const Node &node) {
  if (node.known()) ReadProduct(node);
  else ReadQuantized(node);
}

std::unique_ptr<Kernel> CreateOpenQuantizedMatMul(const Context &context) {
  return std::make_unique<QuantizedMatMul>(context, ReadOpenProduct(context.node));
}

std::unique_ptr<Kernel> CreateQuantizedMatMul(const Context &context) {
  return std::make_unique<QuantizedMatMul>(context, ReadProduct(context.node));
}

}  // namespace onednn
