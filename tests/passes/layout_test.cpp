// Blocked layout from the first convolution to the last operator that takes it, on the engines of this process.
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

/// Everything is taken in blocks.
PassContext Willing() {
  PassContext ctx = Context();
  ctx.supported = [](const GeOpDesc &, EngineOffer *) { return true; };
  return ctx;
}
bool Blocked(const Node *node) { return node->output_desc(0).format == C_FORMAT_NC1HWC0; }

Endpoint ResidualNet(Builder &b, Endpoint x, int64_t c) {
  x = b("Relu", {b.Conv(x, 3, c, 3, 2)});
  x = b("MaxPoolV3", {x},
        {{"ksize", std::vector<int64_t>{1, 1, 3, 3}},
         {"strides", std::vector<int64_t>{1, 1, 2, 2}},
         {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  Endpoint y = b("Relu", {b.Conv(x, c, c, 3)});
  x = b("Relu", {b("Add", {b.Conv(y, c, c, 1), x})});
  y = b("Swish", {b.Conv(x, c, c, 3, 1, c)});
  x = b("Tanh", {b("Mul", {y, b.Random({c, 1, 1})})});
  x = b("GlobalAveragePool", {x});
  return b("Flatten", {x});
}

TEST(Layout, BlocksFromTheFirstConvolutionToThePool) {
  Builder b;
  b.Outputs({ResidualNet(b, b.Input({1, 3, 20, 20}), 32)});
  PassContext ctx = Willing();
  RunOne(*b.graph, "FuseConv", ctx);
  EXPECT_TRUE(RunOne(*b.graph, "LayoutPropagation", ctx));
  EXPECT_EQ(Count(*b.graph, "TransData"), 0u);  // the first convolution reads plain, the pool writes plain
  for (const char *type : {"FusedConv2D", "MaxPoolV3", "Mul", "Tanh"}) {
    for (Node *node : b.graph->Nodes()) {
      if (node->type().view() == type) {
        EXPECT_TRUE(Blocked(node)) << node->Label();
      }
    }
  }
  EXPECT_FALSE(Blocked(Only(*b.graph, "GlobalAveragePool")));
  for (Node *node : b.graph->TopologicalOrder()) EXPECT_FALSE(InferNode(*node)) << node->Label();
  EXPECT_FALSE(RunOne(*b.graph, "LayoutPropagation", ctx));
}

TEST(Layout, AnOperatorThatWorksInAnyLayoutCarriesBlocksOn) {
  for (int64_t channels : {32, 40}) {
    Builder b;
    Endpoint y = b("Selu", {b.Conv(b.Input({1, 32, 8, 8}), 32, channels, 3)});
    b.Outputs({b.Conv(y, channels, 32, 1)});
    PassContext ctx = Willing();
    EXPECT_TRUE(RunOne(*b.graph, "LayoutPropagation", ctx));
    // Its result for the zeros that fill up a block is not known: then it stays plain.
    EXPECT_EQ(Blocked(y.node), channels % ctx.c0 == 0) << channels;
  }
}

TEST(Layout, BordersGetOneConversionEach) {
  Builder b;
  Endpoint x = b.Input({1, 32, 8, 8});
  Endpoint y = b.Conv(x, 32, 32, 3), z = b.Conv(x, 32, 32, 1);
  Endpoint sum = b("Add", {y, z});
  Endpoint flat = b("Reshape", {sum, b.Ints({1, -1})});
  b.Outputs({sum, flat, b("Transpose", {sum, b.Ints({0, 2, 3, 1})})});
  PassContext ctx = Willing();
  EXPECT_TRUE(RunOne(*b.graph, "LayoutPropagation", ctx));
  EXPECT_EQ(Count(*b.graph, "TransData"), 2u);  // one in, one out
  for (Endpoint e : b.graph->Outputs()) EXPECT_NE(DescOf(e).format, C_FORMAT_NC1HWC0);
}

TEST(Layout, NobodyTakesItOrNothingIsKnown) {
  Builder b;
  b.Outputs({ResidualNet(b, b.Input({1, 3, 20, 20}), 32)});
  PassContext refusing = Context();
  refusing.supported = [](const GeOpDesc &op, EngineOffer *) {
    for (size_t i = 0; i < op.output_count; ++i) {
      if (op.outputs[i].format == C_FORMAT_NC1HWC0) return false;
    }
    return true;
  };
  EXPECT_FALSE(RunOne(*b.graph, "LayoutPropagation", refusing));
  PassContext flat = Willing();
  flat.c0 = 0;
  EXPECT_FALSE(RunOne(*b.graph, "LayoutPropagation", flat));
  Builder open;
  open.Outputs({ResidualNet(open, open.Input({-1, 3, 20, 20}), 32)});
  PassContext ctx = Willing();
  EXPECT_FALSE(RunOne(*open.graph, "LayoutPropagation", ctx));
}

TEST(Layout, ASingleConvolutionStaysPlain) {
  Builder b;
  b.Outputs({b("Reshape", {b.Conv(b.Input({1, 3, 32, 32}), 3, 32, 3), b.Ints({1, 32, -1})})});
  PassContext ctx = Willing();
  EXPECT_FALSE(RunOne(*b.graph, "LayoutPropagation", ctx));
}

/// On the real engines: what is computed stays the same.
void OnEngines(Builder &b, bool expect_blocks = true) {
  std::vector<TensorPtr> feeds = RandomFeeds(*b.graph);
  std::vector<TensorPtr> before = Execute(*b.graph, feeds, Reference());
  Engines asked;
  PassContext ctx = Context(asked, true);
  for (int32_t stage : {GE_STAGE_AFTER_INFER_SHAPE, GE_STAGE_AFTER_BUILTIN_FUSION_PASS})
    RunSequence(PassRegistry::Instance().OfLibrary(stage), *b.graph, ctx);
  bool blocked = false;
  for (Node *node : b.graph->Nodes()) blocked |= node->output_count() && Blocked(node);
  EXPECT_EQ(blocked, expect_blocks) << PassReportJson(ctx.report);
  Engines own;  // packed weights go by the address of a constant, which only this graph keeps
  ExpectSame(before, Execute(*b.graph, feeds, own), 1e-4f);
}

TEST(LayoutOnEngines, ResidualNetwork) {
  if (UsualBlock() == 0) GTEST_SKIP() << "no blocked layouts on this processor";
  for (int64_t channels : {16, 32, 24}) {
    Builder b;
    b.Outputs({ResidualNet(b, b.Input({1, 3, 20, 20}), channels)});
    OnEngines(b);
  }
}

TEST(LayoutOnEngines, SplitsConcatsAndResizes) {
  if (UsualBlock() == 0) GTEST_SKIP() << "no blocked layouts on this processor";
  Builder b;
  Endpoint x = b("Swish", {b.Conv(b.Input({1, 3, 16, 16}), 3, 32, 3, 2)});
  Node *split = b.Op("SplitV", {x, b.Ints({16, 16}), b.Int(1)}, {{"num_split", int64_t{2}}}, {2});
  Endpoint left{split, 0}, right{split, 1};
  right = b("Add", {right, b("Swish", {b.Conv(right, 16, 16, 3)})});
  x = b("Swish", {b.Conv(b("ConcatV2", {left, right, b.Int(1)}, {{"N", int64_t{2}}}), 32, 32, 1)});
  Endpoint big = b("Resize", {x, {}, b.Floats({4}, {1, 1, 2, 2})},
                   {{"mode", "nearest"}, {"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "floor"}});
  b.Outputs({b.Conv(big, 32, 48, 3), b("Reshape", {b.Conv(x, 32, 21, 1), b.Ints({1, 21, -1})})});
  OnEngines(b);
}

TEST(LayoutOnEngines, PartsThatDoNotFillTheirBlocks) {
  Builder b;
  Endpoint x = b("Swish", {b.Conv(b.Input({2, 3, 9, 15}), 3, 32, 3)});
  Endpoint left = b("Relu", {b.Conv(x, 32, 21, 1)}), right = b.Conv(left, 21, 37, 3);
  b.Outputs({b.Conv(b("ConcatV2", {left, right, b.Int(1)}, {{"N", int64_t{2}}}), 58, 32, 1)});
  OnEngines(b, UsualBlock() != 0);
}

TEST(LayoutOnEngines, SqueezeAndExcitation) {
  if (UsualBlock() == 0) GTEST_SKIP() << "no blocked layouts on this processor";
  Builder b;
  Endpoint x = b("Relu", {b.Conv(b.Input({2, 3, 12, 12}), 3, 32, 3)});
  Endpoint gate = b.Conv(b("Relu", {b.Conv(b("GlobalAveragePool", {x}), 32, 16, 1)}), 16, 32, 1);
  x = b("Mul", {x, b("Sigmoid", {gate})});
  b.Outputs({b.Conv(x, 32, 32, 1)});
  OnEngines(b);
}

}  // namespace
