// Sorting, searching and encoding.
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

void OneHotRule(Context &c) {
  c.NeedIntegers(0, "x");
  Shape y = c.Dims(0);
  auto depth = c.Int(1, "depth");
  if (depth && *depth < 0) c.Fail("depth is ", *depth, ", expected no negative value");
  if (y.has_rank()) {
    int64_t axis = c.Axis(c.IntAttr("axis", -1), y.rank() + 1, "axis");
    y.dims().insert(y.dims().begin() + axis, depth ? *depth : -1);
  }
  c.Out(0, c.SameType({2, 3}, {"on_value", "off_value"}), y);
}

void OneHotDRule(Context &c) {
  c.NeedIntegers(0, "x");
  Shape y = c.Dims(0);
  int64_t depth = c.IntAttr("depth");
  if (depth < 0) c.Fail("depth is ", depth, ", expected no negative value");
  if (y.has_rank()) {
    int64_t axis = c.Axis(c.IntAttr("axis", -1), y.rank() + 1, "axis");
    y.dims().insert(y.dims().begin() + axis, depth);
  }
  c.Out(0, c.SameType({1, 2}, {"on_value", "off_value"}), y);
}

void TopKWith(Context &c, int32_t index_type) {
  Shape y = c.Dims(0);
  auto k = c.Int(1, "k");
  if (k && *k < 0) c.Fail("k is ", *k, ", expected no negative value");
  if (y.has_rank()) {
    if (y.rank() == 0) c.Fail("x is a scalar, expected at least 1 dimension");
    int64_t axis = c.Axis(c.IntAttr("dim", -1), y.rank(), "dim");
    if (k && !c.AtMost(*k, c.ValueOf(y[axis])).value_or(true))
      c.Fail("k is ", *k, ", expected at most ", y[axis], ", the extent of x along axis ", axis);
    y[axis] = k ? *k : -1;
  }
  c.Out(0, c.Type(0), y);
  c.Out(1, index_type, y);
}

void TopKRule(Context &c) { TopKWith(c, C_DT_INT32); }

int32_t IndexType(Context &c, const char *name, int32_t fallback) {
  int64_t type = c.IntAttr(name, fallback);
  if (type != C_DT_INT32 && type != C_DT_INT64)
    c.Fail(name, " is ", GeDataTypeName(static_cast<int32_t>(type)), ", expected DT_INT32 or DT_INT64");
  return static_cast<int32_t>(type);
}

void TopKV2Rule(Context &c) { TopKWith(c, IndexType(c, "indices_dtype", C_DT_INT32)); }

/// Distinct values, or distinct slices along an axis; without one x counts as a vector.
void UniqueWithCountsExt2Rule(Context &c) {
  Shape y = c.Dims(0);
  auto axes = c.Ints(1);
  bool flat = axes && axes->empty();
  if (axes && axes->size() > 1) c.Fail("axis has ", axes->size(), " values, expected at most 1");
  int64_t n = flat ? y.elements() : -1;
  if (flat) {
    y = Shape{-1};
  } else if (y.has_rank() && axes && (*axes)[0] != kUnknown) {
    int64_t &extent = y[c.Axis((*axes)[0], y.rank(), "axis")];
    n = extent;
    extent = -1;
  } else {
    y = Shape::Unknown();
  }
  int32_t type = IndexType(c, "out_idx", C_DT_INT64);
  c.Out(0, c.Type(0), y);
  c.Out(1, type, Shape{-1});
  c.Out(2, type, Shape{-1});
  c.Out(3, type, Shape{n});
}

/// Like UniqueWithCountsExt2, without counts.
void UniqueExt2Rule(Context &c) {
  auto axes = c.Ints(1);
  Shape y = c.Dims(0), x = y;
  if (axes && axes->size() > 1) c.Fail("axis has ", axes->size(), " values, expected at most 1");
  int64_t n = -1;
  if (axes && axes->empty()) {
    y = Shape{-1};
    n = x.elements();
  } else if (x.has_rank() && axes && (*axes)[0] != kUnknown) {
    int64_t axis = c.Axis((*axes)[0], x.rank(), "axis");
    n = x[axis];
    y[axis] = -1;
  } else {
    y = Shape::Unknown();
  }
  c.Out(0, c.Type(0), y);
  c.Out(1, IndexType(c, "out_idx", C_DT_INT32), Shape{n});
}

