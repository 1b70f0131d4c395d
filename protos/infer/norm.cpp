// Normalisations: the output has the shape of the input; statistics have one value per normalised group.
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// Position of the channel axis by a data format such as NCHW or NHWC.
int64_t ChannelAxis(Context &c, const std::string &format, const Shape &x) {
  size_t at = format.find('C');
  if (at == std::string::npos) c.Fail("data_format is '", format, "', expected a name with C such as NCHW");
  return at + 1 == format.size() ? x.rank() - 1 : 1;
}

void CheckPerChannel(Context &c, size_t ir, int64_t channels, const char *name) {
  if (!c.Has(ir)) return;
  Shape shape = c.Dims(ir);
  const int64_t count = shape.rank() == 1 ? shape[0] : shape.elements();
  if (c.Differ(count, channels))
    c.Fail(name, " has ", count, " values, expected one for each of ", channels, " channels");
}

void BnInferRule(Context &c) {
  Shape x = c.Dims(0);
  if (x.has_rank() && x.rank() >= 2) {
    bool nhwc = c.In(0).format == C_FORMAT_NHWC || c.In(0).format == C_FORMAT_NDHWC;
    int64_t channels = x[nhwc ? x.rank() - 1 : 1];
    const char *names[] = {"x", "scale", "offset", "mean", "variance"};
    for (size_t ir = 1; ir < 5; ++ir) CheckPerChannel(c, ir, channels, names[ir]);
  }
  c.Out(0, c.Type(0), x);
}

void BatchNormRule(Context &c) {
  Shape x = c.Dims(0), statistics{-1};
  if (x.has_rank()) {
    if (x.rank() < 2) c.Fail("x has shape ", x.str(), ", expected at least 2 dimensions");
    statistics[0] = x[ChannelAxis(c, c.StringAttr("data_format", "NHWC"), x)];
    const char *names[] = {"x", "scale", "offset", "mean", "variance"};
    for (size_t ir = 1; ir < 5; ++ir) CheckPerChannel(c, ir, statistics[0], names[ir]);
  }
  c.Out(0, c.Type(0), x);
  for (size_t port = 1; port < 5; ++port) c.Out(port, c.Type(1), statistics);
  c.Out(5, c.Type(1), Shape{0});
}

/// x with the axes from `first` on replaced by 1.
Shape Statistics(const Shape &x, int64_t first) {
  Shape out = x;
  for (int64_t i = first; i < x.rank(); ++i) out[i] = 1;
  return out;
}

void LayerNormRule(Context &c) {
  Shape x = c.Dims(0);
  c.Out(0, c.Type(0), x);
  Shape statistics = Shape::Unknown();
  if (x.has_rank()) {
    c.Axis(c.IntAttr("begin_params_axis"), x.rank(), "begin_params_axis");
    statistics = Statistics(x, c.Axis(c.IntAttr("begin_norm_axis"), x.rank(), "begin_norm_axis"));
  }
  c.Out(1, c.Type(0), statistics);
  c.Out(2, c.Type(0), statistics);
}

void LayerNormV4Rule(Context &c) {
  Shape x = c.Dims(0), normalized = c.Dims(1);
  c.Out(0, c.Type(0), x);
  Shape statistics = Shape::Unknown();
  int64_t count = normalized.has_rank() ? normalized.elements() : -1;
  if (x.has_rank() && count >= 0) {
    if (count > x.rank()) c.Fail("normalized_shape has ", count, " values, expected at most ", x.rank());
    if (auto extents = c.Ints(1))
      for (int64_t i = 0; i < count; ++i) {
        int64_t want = (*extents)[static_cast<size_t>(i)], have = x[x.rank() - count + i];
        if (want >= 0 && c.Differ(want, have))
          c.Fail("normalized_shape[", i, "] is ", want, ", expected ", have, " as in x of shape ", x.str());
      }
    for (size_t ir : {size_t{2}, size_t{3}}) {
      if (!c.Has(ir)) continue;
      Shape given = c.Dims(ir);
      if (given.has_rank() && given.rank() != count)
        c.Fail(ir == 2 ? "gamma" : "beta", " has shape ", given.str(), ", expected ", count, " dimensions");
    }
    statistics = Statistics(x, x.rank() - count);
  }
  int32_t type = c.Has(2) ? c.Type(2) : c.Type(0);
  c.Out(1, type, statistics);
  c.Out(2, type, statistics);
}

/// Statistics over the trailing axes that gamma has.
Shape TrailingStatistics(Context &c, const Shape &x, const Shape &gamma) {
  if (!x.has_rank() || !gamma.has_rank()) return Shape::Unknown();
  if (gamma.rank() > x.rank())
    c.Fail("gamma has shape ", gamma.str(), ", expected at most the ", x.rank(), " dimensions of x");
  for (int64_t i = 0; i < gamma.rank(); ++i)
    c.SameDim(x[x.rank() - gamma.rank() + i], gamma[i], "a trailing extent of x and gamma");
  return Statistics(x, x.rank() - gamma.rank());
}

