// Shape changes that keep the elements, broadcasts to a shape, and layout conversions.
#include <algorithm>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// The elements stay as they are, so known values do too.
void OutSameElements(Context &c, const Shape &y) {
  c.Out(0, c.Type(0), y);
  if (auto values = c.Partial(0)) c.OutPartial(0, *values);
}

/// The products of the extents that only x and only y have: symbolic extents that both have cancel out, as none is 0.
struct Apart {
  int64_t x = 1, y = 1;  // kUnknown where they are not known
};
Apart ExtentsApart(Context &c, const Shape &x, const Shape &y, int64_t left_out) {
  std::vector<int64_t> from = x.dims();
  Apart apart;
  for (int64_t i = 0; i < y.rank(); ++i) {
    if (i == left_out) continue;
    if (auto same = std::find(from.begin(), from.end(), y[i]); same != from.end() && IsSymbolic(y[i])) from.erase(same);
    else apart.y = c.Product(apart.y, c.ValueOf(y[i]));
  }
  for (int64_t extent : from) apart.x = c.Product(apart.x, c.ValueOf(extent));
  return apart;
}

void CheckCounts(Context &c, const Shape &x, const Shape &y, const char *name) {
  int64_t from = x.elements(), to = y.elements();
  if (y.known() && to < 0) c.Fail(name, " ", y.str(), " has more elements than 64 bits can count");
  if (x.known() && y.known() && from != to)
    c.Fail(name, " ", y.str(), " has ", to, " elements, expected ", from, " as x of shape ", x.str());
  if (!x.has_rank() || !y.has_rank() || (x.known() && y.known())) return;
  const Apart apart = ExtentsApart(c, x, y, -1);
  if (!c.Same(apart.x, apart.y).value_or(true))
    c.Fail(name, " ", y.str(), " has another number of elements than x of shape ", x.str());
}

/// The extent that takes what the others leave of x.
int64_t Rest(Context &c, const Shape &x, const Shape &y, int64_t open) {
  if (!x.has_rank()) return -1;
  const Apart apart = ExtentsApart(c, x, y, open);
  if (apart.y == 0) return apart.x == 0 ? 0 : -1;
  return c.ExtentOf(c.Quotient(apart.x, apart.y));
}

/// ResolveShape where extents are symbolic; counts are checked when their numbers are known.
Shape ResolveSymbolic(Context &c, const Shape &x, const Values &wanted, bool zero_is_extent) {
  Shape y = Shape::OfRank(static_cast<int64_t>(wanted.size()));
  int64_t open = -1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const int64_t axis = static_cast<int64_t>(i);
    int64_t extent = wanted[i];
    // Numbers that are no extents; of which kind a symbolic one is, the class of sizes decides.
    if (IsSymbolic(extent) && !c.AtMost(1, extent).value_or(true))
      extent = c.Same(extent, 0).value_or(false) ? 0 : c.Same(extent, -1).value_or(false) ? -1 : extent;
    if (extent == -1) open = axis;
    else if (extent == 0 && !zero_is_extent) y[axis] = x.has_rank() && axis < x.rank() ? x[axis] : -1;
    else y[axis] = c.ExtentOf(extent);
  }
  if (open >= 0) y[open] = Rest(c, x, y, open);
  return y;
}

