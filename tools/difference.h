// How far the values of a tensor are from those that are right.
#pragma once

#include <cstddef>
#include <string>

#include "npy.h"

namespace tool {

struct Difference {
  std::string other;  // "int64[3] became int64[4]", "other bytes": not to be compared value by value
  /// ‖got - want‖ / ‖want‖ of real numbers, the share of values that differ of integers. Infinite for NaN and
  /// infinities on one side only, and where `other` says something.
  double relative = 0;
  /// The element with the largest |got - want| / max(1, |want|), which is `apart`.
  double apart = 0, want = 0, got = 0;
  size_t at = 0;
  /// Rows of the last axis, of real numbers and at least two of them, and those whose largest value is elsewhere.
  size_t rows = 0, rows_elsewhere = 0;

  /// "element 7: 1 became 2".
  std::string Worst() const;
};

/// NaN equals NaN, an infinity itself. Real numbers may have other types on both sides.
Difference Between(const Array &want, const Array &got);

}  // namespace tool
