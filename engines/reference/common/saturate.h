// Rounding to stored integers.
#pragma once

#include <cmath>
#include <limits>

#include "common/types.h"

namespace reference {

// The range of an integer type. Floating-point types have no limits here: they saturate as they are stored.
struct IntegerLimits {
  bool integer = false;
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};
inline IntegerLimits IntegerLimitsOf(int32_t type) {
  if (!((kInts | kPackedInts) & TypeBit(type))) return {};
  const IntRange range = RangeOf(type);
  return {true, float(range.lowest), float(range.highest)};
}

// Half to even, plus the zero point, saturated. NaN becomes the least integer, as in ONNX Runtime and NumPy.
inline float RoundedTo(IntegerLimits limits, float value, float zero) {
  return std::fmin(limits.high, std::fmax(limits.low, std::nearbyint(value) + zero));
}

}  // namespace reference