/// 0 copies the extent of x at the same place (unless `zero_is_extent`), -1 takes what is left.
Shape ResolveShape(Context &c, const Shape &x, const Values &wanted, bool zero_is_extent) {
  if (std::any_of(x.dims().begin(), x.dims().end(), IsSymbolic) ||
      std::any_of(wanted.begin(), wanted.end(), IsSymbolic))
    return ResolveSymbolic(c, x, wanted, zero_is_extent);
  Shape y = Shape::OfRank(static_cast<int64_t>(wanted.size()));
  int64_t open = -1, unknown = 0;
  bool zero = false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t extent = wanted[i], axis = static_cast<int64_t>(i);
    if (extent == kUnknown) {
      ++unknown;
    } else if (extent == -1) {
      if (open >= 0) c.Fail("shape has more than one -1");
      open = axis;
    } else if (extent < -1) {
      c.Fail("shape[", i, "] is ", extent, ", expected -1 or more");
    } else if (extent == 0 && !zero_is_extent) {
      if (x.has_rank()) {
        if (axis >= x.rank()) c.Fail("shape[", i, "] is 0, but x of shape ", x.str(), " has no axis ", i, " to copy");
        y[axis] = x[axis];
        // An extent copied from an unknown one cancels out below.
        if (x[axis] < 0) unknown += 2;
      } else {
        unknown += 2;
      }
    } else {
      y[axis] = extent;
      zero |= extent == 0;
    }
  }
  if (zero && open >= 0) c.Fail("shape has both 0 and -1, and 0 is an extent (allowzero)");
  if (open >= 0 && x.has_rank() && (unknown == 0 || unknown % 2 == 0)) {
    // Extents that are copied appear on both sides; they are left out of the division.
    Shape rest_x = x, rest_y = y;
    rest_y[open] = 1;
    for (size_t i = 0; i < wanted.size(); ++i) {
      int64_t axis = static_cast<int64_t>(i);
      if (wanted[i] == 0 && !zero_is_extent && axis < x.rank() && x[axis] < 0) rest_x[axis] = rest_y[axis] = 1;
    }
    int64_t from = rest_x.elements(), to = rest_y.elements();
    bool only_known = rest_x.known() && rest_y.known();
    if (only_known && from >= 0 && to >= 0) {
      if (to == 0 ? from != 0 : from % to != 0)
        c.Fail("shape asks for a multiple of ", to, " elements, but x of shape ", x.str(), " has ", from);
      y[open] = to == 0 ? 0 : from / to;
    }
  } else if (unknown == 1 && open < 0 && x.known()) {
    // A single element that is not known follows from the others, when they do not vanish.
    int64_t at = -1, product = 1;
    for (size_t i = 0; i < wanted.size(); ++i) {
      int64_t axis = static_cast<int64_t>(i);
      if (wanted[i] == kUnknown) at = axis;
      else if (y[axis] < 0 || __builtin_mul_overflow(product, y[axis], &product)) return y;
    }
    int64_t total = x.elements();
    if (at >= 0 && product > 0 && total > 0 && total % product == 0) y[at] = total / product;
  }
  return y;
}

void ReshapeRule(Context &c) {
  Shape x = c.Dims(0);
  Shape extents = c.Dims(1);
  if (extents.has_rank() && extents.rank() > 1) c.Fail("shape has shape ", extents.str(), ", expected 1 dimension");
  auto wanted = c.SymbolicInts(1);
  if (!wanted) return OutSameElements(c, Shape::Unknown());
  // axis and num_axes choose the part of x that is replaced.
  int64_t axis = c.IntAttr("axis"), num_axes = c.IntAttr("num_axes", -1);
  Shape head, tail, part = x;
  if (axis != 0 || num_axes != -1) {
    if (!x.has_rank()) return OutSameElements(c, Shape::Unknown());
    if (axis < 0) axis += x.rank() + 1;
    if (axis < 0 || axis > x.rank()) c.Fail("axis is ", c.IntAttr("axis"), ", too far for x of shape ", x.str());
    if (num_axes < -1 || (num_axes >= 0 && num_axes > x.rank() - axis))
      c.Fail("num_axes is ", num_axes, ", expected -1 to ", x.rank() - axis);
    int64_t end = num_axes < 0 ? x.rank() : axis + num_axes;
    head = Shape(std::vector<int64_t>(x.dims().begin(), x.dims().begin() + axis));
    part = Shape(std::vector<int64_t>(x.dims().begin() + axis, x.dims().begin() + end));
    tail = Shape(std::vector<int64_t>(x.dims().begin() + end, x.dims().end()));
  }
  Shape y = ResolveShape(c, part, *wanted, c.BoolAttr("allowzero"));
  y.dims().insert(y.dims().begin(), head.dims().begin(), head.dims().end());
  y.dims().insert(y.dims().end(), tail.dims().begin(), tail.dims().end());
  CheckCounts(c, x, y, "shape");
  OutSameElements(c, y);
}

int64_t ProductOf(Context &c, const Shape &x, int64_t from, int64_t to) {
  bool unknown = false;
  int64_t product = 1;
  for (int64_t i = from; i < to; ++i) {
    if (x[i] == 0) return 0;
    if (x[i] < 0) unknown = true;
    else product = c.CheckedMul(product, x[i], "a flattened extent");
  }
  for (int64_t i = from; unknown && i < to; ++i)
    if (x[i] < 0) product = c.Product(product, c.ValueOf(x[i]));
  return c.ExtentOf(product);
}

