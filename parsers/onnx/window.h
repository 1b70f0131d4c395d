// The sliding windows of convolution and pooling as ONNX describes them.
#pragma once

#include "parsers/onnx/node_context.h"

namespace gec::onnx {

using List = AttrValue::ListInt;

/// Strides, dilations and pads of a sliding window over the dimensions behind N and C.
struct Window {
  size_t spatial = 0;
  List kernel, strides, dilations, begin, end;  // begin, end: pads
  bool ceil = false;

  bool dilated() const;
};

/// A list attribute of n values, all `fallback` when it is absent.
List AttrOr(NodeContext &c, const char *name, size_t n, int64_t fallback);
/// Refuses what no window can have.
void CheckWindow(NodeContext &c, const Window &w);
/// Reads strides, dilations (if `dilated`), pads and auto_pad for the window `kernel` over x.
Window ReadWindow(NodeContext &c, Endpoint x, List kernel, bool dilated);
/// {1, 1, spatial values…}
List WithNC(const List &spatial);
/// [top, bottom, left, right]; three dimensions: [front, back, top, bottom, left, right].
List Interleaved(const Window &w);
/// One dimension becomes two, the first of extent 1.
void Widen(Window &w);

/// Conv with the node's attributes on these operands.
Endpoint Convolution(NodeContext &c, Endpoint x, Endpoint weights, Endpoint bias);

}  // namespace gec::onnx
