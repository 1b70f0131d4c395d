// Demands of patterns beyond types and edges, finding in a loop, and rules whose replacement is given: through the
// facade.
#include <gtest/gtest.h>

#include <functional>

#include "es_all_ops.h"
#include "ge/fusion/find.h"
#include "ge/fusion/rewrite_all.h"

namespace ge {
namespace fusion {
namespace {

using es::EsGraphBuilder;
using es::EsTensorHolder;
using Tensors = std::vector<EsTensorHolder>;

/// A pattern, and its nodes by type.
struct Made {
  std::unique_ptr<Pattern> pattern;
  GNode At(const char *type) const {
    for (const GNode &node : pattern->GetGraph().GetDirectNode()) {
      AscendString text;
      (void)node.GetType(text);
      if (text == AscendString(type)) return node;
    }
    ADD_FAILURE() << "no " << type;
    return GNode();
  }
};
Made PatternOf(const std::function<Tensors(EsGraphBuilder &)> &build) {
  EsGraphBuilder b("pattern");
  return {std::unique_ptr<Pattern>(new Pattern(std::move(*b.BuildAndReset(build(b)))))};
}
GraphUniqPtr GraphOf(const std::function<Tensors(EsGraphBuilder &)> &build) {
  EsGraphBuilder b("graph");
  return b.BuildAndReset(build(b));
}
size_t Count(const Pattern &pattern, const Graph &graph) {
  size_t count = 0;
  for (const MatchResult &match : Find(pattern, graph)) count += match.GetMatchedNodes().empty() ? 0 : 1;
  return count;
}
size_t Nodes(const Graph &graph, const char *type) {
  size_t count = 0;
  for (const GNode &node : graph.GetDirectNode()) {
    AscendString text;
    (void)node.GetType(text);
    count += text == AscendString(type) ? 1 : 0;
  }
  return count;
}

Tensors AddNeg(EsGraphBuilder &b) {
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  return {es::Add(es::Neg(x), y)};
}
GraphUniqPtr Target() {
  return GraphOf([](EsGraphBuilder &b) -> Tensors {
    auto x = b.CreateInput(0), y = b.CreateInput(1);
    return {es::Add(es::Neg(x), y), es::Add(y, es::Neg(x)), es::Add(es::Abs(x), y), es::Add(x, y)};
  });
}

TEST(FusionRules, OperandsTypesAndMissingNodes) {
  const GraphUniqPtr graph = Target();
  {
    Made made = PatternOf(AddNeg);
    EXPECT_EQ(Count(*made.pattern, *graph), 1u);
    EXPECT_EQ(made.pattern->SetCommutative(made.At("Add")), SUCCESS);
    EXPECT_EQ(Count(*made.pattern, *graph), 2u);
    EXPECT_EQ(made.pattern->AddTypes(made.At("Neg"), {"Abs"}), SUCCESS);
    EXPECT_EQ(Count(*made.pattern, *graph), 3u);
    EXPECT_EQ(made.pattern->SetOptional(made.At("Neg")), SUCCESS);
    EXPECT_EQ(Count(*made.pattern, *graph), 4u);
  }
  Made made = PatternOf(AddNeg);
  EXPECT_NE(made.pattern->SetCommutative(made.At("Neg")), SUCCESS);  // one input
  EXPECT_NE(made.pattern->SetOptional(made.At("Neg"), 1), SUCCESS);
  EXPECT_NE(made.pattern->SetCommutative(graph->GetDirectNode().front()), SUCCESS);  // of another graph
}

TEST(FusionRules, Alternatives) {
  const GraphUniqPtr graph = Target();
  EsGraphBuilder b("pattern");
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  auto neg = es::Neg(x), abs = es::Abs(x);
  Pattern pattern(std::move(*b.BuildAndReset({es::Add(neg, y)})));
  EXPECT_EQ(Count(pattern, *graph), 1u);
  EXPECT_EQ(pattern.AddAlternative(*neg.GetProducer(), {*abs.GetProducer(), 0}), SUCCESS);
  EXPECT_EQ(Count(pattern, *graph), 2u);
}

TEST(FusionRules, AlternativesInACircle) {
  const GraphUniqPtr graph = Target();
  EsGraphBuilder b("pattern");
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  auto neg = es::Neg(x), abs = es::Abs(x);
  Pattern pattern(std::move(*b.BuildAndReset({es::Add(neg, y)})));
  EXPECT_EQ(pattern.AddAlternative(*neg.GetProducer(), {*abs.GetProducer(), 0}), SUCCESS);
  EXPECT_EQ(pattern.AddAlternative(*abs.GetProducer(), {*neg.GetProducer(), 0}), SUCCESS);
  MatchRange matches = Find(pattern, *graph);
  EXPECT_EQ(matches.begin(), matches.end());
  EXPECT_NE(matches.status(), SUCCESS);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("circle"), std::string::npos) << GeLastErrorMessage();
}

TEST(FusionRules, ConstraintsAsData) {
  const GraphUniqPtr graph = GraphOf([](EsGraphBuilder &b) -> Tensors {
    auto x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2, 3});
    auto half = b.CreateScalar(0.5f), two = b.CreateScalar(2.0f);
    return {es::Mul(x, half), es::Mul(x, two), es::Mul(x, x)};
  });
  auto with = [&](const std::function<Status(Made &)> &say) {
    Made made = PatternOf([](EsGraphBuilder &b) -> Tensors {
      auto x = b.CreateInput(0), y = b.CreateInput(1);
      return {es::Mul(x, y)};
    });
    EXPECT_EQ(say(made), SUCCESS);
    return Count(*made.pattern, *graph);
  };
  auto input = [](Made &made, size_t index) { return made.pattern->GetGraph().GetAllNodes().at(index); };
  EXPECT_EQ(with([&](Made &m) { return m.pattern->RequireConstant(input(m, 1), 0.5); }), 1u);
  EXPECT_EQ(with([&](Made &m) { return m.pattern->RequireConstant(input(m, 1), 0.6, 0.2); }), 1u);
  EXPECT_EQ(with([&](Made &m) { return m.pattern->RequireConstant(input(m, 1), 1.2, 1); }), 2u);
  EXPECT_EQ(with([&](Made &m) { return m.pattern->RequireShape({input(m, 1), 0}, {2, -1}); }), 1u);
  EXPECT_EQ(with([&](Made &m) { return m.pattern->RequireShape({input(m, 0), 0}, {2, 4}); }), 0u);
  EXPECT_EQ(with([&](Made &m) { return m.pattern->RequireDtypes({input(m, 0), 0}, {DT_FLOAT, DT_INT8}); }), 3u);
  EXPECT_EQ(with([&](Made &m) { return m.pattern->RequireDtypes({input(m, 0), 0}, {DT_INT8}); }), 0u);
  Made made = PatternOf(AddNeg);
  EXPECT_NE(made.pattern->RequireDtypes({made.At("Add"), 1}, {DT_INT8}), SUCCESS);  // no such output
  EXPECT_NE(made.pattern->RequireConstant(made.At("Add"), 1, -1), SUCCESS);
}