void FlattenRule(Context &c) {
  Shape x = c.Dims(0), y = Shape::OfRank(2);
  if (x.has_rank()) {
    int64_t axis = c.IntAttr("axis", 1);
    if (axis < -x.rank() || axis > x.rank())
      c.Fail("axis is ", axis, ", expected a value from ", -x.rank(), " to ", x.rank());
    if (axis < 0) axis += x.rank();
    y[0] = ProductOf(c, x, 0, axis);
    y[1] = ProductOf(c, x, axis, x.rank());
  }
  OutSameElements(c, y);
}

void FlattenV2Rule(Context &c) {
  Shape x = c.Dims(0);
  if (!x.has_rank()) return OutSameElements(c, x);
  if (x.rank() == 0) return OutSameElements(c, Shape{1});
  int64_t first = c.Axis(c.IntAttr("axis", 1), x.rank(), "axis");
  int64_t last = c.Axis(c.IntAttr("end_axis", -1), x.rank(), "end_axis");
  if (first > last) c.Fail("axis is ", first, ", expected at most end_axis ", last);
  Shape y(std::vector<int64_t>(x.dims().begin(), x.dims().begin() + first));
  y.dims().push_back(ProductOf(c, x, first, last + 1));
  y.dims().insert(y.dims().end(), x.dims().begin() + last + 1, x.dims().end());
  OutSameElements(c, y);
}

void SqueezeAxes(Context &c, const Values &axes, const char *name) {
  Shape x = c.Dims(0);
  if (!x.has_rank()) return OutSameElements(c, x);
  std::vector<bool> gone(static_cast<size_t>(x.rank()));
  for (int64_t axis : axes) {
    int64_t a = c.Axis(axis, x.rank(), name);
    if (c.Differ(x[a], 1)) c.Fail(name, " names axis ", a, " of extent ", x[a], ", expected extent 1");
    gone[static_cast<size_t>(a)] = true;
  }
  Shape y;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (axes.empty() && x[i] < 0) return OutSameElements(c, Shape::Unknown());
    if (axes.empty() ? x[i] != 1 : !gone[static_cast<size_t>(i)]) y.dims().push_back(x[i]);
  }
  OutSameElements(c, y);
}

void SqueezeRule(Context &c) { SqueezeAxes(c, c.IntsAttr("axis"), "axis"); }

void SqueezeV3Rule(Context &c) {
  if (!c.Has(1)) return SqueezeAxes(c, {}, "axes");
  auto axes = c.KnownInts(1);
  if (axes) return SqueezeAxes(c, *axes, "axes");
  Shape x = c.Dims(0);
  int64_t count = c.Dims(1).elements();
  bool ranked = x.has_rank() && count > 0 && count <= x.rank();
  OutSameElements(c, ranked ? Shape::OfRank(x.rank() - count) : Shape::Unknown());
}

void UnsqueezeAxes(Context &c, const Values &axes, const char *name) {
  Shape x = c.Dims(0);
  if (!x.has_rank()) return OutSameElements(c, x);
  int64_t rank = x.rank() + static_cast<int64_t>(axes.size());
  std::vector<bool> fresh(static_cast<size_t>(rank));
  for (int64_t axis : axes) {
    size_t a = static_cast<size_t>(c.Axis(axis, rank, name));
    if (fresh[a]) c.Fail(name, " names axis ", a, " twice");
    fresh[a] = true;
  }
  Shape y;
  int64_t next = 0;
  for (int64_t i = 0; i < rank; ++i) y.dims().push_back(fresh[static_cast<size_t>(i)] ? 1 : x[next++]);
  OutSameElements(c, y);
}

void UnsqueezeRule(Context &c) { UnsqueezeAxes(c, c.IntsAttr("axes"), "axes"); }
void UnsqueezeV2Rule(Context &c) { UnsqueezeAxes(c, c.IntsAttr("axis"), "axis"); }

void UnsqueezeByInput(Context &c, const char *name) {
  if (auto axes = c.KnownInts(1)) return UnsqueezeAxes(c, *axes, name);
  Shape x = c.Dims(0);
  int64_t count = c.Dims(1).elements();
  OutSameElements(
      c, x.has_rank() && count >= 0 && count <= GE_MAX_RANK ? Shape::OfRank(x.rank() + count) : Shape::Unknown());
}
void UnsqueezeV3Rule(Context &c) { UnsqueezeByInput(c, "axes"); }
void ExpandDimsRule(Context &c) {
  c.Int(1, "axis");  // one value only
  UnsqueezeByInput(c, "axis");
}

