// Softmax, normalisations and reductions: work along one block of dimensions.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ge/fused_program.h"
#include "kernel.h"

namespace vec {
namespace {

/// Elements before, along and behind an axis.
struct Blocks {
  int64_t outer, n, inner;
  int64_t count() const { return outer * n * inner; }
};
/// `inner_axis`: the first dimension behind.
Blocks BlocksOf(const int64_t *dims, size_t rank, size_t axis, size_t inner_axis) {
  Blocks b{1, 1, 1};
  for (size_t d = 0; d < rank; ++d) (d < axis ? b.outer : d < inner_axis ? b.n : b.inner) *= dims[d];
  return b;
}

int64_t RowGrain(int64_t row) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(row, 1)); }

// ---- softmax ----

class SoftmaxKernel : public Kernel {
 public:
  SoftmaxKernel(const GeOpDesc &op, const Table *table, bool open) : table_(table), open_(open) {
    size_t count = 0;
    const int64_t *axes = GeOpAttrInts(&op, "axes", &count);
    rank_ = static_cast<size_t>(op.inputs[0].rank);
    axis_ = static_cast<size_t>(NormalAxis(count ? axes[0] : -1, op.inputs[0].rank));
    log_ = std::strcmp(op.type, "LogSoftmaxV2") == 0;
    aliases.push_back({GE_ALIAS_IN_PLACE, 0, 0, 0, 0});
    implementation = log_ ? "log softmax" : "softmax";
    if (open) return;
    blocks_ = BlocksAt(op.inputs[0].dims);
    flops = 8.0 * static_cast<double>(blocks_.count());
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    auto *x = static_cast<const float *>(args.inputs[0]);
    auto *y = static_cast<float *>(args.outputs[0]);
    const Blocks b = open_ ? BlocksAt(args.input_dims[0]) : blocks_;
    if (b.count() == 0) return GE_SUCCESS;
    // Columns in pieces that a cache holds, which threads share.
    const int64_t pieces = (b.inner + kColumns - 1) / kColumns, most = std::min(b.inner, kColumns);
    Parallel(b.outer * pieces, RowGrain(b.n * most), [&](int64_t begin, int64_t end) {
      float scratch[2 * kColumns];
      for (int64_t k = begin; k < end; ++k) {
        const int64_t column = k % pieces * kColumns, at = k / pieces * b.n * b.inner + column;
        const auto n = static_cast<size_t>(b.n);
        if (b.inner == 1) table_->softmax(x + at, y + at, n, log_);
        else
          table_->softmax_columns(x + at, y + at, n, static_cast<size_t>(b.inner),
                                  static_cast<size_t>(std::min(kColumns, b.inner - column)), scratch);
      }
    });
    return GE_SUCCESS;
  }

 private:
  static constexpr int64_t kColumns = 512;
  Blocks BlocksAt(const int64_t *dims) const { return BlocksOf(dims, rank_, axis_, axis_ + 1); }

  const Table *table_;
  const bool open_;
  size_t rank_, axis_;
  Blocks blocks_{};
  bool log_;
};

void CheckSoftmax(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "the input");
  RequireFloat(op.outputs[0], "the output");
  size_t count = 0;
  const int64_t *axes = GeOpAttrInts(&op, "axes", &count);
  if (count > 1) Refuse("several axes");
  if (op.inputs[0].rank < 1) Refuse("rank is 0 or unknown");
  int64_t axis = NormalAxis(count ? axes[0] : -1, op.inputs[0].rank);
  if (std::strcmp(op.type, "LogSoftmaxV2") == 0 && axis != op.inputs[0].rank - 1)
    Refuse("log softmax of another axis than the last");
}

// ---- normalisation over the last dimensions ----

