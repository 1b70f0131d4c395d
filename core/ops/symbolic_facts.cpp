#include "core/ops/symbolic_facts.h"

#include <algorithm>
#include <numeric>

namespace gec {
namespace {

constexpr int64_t kNoLeast = INT64_MIN, kNoLimit = INT64_MAX;  // no limit
constexpr int64_t kMostDivisor = INT32_MAX;

size_t Place(int64_t value) { return static_cast<size_t>(SymbolicNumber(value)); }

}  // namespace

SymbolicFacts::SymbolicFacts(const SymbolicDims &symbolic) : symbolic_(symbolic) {
  using Relation = SymbolicDims::Relation;
  using Condition = SymbolicDims::Condition;
  const size_t count = symbolic.terms_.size();
  std::vector<std::vector<const Condition *>> bounds(count);  // by the term that they compare with a number
  for (const Condition &condition : symbolic.conditions_)
    if (symbolic.Has(condition.a) && !symbolic.Has(condition.b)) bounds[Place(condition.a)].push_back(&condition);
  limits_.reserve(count);
  divisors_.reserve(count);
  for (size_t i = 0; i < count; ++i) {  // operands come before the terms that are made of them
    Range range = LimitsOfTerm(symbolic.terms_[i]);
    for (const Condition *condition : bounds[i]) {
      if (condition->relation == Relation::kEqual) range = {condition->b, condition->b};
      else if (condition->relation == Relation::kGreater) range.low = std::max(range.low, condition->b + 1);
      else if (condition->relation == Relation::kLessEqual) range.high = std::min(range.high, condition->b);
    }
    limits_.push_back(range);
    divisors_.push_back(DivisorOfTerm(symbolic.terms_[i]));
  }
  multiples_ = divisors_;
  const auto divide = [&](int64_t value, int64_t by) {
    if (!symbolic.Has(value)) return;
    int64_t &multiple = multiples_[Place(value)];
    if (const int64_t both = std::lcm(multiple, by); both <= kMostDivisor) multiple = std::max(multiple, both);
  };
  for (const Condition &condition : symbolic.conditions_) {
    if (condition.relation != Relation::kEqual) continue;
    divide(condition.a, DivisorOf(condition.b));
    divide(condition.b, DivisorOf(condition.a));
  }
}

SymbolicFacts::Range SymbolicFacts::LimitsOf(int64_t value) const {
  return symbolic_.Has(value) ? limits_[Place(value)] : Range{value, value};
}

/// Limits of an arithmetic value, which may be negative where it is no extent.
SymbolicFacts::Range SymbolicFacts::LimitsOfTerm(const SymbolicDims::Term &term) const {
  using Kind = SymbolicDims::Kind;
  if (term.kind == Kind::kInput) return symbolic_.inputs_[static_cast<size_t>(term.a)];
  Range range{kNoLeast, kNoLimit};
  if (term.kind == Kind::kFresh) return range;
  const Range a = LimitsOf(term.a), b = LimitsOf(term.b);
  const auto end = [&](int64_t x, int64_t y, int64_t otherwise) {
    const bool known = x != kNoLeast && x != kNoLimit && y != kNoLeast && y != kNoLimit;
    const int64_t result = known ? SymbolicDims::Apply(term.kind, x, y) : SymbolicDims::kNothing;
    return result == SymbolicDims::kNothing ? otherwise : result;
  };
  const bool positive = a.low >= 0 && b.low >= (term.kind == Kind::kDivide ? 1 : 0);
  if (term.kind == Kind::kAdd || (term.kind == Kind::kMultiply && positive))
    range = {end(a.low, b.low, kNoLeast), end(a.high, b.high, kNoLimit)};
  else if (term.kind == Kind::kSubtract || (term.kind == Kind::kDivide && positive))
    range = {end(a.low, b.high, positive ? 0 : kNoLeast), end(a.high, b.low, kNoLimit)};
  if (term.kind == Kind::kSubtract && b.high == kNoLimit) range.low = kNoLeast;
  return range;
}

/// 0 of the number 0, which everything divides.
int64_t SymbolicFacts::DivisorOf(int64_t value) const {
  if (symbolic_.Has(value)) return divisors_[Place(value)];
  return value >= 0 && value <= kMostDivisor ? value : 1;
}

int64_t SymbolicFacts::DivisorOfTerm(const SymbolicDims::Term &term) const {
  using Kind = SymbolicDims::Kind;
  if (term.kind == Kind::kInput || term.kind == Kind::kFresh) return 1;
  const int64_t a = DivisorOf(term.a), b = DivisorOf(term.b);
  switch (term.kind) {
    case Kind::kAdd:
      return term.a == term.b && a <= kMostDivisor / 2 ? 2 * a : std::gcd(a, b);
    case Kind::kSubtract:
      return std::gcd(a, b);
    case Kind::kMultiply:
      return a != 0 && b <= kMostDivisor / a ? a * b : std::max(a, b);
    default:
      return !symbolic_.Has(term.b) && term.b > 0 && a % term.b == 0 ? a / term.b : 1;
  }
}

/// Those that were made later are not known.
bool SymbolicFacts::Knows(int64_t value) const { return !symbolic_.Has(value) || Place(value) < limits_.size(); }

SymbolicFacts::Range SymbolicFacts::RangeOf(int64_t extent) const {
  if (!Knows(extent)) return {0, -1};
  const Range limits = LimitsOf(extent);
  return {std::max<int64_t>(0, limits.low), limits.high == kNoLimit ? -1 : std::max<int64_t>(0, limits.high)};
}

int32_t SymbolicFacts::MultipleOf(int64_t extent) const {
  if (!Knows(extent)) return 1;
  const int64_t multiple = symbolic_.Has(extent) ? multiples_[Place(extent)] : DivisorOf(extent);
  return static_cast<int32_t>(std::max<int64_t>(multiple, 1));
}

}  // namespace gec
