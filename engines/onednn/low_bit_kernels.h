// Products with weights of 2, 4, 8 or 16 bits, one set per instruction set. Plain functions on plain memory: no
// allocation, no threads.
#pragma once

#include <cstdint>

#include "kernels.h"

namespace onednn {

// n columns of k values as WeightOnlyQuantizedMatMul has them. Those of 16 bits are floats of half precision.
struct LowBitWeights {
  int bits;
  int64_t k, block, blocks;    // blocks of a column, the last of which may hold values beyond k
  const uint8_t *data;         // [n, blocks * block * bits / 8], low bits first
  const float *scale;          // [n, blocks]
  const uint8_t *packed_zero;  // [n, zero_bytes()], or null
  const float *zero;           // [n, blocks], or null; where both are: 2^(bits - 1)

  int64_t column_bytes() const { return blocks * block / 8 * bits; }
  int64_t zero_bytes() const { return (blocks * bits + 7) / 8; }
};

struct LowBitKernelSet {
  // A row in the order in which `stream` reads it: floats that it takes, and how it is made.
  int64_t (*arranged_floats)(const LowBitWeights &w);
  void (*arrange)(const LowBitWeights &w, const float *x, float *to);
  // Few rows: y[m, first … last) = x * w, the weights read once, expanded in registers.
  void (*stream)(const LowBitWeights &w, int m, int64_t first, int64_t last, const float *x, int64_t x_stride, float *y,
                 int64_t y_stride);
  // Values [depth, depth + count) of `columns` columns from `first` as a row-major panel of panel_columns, zeros beyond
  // the last; depth is a multiple of kExpandMost, count at most that, panel_columns a multiple of the vector's width.
  void (*expand)(const LowBitWeights &w, int64_t first, int64_t columns, int64_t depth, int64_t count, float *panel,
                 int64_t panel_columns);
};
constexpr int64_t kExpandMost = 256, kExpandUnit = 16;  // the latter: the smallest block

extern const LowBitKernelSet kLowBitAvx2;
extern const LowBitKernelSet kLowBitAvx512;

inline const LowBitKernelSet &LowBitKernelsFor(uint64_t features) {
  return HasAvx512(features) ? kLowBitAvx512 : kLowBitAvx2;
}

}  // namespace onednn
