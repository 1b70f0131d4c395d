// Products of any shape: tiles that stay in registers, the operands packed where their own layout would hurt.
#include <algorithm>
#include <cstring>

#include "bf16_kernels.h"
#include "matmul_kernels.h"

namespace onednn {

namespace {

/// With spec.m 0 for any number of rows, of a constant matrix.
class Tiled final : public ProductKernel {
 public:
  static constexpr int64_t kMostRows = 264;    // rows of a block, before they are rounded up to whole tiles
  static constexpr double kGrainMacs = 500e3;  // less stays on one thread
  static constexpr int64_t kMostColumns = 32, kMostTileRows = 32;

  Tiled(const Context &context, const MatMulSpec &spec)
      : ProductKernel(context, spec), tile_(kernels_.tile), tile_rows_(kernels_.rows) {
    const Tensor b = context.node.in(1);
    pack_b_ = s_.adj2 || b.constant() || (s_.n > 512 && s_.m > 2 * kernels_.rows);
    if (pack_b_) {
      if (b.constant()) packed_b_ = ConstantPanels(static_cast<const float *>(b.address()));
      else b_at_ = Reserve(PanelBytes());
    }
    Finish(4, Text("onednn:tiled:", s_.m ? "" : "open:", kernels_.name));
  }

  /// Operands of pairs in bf16, in lanes of floats: `spec` counts pairs along the depth. One panel at a time where y
  /// has to be rounded.
  Tiled(const Context &context, const MatMulSpec &spec, const Bf16KernelSet &bf16, const float *panels)
      : ProductKernel(context, spec), tile_(bf16.tile), tile_rows_(bf16.rows), pack_b_(true), packed_b_(panels) {
    if (s_.types.y_bf16) round_ = bf16.round;
    Finish(round_ ? 1 : 4, Text("onednn:tiled:", s_.m ? "" : "open:", bf16.name));
  }

  uint64_t WorkspaceFor(const int64_t *const *, const int64_t *const *output_dims) const override {
    return CopyBytes(RowsOf(output_dims[0], rank_));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (s_.m) {
      Run(args, division_);
      return GE_SUCCESS;
    }
    const int64_t m = RowsOf(args.output_dims[0], rank_);
    if (m > 0) Run(args, Divide(m));
    return GE_SUCCESS;
  }

 private:
  // How x1 and the work are cut.
  struct Division {
    int64_t m, row_block, panel_block, grain;
    int64_t row_blocks() const { return (m + row_block - 1) / row_block; }
  };

  void Finish(int64_t most_panels, std::string name) {
    most_panels_ = most_panels;
    implementation = std::move(name);
    panels_ = Panels();
    distinct_a_ = Distinct(s_.step1, s_.batch), distinct_b_ = Distinct(s_.step2, s_.batch);
    // Rows a power of two apart fall into the same cache sets; a copy with longer rows does not.
    a_stride_ = s_.adj1 || s_.k % 512 || s_.n <= kernels_.columns ? s_.k : s_.k + 16;
    if (s_.m == 0) {
      sizes_workspace = true;
      rank_ = s_.rank;
      return;
    }
    if (a_stride_ != s_.k) a_at_ = Reserve(CopyBytes(s_.m));
    division_ = Divide(s_.m);
  }

  uint64_t CopyBytes(int64_t m) const {
    return a_stride_ == s_.k ? 0 : uint64_t(distinct_a_ * m * a_stride_) * sizeof(float);
  }

  Division Divide(int64_t m) const {
    Division d{m, 0, 0, 1};
    // Blocks of rows whose part of x1 stays in the second-level cache, all of about the same height; blocks of columns
    // small enough to keep every thread busy to the end.
    const int64_t row_blocks = (m + kMostRows - 1) / kMostRows;
    d.row_block = RoundUp((m + row_blocks - 1) / row_blocks, tile_rows_);
    d.panel_block = std::min<int64_t>(panels_, most_panels_);
    const auto blocks = [&] { return s_.matrices() * d.row_blocks() * ColumnBlocks(d); };
    while (blocks() < 4 * env_->threads && d.panel_block > 1) d.panel_block = (d.panel_block + 1) / 2;
    const double macs = double(s_.matrices()) * double(m) * double(s_.n) * double(s_.k);
    d.grain = std::max<int64_t>(1, int64_t(kGrainMacs / (macs / double(blocks()))));
    return d;
  }

