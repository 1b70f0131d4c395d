// Names for extents that only a run knows.
#pragma once

#include <cstdint>

namespace gec {

/// Dimensions, and values that become dimensions, may be symbolic instead of numbers: two that are equal are the same
/// extent whatever the run brings (core/ops/symbolic_dims.h). SymbolicDims are far from any number that means
/// something, and far from each other: a sum or a product with one by accident is none.
inline constexpr int64_t kFirstSymbolic = -(int64_t{1} << 62);
inline constexpr int64_t kSymbolicStep = 4096;
inline constexpr int64_t kMostSymbolic = int64_t{1} << 20;

/// In the range of symbolic dimensions, be it one or the result of an accident.
constexpr bool NearSymbolic(int64_t value) {
  return value <= kFirstSymbolic + kSymbolicStep && value > kFirstSymbolic - kSymbolicStep * kMostSymbolic;
}
constexpr bool IsSymbolic(int64_t value) {
  return value <= kFirstSymbolic && NearSymbolic(value) && (kFirstSymbolic - value) % kSymbolicStep == 0;
}
constexpr int64_t SymbolicNumber(int64_t dim) { return (kFirstSymbolic - dim) / kSymbolicStep; }
constexpr int64_t SymbolicDim(int64_t number) { return kFirstSymbolic - number * kSymbolicStep; }

}  // namespace gec
