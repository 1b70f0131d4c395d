// Padding, tiling and reordering along axes.
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// `interleaved`: begin and end of each axis side by side; otherwise all begins, then all ends.
void PadWith(Context &c, bool interleaved) {
  Shape x = c.Dims(0);
  auto paddings = c.Ints(1);
  if (!x.has_rank()) {
    if (paddings && paddings->size() % 2 == 0) x = Shape::OfRank(static_cast<int64_t>(paddings->size() / 2));
    return c.Out(0, c.Type(0), x);
  }
  size_t rank = static_cast<size_t>(x.rank());
  if (paddings && paddings->size() != 2 * rank)
    c.Fail("paddings has ", paddings->size(), " values, expected ", 2 * rank, " for x of shape ", x.str());
  for (size_t i = 0; i < rank; ++i) {
    int64_t axis = static_cast<int64_t>(i);
    int64_t before = paddings ? (*paddings)[interleaved ? 2 * i : i] : kUnknown;
    int64_t after = paddings ? (*paddings)[interleaved ? 2 * i + 1 : rank + i] : kUnknown;
    if (x[axis] < 0 || before == kUnknown || after == kUnknown) {
      x[axis] = c.ExtentOf(c.Sum(c.ValueOf(x[axis]), c.Sum(before, after)));
      continue;
    }
    int64_t extent = c.CheckedAdd(c.CheckedAdd(x[axis], before, "the padded extent"), after, "the padded extent");
    if (extent < 0)
      c.Fail("paddings of ", before, " and ", after, " leave nothing of extent ", x[axis], " along axis ", axis);
    x[axis] = extent;
  }
  c.Out(0, c.Type(0), x);
}

void PadRule(Context &c) { PadWith(c, true); }

void PadV2Rule(Context &c) {
  c.SameType({0, 2}, {"x", "constant_values"});
  PadWith(c, true);
}

void PadV3Rule(Context &c) {
  std::string mode = c.StringAttr("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "symmetric" && mode != "circular" &&
      mode != "wrap")
    c.Fail("mode is '", mode, "', expected constant, reflect, edge, symmetric, circular or wrap");
  if (c.Instances(2)) c.SameType({0, 2}, {"x", "constant_values"});
  PadWith(c, c.BoolAttr("paddings_contiguous", true));
}

void MirrorPadRule(Context &c) {
  std::string mode = c.StringAttr("mode");
  if (mode != "REFLECT" && mode != "SYMMETRIC") c.Fail("mode is '", mode, "', expected REFLECT or SYMMETRIC");
  PadWith(c, true);
}

void TileRule(Context &c) {
  Shape x = c.Dims(0);
  auto multiples = c.SymbolicInts(1);
  if (!x.has_rank() && !multiples) return c.Out(0, c.Type(0), x);
  if (!multiples) return c.Out(0, c.Type(0), Shape::OfRank(x.rank()));
  if (!x.has_rank()) return c.Out(0, c.Type(0), Shape::OfRank(static_cast<int64_t>(multiples->size())));
  if (static_cast<int64_t>(multiples->size()) != x.rank())
    c.Fail("multiples has ", multiples->size(), " values, expected ", x.rank(), " for x of shape ", x.str());
  for (int64_t i = 0; i < x.rank(); ++i) {
    int64_t times = (*multiples)[static_cast<size_t>(i)];
    if (times != kUnknown && times < 0 && !IsSymbolic(times))
      c.Fail("multiples[", i, "] is ", times, ", expected no negative value");
    if (x[i] < 0 || times == kUnknown || IsSymbolic(times)) x[i] = c.ExtentOf(c.Product(c.ValueOf(x[i]), times));
    else x[i] = c.CheckedMul(x[i], times, "the extent of a tiled axis");
  }
  c.Out(0, c.Type(0), x);
  auto values = x.rank() == 1 && x[0] >= 0 && static_cast<size_t>(x[0]) <= kMaxValues ? c.Partial(0) : std::nullopt;
  if (!values || values->empty()) return;
  Values out;
  for (size_t i = 0; i < static_cast<size_t>(x[0]); ++i) out.push_back((*values)[i % values->size()]);
  c.OutPartial(0, out);
}

