#include "pool_spec.h"

#include <algorithm>
#include <tuple>

namespace onednn {

namespace {

// Padding at the end that makes oneDNN's rule (round down) give the output's extent; less than `pad` is fine too.
int64_t EndPadding(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t begin) {
  return (out - 1) * stride + kernel - in - begin;
}

std::pair<int64_t, int64_t> Spatial(const Node &node, const char *name, bool nhwc) {
  Dims v = node.Ints(name);
  if (v.size() != 4) Refuse(name, " has ", v.size(), " values, expected 4");
  int h = nhwc ? 1 : 2;
  if (v[0] != 1 || v[nhwc ? 3 : 1] != 1) Refuse(name, " over batch or channels is not supported: ", ToText(v));
  return {v[h], v[h + 1]};
}

std::pair<int64_t, int64_t> Two(const Node &node, const char *name) {
  Dims v = node.Ints(name);
  if (v.empty()) return {1, 1};
  if (v.size() != 2) Refuse(name, " has ", v.size(), " values, expected 2");
  return {v[0], v[1]};
}

}  // namespace

PoolSpec ReadPool(const Node &node) {
  PoolSpec s;
  s.bf16 = node.in(0).present() && node.in(0).type() == C_DT_BF16;
  if (!s.bf16) RequireFloat(node.in(0), "x");
  if (node.out(0).present() && node.out(0).type() != node.in(0).type())
    Refuse("y is ", node.out(0).type_name(), ", x ", node.in(0).type_name());
  const bool named = node.is("MaxPool") || node.is("AvgPool");  // padding by name
  std::string format = node.String("data_format", named ? "NHWC" : "NCHW");
  if (format != "NCHW" && format != "NHWC") Refuse("data_format ", format, " is not supported");
  s.nhwc = format == "NHWC";
  const char *pads_name = "pads";
  s.global = node.Bool("global_pooling", false);
  if (node.is("Pooling")) {
    int64_t mode = node.Int("mode", 0);
    if (mode != 0 && mode != 1) Refuse("pooling mode ", mode, " is not supported");
    s.max = mode == 0;
    // Padding counts in the average, as in the framework this operator comes from.
    s.exclusive = false;
    s.ceil = node.Int("ceil_mode", 0) == 0;
    pads_name = "pad";
    std::tie(s.kernel_h, s.kernel_w) = Two(node, "window");
    std::tie(s.stride_h, s.stride_w) = Two(node, "stride");
    for (int64_t d : node.Ints("dilation"))
      if (d != 1) Refuse("dilated pooling is not supported");
  } else {
    s.max = node.is("MaxPoolV3") || node.is("MaxPool");
    s.ceil = node.Bool("ceil_mode", false);
    if (!s.global) std::tie(s.kernel_h, s.kernel_w) = Spatial(node, "ksize", s.nhwc);
    if (!s.global) std::tie(s.stride_h, s.stride_w) = Spatial(node, "strides", s.nhwc);
    s.exclusive = node.Bool("exclusive", true);
    if (node.Int("divisor_override", 0) != 0) Refuse("divisor_override is not supported");
    std::string mode = named ? node.String("padding", "") : node.String("padding_mode", "CALCULATED");
    s.same = named && mode == "SAME";
    if (mode != (named ? "VALID" : "CALCULATED") && !s.same) Refuse("padding ", mode, " is not supported");
    for (int64_t d : node.Ints("dilations"))
      if (d != 1) Refuse("dilated pooling is not supported");
  }
  Dims pads = node.Ints(pads_name);
  if (pads.empty() || s.global) pads = {0, 0, 0, 0};
  if (pads.size() != 4) Refuse(pads_name, " has ", pads.size(), " values, expected 4");
  for (int64_t p : pads)
    if (p < 0) Refuse("negative pads are not supported");
  s.pad_top = pads[0], s.pad_bottom = pads[1], s.pad_left = pads[2], s.pad_right = pads[3];
  if (s.kernel_h < 1 || s.kernel_w < 1 || s.stride_h < 1 || s.stride_w < 1)
    Refuse("window and strides must be positive");
  for (const Tensor &t : {node.in(0), node.out(0)}) RequireImage(t, s.nhwc, "x or y");
  return s;
}

void PoolSpec::SetExtents(const Dims &x, const Dims &y) {
  if (Count(x) == 0 || Count(y) == 0) Refuse("empty tensors are not supported");
  batch = x[0], channels = x[1], in_h = x[2], in_w = x[3], out_h = y[2], out_w = y[3];
  if (global) kernel_h = stride_h = in_h, kernel_w = stride_w = in_w;
  if (same) {  // the odd pixel lies behind
    auto half = [](int64_t total, int64_t *before, int64_t *after) {
      *before = std::max<int64_t>(total, 0) / 2;
      *after = std::max<int64_t>(total, 0) - *before;
    };
    half(EndPadding(in_h, out_h, kernel_h, stride_h, 0), &pad_top, &pad_bottom);
    half(EndPadding(in_w, out_w, kernel_w, stride_w, 0), &pad_left, &pad_right);
  }
  if (y[0] != batch || y[1] != channels) Refuse("y's shape ", ToText(y), " does not fit x ", ToText(x));
  int64_t bottom = EndPadding(in_h, out_h, kernel_h, stride_h, pad_top);
  int64_t right = EndPadding(in_w, out_w, kernel_w, stride_w, pad_left);
  bool beyond = bottom > pad_bottom || right > pad_right;
  if (beyond && !ceil) Refuse("y's shape ", ToText(y), " does not follow from x ", ToText(x));
  if (beyond && !max && !exclusive && !global) Refuse("ceil_mode together with counted padding is not supported");
  if (bottom >= kernel_h || right >= kernel_w || pad_top >= kernel_h || pad_left >= kernel_w)
    Refuse("a window that lies in the padding is not supported");
  pad_bottom = std::max<int64_t>(0, bottom), pad_right = std::max<int64_t>(0, right);
}

void ReadExtents(const Node &node, PoolSpec *s) {
  Dims x = node.in(0).logical(), y = node.out(0).logical();
  if (s->nhwc) {
    x = {x[0], x[3], x[1], x[2]};
    y = {y[0], y[3], y[1], y[2]};
  }
  s->SetExtents(x, y);
}

}  // namespace onednn
