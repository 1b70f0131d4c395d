// ROIAlign: where the samples of a bin lie is found once for all channels. Where more pixels are read than there are,
// the features are turned to channels last first: then a sample is four vectors of channels.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

constexpr float kLargestBin = 4096;

struct Region {
  float left, top, bin_w, bin_h;
  int64_t image, grid_w, grid_h;
};

/// Four pixels and how much each counts; one that does not count may hold anything.
struct Sample {
  int64_t at[4] = {};
  float weight[4] = {};
};

class RoiAlignKernel : public Kernel {
 public:
  RoiAlignKernel(const GeOpDesc &op, const Table *table) : table_(table) {
    const Dims x = DimsOf(op.inputs[0]), rois = DimsOf(op.inputs[1]), y = DimsOf(op.outputs[0]);
    if (x.size() != 4 || y.size() != 4 || rois.size() != 2 || rois[1] != 5 || y[0] != rois[0] || y[1] != x[1])
      Refuse("the shapes of features, rois and y do not fit");
    images_ = x[0], channels_ = x[1], height_ = x[2], width_ = x[3];
    regions_ = y[0], rows_ = y[2], columns_ = y[3];
    centres_ = GeOpAttrInt(&op, "roi_end_mode", 1) == 2;
    largest_ = std::strcmp(GeOpAttrString(&op, "pool_mode", "avg"), "max") == 0;
    scale_ = static_cast<float>(GeOpAttrFloat(&op, "spatial_scale", 1));
    samples_ = GeOpAttrInt(&op, "sample_num", 2);
    implementation = "roi align";
    flops = 32.0 * static_cast<double>(Count(y));
    const int64_t jobs = regions_ * rows_, read = jobs * columns_ * 4 * std::max<int64_t>(1, samples_ * samples_);
    turns_ = channels_ >= 8 && read >= images_ * height_ * width_;
    if (!turns_) return;
    constexpr int64_t kMostWorkers = 16;
    workers_ = std::clamp<int64_t>(jobs, 1, kMostWorkers);
    workspace_bytes = sizeof(float) * static_cast<uint64_t>(channels_ * (images_ * height_ * width_ + 1) +
                                                            workers_ * channels_ * columns_);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    auto *x = static_cast<const float *>(args.inputs[0]);
    auto *rois = static_cast<const float *>(args.inputs[1]);
    auto *y = static_cast<float *>(args.outputs[0]);
    if (height_ * width_ == 0 && regions_ * channels_ * rows_ * columns_ > 0)
      ge::kit::Fail(GE_PARAM_INVALID, "the features have no pixels");
    for (int64_t r = 0; r < regions_; ++r) (void)RegionAt(rois, r);  // ranges may not throw
    if (turns_) {
      RunTurned(x, rois, y, static_cast<float *>(args.workspace));
      return GE_SUCCESS;
    }
    Parallel(regions_ * rows_, std::max<int64_t>(1, 1024 / (channels_ * columns_ + 1)),
             [&](int64_t begin, int64_t end) {
               for (int64_t job = begin; job < end; ++job) {
                 const int64_t r = job / rows_, row = job % rows_;
                 const Region region = RegionAt(rois, r);
                 const float *image = x + region.image * channels_ * height_ * width_;
                 for (int64_t column = 0; column < columns_; ++column)
                   Bin(region, image, row, column, y + (r * channels_ * rows_ + row) * columns_ + column);
               }
             });
    return GE_SUCCESS;
  }

 private:
  Region RegionAt(const float *rois, int64_t r) const {
    const float *roi = rois + r * 5, offset = centres_ ? 0.5f : 0.0f;
    if (!(roi[0] >= 0 && roi[0] < static_cast<float>(images_)))
      ge::kit::Fail(GE_PARAM_INVALID, "region ", r, " is in image ", roi[0], ", there are ", images_);
    Region g{
        roi[1] * scale_ - offset, roi[2] * scale_ - offset, 0, 0, static_cast<int64_t>(roi[0]), samples_, samples_};
    g.bin_w = roi[3] * scale_ - offset - g.left;
    g.bin_h = roi[4] * scale_ - offset - g.top;
    if (!centres_) g.bin_w = std::max(g.bin_w, 1.0f), g.bin_h = std::max(g.bin_h, 1.0f);
    g.bin_w /= static_cast<float>(columns_);
    g.bin_h /= static_cast<float>(rows_);
    if (!(std::abs(g.bin_w) <= kLargestBin && std::abs(g.bin_h) <= kLargestBin))
      ge::kit::Fail(GE_PARAM_INVALID, "region ", r, " has bins of ", g.bin_w, " by ", g.bin_h, " pixels, the limit is ",
                    kLargestBin);
    if (samples_ <= 0) {
      g.grid_w = static_cast<int64_t>(std::ceil(g.bin_w));
      g.grid_h = static_cast<int64_t>(std::ceil(g.bin_h));
    }
    return g;
  }

