// Resize along the last two axes. With linear or cubic weights rows are widened or narrowed first, each input row once,
// then combined; the nearest element is a row that is copied.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ge/fused_program.h"
#include "kernel.h"

namespace vec {
namespace {

constexpr int64_t kCached = 12288;  // floats of rows that are ready

enum class Rule { kHalfPixel, kHalfPixelSymmetric, kPytorchHalfPixel, kAlignCorners, kAsymmetric };

struct Resizing {
  Rule rule = Rule::kHalfPixel;
  int taps = 2;  // 1: nearest, 2: linear, 4: cubic
  std::string rounding;
  double cubic_a = -0.75;
  bool exclude_outside = false;
};

/// Of one axis, tap by tap: index[t * out + o] counts with weight[t * out + o].
struct AxisTaps {
  int64_t in = 1, out = 1;
  bool same = false;  // every position takes the one at its place
  std::vector<int32_t> index;
  std::vector<float> weight;
};

// In float32, as exporters expect.
float SourceOf(Rule rule, int64_t position, int64_t in_extent, int64_t out, float scale) {
  const float x = static_cast<float>(position), in = static_cast<float>(in_extent);
  switch (rule) {
    case Rule::kHalfPixelSymmetric:
      return in / 2 * (1 - static_cast<float>(out) / (scale * in)) + (x + 0.5f) / scale - 0.5f;
    case Rule::kPytorchHalfPixel:
      return out > 1 ? (x + 0.5f) / scale - 0.5f : 0.0f;
    case Rule::kAlignCorners:
      return out == 1 ? 0.0f : x * (in - 1) / static_cast<float>(out - 1);
    case Rule::kAsymmetric:
      return x / scale;
    default:
      return (x + 0.5f) / scale - 0.5f;
  }
}

// As the reference kernels do it: positions are float32, and what should lie half-way may miss it by a rounding.
int64_t NearestOf(const std::string &rounding, double x) {
  constexpr double kTie = 1e-6;
  if (rounding == "round_prefer_floor") return static_cast<int64_t>(std::ceil(x - 0.5 - kTie));
  if (rounding == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5 + kTie));
  return static_cast<int64_t>(rounding == "floor" ? std::floor(x) : std::ceil(x));
}

void WeightsOf(const Resizing &r, double s, double *w) {
  if (r.taps == 2) {
    w[0] = 1 - s, w[1] = s;
    return;
  }
  const double a = r.cubic_a;
  const auto near = [a](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  const auto far = [a](double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  w[0] = far(1 + s), w[1] = near(s), w[2] = near(1 - s), w[3] = far(2 - s);
}

AxisTaps TapsOf(const Resizing &r, int64_t in, int64_t out, double scale) {
  AxisTaps taps{in, out, in == out, {}, {}};
  taps.index.resize(static_cast<size_t>(r.taps * out));
  taps.weight.resize(static_cast<size_t>(r.taps * out));
  for (int64_t o = 0; o < out; ++o) {
    const double from = SourceOf(r.rule, o, in, out, static_cast<float>(scale)), floor = std::floor(from);
    if (r.taps == 1) {
      const int64_t at = std::clamp<int64_t>(NearestOf(r.rounding, from), 0, in - 1);
      taps.index[static_cast<size_t>(o)] = static_cast<int32_t>(at);
      taps.weight[static_cast<size_t>(o)] = 1;
      taps.same &= at == o;
      continue;
    }
    double w[4], sum = 0;
    WeightsOf(r, from - floor, w);
    const int64_t first = static_cast<int64_t>(floor) - (r.taps == 4 ? 1 : 0);
    for (int t = 0; t < r.taps; ++t) {
      if (r.exclude_outside && r.taps == 4 && (first + t < 0 || first + t >= in)) w[t] = 0;
      sum += w[t];
    }
    for (int t = 0; t < r.taps; ++t) {
      const size_t at = static_cast<size_t>(t * out + o);
      taps.index[at] = static_cast<int32_t>(std::clamp<int64_t>(first + t, 0, in - 1));
      taps.weight[at] = static_cast<float>(r.exclude_outside && r.taps == 4 ? w[t] / sum : w[t]);
      taps.same &= w[t] == (taps.index[at] == o && w[t] != 0 ? 1 : 0);
    }
  }
  return taps;
}

Resizing ReadResize(const GeOpDesc &op) {
  Resizing r;
  const std::string mode = GeOpAttrString(&op, "mode", "nearest");
  if (mode != "linear" && mode != "cubic" && mode != "nearest") Refuse("mode " + mode + " is unknown");
  r.taps = mode == "nearest" ? 1 : mode == "linear" ? 2 : 4;
  r.rounding = GeOpAttrString(&op, "nearest_mode", "round_prefer_floor");
  if (r.rounding != "round_prefer_floor" && r.rounding != "round_prefer_ceil" && r.rounding != "floor" &&
      r.rounding != "ceil")
    Refuse("nearest_mode " + r.rounding + " is unknown");
  const std::string rule = GeOpAttrString(&op, "coordinate_transformation_mode", "half_pixel");
  static const char *const kRules[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                       "asymmetric"};
  const auto *at = std::find(std::begin(kRules), std::end(kRules), rule);
  if (at == std::end(kRules)) Refuse("coordinate_transformation_mode " + rule + " is not supported");
  r.rule = static_cast<Rule>(at - std::begin(kRules));
  r.cubic_a = GeOpAttrFloat(&op, "cubic_coeff_a", -0.75);
  r.exclude_outside = GeOpAttrInt(&op, "exclude_outside", 0) != 0;
  if (GeOpAttrInt(&op, "antialias", 0) != 0) Refuse("antialias is set");
  return r;
}

/// Factors of all axes; of a node whose extents are known.
std::vector<double> ScalesOf(const GeOpDesc &op, const Dims &x, const Dims &y) {
  std::vector<double> scales(x.size());
  for (size_t i = 0; i < x.size(); ++i) scales[i] = static_cast<double>(y[i]) / static_cast<double>(x[i]);
  if (op.input_count < 3 || !Present(op.inputs[2]) || Count(DimsOf(op.inputs[2])) == 0) return scales;
  const GeTensorData &given = op.inputs[2];
  if (!given.data || given.data_type != C_DT_FLOAT) Refuse("scales is not a constant of floats");
  size_t count = 0;
  const int64_t *named = GeOpAttrInts(&op, "axes", &count);
  const size_t n = count ? count : x.size();
  if (static_cast<size_t>(Count(DimsOf(given))) != n) Refuse("scales does not have one value for each axis");
  for (size_t i = 0; i < n; ++i) {
    const size_t axis = count ? static_cast<size_t>(NormalAxis(named[i], static_cast<int64_t>(x.size()))) : i;
    scales[axis] = static_cast<const float *>(given.data)[i];
    if (!(scales[axis] > 0)) Refuse("scales has a value that is not positive");
  }
  return scales;
}

class ResizeKernel : public Kernel {
 public:
  ResizeKernel(const GeOpDesc &op, const Table *table) : table_(table) {
    const Dims x = DimsOf(op.inputs[0]), y = DimsOf(op.outputs[0]);
    const Resizing r = ReadResize(op);
    if (x.size() != y.size() || x.empty()) Refuse("the ranks of x and y differ");
    if (Count(x) == 0 || Count(y) == 0) Refuse("empty tensors are not supported");
    const std::vector<double> scales = ScalesOf(op, x, y);
    const size_t rank = x.size();
    for (size_t i = 0; i + 2 < rank; ++i)
      if (x[i] != y[i] || !TapsOf(r, x[i], y[i], scales[i]).same) Refuse("other axes than the last two are resized");
    taps_ = r.taps;
    columns_ = TapsOf(r, x[rank - 1], y[rank - 1], scales[rank - 1]);
    rows_ = rank > 1 ? TapsOf(r, x[rank - 2], y[rank - 2], scales[rank - 2]) : TapsOf(r, 1, 1, 1);
    if (columns_.in > INT32_MAX || rows_.in > INT32_MAX) Refuse("an extent is above 2^31");
    planes_ = rank > 1 ? Count(x, 0, rank - 2) : 1;
    piece_ = std::min(columns_.out, kCached / taps_);
    implementation = taps_ == 1 ? "resize nearest" : taps_ == 2 ? "resize linear" : "resize cubic";
    flops = static_cast<double>(Count(y)) * 4 * taps_;
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    auto *x = static_cast<const float *>(args.inputs[0]);
    auto *y = static_cast<float *>(args.outputs[0]);
    // Bands of rows, so that few planes keep all threads busy; neighbours share input rows.
    const int64_t band = std::max<int64_t>(8, 16384 / columns_.out), bands = (rows_.out + band - 1) / band;
    const int64_t pieces = (columns_.out + piece_ - 1) / piece_;
    Parallel(planes_ * bands * pieces, 1, [&](int64_t begin, int64_t end) {
      float cache[kCached];
      for (int64_t job = begin; job < end; ++job) {
        const int64_t column = job % pieces * piece_, row = job / pieces % bands * band, plane = job / pieces / bands;
        Band(x + plane * rows_.in * columns_.in, y + plane * rows_.out * columns_.out, row,
             std::min(rows_.out, row + band), column, std::min(piece_, columns_.out - column), cache);
      }
    });
    return GE_SUCCESS;
  }

 private:
  /// Columns [column, column + n) of one input row.
  void Widen(const float *x, int64_t column, int64_t n, float *out) const {
    if (columns_.same) {
      std::memcpy(out, x + column, static_cast<size_t>(n) * sizeof(float));
      return;
    }
    const int32_t *at = columns_.index.data() + column;
    const float *w = columns_.weight.data() + column;
    const int64_t step = columns_.out;
    if (taps_ == 1) {
      for (int64_t j = 0; j < n; ++j) out[j] = x[at[j]];
      return;
    }
    if (taps_ == 2) {
      for (int64_t j = 0; j < n; ++j) out[j] = w[j] * x[at[j]] + w[step + j] * x[at[step + j]];
      return;
    }
    for (int64_t j = 0; j < n; ++j)
      out[j] = w[j] * x[at[j]] + w[step + j] * x[at[step + j]] + w[2 * step + j] * x[at[2 * step + j]] +
               w[3 * step + j] * x[at[3 * step + j]];
  }

  void Band(const float *x, float *y, int64_t first, int64_t last, int64_t column, int64_t n, float *cache) const {
    int64_t have[4] = {-1, -1, -1, -1};  // input row r is in slot r % taps_
    for (int64_t row = first; row < last; ++row) {
      float *out = y + row * columns_.out + column;
      bool begun = false;
      for (int t = 0; t < taps_; ++t) {
        const size_t at = static_cast<size_t>(t * rows_.out + row);
        const int64_t from = rows_.index[at];
        const float weight = rows_.weight[at];
        if (weight == 0) continue;
        float *ready = cache + from % taps_ * n;
        if (have[from % taps_] != from) {
          Widen(x + from * columns_.in, column, n, ready);
          have[from % taps_] = from;
        }
        if (!begun && weight == 1) {
          std::memcpy(out, ready, static_cast<size_t>(n) * sizeof(float));
        } else {
          Operand a, b, c;
          a.data = ready, b.value = weight, c.data = out;
          table_->apply(begun ? GE_FUSED_FMA : GE_FUSED_MUL, out, a, b, c, static_cast<size_t>(n));
        }
        begun = true;
      }
      if (!begun) std::fill(out, out + n, 0.0f);
    }
  }

  const Table *table_;
  int taps_;
  AxisTaps rows_, columns_;
  int64_t planes_, piece_;
};

void CheckResize(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "x");
  RequireFloat(op.outputs[0], "y");
  ge::kit::RequirePlain(op.inputs[0], "x");
  (void)ReadResize(op);
  const Dims x = DimsOf(op.inputs[0]), y = DimsOf(op.outputs[0]);
  const auto open = [](const Dims &d) { return std::any_of(d.begin(), d.end(), [](int64_t v) { return v < 0; }); };
  if (x.size() != y.size() || open(x) || open(y)) return;
  for (size_t i = 0; i + 2 < x.size(); ++i)
    if (x[i] != y[i]) Refuse("other axes than the last two are resized");
  if (Count(x) == 0 || Count(y) == 0) Refuse("empty tensors are not supported");
  (void)ScalesOf(op, x, y);
}

}  // namespace

const Family &ResizeFamily() {
  static const Family family = {&CheckResize, [](const GeOpDesc &op, const Table *table) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<ResizeKernel>(op, table);
                                }};
  return family;
}

}  // namespace vec
