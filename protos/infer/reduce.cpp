// Reductions, positions of extremes, running sums and softmax.
#include "protos/infer/reduce.h"
#include "protos/infer/context.h"

namespace gec::infer {

Shape Reduced(Context &c, const Shape &x, const Values &axes, bool keep_dims, const char *name) {
  if (!x.has_rank()) return axes.empty() && !keep_dims ? Shape() : Shape::Unknown();
  std::vector<bool> gone(static_cast<size_t>(x.rank()), axes.empty());
  for (int64_t axis : axes) gone[static_cast<size_t>(c.Axis(axis, x.rank(), name))] = true;
  Shape out;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (!gone[static_cast<size_t>(i)]) out.dims().push_back(x[i]);
    else if (keep_dims) out.dims().push_back(1);
  }
  return out;
}

namespace {

/// Shape of a reduction whose axes are an input; with unknown axes only the rank may be known.
Shape ReducedByInput(Context &c) {
  Shape x = c.Dims(0);
  bool keep = c.BoolAttr("keep_dims");
  bool noop = c.BoolAttr("noop_with_empty_axes");
  if (!c.Has(1)) return noop ? x : Reduced(c, x, {}, keep, "axes");
  if (auto axes = c.KnownInts(1)) {
    if (axes->empty() && noop) return x;
    return Reduced(c, x, *axes, keep, "axes");
  }
  return keep && x.has_rank() ? Shape::OfRank(x.rank()) : Shape::Unknown();
}

void ReduceRule(Context &c) { c.Out(0, c.Type(0), ReducedByInput(c)); }
void ReduceLogicRule(Context &c) { c.Out(0, C_DT_BOOL, ReducedByInput(c)); }

void ReduceWithCastRule(Context &c) { c.Out(0, c.TypeAttr("dtype", c.Type(0)), ReducedByInput(c)); }

/// Products of shapes are common: number of elements, flattened extents.
void ReduceProdRule(Context &c) {
  ReduceRule(c);
  auto values = c.Partial(0);
  Shape x = c.Dims(0);
  if (!values || !x.has_rank() || x.rank() != 1 || !c.Has(1)) return;
  auto axes = c.KnownInts(1);
  if (!axes || axes->size() != 1) return;
  int64_t product = 1;
  for (int64_t v : *values)
    if ((product = c.Product(product, v)) == kUnknown) return;
  c.OutPartial(0, {product});
}

void ReduceSumRule(Context &c) {
  ReduceRule(c);
  auto values = c.Partial(0);
  Shape x = c.Dims(0);
  if (!values || !x.has_rank() || x.rank() != 1 || !c.Has(1)) return;
  auto axes = c.KnownInts(1);
  if (!axes || axes->size() != 1) return;
  int64_t sum = 0;
  for (int64_t v : *values)
    if ((sum = c.Sum(sum, v)) == kUnknown) return;
  c.OutPartial(0, {sum});
}

/// Standard deviation or variance, and the mean.
void MomentsRule(Context &c) {
  Shape shape = Reduced(c, c.Dims(0), c.IntsAttr("dim"), c.BoolAttr("keepdim"), "dim");
  c.Out(0, c.Type(0), shape);
  c.Out(1, c.Type(0), shape);
}

void LpNormRule(Context &c) {
  c.Out(0, c.Type(0), Reduced(c, c.Dims(0), c.IntsAttr("axes"), c.BoolAttr("keepdim"), "axes"));
}

int32_t IndexType(Context &c) {
  int64_t type = c.IntAttr("dtype", C_DT_INT64);
  if (type != C_DT_INT32 && type != C_DT_INT64)
    c.Fail("dtype is ", GeDataTypeName(static_cast<int32_t>(type)), ", expected DT_INT32 or DT_INT64");
  return static_cast<int32_t>(type);
}

void ArgRule(Context &c) {
  Shape x = c.Dims(0);
  int32_t type = IndexType(c);
  if (!x.has_rank()) return c.Out(0, type, x);
  auto axis = c.Int(1, "dimension");
  if (!axis) return c.Out(0, type, x.rank() ? Shape::OfRank(x.rank() - 1) : Shape());
  c.Out(0, type, Reduced(c, x, {*axis}, false, "dimension"));
}

void ArgDRule(Context &c) {
  c.Out(0, IndexType(c), Reduced(c, c.Dims(0), {c.IntAttr("dimension")}, false, "dimension"));
}

void CumulativeRule(Context &c) {
  Shape x = c.Dims(0);
  if (auto axis = c.Int(1, "axis"); axis && x.has_rank()) c.Axis(*axis, x.rank(), "axis");
  c.Out(0, c.Type(0), x);
}

void SoftmaxRule(Context &c) {
  Shape x = c.Dims(0);
  if (x.has_rank())
    for (int64_t axis : c.IntsAttr("axes")) c.Axis(axis, x.rank(), "axes");
  bool widen = c.BoolAttr("half_to_float") && c.Type(0) == C_DT_FLOAT16;
  c.Out(0, widen ? static_cast<int32_t>(C_DT_FLOAT) : c.Type(0), x);
}

constexpr Entry kReduceRules[] = {
    {"ReduceSum", Guarded<ReduceSumRule>},
    {"ReduceMean", Guarded<ReduceRule>},
    {"ReduceMax", Guarded<ReduceRule>},
    {"ReduceMin", Guarded<ReduceRule>},
    {"ReduceProd", Guarded<ReduceProdRule>},
    {"ReduceLogSumExp", Guarded<ReduceRule>},
    {"ReduceMeanWithCast", Guarded<ReduceWithCastRule>},
    {"EuclideanNorm", Guarded<ReduceRule>},
    {"ReduceAll", Guarded<ReduceLogicRule>},
    {"ReduceAny", Guarded<ReduceLogicRule>},
    {"ReduceStdV2", Guarded<MomentsRule>},
    {"ReduceVar", Guarded<MomentsRule>},
    {"LpNormV2", Guarded<LpNormRule>},
    {"ArgMaxV2", Guarded<ArgRule>},
    {"ArgMin", Guarded<ArgRule>},
    {"ArgMaxD", Guarded<ArgDRule>},
    {"ArgMinD", Guarded<ArgDRule>},
    {"Cumsum", Guarded<CumulativeRule>},
    {"Cumprod", Guarded<CumulativeRule>},
    {"SoftmaxV2", Guarded<SoftmaxRule>},
    {"LogSoftmaxV2", Guarded<SoftmaxRule>},
};

}  // namespace

std::span<const Entry> ReduceRules() { return kReduceRules; }

}  // namespace gec::infer
