#include "core/pattern/pattern.h"

#include "core/pattern/rewrite.h"
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

TEST(Pattern, OperandsMatchInEitherOrderAndWildcardsKeepTheirValue) {
  for (bool swapped : {false, true}) {
    Builder b;
    Endpoint x = b.Input({4}), other = b.Input({4});
    Endpoint gate = b("Sigmoid", {x});
    Endpoint same = swapped ? b("Mul", {gate, x}) : b("Mul", {x, gate});
    Endpoint different = b("Mul", {other, gate});
    Pattern p;
    int any = p.Any();
    p.Commutative({"Mul"}, any, p.Op({"Sigmoid"}, {any}));
    Match m;
    ASSERT_TRUE(p.Find(same.node, &m));
    EXPECT_EQ(m[any], x);
    EXPECT_FALSE(p.Find(different.node, &m));
  }
}

TEST(Pattern, ConstantsAreLookedAt) {
  Builder b;
  Endpoint x = b.Input({4});
  Pattern p;
  int any = p.Any();
  p.Commutative({"Add"}, any, p.Scalar(3));
  Match m;
  EXPECT_TRUE(p.Find(b("Add", {b.Scalar(3), x}).node, &m));
  EXPECT_TRUE(p.Find(b("Add", {x, b.Floats({1}, {3})}).node, &m));
  EXPECT_FALSE(p.Find(b("Add", {x, b.Scalar(2)}).node, &m));
  EXPECT_FALSE(p.Find(b("Add", {x, b.Floats({4}, {3, 3, 3, 3})}).node, &m));
  EXPECT_FALSE(p.Find(b("Sub", {x, b.Scalar(3)}).node, &m));
}

TEST(Pattern, InteriorValuesMustNotBeUsedElsewhere) {
  enum { kFree, kOutput, kReader, kControl };
  for (int how : {kFree, kOutput, kReader, kControl}) {
    Builder b;
    Endpoint x = b.Input({4}), gate = b("Sigmoid", {x}), y = b("Mul", {x, gate});
    std::vector<Endpoint> outputs{y};
    if (how == kOutput) outputs.push_back(gate);
    if (how == kReader) outputs.push_back(b("Neg", {gate}));
    if (how == kControl) b.graph->AddControl(gate.node, b.Input({1}).node);
    b.Outputs(outputs);
    Pattern p;
    int any = p.Any();
    p.Commutative({"Mul"}, any, p.Op({"Sigmoid"}, {any}));
    Match m;
    ASSERT_TRUE(p.Find(y.node, &m));
    Refusal why;
    EXPECT_EQ(Pattern::Legal(m.covered, y.node, OutputSet(*b.graph), &why), how == kFree) << how << why.Text();
  }
}

TEST(Rewrite, EffectsStayThatTheReplacementDoesNotHave) {
  for (const char *made : {"Relu6", "DistributeBarrier"}) {
    Builder b;
    Endpoint waited{b.Op("DistributeBarrier", {b.Input({4})}, {{"group", "g"}, {"world_size", int64_t{2}}}), 0};
    Endpoint y = b("Abs", {b("Relu", {waited})});
    b.Outputs({b("Neg", {y})});
    Builder replacement;
    replacement.Outputs({replacement(made, {replacement.Input({4})})});
    const Boundary boundary{{{0, {{waited.node, 0}}}}, {{0, y}}};
    ReplaceRegion(boundary, *replacement.graph, "test");
    // A barrier in the replacement stands for the one before; without one the ranks still wait for each other.
    EXPECT_EQ(Count(*b.graph, "DistributeBarrier"), 1u) << made;
    EXPECT_EQ(waited.node->removed(), std::string_view(made) == "DistributeBarrier");
    EXPECT_EQ(Count(*b.graph, "Relu") + Count(*b.graph, "Abs"), 0u);
  }
}

}  // namespace
