#include "core/passes/conv.h"

namespace gec {

bool FilterIsHwcn(const ConvSite &site) { return DescOf(site.filter).format == C_FORMAT_HWCN; }

bool HasConv(const Graph &graph) {
  static const Symbol conv("Conv2D"), fused("FusedConv2D");
  return graph.HasAny({conv, fused});
}

bool ReadConv(Node *node, ConvSite *site) {
  static const Symbol conv("Conv2D"), fused("FusedConv2D"), data_format("data_format"), offset_x("offset_x");
  if (node->known_type() != conv && node->known_type() != fused) return false;
  *site = ConvSite();
  site->node = node;
  site->fused = node->known_type() == fused;
  site->x = node->input(0);
  site->filter = node->input(1);
  site->bias = node->input(2);
  if (!site->x || !site->filter || !IsFloat32(site->x) || !IsFloat32(site->filter)) return false;
  if (!site->fused && (node->input(3) || node->Int(offset_x, 0) != 0)) return false;
  std::string format = node->String(data_format, site->fused ? "NCHW" : "NHWC");
  if (format != "NCHW" && format != "NHWC") return false;
  site->channels_last = format == "NHWC";
  const Shape &filter = DescOf(site->filter).shape;
  if (!filter.has_rank() || filter.rank() != 4) return false;
  int32_t layout = DescOf(site->filter).format;
  if (layout != C_FORMAT_HWCN && layout != C_FORMAT_NCHW && layout != C_FORMAT_ND) return false;
  site->out_channels = filter[FilterIsHwcn(*site) ? 3 : 0];
  return site->out_channels > 0;
}

std::vector<Editor::Attr> ConvAttrs(const ConvSite &site) {
  std::vector<Editor::Attr> attrs;
  static const char *const kLists[] = {"strides", "pads", "dilations"};
  for (const char *name : kLists) {
    std::vector<int64_t> values = site.node->Ints(name);
    if (!values.empty()) attrs.emplace_back(name, values);
  }
  attrs.emplace_back("groups", site.node->Int("groups", 1));
  attrs.emplace_back("data_format", site.channels_last ? "NHWC" : "NCHW");
  return attrs;
}

}  // namespace gec
