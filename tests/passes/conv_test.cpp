// Convolutions: padding, batch normalisation, bias, residual, activation.
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

TEST(PadConv, ZerosAroundTheImageJoin) {
  for (bool contiguous : {false, true}) {
    Builder b;
    Endpoint x = b.Input({1, 3, 6, 7});
    Endpoint amounts = contiguous ? b.Ints({0, 0, 0, 0, 1, 2, 3, 0}) : b.Ints({0, 0, 1, 3, 0, 0, 2, 0});
    Endpoint padded = b("PadV3", {x, amounts, b.Scalar(0)}, {{"paddings_contiguous", contiguous}});
    b.Outputs({b.Conv(padded, 3, 4, 3)});
    EXPECT_TRUE(Differential(b, {"PadConv"}));
    EXPECT_EQ(Count(*b.graph, "PadV3"), 0u);
    EXPECT_EQ(Only(*b.graph, "Conv2D")->Ints("pads"), (std::vector<int64_t>{2, 3, 4, 1}));
  }
}

TEST(PadConv, OtherPaddingStays) {
  for (int how = 0; how < 3; ++how) {
    Builder b;
    Endpoint x = b.Input({1, 3, 6, 7});
    Endpoint amounts = how == 0 ? b.Ints({0, 1, 1, 1, 0, 0, 1, 1}) : b.Ints({0, 0, 1, 1, 0, 0, 1, 1});
    Endpoint padded = b("PadV3", {x, amounts, b.Scalar(how == 1 ? 1.f : 0.f)},
                        {{"paddings_contiguous", false}, {"mode", how == 2 ? "reflect" : "constant"}});
    b.Outputs({b.Conv(padded, how == 0 ? 4 : 3, 4, 3)});
    EXPECT_FALSE(RunOne(*b.graph, "PadConv")) << how;
  }
}

TEST(PadConv, CroppingIsNoPadding) {
  // The convolution's own zeros lie around what is left.
  Builder b;
  Endpoint cropped = b("PadV3", {b.Input({1, 3, 6, 7}), b.Ints({0, 0, -1, 0, 0, 0, -1, 0}), b.Scalar(0)},
                       {{"paddings_contiguous", false}, {"mode", "constant"}});
  b.Outputs({b.Conv(cropped, 3, 4, 3)});
  EXPECT_FALSE(Differential(b, {"PadConv"}));
}

TEST(FuseConvBatchNorm, FactorsAndAddendsMoveIntoTheFilter) {
  for (int64_t groups : {1, 2, 4}) {
    for (bool bias : {false, true}) {
      Builder b;
      Endpoint x = b.Input({2, 4, 5, 5});
      Endpoint y = b.BatchNorm(b.Conv(x, 4, 8, 3, 1, groups, bias ? b.Random({8}) : Endpoint()), 8);
      y = b("Mul", {b.Random({8, 1, 1}), y});
      y = b("Add", {y, b.Random({1, 8, 1, 1})});
      y = b("Sub", {y, b.Scalar(0.25f)});
      b.Outputs({y});
      EXPECT_TRUE(Differential(b, {"FuseConvBatchNorm"}, 2e-5f));
      EXPECT_EQ(b.graph->node_count(), 4u);  // input, convolution, filter, bias
      EXPECT_GE(Only(*b.graph, "Conv2D")->origins().size(), 5u);
    }
  }
}

TEST(FuseConvBatchNorm, MustNotMatch) {
  for (int how = 0; how < 5; ++how) {
    Builder b;
    Endpoint x = b.Input({2, 4, 5, 5});
    Endpoint conv = b.Conv(x, 4, 5, 3);
    std::vector<Endpoint> outputs;
    if (how == 0) outputs = {b("Mul", {conv, b.Random({5})})};        // along the width
    if (how == 1) outputs = {b("Mul", {conv, b.Random({5, 5, 5})})};  // per element
    if (how == 2) outputs = {b.BatchNorm(conv, 5), conv};             // the plain result is an output
    if (how == 3) outputs = {b("Sub", {b.Random({5, 1, 1}), conv})};  // the other way round
    if (how == 4) outputs = {b("BiasAdd", {conv, b.Random({5})}, {{"data_format", "NHWC"}})};  // along the width
    b.Outputs(outputs);
    EXPECT_FALSE(Differential(b, {"FuseConvBatchNorm"})) << how;
  }
}