void Permuted(Context &c, const std::optional<Values> &perm, const char *name) {
  Shape x = c.Dims(0);
  if (!perm) return c.Out(0, c.Type(0), x.has_rank() ? Shape::OfRank(x.rank()) : x);
  Shape y = c.Permuted(x, *perm, name);
  c.Out(0, c.Type(0), y);
  if (y.rank() <= 1)
    if (auto values = c.Partial(0)) c.OutPartial(0, *values);
}

void TransposeRule(Context &c) { Permuted(c, c.Ints(1), "perm"); }
void TransposeDRule(Context &c) { Permuted(c, c.IntsAttr("perm"), "perm"); }

/// Axes that the order does not name follow in their own order.
void PermuteRule(Context &c) {
  Values order = c.IntsAttr("order");
  Shape x = c.Dims(0);
  if (x.has_rank()) {
    std::vector<bool> named(static_cast<size_t>(x.rank()));
    for (int64_t &axis : order) named[static_cast<size_t>(axis = c.Axis(axis, x.rank(), "order"))] = true;
    for (int64_t i = 0; i < x.rank(); ++i)
      if (!named[static_cast<size_t>(i)]) order.push_back(i);
  }
  Permuted(c, x.has_rank() ? std::optional<Values>(order) : std::nullopt, "order");
}

void ReverseV2Rule(Context &c) {
  Shape x = c.Dims(0);
  if (auto axes = c.Ints(1); axes && x.has_rank()) {
    std::vector<bool> seen(static_cast<size_t>(x.rank()));
    for (int64_t axis : *axes) {
      if (axis == kUnknown) continue;
      size_t a = static_cast<size_t>(c.Axis(axis, x.rank(), "axis"));
      if (seen[a]) c.Fail("axis names axis ", a, " twice");
      seen[a] = true;
    }
  }
  c.Out(0, c.Type(0), x);
}

void ReverseSequenceRule(Context &c) {
  Shape x = c.Dims(0), lengths = c.DimsOfRank(1, 1, "seq_lengths");
  if (x.has_rank()) {
    int64_t seq = c.Axis(c.IntAttr("seq_dim"), x.rank(), "seq_dim");
    int64_t batch = c.Axis(c.IntAttr("batch_dim"), x.rank(), "batch_dim");
    if (seq == batch) c.Fail("seq_dim and batch_dim are both ", seq, ", expected different axes");
    x[batch] = c.SameDim(x[batch], lengths[0], "the batch extent of x and seq_lengths");
  }
  c.Out(0, c.Type(0), x);
}

void RollRule(Context &c) {
  Shape x = c.Dims(0);
  Values shifts = c.IntsAttr("shifts"), dims = c.IntsAttr("dims");
  if (!dims.empty() && dims.size() != shifts.size())
    c.Fail("dims has ", dims.size(), " values, expected ", shifts.size(), " as shifts");
  if (dims.empty() && shifts.size() != 1) c.Fail("shifts has ", shifts.size(), " values, expected 1 without dims");
  if (x.has_rank())
    for (int64_t axis : dims) c.Axis(axis, x.rank(), "dims");
  c.Out(0, c.Type(0), x);
}

void RepeatInterleaveRule(Context &c) {
  Shape x = c.Dims(0);
  auto repeats = c.Ints(1);
  int64_t axis = c.IntAttr("axis", 1000);
  if (!x.has_rank()) return c.Out(0, c.Type(0), axis == 1000 ? Shape{-1} : x);
  if (axis == 1000) {  // the value that stands for "flatten first"
    x = Shape{x.elements()};
    axis = 0;
  }
  axis = c.Axis(axis, x.rank(), "axis");
  int64_t extent = x[axis];
  x[axis] = -1;
  if (repeats && !repeats->empty()) {
    if (repeats->size() != 1 && c.Differ(static_cast<int64_t>(repeats->size()), extent))
      c.Fail("repeats has ", repeats->size(), " values, expected 1 or ", extent);
    int64_t total = 0;
    for (int64_t value : *repeats) {
      if (value != kUnknown && value < 0) c.Fail("repeats contains ", value, ", expected no negative value");
      total = total < 0 || value == kUnknown ? -1 : c.CheckedAdd(total, value, "the number of repetitions");
    }
    if (repeats->size() == 1) total = total < 0 || extent < 0 ? -1 : c.CheckedMul(total, extent, "the repeated extent");
    x[axis] = total;
  }
  c.Out(0, c.Type(0), x);
}

