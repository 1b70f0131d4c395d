// Convolutions as the passes see them.
#pragma once

#include <vector>

#include "core/passes/editor.h"

namespace gec {

struct ConvSite {
  Node *node = nullptr;
  bool fused = false;  // FusedConv2D
  bool channels_last = false;
  Endpoint x, filter, bias;
  int64_t out_channels = -1;
  int32_t channel_axis() const { return channels_last ? 3 : 1; }
};
/// True when the graph has a convolution.
bool HasConv(const Graph &graph);
/// A float32 Conv2D, Conv2DV2 or FusedConv2D of rank 4 that is written the usual way; false for anything unusual.
bool ReadConv(Node *node, ConvSite *site);
/// The attributes that Conv2D and FusedConv2D have in common.
std::vector<Editor::Attr> ConvAttrs(const ConvSite &site);
/// Output channels are the filter's last dimension (HWCN).
bool FilterIsHwcn(const ConvSite &site);

}  // namespace gec