TEST(FuseConv, ResidualAndEveryActivation) {
  struct Case {
    const char *name;
    std::function<Endpoint(Builder &, Endpoint)> build;
  };
  const Case cases[] = {
      {"relu", [](Builder &b, Endpoint x) { return b("Relu", {x}); }},
      {"clip",
       [](Builder &b, Endpoint x) {
         return b("ClipByValueV2", {x, b.Scalar(-0.5f), b.Scalar(0.7f)});
       }},
      {"clip", [](Builder &b, Endpoint x) { return b("Relu6", {x}); }},
      {"sigmoid", [](Builder &b, Endpoint x) { return b("Sigmoid", {x}); }},
      {"tanh", [](Builder &b, Endpoint x) { return b("Tanh", {x}); }},
      {"swish", [](Builder &b, Endpoint x) { return b("Swish", {x}); }},
      {"gelu_erf", [](Builder &b, Endpoint x) { return b("GeluV2", {x}); }},
      {"gelu_tanh",
       [](Builder &b, Endpoint x) {
         return b("GeluV2", {x}, {{"approximate", "tanh"}});
       }},
      {"leaky_relu",
       [](Builder &b, Endpoint x) {
         return b("LeakyRelu", {x}, {{"negative_slope", 0.1f}});
       }},
      {"hard_swish", [](Builder &b, Endpoint x) { return b("HardSwishV2", {x}); }},
      {"hard_sigmoid",
       [](Builder &b, Endpoint x) {
         return b("HardSigmoid", {x}, {{"alpha", 0.2f}, {"beta", 0.4f}});
       }},
      {"elu",
       [](Builder &b, Endpoint x) {
         return b("Elu", {x}, {{"alpha", 0.7f}});
       }},
  };
  for (const Case &c : cases) {
    for (int residual = 0; residual < 3; ++residual) {
      Builder b;
      Endpoint x = b.Input({1, 4, 5, 6});
      Endpoint y = b.Conv(x, 4, 4, 3, 1, 1, b.Random({4}));
      if (residual) y = residual == 1 ? b("Add", {y, x}) : b("Add", {x, y});
      b.Outputs({c.build(b, y)});
      EXPECT_TRUE(Differential(b, {"FuseConv"}));
      Node *fused = Only(*b.graph, "FusedConv2D");
      EXPECT_EQ(fused->String("activation"), c.name);
      EXPECT_EQ(static_cast<bool>(fused->input(3)), residual != 0);
      EXPECT_EQ(Count(*b.graph, "Add"), 0u);
    }
  }
}

TEST(FuseConv, OfTwoAddedConvolutionsTheLaterTakesTheSum) {
  Builder b;
  Endpoint x = b.Input({1, 4, 6, 6});
  Endpoint shortcut = b.Conv(x, 4, 8, 1, 2);
  Endpoint main = b.Conv(b("Relu", {b.Conv(x, 4, 4, 3, 2)}), 4, 8, 3);
  b.Outputs({b("Relu", {b("Add", {main, shortcut})})});
  EXPECT_TRUE(Differential(b, {"FuseConv"}));
  EXPECT_EQ(Count(*b.graph, "Add") + Count(*b.graph, "Relu"), 0u);
}

TEST(FuseConv, ActivationsWithFactorsStay) {
  const std::pair<const char *, Builder::Attrs> cases[] = {
      {"Swish", {{"scale", 2.f}}}, {"Elu", {{"scale", 1.5f}}}, {"Elu", {{"input_scale", 0.5f}}}};
  for (const auto &[type, attrs] : cases) {
    Builder b;
    b.Outputs({b(type, {b.Conv(b.Input({1, 4, 5, 6}), 4, 4, 3)}, attrs)});
    EXPECT_FALSE(Differential(b, {"FuseConv"})) << type;
  }
}

