// Normalisations of maps with channels first: of groups of channels (GroupNorm), of each channel (InstanceNorm), and of
// a value by its neighbours in other channels (LRN).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ge/fused_program.h"
#include "kernel.h"

namespace vec {
namespace {

bool Is(const GeOpDesc &op, const char *type) { return std::strcmp(op.type, type) == 0; }

Operand Span(const float *data) {
  Operand o;
  o.data = data;
  return o;
}
Operand Value(float value) {
  Operand o;
  o.value = value;
  return o;
}

class GroupNormKernel : public Kernel {
 public:
  GroupNormKernel(const GeOpDesc &op, const Table *table) : table_(table) {
    const Dims x = DimsOf(op.inputs[0]);
    instance_ = Is(op, "InstanceNorm");
    channels_ = x[1], inner_ = Count(x, 2);
    const int64_t groups = instance_ ? channels_ : GeOpAttrInt(&op, "num_groups", 1);
    if (groups < 1 || channels_ % groups)
      Refuse(std::to_string(channels_) + " channels do not divide into " + std::to_string(groups) + " groups");
    size_ = channels_ / groups, rows_ = x[0] * groups;
    for (size_t i = 1; i < op.input_count && i < 3; ++i)
      if (Present(op.inputs[i]) && Count(DimsOf(op.inputs[i])) != channels_)
        Refuse("a parameter has other than " + std::to_string(channels_) + " values");
    for (size_t o = 1; o < 3; ++o)
      statistics_[o - 1] = o < op.output_count && Present(op.outputs[o]) && Count(DimsOf(op.outputs[o])) == rows_;
    epsilon_ = static_cast<float>(GeOpAttrFloat(&op, instance_ ? "epsilon" : "eps", instance_ ? 1e-6 : 1e-5));
    scaled_ = op.input_count > 1 && Present(op.inputs[1]);
    shifted_ = op.input_count > 2 && Present(op.inputs[2]);
    aliases.push_back({GE_ALIAS_IN_PLACE, 0, 0, 0, 0});
    implementation = instance_ ? "instance norm" : "group norm";
    flops = 8.0 * static_cast<double>(Count(x));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    auto *x = static_cast<const float *>(args.inputs[0]);
    auto *y = static_cast<float *>(args.outputs[0]);
    auto *gamma = scaled_ ? static_cast<const float *>(args.inputs[1]) : nullptr;
    auto *beta = shifted_ ? static_cast<const float *>(args.inputs[2]) : nullptr;
    auto statistic = [&](int o) { return statistics_[o] ? static_cast<float *>(args.outputs[o + 1]) : nullptr; };
    float *means = statistic(0), *spreads = statistic(1);
    const int64_t row = size_ * inner_;
    if (row == 0) return GE_SUCCESS;
    Parallel(rows_, std::max<int64_t>(1, 8192 / row), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        double mean, off, variance;
        Center(x + r * row, y + r * row, row, &mean, &off, &variance);
        const float deviation = static_cast<float>(1.0 / std::sqrt(variance + epsilon_));
        if (means) means[r] = static_cast<float>(mean + off);
        if (spreads) spreads[r] = instance_ ? static_cast<float>(variance) : deviation;
        for (int64_t c = 0; c < size_; ++c) {
          const int64_t channel = r * size_ % channels_ + c;
          float *at = y + r * row + c * inner_;
          const float factor = deviation * (gamma ? gamma[channel] : 1);
          const float addend = (beta ? beta[channel] : 0) - static_cast<float>(off) * factor;
          table_->apply(GE_FUSED_FMA, at, Span(at), Value(factor), Value(addend), static_cast<size_t>(inner_));
        }
      }
    });
    return GE_SUCCESS;
  }

 private:
  /// y = x - mean; the mean of y is off, what the rounding of the first sum left. Sums of pieces that the first cache
  /// holds are added in double.
  void Center(const float *x, float *y, int64_t n, double *mean, double *off, double *variance) const {
    constexpr int64_t kPiece = 2048;
    double sum = 0;
    for (int64_t at = 0; at < n; at += kPiece)
      sum += table_->reduce(kSum, x + at, static_cast<size_t>(std::min(kPiece, n - at)));
    *mean = static_cast<float>(sum / static_cast<double>(n));
    double squares = 0, rest = 0;
    for (int64_t at = 0; at < n; at += kPiece) {
      const auto count = static_cast<size_t>(std::min(kPiece, n - at));
      table_->apply(GE_FUSED_SUB, y + at, Span(x + at), Value(static_cast<float>(*mean)), Operand(), count);
      squares += table_->reduce(kSumSquare, y + at, count);
      rest += table_->reduce(kSum, y + at, count);
    }
    *off = rest / static_cast<double>(n);
    *variance = std::max(squares / static_cast<double>(n) - *off * *off, 0.0);
  }

  const Table *table_;
  bool instance_, scaled_, shifted_, statistics_[2];
  int64_t channels_, inner_, size_, rows_;
  float epsilon_;
};

