// What engines ask of the library's own passes: blocks of channels, and not to lose their nodes to dearer engines.
#include <set>

#include "core/placement/registry.h"
#include "net.h"

namespace gec {
namespace {

/// An engine that is asked about everything, takes what `takes` names, and refuses it when kernels are made.
class Wishes : public testing::Test {
 public:
  static Wishes *here;
  std::set<int64_t> blocks;     // that it saw in questions
  std::set<std::string> takes;  // types
  int32_t block = 0;
  int32_t tune = -1;   // that a kernel's maker was told
  bool flat = false;   // takes nothing in blocks
  bool plain = false;  // takes no convolution with pads or a bias

 protected:
  static bool PadsOrBias(const GeOpDesc &op) {
    if (std::string(op.type) != "Conv2D") return false;
    const GeAttrData *pads = GeOpAttr(&op, "pads");
    for (uint64_t i = 0; pads && i < pads->count; ++i)
      if (static_cast<const int64_t *>(pads->list)[i] != 0) return true;
    return op.input_count > 2 && op.inputs[2].data_type != C_DT_UNDEFINED && op.inputs[2].dims;
  }
  Wishes() {
    here = this;
    table_.abi_version = GE_ENGINE_ABI_VERSION;
    table_.struct_size = sizeof table_;
    table_.name = "TestWishes";
    table_.flags = GE_ENGINE_FUSIBLE;
    table_.check = [](void *, const GeOpDesc *op, char *reason, size_t capacity) -> GeStatus {
      bool blocked = false;
      for (size_t i = 0; i < op->output_count; ++i) {
        const GeTensorData &y = op->outputs[i];
        if (y.format != C_FORMAT_NC1HWC0) continue;
        blocked = true;
        here->blocks.insert(y.dims[y.rank - 1]);
      }
      if (here->takes.count(op->type) && !(here->plain && PadsOrBias(*op)) && !(here->flat && blocked))
        return GE_SUCCESS;
      std::snprintf(reason, capacity, "looks only");
      return GE_UNSUPPORTED;
    };
    table_.create_kernel = [](void *, const GeOpDesc *, const GeKernelEnv *env, GeKernel *) {
      here->tune = env->tune;
      return env->fail(GE_UNSUPPORTED, "looks only");
    };
  }
  ~Wishes() override {
    here = nullptr;
    EngineRegistry::Instance().Unload("TestWishes");
  }
  ModelPtr Compile(const Net &net, const Options &options = Opts()) {
    EngineRegistry::Instance().Register(&table_, "");
    return Model::Compile(*net.graph, options);
  }
  std::set<std::string> Types(const Net &net) {
    std::set<std::string> types;
    for (const PlacementInfo &info : Compile(net)->Placement()) types.insert(info.type);
    types.erase("TransData");  // at the borders of blocks
    return types;
  }

  GeEngineTable table_{};
};
Wishes *Wishes::here = nullptr;

constexpr int64_t kChannels = 48, kSide = 6;

std::vector<float> Ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 100;
  return values;
}

Endpoint Convolution(Net &net, Endpoint x, const char *name) {
  const Endpoint w = net.Const(Array::F({kChannels, kChannels, 1, 1}, Ramp(kChannels * kChannels)));
  Node *conv = net.Op("Conv2D", {x, w, {}, {}}, 0, name);
  net.graph->SetAttr(conv, "strides", std::vector<int64_t>{1, 1, 1, 1});
  net.graph->SetAttr(conv, "pads", std::vector<int64_t>{0, 0, 0, 0});
  net.graph->SetAttr(conv, "data_format", AttrValue(std::string("NCHW")));
  return {conv, 0};
}

Net Network() {
  Net net;
  Endpoint x = net.Input({1, kChannels, kSide, kSide});
  x = net.Out("Relu", {Convolution(net, x, "first")}, "positive");
  net.Outputs({net.Out("Sigmoid", {Convolution(net, x, "second")})});
  return net;
}

TEST_F(Wishes, BlocksFollowTheFirstEngineThatNamesSome) {
  const Array x = Array::F({1, kChannels, kSide, kSide}, Ramp(kChannels * kSide * kSide));
  const Net net = Network();
  const std::vector<float> plain = CompileAndRun(*net.graph, {x}, Opts({{"opt_level", "0"}}))[0].Floats();
  (void)Compile(net);
  const std::set<int64_t> usual = blocks;  // the library's own engine names those
  for (const int32_t wanted : {8, 4, 24}) {
    blocks.clear();
    block = wanted;
    table_.channel_block = [](void *, uint64_t) { return here->block; };
    RunContext context(Compile(net));
    EXPECT_EQ(blocks, std::set<int64_t>{wanted});
    const std::vector<float> got = RunAll(context, {x})[0].Floats();
    ASSERT_EQ(got.size(), plain.size());
    for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], plain[i], 1e-5f) << wanted << ' ' << i;
  }
  blocks.clear();
  block = 0;
  (void)Compile(net);
  EXPECT_EQ(blocks, usual);
}

TEST_F(Wishes, OptionTuneReachesTheMakersOfKernels) {
  const Net net = Network();
  takes = {"Relu", "Sigmoid", "FusedElementwise"};
  for (const int32_t wanted : {0, 1}) {
    tune = -1;
    try {
      (void)Compile(net, Opts({{"opt_level", "0"}, {"tune", wanted ? "1" : "0"}}));
    } catch (const std::exception &) {  // it makes none
    }
    EXPECT_EQ(tune, wanted);
  }
}

