// SymbolicDims beside plain arithmetic: random expressions, computed with numbers for many sizes.
#include "core/ops/symbolic_facts.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/ir/shape.h"

namespace gec {
namespace {

using Sizes = std::vector<int64_t>;

/// A value as the table knows it and as arithmetic does.
struct Pair {
  int64_t value = 0;
  std::function<int64_t(const Sizes &)> number;
  int degree = 1;  // kept low: arithmetic must not overflow
};

Sizes RandomSizes(std::mt19937 &random, size_t count) {
  Sizes sizes;
  for (size_t i = 0; i < count; ++i) sizes.push_back(2 + static_cast<int64_t>(random() % 40));
  return sizes;
}

int64_t FloorDivided(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// One more value made of those there are; nothing where the table has no name for it.
std::optional<Pair> Combined(SymbolicDims &symbolic, const Pair &a, const Pair &b, int64_t constant, uint32_t kind) {
  const auto f = a.number, g = b.number;
  const int64_t c = constant;
  Pair made;
  switch (kind % 6) {
    case 0:
      made = {symbolic.Add(a.value, b.value), [f, g](const Sizes &s) { return f(s) + g(s); }, 1};
      break;
    case 1:
      made = {symbolic.Subtract(a.value, b.value), [f, g](const Sizes &s) { return f(s) - g(s); }, 1};
      break;
    case 2:
      made = {symbolic.Multiply(a.value, b.value), [f, g](const Sizes &s) { return f(s) * g(s); }, 1};
      break;
    case 3:
      made = {symbolic.Add(a.value, c), [f, c](const Sizes &s) { return f(s) + c; }, 1};
      break;
    case 4:
      made = {symbolic.Multiply(a.value, c), [f, c](const Sizes &s) { return f(s) * c; }, 1};
      break;
    default:
      made = {symbolic.Divide(a.value, 1 + (c < 0 ? -c : c)),
              [f, c](const Sizes &s) { return FloorDivided(f(s), 1 + (c < 0 ? -c : c)); }, 1};
  }
  made.degree = kind % 6 == 2 ? a.degree + b.degree : kind % 6 == 4 ? a.degree + 1 : std::max(a.degree, b.degree);
  return made.value == SymbolicDims::kNothing || made.degree > 6 ? std::nullopt : std::optional(made);
}

std::vector<Pair> RandomPairs(SymbolicDims &symbolic, std::mt19937 &random, const Sizes &first) {
  std::vector<Pair> pairs;
  for (size_t i = 0; i < first.size(); ++i)
    pairs.push_back({symbolic.Input(first[i]), [i](const Sizes &s) { return s[i]; }, 1});
  for (int k = 0; k < 25; ++k) {
    const int64_t constant = static_cast<int64_t>(random() % 9) - 4;
    const Pair a = pairs[random() % pairs.size()], b = pairs[random() % pairs.size()];
    if (auto made = Combined(symbolic, a, b, constant, random())) pairs.push_back(*made);
  }
  return pairs;
}

TEST(SymbolicDims, EqualValuesAreEqualNumbers) {
  std::mt19937 random(1);
  size_t merged = 0;
  for (int round = 0; round < 300; ++round) {
    SymbolicDims symbolic;
    const std::vector<Pair> pairs = RandomPairs(symbolic, random, RandomSizes(random, 3));
    for (int k = 0; k < 20; ++k) {
      const Sizes sizes = RandomSizes(random, 3);
      for (size_t i = 0; i < pairs.size(); ++i) {
        if (!IsSymbolic(pairs[i].value)) {
          EXPECT_EQ(pairs[i].value, pairs[i].number(sizes));
        }
        for (size_t j = 0; j < i; ++j) {
          if (pairs[i].value != pairs[j].value) continue;
          ++merged;
          ASSERT_EQ(pairs[i].number(sizes), pairs[j].number(sizes)) << symbolic.Text(pairs[i].value);
        }
      }
    }
  }
  EXPECT_GT(merged, 1000u);  // else nothing was compared
}

TEST(SymbolicDims, ConditionsSayForWhichSizesAnswersHold) {
  std::mt19937 random(2);
  size_t served = 0, refused = 0, limited = 0, divided = 0;
  for (int round = 0; round < 300; ++round) {
    SymbolicDims symbolic;
    const Sizes first = RandomSizes(random, 2);
    const std::vector<Pair> pairs = RandomPairs(symbolic, random, first);
    std::vector<std::function<bool(const Sizes &)>> answers;
    for (int k = 0; k < 3; ++k) {
      const Pair a = pairs[random() % pairs.size()], b = pairs[random() % pairs.size()];
      if (random() % 2) {
        const bool less = symbolic.LessEqual(a.value, b.value).value();
        EXPECT_EQ(less, a.number(first) <= b.number(first));
        answers.push_back([a, b, less](const Sizes &s) { return less == (a.number(s) <= b.number(s)); });
      } else {
        const bool same = symbolic.Equal(a.value, b.value).value();
        EXPECT_EQ(same, a.number(first) == b.number(first));
        answers.push_back([a, b, same](const Sizes &s) { return same == (a.number(s) == b.number(s)); });
      }
    }
    EXPECT_TRUE(symbolic.Fits(first));
    for (int k = 0; k < 20; ++k) {
      const Sizes sizes = RandomSizes(random, 2);
      bool all = true;
      for (const auto &holds : answers) all = all && holds(sizes);
      EXPECT_EQ(symbolic.Fits(sizes), all);
      ++(all ? served : refused);
      if (!all || *std::min_element(sizes.begin(), sizes.end()) < SymbolicDims::kLeastInput) continue;
      const SymbolicFacts facts(symbolic);
      for (const Pair &pair : pairs) {
        const SymbolicDims::Range range = facts.RangeOf(pair.value);
        const int64_t number = pair.number(sizes);
        if (number < 0) continue;  // no extent
        EXPECT_GE(number, range.low) << symbolic.Text(pair.value);
        if (range.high >= 0) {
          EXPECT_LE(number, range.high) << symbolic.Text(pair.value);
        }
        limited += range.low > 0 || range.high >= 0;
        const int32_t multiple = facts.MultipleOf(pair.value);
        ASSERT_GE(multiple, 1);
        EXPECT_EQ(number % multiple, 0) << symbolic.Text(pair.value) << " at " << number;
        divided += IsSymbolic(pair.value) && multiple > 1;
      }
    }
  }
  EXPECT_GT(served, 500u);
  EXPECT_GT(refused, 500u);
  EXPECT_GT(limited, 5000u);  // ranges that say something
  EXPECT_GT(divided, 500u);
}

TEST(SymbolicDims, WhatDividesAnExtentFollowsFromFormulasAndConditions) {
  SymbolicDims symbolic;
  const int64_t s = symbolic.Input(12), t = symbolic.Input(12);
  const auto multiple = [&](int64_t extent) { return SymbolicFacts(symbolic).MultipleOf(extent); };
  EXPECT_EQ(multiple(s), 1);
  EXPECT_EQ(multiple(48), 48);
  EXPECT_EQ(multiple(0), 1);
  EXPECT_EQ(multiple(int64_t{1} << 40), 1);  // more than the number holds
  EXPECT_EQ(multiple(symbolic.Add(symbolic.Multiply(s, 12), 8)), 4);
  EXPECT_EQ(multiple(symbolic.Add(s, s)), 2);
  EXPECT_EQ(multiple(symbolic.Divide(symbolic.Multiply(s, 12), 4)), 3);
  EXPECT_EQ(multiple(symbolic.Divide(s, 4)), 1);
  EXPECT_TRUE(symbolic.Equal(symbolic.Multiply(symbolic.Divide(s, 4), 4), s).value());
  EXPECT_EQ(multiple(s), 4);
  EXPECT_EQ(symbolic.Pin(t), 12);
  EXPECT_EQ(multiple(t), 12);
  const SymbolicFacts before(symbolic);
  const int64_t later = symbolic.Multiply(t, 6);
  EXPECT_EQ(before.MultipleOf(later), 1);
  EXPECT_EQ(before.RangeOf(later).high, -1);
}

// With a walk through both operands this would take 2^200 steps.
TEST(SymbolicDims, TermsThatShareOperandsAreWorkedOutOnce) {
  SymbolicDims symbolic;
  int64_t value = symbolic.Input(8);
  for (int level = 0; level < 200; ++level)
    value = symbolic.Divide(symbolic.Add(value, symbolic.Divide(symbolic.Add(value, 2), 2)), 2);
  const SymbolicFacts facts(symbolic);
  EXPECT_GE(facts.RangeOf(value).low, 0);
  EXPECT_EQ(facts.MultipleOf(value), 1);
}

TEST(SymbolicDims, APinnedValueStaysWhatItWas) {
  SymbolicDims symbolic;
  const int64_t s = symbolic.Input(8);
  const int64_t odd = symbolic.Subtract(s, symbolic.Multiply(symbolic.Divide(s, 2), 2));
  EXPECT_EQ(symbolic.Pin(odd), 0);
  EXPECT_TRUE(symbolic.Fits({20}));
  EXPECT_FALSE(symbolic.Fits({21}));
}

TEST(SymbolicDims, AnExtentThatIsNotZeroStaysSo) {
  SymbolicDims symbolic;
  const int64_t s = symbolic.Input(5), t = symbolic.Input(2);
  EXPECT_EQ(symbolic.Extent(s), s);
  EXPECT_EQ(symbolic.condition_count(), 0u);  // inputs are never 0
  const int64_t rest = symbolic.Subtract(s, 3), none = symbolic.Subtract(t, 2);
  EXPECT_EQ(symbolic.Extent(rest), rest);
  EXPECT_EQ(symbolic.Extent(none), 0);
  EXPECT_TRUE(symbolic.Fits({4, 2}));
  EXPECT_FALSE(symbolic.Fits({3, 2}));
  EXPECT_FALSE(symbolic.Fits({4, 3}));
}

TEST(SymbolicDims, WhatWasMultipliedCancelsOutWhereItIsNotZero) {
  SymbolicDims symbolic;
  const int64_t s = symbolic.Input(5), by = symbolic.Subtract(symbolic.Input(9), 4);
  EXPECT_EQ(symbolic.Divide(symbolic.Multiply(s, by), by), s);
  EXPECT_TRUE(symbolic.Fits({7, 5}));
  EXPECT_FALSE(symbolic.Fits({7, 4}));
}

TEST(SymbolicDims, OfWhatIsNotKnownNothingIsDecided) {
  SymbolicDims symbolic;
  const int64_t s = symbolic.Input(3), other = symbolic.Fresh();
  EXPECT_NE(other, symbolic.Fresh());
  EXPECT_FALSE(symbolic.Equal(s, other).has_value());
  EXPECT_FALSE(symbolic.LessEqual(other, 5).has_value());
  EXPECT_FALSE(symbolic.Pin(symbolic.Add(other, 1)).has_value());
  EXPECT_TRUE(symbolic.Equal(other, other).value());
  EXPECT_EQ(symbolic.Subtract(symbolic.Add(other, 7), other), 7);
  EXPECT_TRUE(symbolic.Fits({9}));
  EXPECT_FALSE(symbolic.Fits({}));
}

TEST(SymbolicDims, AccidentsAreNoSymbolicDims) {
  SymbolicDims symbolic;
  const int64_t s = symbolic.Input(4);
  for (int64_t by : {1, -1, 7, 4095}) EXPECT_FALSE(IsSymbolic(s + by));
  EXPECT_FALSE(IsSymbolic(-1));
  EXPECT_FALSE(IsSymbolic(INT64_MIN));
  EXPECT_FALSE(IsSymbolic(INT64_MIN + 1));
  EXPECT_FALSE(symbolic.Has(SymbolicDim(1)));
  EXPECT_EQ(symbolic.Add(s + 1, 2), SymbolicDims::kNothing);
  EXPECT_EQ(symbolic.Add(INT64_MAX, 1), SymbolicDims::kNothing);
  EXPECT_EQ(symbolic.Divide(s, 0), SymbolicDims::kNothing);
  EXPECT_EQ(symbolic.Divide(s, -2), SymbolicDims::kNothing);
}

TEST(SymbolicDims, ShapesWithSymbolicDims) {
  SymbolicDims symbolic;
  const int64_t s = symbolic.Input(4);
  const Shape x{2, s, 3}, open{2, -1, 3};
  EXPECT_TRUE(x.determined());
  EXPECT_FALSE(x.known());
  EXPECT_FALSE(open.determined());
  EXPECT_EQ(x, (Shape{2, s, 3}));
  EXPECT_NE(x, open);
  EXPECT_EQ(x.str(), "[2, s0, 3]");
  EXPECT_EQ(x.elements(), -1);
  EXPECT_EQ(symbolic.Text(symbolic.Add(symbolic.Divide(symbolic.Subtract(s, 1), 2), 1)), "(((s0+-1)//2)+1)");
}

}  // namespace
}  // namespace gec
