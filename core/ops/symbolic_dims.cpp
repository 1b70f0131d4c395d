#include "core/ops/symbolic_dims.h"

#include <algorithm>
#include <utility>

#include "core/support/error.h"

namespace gec {
namespace {

constexpr int64_t kMost = INT64_MAX;  // no limit
thread_local SymbolicDims *t_dims = nullptr;

}  // namespace

SymbolicScope::SymbolicScope(SymbolicDims *symbolic) : before_(std::exchange(t_dims, symbolic)) {}
SymbolicScope::~SymbolicScope() { t_dims = before_; }
SymbolicDims *CurrentSymbolicDims() { return t_dims; }

int64_t SymbolicDims::Input(int64_t first, Range range) {
  const int64_t dim = SymbolicDim(static_cast<int64_t>(terms_.size()));
  terms_.push_back({Kind::kInput, static_cast<int64_t>(inputs_.size()), 0, first});
  inputs_.push_back({std::max(range.low, kLeastInput), range.high < 0 ? kMost : range.high});
  return dim;
}

int64_t SymbolicDims::Fresh() {
  if (static_cast<int64_t>(terms_.size()) >= kMostSymbolic)
    Fail(GE_UNSUPPORTED, "the graph has more than ", kMostSymbolic, " extents that only a run knows");
  const int64_t dim = SymbolicDim(static_cast<int64_t>(terms_.size()));
  terms_.push_back({Kind::kFresh, 0, 0, kNothing});
  return dim;
}

int64_t SymbolicDims::Apply(Kind kind, int64_t a, int64_t b) {
  int64_t result = kNothing;
  if (a == kNothing || b == kNothing) return kNothing;
  switch (kind) {
    case Kind::kAdd:
      return __builtin_add_overflow(a, b, &result) ? kNothing : result;
    case Kind::kSubtract:
      return __builtin_sub_overflow(a, b, &result) ? kNothing : result;
    case Kind::kMultiply:
      return __builtin_mul_overflow(a, b, &result) ? kNothing : result;
    case Kind::kDivide:
      return b <= 0 ? kNothing : a / b - (a % b < 0 ? 1 : 0);
    default:
      return kNothing;
  }
}

int64_t SymbolicDims::FirstOf(int64_t value) const {
  const Term *term = TermOf(value);
  return term ? term->first : value;
}

int64_t SymbolicDims::Make(Kind kind, int64_t a, int64_t b) {
  const auto found = made_.find({kind, a, b});
  if (found != made_.end()) return found->second;
  if (static_cast<int64_t>(terms_.size()) >= kMostSymbolic) return kNothing;
  const int64_t dim = SymbolicDim(static_cast<int64_t>(terms_.size()));
  terms_.push_back({kind, a, b, Apply(kind, FirstOf(a), FirstOf(b))});
  made_.emplace(std::make_tuple(kind, a, b), dim);
  return dim;
}

int64_t SymbolicDims::Add(int64_t a, int64_t b) {
  if (!Operand(a) || !Operand(b)) return kNothing;
  if (!Has(a) && !Has(b)) return Apply(Kind::kAdd, a, b);
  // A number stands behind a symbolic dimension; of two of these the older one comes first.
  if (!Has(a) || (Has(b) && b > a)) std::swap(a, b);
  if (b == 0) return a;
  const Term term = *TermOf(a);
  if (!Has(b) && term.kind == Kind::kAdd && !Has(term.b)) {
    const int64_t sum = Apply(Kind::kAdd, term.b, b);
    return sum == kNothing ? kNothing : Add(term.a, sum);
  }
  return Make(Kind::kAdd, a, b);
}

int64_t SymbolicDims::Subtract(int64_t a, int64_t b) {
  if (!Operand(a) || !Operand(b)) return kNothing;
  if (a == b) return 0;
  if (!Has(b)) {
    const int64_t minus = Apply(Kind::kSubtract, 0, b);
    return minus == kNothing ? kNothing : Add(a, minus);
  }
  // What was added goes away: (a + b) - a, (a + 3) - a.
  if (const Term *term = TermOf(a); term && term->kind == Kind::kAdd) {
    if (term->a == b) return term->b;
    if (term->b == b) return term->a;
  }
  return Make(Kind::kSubtract, a, b);
}

int64_t SymbolicDims::Multiply(int64_t a, int64_t b) {
  if (!Operand(a) || !Operand(b)) return kNothing;
  if (!Has(a) && !Has(b)) return Apply(Kind::kMultiply, a, b);
  if (!Has(a) || (Has(b) && b > a)) std::swap(a, b);
  if (b == 0 || b == 1) return b == 0 ? 0 : a;
  const Term term = *TermOf(a);
  if (!Has(b) && term.kind == Kind::kMultiply && !Has(term.b)) {
    const int64_t product = Apply(Kind::kMultiply, term.b, b);
    return product == kNothing ? kNothing : Multiply(term.a, product);
  }
  return Make(Kind::kMultiply, a, b);
}

int64_t SymbolicDims::Divide(int64_t a, int64_t b) {
  if (!Operand(a) || !Operand(b) || (!Has(b) && b <= 0)) return kNothing;
  if (!Has(a) && !Has(b)) return Apply(Kind::kDivide, a, b);
  if (b == 1) return a;
  if (const Term *found = TermOf(a); found && found->kind == Kind::kMultiply) {
    const Term term = *found;
    // By 0 nothing can be divided, not even what was multiplied by it.
    if ((term.a == b || term.b == b) && LessEqual(1, b).value_or(false)) return term.a == b ? term.b : term.a;
    if (!Has(b) && !Has(term.b) && term.b % b == 0) return Multiply(term.a, term.b / b);
  }
  return Make(Kind::kDivide, a, b);
}

bool SymbolicDims::Holds(const Condition &condition, int64_t a, int64_t b) {
  switch (condition.relation) {
    case Relation::kEqual:
      return a == b;
    case Relation::kDifferent:
      return a != b;
    case Relation::kLessEqual:
      return a <= b;
    default:
      return a > b;
  }
}

void SymbolicDims::Require(Condition condition) {
  if (required_.insert(condition).second) conditions_.push_back(condition);
}

std::optional<bool> SymbolicDims::Equal(int64_t a, int64_t b) {
  if (!Operand(a) || !Operand(b)) return std::nullopt;
  if (a == b) return true;
  const int64_t x = FirstOf(a), y = FirstOf(b);
  if (x == kNothing || y == kNothing) return std::nullopt;
  if (Has(a) || Has(b)) Require({x == y ? Relation::kEqual : Relation::kDifferent, a, b});
  return x == y;
}

bool SymbolicDims::AreEqual(int64_t a, int64_t b) const {
  return a == b || required_.count({Relation::kEqual, a, b}) || required_.count({Relation::kEqual, b, a});
}

std::optional<bool> SymbolicDims::LessEqual(int64_t a, int64_t b) {
  if (!Operand(a) || !Operand(b)) return std::nullopt;
  if (a == b) return true;
  const Term *term = TermOf(b);
  if (term && term->kind == Kind::kInput && !Has(a) && a <= inputs_[static_cast<size_t>(term->a)].low) return true;
  const int64_t x = FirstOf(a), y = FirstOf(b);
  if (x == kNothing || y == kNothing) return std::nullopt;
  if (Has(a) || Has(b)) Require({x <= y ? Relation::kLessEqual : Relation::kGreater, a, b});
  return x <= y;
}

std::optional<int64_t> SymbolicDims::Pin(int64_t value) {
  if (!Operand(value) || FirstOf(value) == kNothing) return std::nullopt;
  if (Has(value)) Require({Relation::kEqual, value, FirstOf(value)});
  return FirstOf(value);
}

int64_t SymbolicDims::Extent(int64_t value) {
  if (LessEqual(1, value).value_or(true) || FirstOf(value) != 0) return value;
  return Pin(value).value_or(value);
}

bool SymbolicDims::Fits(const std::vector<int64_t> &inputs) const {
  std::vector<int64_t> values;
  return Evaluate(inputs, &values);
}

bool SymbolicDims::Evaluate(const std::vector<int64_t> &inputs, std::vector<int64_t> *result) const {
  if (inputs.size() != inputs_.size()) return false;
  std::vector<int64_t> &values = *result;
  values.assign(terms_.size(), kNothing);
  const auto value = [&](int64_t of) { return Has(of) ? values[static_cast<size_t>(SymbolicNumber(of))] : of; };
  for (size_t i = 0; i < terms_.size(); ++i) {
    const Term &term = terms_[i];
    if (term.kind == Kind::kInput) values[i] = inputs[static_cast<size_t>(term.a)];
    else values[i] = Apply(term.kind, value(term.a), value(term.b));
  }
  return std::all_of(conditions_.begin(), conditions_.end(), [&](const Condition &condition) {
    const int64_t a = value(condition.a), b = value(condition.b);
    return a != kNothing && b != kNothing && Holds(condition, a, b);
  });
}

std::vector<uint8_t> SymbolicDims::PartsOf(int64_t extent) const {
  std::vector<uint8_t> parts(terms_.size());
  const auto add = [&](int64_t of) {
    if (Has(of)) parts[static_cast<size_t>(SymbolicNumber(of))] = 1;
  };
  add(extent);
  for (size_t i = terms_.size(); i-- > 0;) {  // what a term is made of comes before it
    const Term &term = terms_[i];
    if (!parts[i] || term.kind == Kind::kInput || term.kind == Kind::kFresh) continue;
    add(term.a);
    add(term.b);
  }
  return parts;
}

std::string SymbolicDims::Text(int64_t value) const {
  const Term *term = TermOf(value);
  if (!term) return std::to_string(value);
  const auto both = [&](const char *sign) { return "(" + Text(term->a) + sign + Text(term->b) + ")"; };
  switch (term->kind) {
    case Kind::kAdd:
      return both("+");
    case Kind::kSubtract:
      return both("-");
    case Kind::kMultiply:
      return both("*");
    case Kind::kDivide:
      return both("//");
    default:
      return "s" + std::to_string(SymbolicNumber(value));
  }
}

}  // namespace gec
