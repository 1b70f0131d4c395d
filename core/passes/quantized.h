// QuantizeLinear and DequantizeLinear of 8-bit integers as the passes see them.
#pragma once

#include "core/passes/editor.h"

namespace gec {

/// Numbers that stand for (x - zero) * scale.
struct QuantizedForm {
  Endpoint x;            // of QuantizeLinear the values, else the numbers
  Endpoint scale, zero;  // zero may be empty: 0
  int64_t axis = -1;     // along which scales differ; -1: one scale for all
  int32_t dtype = C_DT_UNDEFINED;
};

/// True when the graph quantises or dequantises.
bool HasQuantization(const Graph &graph);
/// One number of a known shape.
bool IsOneNumber(Endpoint e);
/// `value` is what a DequantizeLinear makes of 8-bit integers, in float32, with one scale or one for each slice.
bool ReadDequantize(Endpoint value, QuantizedForm *out);
/// The node quantises float32 to 8-bit integers with one scale.
bool ReadQuantize(const Node &node, QuantizedForm *out);
/// Both stand for the same values: their scales, zero points and types are known to be equal, and quantising what was
/// dequantised gives the same numbers again.
bool SameForm(const QuantizedForm &a, const QuantizedForm &b);
/// FusionPays for a quantised convolution of images as the pass QuantizedLayout will turn it, with channels last.
bool PaysWithChannelsLast(Editor &editor, Node *conv, const std::vector<const Node *> &parts, Refusal *why);

}  // namespace gec
