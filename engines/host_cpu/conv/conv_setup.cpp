#include "conv/conv_setup.h"

#include <string_view>

namespace host_cpu {

Image FilterOf(const Node &node, int port) {
  Dims d = node.in_dims(port);
  if (d.n != 4)
    Fail(GE_PARAM_INVALID, "%s: filter has shape %s, expected rank 4", node.label().c_str(), ToText(d).c_str());
  switch (node.in(port).format) {
    case C_FORMAT_HWCN:
      return {d[3], d[2], d[0], d[1], 1, d[3], d[1] * d[2] * d[3], d[2] * d[3]};
    case C_FORMAT_NHWC:
      return {d[0], d[3], d[1], d[2], d[1] * d[2] * d[3], 1, d[2] * d[3], d[3]};
    default:
      return {d[0], d[1], d[2], d[3], d[1] * d[2] * d[3], d[2] * d[3], d[3], 1};
  }
}

ConvSetup ReadConv(const Node &node) {
  const std::string label = node.label();
  const bool fused = std::string_view(node.type()) == "FusedConv2D";
  const bool v2 = std::string_view(node.type()) == "Conv2DV2";
  const bool last = IsChannelsLast(node.Text("data_format", fused || v2 ? "NCHW" : "NHWC"));
  ConvSetup s;
  s.x = ImageOf(node, node.in_dims(0), last);
  s.filter = FilterOf(node, 1);
  s.y = ImageOf(node, node.out_dims(0), last);
  s.groups = node.Int("groups", 1);
  if (node.has(2)) s.bias_port = 2;
  if (fused && node.has(3)) s.residual_port = 3;
  if (fused) s.activation = ReadActivation(node);
  s.window.kh = s.filter.h;
  s.window.kw = s.filter.w;
  ReadPair(node, "strides", last, &s.window.sh, &s.window.sw);
  ReadPair(node, "dilations", last, &s.window.dh, &s.window.dw);
  ReadPads(node, "pads", &s.window);
  Window &w = s.window;
  const std::string mode = v2 ? node.Text("pad_mode", "SPECIFIC") : "SPECIFIC";
  if (mode == "SAME" || mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    SamePads(s.x.h, s.y.h, w.kh, w.sh, w.dh, &w.top, &w.bottom);
    SamePads(s.x.w, s.y.w, w.kw, w.sw, w.dw, &w.left, &w.right);
    if (mode == "SAME_LOWER") {
      std::swap(w.top, w.bottom);
      std::swap(w.left, w.right);
    }
  } else if (mode == "VALID") {
    w.top = w.bottom = w.left = w.right = 0;
  } else if (mode != "SPECIFIC") {
    Fail(GE_PARAM_INVALID, "%s: pad_mode '%s' is unknown", label.c_str(), mode.c_str());
  }
  if (s.groups <= 0 || s.x.c != s.filter.c * s.groups || s.filter.n % s.groups || s.y.c != s.filter.n || s.y.n != s.x.n)
    Fail(GE_PARAM_INVALID, "%s: %lld input channels, filter %s, %lld groups and %lld output channels do not fit",
         label.c_str(), (long long)s.x.c, ToText(node.in_dims(1)).c_str(), (long long)s.groups, (long long)s.y.c);
  const int64_t oh = (s.x.h + w.top + w.bottom - (w.kh - 1) * w.dh - 1) / w.sh + 1;
  const int64_t ow = (s.x.w + w.left + w.right - (w.kw - 1) * w.dw - 1) / w.sw + 1;
  if (s.y.h != oh || s.y.w != ow)
    Fail(GE_PARAM_INVALID, "%s: output is %lld x %lld, the window gives %lld x %lld", label.c_str(), (long long)s.y.h,
         (long long)s.y.w, (long long)oh, (long long)ow);
  if (s.bias_port >= 0 && node.in_count(2) != s.y.c)
    Fail(GE_PARAM_INVALID, "%s: bias has %lld values, expected %lld", label.c_str(), (long long)node.in_count(2),
         (long long)s.y.c);
  if (s.residual_port >= 0 && !(node.in_dims(3) == node.out_dims(0)))
    Fail(GE_PARAM_INVALID, "%s: residual has shape %s, expected %s", label.c_str(), ToText(node.in_dims(3)).c_str(),
         ToText(node.out_dims(0)).c_str());
  // A 1 x 1 window without steps sees the image as one long row.
  if (w.kh == 1 && w.kw == 1 && w.sh == 1 && w.sw == 1 && !w.top && !w.bottom && !w.left && !w.right) {
    for (Image *image : {&s.x, &s.y}) {
      image->w *= image->h;
      image->h = 1;
      image->sh = image->w * image->sw;
    }
  }
  return s;
}

void CheckConv(const Node &node) {
  const bool fused = std::string_view(node.type()) == "FusedConv2D";
  const std::string format = node.Text("data_format", "NCHW");
  if (format != "NCHW" && format != "NHWC")
    Fail(GE_UNSUPPORTED, "%s: data_format '%s' is not supported, expected NCHW or NHWC", node.label().c_str(),
         format.c_str());
  bool x_float = ComputeOf(node.in_type(0)) <= Compute::kDouble,
       f_float = ComputeOf(node.in_type(1)) <= Compute::kDouble;
  if (x_float != f_float)
    Fail(GE_UNSUPPORTED, "%s: %s and %s are not supported together", node.label().c_str(), TypeName(node.in_type(0)),
         TypeName(node.in_type(1)));
  if (fused) ReadActivation(node);
  else if (node.has(3)) Fail(GE_UNSUPPORTED, "%s: offset_w is not supported", node.label().c_str());
}

}  // namespace host_cpu
