// Softmax, normalisations and reductions: work along one block of dimensions.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

int64_t RowGrain(int64_t row) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(row, 1)); }

// ---- softmax ----

class SoftmaxKernel : public Kernel {
 public:
  SoftmaxKernel(const GeOpDesc &op, const GeKernelEnv *env, const Table *table) : Kernel(env), table_(table) {
    Dims dims = DimsOf(op.inputs[0]);
    size_t count = 0;
    const int64_t *axes = GeOpAttrInts(&op, "axes", &count);
    size_t axis = static_cast<size_t>(NormalAxis(count ? axes[0] : -1, static_cast<int64_t>(dims.size())));
    outer_ = Count(dims, 0, axis);
    n_ = dims[axis];
    inner_ = Count(dims, axis + 1);
    log_ = std::strcmp(op.type, "LogSoftmaxV2") == 0;
    aliases.push_back({GE_ALIAS_IN_PLACE, 0, 0, 0, 0});
    implementation = log_ ? "log softmax" : "softmax";
    flops = 8.0 * static_cast<double>(outer_ * n_ * inner_);
    if (inner_ > 1) workspace_bytes = static_cast<uint64_t>(outer_) * 2 * inner_ * sizeof(float);
  }
  GeStatus Run(const GeKernelArgs *args) const override {
    auto *x = static_cast<const float *>(args->inputs[0]);
    auto *y = static_cast<float *>(args->outputs[0]);
    if (outer_ * n_ * inner_ == 0) return GE_SUCCESS;
    Parallel(outer_, RowGrain(n_ * inner_), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        int64_t at = r * n_ * inner_;
        if (inner_ == 1) table_->softmax(x + at, y + at, static_cast<size_t>(n_), log_);
        else
          table_->softmax_columns(x + at, y + at, static_cast<size_t>(n_), static_cast<size_t>(inner_),
                                  static_cast<float *>(args->workspace) + r * 2 * inner_);
      }
    });
    return GE_SUCCESS;
  }

 private:
  const Table *table_;
  int64_t outer_, n_, inner_;
  bool log_;
};

void CheckSoftmax(const GeOpDesc &op) {
  NeedFloat(op.inputs[0], "the input");
  NeedFloat(op.outputs[0], "the output");
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
  NormKernel(const GeOpDesc &op, const GeKernelEnv *env, const Table *table) : Kernel(env), table_(table) {
    Dims dims = DimsOf(op.inputs[0]);
    rms_ = std::strcmp(op.type, "RmsNorm") == 0;
    bool v4 = std::strcmp(op.type, "LayerNormV4") == 0;
    size_t axis = 0;
    if (v4) axis = dims.size() - static_cast<size_t>(Count(DimsOf(op.inputs[1])));
    else if (rms_) axis = dims.size() - static_cast<size_t>(std::max(op.inputs[1].rank, 0));
    else
      axis = static_cast<size_t>(NormalAxis(GeOpAttrInt(&op, "begin_norm_axis", 0), static_cast<int64_t>(dims.size())));
    rows_ = Count(dims, 0, axis);
    n_ = Count(dims, axis);
    gamma_ = v4 ? 2 : 1;
    beta_ = v4 ? 3 : 2;
    epsilon_ = static_cast<float>(GeOpAttrFloat(&op, "epsilon", rms_ ? 1e-6 : 1e-5));
    rstd_is_variance_ = std::strcmp(op.type, "LayerNorm") == 0;
    input_count_ = op.input_count;
    output_count_ = op.output_count;
    implementation = rms_ ? "rms norm" : "layer norm";
    flops = 8.0 * static_cast<double>(rows_ * n_);
  }
  GeStatus Run(const GeKernelArgs *args) const override {
    auto input = [&](size_t i) { return i < input_count_ ? static_cast<const float *>(args->inputs[i]) : nullptr; };
    auto output = [&](size_t i) { return i < output_count_ ? static_cast<float *>(args->outputs[i]) : nullptr; };
    const float *x = input(0), *gamma = input(gamma_), *beta = rms_ ? nullptr : input(beta_);
    float *y = output(0), *mean = rms_ ? nullptr : output(1), *rstd = output(rms_ ? 1 : 2);
    if (rows_ * n_ == 0) return GE_SUCCESS;
    Parallel(rows_, RowGrain(n_), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        size_t n = static_cast<size_t>(n_);
        float deviation = 0;
        if (rms_) table_->rms_norm(x + r * n_, gamma, y + r * n_, n, epsilon_, &deviation);
        else
          table_->layer_norm(x + r * n_, gamma, beta, y + r * n_, n, epsilon_, mean ? mean + r : nullptr, &deviation);
        if (rstd) rstd[r] = rstd_is_variance_ ? 1.0f / (deviation * deviation) - epsilon_ : deviation;
      }
    });
    return GE_SUCCESS;
  }

 private:
  const Table *table_;
  int64_t rows_, n_;
  size_t gamma_, beta_, input_count_, output_count_;
  float epsilon_;
  bool rms_, rstd_is_variance_;
};

