#include "core/passes/conv.h"

#include <algorithm>
#include <vector>

namespace gec {

namespace {

struct ConvKind {
  Symbol type;
  bool fused, transposed;
  int32_t rank;  // 0: the data format tells
  const char *format, *fused_type;
};

const std::vector<ConvKind> &ConvKinds() {
  static const auto *kinds = new std::vector<ConvKind>{
      {"Conv2D", false, false, 4, "NHWC", "FusedConv2D"},
      {"FusedConv2D", true, false, 4, "NCHW", "FusedConv2D"},
      {"Conv3D", false, false, 5, "NDHWC", "FusedConv3D"},
      {"FusedConv3D", true, false, 5, "NCDHW", "FusedConv3D"},
      {"Conv2DTranspose", false, true, 4, "NHWC", "FusedConvTranspose"},
      {"Conv3DTranspose", false, true, 5, "NDHWC", "FusedConvTranspose"},
      {"Conv3DTransposeV2", false, true, 5, "NDHWC", "FusedConvTranspose"},
      {"FusedConvTranspose", true, true, 0, "NCHW", "FusedConvTranspose"},
  };
  return *kinds;
}

const ConvKind *KindOf(Symbol type) {
  for (const ConvKind &kind : ConvKinds())
    if (kind.type == type) return &kind;
  return nullptr;
}

}  // namespace

bool FilterIsHwcn(const ConvSite &site) {
  const int32_t format = DescOf(site.filter).format;
  return format == C_FORMAT_HWCN || format == C_FORMAT_DHWCN;
}

bool AllAre(const std::vector<int64_t> &values, int64_t value) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == value; });
}

bool HasUnitWindow(const ConvSite &site) {
  const Shape &filter = DescOf(site.filter).shape;
  const size_t first = FilterIsHwcn(site) ? 0 : 2;
  return filter[first] == 1 && filter[first + 1] == 1 && AllAre(site.node->Ints("strides"), 1) &&
         AllAre(site.node->Ints("pads"), 0);
}

Endpoint ResidualOf(const ConvSite &site) { return site.fused ? site.node->input(3) : Endpoint(); }

bool HasConv(const Graph &graph) {
  const std::vector<ConvKind> &kinds = ConvKinds();
  return std::any_of(kinds.begin(), kinds.end(), [&](const ConvKind &kind) { return graph.Has(kind.type); });
}

bool ReadAnyConv(Node *node, ConvSite *site, ConvFloats floats) {
  static const Symbol data_format("data_format"), offset_x("offset_x");
  const ConvKind *kind = KindOf(node->known_type());
  if (!kind) return false;
  *site = ConvSite();
  site->node = node;
  site->fused = kind->fused;
  site->transposed = kind->transposed;
  site->fused_type = kind->fused_type;
  site->x_port = kind->transposed ? 1 : 0;
  site->x = node->input(site->x_port);
  site->filter = node->input(site->x_port + 1);
  site->bias = node->input(site->x_port + 2);
  if (!site->x || !site->filter) return false;
  const int32_t type = DescOf(site->x).dtype;
  if (type != DescOf(site->filter).dtype ||
      (type != C_DT_FLOAT && (type != C_DT_BF16 || floats != ConvFloats::kFp32OrBf16)))
    return false;
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
