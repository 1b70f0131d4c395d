// Cutting out a box: Slice, SliceWithAxes, StridedSlice and StridedSliceV2.
#include <string_view>

#include "common/copy.h"
#include "registry.h"

namespace reference {
namespace {

// A box of x as a strided copy.
struct Box {
  int64_t start = 0;
  Dims dims, strides;
};

void CopyBox(const Call &call, const std::string &label, const Box &box, const Dims &y, size_t element) {
  if (box.dims.count() != y.count())
    Fail(GE_PARAM_INVALID, "%s: the slice has shape %s, the output %s", label.c_str(), ToText(box.dims).c_str(),
         ToText(y).c_str());
  if (y.count()) CopyToDense(call, Shift(call.in(0), box.start, element), box.strides, call.out(0), box.dims, element);
}

Kernel CreateSlice(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  Dims x = node.in_dims(0), y = node.out_dims(0), axes_attribute = node.Ints("axes");
  const bool with_axes = std::string_view(node.type()) == "SliceWithAxes";
  IntsInput offsets_input = node.IntsOf(1), size_input = node.IntsOf(2);
  size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    Dims offsets = offsets_input.Read(call), size = size_input.Read(call);
    if (offsets.n != size.n || offsets.n != (with_axes ? axes_attribute.n : x.n))
      Fail(GE_PARAM_INVALID, "%s: offsets have %d values and size %d, x has rank %d", label.c_str(), offsets.n, size.n,
           x.n);
    Box box;
    box.dims = x;
    box.strides = RowMajorStrides(x);
    for (int i = 0; i < offsets.n; ++i) {
      int axis = with_axes ? NormalAxis(label, axes_attribute[i], x.n) : i;
      int64_t offset = offsets[i], extent = size[i] == -1 ? x[axis] - offset : size[i];
      if (offset < 0 || extent < 0 || offset + extent > x[axis])
        Fail(GE_PARAM_INVALID, "%s: offset %lld and size %lld exceed dimension %d of extent %lld", label.c_str(),
             (long long)offset, (long long)extent, axis, (long long)x[axis]);
      box.start += offset * box.strides[axis];
      box.dims[axis] = extent;
    }
    CopyBox(call, label, box, y, element);
  };
  return kernel;
}

/// From one element to the next; of a single one it is not used, and a product might not fit.
int64_t StepBetween(int64_t own, int64_t stride, int64_t count) { return count > 1 ? own * stride : own; }

struct Masks {
  int64_t begin, end, ellipsis, new_axis, shrink;
};

int64_t Clamp(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

// One dimension of x from begin to end by stride, NumPy rules; the masks say which ends are open.
void CutAxis(const std::string &label, int64_t extent, int64_t begin, int64_t end, int64_t stride, bool open_begin,
             bool open_end, int64_t *first, int64_t *count) {
  if (stride == 0) Fail(GE_PARAM_INVALID, "%s: a stride is 0", label.c_str());
  const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? extent : extent - 1;
  if (begin < 0) begin += extent;
  if (end < 0) end += extent;
  begin = open_begin ? (stride > 0 ? low : high) : Clamp(begin, low, high);
  end = open_end ? (stride > 0 ? high : low) : Clamp(end, low, high);
  const int64_t span = stride > 0 ? end - begin : begin - end;
  const uint64_t step = stride > 0 ? uint64_t(stride) : uint64_t(0) - uint64_t(stride);
  *first = begin;
  *count = span <= 0 ? 0 : int64_t((uint64_t(span) - 1) / step + 1);
}

// TensorFlow's specification: entry i of begin, end and strides, with new axes, an ellipsis and dropped dimensions.
Box BoxOfSpec(const std::string &label, const Dims &x, const Dims &begin, const Dims &end, const Dims &strides,
              const Masks &m) {
  Dims own = RowMajorStrides(x);
  Box box;
  int used = 0;  // dimensions of x that entries behind an ellipsis take
  auto bit = [](int64_t mask, int i) { return i < 63 && (mask >> i & 1); };
  for (int i = 0; i < begin.n; ++i)
    if (!bit(m.new_axis, i) && !bit(m.ellipsis, i)) ++used;
  if (used > x.n) Fail(GE_PARAM_INVALID, "%s: %d dimensions are sliced, x has rank %d", label.c_str(), used, x.n);
  int axis = 0;
  auto whole = [&](int n) {
    for (; n > 0; --n, ++axis) {
      box.dims.push(x[axis]);
      box.strides.push(own[axis]);
    }
  };
  bool ellipsis = false;
  for (int i = 0; i < begin.n; ++i) {
    if (bit(m.ellipsis, i)) {
      if (ellipsis) Fail(GE_PARAM_INVALID, "%s: there is more than one ellipsis", label.c_str());
      ellipsis = true;
      whole(x.n - used);
    } else if (bit(m.new_axis, i)) {
      box.dims.push(1);
      box.strides.push(0);
    } else if (bit(m.shrink, i)) {
      int64_t at = begin[i] < 0 ? begin[i] + x[axis] : begin[i];
      if (at < 0 || at >= x[axis])
        Fail(GE_PARAM_INVALID, "%s: index %lld is out of range for dimension %d of extent %lld", label.c_str(),
             (long long)begin[i], axis, (long long)x[axis]);
      box.start += at * own[axis++];
    } else {
      int64_t first, count;
      CutAxis(label, x[axis], begin[i], end[i], strides[i], bit(m.begin, i), bit(m.end, i), &first, &count);
      if (count) box.start += first * own[axis];
      box.dims.push(count);
      box.strides.push(StepBetween(own[axis], strides[i], count));
      ++axis;
    }
  }
  whole(x.n - axis);
  return box;
}

// The same with explicit axes: the other dimensions stay whole. A dropped dimension has extent 1, which a copy does not
// see.
Box BoxOfAxes(const std::string &label, const Dims &x, const Dims &begin, const Dims &end, const Dims &strides,
              const Dims &axes, const Masks &m) {
  Dims own = RowMajorStrides(x);
  Box box;
  box.dims = x;
  box.strides = own;
  for (int i = 0; i < axes.n; ++i) {
    const int axis = NormalAxis(label, axes[i], x.n);
    const bool shrink = m.shrink >> i & 1;
    int64_t first, count;
    CutAxis(label, x[axis], begin[i], shrink ? (begin[i] == -1 ? x[axis] : begin[i] + 1) : end[i], strides[i],
            m.begin >> i & 1, m.end >> i & 1, &first, &count);
    if (count) box.start += first * own[axis];
    box.dims[axis] = count;
    box.strides[axis] = StepBetween(own[axis], strides[i], count);
  }
  return box;
}

Kernel CreateStridedSlice(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  Dims x = node.in_dims(0), y = node.out_dims(0);
  const bool v2 = std::string_view(node.type()) == "StridedSliceV2";
  IntsInput begin_input = node.IntsOf(1), end_input = node.IntsOf(2);
  IntsInput axes_input = v2 ? node.IntsOf(3) : IntsInput(), strides_input = node.IntsOf(v2 ? 4 : 3);
  Masks masks{node.Int("begin_mask", 0), node.Int("end_mask", 0), node.Int("ellipsis_mask", 0),
              node.Int("new_axis_mask", 0), node.Int("shrink_axis_mask", 0)};
  size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    Dims begin = begin_input.Read(call), end = end_input.Read(call), strides, axes;
    if (strides_input.connected()) strides = strides_input.Read(call);
    else
      for (int i = 0; i < begin.n; ++i) strides.push(1);
    if (begin.n != end.n || begin.n != strides.n)
      Fail(GE_PARAM_INVALID, "%s: begin has %d values, end %d, strides %d", label.c_str(), begin.n, end.n, strides.n);
    Box box;
    if (axes_input.connected()) {
      axes = axes_input.Read(call);
      if (axes.n != begin.n) Fail(GE_PARAM_INVALID, "%s: begin has %d values, axes %d", label.c_str(), begin.n, axes.n);
      box = BoxOfAxes(label, x, begin, end, strides, axes, masks);
    } else {
      box = BoxOfSpec(label, x, begin, end, strides, masks);
    }
    CopyBox(call, label, box, y, element);
  };
  return kernel;
}

const OpEntry kSlice[] = {
    {"Slice", kMovable, &CreateSlice},
    {"SliceWithAxes", kMovable, &CreateSlice},
    {"StridedSlice", kMovable, &CreateStridedSlice},
    {"StridedSliceV2", kMovable, &CreateStridedSlice},
};

}  // namespace

OpTable SliceOps() { return TableOf(kSlice); }

}  // namespace reference
