// Convolutions as the passes see them.
#pragma once

#include <vector>

#include "core/passes/editor.h"

namespace gec {

struct ConvSite {
  Node *node = nullptr;
  bool fused = false;  // FusedConv2D
  bool transposed = false;
  bool channels_last = false;
  int32_t rank = 4;
  size_t x_port = 0;  // the filter and the bias follow it
  Endpoint x, filter, bias;
  int64_t out_channels = -1;
  int32_t channel_axis() const { return channels_last ? rank - 1 : 1; }
  const char *fused_type = nullptr;  // the operator with an activation
};
/// True when the graph has a convolution.
bool HasConv(const Graph &graph);
/// Types of x and the filter that a reader takes.
enum class ConvFloats { kFp32, kFp32OrBf16 };
/// A float32 Conv2D, Conv2DV2 or FusedConv2D of rank 4 that is written the usual way; false for anything unusual.
bool ReadConv(Node *node, ConvSite *site);
/// The same for volumes and transposed convolutions, too.
bool ReadAnyConv(Node *node, ConvSite *site, ConvFloats floats = ConvFloats::kFp32);
/// The attributes that a convolution and its fused form have in common.
std::vector<Editor::Attr> ConvAttrs(const ConvSite &site);
/// Channels are the filter's last dimensions (HWCN, DHWCN).
bool FilterIsHwcn(const ConvSite &site);
/// True when all values are this one.
bool AllAre(const std::vector<int64_t> &values, int64_t value);
/// Of images: a filter of 1 x 1 that reads every pixel, without padding.
bool HasUnitWindow(const ConvSite &site);
/// The value that a fused convolution of images adds, or nothing.
Endpoint ResidualOf(const ConvSite &site);

}  // namespace gec