void RmsNormRule(Context &c) {
  Shape x = c.Dims(0);
  c.Out(0, c.Type(0), x);
  c.Out(1, C_DT_FLOAT, TrailingStatistics(c, x, c.Dims(1)));
}

void AddRmsNormRule(Context &c) {
  Shape x = c.Broadcast(c.Dims(0), c.Dims(1), "x1", "x2");
  int32_t type = c.SameType({0, 1}, {"x1", "x2"});
  c.Out(0, type, x);
  c.Out(1, C_DT_FLOAT, TrailingStatistics(c, x, c.Dims(2)));
  c.Out(2, type, x);
}

void AddLayerNormRule(Context &c) {
  Shape x = c.Broadcast(c.Dims(0), c.Dims(1), "x1", "x2");
  int32_t type = c.Type(0);
  Shape statistics = TrailingStatistics(c, x, c.Dims(2));
  c.Out(0, type, x);
  c.Out(1, C_DT_FLOAT, statistics);
  c.Out(2, C_DT_FLOAT, statistics);
  c.Out(3, type, x);
}

void GroupNormRule(Context &c) {
  Shape x = c.Dims(0);
  int64_t groups = c.IntAttr("num_groups", 1);
  if (groups < 1) c.Fail("num_groups is ", groups, ", expected at least 1");
  Shape statistics{-1, groups};
  if (x.has_rank()) {
    if (x.rank() < 2) c.Fail("x has shape ", x.str(), ", expected at least 2 dimensions");
    if (c.NoMultiple(x[1], groups)) c.Fail("x has ", x[1], " channels, expected a multiple of num_groups ", groups);
    CheckPerChannel(c, 1, x[1], "gamma");
    CheckPerChannel(c, 2, x[1], "beta");
    statistics[0] = x[0];
  }
  c.Out(0, c.Type(0), x);
  c.Out(1, c.Type(0), statistics);
  c.Out(2, c.Type(0), statistics);
}

void InstanceNormRule(Context &c) {
  Shape x = c.Dims(0), statistics = Shape::Unknown();
  if (x.has_rank()) {
    if (x.rank() < 3) c.Fail("x has shape ", x.str(), ", expected at least 3 dimensions");
    int64_t channel = ChannelAxis(c, c.StringAttr("data_format", "NDHWC"), x);
    CheckPerChannel(c, 1, x[channel], "gamma");
    CheckPerChannel(c, 2, x[channel], "beta");
    statistics = Statistics(x, 1);
    statistics[channel] = x[channel];
  }
  c.Out(0, c.Type(0), x);
  c.Out(1, c.Type(0), statistics);
  c.Out(2, c.Type(0), statistics);
}

void LrnRule(Context &c) { c.Out(0, c.Type(0), c.DimsOfRank(0, 4, "x")); }

void L2NormalizeRule(Context &c) {
  Shape x = c.Dims(0);
  if (x.has_rank())
    for (int64_t axis : c.IntsAttr("axis")) c.Axis(axis, x.rank(), "axis");
  c.Out(0, c.Type(0), x);
}

/// Quantises each row: one scale for all but the last axis.
void DynamicQuantRule(Context &c) {
  Shape x = c.Dims(0), scale = Shape::Unknown();
  if (x.has_rank()) {
    if (x.rank() < 1) c.Fail("x is a scalar, expected at least 1 dimension");
    scale = x;
    scale.dims().pop_back();
  }
  c.Out(0, static_cast<int32_t>(c.IntAttr("dst_type", C_DT_INT8)), x);
  c.Out(1, C_DT_FLOAT, scale);
}

constexpr Entry kNormRules[] = {
    {"BNInfer", Guarded<BnInferRule>},
    {"BatchNorm", Guarded<BatchNormRule>},
    {"LayerNorm", Guarded<LayerNormRule>},
    {"LayerNormV3", Guarded<LayerNormRule>},
    {"LayerNormV4", Guarded<LayerNormV4Rule>},
    {"RmsNorm", Guarded<RmsNormRule>},
    {"AddRmsNorm", Guarded<AddRmsNormRule>},
    {"AddLayerNorm", Guarded<AddLayerNormRule>},
    {"GroupNorm", Guarded<GroupNormRule>},
    {"InstanceNorm", Guarded<InstanceNormRule>},
    {"LRN", Guarded<LrnRule>},
    {"L2Normalize", Guarded<L2NormalizeRule>},
    {"DynamicQuant", Guarded<DynamicQuantRule>},
};

}  // namespace

std::span<const Entry> NormRules() { return kNormRules; }

}  // namespace gec::infer
