// The common part of operators with quantised numbers: scales; of QuantizedMatMul and QuantizedConv2D: their inputs,
// and the types that go together.
#pragma once

#include "protos/infer/context.h"

namespace gec::infer {

/// Inputs: x, its scale and zero point, weights, their scale and zero point, bias, scale and zero point of y.
enum : size_t {
  kQuantizedScale = 1,
  kQuantizedZero = 2,
  kQuantizedWeights = 3,
  kQuantizedWeightScale = 4,
  kQuantizedWeightZero = 5,
  kQuantizedBias = 6,
  kQuantizedOutScale = 7,
  kQuantizedOutZero = 8
};

/// Scales of float32: those that are known are finite, and none that is divided by is 0.
void CheckScale(Context &c, size_t ir, const std::string &name, bool divides = false);
/// The type of y, by attribute dst_type. Refuses inputs whose types do not go with it, and scales, zero points and bias
/// of other sizes than 1 and `rows` (for x) or `columns` (for the weights); -1 where these are not known.
int32_t QuantizedType(Context &c, const char *x, const char *weights, int64_t rows, int64_t columns);

}  // namespace gec::infer
