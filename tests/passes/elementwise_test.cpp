
#include "ge/fused_program.h"
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

TEST(FuseElementwise, EveryOperator) {
  const char *unary[] = {"Neg",  "Abs",         "Exp",      "Tanh",   "Sigmoid", "Erf",   "Relu", "Relu6",
                         "Gelu", "HardSwishV2", "Softplus", "Floor",  "Ceil",    "Rint",  "Sign", "Mish",
                         "Sin",  "Cos",         "Softsign", "Square", "Swish",   "GeluV2"};
  for (const char *type : unary) {
    Builder b;
    b.Outputs({b(type, {b("Add", {b.Input({3, 40}), b.Scalar(0.25f)})})});
    EXPECT_TRUE(Differential(b, {"FuseElementwise"})) << type;
    EXPECT_EQ(b.graph->node_count(), 2u) << type;
  }
  for (const char *type : {"Log", "Sqrt", "Rsqrt", "Reciprocal"}) {
    Builder b;
    b.Outputs({b(type, {b("Add", {b("Square", {b.Input({3, 40})}), b.Scalar(1)})})});
    EXPECT_TRUE(Differential(b, {"FuseElementwise"})) << type;
    EXPECT_EQ(b.graph->node_count(), 2u) << type;
  }
  for (const char *type : {"Add", "Sub", "Mul", "RealDiv", "Div", "Maximum", "Minimum", "SquaredDifference"}) {
    Builder b;
    Endpoint x = b.Input({3, 40}), y = b("Exp", {b.Input({3, 40})});
    b.Outputs({b(type, {x, y})});
    EXPECT_TRUE(Differential(b, {"FuseElementwise"})) << type;
    EXPECT_EQ(b.graph->node_count(), 3u) << type;
  }
  for (float exponent : {2.f, 3.f, 2.5f}) {
    Builder b;
    b.Outputs({b("Pow", {b("Exp", {b.Input({7})}), b.Scalar(exponent)})});
    EXPECT_TRUE(Differential(b, {"FuseElementwise"}));
    EXPECT_EQ(b.graph->node_count(), 2u);
  }
  Builder b;
  Endpoint x = b("Neg", {b.Input({5, 9})});
  x = b("LeakyRelu", {x}, {{"negative_slope", 0.3f}});
  x = b("Elu", {x}, {{"alpha", 0.9f}});
  x = b("HardSigmoid", {x}, {{"alpha", 0.3f}, {"beta", 0.4f}});
  b.Outputs({b("ClipByValueV2", {x, b.Scalar(0.1f), b.Input({9})})});
  EXPECT_TRUE(Differential(b, {"FuseElementwise"}));
  EXPECT_EQ(b.graph->node_count(), 3u);
}

TEST(FuseElementwise, ComparisonsAndSelections) {
  for (const char *type : {"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"}) {
    Builder b;
    // Whole numbers, so that some are equal.
    Endpoint x = b("Rint", {b.Input({3, 40})}), y = b("Rint", {b.Input({40})});
    b.Outputs({b("SelectV2", {b(type, {x, y}), x, b("Mul", {x, b.Scalar(10)})})});
    EXPECT_TRUE(Differential(b, {"FuseElementwise"})) << type;
    Node *fused = Only(*b.graph, "FusedElementwise");
    EXPECT_TRUE(fused->Ints("output_types").empty());
    EXPECT_EQ(Count(*b.graph, type), 0u) << type;
  }
}

TEST(FuseElementwise, TruthValuesComeAndLeave) {
  Builder b;
  Endpoint x = b.Input({3, 40}),
           mask = b("Greater", {b("ReduceSum", {x, b.Ints({1})}, {{"keep_dims", true}}), b.Scalar(0)});
  Endpoint low = b("Less", {x, b.Scalar(0.5f)}), both = b("LogicalAnd", {low, mask});
  Endpoint either = b("LogicalOr", {b("LogicalNot", {both}), b("LogicalXor", {low, mask})});
  Endpoint number = b("Cast", {either}, {{"dst_type", int64_t{C_DT_FLOAT}}});
  Endpoint nan = b("IsNan", {b("Log", {x})}), truth = b("Cast", {b("Relu", {x})}, {{"dst_type", int64_t{C_DT_BOOL}}});
  b.Outputs({b("Mul", {number, x}), both, b("SelectV2", {nan, truth, either})});
  EXPECT_TRUE(Differential(b, {"FuseElementwise"}));
  Node *fused = Only(*b.graph, "FusedElementwise");
  EXPECT_EQ(fused->Ints("output_types").size(), 3u);
  EXPECT_EQ(b.graph->Outputs()[1].node, fused);
  EXPECT_EQ(DescOf(b.graph->Outputs()[1]).dtype, C_DT_BOOL);
  EXPECT_EQ(Count(*b.graph, "LogicalAnd") + Count(*b.graph, "Cast") + Count(*b.graph, "SelectV2"), 0u);
}

