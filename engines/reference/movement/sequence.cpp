// Packed sequences (op_proto/sequence_ops.h): taking out, putting in, cutting and joining.
#include <cstring>

#include "common/copy.h"
#include "common/real_shape.h"
#include "registry.h"

namespace reference {
namespace {

constexpr int64_t kSequenceRow = 8;  // rank, then at most 7 extents
constexpr uint64_t kRowBytes = kSequenceRow * sizeof(int64_t);

void WriteRow(const Dims &dims, int64_t *row) {
  row[0] = dims.n;
  for (int i = 0; i + 1 < kSequenceRow; ++i) row[1 + i] = i < dims.n ? dims[i] : 1;
}

void NeedRank(const Node &node, const Dims &dims) {
  if (dims.n >= kSequenceRow)
    Fail(GE_UNSUPPORTED, "%s: a tensor of rank %d in a sequence is not supported, at most %lld", node.label().c_str(),
         dims.n, (long long)(kSequenceRow - 1));
}

// A sequence as a kernel finds it. What the rows say is held against the number of values before anything is read.
struct Sequence {
  std::string label;
  int64_t values = 0, length = 0;  // numbers of values, of elements
  size_t element = 0;              // bytes of a value

  explicit Sequence(const Node &node)
      : label(node.label()),
        values(node.in_count(0)),
        length(node.in_count(1) / kSequenceRow),
        element(ElementSize(node.in_type(0))) {
    if (node.in_type(1) != C_DT_INT64)
      Fail(GE_PARAM_INVALID, "%s: shapes is of %s, expected DT_INT64", label.c_str(), DataTypeName(node.in_type(1)));
    if (node.in_dims(1).n != 2 || node.in_dims(1)[1] != kSequenceRow)
      Fail(GE_PARAM_INVALID, "%s: shapes has shape %s, expected rows of %lld numbers", label.c_str(),
           ToText(node.in_dims(1)).c_str(), (long long)kSequenceRow);
  }

  Dims DimsOf(const int64_t *rows, int64_t i) const {
    const int64_t *row = rows + i * kSequenceRow;
    if (row[0] < 0 || row[0] >= kSequenceRow)
      Fail(GE_PARAM_INVALID, "%s: element %lld has rank %lld, expected 0 to %lld", label.c_str(), (long long)i,
           (long long)row[0], (long long)(kSequenceRow - 1));
    return Dims(row + 1, row[0]);
  }
  int64_t CountOf(const int64_t *rows, int64_t i) const {
    // The product of the extents that are not 0 has to be a number, too: others multiply them.
    int64_t count = 1;
    bool empty = false, good = true;
    for (int64_t d : DimsOf(rows, i)) {
      empty = empty || d == 0;
      good = good && d >= 0 && !(d > 0 && __builtin_mul_overflow(count, d, &count));
    }
    if (!good || (!empty && count > values))
      Fail(GE_PARAM_INVALID, "%s: element %lld has shape %s, the sequence has %lld values", label.c_str(), (long long)i,
           ToText(DimsOf(rows, i)).c_str(), (long long)values);
    return empty ? 0 : count;
  }
  // Where the values of element `to` start.
  int64_t StartOf(const int64_t *rows, int64_t to) const {
    int64_t at = 0;
    for (int64_t i = 0; i < to; ++i) {
      const int64_t count = CountOf(rows, i);
      if (count > values - at)
        Fail(GE_PARAM_INVALID, "%s: elements 0 to %lld have more values than the %lld of the sequence", label.c_str(),
             (long long)i, (long long)values);
      at += count;
    }
    return at;
  }
  struct Span {
    int64_t start, count;  // in values
  };
  Span SpanOf(const int64_t *rows, int64_t i) const {
    const int64_t start = StartOf(rows, i), behind = StartOf(rows, i + 1);
    return {start, behind - start};
  }
  // `room`: how many places there are, the end of the sequence included or not.
  int64_t Place(int64_t position, int64_t room) const {
    if (position < -length || position >= room)
      Fail(GE_PARAM_INVALID, "%s: position %lld is out of range for a sequence of %lld tensors", label.c_str(),
           (long long)position, (long long)length);
    return position < 0 ? position + length : position;
  }
};

void Copy(void *to, int64_t to_at, const void *from, int64_t from_at, int64_t count, size_t element) {
  if (count > 0) memcpy(Shift(to, to_at, element), Shift(from, from_at, element), size_t(count) * element);
}

Kernel CreateSequencePack(const Node &node, const OpEntry &) {
  std::vector<Dims> shapes;
  for (int i = 0; i < node.inputs(); ++i) {
    if (node.in_type(i) != node.in_type(0))
      Fail(GE_PARAM_INVALID, "%s: x%d is of %s, x0 of %s", node.label().c_str(), i, DataTypeName(node.in_type(i)),
           DataTypeName(node.in_type(0)));
    NeedRank(node, node.in_dims(i));
    shapes.push_back(node.in_dims(i));
  }
  const size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    int64_t at = 0;
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (call.out(0)) Copy(call.out(0), at, call.in(i), 0, shapes[i].count(), element);
      if (call.out(1)) WriteRow(shapes[i], call.out<int64_t>(1) + int64_t(i) * kSequenceRow);
      at += shapes[i].count();
    }
  };
  return kernel;
}