TEST(FusionRules, ALoopMayRewriteWhatItFinds) {
  const GraphUniqPtr graph = Target();
  Made made = PatternOf(AddNeg);
  (void)made.pattern->SetCommutative(made.At("Add"));
  MatchRange matches = Find(*made.pattern, *graph);
  auto at = matches.begin();
  ASSERT_NE(at, matches.end());
  EXPECT_EQ(at->GetMatchedNodes().size(), 2u);
  EXPECT_NE(++at, matches.end());
  EXPECT_EQ(++at, matches.end());
  EXPECT_EQ(matches.status(), SUCCESS);
}

TEST(FusionRules, GivenReplacements) {
  GraphUniqPtr graph = Target();
  Made made = PatternOf(AddNeg);
  (void)made.pattern->SetCommutative(made.At("Add"));
  const GraphUniqPtr difference = GraphOf([](EsGraphBuilder &b) -> Tensors {
    auto x = b.CreateInput(0), y = b.CreateInput(1);
    return {es::Sub(y, x)};
  });
  const std::vector<RewriteRule> rules = {{made.pattern.get(), difference.get()}};
  RewriteOptions options;
  options.dry_run = true;
  RewriteCounts counts;
  EXPECT_EQ(RewriteAll(*graph, rules, options, &counts), SUCCESS);
  EXPECT_EQ(counts.tried, 2);
  EXPECT_EQ(counts.applied, 0);
  EXPECT_EQ(Nodes(*graph, "Neg"), 2u);
  options.dry_run = false;
  options.max_rewrites = 1;
  EXPECT_NE(RewriteAll(*graph, rules, options, &counts), SUCCESS);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("'pattern'"), std::string::npos) << GeLastErrorMessage();
  EXPECT_EQ(Nodes(*graph, "Neg"), 2u);  // as before
  options.max_rewrites = 0;
  EXPECT_EQ(RewriteAll(*graph, rules, options, &counts), SUCCESS);
  EXPECT_EQ(counts.applied, 2);
  EXPECT_EQ(Nodes(*graph, "Neg"), 0u);
  EXPECT_EQ(Nodes(*graph, "Sub"), 2u);
  // No replacement, and nobody to ask for one.
  EXPECT_NE(RewriteAll(*graph, {{made.pattern.get(), nullptr}}), SUCCESS);
}

}  // namespace
}  // namespace fusion
}  // namespace ge
