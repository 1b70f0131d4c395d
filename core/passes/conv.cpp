#include "core/passes/conv.h"

namespace gec {

namespace {

struct ConvKind {
  Symbol type;
  bool fused, transposed;
  int32_t rank;  // 0: the data format tells
  const char *format;
};

const ConvKind *KindOf(Symbol type) {
  static const ConvKind kinds[] = {
      {"Conv2D", false, false, 4, "NHWC"},           {"FusedConv2D", true, false, 4, "NCHW"},
      {"Conv3D", false, false, 5, "NDHWC"},          {"FusedConv3D", true, false, 5, "NCDHW"},
      {"Conv2DTranspose", false, true, 4, "NHWC"},   {"Conv3DTranspose", false, true, 5, "NDHWC"},
      {"Conv3DTransposeV2", false, true, 5, "NDHWC"}, {"FusedConvTranspose", true, true, 0, "NCHW"},
  };
  for (const ConvKind &kind : kinds)
    if (kind.type == type) return &kind;
  return nullptr;
}

}  // namespace

const char *ConvSite::fused_type() const {
  return transposed ? "FusedConvTranspose" : rank == 5 ? "FusedConv3D" : "FusedConv2D";
}

bool FilterIsHwcn(const ConvSite &site) {
  const int32_t format = DescOf(site.filter).format;
  return format == C_FORMAT_HWCN || format == C_FORMAT_DHWCN;
}

bool HasConv(const Graph &graph) {
  static const Symbol conv("Conv2D"), fused("FusedConv2D"), deep("Conv3D"), fused_deep("FusedConv3D"),
      transposed("Conv2DTranspose"), fused_transposed("FusedConvTranspose"), deep_transposed("Conv3DTranspose"),
      deep_transposed_v2("Conv3DTransposeV2");
  return graph.HasAny(
      {conv, fused, deep, fused_deep, transposed, fused_transposed, deep_transposed, deep_transposed_v2});
}

bool ReadAnyConv(Node *node, ConvSite *site) {
  static const Symbol data_format("data_format"), offset_x("offset_x");
  const ConvKind *kind = KindOf(node->known_type());
  if (!kind) return false;
  *site = ConvSite();
  site->node = node;
  site->fused = kind->fused;
  site->transposed = kind->transposed;
  site->x_port = kind->transposed ? 1 : 0;
  site->x = node->input(site->x_port);
  site->filter = node->input(site->x_port + 1);
  site->bias = node->input(site->x_port + 2);
  if (!site->x || !site->filter || !IsFloat32(site->x) || !IsFloat32(site->filter)) return false;
  const size_t more = site->x_port + 3;  // a residual of fused ones
  if (!site->fused && ((more < node->input_count() && node->input(more)) || node->Int(offset_x, 0) != 0)) return false;
  const std::string format = node->String(data_format, kind->format);
  site->rank = static_cast<int32_t>(format.size());
  if (format != "NCHW" && format != "NHWC" && format != "NCDHW" && format != "NDHWC") return false;
  if (kind->rank != 0 && kind->rank != site->rank) return false;
  site->channels_last = format.back() == 'C';
  const Shape &filter = DescOf(site->filter).shape;
  if (!filter.has_rank() || filter.rank() != site->rank) return false;
  const int32_t layout = DescOf(site->filter).format;
  const bool hwcn = FilterIsHwcn(*site);
  if (!hwcn && layout != C_FORMAT_NCHW && layout != C_FORMAT_NCDHW && layout != C_FORMAT_ND) return false;
  const int64_t last = site->rank - 1;
  site->out_channels = kind->transposed ? filter[hwcn ? last - 1 : 1] : filter[hwcn ? last : 0];
  if (site->out_channels > 0 && kind->transposed) {
    const int64_t groups = node->Int("groups", 1);
    if (groups < 1 || site->out_channels > INT32_MAX || groups > INT32_MAX) return false;
    site->out_channels *= groups;
  }
  return site->out_channels > 0;
}

bool ReadConv(Node *node, ConvSite *site) {
  static const Symbol conv("Conv2D"), fused("FusedConv2D");
  return (node->known_type() == conv || node->known_type() == fused) && ReadAnyConv(node, site);
}

std::vector<Editor::Attr> ConvAttrs(const ConvSite &site) {
  std::vector<Editor::Attr> attrs;
  static const char *const kLists[] = {"strides", "pads", "dilations", "output_padding"};
  for (const char *name : kLists) {
    std::vector<int64_t> values = site.node->Ints(name);
    if (!values.empty()) attrs.emplace_back(name, values);
  }
  attrs.emplace_back("groups", site.node->Int("groups", 1));
  attrs.emplace_back("data_format", site.rank == 5 ? (site.channels_last ? "NDHWC" : "NCDHW")
                                                   : (site.channels_last ? "NHWC" : "NCHW"));
  return attrs;
}

}  // namespace gec