  Sample SampleAt(float h, float w) const {
    Sample s;
    if (!(h >= -1 && h <= static_cast<float>(height_) && w >= -1 && w <= static_cast<float>(width_))) return s;
    h = std::max(h, 0.0f), w = std::max(w, 0.0f);
    int64_t low_h = static_cast<int64_t>(h), low_w = static_cast<int64_t>(w), high_h = low_h + 1, high_w = low_w + 1;
    if (low_h >= height_ - 1) h = static_cast<float>(low_h = high_h = height_ - 1);
    if (low_w >= width_ - 1) w = static_cast<float>(low_w = high_w = width_ - 1);
    const float dh = h - static_cast<float>(low_h), dw = w - static_cast<float>(low_w);
    return {{low_h * width_ + low_w, low_h * width_ + high_w, high_h * width_ + low_w, high_h * width_ + high_w},
            {(1 - dh) * (1 - dw), (1 - dh) * dw, dh * (1 - dw), dh * dw}};
  }

  /// A sample of pixel `at` in row and column.
  Sample SampleOf(const Region &g, int64_t row, int64_t column, int64_t at) const {
    const float i = static_cast<float>(at / g.grid_w), j = static_cast<float>(at % g.grid_w);
    return SampleAt(g.top + (static_cast<float>(row) + (i + 0.5f) / static_cast<float>(g.grid_h)) * g.bin_h,
                    g.left + (static_cast<float>(column) + (j + 0.5f) / static_cast<float>(g.grid_w)) * g.bin_w);
  }