/// The target shape of a broadcast; -1 keeps the extent of x.
std::optional<Shape> Target(Context &c, const Shape &x) {
  auto wanted = c.SymbolicInts(1);
  if (!wanted) return std::nullopt;
  int64_t rank = static_cast<int64_t>(wanted->size());
  Shape y = Shape::OfRank(rank);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t extent = (*wanted)[static_cast<size_t>(i)], source = x.has_rank() ? i - (rank - x.rank()) : -1;
    if (extent == kUnknown) continue;
    if (extent < -1 && !IsSymbolic(extent)) c.Fail("shape[", i, "] is ", extent, ", expected -1 or more");
    if (extent == -1) {
      if (x.has_rank() && source < 0) c.Fail("shape[", i, "] is -1, but x of shape ", x.str(), " has no such axis");
      if (source >= 0) y[i] = x[source];
    } else {
      y[i] = extent;
    }
  }
  return y;
}

/// Both ways: an extent of 1 in the shape takes that of x.
void ExpandRule(Context &c) {
  Shape x = c.Dims(0);
  auto target = Target(c, x);
  Shape y = target && x.has_rank() ? c.Broadcast(x, *target, "x", "shape") : Shape::Unknown();
  c.Out(0, c.Type(0), y);
  auto values = c.Partial(0);
  int64_t count = y.elements();
  if (!values || values->size() != 1 || count < 1 || static_cast<size_t>(count) > kMaxValues || y.rank() > 1) return;
  c.OutPartial(0, Values(static_cast<size_t>(count), (*values)[0]));
}

/// Like Expand, to a shape that is an attribute.
void ExpandDRule(Context &c) {
  Shape x = c.Dims(0), target(c.IntsAttr("shape"));
  for (int64_t i = 0; i < target.rank(); ++i) {
    if (target[i] < -1) c.Fail("shape[", i, "] is ", target[i], ", expected -1 or more");
    if (target[i] >= 0) continue;
    int64_t axis = x.rank() - target.rank() + i;  // -1 keeps the extent of x
    if (x.has_rank()) target[i] = axis < 0 ? 1 : x[axis];
  }
  c.Out(0, c.Type(0), x.has_rank() ? c.Broadcast(x, target, "x", "shape") : Shape::Unknown());
}

/// One way: the shape must be what results.
void BroadcastToRule(Context &c) {
  Shape x = c.Dims(0);
  auto target = Target(c, x);
  if (!target) return c.Out(0, c.Type(0), Shape::Unknown());
  if (x.has_rank()) {
    if (x.rank() > target->rank())
      c.Fail("shape has ", target->rank(), " values, expected at least ", x.rank(), " for x of shape ", x.str());
    if (c.CannotSpread(x, *target)) c.Fail("x of shape ", x.str(), " cannot be broadcast to ", target->str());
  }
  c.Out(0, c.Type(0), *target);
}

void EnsureShapeRule(Context &c) {
  Shape x = c.Dims(0);
  Values wanted = c.IntsAttr("shape");
  if (wanted == Values{-2}) return OutSameElements(c, x);  // unknown rank
  if (!x.has_rank()) x = Shape::OfRank(static_cast<int64_t>(wanted.size()));
  if (static_cast<int64_t>(wanted.size()) != x.rank())
    c.Fail("input has shape ", x.str(), ", expected ", wanted.size(), " dimensions");
  for (int64_t i = 0; i < x.rank(); ++i) {
    int64_t extent = wanted[static_cast<size_t>(i)];
    if (extent >= 0 && c.Differ(x[i], extent))
      c.Fail("input has extent ", x[i], " along axis ", i, ", expected ", extent);
    if (x[i] < 0 && extent >= 0) x[i] = extent;
  }
  OutSameElements(c, x);
}

