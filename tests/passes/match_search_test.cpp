// The cost of a search where operands come in either order, and its end; and which inputs of nodes with dynamic ports
// belong together.
#include "core/support/error.h"
#include "pattern_kit.h"

using namespace gec;
using namespace gec::test;

namespace {

/// A sum of these, as a tree as flat as can be.
Endpoint Sum(Builder &b, std::vector<Endpoint> parts) {
  while (parts.size() > 1) {
    std::vector<Endpoint> sums;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) sums.push_back(b("Add", {parts[i], parts[i + 1]}));
    if (parts.size() % 2) sums.push_back(parts.back());
    parts = std::move(sums);
  }
  return parts[0];
}
void AllCommutative(GraphPattern &pattern) {
  for (const Node *node : pattern.graph->Nodes())
    if (node->type().view() == "Add") pattern.rules[node].commutative = true;
}

TEST(MatchSearch, SumsOfManyPartsInAnyOrder) {
  for (size_t count : {8u, 32u, 128u}) {
    for (bool shared : {false, true}) {
      // `last`: the type of one part, the others are Neg.
      auto sum = [&](const char *last, size_t at) {
        return [=](Builder &b) -> std::vector<Endpoint> {
          std::vector<Endpoint> parts;
          const Endpoint x = b.Input({4});
          for (size_t i = 0; i < count; ++i)
            parts.push_back(b(i == at ? last : "Neg", {shared || i == 0 ? x : b.Input({4})}));
          return {Sum(b, parts)};
        };
      };
      const GraphPatternPtr pattern = PatternOf(sum("Abs", count - 1), AllCommutative);
      EXPECT_EQ(Matches(*GraphOf(sum("Exp", count - 1)), pattern), 0u) << count << shared;
      EXPECT_EQ(Matches(*GraphOf(sum("Exp", 0)), pattern), 0u) << count << shared;
      EXPECT_EQ(Matches(*GraphOf(sum("Abs", 0)), pattern), 1u) << count << shared;
      EXPECT_EQ(Matches(*GraphOf(sum("Abs", count / 2)), pattern), 1u) << count << shared;
    }
  }
}

TEST(MatchSearch, SumsOfATensorWithItself) {
  auto doubled = [](const char *leaf) {
    return [=](Builder &b) -> std::vector<Endpoint> {
      Endpoint t = b(leaf, {b.Input({4})});
      for (int i = 0; i < 60; ++i) t = b("Add", {t, t});
      return {t};
    };
  };
  const GraphPatternPtr pattern = PatternOf(doubled("Neg"), AllCommutative);
  EXPECT_EQ(Matches(*GraphOf(doubled("Abs")), pattern), 0u);
  EXPECT_EQ(Matches(*GraphOf(doubled("Neg")), pattern), 1u);
}

TEST(MatchSearch, AnOrderThatALaterPartNeeds) {
  // The product fails in both of its orders until the sum before it is taken in its second one.
  Builder b;
  Endpoint x = b.Input({4}), y = b.Input({4}), z = b.Input({4});
  b.Outputs({b("Sub", {b("Add", {x, y}), b("Mul", {b("Neg", {y}), b("Abs", {z})})})});
  const GraphPatternPtr pattern = PatternOf(
      [](Builder &p) -> std::vector<Endpoint> {
        Endpoint one = p.Input({4}), two = p.Input({4}), three = p.Input({4});
        return {p("Sub", {p("Add", {one, two}), p("Mul", {p("Neg", {one}), p("Abs", {three})})})};
      },
      [](GraphPattern &p) {
        for (const char *type : {"Add", "Mul"}) p.rules[Named(*p.graph, type)].commutative = true;
      });
  GraphMatcher matcher(pattern, b.graph, {});
  const std::unique_ptr<GraphMatch> match = matcher.Next();
  ASSERT_NE(match, nullptr);
  const std::vector<Endpoint> expected{y, x, z};
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(match->At(pattern->graph->Inputs()[i]), expected[i]) << i;
}

TEST(MatchSearch, WaysThatMeetAgain) {
  // Both operands of each sum are sums of the same two tensors: 2^40 ways lead down.
  auto ladder = [](Builder &b) -> std::vector<Endpoint> {
    Endpoint left = b("Exp", {b.Input({4})}), right = b("Sin", {b.Input({4})});
    for (int i = 0; i < 40; ++i) {
      const Endpoint next = b("Add", {left, right});
      right = b("Add", {right, left});
      left = next;
    }
    return {left, right};
  };
  auto chain = [](const char *leaf) {
    return [=](Builder &b) -> std::vector<Endpoint> {
      Endpoint t = b(leaf, {b.Input({4})});
      for (int i = 0; i < 40; ++i) t = b("Add", {t, b.Input({4})});
      return {t};
    };
  };
  EXPECT_EQ(Matches(*GraphOf(ladder), PatternOf(chain("Neg"), AllCommutative)), 0u);
}

