// The symbolic dimensions of one class of sizes: what they are made of, and on what conditions the class serves a size.
//
// A class is described once and serves all sizes that fit it (the idea is that of guards in tracing compilers, for
// example dynamic shapes in PyTorch 2). The first sizes that a graph was given decide questions that these leave
// open, such as which of two extents is the smaller one; each answer is a condition of the class.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/ir/symbolic_dim.h"

namespace gec {

class SymbolicDims {
 public:
  /// Neither a number nor symbolic.
  static constexpr int64_t kNothing = INT64_MIN;

  struct Range {
    int64_t low, high;  // high -1: no limit
  };
  /// Every extent of the inputs is at least this: smaller ones are numbers.
  static constexpr int64_t kLeastInput = 2;

  /// Stands for an extent of the inputs, which the first sizes have as `first`, and which lies in `range` in every run.
  /// Inputs come before all others.
  int64_t Input(int64_t first, Range range = {kLeastInput, -1});
  /// Stands for an extent of which nothing is known.
  int64_t Fresh();

  /// Arithmetic on numbers and symbolic dimensions. Equal results have equal names as far as simple rules tell.
  /// kNothing: an operand is neither, or the result does not fit.
  int64_t Add(int64_t a, int64_t b);
  int64_t Subtract(int64_t a, int64_t b);
  int64_t Multiply(int64_t a, int64_t b);
  /// Rounds down; the divisor is positive.
  int64_t Divide(int64_t a, int64_t b);

  /// Decided by the first sizes, and a condition from then on. Nothing where they do not tell.
  std::optional<bool> Equal(int64_t a, int64_t b);
  std::optional<bool> LessEqual(int64_t a, int64_t b);
  /// Both are the same at all sizes of the class, by their names or since it is a condition already.
  bool AreEqual(int64_t a, int64_t b) const;
  /// The number that a value has at the first sizes; that it stays so is a condition from then on.
  std::optional<int64_t> Pin(int64_t value);
  /// The value as an extent. Shapes treat 0 like no other number, so that it stays one: the class serves either sizes
  /// at which this is 0, or others.
  int64_t Extent(int64_t value);

  /// True when the class serves these extents, in the order of Input.
  bool Fits(const std::vector<int64_t> &inputs) const;
  /// The same, and all that symbolic dimensions stand for at these extents, by number. Allocates only where `values`
  /// has no room for them.
  bool Evaluate(const std::vector<int64_t> &inputs, std::vector<int64_t> *values) const;
  /// By number: true for those that the extent is computed from, and for itself.
  std::vector<uint8_t> PartsOf(int64_t extent) const;
  size_t size() const { return terms_.size(); }
  size_t condition_count() const { return conditions_.size(); }
  bool Has(int64_t value) const { return IsSymbolic(value) && SymbolicNumber(value) < static_cast<int64_t>(size()); }
  /// "s0", "(s0+1)//2"; a number as it is.
  std::string Text(int64_t value) const;

 private:
  friend class SymbolicFacts;
  enum class Kind : uint8_t { kInput, kFresh, kAdd, kSubtract, kMultiply, kDivide };
  struct Term {
    Kind kind;
    int64_t a, b;   // numbers, or symbolic dimensions that come before this one
    int64_t first;  // its value at the first sizes; kNothing: not known
  };
  enum class Relation : uint8_t { kEqual, kDifferent, kLessEqual, kGreater };
  struct Condition {
    Relation relation;
    int64_t a, b;
    friend auto operator<=>(const Condition &, const Condition &) = default;
  };
  bool Operand(int64_t value) const {
    return value >= 0 ? true : Has(value) || (!NearSymbolic(value) && value != kNothing);
  }
  const Term *TermOf(int64_t value) const {
    return Has(value) ? &terms_[static_cast<size_t>(SymbolicNumber(value))] : nullptr;
  }
  int64_t FirstOf(int64_t value) const;
  int64_t Make(Kind kind, int64_t a, int64_t b);
  void Require(Condition condition);
  static int64_t Apply(Kind kind, int64_t a, int64_t b);
  static bool Holds(const Condition &condition, int64_t a, int64_t b);

  std::vector<Term> terms_;
  std::map<std::tuple<Kind, int64_t, int64_t>, int64_t> made_;
  std::vector<Condition> conditions_;
  std::set<Condition> required_;  // the same
  std::vector<Range> inputs_;
};

/// Inference on this thread knows the symbolic dimensions of this table while the object lives. Without one there are
/// none.
class SymbolicScope {
 public:
  explicit SymbolicScope(SymbolicDims *symbolic);
  ~SymbolicScope();
  SymbolicScope(const SymbolicScope &) = delete;
  SymbolicScope &operator=(const SymbolicScope &) = delete;

 private:
  SymbolicDims *before_;
};
SymbolicDims *CurrentSymbolicDims();

}  // namespace gec