/// Of equal neighbours one is kept; without an axis x counts as a vector.
void UniqueConsecutiveRule(Context &c) {
  Shape x = c.Dims(0), y = x, index = x;
  int64_t axis = c.IntAttr("axis", 1000);
  if (axis == 1000) {
    y = Shape{-1};
  } else if (x.has_rank()) {
    axis = c.Axis(axis, x.rank(), "axis");
    index = Shape{x[axis]};
    y[axis] = -1;
  } else {
    index = Shape{-1};
  }
  int32_t type = IndexType(c, "out_idx", C_DT_INT64);
  c.Out(0, c.Type(0), y);
  c.Out(1, type, c.BoolAttr("return_idx") ? index : Shape::Unknown());
  c.Out(2, type, Shape{-1});
}

/// The best k along an axis. Without an axis each of the batch is a vector; how that is arranged is not said.
void ArgMaxWithKRule(Context &c) {
  Shape y = c.Dims(0);
  int64_t axis = c.IntAttr("axis", 10000), k = c.IntAttr("topk", 1);
  if (k < 1) c.Fail("topk is ", k, ", expected at least 1");
  if (axis == 10000) {
    y = Shape::Unknown();
  } else if (y.has_rank()) {
    axis = c.Axis(axis, y.rank(), "axis");
    if (y[axis] >= 0 && k > y[axis])
      c.Fail("topk is ", k, ", expected at most ", y[axis], ", the extent of x along axis ", axis);
    y[axis] = k;
  }
  c.Out(0, C_DT_INT32, y);
  c.Out(1, c.Type(0), y);
}

void HistogramRule(Context &c) {
  int64_t bins = c.IntAttr("bins", 100);
  if (bins < 1) c.Fail("bins is ", bins, ", expected at least 1");
  c.Out(0, c.Type(0) == C_DT_FLOAT16 ? static_cast<int32_t>(C_DT_FLOAT) : c.Type(0), Shape{bins});
}

void NonZeroRule(Context &c) {
  Shape x = c.Dims(0);
  int64_t rank = x.has_rank() ? x.rank() : -1;
  int32_t type = IndexType(c, "dtype", C_DT_INT64);
  c.Out(0, type, c.BoolAttr("transpose") ? Shape{rank, -1} : Shape{-1, rank});
}

void WhereRule(Context &c) {
  Shape x = c.Dims(0);
  c.Out(0, C_DT_INT64, Shape{-1, x.has_rank() ? x.rank() : -1});
}

void UniqueRule(Context &c) {
  Shape x = c.Dims(0);
  c.Out(0, c.Type(0), Shape{-1});
  c.Out(1, IndexType(c, "out_idx", C_DT_INT32), x.has_rank() && x.rank() == 1 ? x : Shape{x.elements()});
}

void SortRule(Context &c) {
  Shape x = c.Dims(0);
  if (x.has_rank() && x.rank() > 0) c.Axis(c.IntAttr("axis", -1), x.rank(), "axis");
  c.Out(0, c.Type(0), x);
  c.Out(1, IndexType(c, "y2_dtype", C_DT_INT32), x);
}

constexpr Entry kSelectionRules[] = {
    {"UniqueExt2", Guarded<UniqueExt2Rule>},
    {"UniqueConsecutive", Guarded<UniqueConsecutiveRule>},
    {"ArgMaxWithK", Guarded<ArgMaxWithKRule>},
    {"Histogram", Guarded<HistogramRule>},
    {"UniqueWithCountsExt2", Guarded<UniqueWithCountsExt2Rule>},
    {"OneHot", Guarded<OneHotRule>},
    {"OneHotD", Guarded<OneHotDRule>},
    {"TopKV2D", Guarded<TopKRule>},
    {"TopK", Guarded<TopKRule>},
    {"TopKV2", Guarded<TopKV2Rule>},
    {"NonZero", Guarded<NonZeroRule>},
    {"Where", Guarded<WhereRule>},
    {"Unique", Guarded<UniqueRule>},
    {"Sort", Guarded<SortRule>},
};

}  // namespace

std::span<const Entry> SelectionRules() { return kSelectionRules; }

}  // namespace gec::infer
