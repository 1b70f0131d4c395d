// Slices: boxes and strided ranges, with masks and clamping.
#include <algorithm>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// A range along one axis; a missing begin or end takes everything on its side.
struct Range {
  std::optional<int64_t> begin, end;
  bool whole_begin = false, whole_end = false;
  std::optional<int64_t> stride;
};

/// First position, and number of positions (-1: unknown).
struct Taken {
  int64_t first = -1, count = -1;
};

/// A position as it counts from the begin of an axis, clamped to it; kUnknown where that is not decided.
int64_t Placed(Context &c, int64_t extent, int64_t position) {
  if (!IsSymbolic(position) && position < 0) position = c.Sum(extent, position);
  if (const std::optional<bool> inside = c.AtMost(position, extent); !inside) return kUnknown;
  else if (!*inside) return extent;
  const std::optional<bool> before = c.AtMost(0, position);
  return !before ? kUnknown : *before ? position : 0;
}

/// Take with a positive step where an end or the extent is symbolic.
Taken TakeSymbolic(Context &c, int64_t extent, const Range &r, int64_t step) {
  const int64_t begin = r.whole_begin ? 0 : r.begin ? Placed(c, extent, *r.begin) : kUnknown;
  const int64_t end = r.whole_end ? extent : r.end ? Placed(c, extent, *r.end) : kUnknown;
  const std::optional<bool> forward = c.AtMost(begin, end);
  if (!forward) return {};
  if (!*forward) return {IsSymbolic(begin) ? -1 : begin, 0};
  const int64_t span = c.Difference(end, begin);
  return {IsSymbolic(begin) ? -1 : begin, c.ExtentOf(step == 1 ? span : c.Quotient(c.Sum(span, step - 1), step))};
}

Taken Take(Context &c, int64_t extent, const Range &r) {
  if (!r.stride) return {};
  int64_t step = *r.stride;
  if (step == 0) c.Fail("a stride is 0, expected another number");
  const bool symbolic = IsSymbolic(extent) || (r.begin && IsSymbolic(*r.begin)) || (r.end && IsSymbolic(*r.end));
  if (symbolic) return step > 0 && step < INT32_MAX && extent != -1 ? TakeSymbolic(c, extent, r, step) : Taken{};
  if (extent < 0) {
    // Only a range that is empty or counted from one side does not depend on the extent.
    if (step == 1 && !r.whole_end && r.begin && r.end && *r.begin < 0 && *r.end < 0 && *r.end <= *r.begin)
      return {0, 0};
    return {};
  }
  if ((!r.whole_begin && !r.begin) || (!r.whole_end && !r.end)) return {};
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  auto place = [&](int64_t value) {
    if (value < 0) value = value < -extent ? low : value + extent;
    return std::clamp(value, low, high);
  };
  int64_t begin = r.whole_begin ? (step > 0 ? 0 : extent - 1) : place(*r.begin);
  int64_t end = r.whole_end ? (step > 0 ? extent : -1) : place(*r.end);
  int64_t span = step > 0 ? end - begin : begin - end;
  if (span <= 0) return {begin, 0};
  // |INT64_MIN| does not fit; such a step takes one element.
  int64_t width = step == kUnknown ? span : std::abs(step);
  return {begin, (span - 1) / width + 1};
}

std::optional<int64_t> At(const std::optional<Values> &values, size_t i) {
  if (!values || i >= values->size() || (*values)[i] == kUnknown) return std::nullopt;
  return (*values)[i];
}

void PropagateRange(Context &c, const Taken &taken, const std::optional<int64_t> &stride) {
  Shape x = c.Dims(0);
  if (x.rank() != 1 || taken.count < 0 || taken.first < 0 || x[0] < 0 || !stride) return;
  auto values = c.Partial(0);
  if (!values) return;
  Values out;
  for (int64_t i = 0; i < taken.count; ++i) out.push_back((*values)[static_cast<size_t>(taken.first + i * *stride)]);
  c.OutPartial(0, out);
}

size_t CountOf(Context &c, size_t ir, const char *name) {
  Shape shape = c.Dims(ir);
  if (shape.has_rank() && shape.rank() > 1) c.Fail(name, " has shape ", shape.str(), ", expected 1 dimension");
  int64_t count = shape.elements();
  return count < 0 ? SIZE_MAX : static_cast<size_t>(count);
}

