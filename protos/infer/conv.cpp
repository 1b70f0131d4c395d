// Convolutions.
#include "protos/infer/quantized.h"
#include "protos/infer/window.h"

namespace gec::infer {
namespace {

/// Axes of a filter: out channels, in channels per group, height, width.
struct FilterAxes {
  int64_t o = 0, i = 1, h = 2, w = 3;
};

FilterAxes FilterAxesOf(Context &c, size_t ir) {
  switch (c.In(ir).format) {
    case C_FORMAT_HWCN:
      return {3, 2, 0, 1};
    case C_FORMAT_NHWC:
      return {0, 3, 1, 2};
    default:
      return {};
  }
}

struct Geometry {
  ImageAxes at;
  Values strides, pads, dilations;
  int64_t groups;
};

Geometry ReadGeometry(Context &c, size_t x, const char *default_format) {
  Geometry g{AxesOf(c, ConvLayout(c, x, default_format)), c.IntsAttr("strides", 4), {}, {1, 1, 1, 1}, 1};
  g.pads = GeOpAttr(&c.op(), "pads") ? c.IntsAttr("pads", 4) : Values{0, 0, 0, 0};
  if (GeOpAttr(&c.op(), "dilations")) g.dilations = c.IntsAttr("dilations");
  if (g.dilations.size() == 1) g.dilations.assign(4, g.dilations[0]);
  if (g.dilations.size() != 4) c.Fail("dilations has ", g.dilations.size(), " values, expected 4");
  g.groups = c.IntAttr("groups", 1);
  if (g.groups < 1) c.Fail("groups is ", g.groups, ", expected at least 1");
  return g;
}

void CheckChannels(Context &c, int64_t channels, int64_t per_group, int64_t groups) {
  if (per_group >= 0 && c.Differ(channels, c.CheckedMul(per_group, groups, "the number of input channels")))
    c.Fail("x has ", channels, " channels, expected ", per_group, " (filter) * ", groups, " (groups)");
}

void CheckBias(Context &c, size_t ir, int64_t channels) {
  if (!c.Has(ir)) return;
  const Shape bias = c.Dims(ir);
  const int64_t count = bias.rank() == 1 ? bias[0] : bias.elements();
  if (c.Differ(count, channels))
    c.Fail("bias has ", count, " values, expected one for each of ", channels, " output channels");
}

int32_t ConvType(Context &c) {
  int32_t type = c.SameType({0, 1}, {"x", "filter"});
  return type == C_DT_INT8 ? static_cast<int32_t>(C_DT_INT32) : type;
}

Shape ConvShape(Context &c, const char *default_format, Padding padding, size_t bias = 2, size_t filter_port = 1) {
  Geometry g = ReadGeometry(c, 0, default_format);
  FilterAxes f = FilterAxesOf(c, filter_port);
  Shape x = c.DimsOfRank(0, 4, "x"), filter = c.DimsOfRank(filter_port, 4, "filter");
  CheckChannels(c, x[g.at.c], filter[f.i], g.groups);
  if (c.NoMultiple(filter[f.o], g.groups))
    c.Fail("filter has ", filter[f.o], " output channels, expected a multiple of groups ", g.groups);
  CheckBias(c, bias, filter[f.o]);
  auto s = [](const Values &v, int64_t i) { return v[static_cast<size_t>(i)]; };
  Shape y = Shape::OfRank(4);
  y[g.at.n] = x[g.at.n];
  y[g.at.c] = filter[f.o];
  y[g.at.h] =
      SlideExtent(c, x[g.at.h], {filter[f.h], s(g.strides, g.at.h), s(g.dilations, g.at.h), g.pads[0], g.pads[1]},
                  padding, "height");
  y[g.at.w] =
      SlideExtent(c, x[g.at.w], {filter[f.w], s(g.strides, g.at.w), s(g.dilations, g.at.w), g.pads[2], g.pads[3]},
                  padding, "width");
  return y;
}

void Conv2DRule(Context &c) { c.Out(0, ConvType(c), ConvShape(c, "NHWC", Padding::kExplicit)); }

Padding PadMode(Context &c) {
  std::string mode = c.StringAttr("pad_mode", "SPECIFIC");
  if (mode == "SAME" || mode == "SAME_UPPER" || mode == "SAME_LOWER") return Padding::kSame;
  if (mode == "VALID") return Padding::kValid;
  if (mode == "SPECIFIC") return Padding::kExplicit;
  c.Fail("pad_mode is '", mode, "', expected SPECIFIC, SAME, SAME_UPPER, SAME_LOWER or VALID");
}

void Conv2DV2Rule(Context &c) { c.Out(0, ConvType(c), ConvShape(c, "NCHW", PadMode(c))); }

/// Two results of the same shape; their types are attributes. Without one a scale decides, which may be to several
/// types; without a scale it is that of x.
void ExtendConv2DRule(Context &c) {
  Shape y = ConvShape(c, "NCHW", PadMode(c));
  auto type = [&](const char *attr, size_t scale) -> int32_t {
    if (c.IntAttr(attr, -1) >= 0) return c.TypeAttr(attr, C_DT_UNDEFINED);
    return c.Has(scale) ? C_DT_UNDEFINED : c.Type(0);
  };
  c.Out(0, type("dtype0", 4), y);
  c.Out(1, type("dtype1", 7), c.BoolAttr("dual_output") ? y : Shape::Unknown());
}

/// The filter is applied at positions that offsets give; where these are depends on values, the extents do not.
void DeformableConv2DRule(Context &c) {
  c.DimsOfRank(2, 4, "offsets");
  c.Out(0, c.Type(0), ConvShape(c, "NHWC", Padding::kExplicit, 3));
}

void QuantConv2DRule(Context &c) {
  c.Out(0, c.TypeAttr("dtype", C_DT_FLOAT16), ConvShape(c, "NCHW", Padding::kExplicit));
}

void FusedConv2DRule(Context &c) {
  Shape y = ConvShape(c, "NCHW", Padding::kExplicit);
  if (c.Has(3)) {
    Shape residual = c.DimsOfRank(3, 4, "residual");
    for (int64_t i = 0; i < 4; ++i) y[i] = c.SameDim(y[i], residual[i], "an extent of y and residual");
  }
  c.Out(0, c.TypeAttr("dtype", ConvType(c)), y);
}

/// Windows of what the convolution makes.
void FusedConvPool2DRule(Context &c) {
  if (ReadGeometry(c, 0, "NCHW").at.c != 1) c.Fail("the layout of x is not NCHW");
  Shape y = ConvShape(c, "NCHW", Padding::kExplicit);
  const Values window = c.IntsAttr("window", 2);
  const std::string mode = c.StringAttr("mode");
  if (mode != "max" && mode != "average") c.Fail("mode is '", mode, "', expected max or average");
  for (int64_t i = 0; i < 2; ++i) {
    const int64_t made = y[2 + i], side = window[static_cast<size_t>(i)];
    if (side < 1) c.Fail("window has a side of ", side, " pixels, expected at least 1");
    if (made >= 0 && made < side)
      c.Fail("the convolution makes ", made, " pixels, less than the ", side, " of a window");
    y[2 + i] = made < 0 ? made : made / side;
  }
  c.Out(0, ConvType(c), y);
}

/// A filter of 1 x 1 that reads `channels` and its bias; how many channels it makes.
int64_t PointwiseChannels(Context &c, size_t filter_port, const char *name, size_t bias, int64_t channels) {
  const FilterAxes f = FilterAxesOf(c, filter_port);
  const Shape filter = c.DimsOfRank(filter_port, 4, name);
  CheckChannels(c, channels, filter[f.i], 1);
  if (c.Differ(filter[f.h], 1) || c.Differ(filter[f.w], 1))
    c.Fail(name, " has ", filter[f.h], " by ", filter[f.w], " positions, expected 1 by 1");
  CheckBias(c, bias, filter[f.o]);
  return filter[f.o];
}

void FusedSeparableConv2DRule(Context &c) {
  enum Port : size_t {
    kX,
    kDepthwise,
    kProject,
    kExpand,
    kExpandBias,
    kDepthwiseBias,
    kProjectBias,
    kResidual,
    kSqueeze,
    kSqueezeBias,
    kExcite,
    kExciteBias
  };
  const Geometry g = ReadGeometry(c, kX, "NCHW");
  if (g.at.c != 1) c.Fail("the layout of x is not NCHW");
  const Shape x = c.DimsOfRank(kX, 4, "x"), filter = c.DimsOfRank(kDepthwise, 4, "depthwise_filter");
  const FilterAxes f = FilterAxesOf(c, kDepthwise);
  int64_t channels = x[1];
  if (c.Has(kExpand)) channels = PointwiseChannels(c, kExpand, "expand_filter", kExpandBias, channels);
  else if (c.Has(kExpandBias)) c.Fail("expand_bias is given without expand_filter");
  if (c.Differ(filter[f.i], 1) || c.Differ(filter[f.o], channels))
    c.Fail("depthwise_filter has ", filter[f.o], " output and ", filter[f.i], " input channels, expected ", channels,
           " and 1");
  CheckBias(c, kDepthwiseBias, channels);
  if (c.Has(kSqueeze) != c.Has(kExcite)) c.Fail("of squeeze_filter and excite_filter one is missing");
  if (c.Has(kSqueeze)) {
    const int64_t squeezed = PointwiseChannels(c, kSqueeze, "squeeze_filter", kSqueezeBias, channels);
    const int64_t excited = PointwiseChannels(c, kExcite, "excite_filter", kExciteBias, squeezed);
    if (c.Differ(excited, channels)) c.Fail("excite_filter makes ", excited, " channels, expected ", channels);
  } else if (c.Has(kSqueezeBias) || c.Has(kExciteBias)) {
    c.Fail("squeeze_bias or excite_bias is given without squeeze_filter");
  }
  Shape y = Shape::OfRank(4);
  y[0] = x[0];
  y[1] = PointwiseChannels(c, kProject, "project_filter", kProjectBias, channels);
  y[2] = SlideExtent(c, x[2], {filter[f.h], g.strides[2], 1, g.pads[0], g.pads[1]}, Padding::kExplicit, "height");
  y[3] = SlideExtent(c, x[3], {filter[f.w], g.strides[3], 1, g.pads[2], g.pads[3]}, Padding::kExplicit, "width");
  if (c.Has(kResidual)) {
    const Shape residual = c.DimsOfRank(kResidual, 4, "residual");
    for (int64_t i = 0; i < 4; ++i) y[i] = c.SameDim(y[i], residual[i], "an extent of y and residual");
  }
  c.Out(0, c.SameType({kX, kDepthwise, kProject}, {"x", "depthwise_filter", "project_filter"}), y);
}

void QuantizedConv2DRule(Context &c) {
  Shape y = ConvShape(c, "NCHW", Padding::kExplicit, kQuantizedBias, kQuantizedWeights);
  const Shape filter = c.Dims(kQuantizedWeights);
  const int64_t channels = filter.has_rank() ? filter[FilterAxesOf(c, kQuantizedWeights).o] : -1;
  c.Out(0, QuantizedType(c, "x", "filter", 1, channels), y);
}

/// The shape is an input (all zeros: computed from the geometry).
void ImageTransposed(Context &c, const char *default_format) {
  Geometry g = ReadGeometry(c, 1, default_format);
  FilterAxes f = FilterAxesOf(c, 2);
  Shape x = c.DimsOfRank(1, 4, "x"), filter = c.DimsOfRank(2, 4, "filter");
  if (c.Differ(x[g.at.c], filter[f.o]))
    c.Fail("x has ", x[g.at.c], " channels, expected the ", filter[f.o], " of filter");
  int32_t type = c.SameType({1, 2}, {"x", "filter"});
  if (type == C_DT_INT8) type = C_DT_INT32;
  Values extra = GeOpAttr(&c.op(), "output_padding") ? c.IntsAttr("output_padding") : Values{0};
  if (extra.size() == 1) extra.assign(4, extra[0]);
  if (extra.size() != 4) c.Fail("output_padding has ", extra.size(), " values, expected 4");
  auto given = c.Ints(0);
  bool computed = false;
  Shape y = Shape::OfRank(4);
  if (given) {
    if (given->size() != 4) c.Fail("input_size has ", given->size(), " values, expected 4");
    computed = *given == Values{0, 0, 0, 0};
    for (size_t i = 0; i < 4 && !computed; ++i)
      if ((*given)[i] != kUnknown) y.dims()[i] = (*given)[i];
  }
  if (computed) {
    const auto extent = [&](int64_t axis, int64_t kernel, int64_t before, int64_t after) {
      const size_t a = static_cast<size_t>(axis);
      return SpreadExtent(c, x[axis], {kernel, g.strides[a], g.dilations[a], before, after}, extra[a],
                          "axis " + std::to_string(axis));
    };
    y[g.at.n] = x[g.at.n];
    y[g.at.c] = filter[f.i] < 0 ? -1 : c.CheckedMul(filter[f.i], g.groups, "the number of output channels");
    y[g.at.h] = extent(g.at.h, filter[f.h], g.pads[0], g.pads[1]);
    y[g.at.w] = extent(g.at.w, filter[f.w], g.pads[2], g.pads[3]);
  }
  CheckBias(c, 3, y[g.at.c]);
  c.Out(0, type, y);
}

void Conv2DTransposeRule(Context &c) { ImageTransposed(c, "NHWC"); }

void FusedConvTransposeRule(Context &c) {
  if (c.StringAttr("data_format", "NCHW").size() == 5) VolumeTransposed(c, "NCDHW");
  else ImageTransposed(c, "NCHW");
}

constexpr Entry kConvRules[] = {
    {"Conv2D", Guarded<Conv2DRule>},
    {"Conv2DV2", Guarded<Conv2DV2Rule>},
    {"QuantConv2D", Guarded<QuantConv2DRule>},
    {"FusedConv2D", Guarded<FusedConv2DRule>},
    {"FusedConvPool2D", Guarded<FusedConvPool2DRule>},
    {"FusedSeparableConv2D", Guarded<FusedSeparableConv2DRule>},
    {"QuantizedConv2D", Guarded<QuantizedConv2DRule>},
    {"ExtendConv2D", Guarded<ExtendConv2DRule>},
    {"DeformableConv2D", Guarded<DeformableConv2DRule>},
    {"Conv2DTranspose", Guarded<Conv2DTransposeRule>},
    {"FusedConvTranspose", Guarded<FusedConvTransposeRule>},
};

}  // namespace

std::span<const Entry> ConvRules() { return kConvRules; }

}  // namespace gec::infer