TEST_F(Wishes, BlocksTakeNoNodeFromAnEngineThatCostsLess) {
  const auto convolutions = [&] {
    size_t plain_ones = 0;
    const GraphPtr placed = Compile(Network(), Opts({{"passes.disable", "FuseConv"}}))->PlacedGraph();
    for (const Node *node : placed->Nodes())
      plain_ones += node->type() == Symbol("Conv2D") && node->output_desc(0).format != C_FORMAT_NC1HWC0;
    return plain_ones;
  };
  EXPECT_EQ(convolutions(), 0u);
  takes = {"Conv2D"};
  EXPECT_EQ(convolutions(), 0u);  // it takes them in blocks, too
  flat = true;
  EXPECT_EQ(convolutions(), 2u);
}

TEST_F(Wishes, ABlockThatIsNoneIsRefused) {
  table_.channel_block = [](void *, uint64_t) { return here->block; };
  for (const int32_t wrong : {-1, 1, 1025, INT32_MAX, INT32_MIN}) {
    block = wrong;
    EXPECT_GE_ERROR(Compile(Network()), GE_FAILED,
                    Str("engine TestWishes: channel_block is ", wrong, ", expected 0, or 2 to 1024"));
  }
  table_.channel_block = [](void *, uint64_t) -> int32_t { throw std::runtime_error("no idea"); };
  EXPECT_GE_ERROR(Compile(Network()), GE_FAILED, "TestWishes");
  table_.channel_block = nullptr;
  EXPECT_NO_THROW(Compile(Network()));
}

TEST_F(Wishes, NodesAreNotFusedForAnEngineThatCostsMoreThanTheirs) {
  takes = {"Conv2D", "Relu"};
  using Types = std::set<std::string>;
  const Types fused{"FusedConv2D", "Conv2D", "Relu"};
  const auto kept = [&](const Types &types) {
    Types found;
    for (const std::string &type : types)
      if (fused.count(type)) found.insert(type);
    return found;
  };
  // Both parts for nothing, the fused operator for 1.
  Net net;
  net.Outputs({net.Out("Relu", {Convolution(net, net.Input({1, kChannels, kSide, kSide}), "c")})});
  EXPECT_EQ(kept(this->Types(net)), (Types{"Conv2D", "Relu"}));
  takes = {"Relu"};  // the convolution costs 1 by itself
  EXPECT_EQ(kept(this->Types(net)), (Types{"FusedConv2D"}));
  takes = {"Conv2D", "Relu", "FusedConv2D"};  // it takes the whole
  EXPECT_EQ(kept(this->Types(net)), (Types{"FusedConv2D"}));
  takes = {"Conv2D", "Relu"};
  table_.cost = 1;
  EXPECT_EQ(kept(this->Types(net)), (Types{"FusedConv2D"}));
}

TEST_F(Wishes, PaddingAndNormalisationStayWhereTheyCostNothing) {
  using Types = std::set<std::string>;
  Net padded;
  const Endpoint zeros = padded.Const(Array::I64({8}, {0, 0, 0, 0, 1, 1, 1, 1}));
  padded.Outputs({Convolution(padded, padded.Out("Pad", {padded.Input({1, kChannels, kSide, kSide}), zeros}), "c")});
  EXPECT_EQ(this->Types(padded), Types{"Conv2D"});
  Net scaled;
  const Endpoint by = scaled.Const(Array::F({1, kChannels, 1, 1}, Ramp(kChannels)));
  scaled.Outputs({scaled.Out("Mul", {Convolution(scaled, scaled.Input({1, kChannels, kSide, kSide}), "c"), by})});
  EXPECT_EQ(this->Types(scaled), Types{"Conv2D"});
  takes = {"Conv2D", "Pad", "Mul"};
  plain = true;  // neither pads nor a bias
  EXPECT_EQ(this->Types(padded), (Types{"Conv2D", "Pad"}));
  EXPECT_EQ(this->Types(scaled), (Types{"Conv2D", "Mul"}));
}

TEST_F(Wishes, WrittenOutOperatorsStayWhereTheirPartsCostNothing) {
  Net net;
  const Endpoint x = net.Input({4, 16});
  const Endpoint axes = net.Const(Array::I64({1}, {-1}));
  const auto reduced = [&](const char *type, Endpoint of) {
    Node *node = net.Op(type, {of, axes});
    net.graph->SetAttr(node, "keep_dims", AttrValue(true));
    return Endpoint{node, 0};
  };
  const Endpoint e = net.Out("Exp", {net.Out("Sub", {x, reduced("ReduceMax", x)})});
  net.Outputs({net.Out("RealDiv", {e, reduced("ReduceSum", e)})});
  EXPECT_EQ(Types(net), std::set<std::string>{"SoftmaxV2"});
  takes = {"Exp", "Sub", "RealDiv", "ReduceMax", "ReduceSum"};
  EXPECT_EQ(Types(net), (std::set<std::string>{"Exp", "Sub", "RealDiv", "ReduceMax", "ReduceSum"}));
  takes.erase("ReduceSum");  // 2 beside nothing for the others: as much as SoftmaxV2
  EXPECT_EQ(Types(net), std::set<std::string>{"SoftmaxV2"});
}

}  // namespace
}  // namespace gec