TEST(FuseConv, MustNotMatch) {
  for (int how = 0; how < 5; ++how) {
    Builder b;
    Endpoint x = b.Input({1, 4, 5, 6});
    Endpoint y = b.Conv(x, 4, 4, 3);
    std::vector<Endpoint> outputs;
    if (how == 0) outputs = {b("Relu", {y}), b("Neg", {y})};                        // two readers
    if (how == 1) outputs = {b("Relu", {y}), y};                                    // an output
    if (how == 2) outputs = {b("Add", {y, b.Random({1, 4, 1, 6})})};                // not the same shape
    if (how == 3) outputs = {b("Add", {y, y})};                                     // itself
    if (how == 4) outputs = {b("ClipByValueV2", {y, b.Scalar(0), b.Random({6})})};  // bounds per element
    b.Outputs(outputs);
    EXPECT_FALSE(Differential(b, {"FuseConv"})) << how;
  }
}

TEST(FuseConv, AnEngineThatRefusesTheActivationGetsTheRest) {
  Builder b;
  Endpoint x = b.Input({1, 4, 5, 6});
  b.Outputs({b("Tanh", {b("Add", {b.Conv(x, 4, 4, 3), x})})});
  PassContext ctx = Context();
  ctx.supported = [](const GeOpDesc &op, EngineOffer *) {
    return std::string(GeOpAttrString(&op, "activation", "")).empty();
  };
  EXPECT_TRUE(RunOne(*b.graph, "FuseConv", ctx));
  EXPECT_EQ(Only(*b.graph, "FusedConv2D")->String("activation"), "");
  EXPECT_TRUE(Only(*b.graph, "FusedConv2D")->input(3));
  EXPECT_EQ(Count(*b.graph, "Tanh"), 1u);
  ctx.supported = [](const GeOpDesc &, EngineOffer *) { return false; };
  Builder none;
  none.Outputs({none("Relu", {none.Conv(none.Input({1, 4, 5, 6}), 4, 4, 3)})});
  EXPECT_FALSE(RunOne(*none.graph, "FuseConv", ctx));
  EXPECT_EQ(Count(*none.graph, "FusedConv2D"), 0u);
}

/// Ones, and how often they were asked for.
struct CountedOnes : DeferredContent {
  explicit CountedOnes(size_t count) : values(count, 1.0f) {}
  void Write(void *to) const override {
    std::memcpy(to, values.data(), values.size() * sizeof(float));
    ++written;
  }
  std::vector<float> values;
  mutable int written = 0;
};

TEST(Engines, OnesThatDoNotKnowTheOperatorLeaveConstantsWithoutContent) {
  Engines engines;
  const PassContext asks = PassContextFor(engines.kernels);
  const auto ones = [](Builder &b, Shape shape) {
    const auto content = std::make_shared<CountedOnes>(static_cast<size_t>(shape.elements()));
    const uint64_t bytes = content->values.size() * sizeof(float);
    auto tensor = std::make_shared<Tensor>(TensorDesc(C_DT_FLOAT, shape), Buffer::Defer(bytes, content));
    return std::make_pair(Endpoint{MakeConst(*b.graph, tensor, "ones"), 0}, content);
  };
  Builder b;
  const auto [depthwise, first] = ones(b, {8, 1, 3, 3});
  const auto [project, second] = ones(b, {4, 8, 1, 1});
  const Endpoint x = b.Input({1, 8, 6, 6});  // not in blocks: no engine takes it
  Node *fused = b.Op("FusedSeparableConv2D", {x, depthwise, project, {}, {}, {}, {}, {}},
                     {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  EngineOffer offer;
  EXPECT_FALSE(asks.supported(*OpDescView(*fused).get(), &offer));
  EXPECT_NE(asks.refusals(*OpDescView(*fused).get()), "");
  EXPECT_EQ(first->written + second->written, 0);
}

}  // namespace
