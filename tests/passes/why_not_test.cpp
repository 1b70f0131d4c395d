// Why rules that are patterns did not match: what is told, and what is not.
#include "core/passes/why_not.h"

#include "core/support/error.h"
#include "pattern_kit.h"

using namespace gec;
using namespace gec::test;

namespace {

/// Runs the rule on the graph, and tells.
WhyNot Asked(Graph &graph, const GraphPatternPtr &pattern, const Build &replacement, PassRun *run = nullptr,
             FusionCounts *counts = nullptr) {
  WhyNot why;
  pattern->graph->set_name("Rule");
  FusionHooks<GraphMatch> hooks;
  hooks.given = GraphOf(replacement);
  PassContext ctx;
  ctx.why_not = &why;
  PassRun own;
  ctx.CountIn(run ? run : &own);
  const FusionCounts done = FusePatterns(graph, {pattern}, {}, {hooks}, ctx);
  if (counts) *counts = done;
  return why;
}
std::vector<Endpoint> ReluOf(Builder &b) { return {b("Relu", {b.Input({4})})}; }
std::vector<Endpoint> ProductOf(Builder &b) {
  Endpoint x = b.Input({4}), y = b.Input({4});
  return {b("Mul", {x, y})};
}
/// All of it in one line each.
std::string Text(const std::vector<NearMiss> &misses) {
  std::string text;
  for (const NearMiss &m : misses)
    text += Str(m.rule, " | ", m.root, " | ", m.constraint, " | ", m.pattern_node, " | ", m.node, " | ", m.expected,
                " | ", m.actual, "\n");
  return text;
}

TEST(WhyNot, AnOperatorThatTheGraphHasNowhere) {
  Builder b;
  Endpoint x = b.Input({4}), y = b.Input({4}), sin = b("Sin", {y}), add = b("Add", {b("Neg", {x}), sin});
  b.Outputs({add});
  const GraphPatternPtr pattern = PatternOf([](Builder &p) -> std::vector<Endpoint> {
    return {p("Add", {p("Neg", {p.Input({4})}), p("Cos", {p.Input({4})})})};
  });
  const WhyNot why = Asked(*b.graph, pattern, ProductOf);
  for (const std::string &node : {std::string(), add.node->name(), sin.node->name()}) {
    const std::vector<NearMiss> misses = why.Misses(node);
    ASSERT_FALSE(misses.empty()) << node;
    const NearMiss &best = misses[0];
    EXPECT_EQ(best.root, add.node->Label()) << node;
    EXPECT_EQ(best.constraint, "operator");
    EXPECT_EQ(best.pattern_node, Only(*pattern->graph, "Cos")->Label());
    EXPECT_EQ(best.node, sin.node->Label());
    EXPECT_EQ(best.expected, "Cos");
    EXPECT_EQ(best.actual, sin.node->Label());
  }
}

TEST(WhyNot, AGraphInWhichNoMatchCanBegin) {
  Builder b;
  Endpoint sin = b("Sin", {b.Input({4})});
  b.Outputs({sin});
  const WhyNot why = Asked(
      *b.graph, PatternOf([](Builder &p) -> std::vector<Endpoint> { return {p("Exp", {p.Input({4})})}; }), ReluOf);
  EXPECT_EQ(Text(why.Misses("")), "Rule |  | operator |  |  | Exp | the graph has none\n");
  ASSERT_EQ(why.Misses(sin.node->name()).size(), 1u);
  EXPECT_EQ(why.Misses(sin.node->name())[0].actual, sin.node->Label());
}

TEST(WhyNot, AnOutputThatNothingStandsFor) {
  Builder b;
  Endpoint exp = b("Exp", {b.Input({4})}), sin = b("Sin", {b.Input({4})});
  b.Outputs({exp, sin});
  const GraphPatternPtr pattern = PatternOf([](Builder &p) -> std::vector<Endpoint> {
    Endpoint x = p.Input({4});
    return {p("Exp", {x}), p("Sin", {x})};
  });
  const WhyNot why = Asked(*b.graph, pattern, [](Builder &r) -> std::vector<Endpoint> {
    Endpoint x = r.Input({4});
    return {r("Sin", {x}), r("Exp", {x})};
  });
  for (const std::string &node : {std::string(), exp.node->name()}) {
    const std::vector<NearMiss> misses = why.Misses(node);
    ASSERT_EQ(misses.size(), 1u) << Text(misses);
    EXPECT_EQ(misses[0].root, exp.node->Label());
    EXPECT_EQ(misses[0].constraint, "operator");
    EXPECT_EQ(misses[0].pattern_node, Only(*pattern->graph, "Sin")->Label());
    EXPECT_EQ(misses[0].expected, "Sin");
  }
}

TEST(WhyNot, ANodeAtWhichNoMatchCanBegin) {
  Builder b;
  Endpoint x = b.Input({4}), sin = b("Sin", {x});
  b.Outputs({sin, b("Mul", {b("Neg", {x}), x})});
  const GraphPatternPtr pattern = PatternOf(
      [](Builder &p) -> std::vector<Endpoint> {
        return {p("Mul", {p("Abs", {p.Input({4})}), p.Input({4})})};
      },
      [](GraphPattern &p) { p.rules[Named(*p.graph, "Mul")].types = {Symbol("Add")}; });
  const WhyNot why = Asked(*b.graph, pattern, ProductOf);
  const std::vector<NearMiss> misses = why.Misses(sin.node->name());
  ASSERT_EQ(misses.size(), 1u) << Text(misses);
  EXPECT_EQ(misses[0].rule, "Rule");
  EXPECT_EQ(misses[0].root, sin.node->Label());
  EXPECT_EQ(misses[0].constraint, "operator");
  EXPECT_EQ(misses[0].pattern_node, Only(*pattern->graph, "Mul")->Label());
  EXPECT_EQ(misses[0].node, sin.node->Label());
  EXPECT_EQ(misses[0].expected, "Mul or Add");
  EXPECT_EQ(misses[0].actual, sin.node->Label());
  // Without a node only candidates are told of.
  ASSERT_EQ(why.Misses("").size(), 1u) << Text(why.Misses(""));
  EXPECT_NE(why.Misses("")[0].root, sin.node->Label());
  // Neither is anybody blamed whom the graph does not have.
  EXPECT_TRUE(why.Misses("nobody").empty());
}

TEST(WhyNot, WhatMatchedIsNoMiss) {
  const Build target = [](Builder &b) -> std::vector<Endpoint> {
    return {b("Add", {b.Input({4}), b("Neg", {b.Input({4})})})};
  };
  {
    const GraphPtr graph = GraphOf(target);  // in the second order
    const std::string root = Only(*graph, "Add")->name();
    const WhyNot why = Asked(*graph,
                             PatternOf(
                                 [](Builder &p) -> std::vector<Endpoint> {
                                   return {p("Add", {p("Neg", {p.Input({4})}), p.Input({4})})};
                                 },
                                 [](GraphPattern &p) { p.rules[Named(*p.graph, "Add")].commutative = true; }),
                             ProductOf);
    EXPECT_EQ(Count(*graph, "Mul"), 1u);
    EXPECT_EQ(Text(why.Misses("")), "");
    EXPECT_EQ(Text(why.Misses(root)), "");
  }
  const GraphPtr graph = GraphOf([](Builder &b) -> std::vector<Endpoint> { return {b("Exp", {b.Input({4})})}; });
  const WhyNot why =
      Asked(*graph,
            PatternOf([](Builder &p) -> std::vector<Endpoint> { return {p("Exp", {p("Neg", {p.Input({4})})})}; },
                      [](GraphPattern &p) { p.rules[Named(*p.graph, "Neg")].optional_input = 0; }),
            ReluOf);
  EXPECT_EQ(Count(*graph, "Relu"), 1u);
  EXPECT_EQ(Text(why.Misses("")), "");
}

TEST(WhyNot, AMissBeforeAMatchStays) {
  Builder b;
  Endpoint x = b.Input({4}), wrong = b("Exp", {b("Abs", {x})});
  b.Outputs({wrong, b("Exp", {b("Neg", {x})})});
  const WhyNot why = Asked(
      *b.graph, PatternOf([](Builder &p) -> std::vector<Endpoint> { return {p("Exp", {p("Neg", {p.Input({4})})})}; }),
      ReluOf);
  ASSERT_EQ(why.Misses("").size(), 1u) << Text(why.Misses(""));
  EXPECT_EQ(why.Misses("")[0].root, wrong.node->Label());
}

/// A node that may be missing has an input that nothing else of the pattern reads: without it a match has nothing to
/// give the replacement there.
TEST(WhyNot, AMissingNodeWithAnInputOfItsOwn) {
  Builder b;
  Endpoint x = b.Input({4}), alone = b("Relu", {b("Abs", {x})});
  b.Outputs({alone, b("Relu", {b("Add", {b("Neg", {x}), b.Input({4})})})});
  const GraphPatternPtr pattern = PatternOf(
      [](Builder &p) -> std::vector<Endpoint> {
        Endpoint y = p.Input({4}), z = p.Input({4});
        return {p("Relu", {p("Add", {y, z})})};
      },
      [](GraphPattern &p) { p.rules[Named(*p.graph, "Add")].optional_input = 0; });
  const std::string optional = Only(*pattern->graph, "Add")->Label();
  EXPECT_EQ(Matches(*b.graph, pattern), 2u);
  PassRun run;
  FusionCounts counts;
  const WhyNot why = Asked(*b.graph, pattern, ProductOf, &run, &counts);
  EXPECT_EQ(counts.tried, 2);
  EXPECT_EQ(counts.applied, 1);
  EXPECT_EQ(counts.declined, 1);
  EXPECT_EQ(Count(*b.graph, "Mul"), 1u);
  EXPECT_FALSE(alone.node->removed());
  EXPECT_EQ(run.rules["Rule"].declined, 1);
  EXPECT_NE(run.rules["Rule"].last_refusal.find(optional), std::string::npos) << run.rules["Rule"].last_refusal;
  ASSERT_EQ(why.Misses("").size(), 1u) << Text(why.Misses(""));
  const NearMiss miss = why.Misses("")[0];
  EXPECT_EQ(miss.constraint, "arity");
  EXPECT_EQ(miss.pattern_node, optional);
  EXPECT_EQ(miss.expected, "a node that reads input 1 of the pattern");
  EXPECT_EQ(miss.root, alone.node->Label());
  EXPECT_NE(miss.actual.find(optional), std::string::npos) << miss.actual;
  EXPECT_NE(miss.actual.find("input 1"), std::string::npos) << miss.actual;
}

/// The same for an alternative that reads less.
TEST(WhyNot, AnAlternativeThatReadsLess) {
  Builder b;
  b.Outputs({b("Relu", {b("Abs", {b.Input({4})})})});
  Builder p;
  Endpoint x = p.Input({4}), y = p.Input({4}), sum = p("Add", {x, y}), abs = p("Abs", {x});
  p.Outputs({p("Relu", {sum})});
  auto pattern = std::make_shared<GraphPattern>();
  pattern->graph = p.graph;
  pattern->rules[sum.node].alternatives = {abs};
  FusionCounts counts;
  const WhyNot why = Asked(*b.graph, pattern, ProductOf, nullptr, &counts);
  EXPECT_EQ(counts.declined, 1);
  ASSERT_EQ(why.Misses("").size(), 1u) << Text(why.Misses(""));
  EXPECT_NE(why.Misses("")[0].actual.find(sum.node->Label()), std::string::npos) << why.Misses("")[0].actual;
}

}  // namespace
