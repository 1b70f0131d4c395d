// Products of any shape: tiles that stay in registers, the operands packed where their own layout would hurt.
#include <algorithm>
#include <cstring>

#include "matmul_kernels.h"

namespace aicore {

namespace {

class Tiled final : public ProductKernel {
 public:
  static constexpr int64_t kDepth = 512;        // products summed before the next panel: two panels fit in L1 and L2
  static constexpr double kGrainMacs = 500e3;   // less stays on one thread

  Tiled(const Context &context, const MatMulSpec &spec) : ProductKernel(context, spec) {
    const int64_t nr = kernels_.columns;
    panels_ = (s_.n + nr - 1) / nr;
    // Rows a power of two apart fall into the same cache sets.
    pack_a_ = s_.adj1 ? s_.k > 1 : (s_.k % 1024 == 0 && s_.n > nr);
    pack_b_ = s_.adj2 || (s_.n > 512 && s_.m > 2 * kernels_.rows);
    distinct_b_ = Distinct(s_.step2);
    distinct_a_ = Distinct(s_.step1);
    const Tensor b = context.node.in(1);
    if (pack_b_) {
      uint64_t bytes = distinct_b_ * panels_ * s_.k * nr * sizeof(float);
      if (b.constant()) {
        const float *source = static_cast<const float *>(b.content());
        packed_b_ = static_cast<const float *>(
            Packed(env_, source, Text("aicore:panels:", nr, ":", s_.k, "x", s_.n, s_.adj2 ? "t" : ""), bytes,
                   [&](void *out) { PackB(source, static_cast<float *>(out), 0, distinct_b_ * panels_); }));
      } else {
        b_at_ = Reserve(bytes);
      }
    }
    if (pack_a_) a_at_ = Reserve(distinct_a_ * RoundUp(s_.m, kernels_.rows) * s_.k * sizeof(float));
    // Blocks: about 120 rows by 128 columns; smaller when there would be too few for the threads.
    row_block_ = std::min<int64_t>(RoundUp(s_.m, kernels_.rows), 10 * kernels_.rows);
    panel_block_ = std::min<int64_t>(panels_, 4);
    auto blocks = [&] { return s_.matrices() * RowBlocks() * ((panels_ + panel_block_ - 1) / panel_block_); };
    while (blocks() < 2 * env_->threads && panel_block_ > 1) panel_block_ = (panel_block_ + 1) / 2;
    blocks_ = blocks();
    double each = s_.macs() / double(blocks_);
    grain_ = std::max<int64_t>(1, int64_t(kGrainMacs / each));
    implementation = Text("aicore:tiled:", kernels_.name);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const float *a = static_cast<const float *>(args.inputs[0]), *b = static_cast<const float *>(args.inputs[1]);
    float *y = static_cast<float *>(args.outputs[0]);
    char *workspace = static_cast<char *>(args.workspace);
    const int64_t mr = kernels_.rows, nr = kernels_.columns;
    const float *packed_b = packed_b_;
    if (pack_b_ && !packed_b) {
      float *to = reinterpret_cast<float *>(workspace + b_at_);
      packed_b = to;
      Parallel(env_, distinct_b_ * panels_, 1 + 100000 / (s_.k * nr),
               [&](int64_t begin, int64_t end) { PackB(b, to, begin, end); });
    }
    float *packed_a = reinterpret_cast<float *>(workspace + a_at_);
    int64_t strips = (s_.m + mr - 1) / mr;
    if (pack_a_)
      Parallel(env_, distinct_a_ * strips, 1 + 100000 / (s_.k * mr),
               [&](int64_t begin, int64_t end) { PackA(a, packed_a, begin, end); });
    Parallel(env_, blocks_, grain_, [&](int64_t begin, int64_t end) {
      int64_t column_blocks = (panels_ + panel_block_ - 1) / panel_block_;
      for (int64_t block = begin; block < end; ++block) {
        int64_t first_panel = block % column_blocks * panel_block_, rest = block / column_blocks;
        int64_t row = rest % RowBlocks() * row_block_, matrix = rest / RowBlocks();
        int64_t last_panel = std::min(panels_, first_panel + panel_block_), rows = std::min(row_block_, s_.m - row);
        Offsets o = OffsetsOf(matrix);
        float *c = y + matrix * s_.m * s_.n;
        for (int64_t depth = 0; depth < s_.k; depth += kDepth) {
          int64_t k = std::min(kDepth, s_.k - depth);
          bool last = depth + k == s_.k;
          for (int64_t panel = first_panel; panel < last_panel; ++panel) {
            int64_t column = panel * nr, n = std::min(nr, s_.n - column), b_stride = pack_b_ ? nr : s_.n;
            const float *bp = pack_b_ ? packed_b + (o.b / (s_.k * s_.n) * panels_ + panel) * s_.k * nr + depth * nr
                                      : b + o.b + depth * s_.n + column;
            for (int64_t i = row; i < row + rows; i += mr) {
              int m = int(std::min(mr, row + rows - i));
              const float *ap;
              int64_t row_stride, step;
              if (pack_a_)
                ap = packed_a + (o.a / (s_.m * s_.k) * strips + i / mr) * mr * s_.k + depth * mr, row_stride = 1, step = mr;
              else if (s_.adj1)
                ap = a + o.a + depth * s_.m + i, row_stride = 1, step = s_.m;
              else
                ap = a + o.a + i * s_.k + depth, row_stride = s_.k, step = 1;
              kernels_.tile(m, int(n), k, ap, row_stride, step, bp, b_stride, c + i * s_.n + column, s_.n, depth > 0);
            }
            if (last) FinishPart(args, matrix, row, column, rows, n, c + row * s_.n + column, s_.n);
          }
        }
      }
    });
    return GE_SUCCESS;
  }

