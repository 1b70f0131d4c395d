// The common part of QuantizedMatMul and QuantizedConv2D: 8-bit operands with zero points, and sums of 32 bits that
// become the result.
#pragma once

#include "common/activation.h"
#include "common/node.h"

namespace reference {

// The inputs of both operators.
enum QuantizedPort {
  kQuantizedX = 0,
  kQuantizedXScale,
  kQuantizedXZero,
  kQuantizedWeights,
  kQuantizedWeightScale,
  kQuantizedWeightZero,
  kQuantizedBias,
  kQuantizedOutScale,
  kQuantizedOutZero
};

// base[offset + i * stride] - zero, i < n, for an 8-bit type.
using WidenFn = void (*)(const void *base, int64_t offset, int64_t stride, int64_t n, int32_t zero, int32_t *out);
WidenFn Widener(int32_t type);

// Types that no shape tells about: fails where the engine has no kernel for them.
void CheckQuantized(const Node &node);

class QuantizedResult {
 public:
  // Rows are those of x1, over all matrices; a scale or zero point of x may have one value per row of a matrix.
  QuantizedResult(const Node &node, int64_t rows, int64_t matrix_rows, int64_t columns);

  int32_t x_zero(const Call &call, int64_t row) const { return Zero(call, kQuantizedXZero, x_type_, row, x_zeros_); }
  int32_t weight_zero(const Call &call, int64_t column) const {
    return Zero(call, kQuantizedWeightZero, weight_type_, column, weight_zeros_);
  }
  // Sums [0, n) of the row and the columns column + i * column_step become elements at + i * stride of y.
  void Store(const Call &call, const int32_t *sums, int64_t n, int64_t row, int64_t column, int64_t column_step,
             int64_t at, int64_t stride) const;

 private:
  static int32_t Zero(const Call &call, int port, int32_t type, int64_t index, int64_t count) {
    if (count == 0) return 0;
    const void *p = call.in(size_t(port));
    const int64_t i = index % count;
    return type == C_DT_INT8 ? int32_t(static_cast<const int8_t *>(p)[i]) : int32_t(static_cast<const uint8_t *>(p)[i]);
  }
  static float Scale(const Call &call, int port, int64_t index, int64_t count) {
    return count == 0 ? 1.0f : call.in<float>(size_t(port))[index % count];
  }

  int32_t x_type_, weight_type_, bias_type_, out_type_;
  // How many values there are; 0: the input is absent.
  int64_t x_scales_, x_zeros_, weight_scales_, weight_zeros_, biases_, out_scales_, out_zeros_;
  Activation activation_;
};

}  // namespace reference
