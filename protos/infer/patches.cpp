// Windows that slide over images and volumes: patches, morphology, further forms of pooling.
#include "protos/infer/window.h"

namespace gec::infer {
namespace {

constexpr const char *kNames[] = {"depth", "height", "width"};

int64_t At(const Values &values, int64_t axis) { return values[static_cast<size_t>(axis)]; }

/// TensorFlow: the values of each window become channels. `axes` are those of space, the batch is first.
void Patches(Context &c, int64_t rank, int64_t channel, int64_t first, const Values &rates) {
  Values sizes = c.IntsAttr("ksizes", static_cast<size_t>(rank));
  Values strides = c.IntsAttr("strides", static_cast<size_t>(rank));
  Padding padding = NamedPadding(c, "padding");
  Shape x = c.DimsOfRank(0, rank, "x"), y = x;
  for (int64_t axis : {int64_t{0}, channel})
    if (At(sizes, axis) != 1 || At(strides, axis) != 1)
      c.Fail("ksizes and strides are ", At(sizes, axis), " and ", At(strides, axis), " along axis ", axis,
             ", expected 1 for batch and channels");
  int64_t positions = 1;
  for (int64_t i = 0; i < rank - 2; ++i) {
    int64_t axis = first + i, size = At(sizes, axis);
    if (size < 1) c.Fail("ksizes[", axis, "] is ", size, ", expected at least 1");
    positions = c.CheckedMul(positions, size, "the number of values of a patch");
    y[axis] = SlideExtent(c, x[axis], {size, At(strides, axis), At(rates, axis), 0, 0}, padding, kNames[i + 5 - rank]);
  }
  y[channel] = x[channel] < 0 ? -1 : c.CheckedMul(x[channel], positions, "the number of channels");
  c.Out(0, c.Type(0), y);
}

void ImagePatchesRule(Context &c) {
  bool first = c.In(0).format == C_FORMAT_NCHW;
  Patches(c, 4, first ? 1 : 3, first ? 2 : 1, c.IntsAttr("rates", 4));
}

void VolumePatchesRule(Context &c) {
  bool first = c.In(0).format == C_FORMAT_NCDHW;
  Patches(c, 5, first ? 1 : 4, first ? 2 : 1, {1, 1, 1, 1, 1});
}

/// Along the width; the other axes stay.
Window WindowOfLine(Context &c) {
  Values pads = c.IntsAttr("pads", 2);
  int64_t size = c.IntAttr("ksize");
  if (size < 1) c.Fail("ksize is ", size, ", expected at least 1");
  return {size, c.IntAttr("strides"), 1, pads[0], pads[1], c.BoolAttr("ceil_mode")};
}

void AvgPool1DRule(Context &c) {
  Shape y = c.Dims(0);
  Window window = WindowOfLine(c);
  if (y.has_rank()) {
    if (y.rank() != 3 && y.rank() != 4) c.Fail("x has shape ", y.str(), ", expected 3 or 4 dimensions");
    int64_t &width = y[y.rank() - (c.In(0).format == C_FORMAT_NHWC ? 2 : 1)];
    width = SlideExtent(c, width, window, Padding::kExplicit, "width");
  }
  c.Out(0, c.Type(0), y);
}

/// How many values each window averages, for 16 channels.
void AvgPool1DMatrixRule(Context &c) {
  Shape x = c.Dims(0);
  Window window = WindowOfLine(c);
  bool last = c.In(0).format == C_FORMAT_NHWC;
  int64_t width = x.has_rank() && x.rank() > 1 ? x[x.rank() - (last ? 2 : 1)] : -1;
  width = SlideExtent(c, width, window, Padding::kExplicit, "width");
  c.Out(0, c.Type(0), last ? Shape{1, 1, width, 16} : Shape{1, 16, 1, width});
}

/// A window of the filter's extents.
void Dilation2DRule(Context &c) {
  ImageAxes at = AxesOf(c, c.StringAttr("data_format", "NHWC"));
  bool last = at.c == 3;
  Shape y = c.DimsOfRank(0, 4, "x"), filter = c.DimsOfRank(1, 3, "filter");
  Values strides = c.IntsAttr("strides", 4), rates = c.IntsAttr("rates", 4), pads = c.IntsAttr("pads");
  if (pads.empty()) pads = {0, 0, 0, 0};
  if (pads.size() != 4) c.Fail("pads has ", pads.size(), " values, expected 4");
  std::string mode = c.StringAttr("padding_mode", "SAME");
  Padding padding = mode == "CALCULATED" ? Padding::kExplicit : NamedPadding(c, "padding_mode");
  y[at.c] = c.SameDim(y[at.c], filter[last ? 2 : 0], "the number of channels of x and filter");
  bool up = c.BoolAttr("ceil_mode");
  y[at.h] = SlideExtent(c, y[at.h], {filter[last ? 0 : 1], At(strides, at.h), At(rates, at.h), pads[0], pads[1], up},
                        padding, "height");
  y[at.w] = SlideExtent(c, y[at.w], {filter[last ? 1 : 2], At(strides, at.w), At(rates, at.w), pads[2], pads[3], up},
                        padding, "width");
  c.Out(0, c.Type(0), y);
}

/// Each position of the output is a window of values: the extents of the offsets times those of the window.
void DeformableOffsetsRule(Context &c) {
  ImageAxes at = AxesOf(c, c.StringAttr("data_format", "NHWC"));
  Shape x = c.DimsOfRank(0, 4, "x"), offsets = c.DimsOfRank(1, 4, "offsets");
  Values size = c.IntsAttr("ksize", 2), strides = c.IntsAttr("strides", 4), pads = c.IntsAttr("pads", 4);
  Values dilations = GeOpAttr(&c.op(), "dilations") ? c.IntsAttr("dilations", 4) : Values{1, 1, 1, 1};
  Shape y = x;
  y[at.n] = c.SameDim(x[at.n], offsets[at.n], "the batch of x and offsets");
  for (size_t i = 0; i < 2; ++i) {
    int64_t axis = i == 0 ? at.h : at.w;
    if (size[i] < 1) c.Fail("ksize[", i, "] is ", size[i], ", expected at least 1");
    int64_t count =
        SlideExtent(c, x[axis], {size[i], At(strides, axis), At(dilations, axis), pads[2 * i], pads[2 * i + 1]},
                    Padding::kExplicit, kNames[i + 1]);
    count = c.SameDim(count, offsets[axis], "the number of windows that fit x and that of offsets");
    y[axis] = count < 0 ? -1 : c.CheckedMul(count, size[i], "an output extent");
  }
  c.Out(0, c.Type(0), y);
}

/// Windows given as inputs.
void MaxPoolV2Rule(Context &c) {
  ImageAxes at = AxesOf(c, c.StringAttr("data_format", "NHWC"));
  Padding padding = NamedPadding(c, "padding");
  auto size = c.Ints(1), strides = c.Ints(2);
  for (const auto *values : {&size, &strides})
    if (*values && (*values)->size() != 4)
      c.Fail(values == &size ? "ksize" : "strides", " has ", (*values)->size(), " values, expected 4");
  Shape y = c.DimsOfRank(0, 4, "x");
  for (int64_t axis : {at.h, at.w}) {
    int64_t kernel = size ? At(*size, axis) : kUnknown, stride = strides ? At(*strides, axis) : kUnknown;
    if (kernel != kUnknown && kernel < 1) c.Fail("ksize[", axis, "] is ", kernel, ", expected at least 1");
    if (kernel == kUnknown && padding == Padding::kSame) kernel = 1;  // SAME does not depend on it
    bool known = stride != kUnknown && kernel != kUnknown;
    y[axis] =
        known ? SlideExtent(c, y[axis], {kernel, stride, 1, 0, 0}, padding, axis == at.h ? "height" : "width") : -1;
  }
  c.Out(0, c.Type(0), y);
}

/// ksize, strides and pads are [1, height, width, 1] whatever the layout of x.
Shape PoolWithMask(Context &c) {
  ImageAxes at = AxesOfInput(c);
  Shape y = c.DimsOfRank(0, 4, "x");
  Values size = c.IntsAttr("ksize", 4), strides = c.IntsAttr("strides", 4), pads = c.IntsAttr("pads", 4);
  Values dilation = GeOpAttr(&c.op(), "dilation") ? c.IntsAttr("dilation", 4) : Values{1, 1, 1, 1};
  for (size_t i : {size_t{1}, size_t{2}}) {
    if (size[i] < 1) c.Fail("ksize[", i, "] is ", size[i], ", expected at least 1");
    int64_t &extent = y[i == 1 ? at.h : at.w];
    extent = SlideExtent(c, extent, {size[i], strides[i], dilation[i], pads[i], pads[i], c.BoolAttr("ceil_mode")},
                         Padding::kExplicit, kNames[i]);
  }
  c.Out(0, c.Type(0), y);
  return y;
}

/// One bit for each value of a window: rows of 16 windows, and one row more.
template <bool wide>
void MaxPoolWithMaskRule(Context &c) {
  Shape y = PoolWithMask(c), mask = Shape::OfRank(4);
  ImageAxes at = AxesOfInput(c);
  Values size = c.IntsAttr("ksize", 4);
  mask[at.n] = y[at.n];
  mask[at.c] = y[at.c];
  mask[at.h] = c.CheckedMul(size[1], size[2], "the number of positions of a window");
  int64_t windows = Shape{y[at.h], y[at.w]}.elements();
  mask[at.w] = windows < 0 ? -1 : windows / 16 + (windows % 16 != 0) + 1;
  c.Out(1, wide && c.Type(0) != C_DT_FLOAT16 ? C_DT_UNDEFINED : C_DT_UINT16, mask);
}

/// The filter slides over x without padding, by ones.
void CorrelationRule(Context &c) {
  Shape filter = c.DimsOfRank(0, 4, "filter"), x = c.DimsOfRank(1, 4, "x"), y = Shape::OfRank(4);
  ImageAxes at = c.In(1).format == C_FORMAT_NHWC ? ImageAxes{0, 3, 1, 2} : ImageAxes{};
  int32_t type = c.SameType({0, 1}, {"filter", "x"});
  y[at.n] = c.SameDim(x[at.n], filter[at.n], "the batch of filter and x");
  y[at.h] = SlideExtent(c, x[at.h], {filter[at.h]}, Padding::kValid, "height");
  y[at.w] = SlideExtent(c, x[at.w], {filter[at.w]}, Padding::kValid, "width");
  if (c.IntAttr("groups", 1) == 1) y[at.c] = 1;
  else y[at.c] = x[at.c];
  c.Out(0, type == C_DT_INT8 ? static_cast<int32_t>(C_DT_INT32) : type, y);
}

constexpr Entry kPatchRules[] = {
    {"ExtractImagePatches", Guarded<ImagePatchesRule>},
    {"ExtractVolumePatches", Guarded<VolumePatchesRule>},
    {"AvgPool1D", Guarded<AvgPool1DRule>},
    {"AvgPool1DAvgMatrix", Guarded<AvgPool1DMatrixRule>},
    {"Dilation2D", Guarded<Dilation2DRule>},
    {"DeformableOffsets", Guarded<DeformableOffsetsRule>},
    {"MaxPoolV2", Guarded<MaxPoolV2Rule>},
    {"MaxPoolWithArgmaxV1", Guarded<MaxPoolWithMaskRule<true>>},
    {"MaxPoolWithArgmaxV2", Guarded<MaxPoolWithMaskRule<false>>},
    {"Correlation", Guarded<CorrelationRule>},
};

}  // namespace

std::span<const Entry> PatchRules() { return kPatchRules; }

}  // namespace gec::infer
