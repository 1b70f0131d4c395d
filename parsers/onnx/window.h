// The sliding windows of convolution and pooling as ONNX describes them.
#pragma once

#include <functional>

#include "parsers/onnx/node_context.h"

namespace gec::onnx {

using List = AttrValue::ListInt;

/// Strides, dilations and pads of a sliding window over the dimensions behind N and C.
struct Window {
  size_t spatial = 0;
  List kernel, strides, dilations, begin, end;  // kernel: -1 when a run tells; begin, end: pads
  bool ceil = false;
  /// Pads that only a run tells, for PadV3: all before, then all behind. Then begin and end are 0.
  Endpoint open_pads;

  bool dilated() const;
};

/// A list attribute of n values, all `fallback` when it is absent.
List AttrOr(NodeContext &c, const char *name, size_t n, int64_t fallback);
/// Refuses what no window can have.
void CheckWindow(NodeContext &c, const Window &w);
/// Reads strides, dilations (if `dilated`), pads and auto_pad for the window `kernel` over x. `weights` are what has
/// the extents of the kernel that are not known. Without `may_open`, pads that only a run tells are refused.
Window ReadWindow(NodeContext &c, Endpoint x, List kernel, bool dilated, bool may_open = false, Endpoint weights = {});
/// Refuses pads that a window of a pool could lie in as a whole: it would have no element.
void CheckPoolPads(NodeContext &c, const Window &w);
/// x with w.open_pads around it.
Endpoint WithOpenPads(NodeContext &c, Endpoint x, const Window &w, Endpoint value = {});
/// {1, 1, spatial values…}
List WithNC(const List &spatial);
/// [top, bottom, left, right]; three dimensions: [front, back, top, bottom, left, right].
List Interleaved(const Window &w);
/// One dimension becomes two, the first of extent 1.
void Widen(Window &w);

/// Makes the convolution of a window of two or three dimensions.
using MakeConvolution = std::function<Endpoint(Endpoint x, Endpoint weights, const Window &w, int64_t groups)>;
/// `make` on these operands as Conv's attributes of the node say. `padding`: the value of elements around x whose
/// number only a run tells, 0 where it is empty.
Endpoint ConvolutionBy(NodeContext &c, Endpoint x, Endpoint weights, Endpoint padding, const MakeConvolution &make);
/// Conv with the node's attributes on these operands.
Endpoint Convolution(NodeContext &c, Endpoint x, Endpoint weights, Endpoint bias);

/// MaxPool, AveragePool and GlobalAveragePool with the node's attributes on x.
Endpoint MaxPooled(NodeContext &c, Endpoint x);
Endpoint AveragePooled(NodeContext &c, Endpoint x);
Endpoint GlobalAveragePooled(NodeContext &c, Endpoint x);

}  // namespace gec::onnx