 private:
  int64_t RowBlocks() const { return (s_.m + row_block_ - 1) / row_block_; }
  int64_t Distinct(const Dims &steps) const {
    int64_t n = 1;
    for (size_t i = 0; i < steps.size(); ++i)
      if (steps[i]) n *= s_.batch[i];
    return n;
  }

  // Panels [begin, end), counted over all matrices: row major [k, columns], zeros beyond the last column.
  void PackB(const float *b, float *to, int64_t begin, int64_t end) const {
    const int64_t nr = kernels_.columns;
    for (int64_t i = begin; i < end; ++i) {
      int64_t column = i % panels_ * nr, n = std::min(nr, s_.n - column);
      const float *matrix = b + i / panels_ * s_.k * s_.n;
      float *panel = to + i * s_.k * nr;
      if (s_.adj2) {
        kernels_.transpose(n, s_.k, matrix + column * s_.k, s_.k, panel, nr);
        continue;
      }
      for (int64_t p = 0; p < s_.k; ++p) {
        memcpy(panel + p * nr, matrix + p * s_.n + column, n * sizeof(float));
        for (int64_t j = n; j < nr; ++j) panel[p * nr + j] = 0;
      }
    }
  }

  // Strips of rows [begin, end), counted over all matrices: element (i, p) of a strip at p * rows + i.
  void PackA(const float *a, float *to, int64_t begin, int64_t end) const {
    const int64_t mr = kernels_.rows, strips = (s_.m + mr - 1) / mr;
    for (int64_t s = begin; s < end; ++s) {
      int64_t row = s % strips * mr, m = std::min(mr, s_.m - row);
      const float *matrix = a + s / strips * s_.m * s_.k;
      float *strip = to + s * mr * s_.k;
      if (s_.adj1) {
        for (int64_t p = 0; p < s_.k; ++p)
          for (int64_t i = 0; i < mr; ++i) strip[p * mr + i] = i < m ? matrix[p * s_.m + row + i] : 0;
      } else {
        for (int64_t i = 0; i < mr; ++i)
          for (int64_t p = 0; p < s_.k; ++p) strip[p * mr + i] = i < m ? matrix[(row + i) * s_.k + p] : 0;
      }
    }
  }

  int64_t panels_, distinct_a_, distinct_b_, row_block_, panel_block_, blocks_, grain_;
  bool pack_a_, pack_b_;
  uint64_t a_at_ = 0, b_at_ = 0;
  const float *packed_b_ = nullptr;
};

}  // namespace

std::unique_ptr<Kernel> CreateTiled(const Context &context, const MatMulSpec &spec) {
  return std::make_unique<Tiled>(context, spec);
}

}  // namespace aicore