void CheckNorm(const GeOpDesc &op) {
  NeedFloat(op.inputs[0], "x");
  if (op.inputs[0].rank < 1) Refuse("rank is 0 or unknown");
  bool v4 = std::strcmp(op.type, "LayerNormV4") == 0;
  for (size_t i = v4 ? 2 : 1; i < op.input_count; ++i)
    if (Present(op.inputs[i])) NeedFloat(op.inputs[i], "gamma and beta");
  for (size_t i = 0; i < op.output_count; ++i)
    if (Present(op.outputs[i])) NeedFloat(op.outputs[i], "the outputs");
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
  ReduceKernel(const GeOpDesc &op, const GeKernelEnv *env, const Table *table) : Kernel(env), table_(table) {
    Dims dims = DimsOf(op.inputs[0]);
    std::vector<bool> reduced = Axes(op, dims.size());
    // Merge to outer x n x inner; check has made sure that the reduced dimensions are neighbours.
    size_t first = dims.size(), last = 0;
    for (size_t i = 0; i < dims.size(); ++i)
      if (reduced[i]) {
        first = std::min(first, i);
        last = i + 1;
      }
    if (first == dims.size()) last = first;
    outer_ = Count(dims, 0, first);
    n_ = Count(dims, first, last);
    inner_ = Count(dims, last);
    std::string type = op.type;
    mean_ = type == "ReduceMean";
    kind_ = type == "ReduceMax" ? kMax : type == "ReduceMin" ? kMin : type == "ReduceProd" ? kProd : kSum;
    implementation = "reduce";
    flops = static_cast<double>(outer_ * n_ * inner_);
  }
  static std::vector<bool> Axes(const GeOpDesc &op, size_t rank) {
    std::vector<bool> reduced(rank, false);
    std::vector<int64_t> axes = ConstantInts(op.inputs[1], "axes");
    for (int64_t axis : axes) reduced[static_cast<size_t>(NormalAxis(axis, static_cast<int64_t>(rank)))] = true;
    if (axes.empty() && !GeOpAttrInt(&op, "noop_with_empty_axes", 1)) reduced.assign(rank, true);
    return reduced;
  }
  GeStatus Run(const GeKernelArgs *args) const override {
    auto *x = static_cast<const float *>(args->inputs[0]);
    auto *y = static_cast<float *>(args->outputs[0]);
    float scale = mean_ ? 1.0f / static_cast<float>(n_) : 1.0f;
    Parallel(outer_, RowGrain(n_ * inner_), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const float *row = x + r * n_ * inner_;
        float *out = y + r * inner_;
        if (inner_ == 1) {
          out[0] = n_ ? table_->reduce(kind_, row, static_cast<size_t>(n_)) * scale : 0.0f;
          continue;
        }
        std::memcpy(out, row, static_cast<size_t>(inner_) * sizeof(float));
        for (int64_t k = 1; k < n_; ++k) table_->reduce_step(kind_, out, row + k * inner_, static_cast<size_t>(inner_));
        if (mean_) {
          Operand a, b, none;
          a.data = out;
          b.value = scale;
          table_->apply(2 /* GE_FUSED_MUL */, out, a, b, none, static_cast<size_t>(inner_));
        }
      }
    });
    return GE_SUCCESS;
  }

 private:
  const Table *table_;
  int64_t outer_, n_, inner_;
  int kind_;
  bool mean_;
};

void CheckReduce(const GeOpDesc &op) {
  NeedFloat(op.inputs[0], "x");
  NeedFloat(op.outputs[0], "y");
  if (op.inputs[0].rank < 1) Refuse("rank is 0 or unknown");
  std::vector<bool> reduced = ReduceKernel::Axes(op, static_cast<size_t>(op.inputs[0].rank));
  int changes = 0;
  for (size_t i = 0; i < reduced.size(); ++i)
    if (op.inputs[0].dims[i] == 0) Refuse("an empty dimension");
  for (size_t i = 1; i < reduced.size(); ++i) changes += reduced[i] != reduced[i - 1];
  if (changes > (reduced[0] ? 1 : 2)) Refuse("reduced dimensions are not neighbours");
}

}  // namespace

const Family &SoftmaxFamily() {
  static const Family family = {
      &CheckSoftmax, [](const GeOpDesc &op, const GeKernelEnv *env, const Table *table) -> std::unique_ptr<Kernel> {
        return std::make_unique<SoftmaxKernel>(op, env, table);
      }};
  return family;
}
const Family &NormFamily() {
  static const Family family = {
      &CheckNorm, [](const GeOpDesc &op, const GeKernelEnv *env, const Table *table) -> std::unique_ptr<Kernel> {
        return std::make_unique<NormKernel>(op, env, table);
      }};
  return family;
}
const Family &ReduceFamily() {
  static const Family family = {
      &CheckReduce, [](const GeOpDesc &op, const GeKernelEnv *env, const Table *table) -> std::unique_ptr<Kernel> {
        return std::make_unique<ReduceKernel>(op, env, table);
      }};
  return family;
}

}  // namespace vec
