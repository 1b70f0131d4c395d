// Batch normalisation becomes a product and a sum per channel, where no convolution takes it in as a whole.
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

TEST(SplitBatchNorm, BecomesAProductAndASum) {
  const std::vector<std::pair<Shape, Shape>> cases = {
      {{2, 4, 5, 3}, {4, 1, 1}}, {{3, 6}, {6}}, {{2, 3, 7}, {3, 1}}, {{1, 2, 3, 4, 5}, {2, 1, 1, 1}}};
  for (const auto &[shape, parameters] : cases) {
    Builder b;
    b.Outputs({b("Relu", {b.BatchNorm(b("Abs", {b.Input(shape)}), shape[1])})});
    EXPECT_TRUE(Differential(b, {"SplitBatchNorm"})) << shape.rank();
    EXPECT_EQ(Count(*b.graph, "BNInfer"), 0u);
    const Node *product = Only(*b.graph, "Mul"), *sum = Only(*b.graph, "Add");
    EXPECT_EQ(product->input_desc(1).shape, parameters);
    EXPECT_EQ(sum->input_desc(1).shape, parameters);
    EXPECT_EQ(sum->input(0).node, product);
  }
}

TEST(SplitBatchNorm, TheFormatSaysWhereChannelsAre) {
  Builder b;
  Endpoint x = b.Input({2, 4, 5, 3});
  TensorDesc desc = x.node->output_desc(0);
  desc.format = desc.origin_format = C_FORMAT_NHWC;
  b.graph->SetOutputDesc(x.node, 0, desc);
  b.Outputs({b.BatchNorm(x, 3)});
  EXPECT_TRUE(Differential(b, {"SplitBatchNorm"}));
  EXPECT_EQ(Only(*b.graph, "Mul")->input_desc(1).shape, Shape{3});
}

TEST(SplitBatchNorm, MustNotMatch) {
  for (int how = 0; how < 3; ++how) {
    Builder b;
    Endpoint x = b.Input({2, 4, 5, 5}), y;
    if (how == 0) y = b.BatchNorm(b.Conv(x, 4, 4, 3), 4);  // FuseConvBatchNorm's
    const std::vector<Endpoint> four = {b.Random({4}), b.Random({4}), b.Random({4}), b.Random({4}, 0.5f, 2)};
    if (how == 1) y = b("BNInfer", {x, four[0], four[1], b.Input({4}), four[3]}, {{"epsilon", 1e-5f}});
    if (how == 2)
      y = b("BNInfer", {b.Input(Shape::UnknownRank()), four[0], four[1], four[2], four[3]}, {{"epsilon", 1e-5f}});
    b.Outputs({y});
    EXPECT_FALSE(RunOne(*b.graph, "SplitBatchNorm")) << how;
    EXPECT_EQ(Count(*b.graph, "BNInfer"), 1u) << how;
  }
}

}  // namespace