IntsInput PositionOf(const Node &node, int port) {
  IntsInput position = node.IntsOf(port);
  if (position.connected() && node.in_count(port) != 1)
    Fail(GE_PARAM_INVALID, "%s: position has %lld values, expected 1", node.label().c_str(),
         (long long)node.in_count(port));
  return position;
}

Kernel CreateSequenceAt(const Node &node, const OpEntry &) {
  const Sequence s(node);
  const IntsInput position = PositionOf(node, 2);
  Kernel kernel;
  kernel.flags = GE_KERNEL_DATA_DEPENDENT;
  kernel.workspace = kShapeBytes;
  kernel.output_bytes = {uint64_t(s.values) * s.element};
  kernel.run = [=](const Call &call) {
    const int64_t *rows = call.in<int64_t>(1);
    const int64_t i = s.Place(position.ReadOne(call), s.length);
    const Sequence::Span own = s.SpanOf(rows, i);
    Copy(call.out(0), 0, call.in(0), own.start, own.count, s.element);
    ReportShape(call, 0, s.DimsOf(rows, i));
  };
  return kernel;
}

Kernel CreateSequenceInsert(const Node &node, const OpEntry &) {
  const Sequence s(node);
  if (node.in_type(2) != node.in_type(0))
    Fail(GE_PARAM_INVALID, "%s: x is of %s, the sequence of %s", node.label().c_str(), DataTypeName(node.in_type(2)),
         DataTypeName(node.in_type(0)));
  const Dims x = node.in_dims(2);
  NeedRank(node, x);
  const IntsInput position = PositionOf(node, 3);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    const int64_t *rows = call.in<int64_t>(1);
    const int64_t i = position.connected() ? s.Place(position.ReadOne(call), s.length + 1) : s.length;
    const int64_t start = s.StartOf(rows, i), count = x.count();
    if (call.out(0)) {
      Copy(call.out(0), 0, call.in(0), 0, start, s.element);
      Copy(call.out(0), start, call.in(2), 0, count, s.element);
      Copy(call.out(0), start + count, call.in(0), start, s.values - start, s.element);
    }
    if (call.out(1)) {
      Copy(call.out(1), 0, rows, 0, i, kRowBytes);
      WriteRow(x, call.out<int64_t>(1) + i * kSequenceRow);
      Copy(call.out(1), i + 1, rows, i, s.length - i, kRowBytes);
    }
  };
  return kernel;
}

Kernel CreateSequenceErase(const Node &node, const OpEntry &) {
  const Sequence s(node);
  const IntsInput position = PositionOf(node, 2);
  Kernel kernel;
  kernel.flags = GE_KERNEL_DATA_DEPENDENT;
  kernel.workspace = 2 * kShapeBytes;
  kernel.output_bytes = {uint64_t(s.values) * s.element, uint64_t(s.length) * kRowBytes};
  kernel.run = [=](const Call &call) {
    const int64_t *rows = call.in<int64_t>(1);
    const int64_t i = s.Place(position.connected() ? position.ReadOne(call) : s.length - 1, s.length);
    const Sequence::Span own = s.SpanOf(rows, i);
    if (call.out(0)) {
      const int64_t behind = own.start + own.count;
      Copy(call.out(0), 0, call.in(0), 0, own.start, s.element);
      Copy(call.out(0), own.start, call.in(0), behind, s.values - behind, s.element);
    }
    if (call.out(1)) {
      Copy(call.out(1), 0, rows, 0, i, kRowBytes);
      Copy(call.out(1), i, rows, i + 1, s.length - i - 1, kRowBytes);
    }
    ReportShape(call, 0, {s.values - own.count});
    ReportShape(call, 1, {s.length - 1, kSequenceRow});
  };
  return kernel;
}

