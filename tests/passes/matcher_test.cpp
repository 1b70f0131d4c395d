// Demands that the matcher takes beyond types and edges: what matches, what is left alone, and what a rewrite makes
// of it; and the rules of the loop.
#include "core/pattern/compiled_pattern.h"
#include "core/support/error.h"
#include "pattern_kit.h"

using namespace gec;
using namespace gec::test;

namespace {

/// Before and after a rewrite the graph computes the same.
void ExpectRewritten(const Build &target, const GraphPatternPtr &pattern, const Build &replacement, size_t times) {
  Builder b;
  b.Outputs(target(b));
  const std::vector<TensorPtr> feeds = RandomFeeds(*b.graph);
  const std::vector<TensorPtr> before = Execute(*b.graph, feeds, Reference());
  const FusionCounts counts = Rewrite(*b.graph, pattern, GraphOf(replacement));
  EXPECT_EQ(static_cast<size_t>(counts.applied), times);
  b.graph->Verify();
  ExpectSame(before, Execute(*b.graph, feeds, Reference()), 1e-5f);
}

TEST(Matcher, OperandsInEitherOrder) {
  const Build target = [](Builder &b) -> std::vector<Endpoint> {
    Endpoint x = b.Input({4}), y = b.Input({4});
    return {b("Add", {b("Neg", {x}), y}), b("Add", {y, b("Neg", {x})}), b("Add", {x, y})};
  };
  const Build looked_for = [](Builder &b) -> std::vector<Endpoint> {
    Endpoint x = b.Input({4}), y = b.Input({4});
    return {b("Add", {b("Neg", {x}), y})};
  };
  const Build difference = [](Builder &b) -> std::vector<Endpoint> {
    Endpoint x = b.Input({4}), y = b.Input({4});
    return {b("Sub", {y, x})};
  };
  ExpectRewritten(target, PatternOf(looked_for), difference, 1);
  ExpectRewritten(target,
                  PatternOf(looked_for, [](GraphPattern &p) { p.rules[Named(*p.graph, "Add")].commutative = true; }),
                  difference, 2);
}

TEST(Matcher, TheOtherOrderIsTriedAgainWhenALaterPartFails) {
  // Both operands of the sum are Neg; only one of them reads a constant.
  Builder b;
  Endpoint x = b.Input({4});
  Endpoint c = b.Floats({4}, {1, 2, 3, 4});
  b.Outputs({b("Sub", {b("Add", {b("Neg", {x}), b("Neg", {c})}), c})});
  auto pattern = PatternOf(
      [](Builder &p) -> std::vector<Endpoint> {
        Endpoint y = p.Input({4}), c2 = p.Floats({4}, {1, 2, 3, 4});
        return {p("Sub", {p("Add", {p("Neg", {c2}), p("Neg", {y})}), c2})};
      },
      [](GraphPattern &p) { p.rules[Named(*p.graph, "Add")].commutative = true; });
  EXPECT_EQ(Matches(*b.graph, pattern), 1u);
  pattern->rules.clear();
  EXPECT_EQ(Matches(*b.graph, pattern), 0u);
}

TEST(Matcher, SetsOfTypes) {
  Builder b;
  Endpoint x = b.Input({4});
  b.Outputs({b("Relu", {b("Exp", {x})}), b("Relu", {b("Tanh", {x})}), b("Relu", {b("Neg", {x})})});
  auto pattern = PatternOf([](Builder &p) -> std::vector<Endpoint> { return {p("Relu", {p("Exp", {p.Input({4})})})}; },
                           [](GraphPattern &p) { p.rules[Named(*p.graph, "Exp")].types = {Symbol("Tanh")}; });
  EXPECT_EQ(Matches(*b.graph, pattern), 2u);
  auto root = PatternOf([](Builder &p) -> std::vector<Endpoint> { return {p("Exp", {p.Input({4})})}; },
                        [](GraphPattern &p) { p.rules[Named(*p.graph, "Exp")].types = {Symbol("Neg")}; });
  EXPECT_EQ(Matches(*b.graph, root), 2u);
}

TEST(Matcher, DtypesShapesAndAttributesAsData) {
  auto count = [](MatchConstraint test) {
    Builder b;
    b.Outputs({b("Relu", {b.Input({4})}), b("Relu", {b.Input({2, 4})}), b("Relu", {b.Input({4}, C_DT_FLOAT16)}),
               b("ReduceSumD", {b.Input({2, 4})}, {{"axes", std::vector<int64_t>{1}}, {"keep_dims", true}}),
               b("ReduceSumD", {b.Input({2, 4})}, {{"axes", std::vector<int64_t>{0}}})});
    const char *type = test.test == MatchConstraint::kAttr ? "ReduceSumD" : "Relu";
    auto pattern = PatternOf(
        [&](Builder &p) -> std::vector<Endpoint> {
          if (type[1] == 'e' && type[2] == 'l') return {p("Relu", {p.Input({4})})};
          return {p("ReduceSumD", {p.Input({2, 4})}, {{"axes", std::vector<int64_t>{1}}})};
        },
        [&](GraphPattern &p) { p.rules[Named(*p.graph, type)].constraints = {test}; });
    return Matches(*b.graph, pattern);
  };
  MatchConstraint test;
  test.output = 0;
  test.test = MatchConstraint::kDtypes;
  test.numbers = {C_DT_FLOAT};
  EXPECT_EQ(count(test), 2u);
  test.numbers = {C_DT_FLOAT16, C_DT_FLOAT};
  EXPECT_EQ(count(test), 3u);
  test.numbers = {C_DT_INT8};
  EXPECT_EQ(count(test), 0u);
  test.test = MatchConstraint::kShape;
  test.numbers = {4};
  EXPECT_EQ(count(test), 2u);
  test.numbers = {-1, 4};
  EXPECT_EQ(count(test), 1u);
  test.numbers = {3};
  EXPECT_EQ(count(test), 0u);
  test = {};
  test.test = MatchConstraint::kAttr;
  test.name = Symbol("keep_dims");
  test.value = AttrValue(true);
  EXPECT_EQ(count(test), 1u);
  test.value = AttrValue(false);  // one by its prototype's default
  EXPECT_EQ(count(test), 1u);
}

TEST(Matcher, ConstantsWithinATolerance) {
  Builder b;
  Endpoint x = b.Input({4});
  const TensorPtr half = Tensor::Of(C_DT_FLOAT16, Shape(), std::vector<uint16_t>{0x3c00});  // 1.0
  b.Outputs({b("Mul", {x, b.Scalar(1)}), b("Mul", {x, b.Scalar(1.0001f)}), b("Mul", {x, b.Scalar(1.1f)}),
             b("Mul", {x, b.Floats({4}, {1, 1, 1, 1})}), b("Mul", {x, b.Floats({4}, {1, 1, 2, 1})}), b("Mul", {x, x}),
             b("Mul", {x, {MakeConst(*b.graph, half, "half"), 0}})});
  auto count = [&](double tolerance) {
    auto pattern = PatternOf(
        [](Builder &p) -> std::vector<Endpoint> {
          return {p("Mul", {p.Input({4}), p.Input({4})})};
        },
        [&](GraphPattern &p) {
          MatchConstraint near;
          near.test = MatchConstraint::kNear;
          near.wanted = 1;
          near.tolerance = tolerance;
          p.rules[p.graph->Inputs()[1]].constraints = {near};
        });
    return Matches(*b.graph, pattern);
  };
  EXPECT_EQ(count(0), 3u);
  EXPECT_EQ(count(0.001), 4u);
  EXPECT_EQ(count(0.2), 5u);
}

TEST(Matcher, NodesThatMayBeMissing) {
  const Build target = [](Builder &b) -> std::vector<Endpoint> {
    Endpoint x = b.Input({4}), y = b.Input({4});
    return {b("Relu", {b("Neg", {b("Abs", {x})})}), b("Relu", {b("Abs", {y})}), b("Relu", {b("Exp", {y})})};
  };
  const Build looked_for = [](Builder &b) -> std::vector<Endpoint> {
    return {b("Relu", {b("Neg", {b("Abs", {b.Input({4})})})})};
  };
  auto optional = [](GraphPattern &p) { p.rules[Named(*p.graph, "Neg")].optional_input = 0; };
  Builder b;
  b.Outputs(target(b));
  EXPECT_EQ(Matches(*b.graph, PatternOf(looked_for)), 1u);
  EXPECT_EQ(Matches(*b.graph, PatternOf(looked_for, optional)), 2u);
  // A match without the node reads what the node would have read.
  const FusionCounts counts =
      Rewrite(*b.graph, PatternOf(looked_for, optional),
              GraphOf([](Builder &r) { return std::vector<Endpoint>{r("Square", {r.Input({4})})}; }));
  EXPECT_EQ(counts.applied, 2);
  b.graph->Verify();
  EXPECT_EQ(Count(*b.graph, "Square"), 2u);
  EXPECT_EQ(Count(*b.graph, "Abs"), 0u);
  for (Endpoint e : {b.graph->Outputs()[0], b.graph->Outputs()[1]})
    EXPECT_TRUE(IsDataType(e.node->input(0).node->type())) << e.node->Label();
  // An output of the pattern cannot be missing.
  auto refused = PatternOf([](Builder &p) -> std::vector<Endpoint> { return {p("Neg", {p.Input({4})})}; }, optional);
  EXPECT_THROW(refused->Check(), Error);
}

TEST(Matcher, Alternatives) {
  const Build target = [](Builder &b) -> std::vector<Endpoint> {
    Endpoint x = b.Input({4}), y = b.Input({4});
    return {b("Relu", {b("Square", {x})}), b("Relu", {b("Mul", {y, y})}), b("Relu", {b("Mul", {x, y})})};
  };
  Builder p;
  Endpoint x = p.Input({4});
  Endpoint square = p("Square", {x}), product = p("Mul", {x, x});
  p.Outputs({p("Relu", {square})});
  auto pattern = std::make_shared<GraphPattern>();
  pattern->graph = p.graph;
  pattern->rules[square.node].alternatives = {product};
  ExpectRewritten(
      target, pattern,
      [](Builder &r) -> std::vector<Endpoint> {
        Endpoint in = r.Input({4});
        return {r("Abs", {r("Mul", {in, in})})};  // a square is not negative
      },
      2);
}

TEST(Matcher, DynamicPorts) {
  Builder b;
  Endpoint x = b.Input({2}), y = b.Input({2}), z = b.Input({2});
  const Builder::Attrs axis{{"concat_dim", int64_t{0}}};
  b.Outputs({b("Relu", {b("ConcatD", {x, y}, axis)}), b("Relu", {b("ConcatD", {x, y, z}, axis)})});
  auto pattern = [&](bool dynamic, bool more) {
    return PatternOf(
        [&](Builder &p) -> std::vector<Endpoint> {
          return {p("Relu", {p("ConcatD", {p.Input({2}), p.Input({2})}, axis)})};
        },
        [&](GraphPattern &p) {
          PatternNodeRule &rule = p.rules[Named(*p.graph, "ConcatD")];
          rule.dynamic = dynamic;
          rule.more_inputs = more;
        });
  };
  EXPECT_THROW(pattern(false, false)->Check(), Error);
  EXPECT_EQ(Matches(*b.graph, pattern(true, false)), 1u);
  EXPECT_EQ(Matches(*b.graph, pattern(true, true)), 2u);
  // Inputs that the pattern does not name come after its own inputs.
  GraphMatcher matcher(pattern(true, true), b.graph, {});
  (void)matcher.Next();
  const Boundary boundary = matcher.Next()->ToBoundary();
  ASSERT_EQ(boundary.inputs.size(), 3u);
  EXPECT_EQ(boundary.inputs.at(2)[0].node->input(2), z);
}

TEST(Matcher, SecondOutputsAreFoundAmongTheReaders) {
  const Build target = [](Builder &b) -> std::vector<Endpoint> {
    Endpoint x = b.Input({4});
    std::vector<Endpoint> outputs;
    for (int i = 0; i < 20; ++i) {
      outputs.push_back(b("Relu", {x}));
      outputs.push_back(b("Abs", {x}));
      x = b("Add", {b("Neg", {x}), x});
    }
    outputs.push_back(x);
    return outputs;
  };
  const Build looked_for = [](Builder &b) -> std::vector<Endpoint> {
    Endpoint x = b.Input({4});
    return {b("Relu", {x}), b("Abs", {x})};
  };
  ExpectRewritten(
      target, PatternOf(looked_for),
      [](Builder &b) -> std::vector<Endpoint> {
        Endpoint x = b.Input({4}), minus = b("Neg", {x});
        return {b("Maximum", {x, b("Sub", {x, x})}), b("Maximum", {x, minus})};
      },
      20);
}

// ---- the loop ----

TEST(RewriteLoop, ARuleThatFeedsItselfStops) {
  Builder b;
  b.Outputs({b("Relu", {b.Input({4})})});
  auto grows = PatternOf([](Builder &p) -> std::vector<Endpoint> { return {p("Relu", {p.Input({4})})}; });
  grows->graph->set_name("Grows");
  FusionOptions options;
  options.max_rewrites = 50;
  const GraphPtr more =
      GraphOf([](Builder &r) -> std::vector<Endpoint> { return {r("Relu", {r("Relu", {r.Input({4})})})}; });
  try {
    (void)Rewrite(*b.graph, grows, more, options);
    FAIL() << "it went on";
  } catch (const Error &e) {
    EXPECT_NE(std::string(e.what()).find("'Grows'"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("50"), std::string::npos) << e.what();
  }
  EXPECT_EQ(b.graph->node_count(), 2u);  // as before
}

TEST(RewriteLoop, AGraphIsNoReplacementForAPartOfItself) {
  Builder b;
  b.Outputs({b("Relu", {b.Input({4})})});
  auto relu = PatternOf([](Builder &p) -> std::vector<Endpoint> { return {p("Relu", {p.Input({4})})}; });
  EXPECT_THROW((void)Rewrite(*b.graph, relu, b.graph), Error);
  EXPECT_EQ(b.graph->node_count(), 2u);
}

TEST(RewriteLoop, RoundsStopAtTheLimitToo) {
  Builder b;
  b.Outputs({b("Relu", {b.Input({4})}), b("Relu", {b.Input({4})})});
  struct Renames : LoopRule {
    const char *name() const override { return "Renames"; }
    std::vector<Symbol> Types() override { return {Symbol("Relu")}; }
    bool Try(Node *node) override {
      node->graph().SetAttr(node, "count", node->Int("count") + 1);
      return true;
    }
  } rule;
  EXPECT_EQ(RunRewrites(*b.graph, {&rule}, {.rounds = 3}, "Test"), 6);
  EXPECT_THROW((void)RunRewrites(*b.graph, {&rule}, {.rounds = 3, .max_rewrites = 5}, "Test"), Error);
}

TEST(RewriteLoop, ADryRunCountsAndLeavesAlone) {
  Builder b;
  Endpoint x = b.Input({4});
  b.Outputs({b("Relu", {b("Relu", {x})})});
  const uint64_t changes = b.graph->changes();
  FusionOptions options;
  options.dry_run = true;
  auto relu = PatternOf([](Builder &p) -> std::vector<Endpoint> { return {p("Relu", {p.Input({4})})}; });
  const FusionCounts counts = Rewrite(*b.graph, relu, nullptr, options);
  EXPECT_EQ(counts.tried, 2);
  EXPECT_EQ(counts.applied, 0);
  EXPECT_EQ(b.graph->changes(), changes);
}

// ---- where matches end ----

TEST(MatchObserver, SaysWhatDidNotHold) {
  struct Entry {
    std::string pattern;  // type of its node, which ends with the search
    const Node *at;
    Mismatch kind;
    std::string expected, actual;
  };
  struct Recorder : MatchObserver {
    std::vector<Entry> entries;
    void Failed(size_t, const Node *pattern, const Node *at, Mismatch kind, const std::string &expected,
                const std::string &actual, size_t) override {
      entries.push_back({pattern->type().str(), at, kind, expected, actual});
    }
  } recorder;
  Builder b;
  Endpoint x = b.Input({4}), exp = b("Exp", {x}), relu = b("Relu", {exp});
  b.Outputs({relu, exp});
  auto search = [&](const char *inner, const std::function<void(GraphPattern &)> &say) {
    auto pattern =
        PatternOf([&](Builder &p) -> std::vector<Endpoint> { return {p("Relu", {p(inner, {p.Input({4})})})}; }, say);
    GraphMatcher matcher(pattern, b.graph, {});
    matcher.Observe(&recorder);
    recorder.entries.clear();
    EXPECT_EQ(matcher.Next(), nullptr);
    EXPECT_EQ(recorder.entries.size(), 1u);
    return recorder.entries.empty() ? Entry{} : recorder.entries.front();
  };
  Entry entry = search("Tanh", {});
  EXPECT_EQ(entry.kind, Mismatch::kOperator);
  EXPECT_EQ(entry.at, exp.node);
  EXPECT_EQ(entry.pattern, "Tanh");
  EXPECT_EQ(entry.expected, "Tanh");
  EXPECT_EQ(entry.actual, exp.node->Label());
  entry = search("Exp", {});
  EXPECT_EQ(entry.kind, Mismatch::kReader);
  EXPECT_EQ(entry.at, exp.node);
  entry = search("Exp", [](GraphPattern &p) {
    MatchConstraint dtype;
    dtype.test = MatchConstraint::kDtypes;
    dtype.numbers = {C_DT_INT8};
    p.rules[Named(*p.graph, "Exp")].constraints = {dtype};
  });
  EXPECT_EQ(entry.kind, Mismatch::kDtype);
  EXPECT_EQ(entry.expected, "DT_INT8");
  EXPECT_EQ(entry.actual, "DT_FLOAT");
}

TEST(MatchObserver, SeesTheLibrarysPatternsAndCycles) {
  struct Recorder : MatchObserver {
    std::vector<std::pair<size_t, Mismatch>> entries;
    void Failed(size_t slot, const Node *, const Node *, Mismatch kind, const std::string &, const std::string &,
                size_t) override {
      entries.emplace_back(slot, kind);
    }
  } recorder;
  Builder b;
  Endpoint x = b.Input({4}), relu = b("Relu", {x}), mul = b("Mul", {relu, b.Scalar(2)});
  b.Outputs({mul, b("Abs", {b("Neg", {relu})})});
  Pattern p;
  const int any = p.Any(), three = p.Scalar(3);
  p.Op({"Mul"}, {any, three});
  Match match;
  match.Observe(&recorder);
  EXPECT_FALSE(p.Find(mul.node, &match));
  ASSERT_EQ(recorder.entries.size(), 1u);
  EXPECT_EQ(recorder.entries[0], std::make_pair(static_cast<size_t>(three), Mismatch::kConstant));

  // Relu and Abs as one: what Relu makes reaches Abs through Neg.
  recorder.entries.clear();
  FusionOptions options;
  options.observer = &recorder;
  auto both = PatternOf([](Builder &q) -> std::vector<Endpoint> {
    return {q("Relu", {q.Input({4})}), q("Abs", {q.Input({4})})};
  });
  const FusionCounts counts = Rewrite(*b.graph, both, nullptr, options);
  EXPECT_EQ(counts.declined, 1);
  ASSERT_EQ(recorder.entries.size(), 1u);
  EXPECT_EQ(recorder.entries[0].second, Mismatch::kCycle);
}

}  // namespace
