// What is known of the symbolic dimensions of a class of sizes: limits, and what divides them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ops/symbolic_dims.h"

namespace gec {

/// Of all symbolic dimensions of a class that is complete, in time that grows with their number and that of the
/// conditions: each is worked out once, from those that it is made of. Immutable.
class SymbolicFacts {
 public:
  explicit SymbolicFacts(const SymbolicDims &symbolic);

  /// What the conditions and the ranges of the inputs say of an extent.
  SymbolicDims::Range RangeOf(int64_t extent) const;
  /// A number that divides an extent in every run, as far as the way it is computed and the conditions show it: at
  /// least 1, which says nothing.
  int32_t MultipleOf(int64_t extent) const;

 private:
  using Range = SymbolicDims::Range;
  bool Knows(int64_t value) const;
  Range LimitsOf(int64_t value) const;
  int64_t DivisorOf(int64_t value) const;
  Range LimitsOfTerm(const SymbolicDims::Term &term) const;
  int64_t DivisorOfTerm(const SymbolicDims::Term &term) const;

  const SymbolicDims &symbolic_;
  std::vector<Range> limits_;       // of terms, by number
  std::vector<int64_t> divisors_;   // by how terms are computed
  std::vector<int64_t> multiples_;  // with the conditions
};

}  // namespace gec
