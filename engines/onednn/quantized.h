// QuantizedMatMul and QuantizedConv2D: what both have in common.
#pragma once

#include "int8_kernels.h"
#include "support.h"

namespace onednn {

// The inputs of both operators.
enum QuantizedPort {
  kPortX = 0,
  kPortXScale,
  kPortXZero,
  kPortWeights,
  kPortWeightScale,
  kPortWeightZero,
  kPortBias,
  kPortOutScale,
  kPortOutZero
};

// Types, and how many values scales and zero points have: 0 where they are absent, which is a scale of 1, a zero of 0.
struct QuantizedSpec {
  bool x_signed = false, weights_signed = false, integer_bias = false;
  int32_t dst_type = C_DT_UNDEFINED;
  int64_t x_scales = 0, x_zeros = 0, weight_scales = 0, weight_zeros = 0, biases = 0, out_scales = 0, out_zeros = 0;
  int64_t columns = 0;
  Activation activation;

  int bytes_of_y() const { return dst_type == C_DT_INT32 || dst_type == C_DT_FLOAT ? 4 : 1; }
};

// Everything that holds without shapes; refuses what the kernels do not take.
QuantizedSpec ReadQuantized(const Node &node);
// The rest: `rows` of all matrices, of which each has `matrix_rows`.
void ReadQuantizedCounts(const Node &node, int64_t rows, int64_t matrix_rows, int64_t columns, QuantizedSpec *spec);

inline int32_t Value8(const void *values, bool is_signed, int64_t i) {
  return is_signed ? int32_t(static_cast<const int8_t *>(values)[i]) : int32_t(static_cast<const uint8_t *>(values)[i]);
}

// The numbers of one call that belong to columns, as a panel needs them.
struct PanelColumns {
  alignas(64) int32_t add[kMostInt8Columns];
  alignas(64) int32_t weight_sums[kMostInt8Columns];
  alignas(64) float scale[kMostInt8Columns];
  alignas(64) float bias[kMostInt8Columns];
};

// Reads scales, zero points and bias of one call.
class QuantizedCall {
 public:
  QuantizedCall(const QuantizedSpec &spec, const GeKernelArgs &args) : s_(spec), args_(args) {}

  int32_t x_zero(int64_t row) const { return Zero(kPortXZero, s_.x_signed, s_.x_zeros, row); }
  int32_t weight_zero(int64_t column) const {
    return Zero(kPortWeightZero, s_.weights_signed, s_.weight_zeros, column);
  }
  // Columns [first, first + n) into `columns`; zeros behind them. weight_sums: of those columns, or null.
  void Prepare(int64_t first, int64_t n, const int32_t *weight_sums, int32_t x_zero, PanelColumns *columns) const;
  // How the sums of these columns are finished, for rows from `row` on.
  Int8Finish FinishOf(const PanelColumns &columns, int64_t row) const;

 private:
  int32_t Zero(int port, bool is_signed, int64_t count, int64_t i) const {
    return count == 0 ? 0 : Value8(args_.inputs[port], is_signed, count == 1 ? 0 : i);
  }
  float Scale(int port, int64_t count, int64_t i) const {
    return count == 0 ? 1.f : static_cast<const float *>(args_.inputs[port])[count == 1 ? 0 : i];
  }
  const QuantizedSpec &s_;
  const GeKernelArgs &args_;
};

void CheckQuantizedMatMul(const Node &node);
std::unique_ptr<Kernel> CreateQuantizedMatMul(const Context &context);
std::unique_ptr<Kernel> CreateOpenQuantizedMatMul(const Context &context);
void CheckQuantizedConv(const Node &node);
std::unique_ptr<Kernel> CreateQuantizedConv(const Context &context);
std::unique_ptr<Kernel> CreateOpenQuantizedConv(const Context &context);

}  // namespace onednn
