// Attention and rotary positions as handlers of several operator sets make them.
#pragma once

#include "parsers/onnx/node_context.h"

namespace gec::onnx {

/// The inputs and attributes of ScaledDotProductAttention. Operands are of rank 4; BSNH is [batch, length, heads,
/// size].
struct AttentionParts {
  Endpoint q, k, v, mask, lengths, sink;
  const char *q_layout = "BSNH", *k_layout = "BSNH", *v_layout = "BSNH", *y_layout = "BSNH";
  double scale = 1;
  float softcap = 0;
  int64_t left = -1, right = -1;
  const char *align = "start";
  bool zero_unseen = false;
};

/// The attention, in the type of the queries. Half types are computed as float.
Endpoint Attend(NodeContext &c, const AttentionParts &parts);

/// [batch, length, heads * size] as [batch, length, heads, size], and back.
Endpoint HeadsApart(NodeContext &c, Endpoint x, int64_t heads);
Endpoint HeadsJoined(NodeContext &c, Endpoint x);

/// Refuses an operand that is known not to be [batch, length, a multiple of `heads`].
void CheckFeatures(NodeContext &c, Endpoint x, int64_t heads, const char *what);

/// The number of heads that an attribute tells; refused unless it is positive.
int64_t NeedHeads(NodeContext &c, const char *attr);

/// 1 / sqrt(size of a head) unless attribute `scale` says something else. `zero_too`: 0 counts as absent.
double ScaleOf(NodeContext &c, Endpoint q, bool zero_too);

/// The first `part` values of each head of x, [batch, length, heads, size], turned by angles whose cosines and sines
/// are [batch or 1, length, part / 2]. `whole`: there are no others.
Endpoint Rotated(NodeContext &c, Endpoint x, Endpoint cosine, Endpoint sine, int64_t part, bool whole,
                 bool interleaved);

}  // namespace gec::onnx
