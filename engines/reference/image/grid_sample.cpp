// Sampling an image or a volume at the positions a grid names, in [-1, 1] from border to border.
#include <cmath>

#include "conv/image.h"
#include "elementwise/scalar_math.h"
#include "registry.h"

namespace reference {
namespace {

enum class Padding { kZeros, kBorder, kReflection };

struct Sampler {
  Image x, y;
  int mode = 0;  // 0 bilinear, 1 nearest, 2 bicubic
  Padding padding = Padding::kZeros;
  bool align = false, volume = false;
  LoadFn<double> load;
};

double Denormalise(double v, int64_t extent, bool align) {
  return align ? (v + 1) / 2 * double(extent - 1) : ((v + 1) * double(extent) - 1) / 2;
}

// Folds v into [low, high].
double Reflect(double v, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  double d = std::fmod(std::abs(v - low), 2 * range);
  return low + (d > range ? 2 * range - d : d);
}

double Bound(const Sampler &s, double v, int64_t extent) {
  if (s.padding == Padding::kReflection)
    v = s.align ? Reflect(v, 0, double(extent - 1)) : Reflect(v, -0.5, double(extent) - 0.5);
  return s.padding == Padding::kZeros ? v : Clip(v, 0.0, double(extent - 1));
}

double At(const Call &call, const Sampler &s, int64_t base, double d, double h, double w) {
  // Bounded again: neighbours of a bounded position may lie outside.
  d = Bound(s, d, s.x.d);
  h = Bound(s, h, s.x.h);
  w = Bound(s, w, s.x.w);
  if (!(d >= 0 && h >= 0 && w >= 0 && d <= double(s.x.d - 1) && h <= double(s.x.h - 1) && w <= double(s.x.w - 1)))
    return 0;
  double v;
  s.load(call.in(0), base + int64_t(d) * s.x.sd + int64_t(h) * s.x.sh + int64_t(w) * s.x.sw, 1, 1, &v);
  return v;
}

void Cubic(double t, double *w) {
  constexpr double a = -0.75;
  auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  auto far = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  w[0] = far(1 + t);
  w[1] = near(t);
  w[2] = near(1 - t);
  w[3] = far(2 - t);
}

// at: w, h and, of volumes, d.
double Sample(const Call &call, const Sampler &s, int64_t base, const double *at) {
  double h = Denormalise(at[1], s.x.h, s.align), w = Denormalise(at[0], s.x.w, s.align);
  double d = s.volume ? Denormalise(at[2], s.x.d, s.align) : 0;
  if (s.mode == 2) {
    const double h0 = std::floor(h), w0 = std::floor(w);
    double wh[4], ww[4], sum = 0;
    Cubic(h - h0, wh);
    Cubic(w - w0, ww);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) sum += wh[i] * ww[j] * At(call, s, base, 0, h0 - 1 + i, w0 - 1 + j);
    return sum;
  }
  h = Bound(s, h, s.x.h);
  w = Bound(s, w, s.x.w);
  if (s.volume) d = Bound(s, d, s.x.d);
  if (s.mode == 1) return At(call, s, base, std::nearbyint(d), std::nearbyint(h), std::nearbyint(w));
  const double d0 = std::floor(d), h0 = std::floor(h), w0 = std::floor(w), far[3] = {d - d0, h - h0, w - w0};
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const int up = corner >> 2, down = corner >> 1 & 1, right = corner & 1;
    const double weight = (up ? far[0] : 1 - far[0]) * (down ? far[1] : 1 - far[1]) * (right ? far[2] : 1 - far[2]);
    if (weight != 0) sum += weight * At(call, s, base, d0 + up, h0 + down, w0 + right);
  }
  return sum;
}

int ModeOf(const Node &node) {
  std::string mode = node.String("interpolation_mode", "bilinear");
  if (mode == "bilinear" || mode == "linear") return 0;
  if (mode == "nearest") return 1;
  if (mode == "bicubic" || mode == "cubic") return 2;
  Fail(GE_UNSUPPORTED, "%s: interpolation_mode '%s' is unknown", node.label().c_str(), mode.c_str());
}

Padding PaddingOf(const Node &node) {
  std::string padding = node.String("padding_mode", "zeros");
  if (padding == "zeros") return Padding::kZeros;
  if (padding == "border") return Padding::kBorder;
  if (padding == "reflection") return Padding::kReflection;
  Fail(GE_UNSUPPORTED, "%s: padding_mode '%s' is unknown", node.label().c_str(), padding.c_str());
}

void CheckGridSample(const Node &node) {
  const int mode = ModeOf(node), rank = node.in(0).rank;
  PaddingOf(node);
  if (rank >= 0 && rank != 4 && rank != 5)
    Fail(GE_UNSUPPORTED, "%s: rank %d of x is not supported, expected 4 or 5", node.label().c_str(), rank);
  if (rank == 5 && mode == 2)
    Fail(GE_UNSUPPORTED, "%s: interpolation_mode bicubic is for images, x has rank 5", node.label().c_str());
}

Kernel CreateGridSample(const Node &node, const OpEntry &) {
  CheckGridSample(node);
  const bool last = node.Bool("channel_last", false);
  const int rank = node.in_dims(0).n;
  Sampler s;
  s.volume = rank == 5;
  s.x = ImageOf(node, node.in_dims(0), last, rank);
  s.y = ImageOf(node, node.out_dims(0), last, rank);
  s.mode = ModeOf(node);
  s.padding = PaddingOf(node);
  s.align = node.Bool("align_corners", false);
  s.load = Loader<double>(node.in_type(0));
  Dims grid = node.in_dims(1), wanted{s.x.n};
  if (s.volume) wanted.push(s.y.d);
  for (int64_t v : {s.y.h, s.y.w, int64_t(rank - 2)}) wanted.push(v);
  if (!(grid == wanted) || s.y.c != s.x.c || s.y.n != s.x.n)
    Fail(GE_PARAM_INVALID, "%s: grid of shape %s does not fit the output %s", node.label().c_str(),
         ToText(grid).c_str(), ToText(node.out_dims(0)).c_str());
  auto load_grid = Loader<double>(node.in_type(1));
  auto store = Storer<double>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    call.Parallel(s.y.n * s.y.c * s.y.d * s.y.h, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t h = t % s.y.h, d = t / s.y.h % s.y.d, c = t / s.y.h / s.y.d % s.y.c,
                      n = t / s.y.h / s.y.d / s.y.c;
        for (int64_t w = 0; w < s.y.w; ++w) {
          double at[3];
          load_grid(call.in(1), (((n * s.y.d + d) * s.y.h + h) * s.y.w + w) * (rank - 2), 1, rank - 2, at);
          double value = Sample(call, s, n * s.x.sn + c * s.x.sc, at);
          store(&value, 1, call.out(0), n * s.y.sn + c * s.y.sc + d * s.y.sd + h * s.y.sh + w * s.y.sw, 1);
        }
      }
    });
  };
  return kernel;
}

const OpEntry kGridSample[] = {{"GridSample", kFloats, &CreateGridSample, &CheckGridSample}};

}  // namespace

OpTable GridSampleOps() { return TableOf(kGridSample); }

}  // namespace reference
