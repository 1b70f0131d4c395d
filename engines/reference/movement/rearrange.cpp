// Reversing sequences, rolling, triangles, repeating elements.
#include <algorithm>
#include <string_view>

#include "common/copy.h"
#include "movement/indices.h"
#include "registry.h"

namespace reference {
namespace {

// The first seq_lengths[b] steps of every batch entry change their order.
Kernel CreateReverseSequence(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  const Dims x = node.in_dims(0), strides = RowMajorStrides(x);
  const int sequence = NormalAxis(node, node.Int("seq_dim", 0), x.n),
            batch = NormalAxis(node, node.Int("batch_dim", 0), x.n);
  const IndexReader reader = IndicesOf(node, 1);
  if (sequence == batch || node.in_count(1) != x[batch])
    Fail(GE_PARAM_INVALID, "%s: seq_lengths have %lld values, x has shape %s", label.c_str(),
         (long long)node.in_count(1), ToText(x).c_str());
  const size_t element = ElementSize(node.in_type(0));
  // One step of one batch entry: everything but the two dimensions.
  Dims rest = x;
  rest[sequence] = rest[batch] = 1;
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    for (int64_t b = 0; b < x[batch]; ++b) {
      const int64_t length = reader.At(call.in(1), b);
      if (length < 0 || length > x[sequence])
        Fail(GE_PARAM_INVALID, "%s: sequence length %lld at position %lld is out of range, expected 0 to %lld",
             label.c_str(), (long long)length, (long long)b, (long long)x[sequence]);
      for (int64_t s = 0; s < x[sequence]; ++s) {
        const int64_t from = s < length ? length - 1 - s : s, base = b * strides[batch];
        CopyStrided(call, Shift(call.in(0), base + from * strides[sequence], element), strides,
                    Shift(call.out(0), base + s * strides[sequence], element), strides, rest, element);
      }
    }
  };
  return kernel;
}

// Without dims the tensor is rolled as one row.
Kernel CreateRoll(const Node &node, const OpEntry &) {
  Dims x = node.in_dims(0), shifts = node.Ints("shifts"), dims = node.Ints("dims");
  if (dims.n == 0) {
    if (shifts.n != 1) Fail(GE_PARAM_INVALID, "%s: shifts have %d values, expected 1", node.label().c_str(), shifts.n);
    x = Dims{x.count()};
    dims = Dims{0};
  }
  if (dims.n != shifts.n)
    Fail(GE_PARAM_INVALID, "%s: shifts have %d values, dims %d", node.label().c_str(), shifts.n, dims.n);
  Dims shift;
  for (int i = 0; i < x.n; ++i) shift.push(0);
  for (int i = 0; i < dims.n; ++i) {
    const int axis = NormalAxis(node, dims[i], x.n);
    if (x[axis]) shift[axis] = (((shift[axis] + shifts[i]) % x[axis]) + x[axis]) % x[axis];
  }
  const size_t element = ElementSize(node.in_type(0));
  const Dims strides = RowMajorStrides(x);
  Kernel kernel;
  // Every rolled dimension falls into two pieces; copy all combinations.
  kernel.run = [=](const Call &call) {
    if (x.count() == 0) return;
    Dims pieces;
    for (int i = 0; i < x.n; ++i) pieces.push(shift[i] ? 2 : 1);
    int64_t piece[Dims::kCapacity] = {};
    do {
      int64_t from = 0, to = 0;
      Dims extent;
      for (int i = 0; i < x.n; ++i) {
        const bool tail = piece[i] == 1;  // the end of x moves to the front
        extent.push(tail ? shift[i] : x[i] - shift[i]);
        from += (tail ? x[i] - shift[i] : 0) * strides[i];
        to += (tail ? 0 : shift[i]) * strides[i];
      }
      CopyStrided(call, Shift(call.in(0), from, element), strides, Shift(call.out(0), to, element), strides, extent,
                  element);
    } while (Next(pieces, piece));
  };
  return kernel;
}

// Keeps one side of a diagonal of the last two dimensions.
Kernel CreateTriangle(const Node &node, const OpEntry &) {
  const Dims x = node.in_dims(0);
  if (x.n < 2) Fail(GE_PARAM_INVALID, "%s: rank of x is %d, expected at least 2", node.label().c_str(), x.n);
  const bool lower = std::string_view(node.type()) == "Tril";
  const int64_t rows = x[x.n - 2], columns = x[x.n - 1];
  // Further away than any element lies nothing more.
  const int64_t diagonal = std::clamp(node.Int("diagonal", 0), -rows - 1, columns + 1);
  const size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  AddInPlace(node, &kernel, 1);
  kernel.run = [=](const Call &call) {
    if (x.count() == 0) return;
    call.Parallel(x.count() / columns, std::max<int64_t>(1, 8192 / columns), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        // Columns [from, to) are kept.
        const int64_t edge = t % rows + diagonal + (lower ? 1 : 0), at = std::clamp<int64_t>(edge, 0, columns);
        const int64_t from = lower ? 0 : at, to = lower ? at : columns;
        const char *source = call.in<char>(0) + t * columns * int64_t(element);
        char *target = call.out<char>(0) + t * columns * int64_t(element);
        if (source != target)
          memcpy(target + from * int64_t(element), source + from * int64_t(element), size_t(to - from) * element);
        memset(target, 0, size_t(from) * element);
        memset(target + to * int64_t(element), 0, size_t(columns - to) * element);
      }
    });
  };
  return kernel;
}