  /// Workspace: a pixel of zeros, the features with channels last, a row of bins of each worker.
  void RunTurned(const float *x, const float *rois, float *y, float *zeros) const {
    const int64_t pixels = height_ * width_, image = pixels * channels_;
    float *const turned = zeros + channels_, *const rooms = turned + images_ * image;
    std::memset(zeros, 0, static_cast<size_t>(channels_) * sizeof(float));
    constexpr int64_t kPart = 64;  // pixels
    const int64_t parts = (pixels + kPart - 1) / kPart;
    Parallel(images_ * parts, std::max<int64_t>(1, 8192 / (kPart * channels_)), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t first = k % parts * kPart, at = k / parts * image;
        Turn(x + at + first, pixels, turned + at + first * channels_, channels_, channels_,
             std::min(kPart, pixels - first));
      }
    });
    ParallelPieces(
        regions_ * rows_, std::clamp<int64_t>(env()->threads, 1, workers_), [&](int64_t job, int64_t worker) {
          const int64_t r = job / rows_, row = job % rows_;
          const Region region = RegionAt(rois, r);
          float *const bins = rooms + worker * columns_ * channels_;
          for (int64_t column = 0; column < columns_; ++column)
            TurnedBin(region, turned + region.image * image, zeros, row, column, bins + column * channels_);
          Turn(bins, channels_, y + (r * channels_ * rows_ + row) * columns_, rows_ * columns_, columns_, channels_);
        });
  }
  /// to[j, i] = from[i, j].
  void Turn(const float *from, int64_t from_step, float *to, int64_t to_step, int64_t rows, int64_t columns) const {
    table_->transpose4(reinterpret_cast<const uint32_t *>(from), static_cast<size_t>(from_step),
                       reinterpret_cast<uint32_t *>(to), static_cast<size_t>(to_step), static_cast<size_t>(rows),
                       static_cast<size_t>(columns));
  }

  void TurnedBin(const Region &g, const float *image, const float *zeros, int64_t row, int64_t column,
                 float *bin) const {
    const int64_t count = g.grid_h * g.grid_w;
    std::memset(bin, 0, static_cast<size_t>(channels_) * sizeof(float));
    for (int64_t k = 0; k < count; ++k) {
      const Sample s = SampleOf(g, row, column, k);
      const float *from[4];
      for (int i = 0; i < 4; ++i) from[i] = s.weight[i] == 0 ? zeros : image + s.at[i] * channels_;
      if (largest_) RaiseTo(s, from, k == 0, bin);
      else AddTo(s, from, bin);
    }
    for (int64_t c = 0; c < channels_ && !largest_ && count > 0; ++c) bin[c] /= static_cast<float>(count);
  }
  void AddTo(const Sample &s, const float *const (&from)[4], float *sums) const {
    const float *a = from[0], *b = from[1], *d = from[2], *e = from[3];
#pragma GCC ivdep
    for (int64_t c = 0; c < channels_; ++c)
      sums[c] += s.weight[0] * a[c] + s.weight[1] * b[c] + s.weight[2] * d[c] + s.weight[3] * e[c];
  }
  void RaiseTo(const Sample &s, const float *const (&from)[4], bool begins, float *top) const {
    for (int i = 0; i < 4; ++i) {
      const float weight = s.weight[i], *x = from[i];
      const bool sets = begins && i == 0;
#pragma GCC ivdep
      for (int64_t c = 0; c < channels_; ++c) top[c] = sets ? weight * x[c] : std::max(top[c], weight * x[c]);
    }
  }

  /// One bin of all channels, some samples at a time.
  void Bin(const Region &g, const float *image, int64_t row, int64_t column, float *y) const {
    constexpr int64_t kAtOnce = 16;
    Sample samples[kAtOnce];
    const int64_t count = g.grid_h * g.grid_w, pixels = height_ * width_, step = rows_ * columns_;
    if (count <= 0)
      for (int64_t c = 0; c < channels_; ++c) y[c * step] = 0;
    for (int64_t first = 0; first < count; first += kAtOnce) {
      const int64_t n = std::min(kAtOnce, count - first);
      for (int64_t k = 0; k < n; ++k) samples[k] = SampleOf(g, row, column, first + k);
      for (int64_t c = 0; c < channels_; ++c) {
        const float part = largest_ ? Largest(image + c * pixels, samples, n) : Sum(image + c * pixels, samples, n);
        float &to = y[c * step];
        if (first == 0) to = part;
        else to = largest_ ? std::max(to, part) : to + part;
        if (!largest_ && first + n == count) to /= static_cast<float>(count);
      }
    }
  }
  static float Value(const float *x, const Sample &s, int k) { return s.weight[k] == 0 ? 0 : s.weight[k] * x[s.at[k]]; }
  static float Sum(const float *x, const Sample *samples, int64_t n) {
    float sum = 0;
    for (int64_t i = 0; i < n; ++i)
      sum += Value(x, samples[i], 0) + Value(x, samples[i], 1) + Value(x, samples[i], 2) + Value(x, samples[i], 3);
    return sum;
  }
  static float Largest(const float *x, const Sample *samples, int64_t n) {
    float top = Value(x, samples[0], 0);
    for (int64_t i = 0; i < n; ++i)
      for (int k = 0; k < 4; ++k) top = std::max(top, Value(x, samples[i], k));
    return top;
  }

  const Table *const table_;
  int64_t images_, channels_, height_, width_, regions_, rows_, columns_, samples_, workers_ = 1;
  bool centres_, largest_, turns_ = false;  // turns_: to channels last
  float scale_;
};

void CheckRoiAlign(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "features");
  RequireFloat(op.inputs[1], "rois");
  RequireFloat(op.outputs[0], "y");
  ge::kit::RequirePlain(op.inputs[0], "features");
  if (op.inputs[0].format == C_FORMAT_NHWC) Refuse("channels last are not supported");
  if (op.input_count > 2 && Present(op.inputs[2])) Refuse("rois_n is not supported");
  const int64_t mode = GeOpAttrInt(&op, "roi_end_mode", 1);
  if (mode != 0 && mode != 2) Refuse("roi_end_mode " + std::to_string(mode) + " is not supported, expected 0 or 2");
  const std::string pool = GeOpAttrString(&op, "pool_mode", "avg");
  if (pool != "avg" && pool != "max") Refuse("pool_mode " + pool + " is unknown, expected avg or max");
}

}  // namespace

const Family &RoiAlignFamily() {
  static const Family family = {&CheckRoiAlign, [](const GeOpDesc &op, const Table *table) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<RoiAlignKernel>(op, table);
                                }};
  return family;
}

}  // namespace vec