class NormKernel : public Kernel {
 public:
  NormKernel(const GeOpDesc &op, const Table *table, bool open) : table_(table), open_(open) {
    Dims dims = DimsOf(op.inputs[0]);
    rms_ = std::strcmp(op.type, "RmsNorm") == 0;
    bool v4 = std::strcmp(op.type, "LayerNormV4") == 0;
    size_t axis = 0;
    if (v4) axis = dims.size() - static_cast<size_t>(Count(DimsOf(op.inputs[1])));
    else if (rms_) axis = dims.size() - static_cast<size_t>(std::max(op.inputs[1].rank, 0));
    else
      axis = static_cast<size_t>(NormalAxis(GeOpAttrInt(&op, "begin_norm_axis", 0), static_cast<int64_t>(dims.size())));
    rank_ = dims.size();
    axis_ = axis;
    gamma_ = v4 ? 2 : 1;
    beta_ = v4 ? 3 : 2;
    const bool weighed = (op.input_count > gamma_ && Present(op.inputs[gamma_])) ||
                         (op.input_count > beta_ && Present(op.inputs[beta_]));
    if (weighed &&
        std::any_of(dims.begin() + static_cast<ptrdiff_t>(axis), dims.end(), [](int64_t d) { return d < 0; }))
      Refuse("the length of a row that has factors is open");
    epsilon_ = static_cast<float>(GeOpAttrFloat(&op, "epsilon", rms_ ? 1e-6 : 1e-5));
    rstd_is_variance_ = std::strcmp(op.type, "LayerNorm") == 0;
    input_count_ = op.input_count;
    output_count_ = op.output_count;
    implementation = rms_ ? "rms norm" : "layer norm";
    if (open) return;
    blocks_ = BlocksOf(op.inputs[0].dims, rank_, axis_, rank_);
    flops = 8.0 * static_cast<double>(blocks_.count());
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    auto input = [&](size_t i) { return i < input_count_ ? static_cast<const float *>(args.inputs[i]) : nullptr; };
    auto output = [&](size_t i) { return i < output_count_ ? static_cast<float *>(args.outputs[i]) : nullptr; };
    const float *x = input(0), *gamma = input(gamma_), *beta = rms_ ? nullptr : input(beta_);
    float *y = output(0), *mean = rms_ ? nullptr : output(1), *rstd = output(rms_ ? 1 : 2);
    const Blocks b = open_ ? BlocksOf(args.input_dims[0], rank_, axis_, rank_) : blocks_;
    if (b.count() == 0) return GE_SUCCESS;
    Parallel(b.outer, RowGrain(b.n), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        size_t n = static_cast<size_t>(b.n);
        float deviation = 0;
        if (rms_) table_->rms_norm(x + r * b.n, gamma, y + r * b.n, n, epsilon_, &deviation);
        else
          table_->layer_norm(x + r * b.n, gamma, beta, y + r * b.n, n, epsilon_, mean ? mean + r : nullptr, &deviation);
        if (rstd) rstd[r] = rstd_is_variance_ ? 1.0f / (deviation * deviation) - epsilon_ : deviation;
      }
    });
    return GE_SUCCESS;
  }

 private:
  const Table *table_;
  const bool open_;
  size_t rank_, axis_;
  Blocks blocks_{};
  size_t gamma_, beta_, input_count_, output_count_;
  float epsilon_;
  bool rms_, rstd_is_variance_;
};

void CheckNorm(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "x");
  if (op.inputs[0].rank < 1) Refuse("rank is 0 or unknown");
  bool v4 = std::strcmp(op.type, "LayerNormV4") == 0;
  for (size_t i = v4 ? 2 : 1; i < op.input_count; ++i)
    if (Present(op.inputs[i])) RequireFloat(op.inputs[i], "gamma and beta");
  for (size_t i = 0; i < op.output_count; ++i)
    if (Present(op.outputs[i])) RequireFloat(op.outputs[i], "the outputs");
  if (v4 && op.inputs[1].rank != 1) Refuse("normalized_shape has no known length");
  if (!v4 && std::strcmp(op.type, "RmsNorm") != 0) {
    int64_t rank = op.inputs[0].rank;
    int64_t norm = NormalAxis(GeOpAttrInt(&op, "begin_norm_axis", 0), rank);
    int64_t params = NormalAxis(GeOpAttrInt(&op, "begin_params_axis", 0), rank);
    if (norm != params) Refuse("begin_norm_axis differs from begin_params_axis");
  }
}

// ---- reductions ----

