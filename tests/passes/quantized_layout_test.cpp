// Quantised convolutions with their channels last, and what lies between them.
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

/// Everything is taken, in any layout.
PassContext TakesQuantized() {
  PassContext ctx = Context();
  ctx.supported = [](const GeOpDesc &, EngineOffer *) { return true; };
  return ctx;
}

Endpoint Bytes(Builder &b, const Shape &shape) {
  TensorDesc desc(C_DT_INT8, shape);
  auto buffer = Buffer::Allocate(desc.bytes());
  for (uint64_t i = 0; i < desc.bytes(); ++i) static_cast<int8_t *>(buffer->data())[i] = static_cast<int8_t>(i % 7);
  return {MakeConst(*b.graph, std::make_shared<Tensor>(desc, std::move(buffer)), "w"), 0};
}

Endpoint QuantizedConv(Builder &b, Endpoint x, int64_t in, int64_t out, int64_t kernel, int64_t stride,
                       int32_t type = C_DT_INT8) {
  const int64_t pad = kernel / 2;
  return b("QuantizedConv2D", {x, {}, {}, Bytes(b, Shape{out, in, kernel, kernel})},
           {{"strides", std::vector<int64_t>{1, 1, stride, stride}},
            {"pads", std::vector<int64_t>{pad, pad, pad, pad}},
            {"dst_type", int64_t{type}}});
}

std::vector<int64_t> Extents(const Node *node) {
  const auto &dims = node->output_desc(0).shape.dims();
  return {dims.begin(), dims.end()};
}

TEST(QuantizedLayout, TransposesStandAtTheBordersOnly) {
  Builder b;
  Endpoint x = b.Input({1, 3, 20, 24}, C_DT_INT8);
  x = QuantizedConv(b, x, 3, 16, 3, 2);
  x = b("MaxPoolV3", {x},
        {{"ksize", std::vector<int64_t>{1, 1, 2, 3}},
         {"strides", std::vector<int64_t>{1, 1, 2, 1}},
         {"pads", std::vector<int64_t>{0, 0, 1, 1}}});
  x = QuantizedConv(b, x, 16, 8, 1, 1);
  b.Outputs({x});
  PassContext ctx = TakesQuantized();
  EXPECT_TRUE(RunOne(*b.graph, "QuantizedLayout", ctx));
  EXPECT_EQ(Count(*b.graph, "Transpose"), 2u);  // the image, and the result
  for (Node *node : b.graph->Nodes()) {
    if (node->type() == Symbol("MaxPoolV3")) {
      EXPECT_EQ(Extents(node), (std::vector<int64_t>{1, 5, 12, 16}));
      EXPECT_EQ(node->Ints("ksize"), (std::vector<int64_t>{1, 2, 3, 1}));
      EXPECT_EQ(node->Ints("strides"), (std::vector<int64_t>{1, 2, 1, 1}));
    }
    if (node->type() == Symbol("QuantizedConv2D")) {
      EXPECT_EQ(node->String("data_format"), "NHWC");
    }
  }
  EXPECT_EQ(Extents(b.graph->Outputs()[0].node), (std::vector<int64_t>{1, 8, 5, 12}));
  for (Node *node : b.graph->TopologicalOrder()) EXPECT_FALSE(InferNode(*node)) << node->Label();
  EXPECT_FALSE(RunOne(*b.graph, "QuantizedLayout", ctx));
}

TEST(QuantizedLayout, BranchesMeetInTheLayout) {
  Builder b;
  Endpoint x = QuantizedConv(b, b.Input({1, 8, 6, 6}, C_DT_INT8), 8, 8, 3, 1, C_DT_FLOAT);
  Endpoint y = b("Relu", {b("Mul", {x, b.Random({8, 1, 1})})});
  Endpoint sum = b("Add", {x, y});
  Endpoint joined = b("ConcatV2", {sum, y, b.Ints({1})});
  b.Outputs({joined, y});
  PassContext ctx = TakesQuantized();
  EXPECT_TRUE(RunOne(*b.graph, "QuantizedLayout", ctx));
  EXPECT_EQ(Count(*b.graph, "Transpose"), 3u);  // the image, and two results
  EXPECT_EQ(Extents(Only(*b.graph, "ConcatV2")), (std::vector<int64_t>{1, 6, 6, 16}));
  for (Node *node : b.graph->TopologicalOrder()) EXPECT_FALSE(InferNode(*node)) << node->Label();
}

// What a static quantiser makes of convolution, batch normalisation, convolution when nobody folded them before.
TEST(QuantizedLayout, BatchNormalisationBetweenQuantisedConvolutions) {
  Builder b;
  const Endpoint scale = b.Scalar(0.1f);
  Endpoint x = QuantizedConv(b, b.Input({1, 8, 6, 6}, C_DT_INT8), 8, 16, 3, 1);
  x = b("DequantizeLinear", {x, scale, {}}, {{"dst_type", int64_t{C_DT_FLOAT}}});
  x = b("QuantizeLinear", {b.BatchNorm(x, 16), scale, {}}, {{"dst_type", int64_t{C_DT_INT8}}});
  b.Outputs({QuantizedConv(b, x, 16, 4, 1, 1)});
  PassContext ctx = TakesQuantized();
  EXPECT_TRUE(RunOne(*b.graph, "SplitBatchNorm", ctx));
  EXPECT_TRUE(RunOne(*b.graph, "QuantizedLayout", ctx));
  EXPECT_EQ(Count(*b.graph, "Transpose"), 2u);  // the image, and the result
  EXPECT_TRUE(RunOne(*b.graph, "FuseElementwise", ctx));
  EXPECT_EQ(Extents(Only(*b.graph, "FusedElementwise")), (std::vector<int64_t>{1, 6, 6, 16}));
  for (Node *node : b.graph->TopologicalOrder()) EXPECT_FALSE(InferNode(*node)) << node->Label();
}

TEST(QuantizedLayout, AnOperandInAnotherOrderEndsTheIsland) {
  Builder b;
  Endpoint x = QuantizedConv(b, b.Input({1, 8, 6, 6}, C_DT_INT8), 8, 8, 3, 1, C_DT_FLOAT);
  b.Outputs({b("Add", {x, b.Input({1, 8, 6, 6})})});
  PassContext ctx = TakesQuantized();
  EXPECT_TRUE(RunOne(*b.graph, "QuantizedLayout", ctx));
  EXPECT_EQ(Extents(Only(*b.graph, "Add")), (std::vector<int64_t>{1, 8, 6, 6}));
}

TEST(QuantizedLayout, StaysWhereNoEngineTakesIt) {
  Builder b;
  b.Outputs({QuantizedConv(b, b.Input({1, 8, 6, 6}, C_DT_INT8), 8, 8, 3, 1)});
  PassContext ctx = Context();
  ctx.supported = [](const GeOpDesc &, EngineOffer *) { return false; };
  EXPECT_FALSE(RunOne(*b.graph, "QuantizedLayout", ctx));
  EXPECT_EQ(Count(*b.graph, "Transpose"), 0u);
  Node *conv = Only(*b.graph, "QuantizedConv2D");
  EXPECT_EQ(conv->String("data_format"), "NCHW");
  EXPECT_EQ(Extents(conv), (std::vector<int64_t>{1, 8, 6, 6}));
}

}  // namespace
