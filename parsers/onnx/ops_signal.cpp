// Windows and Fourier transforms. A transform is a product with the matrix of its cosines and sines.
#include <cmath>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"

namespace gec::onnx {
namespace {

// Generalised cosine windows: a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N).
void WindowOf(NodeContext &c, double a0, double a1, double a2) {
  Formula f(c);
  int32_t type = c.TypeAttr("output_datatype", C_DT_FLOAT);
  bool periodic = c.Flag("periodic", true);
  Endpoint size = f.AtLeast(f.Scalar(c.In(0), C_DT_INT64), 0, "the size (input 0)");
  Endpoint steps = f.Max(periodic ? size : f.Sub(size, f.Int(1)), f.Int(1));
  Endpoint turn = f.Div(c.CastTo(f.Count(size), C_DT_DOUBLE), c.CastTo(steps, C_DT_DOUBLE));
  auto real = [&](double v) { return f.Real(v, C_DT_DOUBLE); };
  auto wave = [&](double times, double factor) {
    return f.Mul(c.Op("Cos", {f.Mul(turn, real(2 * M_PI * times))}), real(factor));
  };
  Endpoint window = f.Add(wave(1, -a1), real(a0));
  if (a2 != 0) window = f.Add(window, wave(2, a2));
  c.Out(0, c.CastTo(window, type));
}
void HannWindow(NodeContext &c) { WindowOf(c, 0.5, 0.5, 0); }
void HammingWindow(NodeContext &c) { WindowOf(c, 25.0 / 46, 21.0 / 46, 0); }
void BlackmanWindow(NodeContext &c) { WindowOf(c, 0.42, 0.5, 0.08); }

// Triangles over the bins of a spectrum, equally far apart on the mel scale.
void MelWeightMatrix(NodeContext &c) {
  Formula f(c);
  int32_t type = c.TypeAttr("output_datatype", C_DT_FLOAT);
  const auto natural = [&](size_t i, int64_t least, const char *what) {
    return f.AtLeast(f.Scalar(c.In(i), C_DT_INT64), least, what);
  };
  Endpoint bins = natural(0, 0, "num_mel_bins (input 0)"), length = natural(1, 0, "dft_length (input 1)");
  Endpoint rate = c.CastTo(natural(2, 1, "sample_rate (input 2)"), C_DT_DOUBLE);
  auto real = [&](double v) { return f.Real(v, C_DT_DOUBLE); };
  const double per_log = 2595 / std::log(10.0);
  auto mel = [&](Endpoint hertz) {
    return f.Mul(c.Op("Log", {f.Add(f.Div(f.Scalar(hertz, C_DT_DOUBLE), real(700)), real(1))}), real(per_log));
  };
  Endpoint low = mel(c.In(3)), high = mel(c.In(4)), edges = f.Add(bins, f.Int(2));
  Endpoint step = f.Div(f.Sub(high, low), c.CastTo(edges, C_DT_DOUBLE));
  Endpoint at = f.Add(f.Mul(c.CastTo(f.Count(edges), C_DT_DOUBLE), step), low);
  Endpoint hertz = f.Mul(f.Sub(c.Op("Exp", {f.Div(at, real(per_log))}), real(1)), real(700));
  Endpoint samples = c.CastTo(f.Add(length, f.Int(1)), C_DT_DOUBLE);
  Endpoint bin = c.CastTo(c.Op("Floor", {f.Div(f.Mul(samples, hertz), rate)}), C_DT_INT64);
  auto part = [&](int64_t from) { return f.Slice(bin, f.Int(from), f.Add(bins, f.Int(from)), 0); };
  Endpoint left = part(0), middle = part(1), right = part(2);
  Endpoint row = c.Unsqueeze(f.Count(f.Add(f.FloorDiv(length, f.Int(2)), f.Int(1))), {1});
  auto ratio = [&](Endpoint a, Endpoint b) {
    return f.Div(c.CastTo(a, C_DT_DOUBLE), c.CastTo(f.Max(b, f.Int(1)), C_DT_DOUBLE));
  };
  Endpoint rising = ratio(f.Sub(row, left), f.Sub(middle, left));
  rising = f.Where(f.Equal(left, middle), real(1), rising);
  rising = f.Where(f.And(f.LessEqual(left, row), f.LessEqual(row, middle)), rising, real(0));
  Endpoint falling = ratio(f.Sub(right, row), f.Sub(right, middle));
  Endpoint y = f.Where(f.And(f.LessEqual(middle, row), f.Less(row, right)), falling, rising);
  c.Out(0, c.CastTo(y, type));
}

struct Transform {
  Endpoint length;    // scalar; empty: as long as the signal
  int64_t parts = 1;  // 2: real and imaginary part
  bool inverse = false, onesided = false;
};

int64_t Parts(NodeContext &c, Endpoint x) {
  int64_t parts = c.NeedDim(x, -1, "to tell real from complex values");
  if (parts != 1 && parts != 2) c.Refuse(Reason::kInvalidModel, Str("the last dimension is ", parts, ", not 1 or 2"));
  return parts;
}

// Transforms the dimension before the last of x, whose last one holds the real part, or both.
Endpoint Fourier(NodeContext &c, Endpoint x, Transform t) {
  Formula f(c);
  int32_t type = c.NeedType(x, "to transform it");
  bool back_to_real = t.inverse && t.onesided;
  Endpoint given = f.Dim(x, -2);
  if (!t.length) t.length = back_to_real ? f.Mul(f.Sub(given, f.Int(1)), f.Int(2)) : given;
  Endpoint half = f.Add(f.FloorDiv(t.length, f.Int(2)), f.Int(1));
  Endpoint used = f.Min(given, back_to_real ? half : t.length), made = t.onesided && !t.inverse ? half : t.length;
  x = f.Slice(x, f.Int(0), used, -2);
  Endpoint n = c.Unsqueeze(f.Count(used), {1}), k = c.Unsqueeze(f.Count(made), {0});
  Endpoint length = c.CastTo(t.length, C_DT_DOUBLE);
  // n * k modulo the length first: angles stay small and exact.
  Endpoint turn = f.Div(c.CastTo(f.FloorMod(f.Mul(n, k), t.length), C_DT_DOUBLE), length);
  Endpoint angle = f.Mul(turn, f.Real(t.inverse ? 2 * M_PI : -2 * M_PI, C_DT_DOUBLE));
  Endpoint cosine = c.Op("Cos", {angle}), sine = c.Op("Sin", {angle});
  if (t.inverse) {
    Endpoint scale = f.Div(f.Real(1, C_DT_DOUBLE), length);
    if (back_to_real) {  // all but the first and the middle frequency stand for two
      Endpoint single = c.Op("LogicalOr", {f.Equal(n, f.Int(0)), f.Equal(f.Mul(n, f.Int(2)), t.length)});
      scale = f.Mul(scale, f.Where(single, f.Real(1, C_DT_DOUBLE), f.Real(2, C_DT_DOUBLE)));
    }
    cosine = f.Mul(cosine, scale);
    sine = f.Mul(sine, scale);
  }
  auto times = [&](Endpoint a, Endpoint matrix) { return c.Op("BatchMatMulV2", {a, c.CastTo(matrix, type)}); };
  Endpoint real = f.Gather(x, f.Int(0), -1), y_real, y_imaginary;
  bool flat = c.Rank(real) == 1;
  if (flat) real = c.Unsqueeze(real, {0});
  y_real = times(real, cosine);
  if (!back_to_real) y_imaginary = times(real, sine);
  if (t.parts == 2) {
    Endpoint imaginary = f.Gather(x, f.Int(1), -1);
    if (flat) imaginary = c.Unsqueeze(imaginary, {0});
    y_real = f.Sub(y_real, times(imaginary, sine));
    if (!back_to_real) y_imaginary = f.Add(y_imaginary, times(imaginary, cosine));
  }
  y_real = c.Unsqueeze(y_real, {-1});
  Endpoint y = back_to_real ? y_real : f.Concat({y_real, c.Unsqueeze(y_imaginary, {-1})}, -1);
  return flat ? c.Squeeze(y, {0}) : y;
}

void DFT(NodeContext &c) {
  Formula f(c);
  Endpoint x = c.In(0);
  Transform t;
  t.parts = Parts(c, x);
  if (c.HasInput(1)) t.length = f.AtLeast(f.Scalar(c.In(1), C_DT_INT64), 1, "dft_length (input 1)");
  t.inverse = c.Flag("inverse", false);
  t.onesided = c.Flag("onesided", false);
  if (t.onesided && !t.inverse && t.parts == 2)
    c.Refuse(Reason::kInvalidModel, "a transform with onesided needs real values: a last dimension of 1, not 2");
  int64_t rank = c.NeedRank(x, "to find the axis");
  if (rank < 2) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", at least 2 is needed"));
  const int64_t front = rank - 2;  // the dimension before the last is transformed
  bool told = c.opset() < 20 || !c.HasInput(2) || c.ConstIn(2);
  if (told) {
    int64_t axis = c.opset() < 20 ? c.Int("axis", 1) : c.HasInput(2) ? c.NeedInteger(2, "axis") : -2;
    axis = c.NeedAxis(axis, x);
    if (axis == rank - 1)
      c.Refuse(Reason::kInvalidModel, "the axis is the last one, which holds real and imaginary part");
    std::vector<int64_t> perm;
    for (int64_t i = 0; i < rank; ++i) perm.push_back(i == axis ? front : i == front ? axis : i);
    if (axis == front) c.Out(0, Fourier(c, x, t));
    else c.Out(0, c.Transpose(Fourier(c, c.Transpose(x, perm), t), perm));
    return;
  }
  Endpoint axis = f.Scalar(c.In(2), C_DT_INT64), at = f.Count(f.Int(rank)), last = f.Int(front);
  axis = f.Where(f.Less(axis, f.Int(0)), f.Add(axis, f.Int(rank)), axis);
  // The last axis holds real and imaginary part. Without it the order below is none, which no transposition takes.
  axis = f.Where(f.Less(axis, f.Int(rank - 1)), axis, f.Int(-1));
  Endpoint perm = f.Where(f.Equal(at, axis), last, f.Where(f.Equal(at, last), axis, at));
  c.Out(0, c.Op("Transpose", {Fourier(c, c.Op("Transpose", {x, perm}), t), perm}));
}