/// Between NCHW and NC1HWC0; the block is the attribute of the blocked side, 16 when not given.
void TransDataRule(Context &c) {
  std::string from = c.StringAttr("src_format"), to = c.StringAttr("dst_format");
  Shape x = c.Dims(0);
  if (from == to) return c.Out(0, c.Type(0), x);
  if (from == "NCHW" && to == "NC1HWC0") {
    int64_t block = c.IntAttr("dst_subformat");
    if (block <= 0) block = 16;
    x = c.DimsOfRank(0, 4, "src");
    int64_t blocks = x[1] < 0 ? -1 : x[1] / block + (x[1] % block != 0);
    return c.Out(0, c.Type(0), Shape{x[0], blocks, x[2], x[3], block});
  }
  if (from == "NC1HWC0" && to == "NCHW") {
    const GeTensorData &src = c.In(0);
    x = c.DimsOfRank(0, 5, "src");
    // The channels that are not padding are known from the original shape.
    int64_t channels = -1;
    if (src.origin_rank == 4 && src.origin_format == C_FORMAT_NCHW && src.origin_dims) channels = src.origin_dims[1];
    if (channels < 0 && c.op().output_count == 1 && c.op().outputs[0].rank == 4) channels = c.op().outputs[0].dims[1];
    const int64_t room = x[1] >= 0 && x[4] > 0 ? c.CheckedMul(x[1], x[4], "the number of channels") : -1;
    if (channels >= 0 && room >= 0 && (channels > room || channels <= room - x[4]))
      c.Fail("src of shape ", x.str(), " cannot hold ", channels, " channels");
    return c.Out(0, c.Type(0), Shape{x[0], channels, x[2], x[3]});
  }
  auto find = [&](char axis) { return from.find(axis); };
  bool plain = from.size() == to.size() && from.find_first_of("0123456789") == std::string::npos &&
               std::is_permutation(from.begin(), from.end(), to.begin());
  if (!plain)
    c.Fail("cannot convert ", from, " to ", to,
           "; NCHW, NHWC, HWCN (each way) and NCHW to and from NC1HWC0 are supported");
  x = c.DimsOfRank(0, static_cast<int64_t>(from.size()), "src");
  Shape y = x;
  for (size_t i = 0; i < to.size(); ++i) y.dims()[i] = x.dims()[find(to[i])];
  c.Out(0, c.Type(0), y);
}

/// A transposition before or behind a reshape.
void ConfusionTranspose(Context &c, const std::optional<Values> &shape) {
  Shape x = c.Dims(0);
  Values perm = c.IntsAttr("perm");
  auto transposed = [&](const Shape &from) { return c.Permuted(from, perm, "perm"); };
  auto reshaped = [&](const Shape &from) {
    if (!shape) return Shape::Unknown();
    Shape to = ResolveShape(c, from, *shape, false);
    CheckCounts(c, from, to, "shape");
    return to;
  };
  if (c.BoolAttr("transpose_first")) return c.Out(0, c.Type(0), reshaped(x.has_rank() ? transposed(x) : x));
  c.Out(0, c.Type(0), transposed(reshaped(x)));
}
void ConfusionTransposeRule(Context &c) { ConfusionTranspose(c, c.Ints(1)); }
void ConfusionTransposeDRule(Context &c) { ConfusionTranspose(c, c.IntsAttr("shape")); }

constexpr Entry kReshapeRules[] = {
    {"ExpandD", Guarded<ExpandDRule>},
    {"ConfusionTranspose", Guarded<ConfusionTransposeRule>},
    {"ConfusionTransposeD", Guarded<ConfusionTransposeDRule>},
    {"Reshape", Guarded<ReshapeRule>},
    {"Flatten", Guarded<FlattenRule>},
    {"FlattenV2", Guarded<FlattenV2Rule>},
    {"Squeeze", Guarded<SqueezeRule>},
    {"SqueezeV2", Guarded<SqueezeRule>},
    {"SqueezeV3", Guarded<SqueezeV3Rule>},
    {"Unsqueeze", Guarded<UnsqueezeRule>},
    {"UnsqueezeV2", Guarded<UnsqueezeV2Rule>},
    {"UnsqueezeV3", Guarded<UnsqueezeV3Rule>},
    {"ExpandDims", Guarded<ExpandDimsRule>},
    {"Expand", Guarded<ExpandRule>},
    {"BroadcastTo", Guarded<BroadcastToRule>},
    {"EnsureShape", Guarded<EnsureShapeRule>},
    {"TransData", Guarded<TransDataRule>},
};

}  // namespace

std::span<const Entry> ReshapeRules() { return kReshapeRules; }

}  // namespace gec::infer
