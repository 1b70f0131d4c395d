// The floating-point types of a convolution's or a product's tensors.
#pragma once

#include "support.h"

namespace onednn {

struct FloatTypes {
  bool bf16 = false;  // x and the weights; all else is float32 then, or, y and a residual, what y_bf16 says
  bool y_bf16 = false;

  uint64_t y_bytes() const { return y_bf16 ? 2 : 4; }
};

/// An attribute of nodes whose tensors are float32 and whose x and weights a kernel rounds to this type
/// (core/compile/lower_precision.cpp).
constexpr char kComputeType[] = "_compute_type";

/// Of node's inputs 0 and 1, called x and weights in messages, its output and input `residual` (-1: none). Refuses
/// types that no kernel takes together.
FloatTypes ReadFloatTypes(const Node &node, const char *x, const char *weights, int residual);
/// Refuses nodes in bf16 where the processor does not compute in it.
void CheckArithmetic(const GeOpDesc &op, uint64_t features);

}  // namespace onednn