class ReduceKernel : public Kernel {
 public:
  ReduceKernel(const GeOpDesc &op, const Table *table, bool open) : table_(table), open_(open) {
    rank_ = static_cast<size_t>(op.inputs[0].rank);
    const std::vector<bool> reduced = Axes(op, rank_);
    std::copy(reduced.begin(), reduced.end(), reduced_);
    const std::string type = op.type;
    mean_ = type == "ReduceMean";
    kind_ = type == "ReduceMax" ? kMax : type == "ReduceMin" ? kMin : type == "ReduceProd" ? kProd : kSum;
    implementation = "reduce";
    sizes_workspace = open;
    if (open) return;
    work_ = WorkOf(op.inputs[0].dims);
    Reserve(work_.bytes);
    flops = static_cast<double>(work_.total_in);
  }
  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *) const override {
    return WorkOf(input_dims[0]).bytes;
  }
  static std::vector<bool> Axes(const GeOpDesc &op, size_t rank) {
    std::vector<bool> reduced(rank, false);
    std::vector<int64_t> axes = ConstantInts(op.inputs[1], "axes");
    for (int64_t axis : axes) reduced[static_cast<size_t>(NormalAxis(axis, static_cast<int64_t>(rank)))] = true;
    if (axes.empty() && !GeOpAttrInt(&op, "noop_with_empty_axes", 1)) reduced.assign(rank, true);
    return reduced;
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    const Work w = open_ ? WorkOf(args.input_dims[0]) : work_;
    auto *x = static_cast<const float *>(args.inputs[0]);
    auto *y = static_cast<float *>(args.outputs[0]);
    if (w.total_in == 0) {
      constexpr float infinity = std::numeric_limits<float>::infinity();
      float empty = kind_ == kMax ? -infinity : kind_ == kMin ? infinity : kind_ == kProd ? 1.0f : 0.0f;
      std::fill_n(y, w.total_out, w.scale == 1.0f ? empty : std::numeric_limits<float>::quiet_NaN());
      return GE_SUCCESS;
    }
    if (w.count == 0) std::memcpy(y, x, static_cast<size_t>(w.total_out) * sizeof(float));
    for (size_t i = 0; i < w.count; ++i) {
      bool last = i + 1 == w.count;
      float *to = last ? y : static_cast<float *>(args.workspace) + w.offsets[i % 2];
      Pass(w.passes[i], x, to, last ? w.scale : 1.0f);
      x = to;
    }
    return GE_SUCCESS;
  }

 private:
  struct Group {
    int64_t outer, n, inner;
  };
  void Pass(const Group &g, const float *x, float *y, float scale) const {
    if (g.inner == 1) {
      Parallel(g.outer, RowGrain(g.n / 4), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
          y[r] = table_->reduce(kind_, x + r * g.n, static_cast<size_t>(g.n)) * scale;
      });
      return;
    }
    // Down columns: strips of columns are independent, so that a leading dimension can be split too.
    constexpr int64_t kStrip = 1024;
    int64_t strips = (g.inner + kStrip - 1) / kStrip, width = std::min(kStrip, g.inner);
    Parallel(g.outer * strips, RowGrain(g.n * width / 4), [&](int64_t begin, int64_t end) {
      for (int64_t job = begin; job < end; ++job) {
        int64_t column = job % strips * kStrip;
        size_t n = static_cast<size_t>(std::min(kStrip, g.inner - column));
        const float *in = x + job / strips * g.n * g.inner + column;
        float *out = y + job / strips * g.inner + column;
        std::memcpy(out, in, n * sizeof(float));
        for (int64_t k = 1; k < g.n; ++k) table_->reduce_step(kind_, out, in + k * g.inner, n);
        if (scale != 1.0f) {
          Operand a, b, none;
          a.data = out;
          b.value = scale;
          table_->apply(GE_FUSED_MUL, out, a, b, none, n);
        }
      }
    });
  }
  static constexpr size_t kMaxRank = 8;
  struct Work {
    Group passes[kMaxRank / 2];
    size_t count = 0;
    uint64_t offsets[2] = {}, bytes = 0;  // in floats; of the workspace
    int64_t total_in = 1, total_out = 1;
    float scale = 1.0f;
  };
  Work WorkOf(const int64_t *dims) const {
    Work w;
    int64_t reduced = 1;
    for (size_t i = 0; i < rank_; ++i) (reduced_[i] ? reduced : w.total_out) *= dims[i];
    w.total_in = reduced * w.total_out;
    if (mean_) w.scale = 1.0f / static_cast<float>(reduced);
    // Neighbours that are both kept or both reduced become one dimension; the groups of reduced ones go from the last
    // to the first, one pass each.
    int64_t merged[kMaxRank];
    bool gone[kMaxRank];
    size_t n = 0;
    for (size_t i = 0; i < rank_; ++i) {
      if (dims[i] == 1) continue;
      if (n > 0 && gone[n - 1] == reduced_[i]) merged[n - 1] *= dims[i];
      else merged[n] = dims[i], gone[n++] = reduced_[i];
    }
    int64_t behind = 1;  // kept elements
    for (size_t i = n; i-- > 0;) {
      if (gone[i]) {
        const int64_t before = Count(merged, merged + i);
        w.passes[w.count++] = {before, merged[i], behind};
      } else {
        behind *= merged[i];
      }
    }
    for (size_t i = 0; i + 1 < w.count && i < 2; ++i) {
      w.offsets[i] = w.bytes / sizeof(float);
      w.bytes += (static_cast<uint64_t>(w.passes[i].outer * w.passes[i].inner) * sizeof(float) + 63) / 64 * 64;
    }
    return w;
  }
  const Table *table_;
  const bool open_;
  size_t rank_;
  bool reduced_[kMaxRank] = {}, mean_;
  int kind_;
  Work work_;  // of a kernel for one size
};

void CheckReduce(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "x");
  RequireFloat(op.outputs[0], "y");
  if (op.inputs[0].rank < 1) Refuse("rank is 0 or unknown");
  (void)ReduceKernel::Axes(op, static_cast<size_t>(op.inputs[0].rank));
}