void CheckGroupNorm(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "x");
  ge::kit::RequirePlain(op.inputs[0], "x");
  for (size_t i = 1; i < op.input_count; ++i)
    if (Present(op.inputs[i])) RequireFloat(op.inputs[i], "gamma and beta");
  for (size_t o = 0; o < op.output_count; ++o)
    if (Present(op.outputs[o])) RequireFloat(op.outputs[o], "the outputs");
  const std::string format = GeOpAttrString(&op, "data_format", "NDHWC");
  if (op.inputs[0].rank < 2) Refuse("rank is below 2 or unknown");
  if (Is(op, "InstanceNorm") && format.size() > 2 && format.back() == 'C') Refuse("channels last are not supported");
}

// x / (bias + alpha * sum of squares of neighbouring channels)^beta, some positions of all channels at a time.
class LrnKernel : public Kernel {
 public:
  LrnKernel(const GeOpDesc &op, const Table *table) : table_(table) {
    const Dims x = DimsOf(op.inputs[0]);
    batch_ = x[0], channels_ = x[1], inner_ = Count(x, 2);
    radius_ = GeOpAttrInt(&op, "depth_radius", 5);
    bias_ = static_cast<float>(GeOpAttrFloat(&op, "bias", 1));
    alpha_ = static_cast<float>(GeOpAttrFloat(&op, "alpha", 1));
    beta_ = static_cast<float>(GeOpAttrFloat(&op, "beta", 0.5));
    implementation = "lrn";
    flops = static_cast<double>(Count(x)) * 32;
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    auto *x = static_cast<const float *>(args.inputs[0]);
    auto *y = static_cast<float *>(args.outputs[0]);
    if (batch_ * channels_ * inner_ == 0) return GE_SUCCESS;
    const int64_t pieces = (inner_ + kPiece - 1) / kPiece;
    Parallel(batch_ * channels_ * pieces, std::max<int64_t>(1, 1024 / std::min(inner_, kPiece)),
             [&](int64_t begin, int64_t end) {
               for (int64_t job = begin; job < end; ++job) {
                 const int64_t at = job % pieces * kPiece, channel = job / pieces % channels_,
                               n = job / pieces / channels_;
                 Piece(x + n * channels_ * inner_ + at, y + (n * channels_ + channel) * inner_ + at, channel,
                       static_cast<size_t>(std::min(kPiece, inner_ - at)));
               }
             });
    return GE_SUCCESS;
  }

 private:
  static constexpr int64_t kPiece = 1024;
  void Piece(const float *x, float *y, int64_t channel, size_t n) const {
    float sum[kPiece];
    const int64_t from = std::max<int64_t>(0, channel - radius_), to = std::min(channels_, channel + radius_ + 1);
    for (int64_t k = from; k < to; ++k) {
      const Operand row = Span(x + k * inner_);
      table_->apply(k == from ? GE_FUSED_MUL : GE_FUSED_FMA, sum, row, row, Span(sum), n);
    }
    table_->apply(GE_FUSED_FMA, sum, Span(sum), Value(alpha_), Value(bias_), n);
    const float *own = x + channel * inner_;
    if (beta_ == 0.75f) {  // s^-0.75 = 1 / sqrt(s * sqrt(s)), without a power
      for (size_t i = 0; i < n; ++i) y[i] = own[i] / std::sqrt(sum[i] * std::sqrt(sum[i]));
      return;
    }
    table_->apply(GE_FUSED_POW, sum, Span(sum), Value(beta_), Operand(), n);
    table_->apply(GE_FUSED_DIV, y, Span(own), Span(sum), Operand(), n);
  }

  const Table *table_;
  int64_t batch_, channels_, inner_, radius_;
  float bias_, alpha_, beta_;
};

void CheckLrn(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "x");
  RequireFloat(op.outputs[0], "y");
  ge::kit::RequirePlain(op.inputs[0], "x");
  if (op.inputs[0].format == C_FORMAT_NHWC) Refuse("channels last are not supported");
  if (op.inputs[0].rank < 2) Refuse("rank is below 2 or unknown");
  const std::string region = GeOpAttrString(&op, "norm_region", "ACROSS_CHANNELS");
  if (region != "ACROSS_CHANNELS") Refuse("norm_region " + region + " is not supported");
  const int64_t radius = GeOpAttrInt(&op, "depth_radius", 5);
  if (radius < 0 || radius > INT32_MAX) Refuse("depth_radius is " + std::to_string(radius));
}

}  // namespace

const Family &GroupNormFamily() {
  static const Family family = {&CheckGroupNorm, [](const GeOpDesc &op, const Table *table) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<GroupNormKernel>(op, table);
                                }};
  return family;
}
const Family &LrnFamily() {
  static const Family family = {&CheckLrn, [](const GeOpDesc &op, const Table *table) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<LrnKernel>(op, table);
                                }};
  return family;
}

}  // namespace vec