/// The gradient of padding: what was added is taken away. Paddings as PadWith reads them.
void UnpadWith(Context &c, bool interleaved) {
  Shape x = c.Dims(0);
  auto paddings = c.Ints(1);
  if (!x.has_rank()) return c.Out(0, c.Type(0), x);
  size_t rank = static_cast<size_t>(x.rank());
  if (paddings && paddings->size() != 2 * rank)
    c.Fail("paddings has ", paddings->size(), " values, expected ", 2 * rank, " for x of shape ", x.str());
  for (size_t i = 0; i < rank; ++i) {
    int64_t axis = static_cast<int64_t>(i), extent = x[axis];
    int64_t before = paddings ? (*paddings)[interleaved ? 2 * i : i] : kUnknown;
    int64_t after = paddings ? (*paddings)[interleaved ? 2 * i + 1 : rank + i] : kUnknown;
    x[axis] = -1;
    if (extent == -1 || before == kUnknown || after == kUnknown) continue;
    const int64_t left = c.Difference(c.Difference(extent, before), after);
    if (before < 0 || after < 0 || !c.AtMost(0, left).value_or(true))
      c.Fail("paddings along axis ", axis, " are ", before, " and ", after, ", expected 0 to ", extent, " in all");
    x[axis] = c.ExtentOf(left);
  }
  c.Out(0, c.Type(0), x);
}

void MirrorPadGradRule(Context &c) {
  std::string mode = c.StringAttr("mode");
  if (mode != "REFLECT" && mode != "SYMMETRIC") c.Fail("mode is '", mode, "', expected REFLECT or SYMMETRIC");
  UnpadWith(c, true);
}

void PadV3GradRule(Context &c) { UnpadWith(c, c.BoolAttr("paddings_contiguous", true)); }

/// Of the last axes only, where there are fewer paddings than for all axes: in which order they come is not said.
void BorderRule(Context &c) {
  Shape x = c.Dims(0);
  auto paddings = c.Ints(1);
  if (x.has_rank() && paddings && static_cast<int64_t>(paddings->size()) == 2 * x.rank()) return PadWith(c, true);
  c.Out(0, c.Type(0), x.has_rank() ? Shape::OfRank(x.rank()) : x);
}

/// The gradient of RepeatInterleave along an axis.
void RepeatInterleaveGradRule(Context &c) {
  Shape y = c.Dims(0), repeats = c.Dims(1);
  c.NeedIntegers(1, "repeats");
  if (!y.has_rank()) return c.Out(0, c.Type(0), y);
  int64_t axis = c.Axis(c.IntAttr("axis", -1), y.rank(), "axis"), count = repeats.elements(), extent = y[axis];
  y[axis] = -1;
  if (count > 1) {
    y[axis] = count;
  } else if (count == 1 && extent >= 0) {
    auto times = c.Ints(1);
    if (times && (*times)[0] != kUnknown) {
      if ((*times)[0] < 1 || c.NoMultiple(extent, (*times)[0]))
        c.Fail("repeats is ", (*times)[0], ", expected a divisor of ", extent, ", the extent along axis ", axis);
      y[axis] = extent / (*times)[0];
    }
  }
  c.Out(0, c.Type(0), y);
}

constexpr Entry kPadRules[] = {
    {"MirrorPadGrad", Guarded<MirrorPadGradRule>},
    {"PadV3Grad", Guarded<PadV3GradRule>},
    {"CircularPad", Guarded<BorderRule>},
    {"ReflectionPad1dV2", Guarded<BorderRule>},
    {"RepeatInterleaveGrad", Guarded<RepeatInterleaveGradRule>},
    {"Pad", Guarded<PadRule>},
    {"PadV2", Guarded<PadV2Rule>},
    {"PadV3", Guarded<PadV3Rule>},
    {"MirrorPad", Guarded<MirrorPadRule>},
    {"Tile", Guarded<TileRule>},
    {"Transpose", Guarded<TransposeRule>},
    {"ConjugateTranspose", Guarded<TransposeRule>},
    {"TransposeD", Guarded<TransposeDRule>},
    {"Permute", Guarded<PermuteRule>},
    {"ReverseV2", Guarded<ReverseV2Rule>},
    {"ReverseSequence", Guarded<ReverseSequenceRule>},
    {"Roll", Guarded<RollRule>},
    {"RepeatInterleave", Guarded<RepeatInterleaveRule>},
};

}  // namespace

std::span<const Entry> PadRules() { return kPadRules; }

}  // namespace gec::infer