// ---- where the largest value of a row is ----

class ArgMaxKernel : public Kernel {
 public:
  ArgMaxKernel(const GeOpDesc &op, const Table *table) : table_(table) {
    Dims dims = DimsOf(op.inputs[0]);
    const auto axis =
        static_cast<size_t>(NormalAxis(ConstantInts(op.inputs[1], "dimension")[0], static_cast<int64_t>(dims.size())));
    n_ = dims[axis];
    rows_ = Count(dims, 0, axis);
    inner_ = Count(dims, axis + 1);
    if (n_ == 0 && rows_ * inner_ > 0) Refuse("dimension " + std::to_string(axis) + " is empty");
    if (n_ > INT32_MAX) Refuse("dimension " + std::to_string(axis) + " is longer than 2^31");
    wide_ = op.outputs[0].data_type == C_DT_INT64;
    implementation = "arg max";
    flops = static_cast<double>(rows_ * n_ * inner_);
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    auto *x = static_cast<const float *>(args.inputs[0]);
    if (inner_ > 1) {
      Columns(x, args.outputs[0]);
      return GE_SUCCESS;
    }
    if (inner_ == 0) return GE_SUCCESS;
    Parallel(rows_, RowGrain(n_ / 2), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const float *row = x + r * n_;
        float top = table_->reduce(kMax, row, static_cast<size_t>(n_));
        int64_t at = 0;  // the first that is as large; the first NaN when there is one
        if (top != top)
          while (row[at] == row[at]) ++at;
        else
          while (row[at] != top) ++at;
        Put(args.outputs[0], r, static_cast<int32_t>(at));
      }
    });
    return GE_SUCCESS;
  }

 private:
  void Put(void *to, int64_t at, int32_t value) const {
    if (wide_) static_cast<int64_t *>(to)[at] = value;
    else static_cast<int32_t *>(to)[at] = value;
  }
  void Columns(const float *x, void *to) const {
    constexpr int64_t kStrip = 512;
    const int64_t strips = (inner_ + kStrip - 1) / kStrip;
    Parallel(rows_ * strips, RowGrain(n_ * std::min(kStrip, inner_) / 2), [&](int64_t begin, int64_t end) {
      float best[kStrip];
      int32_t where[kStrip];
      for (int64_t job = begin; job < end; ++job) {
        const int64_t row = job / strips, column = job % strips * kStrip, n = std::min(kStrip, inner_ - column);
        const float *in = x + row * n_ * inner_ + column;
        std::copy(in, in + n, best);
        std::fill(where, where + n, 0);
        for (int64_t k = 1; k < n_; ++k)
          table_->arg_max_step(best, where, in + k * inner_, static_cast<int32_t>(k), static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) Put(to, row * inner_ + column + i, where[i]);
      }
    });
  }

  const Table *table_;
  int64_t rows_, n_, inner_;
  bool wide_;
};

void CheckArgMax(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "x");
  if (op.inputs[0].rank < 1) Refuse("rank is 0 or unknown");
  if (op.outputs[0].data_type != C_DT_INT64 && op.outputs[0].data_type != C_DT_INT32)
    Refuse(DataTypeName(op.outputs[0].data_type), " is not supported for y");
  std::vector<int64_t> axis = ConstantInts(op.inputs[1], "dimension");
  if (axis.size() != 1) Refuse("dimension is not one value");
  const int64_t at = NormalAxis(axis[0], op.inputs[0].rank);
  if (op.inputs[0].dims[at] == 0) Refuse("dimension " + std::to_string(at) + " is empty");
}

}  // namespace

template <class K>
std::unique_ptr<Kernel> MakeOpen(const GeOpDesc &op, const GeOpenExtents &, const Table *table) {
  return std::make_unique<K>(op, table, true);
}
template <class K>
static std::unique_ptr<Kernel> Make(const GeOpDesc &op, const Table *table) {
  return std::make_unique<K>(op, table, false);
}

const Family &SoftmaxFamily() {
  static const Family family = {&CheckSoftmax, &Make<SoftmaxKernel>, &MakeOpen<SoftmaxKernel>};
  return family;
}
const Family &NormFamily() {
  static const Family family = {&CheckNorm, &Make<NormKernel>, &MakeOpen<NormKernel>};
  return family;
}
const Family &ArgFamily() {
  static const Family family = {&CheckArgMax, [](const GeOpDesc &op, const Table *table) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<ArgMaxKernel>(op, table);
                                }};
  return family;
}
const Family &ReduceFamily() {
  static const Family family = {&CheckReduce, &Make<ReduceKernel>, &MakeOpen<ReduceKernel>};
  return family;
}

}  // namespace vec
