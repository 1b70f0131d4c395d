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
  RoiAlignKernel(const GeOpDesc &op, const Table *table, bool open) : table_(table), open_(open) {
    if (op.inputs[0].rank != 4 || op.outputs[0].rank != 4 || op.inputs[1].rank != 2)
      Refuse("the ranks of features, rois and y do not fit");
    centres_ = GeOpAttrInt(&op, "roi_end_mode", 1) == 2;
    largest_ = std::strcmp(GeOpAttrString(&op, "pool_mode", "avg"), "max") == 0;
    scale_ = static_cast<float>(GeOpAttrFloat(&op, "spatial_scale", 1));
    samples_ = GeOpAttrInt(&op, "sample_num", 2);
    implementation = open ? "roi align:open" : "roi align";
    sizes_workspace = open;
    if (open) return;
    if (!Fits(op.inputs[0].dims, op.inputs[1].dims, op.outputs[0].dims))
      Refuse("the shapes of features, rois and y do not fit");
    sizes_ = SizesOf(op.inputs[0].dims, op.outputs[0].dims);
    flops = 32.0 * static_cast<double>(Count(DimsOf(op.outputs[0])));
    workspace_bytes = sizes_.workspace();
  }

  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *output_dims) const override {
    return SizesOf(input_dims[0], output_dims[0]).workspace();
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (open_ && !Fits(args.input_dims[0], args.input_dims[1], args.output_dims[0]))
      ge::kit::Fail(GE_PARAM_INVALID, "the shapes of features, rois and y do not fit");
    const Sizes z = open_ ? SizesOf(args.input_dims[0], args.output_dims[0]) : sizes_;
    auto *x = static_cast<const float *>(args.inputs[0]);
    auto *rois = static_cast<const float *>(args.inputs[1]);
    auto *y = static_cast<float *>(args.outputs[0]);
    if (z.height * z.width == 0 && z.regions * z.channels * z.rows * z.columns > 0)
      ge::kit::Fail(GE_PARAM_INVALID, "the features have no pixels");
    for (int64_t r = 0; r < z.regions; ++r) (void)RegionAt(z, rois, r);  // ranges may not throw
    if (z.turns) {
      RunTurned(z, x, rois, y, static_cast<float *>(args.workspace));
      return GE_SUCCESS;
    }
    Parallel(z.regions * z.rows, std::max<int64_t>(1, 1024 / (z.channels * z.columns + 1)),
             [&](int64_t begin, int64_t end) {
               for (int64_t job = begin; job < end; ++job) {
                 const int64_t r = job / z.rows, row = job % z.rows;
                 const Region region = RegionAt(z, rois, r);
                 const float *image = x + region.image * z.channels * z.height * z.width;
                 for (int64_t column = 0; column < z.columns; ++column)
                   Bin(z, region, image, row, column, y + (r * z.channels * z.rows + row) * z.columns + column);
               }
             });
    return GE_SUCCESS;
  }

 private:
  struct Sizes {
    int64_t images, channels, height, width, regions, rows, columns;
    int64_t workers;  // at most, where features are turned
    bool turns;       // to channels last
    uint64_t workspace() const {
      if (!turns) return 0;
      return sizeof(float) *
             static_cast<uint64_t>(channels * (images * height * width + 1) + workers * channels * columns);
    }
  };

  static bool Fits(const int64_t *x, const int64_t *rois, const int64_t *y) {
    return rois[1] == 5 && y[0] == rois[0] && y[1] == x[1];
  }

  Sizes SizesOf(const int64_t *x, const int64_t *y) const {
    constexpr int64_t kMostWorkers = 16;
    Sizes z{x[0], x[1], x[2], x[3], y[0], y[2], y[3], 1, false};
    const int64_t jobs = z.regions * z.rows, read = jobs * z.columns * 4 * std::max<int64_t>(1, samples_ * samples_);
    z.turns = z.channels >= 8 && read >= z.images * z.height * z.width;
    z.workers = std::clamp<int64_t>(jobs, 1, kMostWorkers);
    return z;
  }

  Region RegionAt(const Sizes &z, const float *rois, int64_t r) const {
    const float *roi = rois + r * 5, offset = centres_ ? 0.5f : 0.0f;
    if (!(roi[0] >= 0 && roi[0] < static_cast<float>(z.images)))
      ge::kit::Fail(GE_PARAM_INVALID, "region ", r, " is in image ", roi[0], ", there are ", z.images);
    Region g{
        roi[1] * scale_ - offset, roi[2] * scale_ - offset, 0, 0, static_cast<int64_t>(roi[0]), samples_, samples_};
    g.bin_w = roi[3] * scale_ - offset - g.left;
    g.bin_h = roi[4] * scale_ - offset - g.top;
    if (!centres_) g.bin_w = std::max(g.bin_w, 1.0f), g.bin_h = std::max(g.bin_h, 1.0f);
    g.bin_w /= static_cast<float>(z.columns);
    g.bin_h /= static_cast<float>(z.rows);
    if (!(std::abs(g.bin_w) <= kLargestBin && std::abs(g.bin_h) <= kLargestBin))
      ge::kit::Fail(GE_PARAM_INVALID, "region ", r, " has bins of ", g.bin_w, " by ", g.bin_h, " pixels, the limit is ",
                    kLargestBin);
    if (samples_ <= 0) {
      g.grid_w = static_cast<int64_t>(std::ceil(g.bin_w));
      g.grid_h = static_cast<int64_t>(std::ceil(g.bin_h));
    }
    return g;
  }

  static Sample SampleAt(const Sizes &z, float h, float w) {
    Sample s;
    if (!(h >= -1 && h <= static_cast<float>(z.height) && w >= -1 && w <= static_cast<float>(z.width))) return s;
    h = std::max(h, 0.0f), w = std::max(w, 0.0f);
    int64_t low_h = static_cast<int64_t>(h), low_w = static_cast<int64_t>(w), high_h = low_h + 1, high_w = low_w + 1;
    if (low_h >= z.height - 1) h = static_cast<float>(low_h = high_h = z.height - 1);
    if (low_w >= z.width - 1) w = static_cast<float>(low_w = high_w = z.width - 1);
    const float dh = h - static_cast<float>(low_h), dw = w - static_cast<float>(low_w);
    return {{low_h * z.width + low_w, low_h * z.width + high_w, high_h * z.width + low_w, high_h * z.width + high_w},
            {(1 - dh) * (1 - dw), (1 - dh) * dw, dh * (1 - dw), dh * dw}};
  }

  /// A sample of pixel `at` in row and column.
  static Sample SampleOf(const Sizes &z, const Region &g, int64_t row, int64_t column, int64_t at) {
    const float i = static_cast<float>(at / g.grid_w), j = static_cast<float>(at % g.grid_w);
    return SampleAt(z, g.top + (static_cast<float>(row) + (i + 0.5f) / static_cast<float>(g.grid_h)) * g.bin_h,
                    g.left + (static_cast<float>(column) + (j + 0.5f) / static_cast<float>(g.grid_w)) * g.bin_w);
  }

  /// Workspace: a pixel of zeros, the features with channels last, a row of bins of each worker.
  void RunTurned(const Sizes &z, const float *x, const float *rois, float *y, float *zeros) const {
    const int64_t pixels = z.height * z.width, image = pixels * z.channels;
    float *const turned = zeros + z.channels, *const rooms = turned + z.images * image;
    std::memset(zeros, 0, static_cast<size_t>(z.channels) * sizeof(float));
    constexpr int64_t kPart = 64;  // pixels
    const int64_t parts = (pixels + kPart - 1) / kPart;
    Parallel(z.images * parts, std::max<int64_t>(1, 8192 / (kPart * z.channels)), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t first = k % parts * kPart, at = k / parts * image;
        Turn(x + at + first, pixels, turned + at + first * z.channels, z.channels, z.channels,
             std::min(kPart, pixels - first));
      }
    });
    ParallelPieces(
        z.regions * z.rows, std::clamp<int64_t>(env()->threads, 1, z.workers), [&](int64_t job, int64_t worker) {
          const int64_t r = job / z.rows, row = job % z.rows;
          const Region region = RegionAt(z, rois, r);
          float *const bins = rooms + worker * z.columns * z.channels;
          for (int64_t column = 0; column < z.columns; ++column)
            TurnedBin(z, region, turned + region.image * image, zeros, row, column, bins + column * z.channels);
          Turn(bins, z.channels, y + (r * z.channels * z.rows + row) * z.columns, z.rows * z.columns, z.columns,
               z.channels);
        });
  }
  /// to[j, i] = from[i, j].
  void Turn(const float *from, int64_t from_step, float *to, int64_t to_step, int64_t rows, int64_t columns) const {
    table_->transpose4(reinterpret_cast<const uint32_t *>(from), static_cast<size_t>(from_step),
                       reinterpret_cast<uint32_t *>(to), static_cast<size_t>(to_step), static_cast<size_t>(rows),
                       static_cast<size_t>(columns));
  }

  void TurnedBin(const Sizes &z, const Region &g, const float *image, const float *zeros, int64_t row, int64_t column,
                 float *bin) const {
    const int64_t count = g.grid_h * g.grid_w;
    std::memset(bin, 0, static_cast<size_t>(z.channels) * sizeof(float));
    for (int64_t k = 0; k < count; ++k) {
      const Sample s = SampleOf(z, g, row, column, k);
      const float *from[4];
      for (int i = 0; i < 4; ++i) from[i] = s.weight[i] == 0 ? zeros : image + s.at[i] * z.channels;
      if (largest_) RaiseTo(s, from, z.channels, k == 0, bin);
      else AddTo(s, from, z.channels, bin);
    }
    for (int64_t c = 0; c < z.channels && !largest_ && count > 0; ++c) bin[c] /= static_cast<float>(count);
  }
  static void AddTo(const Sample &s, const float *const (&from)[4], int64_t channels, float *sums) {
    const float *a = from[0], *b = from[1], *d = from[2], *e = from[3];
#pragma GCC ivdep
    for (int64_t c = 0; c < channels; ++c)
      sums[c] += s.weight[0] * a[c] + s.weight[1] * b[c] + s.weight[2] * d[c] + s.weight[3] * e[c];
  }
  static void RaiseTo(const Sample &s, const float *const (&from)[4], int64_t channels, bool begins, float *top) {
    for (int i = 0; i < 4; ++i) {
      const float weight = s.weight[i], *x = from[i];
      const bool sets = begins && i == 0;
#pragma GCC ivdep
      for (int64_t c = 0; c < channels; ++c) top[c] = sets ? weight * x[c] : std::max(top[c], weight * x[c]);
    }
  }

  /// One bin of all channels, some samples at a time.
  void Bin(const Sizes &z, const Region &g, const float *image, int64_t row, int64_t column, float *y) const {
    constexpr int64_t kAtOnce = 16;
    Sample samples[kAtOnce];
    const int64_t count = g.grid_h * g.grid_w, pixels = z.height * z.width, step = z.rows * z.columns;
    if (count <= 0)
      for (int64_t c = 0; c < z.channels; ++c) y[c * step] = 0;
    for (int64_t first = 0; first < count; first += kAtOnce) {
      const int64_t n = std::min(kAtOnce, count - first);
      for (int64_t k = 0; k < n; ++k) samples[k] = SampleOf(z, g, row, column, first + k);
      for (int64_t c = 0; c < z.channels; ++c) {
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
  const bool open_;
  Sizes sizes_{};  // of a kernel for one size
  int64_t samples_;
  bool centres_, largest_;
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
  static const Family family = {
      &CheckRoiAlign,
      [](const GeOpDesc &op, const Table *table) -> std::unique_ptr<Kernel> {
        return std::make_unique<RoiAlignKernel>(op, table, false);
      },
      [](const GeOpDesc &op, const GeOpenExtents &, const Table *table) -> std::unique_ptr<Kernel> {
        return std::make_unique<RoiAlignKernel>(op, table, true);
      }};
  return family;
}

}  // namespace vec
