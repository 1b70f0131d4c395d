// Convolution and pooling of volumes.
#include "protos/infer/window.h"

namespace gec::infer {
namespace {

/// Where the axes of a volume are in a 5-D tensor.
struct VolumeAxes {
  int64_t c = 1, space[3] = {2, 3, 4};
};
constexpr const char *kAxisNames[] = {"depth", "height", "width"};

VolumeAxes VolumeAxesOf(Context &c, const std::string &format) {
  if (format == "NCDHW") return {};
  if (format == "NDHWC") return {4, {1, 2, 3}};
  c.Fail("data_format is '", format, "', expected NCDHW or NDHWC");
}

/// Values of an attribute for depth, height and width: given as 5 in the order of the tensor, as 3, or as 1 for all.
Values SpatialAttr(Context &c, const char *name, const VolumeAxes &at, int64_t fallback) {
  Values all = c.IntsAttr(name);
  auto pick = [&](int64_t axis) { return all[static_cast<size_t>(axis)]; };
  if (all.empty()) return {fallback, fallback, fallback};
  if (all.size() == 5) return {pick(at.space[0]), pick(at.space[1]), pick(at.space[2])};
  if (all.size() == 3) return all;
  if (all.size() == 1) return {all[0], all[0], all[0]};
  c.Fail(name, " has ", all.size(), " values, expected 1, 3 or 5");
}

/// Six values, before and after each axis; three mean the same on both sides.
Values PadsAttr(Context &c) {
  Values pads = c.IntsAttr("pads");
  if (pads.empty()) return {0, 0, 0, 0, 0, 0};
  if (pads.size() == 3) return {pads[0], pads[0], pads[1], pads[1], pads[2], pads[2]};
  if (pads.size() != 6) c.Fail("pads has ", pads.size(), " values, expected 3 or 6");
  return pads;
}

Shape PoolVolume(Context &c, Padding padding) {
  VolumeAxes at = VolumeAxesOf(c, c.StringAttr("data_format", "NDHWC"));
  Shape y = c.DimsOfRank(0, 5, "x");
  Values kernel = SpatialAttr(c, "ksize", at, 1), stride = SpatialAttr(c, "strides", at, 1);
  Values dilation = SpatialAttr(c, "dilation", at, 1), pads = PadsAttr(c);
  for (size_t i = 0; i < 3; ++i) {
    if (kernel[i] < 1) c.Fail("ksize contains ", kernel[i], ", expected positive values");
    int64_t &extent = y[at.space[i]];
    bool ceil_mode = c.BoolAttr("ceil_mode");
    extent = SlideExtent(c, extent, {kernel[i], stride[i], dilation[i], pads[2 * i], pads[2 * i + 1], ceil_mode},
                         padding, kAxisNames[i]);
  }
  c.Out(0, c.Type(0), y);
  return y;
}

void AvgPool3DRule(Context &c) { PoolVolume(c, Padding::kExplicit); }

Padding PaddingOf(Context &c, const std::string &mode) {
  if (mode == "SAME") return Padding::kSame;
  if (mode == "VALID") return Padding::kValid;
  if (mode == "CALCULATED" || mode == "SPECIFIC" || mode.empty()) return Padding::kExplicit;
  c.Fail("the padding mode is '", mode, "', expected SAME, VALID or CALCULATED");
}

void MaxPool3DRule(Context &c) { PoolVolume(c, PaddingOf(c, c.StringAttr("padding"))); }

/// The positions have the shape of the maxima.
void MaxPool3DWithArgmaxRule(Context &c) {
  c.Out(1, c.TypeAttr("dtype", C_DT_INT32), PoolVolume(c, Padding::kExplicit));
}

/// Windows of one or two values, or of four in the order of the format. Four with a window over batch or channels are
/// in the order of another format: they decide nothing.
void MaxPoolWithArgmaxV3Rule(Context &c) {
  bool known = true;
  ImageAxes at = AxesOf(c, c.StringAttr("data_format", "NCHW"));
  Shape y = c.DimsOfRank(0, 4, "x");
  auto two = [&](const char *name) -> Values {
    Values all = c.IntsAttr(name);
    if (all.empty()) return {1, 1};
    if (all.size() == 1) return {all[0], all[0]};
    if (all.size() == 2) return all;
    if (all.size() != 4) c.Fail(name, " has ", all.size(), " values, expected 1, 2 or 4");
    const auto h = static_cast<size_t>(at.h), w = static_cast<size_t>(at.w);
    for (size_t i = 0; i < 4; ++i)
      if (i != h && i != w && all[i] != 1) known = false;
    return known ? Values{all[h], all[w]} : Values{1, 1};
  };
  Values kernel = two("ksize"), stride = two("strides"), dilation = two("dilation"), pads = c.IntsAttr("pads");
  if (pads.empty()) pads = {0};
  if (pads.size() == 1) pads = {pads[0], pads[0], pads[0], pads[0]};
  if (pads.size() == 2) pads = {pads[0], pads[0], pads[1], pads[1]};
  if (pads.size() != 4) c.Fail("pads has ", pads.size(), " values, expected 1, 2 or 4");
  bool up = c.BoolAttr("ceil_mode");
  for (size_t i = 0; i < 2; ++i) {
    if (kernel[i] < 1) c.Fail("ksize contains ", kernel[i], ", expected positive values");
    int64_t &extent = y[i == 0 ? at.h : at.w];
    extent = SlideExtent(c, extent, {kernel[i], stride[i], dilation[i], pads[2 * i], pads[2 * i + 1], up},
                         Padding::kExplicit, kAxisNames[i + 1]);
    if (!known) extent = -1;
  }
  c.Out(0, c.Type(0), y);
  c.Out(1, c.TypeAttr("dtype", C_DT_INT32), y);
}

/// The filter is OIDHW, or DHWIO when its format says so.
Shape ConvVolumeShape(Context &c, Padding padding, const char *default_format = "NDHWC") {
  VolumeAxes at = VolumeAxesOf(c, ConvLayout(c, 0, default_format));
  Shape x = c.DimsOfRank(0, 5, "x"), filter = c.DimsOfRank(1, 5, "filter"), y = x;
  bool last = c.In(1).format == C_FORMAT_DHWCN;
  int64_t first_window = last ? 0 : 2, per_group = filter[last ? 3 : 1], groups = c.IntAttr("groups", 1);
  if (groups < 1) c.Fail("groups is ", groups, ", expected at least 1");
  if (per_group >= 0 && c.Differ(x[at.c], c.CheckedMul(per_group, groups, "the number of input channels")))
    c.Fail("x has ", x[at.c], " channels, expected ", per_group, " (filter) * ", groups, " (groups)");
  Values stride = SpatialAttr(c, "strides", at, 1), dilation = SpatialAttr(c, "dilations", at, 1), pads = PadsAttr(c);
  y[at.c] = filter[last ? 4 : 0];
  for (size_t i = 0; i < 3; ++i) {
    int64_t kernel = filter[first_window + static_cast<int64_t>(i)];
    y[at.space[i]] = SlideExtent(c, x[at.space[i]], {kernel, stride[i], dilation[i], pads[2 * i], pads[2 * i + 1]},
                                 padding, kAxisNames[i]);
  }
  return y;
}

void Conv3DRule(Context &c) {
  int32_t type = c.SameType({0, 1}, {"x", "filter"});
  bool narrow = type == C_DT_INT8;
  c.Out(0, narrow ? static_cast<int32_t>(C_DT_INT32) : type,
        ConvVolumeShape(c, PaddingOf(c, c.StringAttr("pad_mode"))));
}

void FusedConv3DRule(Context &c) {
  Shape y = ConvVolumeShape(c, Padding::kExplicit, "NCDHW");
  if (c.Has(3)) {
    Shape residual = c.DimsOfRank(3, 5, "residual");
    for (int64_t i = 0; i < 5; ++i) y[i] = c.SameDim(y[i], residual[i], "an extent of y and residual");
  }
  c.Out(0, c.SameType({0, 1}, {"x", "filter"}), y);
}

void QuantConv3DRule(Context &c) {
  c.Out(0, c.TypeAttr("dtype", C_DT_FLOAT16), ConvVolumeShape(c, PaddingOf(c, c.StringAttr("pad_mode"))));
}

}  // namespace

/// The shape is an input (all zeros: computed from the geometry).
void VolumeTransposed(Context &c, const char *default_format) {
  VolumeAxes at = VolumeAxesOf(c, ConvLayout(c, 1, default_format));
  Shape x = c.DimsOfRank(1, 5, "x"), filter = c.DimsOfRank(2, 5, "filter"), y = Shape::OfRank(5);
  bool last = c.In(2).format == C_FORMAT_DHWCN;
  int64_t in = filter[last ? 4 : 0], per_group = filter[last ? 3 : 1], groups = c.IntAttr("groups", 1);
  if (groups < 1) c.Fail("groups is ", groups, ", expected at least 1");
  if (c.Differ(x[at.c], in)) c.Fail("x has ", x[at.c], " channels, expected the ", in, " of filter");
  int32_t type = c.SameType({1, 2}, {"x", "filter"});
  auto given = c.Ints(0);
  if (given && given->size() != 5) c.Fail("input_size has ", given->size(), " values, expected 5");
  if (given && *given == Values{0, 0, 0, 0, 0}) {
    Values stride = SpatialAttr(c, "strides", at, 1), dilation = SpatialAttr(c, "dilations", at, 1), pads = PadsAttr(c);
    Values extra = SpatialAttr(c, "output_padding", at, 0);
    y[0] = x[0];
    y[at.c] = per_group < 0 ? -1 : c.CheckedMul(per_group, groups, "the number of output channels");
    for (size_t i = 0; i < 3; ++i) {
      int64_t kernel = filter[(last ? 0 : 2) + static_cast<int64_t>(i)], from = x[at.space[i]];
      y[at.space[i]] = SpreadExtent(c, from, {kernel, stride[i], dilation[i], pads[2 * i], pads[2 * i + 1]}, extra[i],
                                    std::string("the ") + kAxisNames[i]);
    }
  } else if (given) {
    for (size_t i = 0; i < 5; ++i)
      if ((*given)[i] != kUnknown) y.dims()[i] = (*given)[i];
  }
  c.Out(0, type, y);
}

namespace {

void Conv3DTransposeRule(Context &c) { VolumeTransposed(c, "NDHWC"); }

/// Fixed extents for the last axes; -1 keeps one.
template <int64_t count>
void AdaptiveRule(Context &c) {
  Values size = c.IntsAttr("output_size");
  if (size.size() == 1) size.assign(static_cast<size_t>(count), size[0]);
  if (size.size() != static_cast<size_t>(count)) c.Fail("output_size has ", size.size(), " values, expected ", count);
  Shape y = c.Dims(0);
  bool channels_last = c.StringAttr("data_format", "NCDHW") == "NDHWC";
  if (y.has_rank()) {
    if (y.rank() != count + 1 && y.rank() != count + 2)
      c.Fail("x has shape ", y.str(), ", expected ", count + 1, " or ", count + 2, " dimensions");
    for (int64_t i = 0; i < count; ++i) {
      int64_t extent = size[static_cast<size_t>(i)];
      if (extent < -1 || extent == 0) c.Fail("output_size[", i, "] is ", extent, ", expected a positive number or -1");
      if (extent > 0) y[y.rank() - count + i - (channels_last ? 1 : 0)] = extent;
    }
  }
  c.Out(0, c.Type(0), y);
  c.Out(1, c.TypeAttr("indices_dtype", C_DT_INT32), y);  // positions, where there is that output
}

constexpr Entry kVolumeRules[] = {
    {"AvgPool3D", Guarded<AvgPool3DRule>},
    {"MaxPool3D", Guarded<MaxPool3DRule>},
    {"MaxPool3DWithArgmaxV2", Guarded<MaxPool3DWithArgmaxRule>},
    {"Conv3D", Guarded<Conv3DRule>},
    {"Conv3DV2", Guarded<Conv3DRule>},
    {"FusedConv3D", Guarded<FusedConv3DRule>},
    {"Conv3DTranspose", Guarded<Conv3DTransposeRule>},
    {"Conv3DTransposeV2", Guarded<Conv3DTransposeRule>},
    {"MaxPoolWithArgmaxV3", Guarded<MaxPoolWithArgmaxV3Rule>},
    {"QuantConv3D", Guarded<QuantConv3DRule>},
    {"AdaptiveMaxPool2d", Guarded<AdaptiveRule<2>>},
    {"AdaptiveAvgPool3d", Guarded<AdaptiveRule<3>>},
    {"AdaptiveMaxPool3d", Guarded<AdaptiveRule<3>>},
};

}  // namespace

std::span<const Entry> VolumeRules() { return kVolumeRules; }

}  // namespace gec::infer
