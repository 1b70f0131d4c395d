// Weights of 2, 4 or 8 bits in blocks, as WeightOnlyQuantizedMatMul has them.
#pragma once

#include "common/node.h"

namespace reference {

// Value i of packed ones: low bits first.
inline int PackedValue(const uint8_t *data, int64_t i, int bits) {
  const int64_t at = i * bits;
  return data[at / 8] >> (at % 8) & ((1 << bits) - 1);
}

}  // namespace reference