TEST(FuseElementwise, WhatStaysApart) {
  {  // truth values alone
    Builder b;
    Endpoint m = b.Input({8}, C_DT_BOOL), n = b.Input({8}, C_DT_BOOL);
    b.Outputs({b("LogicalNot", {b("LogicalAnd", {m, n})})});
    RunOne(*b.graph, "FuseElementwise");
    EXPECT_EQ(Count(*b.graph, "FusedElementwise"), 0u);
  }
  {  // whole numbers
    Builder b;
    Endpoint m = b.Input({8}, C_DT_INT32), n = b.Input({8}, C_DT_INT32);
    b.Outputs({b("SelectV2", {b("Less", {m, n}), m, n})});
    RunOne(*b.graph, "FuseElementwise");
    EXPECT_EQ(Count(*b.graph, "FusedElementwise"), 0u);
  }
}

TEST(FuseElementwise, SpecialAttributesStayAlone) {
  Builder b;
  Endpoint x = b("Neg", {b.Input({5})});
  b.Outputs({b("Exp", {x}, {{"base", 2.0f}}), b("Swish", {x}, {{"scale", 2.0f}})});
  EXPECT_FALSE(Differential(b, {"FuseElementwise"}));
}

TEST(FuseElementwise, SeveralOutputsAndSharedInputs) {
  Builder b;
  Endpoint x = b.Input({4, 6}), row = b.Input({6}), column = b.Input({4, 1});
  Endpoint p = b("Mul", {b("Add", {x, row}), column});
  Endpoint q = b("Sub", {p, x});
  b.Outputs({b("Tanh", {q}), p, b("ReduceSum", {q, b.Ints({0})})});
  EXPECT_TRUE(Differential(b, {"FuseElementwise"}));
  Node *fused = Only(*b.graph, "FusedElementwise");
  EXPECT_EQ(fused->input_count(), 3u);
  EXPECT_EQ(fused->output_count(), 3u);
  EXPECT_EQ(fused->origins().size(), 4u);
}

TEST(FuseElementwise, NoCycleAroundAnotherOperator) {
  // A chain that leaves through a softmax and comes back must not become one node.
  Builder b;
  Endpoint x = b.Input({4, 6});
  Endpoint a = b("Exp", {b("Neg", {x})});
  Endpoint s = b("SoftmaxV2", {a}, {{"axes", std::vector<int64_t>{-1}}});
  b.Outputs({b("Tanh", {b("Mul", {a, s})})});
  EXPECT_TRUE(Differential(b, {"FuseElementwise"}));
  EXPECT_EQ(Count(*b.graph, "FusedElementwise"), 2u);
}

TEST(FuseElementwise, AValueReadLateJoinsItsOnlyReader) {
  Builder b;
  Endpoint x = b.Input({4, 6}), m = b.Input({4, 6});
  Endpoint s = b("SoftmaxV2", {x}, {{"axes", std::vector<int64_t>{-1}}});
  b.Outputs({b("Add", {s, b("Mul", {b("Neg", {m}), b.Scalar(3)})})});
  EXPECT_TRUE(Differential(b, {"FuseElementwise"}));
  EXPECT_EQ(Only(*b.graph, "FusedElementwise")->origins().size(), 3u);
}

TEST(FuseElementwise, DifferentShapesAreDifferentLoops) {
  Builder b;
  Endpoint small = b("Exp", {b("Neg", {b.Input({6})})});
  b.Outputs({b("Tanh", {b("Mul", {b.Input({50, 6}), small})})});
  EXPECT_TRUE(Differential(b, {"FuseElementwise"}));
  EXPECT_EQ(Count(*b.graph, "FusedElementwise"), 2u);
}

TEST(FuseElementwise, UnknownDimensionsOnlyWhenProvable) {
  Builder b;
  Endpoint x = b.Input({-1, 6}), y = b.Input({-1, 6});
  Endpoint same = b("Mul", {b("Tanh", {b("Add", {x, b.Random({6})})}), x});
  b.Outputs({same, b("Add", {b("Neg", {x}), y})});
  EXPECT_TRUE(RunOne(*b.graph, "FuseElementwise"));
  b.graph->Verify();
  EXPECT_EQ(Only(*b.graph, "FusedElementwise")->origins().size(), 3u);
  EXPECT_EQ(Count(*b.graph, "Neg"), 1u);  // x and y may differ: one of them may be spread
}

TEST(FuseElementwise, OneOperatorAloneAndControlEdgesStay) {
  Builder b;
  Endpoint x = b.Input({4});
  Endpoint kept = b("Neg", {b("Exp", {x})});
  b.graph->AddControl(x.node, kept.node);
  b.Outputs({kept});
  EXPECT_FALSE(RunOne(*b.graph, "FuseElementwise"));
}

// A quadratic step would run into the test's time limit long before this many nodes.
TEST(FuseElementwise, AVeryLongChainBecomesAFewKernels) {
  Builder b;
  Endpoint x = b.Input({8}), c = b.Scalar(0.5f);
  for (int i = 0; i < 40000; ++i) x = b(i % 2 ? "Mul" : "Add", {x, c});
  b.Outputs({x});
  PassContext ctx = Context();
  ctx.verify = false;
  EXPECT_TRUE(RunOne(*b.graph, "FuseElementwise", ctx));
  EXPECT_EQ(Count(*b.graph, "Mul") + Count(*b.graph, "Add"), 0u);
  EXPECT_LT(Count(*b.graph, "FusedElementwise"), 400u);
  b.graph->Verify();
}

}  // namespace
