// Resize along the last two axes, of elements that are one value or, where channels lie in blocks, a block of them.
// With linear or cubic weights rows are widened or narrowed first, each input row once, then combined; the nearest
// element is a row that is copied.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ge/fused_program.h"
#include "kernel.h"

namespace vec {
namespace {

constexpr int64_t kCached = 12288;  // floats of rows that are ready

enum class Rule { kHalfPixel, kHalfPixelSymmetric, kPytorchHalfPixel, kAlignCorners, kAsymmetric };

enum class Rounding { kPreferFloor, kPreferCeil, kFloor, kCeil };

struct Resizing {
  Rule rule = Rule::kHalfPixel;
  int taps = 2;  // 1: nearest, 2: linear, 4: cubic
  Rounding rounding = Rounding::kPreferFloor;
  double cubic_a = -0.75;
  bool exclude_outside = false;
};

/// Of one axis, tap by tap: index[t * out + o] counts with weight[t * out + o].
struct AxisTaps {
  int64_t in = 1, out = 1;
  bool same = false;   // every position takes the one at its place
  int64_t factor = 0;  // each is taken so many times in turn; 0: in another way, or with weights
  const int32_t *index = nullptr;
  const float *weight = nullptr;

  static uint64_t BytesOf(int taps, int64_t out) {
    return static_cast<uint64_t>(taps * out) * (sizeof(int32_t) + sizeof(float));
  }
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
int64_t NearestOf(Rounding rounding, double x) {
  constexpr double kTie = 1e-6;
  switch (rounding) {
    case Rounding::kPreferFloor:
      return static_cast<int64_t>(std::ceil(x - 0.5 - kTie));
    case Rounding::kPreferCeil:
      return static_cast<int64_t>(std::floor(x + 0.5 + kTie));
    case Rounding::kFloor:
      return static_cast<int64_t>(std::floor(x));
    default:
      return static_cast<int64_t>(std::ceil(x));
  }
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

/// In `room`, which has BytesOf them.
AxisTaps TapsOf(const Resizing &r, int64_t in, int64_t out, double scale, void *room) {
  auto *const index = static_cast<int32_t *>(room);
  auto *const weight = reinterpret_cast<float *>(index + r.taps * out);
  AxisTaps taps{in, out, in == out, r.taps == 1 && out % in == 0 ? out / in : 0, index, weight};
  for (int64_t o = 0; o < out; ++o) {
    const double from = SourceOf(r.rule, o, in, out, static_cast<float>(scale)), floor = std::floor(from);
    if (r.taps == 1) {
      const int64_t at = std::clamp<int64_t>(NearestOf(r.rounding, from), 0, in - 1);
      index[o] = static_cast<int32_t>(at);
      weight[o] = 1;
      if (taps.factor && at != o / taps.factor) taps.factor = 0;
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
      const int64_t at = t * out + o;
      index[at] = static_cast<int32_t>(std::clamp<int64_t>(first + t, 0, in - 1));
      weight[at] = static_cast<float>(r.exclude_outside && r.taps == 4 ? w[t] / sum : w[t]);
      taps.same &= w[t] == (index[at] == o && w[t] != 0 ? 1 : 0);
    }
  }
  return taps;
}

Resizing ReadResize(const GeOpDesc &op) {
  Resizing r;
  const std::string mode = GeOpAttrString(&op, "mode", "nearest");
  if (mode != "linear" && mode != "cubic" && mode != "nearest") Refuse("mode " + mode + " is unknown");
  r.taps = mode == "nearest" ? 1 : mode == "linear" ? 2 : 4;
  const std::string rounding = GeOpAttrString(&op, "nearest_mode", "round_prefer_floor");
  static const char *const kRoundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  const auto *way = std::find(std::begin(kRoundings), std::end(kRoundings), rounding);
  if (way == std::end(kRoundings)) Refuse("nearest_mode " + rounding + " is unknown");
  r.rounding = static_cast<Rounding>(way - std::begin(kRoundings));
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

/// Factors of all axes as the node gives them; 0: what the extents give.
std::vector<double> GivenScales(const GeOpDesc &op, size_t rank) {
  std::vector<double> scales(rank);
  if (op.input_count < 3 || !Present(op.inputs[2]) || Count(DimsOf(op.inputs[2])) == 0) return scales;
  const GeTensorData &given = op.inputs[2];
  if (!given.data || given.data_type != C_DT_FLOAT) Refuse("scales is not a constant of floats");
  size_t count = 0;
  const int64_t *named = GeOpAttrInts(&op, "axes", &count);
  const size_t n = count ? count : rank;
  if (static_cast<size_t>(Count(DimsOf(given))) != n) Refuse("scales does not have one value for each axis");
  for (size_t i = 0; i < n; ++i) {
    const size_t axis = count ? static_cast<size_t>(NormalAxis(named[i], static_cast<int64_t>(rank))) : i;
    scales[axis] = static_cast<const float *>(given.data)[i];
    if (!(scales[axis] > 0)) Refuse("scales has a value that is not positive");
  }
  return scales;
}
double ScaleOf(double given, int64_t in, int64_t out) {
  return given != 0 ? given : static_cast<double>(out) / static_cast<double>(in);
}

/// Blocks of as many channels as the loops have code for.
bool InBlocks(const GeTensorData &t) {
  return t.format == C_FORMAT_NC1HWC0 && t.rank == 5 && (t.dims[4] == 8 || t.dims[4] == 16);
}

class ResizeKernel : public Kernel {
 public:
  ResizeKernel(const GeOpDesc &op, bool open, const Table *table)
      : table_(table), r_(ReadResize(op)), lanes_(InBlocks(op.inputs[0]) ? op.inputs[0].dims[4] : 1), open_(open) {
    if (op.inputs[0].rank != op.outputs[0].rank || op.inputs[0].rank == 0) Refuse("the ranks of x and y differ");
    rank_ = lanes_ > 1 ? 4 : static_cast<size_t>(op.inputs[0].rank);
    scales_ = GivenScales(op, rank_);
    implementation = r_.taps == 1 ? "resize nearest" : r_.taps == 2 ? "resize linear" : "resize cubic";
    if (lanes_ > 1) implementation += " blocks";
    sizes_workspace = open;
    if (open) return;
    const Dims x = DimsOf(op.inputs[0]), y = DimsOf(op.outputs[0]);
    if (Count(x) == 0 || Count(y) == 0) Refuse("empty tensors are not supported");
    if (OtherAxesChange(x.data(), y.data())) Refuse("other axes than the last two are resized");
    room_.resize(RoomFor(y.data()));
    walk_ = WalkOf(x.data(), y.data(), room_.data());
    if (walk_.columns.in > INT32_MAX || walk_.rows.in > INT32_MAX) Refuse("an extent is above 2^31");
    flops = static_cast<double>(Count(y)) * 4 * r_.taps;
  }

  uint64_t WorkspaceFor(const int64_t *const *, const int64_t *const *output_dims) const override {
    return RoomFor(output_dims[0]);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (!open_) {
      RunWith(walk_, args);
      return GE_SUCCESS;
    }
    const int64_t *x = args.input_dims[0], *y = args.output_dims[0];
    for (size_t i = 0; i < rank_; ++i)
      if (y[i] == 0) return GE_SUCCESS;
    for (size_t i = 0; i < rank_; ++i)
      if (x[i] == 0 || x[i] > INT32_MAX) return env()->fail(GE_FAILED, "an extent of x is 0 or above 2^31");
    if (OtherAxesChange(x, y)) return env()->fail(GE_FAILED, "other axes than the last two are resized");
    RunWith(WalkOf(x, y, static_cast<char *>(args.workspace)), args);
    return GE_SUCCESS;
  }

 private:
  /// The extents decide this. Places and weights of both axes are in a room that outlives it.
  struct Walk {
    AxisTaps rows, columns;
    int64_t planes = 1, piece = 1;
  };
  static_assert(kCached >= 4 * 16, "a row has room for an element of each tap");
  /// Of the last axis, or so many before it.
  int64_t ExtentOf(const int64_t *dims, size_t from_behind) const {
    return from_behind < rank_ ? dims[rank_ - 1 - from_behind] : 1;
  }
  uint64_t RoomFor(const int64_t *y) const {
    return AxisTaps::BytesOf(r_.taps, ExtentOf(y, 0)) + AxisTaps::BytesOf(r_.taps, ExtentOf(y, 1));
  }
  bool OtherAxesChange(const int64_t *x, const int64_t *y) const {
    for (size_t i = 0; i + 2 < rank_; ++i)
      if (x[i] != y[i] || (scales_[i] != 0 && scales_[i] != 1)) return true;
    return false;
  }
  Walk WalkOf(const int64_t *x, const int64_t *y, char *room) const {
    const int64_t in = ExtentOf(x, 0), out = ExtentOf(y, 0), in_rows = ExtentOf(x, 1), out_rows = ExtentOf(y, 1);
    Walk w;
    w.columns = TapsOf(r_, in, out, ScaleOf(scales_[rank_ - 1], in, out), room);
    w.rows = TapsOf(r_, in_rows, out_rows, ScaleOf(rank_ > 1 ? scales_[rank_ - 2] : 0, in_rows, out_rows),
                    room + AxisTaps::BytesOf(r_.taps, out));
    for (size_t i = 0; i + 2 < rank_; ++i) w.planes *= x[i];
    w.piece = std::min(out, kCached / r_.taps / lanes_);
    return w;
  }

  void RunWith(const Walk &w, const GeKernelArgs &args) const {
    auto *x = static_cast<const float *>(args.inputs[0]);
    auto *y = static_cast<float *>(args.outputs[0]);
    const int64_t in = w.rows.in * w.columns.in * lanes_, out = w.rows.out * w.columns.out * lanes_;
    // Bands of rows, so that few planes keep all threads busy; neighbours share input rows.
    const int64_t band = std::max<int64_t>(8, 16384 / (w.columns.out * lanes_)), bands = (w.rows.out + band - 1) / band;
    const int64_t pieces = (w.columns.out + w.piece - 1) / w.piece;
    Parallel(w.planes * bands * pieces, 1, [&](int64_t begin, int64_t end) {
      float cache[kCached];
      for (int64_t job = begin; job < end; ++job) {
        const int64_t column = job % pieces * w.piece, row = job / pieces % bands * band, plane = job / pieces / bands;
        const int64_t last = std::min(w.rows.out, row + band), n = std::min(w.piece, w.columns.out - column);
        if (r_.taps == 1) NearestBand(w, x + plane * in, y + plane * out, row, last, column, n);
        else Band(w, x + plane * in, y + plane * out, row, last, column, n, cache);
      }
    });
  }

  /// Each value twice, n in all: in a loop that becomes vectors.
  static void Double(const float *x, int64_t n, float *__restrict out) {
    for (int64_t j = 0; j < n / 2; ++j) out[2 * j] = out[2 * j + 1] = x[j];
    if (n % 2) out[n - 1] = x[n / 2];
  }
  /// Columns [column, column + n) of one input row, of elements of L values.
  template <int64_t L>
  static void WidenOf(const AxisTaps &columns, int taps, const float *x, int64_t column, int64_t n, float *out) {
    const int32_t *at = columns.index + column;
    const float *w = columns.weight + column;
    const int64_t step = columns.out;
    if (taps == 1 && L == 1 && columns.factor == 2 && column % 2 == 0) {
      Double(x + column / 2, n, out);
    } else if (taps == 1 && L == 1) {
      for (int64_t j = 0; j < n; ++j) out[j] = x[at[j]];
    } else if (taps == 1) {
      for (int64_t j = 0; j < n; ++j) std::memcpy(out + j * L, x + at[j] * L, L * sizeof(float));
    } else if (taps == 2) {
      for (int64_t j = 0; j < n; ++j) {
        const float *a = x + at[j] * L, *b = x + at[step + j] * L;
        for (int64_t k = 0; k < L; ++k) out[j * L + k] = w[j] * a[k] + w[step + j] * b[k];
      }
    } else {
      for (int64_t j = 0; j < n; ++j) {
        const float *a = x + at[j] * L, *b = x + at[step + j] * L, *c = x + at[2 * step + j] * L;
        const float *d = x + at[3 * step + j] * L;
        for (int64_t k = 0; k < L; ++k)
          out[j * L + k] = w[j] * a[k] + w[step + j] * b[k] + w[2 * step + j] * c[k] + w[3 * step + j] * d[k];
      }
    }
  }
  void Widen(const AxisTaps &columns, const float *x, int64_t column, int64_t n, float *out) const {
    if (columns.same) std::memcpy(out, x + column * lanes_, static_cast<size_t>(n * lanes_) * sizeof(float));
    else if (lanes_ == 1) WidenOf<1>(columns, r_.taps, x, column, n, out);
    else if (lanes_ == 8) WidenOf<8>(columns, r_.taps, x, column, n, out);
    else WidenOf<16>(columns, r_.taps, x, column, n, out);
  }

  /// The nearest element: a row of y is widened where it will lie, or is the one before it.
  void NearestBand(const Walk &w, const float *x, float *y, int64_t first, int64_t last, int64_t column,
                   int64_t n) const {
    const int64_t step = w.columns.out * lanes_;
    for (int64_t row = first; row < last; ++row) {
      float *out = y + row * step + column * lanes_;
      const int64_t from = w.rows.index[row];
      if (row > first && w.rows.index[row - 1] == from)
        std::memcpy(out, out - step, static_cast<size_t>(n * lanes_) * sizeof(float));
      else Widen(w.columns, x + from * w.columns.in * lanes_, column, n, out);
    }
  }

  void Band(const Walk &w, const float *x, float *y, int64_t first, int64_t last, int64_t column, int64_t n,
            float *cache) const {
    const int taps = r_.taps;
    int64_t have[4] = {-1, -1, -1, -1};  // input row r is in slot r % taps
    for (int64_t row = first; row < last; ++row) {
      float *out = y + (row * w.columns.out + column) * lanes_;
      bool begun = false;
      for (int t = 0; t < taps; ++t) {
        const int64_t at = t * w.rows.out + row, from = w.rows.index[at];
        const float weight = w.rows.weight[at];
        if (weight == 0) continue;
        float *ready = cache + from % taps * n * lanes_;
        if (have[from % taps] != from) {
          Widen(w.columns, x + from * w.columns.in * lanes_, column, n, ready);
          have[from % taps] = from;
        }
        if (!begun && weight == 1) {
          std::memcpy(out, ready, static_cast<size_t>(n * lanes_) * sizeof(float));
        } else {
          Operand a, b, c;
          a.data = ready, b.value = weight, c.data = out;
          table_->apply(begun ? GE_FUSED_FMA : GE_FUSED_MUL, out, a, b, c, static_cast<size_t>(n * lanes_));
        }
        begun = true;
      }
      if (!begun) std::fill(out, out + n * lanes_, 0.0f);
    }
  }

  const Table *table_;
  const Resizing r_;
  const int64_t lanes_;  // channels of a block, or 1
  const bool open_;
  size_t rank_;  // without that of blocks
  std::vector<double> scales_;
  Walk walk_;               // of a kernel for one size, in
  std::vector<char> room_;  // this
};

void CheckResize(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "x");
  RequireFloat(op.outputs[0], "y");
  (void)ReadResize(op);
  const GeTensorData &in = op.inputs[0], &made = op.outputs[0];
  if (in.rank < 0 || made.rank < 0) return;
  const bool blocks = InBlocks(in);
  if (!blocks) ge::kit::RequirePlain(in, "x");
  if (blocks != InBlocks(made) || (blocks && in.dims[4] != made.dims[4])) Refuse("x and y lie in different layouts");
  if (in.rank != made.rank || in.rank == 0) Refuse("the ranks of x and y differ");
  const size_t rank = blocks ? 4 : static_cast<size_t>(in.rank);
  const std::vector<double> scales = GivenScales(op, rank);
  // As many blocks need not be as many channels.
  const int64_t *x = blocks ? in.origin_dims : in.dims, *y = blocks ? made.origin_dims : made.dims;
  if (blocks && (in.origin_rank != 4 || made.origin_rank != 4 || x[1] < 0)) Refuse("the number of channels is open");
  for (size_t i = 0; i + 2 < rank; ++i)
    if ((blocks && i == 1 && y[i] != x[i]) || (x[i] >= 0 && y[i] >= 0 && x[i] != y[i]) ||
        (scales[i] != 0 && scales[i] != 1))
      Refuse("other axes than the last two are resized");
  for (size_t i = 0; i < rank; ++i)
    if (x[i] == 0 || y[i] == 0) Refuse("empty tensors are not supported");
}

}  // namespace

const Family &ResizeFamily() {
  using Made = std::unique_ptr<Kernel>;
  static const Family family = {
      &CheckResize,
      [](const GeOpDesc &op, const Table *table) -> Made { return std::make_unique<ResizeKernel>(op, false, table); },
      [](const GeOpDesc &op, const GeOpenExtents &, const Table *table) -> Made {
        return std::make_unique<ResizeKernel>(op, true, table);
      }};
  return family;
}

}  // namespace vec
