// Packed sequences: how many there are is mostly known, which shapes only where all elements are at hand.
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

constexpr int64_t kRow = 8;  // numbers for each element in `shapes`

int64_t CountOf(const Shape &x) { return x.has_rank() && x.known() ? x.elements() : -1; }

/// The number of elements of the sequence whose shapes are input 1.
int64_t SequenceLength(const Context &c) {
  const Shape rows = c.DimsOfRank(1, 2, "shapes");
  if (rows.has_rank() && rows[1] >= 0 && rows[1] != kRow)
    c.Fail("shapes has rows of ", rows[1], " numbers, expected ", kRow);
  return rows.has_rank() ? rows[0] : -1;
}

void PackSequenceRule(Context &c) {
  const int64_t count = static_cast<int64_t>(c.Instances(0));
  int64_t total = 0;
  for (size_t k = 0; k < c.Instances(0); ++k) {
    if (c.Type(0, k) != C_DT_UNDEFINED && c.Type(0, 0) != C_DT_UNDEFINED && c.Type(0, k) != c.Type(0, 0))
      c.Fail("x", k, " has data type ", GeDataTypeName(c.Type(0, k)), ", expected ", GeDataTypeName(c.Type(0, 0)),
             " like x0");
    const int64_t more = CountOf(c.Dims(0, k));
    total = total < 0 || more < 0 ? -1 : c.CheckedAdd(total, more, "the number of values");
  }
  if (count == 0) c.Fail("x has no tensors, expected at least 1");
  c.Out(0, c.Type(0, 0), Shape{total});
  c.Out(1, C_DT_INT64, Shape{count, kRow});
}

void AtRule(Context &c) {
  SequenceLength(c);
  c.DimsOfRank(0, 1, "values");
  c.Out(0, c.Type(0), Shape::Unknown());
}

void InsertRule(Context &c) {
  const int64_t length = SequenceLength(c), more = CountOf(c.Dims(2));
  const Shape values = c.DimsOfRank(0, 1, "values");
  const bool known = values.has_rank() && values[0] >= 0 && more >= 0;
  c.Out(0, c.SameType({0, 2}, {"values", "x"}),
        Shape{known ? c.CheckedAdd(values[0], more, "the number of values") : -1});
  c.Out(1, C_DT_INT64, Shape{length < 0 ? -1 : length + 1, kRow});
}

void EraseRule(Context &c) {
  const int64_t length = SequenceLength(c);
  if (length == 0) c.Fail("the sequence is empty, nothing can be removed");
  c.DimsOfRank(0, 1, "values");
  c.Out(0, c.Type(0), Shape{-1});
  c.Out(1, C_DT_INT64, Shape{length < 0 ? -1 : length - 1, kRow});
}

void SplitSequenceRule(Context &c) {
  const Shape x = c.Dims(0);
  int64_t count = -1;
  if (x.has_rank()) {
    const int64_t axis = c.Axis(c.IntAttr("axis"), x.rank(), "axis");
    const Shape split = c.Has(1) ? c.Dims(1) : Shape{};
    if (!c.Has(1)) count = x[axis] < 0 ? -1 : x[axis];
    else if (split.has_rank() && split.rank() == 1) count = split[0] < 0 ? -1 : split[0];
  }
  c.Out(0, c.Type(0), Shape{CountOf(x)});
  c.Out(1, C_DT_INT64, Shape{count, kRow});
}

void CommonLengthRule(Context &c) {
  int64_t common = -1;
  size_t from = 0;
  if (c.Instances(0) == 0) c.Fail("shapes has no tensors, expected at least 1");
  for (size_t k = 0; k < c.Instances(0); ++k) {
    const Shape rows = c.Dims(0, k);
    if (!rows.has_rank()) continue;
    if (rows.rank() != 2 || (rows[1] >= 0 && rows[1] != kRow))
      c.Fail("shapes", k, " has shape ", rows.str(), ", expected rows of ", kRow, " numbers");
    if (rows[0] < 0) continue;
    if (common >= 0 && rows[0] != common)
      c.Fail("sequence ", k, " has ", rows[0], " tensors, sequence ", from, " has ", common);
    if (common < 0) from = k;
    common = rows[0];
  }
  c.Out(0, C_DT_INT64, Shape{});
}

void GetRule(Context &c) { c.Out(0, c.Type(1), c.Dims(1)); }

constexpr Entry kSequenceRules[] = {
    {"OptionalGet", Guarded<GetRule>},     {"SequencePack", Guarded<PackSequenceRule>},
    {"SequenceAt", Guarded<AtRule>},       {"SequenceInsert", Guarded<InsertRule>},
    {"SequenceErase", Guarded<EraseRule>}, {"SequenceSplit", Guarded<SplitSequenceRule>},
    {"SequenceConcat", Guarded<AtRule>},   {"SequenceCommonLength", Guarded<CommonLengthRule>},
};

}  // namespace

std::span<const Entry> SequenceRules() { return kSequenceRules; }

}  // namespace gec::infer
