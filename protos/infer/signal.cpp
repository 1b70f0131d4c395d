// Similarities along an axis, and spectra.
#include <algorithm>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// Similarity along an axis of the broadcast inputs.
Shape Compared(Context &c, int64_t axis, const char *name) {
  Shape y = c.Broadcast(c.Dims(0), c.Dims(1), "the first input", "the second");
  if (!y.has_rank()) return y;
  y.dims().erase(y.dims().begin() + c.Axis(axis, y.rank(), name));
  return y;
}

void CosineSimilarityRule(Context &c) { c.Out(0, c.Type(0), Compared(c, c.IntAttr("dim", 1), "dim")); }

void CosineEmbeddingLossRule(Context &c) {
  std::string reduction = c.StringAttr("reduction", "mean");
  if (reduction != "none" && reduction != "mean" && reduction != "sum")
    c.Fail("reduction is '", reduction, "', expected none, mean or sum");
  Shape y = c.Broadcast(Compared(c, 1, "the axis that is compared"), c.Dims(2), "x1 and x2", "target");
  c.Out(0, C_DT_FLOAT, reduction == "none" ? y : Shape());
}

/// Frames of a signal, [batch,] bins, frames [, 2 for real and imaginary part].
void StftRule(Context &c) {
  int64_t size = c.IntAttr("n_fft"), hop = c.IntAttr("hop_length");
  if (size < 1) c.Fail("n_fft is ", size, ", expected at least 1");
  if (hop < 0) c.Fail("hop_length is ", hop, ", expected no negative value");
  if (hop == 0) hop = std::max<int64_t>(1, size / 4);
  Shape x = c.Dims(0);
  bool complex = c.BoolAttr("return_complex", true);
  int32_t type = c.Type(0);
  bool real = type == C_DT_FLOAT || type == C_DT_DOUBLE;
  if (complex && real) type = type == C_DT_FLOAT ? C_DT_COMPLEX64 : C_DT_COMPLEX128;
  if (!complex && !real)
    type = type == C_DT_COMPLEX64 ? C_DT_FLOAT : type == C_DT_COMPLEX128 ? C_DT_DOUBLE : C_DT_UNDEFINED;
  if (!x.has_rank()) return c.Out(0, type, x);
  if (x.rank() != 1 && x.rank() != 2) c.Fail("x has shape ", x.str(), ", expected 1 or 2 dimensions");
  int64_t length = x[x.rank() - 1];
  if (length >= 0 && length < size) c.Fail("x has ", length, " samples, expected at least n_fft ", size);
  x[x.rank() - 1] = c.BoolAttr("onesided", true) ? size / 2 + 1 : size;
  x.dims().push_back(length < 0 ? -1 : 1 + (length - size) / hop);
  if (!complex) x.dims().push_back(2);
  c.Out(0, type, x);
}

constexpr Entry kSignalRules[] = {
    {"CosineSimilarity", Guarded<CosineSimilarityRule>},
    {"CosineEmbeddingLoss", Guarded<CosineEmbeddingLossRule>},
    {"STFT", Guarded<StftRule>},
};

}  // namespace

std::span<const Entry> SignalRules() { return kSignalRules; }

}  // namespace gec::infer