Kernel CreateSequenceSplit(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  const Dims x = node.in_dims(0);
  NeedRank(node, x);
  const int axis = NormalAxis(node, node.Int("axis", 0), x.n);
  const bool given = node.has(1), listed = given && node.in_dims(1).n > 0, keep = given || node.Bool("keep_dims", true);
  const LoadFn<int64_t> load = given ? Loader<int64_t>(node.in_type(1)) : nullptr;
  const int64_t pieces = listed ? node.in_count(1) : x[axis];
  const size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  kernel.flags = GE_KERNEL_DATA_DEPENDENT;
  kernel.workspace = 2 * kShapeBytes;
  kernel.output_bytes = {uint64_t(x.count()) * element, uint64_t(pieces) * kRowBytes};
  kernel.run = [=](const Call &call) {
    const int64_t outer = x.count(0, axis), inner = x.count(axis + 1, x.n), extent = x[axis];
    int64_t at = 0, number = 0;
    for (int64_t from = 0; listed ? number < pieces : from < extent; ++number) {
      int64_t length = 1;
      if (given) load(call.in(1), listed ? number : 0, 1, 1, &length);
      if (length < (listed ? 0 : 1) || (listed && length > extent - from))
        Fail(GE_PARAM_INVALID, "%s: piece %lld has extent %lld, axis %d of %s has %lld left", label.c_str(),
             (long long)number, (long long)length, axis, ToText(x).c_str(), (long long)(extent - from));
      if (length > extent - from) length = extent - from;
      Dims dims;
      for (int i = 0; i < x.n; ++i)
        if (i != axis) dims.push(x[i]);
        else if (keep) dims.push(length);
      if (call.out(1)) WriteRow(dims, call.out<int64_t>(1) + number * kSequenceRow);
      for (int64_t o = 0; o < outer && call.out(0); ++o)
        Copy(call.out(0), at + o * length * inner, call.in(0), (o * extent + from) * inner, length * inner, element);
      at += outer * length * inner;
      from += length;
      if (listed && number + 1 == pieces && from != extent)
        Fail(GE_PARAM_INVALID, "%s: the pieces have %lld elements along axis %d, %s has %lld", label.c_str(),
             (long long)from, axis, ToText(x).c_str(), (long long)extent);
    }
    ReportShape(call, 0, {at});
    ReportShape(call, 1, {number, kSequenceRow});
  };
  return kernel;
}

// The shape of all elements joined, where they agree.
Dims Joined(const Sequence &s, const int64_t *rows, int64_t given_axis, bool fresh, int *axis) {
  if (s.length == 0) Fail(GE_PARAM_INVALID, "%s: the sequence is empty", s.label.c_str());
  const Dims first = s.DimsOf(rows, 0);
  *axis = NormalAxis(s.label, given_axis, first.n + fresh);
  int64_t total = 0;
  for (int64_t i = 0; i < s.length; ++i) {
    const Dims dims = s.DimsOf(rows, i);
    bool fits = dims.n == first.n;
    for (int k = 0; fits && k < dims.n; ++k) fits = dims[k] == first[k] || (!fresh && k == *axis);
    if (!fits)
      Fail(GE_PARAM_INVALID, "%s: element %lld has shape %s, element 0 has %s; along axis %d they do not join",
           s.label.c_str(), (long long)i, ToText(dims).c_str(), ToText(first).c_str(), *axis);
    if (__builtin_add_overflow(total, fresh ? 1 : dims[*axis], &total))
      Fail(GE_PARAM_INVALID, "%s: elements 0 to %lld have more than %lld rows along axis %d", s.label.c_str(),
           (long long)i, (long long)INT64_MAX, *axis);
  }
  Dims y;
  for (int k = 0; k < first.n + fresh; ++k) y.push(k == *axis ? total : first[fresh && k > *axis ? k - 1 : k]);
  if (y.n >= kSequenceRow)
    Fail(GE_UNSUPPORTED, "%s: a result of rank %d is not supported, at most %lld", s.label.c_str(), y.n,
         (long long)(kSequenceRow - 1));
  return y;
}