  void Run(const GeKernelArgs &args, const Division &d) const {
    const float *a = static_cast<const float *>(args.inputs[0]), *b = static_cast<const float *>(args.inputs[1]);
    char *workspace = static_cast<char *>(args.workspace);
    const float *packed_b = packed_b_;
    if (pack_b_ && !packed_b) {
      float *to = reinterpret_cast<float *>(workspace + b_at_);
      packed_b = to;
      Parallel(distinct_b_ * panels_, 1 + 100000 / (s_.k * kernels_.columns),
               [&](int64_t begin, int64_t end) { PackPanels(b, to, begin, end); });
    }
    if (a_stride_ != s_.k) {
      float *to = reinterpret_cast<float *>(workspace + a_at_);
      Parallel(distinct_a_ * d.m, 1 + 100000 / s_.k, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) memcpy(to + i * a_stride_, a + i * s_.k, s_.k * sizeof(float));
      });
      a = to;
    }
    Parallel(s_.matrices() * d.row_blocks() * ColumnBlocks(d), d.grain, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) RunBlock(args, d, block, a, pack_b_ ? packed_b : b);
    });
  }

  // One block of one result matrix. x2 is `b` or its packed form.
  void RunBlock(const GeKernelArgs &args, const Division &d, int64_t block, const float *a, const float *b) const {
    const int64_t mr = tile_rows_, nr = kernels_.columns;
    int64_t first_panel = block % ColumnBlocks(d) * d.panel_block, rest = block / ColumnBlocks(d);
    int64_t row = rest % d.row_blocks() * d.row_block, matrix = rest / d.row_blocks();
    int64_t last_panel = std::min(panels_, first_panel + d.panel_block), rows = std::min(d.row_block, d.m - row);
    // Tiles of about the same height: one of a row or two would wait for its own sums.
    const int64_t tiles = (rows + mr - 1) / mr, height = (rows + tiles - 1) / tiles;
    Offsets o = OffsetsOf(matrix);
    a += o.a / s_.k * a_stride_;
    b += pack_b_ ? o.b / (s_.k * s_.n) * panels_ * s_.k * nr : o.b;
    const int64_t b_stride = pack_b_ ? nr : s_.n, row_stride = s_.adj1 ? 1 : a_stride_, step = s_.adj1 ? d.m : 1;
    // A tile by itself asks for all of the next panel. With AVX-512 the first two ask for half of it each, with AVX2
    // all of them for their shares: memory would not bring it while one is computed.
    const bool spreads = nr <= kLineAhead;
    const int64_t ahead = rows <= height ? nr : spreads ? (nr + tiles - 1) / tiles : kLineAhead;
    alignas(64) float sums[(kMostRows + kMostTileRows) * kMostColumns];
    float *c = round_ ? sums : static_cast<float *>(args.outputs[0]) + (matrix * d.m + row) * s_.n + first_panel * nr;
    const int64_t c_stride = round_ ? nr : s_.n;
    for (int64_t depth = 0; depth < s_.k; depth += depth_) {
      int64_t k = std::min(depth_, s_.k - depth);
      for (int64_t panel = first_panel; panel < last_panel; ++panel) {
        int64_t column = panel * nr, n = std::min(nr, s_.n - column);
        const float *bp = pack_b_ ? b + panel * s_.k * nr + depth * nr : b + depth * s_.n + column;
        // The panel that comes next, fetched while the tiles of this one are computed.
        const float *next = !pack_b_                 ? bp
                            : panel + 1 < last_panel ? bp + s_.k * nr
                            : depth + k < s_.k       ? b + first_panel * s_.k * nr + (depth + k) * nr
                                                     : b + last_panel % panels_ * s_.k * nr;
        for (int64_t i = row; i < row + rows; i += height) {
          tile_(int(std::min(height, row + rows - i)), int(n), k, a + i * row_stride + depth * step, row_stride, step,
                bp, b_stride, c + (i - row) * c_stride + column - first_panel * nr, c_stride, depth > 0, next, ahead);
          if (pack_b_ && (spreads || i < row + height)) next += k * ahead;
        }
      }
    }
    const int64_t column = first_panel * nr, n = std::min(s_.n, last_panel * nr) - column;
    FinishPart(args, matrix, row, column, rows, n, c, c_stride);
    uint16_t *y = static_cast<uint16_t *>(args.outputs[0]) + (matrix * d.m + row) * s_.n + column;
    for (int64_t i = 0; round_ && i < rows; ++i) round_(n, c + i * c_stride, y + i * s_.n);
  }

  int64_t ColumnBlocks(const Division &d) const { return (panels_ + d.panel_block - 1) / d.panel_block; }
  // Rows of a panel. 512 of AVX-512's 32 columns nearly stay in the first-level cache. Those of AVX2 need not: half as
  // many bytes a step come from the second level in time, and longer parts load and store fewer sums.
  const int64_t depth_ = kernels_.columns > 16 ? 512 : 1024;
  const decltype(KernelSet::tile) tile_;
  const int64_t tile_rows_;
  decltype(Bf16KernelSet::round) round_ = nullptr;  // null: y is float32
  int64_t panels_, distinct_a_, distinct_b_, a_stride_, most_panels_;
  Division division_{};  // of a kernel for one number of rows
  int rank_ = 0;         // of y, of a kernel for all
  bool pack_b_;
  uint64_t a_at_ = 0, b_at_ = 0;
  const float *packed_b_ = nullptr;
};

}  // namespace

std::unique_ptr<Kernel> CreateTiled(const Context &context, const MatMulSpec &spec) {
  return std::make_unique<Tiled>(context, spec);
}

std::unique_ptr<Kernel> CreateTiledBf16(const Context &context, const MatMulSpec &s) {
  const int64_t columns = kKernelsAvx512.columns, panels = (s.n + columns - 1) / columns, pairs = s.k / 2;
  const Bf16KernelSet &kernels = Bf16KernelsFor(context.features);
  const std::string key = Text("onednn:bf16-panels:", columns, ":", s.k, "x", s.n, s.adj2 ? "t" : "");
  const uint64_t bytes = uint64_t(panels * pairs * columns) * sizeof(float);
  const void *packed = Packed(*context.env, context.node.in(1).address(), key, bytes, [&](const void *from, void *to) {
    ge::kit::Parallel(*context.env, panels, 1 + 100000 / (pairs * columns), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t column = i * columns, n = std::min(columns, s.n - column);
        float *panel = static_cast<float *>(to) + i * pairs * columns;
        if (s.adj2)
          kKernelsAvx512.transpose(n, pairs, static_cast<const float *>(from) + column * pairs, pairs, panel, columns);
        else kernels.pairs(n, s.k, static_cast<const uint16_t *>(from) + column, s.n, panel, columns);
      }
    });
  });
  MatMulSpec in_pairs = s;
  in_pairs.k = pairs;
  return std::make_unique<Tiled>(context, in_pairs, kernels, static_cast<const float *>(packed));
}

}  // namespace onednn
