#include "int8_conv_spec.h"

namespace onednn {

namespace {

std::pair<int64_t, int64_t> Spatial(const Node &node, const char *name) {
  const Dims v = node.Ints(name);
  if (v.empty()) return {1, 1};
  if (v.size() != 4) Refuse(name, " has ", v.size(), " values, expected 4");
  if (v[0] != 1 || v[3] != 1) Refuse(name, " over batch or channels is not supported: ", ToText(v));
  if (v[1] < 1 || v[2] < 1) Refuse(name, " must be positive, but is ", ToText(v));
  return {v[1], v[2]};
}

// Output channels, input channels of a group, height, width, and what lies between their elements.
Dims ReadFilter(const Tensor &filter, Int8ConvSpec *s) {
  const Dims f = filter.dims();
  if (f.size() != 4) Refuse("filter has rank ", f.size(), ", expected 4");
  switch (filter.format()) {
    case C_FORMAT_HWCN:
      s->filter_o = 1, s->filter_i = f[3], s->filter_w = f[2] * f[3], s->filter_h = f[1] * s->filter_w;
      return {f[3], f[2], f[0], f[1]};
    case C_FORMAT_NHWC:
      s->filter_i = 1, s->filter_w = f[3], s->filter_h = f[2] * f[3], s->filter_o = f[1] * s->filter_h;
      return {f[0], f[3], f[1], f[2]};
    default:
      s->filter_w = 1, s->filter_h = f[3], s->filter_i = f[2] * f[3], s->filter_o = f[1] * s->filter_i;
      return f;
  }
}

void ReadChannels(const Node &node, Int8ConvSpec *s) {
  ConvSpec &c = s->conv;
  const Dims x = node.in(kPortX).dims(), y = node.out(0).dims(), f = ReadFilter(node.in(kPortWeights), s);
  if (x.size() != 4 || y.size() != 4) Refuse("x and y have ranks ", x.size(), " and ", y.size(), ", expected 4");
  c.in_c = x[3], c.out_c = f[0], c.kernel_h = f[2], c.kernel_w = f[3];
  if (c.in_c != f[1] * c.groups)
    Refuse("x has ", c.in_c, " channels, filter takes ", f[1], " times ", c.groups, " groups");
  if (c.out_c % c.groups) Refuse(c.out_c, " output channels do not divide into ", c.groups, " groups");
  if (y[3] != c.out_c) Refuse("y has ", y[3], " channels, the filter ", c.out_c);
  if (Count(f) == 0) Refuse("empty tensors are not supported");
}

void ReadShapes(const Node &node, Int8ConvSpec *s) {
  ReadChannels(node, s);
  ConvSpec &c = s->conv;
  const Dims x = node.in(kPortX).dims(), y = node.out(0).dims();
  const int64_t height = c.kernel_h;
  c.SetExtents(x[0], x[1], x[2], y[0], y[1], y[2]);
  if (c.kernel_h != height) std::swap(s->filter_h, s->filter_w);  // a column is taken as a row
  ReadQuantizedCounts(node, 1, 1, c.out_c, &s->quantized);
}

}  // namespace

Int8ConvSpec ReadInt8Conv(const Node &node) {
  Int8ConvSpec s;
  s.quantized = ReadQuantized(node);
  ConvSpec &c = s.conv;
  const std::string format = node.String("data_format", "NCHW");
  if (format != "NHWC") Refuse("data_format ", format, " is not supported, expected NHWC");
  if (!node.in(kPortWeights).constant()) Refuse("a filter that is not constant is not supported");
  if (node.in(kPortWeightZero).present() && !node.in(kPortWeightZero).constant())
    Refuse("a zero point of the filter that is not constant is not supported");
  c.nhwc = true;
  std::tie(c.stride_h, c.stride_w) = Spatial(node, "strides");
  std::tie(c.dilation_h, c.dilation_w) = Spatial(node, "dilations");
  Dims pads = node.Ints("pads");
  if (pads.empty()) pads = {0, 0, 0, 0};
  if (pads.size() != 4) Refuse("pads has ", pads.size(), " values, expected 4");
  for (int64_t p : pads)
    if (p < 0) Refuse("negative pads are not supported");
  c.pad_top = pads[0], c.pad_bottom = pads[1], c.pad_left = pads[2], c.pad_right = pads[3];
  c.groups = node.Int("groups", 1);
  if (c.groups < 1) Refuse("groups is ", c.groups, ", expected at least 1");
  if (node.known()) ReadShapes(node, &s);
  return s;
}

Int8ConvSpec ReadOpenInt8Conv(const Node &node) {
  Int8ConvSpec s = ReadInt8Conv(node);
  ReadChannels(node, &s);
  ReadQuantizedCounts(node, 1, 1, s.conv.out_c, &s.quantized);
  return s;
}

}  // namespace onednn