/// TensorFlow's strided slice with all its masks; strides are an input that may be absent.
void SliceBySpec(Context &c, size_t strides_ir) {
  Shape x = c.Dims(0);
  size_t count = CountOf(c, 1, "begin");
  bool has_strides = c.Has(strides_ir);
  auto begin = c.SymbolicInts(1), end = c.SymbolicInts(2), strides = has_strides ? c.Ints(strides_ir) : std::nullopt;
  if (!x.has_rank() || count == SIZE_MAX) return c.Out(0, c.Type(0), Shape::Unknown());
  if (count > 63) c.Fail("begin has ", count, " values, expected at most 63");
  if (!has_strides) strides.emplace(count, 1);
  for (size_t ir : {size_t{2}, strides_ir}) {
    if (ir != 2 && !has_strides) continue;
    size_t other = CountOf(c, ir, ir == 2 ? "end" : "strides");
    if (other != SIZE_MAX && other != count)
      c.Fail(ir == 2 ? "end" : "strides", " has ", other, " values, expected ", count, " as begin");
  }
  auto mask = [&](const char *name, size_t i) { return (c.IntAttr(name) >> i & 1) != 0; };
  int64_t consumed = 0;
  bool ellipsis = false;
  for (size_t i = 0; i < count; ++i) {
    if (mask("ellipsis_mask", i)) {
      if (ellipsis) c.Fail("ellipsis_mask marks more than one position");
      ellipsis = true;
    } else if (!mask("new_axis_mask", i)) {
      ++consumed;
    }
  }
  if (consumed > x.rank()) c.Fail("begin names ", consumed, " axes, but x has shape ", x.str());
  Shape y;
  int64_t axis = 0;
  Taken taken;
  for (size_t i = 0; i < count; ++i) {
    if (mask("ellipsis_mask", i)) {
      for (int64_t k = x.rank() - consumed; k > 0; --k) y.dims().push_back(x[axis++]);
      continue;
    }
    if (mask("new_axis_mask", i)) {
      y.dims().push_back(1);
      continue;
    }
    if (mask("shrink_axis_mask", i)) {
      auto at = At(begin, i);
      if (at && x[axis] >= 0 && !IsSymbolic(*at)) {
        if (*at < -x[axis] || *at >= x[axis])
          c.Fail("begin[", i, "] is ", *at, ", expected a value from ", -x[axis], " to ", x[axis] - 1);
        taken = {*at < 0 ? *at + x[axis] : *at, 1};
      }
      ++axis;
      continue;
    }
    Range range{At(begin, i), At(end, i), mask("begin_mask", i), mask("end_mask", i), At(strides, i)};
    taken = Take(c, x[axis], range);
    y.dims().push_back(taken.count);
    ++axis;
  }
  for (; axis < x.rank(); ++axis) y.dims().push_back(x[axis]);
  c.Out(0, c.Type(0), y);
  if (count == 1) PropagateRange(c, taken, mask("shrink_axis_mask", 0) ? std::optional<int64_t>(1) : At(strides, 0));
}

void StridedSliceRule(Context &c) { SliceBySpec(c, 3); }

/// Ranges along chosen axes; begin and end are clamped.
void StridedSliceV2Rule(Context &c) {
  if (c.IntAttr("ellipsis_mask") || c.IntAttr("new_axis_mask")) {
    if (c.Has(3)) c.Fail("ellipsis_mask and new_axis_mask go with begin in the order of x, expected no input axes");
    return SliceBySpec(c, 4);
  }
  Shape x = c.Dims(0);
  size_t count = CountOf(c, 1, "begin");
  if (!x.has_rank()) return c.Out(0, c.Type(0), x);
  if (count == SIZE_MAX) return c.Out(0, c.Type(0), Shape::OfRank(x.rank()));
  auto begin = c.SymbolicInts(1), end = c.SymbolicInts(2);
  if (end && end->size() != count) c.Fail("end has ", end->size(), " values, expected ", count, " as begin");
  bool has_axes = c.Has(3), has_strides = c.Has(4);
  auto axes = has_axes ? c.Ints(3) : std::nullopt, strides = has_strides ? c.Ints(4) : std::nullopt;
  if (axes && axes->size() != count) c.Fail("axes has ", axes->size(), " values, expected ", count, " as begin");
  if (strides && strides->size() != count)
    c.Fail("strides has ", strides->size(), " values, expected ", count, " as begin");
  if (!has_axes && static_cast<int64_t>(count) > x.rank())
    c.Fail("begin has ", count, " values, expected at most the ", x.rank(), " dimensions of x");
  int64_t shrink = c.IntAttr("shrink_axis_mask");
  Shape y = x;
  std::vector<bool> seen(static_cast<size_t>(x.rank())), gone(static_cast<size_t>(x.rank()));
  Taken taken;
  std::optional<int64_t> step;
  for (size_t i = 0; i < count; ++i) {
    std::optional<int64_t> axis = has_axes ? At(axes, i) : std::optional<int64_t>(static_cast<int64_t>(i));
    if (!axis) return c.Out(0, c.Type(0), shrink ? Shape::Unknown() : Shape::OfRank(x.rank()));
    int64_t a = c.Axis(*axis, x.rank(), "axes");
    if (seen[static_cast<size_t>(a)]) c.Fail("axes names axis ", a, " twice");
    seen[static_cast<size_t>(a)] = true;
    step = has_strides ? At(strides, i) : std::optional<int64_t>(1);
    auto mask = [&](const char *name) { return i < 63 && (c.IntAttr(name) >> i & 1) != 0; };
    taken = Take(c, x[a], {At(begin, i), At(end, i), mask("begin_mask"), mask("end_mask"), step});
    y[a] = taken.count;
    if (i < 63 && (shrink >> i & 1)) gone[static_cast<size_t>(a)] = true;
  }
  Shape out;
  for (int64_t i = 0; i < y.rank(); ++i)
    if (!gone[static_cast<size_t>(i)]) out.dims().push_back(y[i]);
  c.Out(0, c.Type(0), out);
  if (count == 1) PropagateRange(c, taken, step);
}

