// GridSample of images: where each output pixel reads is found once for all channels.
#include <algorithm>
#include <cmath>
#include <limits>

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

constexpr int64_t kPiece = 128;  // pixels whose places are found together

/// Along one axis: where each pixel of a piece reads two neighbouring positions, inside, and how much each counts.
struct Places {
  int32_t first[kPiece], second[kPiece];
  float near[kPiece], far[kPiece];
};

/// Positions behind an end come back from there.
void Reflect(bool align, int64_t extent, int64_t n, double *p) {
  const double low = align ? 0 : -0.5, range = static_cast<double>(align ? extent - 1 : extent);
  for (int64_t i = 0; i < n; ++i) {
    if (p[i] != p[i]) continue;
    const double d = range > 0 ? std::fmod(std::abs(p[i] - low), 2 * range) : 0;
    p[i] = range > 0 ? low + (d > range ? 2 * range - d : d) : low;
  }
}

/// Of the values grid[2 * i], in loops that become vectors: nothing in them is left out under a condition. A NaN stays
/// one, as a weight of the first position.
void FindPlaces(const Sampling &s, const float *grid, int64_t n, int64_t extent, Places *places) {
  double p[kPiece], first[kPiece];
  const double last = static_cast<double>(extent - 1), factor = (s.align ? last : last + 1) / 2;
  for (int64_t i = 0; i < n; ++i) p[i] = static_cast<double>(grid[2 * i]) * factor + last / 2;
  if (s.outside == Outside::kReflection) Reflect(s.align, extent, n, p);
  // Two positions outside count as much as those that are further away: nothing.
  const bool zeros = s.outside == Outside::kZeros;
  const double least = zeros ? -2 : 0, most = zeros ? last + 2 : last;
  for (int64_t i = 0; i < n; ++i) {
    const double at = p[i] < least ? least : p[i];
    p[i] = at > most ? most : at;
  }
  if (s.nearest)
    for (int64_t i = 0; i < n; ++i) first[i] = std::nearbyint(p[i]);
  else
    for (int64_t i = 0; i < n; ++i) first[i] = std::floor(p[i]);
  const double between = s.nearest ? 0 : 1;
  const auto end = static_cast<int32_t>(extent);
  for (int64_t i = 0; i < n; ++i) {
    const auto far = static_cast<float>((p[i] - first[i]) * between);
    const float near = 1 - far;
    const double number = first[i] == first[i] ? first[i] : 0;
    const auto k = static_cast<int32_t>(number), next = k + 1;
    places->near[i] = near * static_cast<float>((k >= 0) & (k < end));
    places->far[i] = far * static_cast<float>((next >= 0) & (next < end));
    places->first[i] = std::max(0, std::min(k, end - 1));
    places->second[i] = std::max(0, std::min(next, end - 1));
  }
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
  /// Values that a piece's pixels read of each channel: first and second row, and in each first and second column.
  struct Corners {
    int32_t at[4][kPiece];
    float weight[4][kPiece];

    float Weighted(int k, int64_t i, const float *x) const { return weight[k][i] * x[at[k][i]]; }
    /// A weight of 0 takes nothing, whatever lies there.
    float Exactly(int64_t i, const float *x) const {
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += weight[k][i] != 0 ? Weighted(k, i, x) : 0;
      return sum;
    }
  };

  void Piece(const float *x, const float *grid, int64_t n, float *y) const {
    Places w, h;
    Corners corners;
    FindPlaces(s_, grid, n, width_, &w);
    FindPlaces(s_, grid + 1, n, height_, &h);
    const auto width = static_cast<int32_t>(width_);
    for (int64_t i = 0; i < n; ++i) {
      const int32_t up = h.first[i] * width, down = h.second[i] * width;
      corners.at[0][i] = up + w.first[i], corners.weight[0][i] = h.near[i] * w.near[i];
      corners.at[1][i] = up + w.second[i], corners.weight[1][i] = h.near[i] * w.far[i];
      corners.at[2][i] = down + w.first[i], corners.weight[2][i] = h.far[i] * w.near[i];
      corners.at[3][i] = down + w.second[i], corners.weight[3][i] = h.far[i] * w.far[i];
    }
    for (int64_t c = 0; c < channels_; ++c, x += height_ * width_, y += rows_ * columns_)
      if (s_.nearest) Nearest(corners, x, n, y);
      else Linear(corners, x, n, y);
  }

  static void Nearest(const Corners &corners, const float *x, int64_t n, float *y) {
    for (int64_t i = 0; i < n; ++i) y[i] = corners.weight[0][i] != 0 ? corners.Weighted(0, i, x) : 0;
  }
  static void Linear(const Corners &corners, const float *x, int64_t n, float *y) {
    for (int64_t i = 0; i < n; ++i)
      y[i] = (corners.Weighted(0, i, x) + corners.Weighted(1, i, x)) +
             (corners.Weighted(2, i, x) + corners.Weighted(3, i, x));
    int strange = 0;  // results that are no finite numbers
    for (int64_t i = 0; i < n; ++i) strange += !(std::abs(y[i]) <= std::numeric_limits<float>::max());
    for (int64_t i = 0; i < n && strange; ++i) y[i] = corners.Exactly(i, x);
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