Kernel CreateSequenceJoin(const Node &node, const OpEntry &) {
  const Sequence s(node);
  const int64_t given_axis = node.Int("axis", 0);
  const bool fresh = node.Bool("new_axis", false);
  Kernel kernel;
  kernel.flags = GE_KERNEL_DATA_DEPENDENT;
  kernel.workspace = kShapeBytes;
  kernel.output_bytes = {uint64_t(s.values) * s.element};
  kernel.run = [=](const Call &call) {
    const int64_t *rows = call.in<int64_t>(1);
    s.StartOf(rows, s.length);
    int axis = 0;
    const Dims y = Joined(s, rows, given_axis, fresh, &axis);
    const int64_t outer = y.count(0, axis), inner = y.count(axis + 1, y.n);
    int64_t start = 0, from = 0;
    for (int64_t i = 0; i < s.length; ++i) {
      const int64_t length = fresh ? 1 : s.DimsOf(rows, i)[axis];
      const int64_t count = s.CountOf(rows, i), piece = count == 0 ? 0 : length * inner;
      // Other extents may be large where one is 0.
      for (int64_t o = 0; o < outer && piece > 0; ++o)
        Copy(call.out(0), (o * y[axis] + from) * inner, call.in(0), start + o * piece, piece, s.element);
      start += count;
      from += length;
    }
    ReportShape(call, 0, y);
  };
  return kernel;
}

Kernel CreateSequenceCommonLength(const Node &node, const OpEntry &) {
  if (node.inputs() == 0) Fail(GE_PARAM_INVALID, "%s: there are no sequences", node.label().c_str());
  int64_t common = 0;
  for (int i = 0; i < node.inputs(); ++i) {
    const Dims rows = node.in_dims(i);
    if (rows.n != 2 || rows[1] != kSequenceRow)
      Fail(GE_PARAM_INVALID, "%s: shapes%d has shape %s, expected rows of %lld numbers", node.label().c_str(), i,
           ToText(rows).c_str(), (long long)kSequenceRow);
    if (i > 0 && rows[0] != common)
      Fail(GE_PARAM_INVALID, "%s: sequence %d has %lld tensors, sequence 0 has %lld", node.label().c_str(), i,
           (long long)rows[0], (long long)common);
    common = rows[0];
  }
  Kernel kernel;
  kernel.run = [=](const Call &call) { *call.out<int64_t>(0) = common; };
  return kernel;
}

Kernel CreateOptionalGet(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  const int64_t bytes = node.in_count(1) * int64_t(ElementSize(node.in_type(1)));
  if (node.in_count(0) != 1)
    Fail(GE_PARAM_INVALID, "%s: there has %lld values, expected 1", label.c_str(), (long long)node.in_count(0));
  Kernel kernel;
  kernel.aliases.push_back({GE_ALIAS_IN_PLACE, 1, 0, 0, 0});
  kernel.run = [=](const Call &call) {
    if (!*call.in<uint8_t>(0)) Fail(GE_PARAM_INVALID, "%s: the optional value is empty", label.c_str());
    CopyBytes(call, call.in(1), call.out(0), bytes);
  };
  return kernel;
}

const OpEntry kSequence[] = {
    {"OptionalGet", kBool, &CreateOptionalGet},
    {"SequencePack", kMovable, &CreateSequencePack},
    {"SequenceAt", kMovable, &CreateSequenceAt},
    {"SequenceInsert", kMovable, &CreateSequenceInsert},
    {"SequenceErase", kMovable, &CreateSequenceErase},
    {"SequenceSplit", kMovable, &CreateSequenceSplit},
    {"SequenceConcat", kMovable, &CreateSequenceJoin},
    {"SequenceCommonLength", TypeBit(C_DT_INT64), &CreateSequenceCommonLength},
};

}  // namespace

OpTable SequenceOps() { return TableOf(kSequence); }

}  // namespace reference
