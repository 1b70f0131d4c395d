// GridSample of images: where each output pixel reads is found once for all channels.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

enum class Outside { kZeros, kBorder, kReflection };

struct Sampling {
  bool nearest = false, align = false;
  Outside outside = Outside::kZeros;
};

Sampling ReadSampling(const GeOpDesc &op) {
  Sampling s;
  const std::string mode = GeOpAttrString(&op, "interpolation_mode", "bilinear");
  if (mode != "bilinear" && mode != "linear" && mode != "nearest")
    Refuse("interpolation_mode " + mode + " is not supported");
  s.nearest = mode == "nearest";
  s.align = GeOpAttrInt(&op, "align_corners", 0) != 0;
  const std::string outside = GeOpAttrString(&op, "padding_mode", "zeros");
  if (outside != "zeros" && outside != "border" && outside != "reflection")
    Refuse("padding_mode " + outside + " is unknown");
  s.outside = outside == "zeros" ? Outside::kZeros : outside == "border" ? Outside::kBorder : Outside::kReflection;
  if (GeOpAttrInt(&op, "channel_last", 0) != 0) Refuse("channels last are not supported");
  return s;
}

/// Two neighbouring positions of an axis, inside, and how much each counts.
struct Pair {
  int64_t at[2];
  float weight[2];
};

Pair Along(const Sampling &s, double v, int64_t extent) {
  const double last = static_cast<double>(extent - 1), n = static_cast<double>(extent);
  double p = s.align ? (v + 1) / 2 * last : ((v + 1) * n - 1) / 2;
  if (p != p) return {{0, 0}, {static_cast<float>(p), 0}};  // a NaN stays one
  if (s.outside == Outside::kReflection) {
    const double low = s.align ? 0 : -0.5, range = s.align ? last : n;
    const double d = range > 0 ? std::fmod(std::abs(p - low), 2 * range) : 0;
    p = range > 0 ? low + (d > range ? 2 * range - d : d) : low;
  }
  if (s.outside != Outside::kZeros) p = std::clamp(p, 0.0, last);
  if (!(p > -2 && p < n + 1)) return {{0, 0}, {0, 0}};
  const double first = s.nearest ? std::nearbyint(p) : std::floor(p);
  const auto at = static_cast<int64_t>(first);
  const float far = s.nearest ? 0.0f : static_cast<float>(p - first);
  const auto inside = [&](int64_t i) { return i >= 0 && i < extent; };
  return {{std::clamp<int64_t>(at, 0, extent - 1), std::clamp<int64_t>(at + 1, 0, extent - 1)},
          {inside(at) ? 1 - far : 0, inside(at + 1) ? far : 0}};
}

class GridSampleKernel : public Kernel {
 public:
  explicit GridSampleKernel(const GeOpDesc &op) : s_(ReadSampling(op)) {
    const Dims x = DimsOf(op.inputs[0]), grid = DimsOf(op.inputs[1]), y = DimsOf(op.outputs[0]);
    if (x.size() != 4 || grid.size() != 4 || grid[3] != 2 || grid[0] != x[0] || y != Dims{x[0], x[1], grid[1], grid[2]})
      Refuse("the shapes of x, grid and y do not fit");
    batch_ = x[0], channels_ = x[1], height_ = x[2], width_ = x[3], rows_ = y[2], columns_ = y[3];
    if (height_ * width_ == 0 && Count(y) > 0) Refuse("x is empty");
    if (height_ * width_ > INT32_MAX) Refuse("an image has more than 2^31 pixels");
    implementation = s_.nearest ? "grid sample nearest" : "grid sample";
    flops = 8.0 * static_cast<double>(Count(y));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    auto *x = static_cast<const float *>(args.inputs[0]);
    auto *grid = static_cast<const float *>(args.inputs[1]);
    auto *y = static_cast<float *>(args.outputs[0]);
    if (batch_ * channels_ * rows_ * columns_ == 0) return GE_SUCCESS;
    const int64_t pieces = (columns_ + kPiece - 1) / kPiece;
    Parallel(batch_ * rows_ * pieces, std::max<int64_t>(1, 4096 / (channels_ * std::min(columns_, kPiece))),
             [&](int64_t begin, int64_t end) {
               for (int64_t job = begin; job < end; ++job) {
                 const int64_t column = job % pieces * kPiece, row = job / pieces % rows_, n = job / pieces / rows_;
                 Piece(x + n * channels_ * height_ * width_, grid + ((n * rows_ + row) * columns_ + column) * 2,
                       std::min(kPiece, columns_ - column), y + (n * channels_ * rows_ + row) * columns_ + column);
               }
             });
    return GE_SUCCESS;
  }

 private:
  static constexpr int64_t kPiece = 128;
  void Piece(const float *x, const float *grid, int64_t n, float *y) const {
    int32_t at[4][kPiece];
    float weight[4][kPiece];
    for (int64_t i = 0; i < n; ++i) {
      const Pair w = Along(s_, grid[2 * i], width_), h = Along(s_, grid[2 * i + 1], height_);
      for (int k = 0; k < 4; ++k) {
        at[k][i] = static_cast<int32_t>(h.at[k / 2] * width_ + w.at[k % 2]);
        weight[k][i] = h.weight[k / 2] * w.weight[k % 2];
      }
    }
    for (int64_t c = 0; c < channels_; ++c, x += height_ * width_, y += rows_ * columns_) {
      // A weight of 0 takes nothing, whatever lies there.
      for (int64_t i = 0; i < n; ++i) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += weight[k][i] != 0 ? weight[k][i] * x[at[k][i]] : 0;
        y[i] = sum;
      }
    }
  }

  Sampling s_;
  int64_t batch_, channels_, height_, width_, rows_, columns_;
};

void CheckGridSample(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "x");
  RequireFloat(op.inputs[1], "grid");
  RequireFloat(op.outputs[0], "y");
  ge::kit::RequirePlain(op.inputs[0], "x");
  if (op.inputs[0].rank >= 0 && op.inputs[0].rank != 4) Refuse("only images are supported");
  (void)ReadSampling(op);
}

}  // namespace

const Family &GridSampleFamily() {
  static const Family family = {&CheckGridSample, [](const GeOpDesc &op, const Table *) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<GridSampleKernel>(op);
                                }};
  return family;
}

}  // namespace vec