// Every slice along the axis is written as often as repeats says; axis 1000: x is one row.
Kernel CreateRepeatInterleave(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  Dims x = node.in_dims(0), y = node.out_dims(0);
  int64_t axis_attribute = node.Int("axis", 1000);
  if (axis_attribute == 1000) {
    x = Dims{x.count()};
    axis_attribute = 0;
  }
  const int axis = NormalAxis(node, axis_attribute, x.n);
  const IndexReader reader = IndicesOf(node, 1);
  const int64_t given = node.in_count(1);
  if (given != 1 && given != x[axis])
    Fail(GE_PARAM_INVALID, "%s: repeats have %lld values, expected 1 or %lld", label.c_str(), (long long)given,
         (long long)x[axis]);
  const int64_t outer = x.count(0, axis), length = x[axis];
  const int64_t slice = x.count(axis + 1, x.n) * int64_t(ElementSize(node.in_type(0))), total = y.count();
  const int64_t elements = x.count(axis + 1, x.n);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    int64_t sum = 0;
    for (int64_t i = 0; i < length; ++i) {
      const int64_t repeats = reader.At(call.in(1), given == 1 ? 0 : i);
      if (repeats < 0)
        Fail(GE_PARAM_INVALID, "%s: repeats is %lld at position %lld", label.c_str(), (long long)repeats, (long long)i);
      sum += repeats;
    }
    if (outer * sum * elements != total)
      Fail(GE_PARAM_INVALID, "%s: repeats add up to %lld, which does not fit the output of shape %s", label.c_str(),
           (long long)sum, ToText(y).c_str());
    if (total == 0) return;
    const char *from = call.in<char>(0);
    char *to = call.out<char>(0);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < length; ++i, from += slice)
        for (int64_t r = reader.At(call.in(1), given == 1 ? 0 : i); r > 0; --r, to += slice)
          memcpy(to, from, size_t(slice));
  };
  return kernel;
}

const OpEntry kRearrange[] = {
    {"ReverseSequence", kMovable, &CreateReverseSequence, &CheckIndexType<1>},
    {"Roll", kMovable, &CreateRoll},
    {"Tril", kMovable, &CreateTriangle},
    {"Triu", kMovable, &CreateTriangle},
    {"RepeatInterleave", kMovable, &CreateRepeatInterleave, &CheckIndexType<1>},
};

}  // namespace

OpTable RearrangeOps() { return TableOf(kRearrange); }

}  // namespace reference
