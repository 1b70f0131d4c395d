// Pooling.
#include "protos/infer/window.h"

namespace gec::infer {
namespace {

/// Windows given as four values in the order of the tensor's axes.
struct PoolArgs {
  Values ksize, strides, pads;
  Padding padding = Padding::kExplicit;
  bool ceil_mode = false;
};

void PoolOut(Context &c, const ImageAxes &at, const PoolArgs &a, size_t port, int32_t type) {
  Shape x = c.DimsOfRank(0, 4, "x"), y = x;
  auto extent = [&](int64_t axis, int64_t before, int64_t after, const char *name) {
    size_t i = static_cast<size_t>(axis);
    if (a.ksize[i] < 1) c.Fail("ksize[", i, "] is ", a.ksize[i], ", expected at least 1");
    y[axis] = SlideExtent(c, x[axis], {a.ksize[i], a.strides[i], 1, before, after, a.ceil_mode}, a.padding, name);
  };
  for (int64_t axis : {at.n, at.c}) {
    size_t i = static_cast<size_t>(axis);
    if (a.ksize[i] != 1 || a.strides[i] != 1)
      c.Fail("ksize[", i, "] is ", a.ksize[i], " and strides[", i, "] is ", a.strides[i], ", expected 1 and 1");
  }
  extent(at.h, a.pads[0], a.pads[1], "height");
  extent(at.w, a.pads[2], a.pads[3], "width");
  c.Out(port, type, y);
}
void PoolOut(Context &c, const ImageAxes &at, const PoolArgs &a) { PoolOut(c, at, a, 0, c.Type(0)); }

void PoolRule(Context &c) {
  ImageAxes at = AxesOf(c, c.StringAttr("data_format", "NHWC"));
  PoolOut(c, at, {c.IntsAttr("ksize", 4), c.IntsAttr("strides", 4), {0, 0, 0, 0}, NamedPadding(c, "padding")});
}

void PoolWithArgmaxRule(Context &c) {
  ImageAxes at = AxesOf(c, c.StringAttr("data_format", "NHWC"));
  PoolArgs args{c.IntsAttr("ksize", 4), c.IntsAttr("strides", 4), {0, 0, 0, 0}, NamedPadding(c, "padding")};
  PoolOut(c, at, args, 0, c.Type(0));
  PoolOut(c, at, args, 1, c.TypeAttr("Targmax", C_DT_INT64));
}

void MaxPoolV3Rule(Context &c) {
  std::string mode = c.StringAttr("padding_mode", "CALCULATED");
  ImageAxes at = GeOpAttr(&c.op(), "data_format") ? AxesOf(c, c.StringAttr("data_format")) : AxesOfInput(c);
  if (c.BoolAttr("global_pooling")) {
    Shape y = c.DimsOfRank(0, 4, "x");
    y[at.h] = y[at.w] = 1;
    return c.Out(0, c.Type(0), y);
  }
  Padding padding = mode == "SAME" ? Padding::kSame : mode == "VALID" ? Padding::kValid : Padding::kExplicit;
  if (padding == Padding::kExplicit && mode != "CALCULATED")
    c.Fail("padding_mode is '", mode, "', expected CALCULATED, SAME or VALID");
  Values pads = GeOpAttr(&c.op(), "pads") ? c.IntsAttr("pads", 4) : Values{0, 0, 0, 0};
  PoolOut(c, at, {c.IntsAttr("ksize", 4), c.IntsAttr("strides", 4), pads, padding, c.BoolAttr("ceil_mode")});
}

/// Caffe's pooling: ceil_mode 0 rounds up.
void PoolingRule(Context &c) {
  ImageAxes at = AxesOf(c, c.StringAttr("data_format", "NCHW"));
  Shape x = c.DimsOfRank(0, 4, "x"), y = x;
  if (c.BoolAttr("global_pooling")) {
    y[at.h] = y[at.w] = 1;
    return c.Out(0, c.Type(0), y);
  }
  Values window = c.IntsAttr("window", 2), stride = c.IntsAttr("stride", 2), pad = c.IntsAttr("pad", 4);
  bool up = c.IntAttr("ceil_mode") == 0;
  y[at.h] = SlideExtent(c, x[at.h], {window[0], stride[0], 1, pad[0], pad[1], up}, Padding::kExplicit, "height");
  y[at.w] = SlideExtent(c, x[at.w], {window[1], stride[1], 1, pad[2], pad[3], up}, Padding::kExplicit, "width");
  c.Out(0, c.Type(0), y);
}

void GlobalAveragePoolRule(Context &c) {
  Shape y = c.Dims(0);
  if (y.has_rank()) {
    if (y.rank() < 3) c.Fail("x has shape ", y.str(), ", expected at least 3 dimensions");
    bool last = c.In(0).format == C_FORMAT_NHWC || c.In(0).format == C_FORMAT_NDHWC;
    for (int64_t i = last ? 1 : 2; i < (last ? y.rank() - 1 : y.rank()); ++i) y[i] = 1;
  }
  c.Out(0, c.Type(0), y);
}

void AdaptiveRule(Context &c) {
  Values size = c.IntsAttr("output_size", 2);
  Shape y = c.Dims(0);
  if (y.has_rank()) {
    if (y.rank() != 3 && y.rank() != 4) c.Fail("x has shape ", y.str(), ", expected 3 or 4 dimensions");
    for (int64_t i = 0; i < 2; ++i) {
      int64_t extent = size[static_cast<size_t>(i)];
      if (extent < -1 || extent == 0) c.Fail("output_size[", i, "] is ", extent, ", expected a positive number or -1");
      if (extent > 0) y[y.rank() - 2 + i] = extent;
    }
  }
  c.Out(0, c.Type(0), y);
}

constexpr Entry kPoolRules[] = {
    {"MaxPool", Guarded<PoolRule>},
    {"AvgPool", Guarded<PoolRule>},
    {"MaxPoolExt2", Guarded<PoolRule>},
    {"MaxPoolWithArgmax", Guarded<PoolWithArgmaxRule>},
    {"MaxPoolV3", Guarded<MaxPoolV3Rule>},
    {"AvgPoolV2", Guarded<MaxPoolV3Rule>},
    {"Pooling", Guarded<PoolingRule>},
    {"GlobalAveragePool", Guarded<GlobalAveragePoolRule>},
    {"GlobalLpPool", Guarded<GlobalAveragePoolRule>},
    {"AdaptiveAvgPool2d", Guarded<AdaptiveRule>},
};

}  // namespace

std::span<const Entry> PoolRules() { return kPoolRules; }

}  // namespace gec::infer
