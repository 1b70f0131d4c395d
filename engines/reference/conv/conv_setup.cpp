#include "conv/conv_setup.h"

#include <string_view>

#include "common/quantized.h"

namespace reference {

Image FilterOf(const Node &node, int port, int rank) {
  Dims d = node.in_dims(port);
  if (d.n != rank)
    Fail(GE_PARAM_INVALID, "%s: filter has shape %s, expected rank %d", node.label().c_str(), ToText(d).c_str(), rank);
  Image f;
  switch (node.in(port).format) {
    case C_FORMAT_HWCN:
    case C_FORMAT_DHWCN: {
      const int s = rank - 4;
      f.n = d[rank - 1], f.c = d[rank - 2], f.h = d[s], f.w = d[s + 1];
      if (rank == 5) f.d = d[0];
      f.sn = 1, f.sc = f.n, f.sw = f.n * f.c, f.sh = f.w * f.sw, f.sd = f.h * f.sh;
      return f;
    }
    case C_FORMAT_NHWC:
    case C_FORMAT_NDHWC:
      return ImageOf(node, d, true, rank);
    default:
      return ImageOf(node, d, false, rank);
  }
}

ConvSetup ReadConv(const Node &node) {
  const std::string label = node.label();
  const std::string_view type = node.type();
  const bool quantized = type == "QuantizedConv2D", fused = type == "FusedConv2D" || type == "FusedConv3D" || quantized,
             v2 = type == "Conv2DV2" || type == "Conv3DV2";
  const int rank = WindowRank(node);
  const char *format = rank == 5 ? (fused || v2 ? "NCDHW" : "NDHWC") : (fused || v2 ? "NCHW" : "NHWC");
  const bool last = IsChannelsLast(node.String("data_format", format));
  ConvSetup s;
  s.x = ImageOf(node, node.in_dims(0), last, rank);
  if (quantized) s.filter_port = kQuantizedWeights;
  s.filter = FilterOf(node, s.filter_port, rank);
  s.y = ImageOf(node, node.out_dims(0), last, rank);
  s.groups = node.Int("groups", 1);
  const int bias = quantized ? kQuantizedBias : 2;
  if (node.has(bias)) s.bias_port = bias;
  if (fused && !quantized && node.has(3)) s.residual_port = 3;
  if (fused) s.activation = ReadActivation(node);
  s.window.kd = s.filter.d;
  s.window.kh = s.filter.h;
  s.window.kw = s.filter.w;
  ReadSteps(node, "strides", last, rank, &s.window.sd, &s.window.sh, &s.window.sw);
  ReadSteps(node, "dilations", last, rank, &s.window.dd, &s.window.dh, &s.window.dw);
  ReadPads(node, "pads", &s.window, rank);
  Window &w = s.window;
  const std::string mode = v2 ? node.String("pad_mode", "SPECIFIC") : "SPECIFIC";
  if (mode == "SAME" || mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    SamePads(s.x.d, s.y.d, w.kd, w.sd, w.dd, &w.front, &w.back);
    SamePads(s.x.h, s.y.h, w.kh, w.sh, w.dh, &w.top, &w.bottom);
    SamePads(s.x.w, s.y.w, w.kw, w.sw, w.dw, &w.left, &w.right);
    if (mode == "SAME_LOWER") {
      std::swap(w.front, w.back);
      std::swap(w.top, w.bottom);
      std::swap(w.left, w.right);
    }
  } else if (mode == "VALID") {
    w.front = w.back = w.top = w.bottom = w.left = w.right = 0;
  } else if (mode != "SPECIFIC") {
    Fail(GE_PARAM_INVALID, "%s: pad_mode '%s' is unknown", label.c_str(), mode.c_str());
  }
  if (s.groups <= 0 || s.x.c != s.filter.c * s.groups || s.filter.n % s.groups || s.y.c != s.filter.n || s.y.n != s.x.n)
    Fail(GE_PARAM_INVALID, "%s: %lld input channels, filter %s, %lld groups and %lld output channels do not fit",
         label.c_str(), (long long)s.x.c, ToText(node.in_dims(s.filter_port)).c_str(), (long long)s.groups,
         (long long)s.y.c);
  const int64_t od = (s.x.d + w.front + w.back - (w.kd - 1) * w.dd - 1) / w.sd + 1;
  const int64_t oh = (s.x.h + w.top + w.bottom - (w.kh - 1) * w.dh - 1) / w.sh + 1;
  const int64_t ow = (s.x.w + w.left + w.right - (w.kw - 1) * w.dw - 1) / w.sw + 1;
  if (s.y.h != oh || s.y.w != ow)
    Fail(GE_PARAM_INVALID, "%s: output is %lld x %lld, the window gives %lld x %lld", label.c_str(), (long long)s.y.h,
         (long long)s.y.w, (long long)oh, (long long)ow);
  if (s.y.d != od)
    Fail(GE_PARAM_INVALID, "%s: output has depth %lld, the window gives %lld", label.c_str(), (long long)s.y.d,
         (long long)od);
  if (s.bias_port >= 0 && node.in_count(s.bias_port) != s.y.c)
    Fail(GE_PARAM_INVALID, "%s: bias has %lld values, expected %lld", label.c_str(),
         (long long)node.in_count(s.bias_port), (long long)s.y.c);
  if (s.residual_port >= 0 && !(node.in_dims(3) == node.out_dims(0)))
    Fail(GE_PARAM_INVALID, "%s: residual has shape %s, expected %s", label.c_str(), ToText(node.in_dims(3)).c_str(),
         ToText(node.out_dims(0)).c_str());
  // A 1 x 1 window without steps sees the image as one long row.
  if (rank == 4 && w.kh == 1 && w.kw == 1 && w.sh == 1 && w.sw == 1 && !w.top && !w.bottom && !w.left && !w.right) {
    for (Image *image : {&s.x, &s.y}) {
      image->w *= image->h;
      image->h = 1;
      image->sh = image->w * image->sw;
    }
  }
  return s;
}

void CheckConv(const Node &node) {
  const bool fused = std::string_view(node.type()).substr(0, 5) == "Fused", deep = WindowRank(node) == 5;
  const char *first = deep ? "NCDHW" : "NCHW", *last = deep ? "NDHWC" : "NHWC";
  const std::string format = node.String("data_format", first);
  if (format != first && format != last)
    Fail(GE_UNSUPPORTED, "%s: data_format '%s' is not supported, expected %s or %s", node.label().c_str(),
         format.c_str(), first, last);
  bool x_float = ComputeOf(node.in_type(0)) <= Compute::kDouble,
       f_float = ComputeOf(node.in_type(1)) <= Compute::kDouble;
  if (x_float != f_float)
    Fail(GE_UNSUPPORTED, "%s: %s and %s are not supported together", node.label().c_str(),
         DataTypeName(node.in_type(0)), DataTypeName(node.in_type(1)));
  if (std::string_view(node.type()) == "Conv3DV2") {
    for (int port : {3, 4, 5})
      if (node.has(port))
        Fail(GE_UNSUPPORTED, "%s: scale, offset and offset_w are not supported", node.label().c_str());
  } else if (fused) ReadActivation(node);
  else if (node.has(3)) Fail(GE_UNSUPPORTED, "%s: offset_w is not supported", node.label().c_str());
}

}  // namespace reference
