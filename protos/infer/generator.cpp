// Tensors made from shapes, ranges and random numbers; shapes as tensors.
#include <cmath>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

int32_t ShapeType(Context &c) {
  int64_t type = c.IntAttr("dtype", C_DT_INT32);
  if (type != C_DT_INT32 && type != C_DT_INT64)
    c.Fail("dtype is ", GeDataTypeName(static_cast<int32_t>(type)), ", expected DT_INT32 or DT_INT64");
  return static_cast<int32_t>(type);
}

void ShapeOf(Context &c, size_t k, int32_t type) {
  Shape x = c.Dims(0, k);
  if (!x.has_rank()) return c.Out(k, type, Shape{-1});
  c.Out(k, type, Shape{x.rank()});
  Values values = x.dims();
  for (int64_t &extent : values) extent = c.ValueOf(extent);
  c.OutPartial(k, values);
}

void ShapeRule(Context &c) { ShapeOf(c, 0, ShapeType(c)); }
void ShapeNRule(Context &c) {
  for (size_t k = 0; k < c.Instances(0); ++k) ShapeOf(c, k, ShapeType(c));
}

void SizeRule(Context &c) {
  c.Out(0, ShapeType(c), Shape());
  Shape x = c.Dims(0);
  int64_t count = x.elements();
  if (count < 0 && x.has_rank()) {
    count = 1;
    for (int64_t extent : x.dims()) count = c.Product(count, c.ValueOf(extent));
  }
  if (count != -1 && count != kUnknown) c.OutPartial(0, {count});
}

void RankRule(Context &c) {
  c.Out(0, C_DT_INT32, Shape());
  Shape x = c.Dims(0);
  if (x.has_rank()) c.OutPartial(0, {x.rank()});
}

/// Number of values of a range, by exact arithmetic on integers.
std::optional<int64_t> IntegerCount(Context &c, int64_t start, int64_t end, int64_t step) {
  if (step == 0) c.Fail("step is 0, expected another number");
  if (step > 0 ? start >= end : start <= end) return 0;
  unsigned __int128 span = step > 0 ? static_cast<__int128>(end) - start : static_cast<__int128>(start) - end;
  unsigned __int128 width = step > 0 ? static_cast<__int128>(step) : -static_cast<__int128>(step);
  unsigned __int128 count = (span + width - 1) / width;
  if (count > static_cast<unsigned __int128>(kMaxBytes)) c.Fail("the range from ", start, " to ", end, " is too long");
  return static_cast<int64_t>(count);
}

/// Of a range whose ends are symbolic; -1: unknown.
int64_t SymbolicCount(Context &c, const std::optional<int64_t> &step) {
  if (!step || *step != 1) return -1;
  auto start = c.SymbolicInts(0), end = c.SymbolicInts(1);
  if (!start || !end || start->size() != 1 || end->size() != 1) return -1;
  if (!c.AtMost((*start)[0], (*end)[0]).value_or(false)) return -1;
  return c.ExtentOf(c.Difference((*end)[0], (*start)[0]));
}

void RangeRule(Context &c) {
  int32_t type = c.SameType({0, 1, 2}, {"start", "end", "step"});
  if (IsInteger(type)) {
    auto start = c.Int(0, "start"), end = c.Int(1, "end"), step = c.Int(2, "step");
    if (!start || !end || !step) return c.Out(0, type, Shape{SymbolicCount(c, step)});
    int64_t count = *IntegerCount(c, *start, *end, *step);
    c.Out(0, type, Shape{count});
    if (static_cast<size_t>(count) > kMaxValues) return;
    Values values;
    for (int64_t i = 0; i < count; ++i) values.push_back(*start + i * *step);
    return c.OutPartial(0, values);
  }
  auto start = c.Numbers(0), end = c.Numbers(1), step = c.Numbers(2);
  if (!start || !end || !step || start->size() != 1 || end->size() != 1 || step->size() != 1)
    return c.Out(0, type, Shape{-1});
  if ((*step)[0] == 0) c.Fail("step is 0, expected another number");
  double count = std::ceil(((*end)[0] - (*start)[0]) / (*step)[0]);
  if (!(count < static_cast<double>(kMaxBytes)))
    c.Fail("the range from ", (*start)[0], " to ", (*end)[0], " is too long");
  c.Out(0, type, Shape{count > 0 ? static_cast<int64_t>(count) : 0});
}

/// A shape given as an input; -1 where an extent is unknown.
Shape ShapeInput(Context &c, size_t ir, const char *name) {
  Shape extents = c.Dims(ir);
  if (extents.has_rank() && extents.rank() > 1) c.Fail(name, " has shape ", extents.str(), ", expected 1 dimension");
  auto values = c.SymbolicInts(ir);
  if (!values) return Shape::Unknown();
  Shape y = Shape::OfRank(static_cast<int64_t>(values->size()));
  for (size_t i = 0; i < values->size(); ++i) {
    int64_t extent = (*values)[i];
    if (extent == kUnknown) continue;
    if (extent < 0 && !IsSymbolic(extent)) c.Fail(name, "[", i, "] is ", extent, ", expected no negative value");
    y.dims()[i] = extent;
  }
  return y;
}

void FillRule(Context &c) {
  Shape y = ShapeInput(c, 0, "dims");
  int64_t given = c.Dims(1).elements();
  if (given >= 0 && given != 1) c.Fail("value has ", given, " elements, expected 1");
  c.Out(0, c.Type(1), y);
  auto value = c.Partial(1);
  int64_t count = y.elements();
  if (value && count >= 0 && static_cast<size_t>(count) <= kMaxValues && y.rank() <= 1)
    c.OutPartial(0, Values(static_cast<size_t>(count), (*value)[0]));
}

void RandomRule(Context &c) {
  c.Out(0, static_cast<int32_t>(c.IntAttr("dtype", C_DT_FLOAT)), ShapeInput(c, 0, "shape"));
}

void LinSpaceRule(Context &c) {
  auto count = c.Int(2, "num");
  if (count && *count < 1) c.Fail("num is ", *count, ", expected at least 1");
  c.Out(0, c.SameType({0, 1}, {"start", "stop"}), Shape{count ? *count : -1});
}

void EyeRule(Context &c) {
  int64_t rows = c.IntAttr("num_rows"), columns = c.IntAttr("num_columns");
  if (rows < 0) c.Fail("num_rows is ", rows, ", expected no negative value");
  if (columns < 0) c.Fail("num_columns is ", columns, ", expected no negative value");
  Shape y(c.IntsAttr("batch_shape"));
  for (int64_t extent : y.dims())
    if (extent < 0) c.Fail("batch_shape contains ", extent, ", expected no negative value");
  y.dims().push_back(rows);
  y.dims().push_back(columns ? columns : rows);
  c.Out(0, static_cast<int32_t>(c.IntAttr("dtype", C_DT_FLOAT)), y);
}

constexpr Entry kGeneratorRules[] = {
    {"Shape", Guarded<ShapeRule>},
    {"ShapeN", Guarded<ShapeNRule>},
    {"Size", Guarded<SizeRule>},
    {"Rank", Guarded<RankRule>},
    {"Range", Guarded<RangeRule>},
    {"Fill", Guarded<FillRule>},
    {"LinSpace", Guarded<LinSpaceRule>},
    {"Eye", Guarded<EyeRule>},
    {"RandomUniform", Guarded<RandomRule>},
    {"RandomStandardNormal", Guarded<RandomRule>},
};

}  // namespace

std::span<const Entry> GeneratorRules() { return kGeneratorRules; }

}  // namespace gec::infer