int64_t BoxExtent(Context &c, int64_t extent, std::optional<int64_t> offset, std::optional<int64_t> size,
                  int64_t axis) {
  if (IsSymbolic(extent) || (offset && IsSymbolic(*offset)) || (size && IsSymbolic(*size))) {
    if (!offset || !size) return -1;
    const bool whole = !c.AtMost(0, *size).value_or(true);
    const int64_t left = c.Difference(c.ValueOf(extent), *offset);
    if ((whole && !c.Same(*size, -1).value_or(true)) || !c.AtMost(0, *offset).value_or(true) ||
        !c.AtMost(0, left).value_or(true) || (!whole && !c.AtMost(*size, left).value_or(true)))
      c.Fail("offsets and size for axis ", axis, " leave the extent");
    return c.ExtentOf(whole ? left : *size);
  }
  if (offset && *offset < 0) c.Fail("offsets for axis ", axis, " is ", *offset, ", expected no negative value");
  if (size && *size < -1) c.Fail("size for axis ", axis, " is ", *size, ", expected -1 or more");
  if (offset && extent >= 0) {
    if (*offset > extent) c.Fail("offsets for axis ", axis, " is ", *offset, ", expected at most ", extent);
    if (size && *size > extent - *offset)
      c.Fail("size for axis ", axis, " is ", *size, ", expected at most ", extent - *offset);
    if (size && *size == -1) return extent - *offset;
  }
  return size && *size >= 0 ? *size : -1;
}

void SliceRule(Context &c) {
  Shape x = c.Dims(0);
  auto offsets = c.SymbolicInts(1), size = c.SymbolicInts(2);
  if (!x.has_rank()) {
    if (!size && !offsets) return c.Out(0, c.Type(0), x);
    x = Shape::OfRank(static_cast<int64_t>(size ? size->size() : offsets->size()));
  }
  size_t rank = static_cast<size_t>(x.rank());
  if (offsets && offsets->size() != rank) c.Fail("offsets has ", offsets->size(), " values, expected ", rank);
  if (size && size->size() != rank) c.Fail("size has ", size->size(), " values, expected ", rank);
  Shape y = x;
  for (size_t i = 0; i < rank; ++i) {
    int64_t axis = static_cast<int64_t>(i);
    y[axis] = BoxExtent(c, x[axis], At(offsets, i), At(size, i), axis);
  }
  c.Out(0, c.Type(0), y);
  if (rank == 1 && At(offsets, 0) && !IsSymbolic(*At(offsets, 0))) PropagateRange(c, {*At(offsets, 0), y[0]}, 1);
}

void SliceWithAxesRule(Context &c) {
  Shape x = c.Dims(0);
  if (!x.has_rank()) return c.Out(0, c.Type(0), x);
  auto offsets = c.SymbolicInts(1), size = c.SymbolicInts(2);
  Values axes = c.IntsAttr("axes");
  if (offsets && offsets->size() != axes.size())
    c.Fail("offsets has ", offsets->size(), " values, expected ", axes.size(), " as axes");
  if (size && size->size() != axes.size())
    c.Fail("size has ", size->size(), " values, expected ", axes.size(), " as axes");
  Shape y = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t axis = c.Axis(axes[i], x.rank(), "axes");
    y[axis] = BoxExtent(c, x[axis], At(offsets, i), At(size, i), axis);
  }
  c.Out(0, c.Type(0), y);
}

/// A range of the last axis, given as attributes.
void SliceLastDimRule(Context &c) {
  Shape y = c.Dims(0);
  if (y.has_rank()) {
    if (y.rank() == 0) c.Fail("x is a scalar, expected at least 1 dimension");
    int64_t stride = c.IntAttr("stride", 1);
    if (stride < 1) c.Fail("stride is ", stride, ", expected at least 1");
    Range range{c.IntAttr("start"), c.IntAttr("end"), false, false, stride};
    y[y.rank() - 1] = Take(c, y[y.rank() - 1], range).count;
  }
  c.Out(0, c.Type(0), y);
}

constexpr Entry kSliceRules[] = {
    {"SliceLastDim", Guarded<SliceLastDimRule>},
    {"StridedSlice", Guarded<StridedSliceRule>},
    {"StridedSliceV2", Guarded<StridedSliceV2Rule>},
    {"StridedSliceV3", Guarded<StridedSliceV2Rule>},
    {"Slice", Guarded<SliceRule>},
    {"SliceWithAxes", Guarded<SliceWithAxesRule>},
};

}  // namespace

std::span<const Entry> SliceRules() { return kSliceRules; }

}  // namespace gec::infer