void STFT(NodeContext &c) {
  Formula f(c);
  Endpoint signal = c.In(0), window = c.OptIn(2), length;
  Endpoint step = f.AtLeast(f.Scalar(c.In(1), C_DT_INT64), 1, "frame_step (input 1)");
  if (c.HasInput(3)) length = f.AtLeast(f.Scalar(c.In(3), C_DT_INT64), 1, "frame_length (input 3)");
  else length = window ? f.Dim(window, 0) : f.Dim(signal, 1);
  if (c.NeedRank(signal, "to cut it into frames") != 3)
    c.Refuse(Reason::kInvalidModel, Str("the signal has rank ", c.Rank(signal), ", expected 3"));
  Endpoint frames = f.Add(f.FloorDiv(f.Sub(f.Dim(signal, 1), length), step), f.Int(1));
  Endpoint at = f.Add(c.Unsqueeze(f.Mul(f.Count(frames), step), {1}), f.Count(length));
  Endpoint cut = f.Gather(signal, at, 1);  // [batch, frames, length, 1 or 2]
  if (window) cut = f.Mul(cut, c.ReshapeTo(window, {-1, 1}));
  Transform t;
  t.parts = Parts(c, signal);
  t.length = length;
  t.onesided = c.Flag("onesided", true);
  c.Out(0, Fourier(c, cut, t));
}

constexpr Handler kSignalHandlers[] = {
    {"", "HannWindow", 17, HannWindow},
    {"", "HammingWindow", 17, HammingWindow},
    {"", "BlackmanWindow", 17, BlackmanWindow},
    {"", "MelWeightMatrix", 17, MelWeightMatrix},
    {"", "DFT", 17, DFT},
    {"", "STFT", 17, STFT},
};

}  // namespace

HandlerTable SignalHandlers() { return {std::begin(kSignalHandlers), std::end(kSignalHandlers)}; }

}  // namespace gec::onnx
