// Constant matrices as numbers of few bits, in the form that WeightOnlyQuantizedMatMul and GatherBlockQuantized read.
#pragma once

#include <string>

#include "core/ir/tensor.h"

namespace gec {

/// A float32 matrix of n columns with k values each, which products add up along k.
struct WeightMatrix {
  const float *values = nullptr;
  int64_t k = 0, n = 0;
  bool by_columns = false;  // the values of a column follow one another; else those of a row

  /// Why its values, times `factor`, cannot be numbers of few bits; "": they can.
  std::string Unfit(double factor) const;
};

struct QuantizedWeights {
  int64_t bits = 0, block = 0, blocks = 0;
  TensorPtr numbers;  // uint8 [n, blocks, block * bits / 8]: column by column, low bits first
  TensorPtr scale;    // float32 [n, blocks]
  TensorPtr zero;     // uint8 [n, (blocks * bits + 7) / 8]; null: half the range (no offset for 16 bits)
  uint64_t bytes() const { return numbers->bytes() + scale->bytes() + (zero ? zero->bytes() : 0); }
};

/// Values of a block: 32 for 4 bits, 64 for 8, 256 for 16, or less where columns are whole blocks then.
int64_t BlockOf(int64_t bits, int64_t k);
/// Bytes that Quantize makes of k by n values.
uint64_t QuantizedBytes(int64_t bits, int64_t k, int64_t n);
/// 8 bits: symmetric blocks, the largest value of one becomes 127. 4 bits: from the smallest value of a block, or
/// zero, to the largest one, or zero; zero itself stays exact. 16 bits: floats of half precision, whose scale is the
/// power of two that keeps the block's values in their range. `factor` scales all values.
QuantizedWeights Quantize(const WeightMatrix &matrix, int64_t bits, double factor = 1);

}  // namespace gec
