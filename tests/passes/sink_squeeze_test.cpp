// A dimension that is taken out behind one convolution and put in before the next one.
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

struct Sequences : Builder {
  /// Of a sequence [N, C, W]: [N, out, W].
  Endpoint Line(Endpoint x, int64_t in, int64_t out) {
    const Endpoint image = (*this)("UnsqueezeV3", {x, Ints({2})});
    const Endpoint y = (*this)("Conv2D", {image, Random({out, in, 1, 3}, -0.3f, 0.3f), Random({out})},
                               {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
                                {"pads", std::vector<int64_t>{0, 0, 1, 1}},
                                {"dilations", std::vector<int64_t>{1, 1, 1, 1}},
                                {"groups", int64_t{1}},
                                {"data_format", "NCHW"}});
    return (*this)("SqueezeV3", {y, Ints({-2})});
  }
};

size_t Changes(const Graph &graph) { return Count(graph, "SqueezeV3") + Count(graph, "UnsqueezeV3"); }

TEST(SinkSqueeze, WhatStandsBetweenWorksOnImages) {
  Sequences b;
  Endpoint x = b.Line(b.Input({2, 3, 17}), 3, 8);
  x = b("Relu", {b.BatchNorm(x, 8)});
  Endpoint y = b.Line(x, 8, 8);
  y = b("Add", {b("Mul", {y, b.Random({8, 1})}), x});  // a factor of channels, and both sequences
  y = b("Sub", {b("Mul", {b.Random({17}), y}), b.Scalar(0.5f)});
  y = b("Maximum", {y, b.Input({2, 8, 17})});  // one that was no image before
  b.Outputs({b.Line(y, 8, 4)});
  EXPECT_TRUE(Differential(b, {"SinkSqueeze"}));
  EXPECT_EQ(Only(*b.graph, "Relu")->output_desc(0).shape, (Shape{2, 8, 1, 17}));
  EXPECT_EQ(Only(*b.graph, "BNInfer")->output_desc(0).shape, (Shape{2, 8, 1, 17}));
  EXPECT_EQ(Count(*b.graph, "SqueezeV3"), 1u);    // of the output
  EXPECT_EQ(Count(*b.graph, "UnsqueezeV3"), 3u);  // of the inputs, and of the factor
}

TEST(SinkSqueeze, NormalisationsAndActivationsBecomePartsOfConvolutions) {
  Sequences b;
  Endpoint x = b("Relu", {b.BatchNorm(b.Line(b.Input({1, 3, 20}), 3, 16), 16)});
  b.Outputs({b("Tanh", {b.Line(x, 16, 16)})});
  EXPECT_TRUE(Differential(b, {"SinkSqueeze", "FuseConvBatchNorm", "FuseConv"}));
  EXPECT_EQ(Count(*b.graph, "BNInfer") + Count(*b.graph, "Relu") + Count(*b.graph, "Tanh"), 0u);
  EXPECT_EQ(Changes(*b.graph), 2u);
}

TEST(SinkSqueeze, OtherAxes) {
  for (int64_t axis : {0, 1, 3, -1, -3}) {
    Builder b;
    const int64_t at = axis < 0 ? axis + 4 : axis;
    Shape image{2, 5, 3};
    image.dims().insert(image.dims().begin() + at, 1);
    Endpoint x = b("SqueezeV3", {b("Abs", {b.Input(image)}), b.Ints({axis})});
    x = b("Mul", {b("Add", {x, b.Random({5, 1})}), b.Random({2, 1, 3})});
    b.Outputs({b("Neg", {b("ExpandDims", {x, b.Int(at)})})});
    EXPECT_TRUE(Differential(b, {"SinkSqueeze", "ConstantFolding"})) << axis;
    EXPECT_EQ(Changes(*b.graph) + Count(*b.graph, "ExpandDims"), 0u) << axis;
  }
}

TEST(SinkSqueeze, ASequenceThatIsReadOnStaysOne) {
  Builder b;
  const Endpoint x = b("SqueezeV3", {b("Abs", {b.Input({2, 5, 1, 3})}), b.Ints({2})});
  const Endpoint y = b("Relu", {x});
  b.Outputs({y, b("Transpose", {y, b.Ints({0, 2, 1})}), b("UnsqueezeV3", {y, b.Ints({0})})});
  EXPECT_TRUE(Differential(b, {"SinkSqueeze"}));
  EXPECT_EQ(Count(*b.graph, "SqueezeV3"), 1u);
  EXPECT_EQ(Count(*b.graph, "UnsqueezeV3"), 1u);  // at another place
  EXPECT_EQ(Only(*b.graph, "Relu")->output_desc(0).shape, (Shape{2, 5, 1, 3}));
}

TEST(SinkSqueeze, TheOutputMayHaveTheRankOfOneInputAlone) {
  Builder b;
  const Endpoint x = b("SqueezeV3", {b("Abs", {b.Input({1, 2, 4, 5})}), b.Ints({0})});
  b.Outputs({b("CastLike", {b.Input({2, 4, 5}, C_DT_INT32), x})});
  EXPECT_TRUE(Differential(b, {"SinkSqueeze"}));
  EXPECT_EQ(Only(*b.graph, "CastLike")->output_desc(0).shape, (Shape{1, 2, 4, 5}));
}

TEST(SinkSqueeze, ChannelsThatAreLastStayThere) {
  Builder b;
  const Endpoint x = b.Input({2, 6, 1, 3});
  TensorDesc desc = x.node->output_desc(0);
  desc.format = desc.origin_format = C_FORMAT_NHWC;
  b.graph->SetOutputDesc(x.node, 0, desc);
  b.Outputs({b.BatchNorm(b("SqueezeV3", {x, b.Ints({2})}), 6)});
  EXPECT_FALSE(RunOne(*b.graph, "SinkSqueeze"));
}

TEST(SinkSqueeze, MustNotMatch) {
  const std::vector<std::function<Endpoint(Builder &, Endpoint)>> ways = {
      [](Builder &b, Endpoint x) {
        return b("SoftmaxV2", {x}, {{"axes", std::vector<int64_t>{-1}}});
      },
      [](Builder &b, Endpoint x) {
        return b("Add", {x, b.Input({2, 2, 5, 3})});
      },  // becomes an image of rows
      [](Builder &b, Endpoint x) {
        return b("Add", {x, b.Input(Shape::UnknownRank())});
      },  // who knows
      [](Builder &b, Endpoint x) {
        return b("Add", {x, b("SqueezeV3", {b("Abs", {b.Input({2, 1, 5, 3})}), b.Ints({1})})});  // another axis
      },
      [](Builder &b, Endpoint x) {
        return b("UnsqueezeV3", {x, b.Ints({1})});
      },
      [](Builder &b, Endpoint x) {
        return b("EnsureShape", {x}, {{"shape", std::vector<int64_t>{2, 5, 3}}});
      },
  };
  for (size_t i = 0; i < ways.size(); ++i) {
    Builder b;
    const Endpoint x = b("SqueezeV3", {b("Abs", {b.Input({2, 5, 1, 3})}), b.Ints({2})});
    b.Outputs({ways[i](b, x)});
    EXPECT_FALSE(RunOne(*b.graph, "SinkSqueeze")) << i;
  }
}

}  // namespace