TEST(MatchSearch, OneThatIsTooLongIsAnError) {
  // The same parts twice, and one pair of them is exchanged: each order of the first half is tried with the second.
  auto twice = [](bool exchanged) {
    return [=](Builder &b) -> std::vector<Endpoint> {
      std::vector<Endpoint> parts, again;
      for (int i = 0; i < 64; ++i) parts.push_back(b.Input({4}));
      for (Endpoint e : parts) again.push_back(b("Neg", {e}));
      if (exchanged) std::swap(again[63], again[31]);
      return {b("Sub", {Sum(b, parts), Sum(b, again)})};
    };
  };
  const GraphPatternPtr pattern = PatternOf(twice(false), AllCommutative);
  pattern->graph->set_name("Endless");
  EXPECT_EQ(Matches(*GraphOf(twice(false)), pattern), 1u);
  const GraphPtr graph = GraphOf(twice(true));
  try {
    (void)Matches(*graph, pattern);
    ADD_FAILURE() << "it came to an end";
  } catch (const Error &e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("'Endless'"), std::string::npos) << text;
    EXPECT_NE(text.find("1000000"), std::string::npos) << text;
    EXPECT_NE(text.find(Only(*graph, "Sub")->Label()), std::string::npos) << text;
  }
}

// ---- dynamic ports ----

GraphPatternPtr Concat(size_t parts, bool more, double axis) {
  return PatternOf(
      [&](Builder &p) -> std::vector<Endpoint> {
        std::vector<Endpoint> inputs;
        for (size_t i = 0; i < parts; ++i) inputs.push_back(p.Input({2}));
        inputs.push_back(p.Input({}, C_DT_INT64));
        return {p("Relu", {p("ConcatV2", inputs, {{"N", static_cast<int64_t>(parts)}})})};
      },
      [&](GraphPattern &p) {
        PatternNodeRule &rule = p.rules[Named(*p.graph, "ConcatV2")];
        rule.dynamic = true;
        rule.more_inputs = more;
        MatchConstraint near;
        near.test = MatchConstraint::kNear;
        near.wanted = axis;
        p.rules[p.graph->Inputs()[parts]].constraints = {near};
      });
}

TEST(MatchSearch, InputsBehindADynamicPort) {
  Builder b;
  Endpoint x = b.Input({2}), y = b.Input({2}), z = b.Input({2}), axis = b.Int(0);
  b.Outputs({b("Relu", {b("ConcatV2", {x, y, z, z, axis}, {{"N", int64_t{4}}})})});
  // The pattern's axis is compared with the axis.
  EXPECT_EQ(Matches(*b.graph, Concat(2, true, 1)), 0u);
  EXPECT_EQ(Matches(*b.graph, Concat(2, false, 0)), 0u);
  EXPECT_EQ(Matches(*b.graph, Concat(4, false, 0)), 1u);
  EXPECT_EQ(Matches(*b.graph, Concat(5, true, 0)), 0u);
  GraphMatcher matcher(Concat(2, true, 0), b.graph, {});
  const std::unique_ptr<GraphMatch> match = matcher.Next();
  ASSERT_NE(match, nullptr);
  const std::vector<Node *> inputs = match->pattern().graph->Inputs();
  EXPECT_EQ(match->At(inputs[0]), x);
  EXPECT_EQ(match->At(inputs[1]), y);
  EXPECT_EQ(match->At(inputs[2]), axis);
  // Instances beyond those of the pattern are the last inputs of the boundary.
  const Boundary boundary = match->ToBoundary();
  ASSERT_EQ(boundary.inputs.size(), 4u);
  const Node *concat = Only(*b.graph, "ConcatV2");
  const std::vector<std::vector<int32_t>> ports = {{0}, {1}, {4}, {2, 3}};
  for (size_t i = 0; i < ports.size(); ++i) {
    std::vector<int32_t> read;
    for (const Use &use : boundary.inputs.at(static_cast<int64_t>(i))) {
      EXPECT_EQ(use.node, concat);
      read.push_back(use.port);
    }
    EXPECT_EQ(read, ports[i]) << "input " << i;
  }
}

}  // namespace
