// Passes of a program: what they do to a compile. Each pass works only while a test asks for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>

#include "es_all_ops.h"
#include "ge/fusion/graph_fuse_inspector_utils.h"
#include "ge/fusion/graph_rewriter.h"
#include "ge/fusion/infer_shape_util.h"
#include "ge/fusion/pass/decompose_pass.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
#include "ge/ge_api.h"
#include "ge/ge_utils.h"
#include "register_custom_pass.h"

namespace ge {
namespace {

using fusion::GraphUniqPtr;
using fusion::MatchResult;
using fusion::NodeIo;
using fusion::Pattern;
using fusion::PatternUniqPtr;

std::set<std::string> wanted;    // passes that work in this test
std::vector<std::string> calls;  // in the order they came
std::vector<std::string> types;  // of the root's nodes when ZTypes ran, in stage 1
std::string option_seen, error_to_set;
Status status_to_return = SUCCESS;

bool Wanted(const char *name) { return wanted.count(name) != 0; }
std::string TypeOf(const GNode &node) {
  AscendString type;
  (void)node.GetType(type);
  return type.GetString();
}
std::string NameOf(const GNode &node) {
  AscendString name;
  (void)node.GetName(name);
  return name.GetString();
}

// ---- MatMul + Add -> MatMul with bias ----

class MatMulBias : public fusion::PatternFusionPass {
 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    std::vector<PatternUniqPtr> patterns;
    es::EsGraphBuilder b("matmul_add");
    auto [x, w, bias] = b.CreateInputs<3>();
    auto product = es::MatMulV2(x, w);
    patterns.emplace_back(std::make_unique<Pattern>(std::move(*b.BuildAndReset({es::Add(product, bias)}))));
    patterns.back()->CaptureTensor({*product.GetProducer(), 0});
    return patterns;
  }
  bool MeetRequirements(const std::unique_ptr<MatchResult> &match) override {
    if (Wanted("MatMulBiasThrows")) throw std::runtime_error("on purpose");
    if (!Wanted("MatMulBias")) return false;
    NodeIo product{GNode(), -1};
    EXPECT_EQ(match->GetCapturedTensor(0, product), SUCCESS);
    EXPECT_EQ(TypeOf(product.node), "MatMulV2");
    EXPECT_EQ(match->GetCapturedTensor(1, product), FAILED);
    return true;
  }
  GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &match) override {
    es::EsGraphBuilder b("with_bias");
    auto [x, w, bias] = b.CreateInputs<3>();
    GraphUniqPtr graph = b.BuildAndReset({es::MatMulV2(x, w, bias)});
    EXPECT_EQ(fusion::InferShapeUtil::InferShape(*graph, *match), SUCCESS) << GeLastErrorMessage();
    TensorDesc desc;
    for (GNode &node : graph->GetDirectNode()) {
      if (TypeOf(node) != "MatMulV2") continue;
      EXPECT_EQ(node.GetOutputDesc(0, desc), GRAPH_SUCCESS);
      EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{2, 2}));
      EXPECT_EQ(desc.GetDataType(), DT_FLOAT);
    }
    return graph;
  }
};
REG_FUSION_PASS(MatMulBias).Stage(CustomPassStage::kAfterInferShape);

// ---- Relu6(x) -> Minimum(Maximum(x, 0), 6) ----

class SplitRelu6 : public fusion::DecomposePassV2 {
 public:
  using DecomposePassV2::DecomposePassV2;

 protected:
  bool MeetRequirements(const GNode &, CustomPassContext &) override {
    if (Wanted("SplitRelu6Throws")) throw 5;
    return Wanted("SplitRelu6");
  }
  GraphUniqPtr Replacement(const GNode &node, CustomPassContext &context) override {
    EXPECT_EQ(context.GetPassName(), AscendString("SplitRelu6"));
    if (Wanted("NoReplacement")) return nullptr;
    es::EsGraphBuilder b("clamp");
    auto x = b.CreateInput(0);
    GraphUniqPtr graph = b.BuildAndReset({es::Minimum(es::Maximum(x, b.CreateScalar(0.0f)), b.CreateScalar(6.0f))});
    EXPECT_EQ(fusion::InferShapeUtil::InferShape(*graph, node), SUCCESS) << GeLastErrorMessage();
    return graph;
  }
};
REG_DECOMPOSE_PASS(SplitRelu6, {"Relu6"}).Stage(CustomPassStage::kBeforeInferShape);

// ---- a whole graph: Neg(Neg(x)) -> x ----

class DropDoubleNeg : public fusion::FusionBasePass {
 public:
  Status Run(GraphPtr &graph, CustomPassContext &context) override {
    if (!Wanted("DropDoubleNeg")) return NOT_CHANGED;
    AscendString value;
    if (context.GetOptionValue("ge.exec.deviceId", value) == GRAPH_SUCCESS) option_seen = value.GetString();
    EXPECT_EQ(context.GetOptionValue("ge.aoe_config_file", value), GRAPH_FAILED);
    Status result = NOT_CHANGED;
    for (GNode &outer : graph->GetDirectNode()) {
      auto [inner, port] = outer.GetInDataNodesAndPortIndexs(0);
      if (TypeOf(outer) != "Neg" || inner == nullptr || TypeOf(*inner) != "Neg") continue;
      fusion::SubgraphInput input;
      EXPECT_EQ(input.AddInput({*inner, 0}), SUCCESS);
      EXPECT_EQ(input.AddInput({*inner, 1}), FAILED);  // no such port
      fusion::SubgraphOutput output({outer, 0});
      EXPECT_EQ(output.SetOutput({outer, 0}), FAILED);  // once
      fusion::SubgraphBoundary boundary;
      EXPECT_EQ(boundary.AddInput(0, input), SUCCESS);
      EXPECT_EQ(boundary.AddInput(0, input), FAILED);
      EXPECT_EQ(boundary.AddOutput(0, output), SUCCESS);
      es::EsGraphBuilder b("nothing");
      GraphUniqPtr through = b.BuildAndReset({b.CreateInput(0)});
      if (fusion::SubgraphRewriter::Replace(boundary, *through, context) != SUCCESS) return FAILED;
      result = SUCCESS;
    }
    return result;
  }
};
REG_FUSION_PASS(DropDoubleNeg).Stage(CustomPassStage::kAfterInferShape);

// ---- order, status, what a stage sees ----

int existing = 0;  // instances
class Counted : public fusion::FusionBasePass {
 public:
  Counted() { ++existing; }
  ~Counted() override { --existing; }
  Status Run(GraphPtr &graph, CustomPassContext &context) override {
    if (!Wanted("order")) return NOT_CHANGED;
    EXPECT_EQ(existing, 1);
    AscendString name;
    EXPECT_EQ(graph->GetName(name), GRAPH_SUCCESS);
    calls.push_back(std::string(context.GetPassName().GetString()) + "@" + name.GetString() + "#" +
                    std::to_string(runs_++));
    return NOT_CHANGED;
  }

 private:
  int runs_ = 0;
};
class ZLate : public Counted {};
class ALate : public Counted {};
REG_FUSION_PASS(ZLate).Stage(CustomPassStage::kAfterInferShape);
REG_FUSION_PASS(ALate).Stage(CustomPassStage::kAfterInferShape);
namespace inner {
class MLate : public Counted {};
REG_FUSION_PASS(inner::MLate).Stage(CustomPassStage::kAfterInferShape);
}  // namespace inner

class ZZTypes : public fusion::FusionBasePass {
 public:
  Status Run(GraphPtr &graph, CustomPassContext &) override {
    if (graph->GetParentGraph() != nullptr) return NOT_CHANGED;
    types.clear();
    for (GNode &node : graph->GetDirectNode()) types.push_back(TypeOf(node));
    std::sort(types.begin(), types.end());
    return NOT_CHANGED;
  }
};
REG_FUSION_PASS(ZZTypes).Stage(CustomPassStage::kAfterInferShape);

Status First(GraphPtr &graph, CustomPassContext &) {
  if (Wanted("order")) calls.push_back("second function");
  EXPECT_TRUE(graph->IsValid());
  return SUCCESS;
}
REGISTER_CUSTOM_PASS("B function")
    .CustomPassFn([](GraphPtr &graph, CustomPassContext &context) -> Status {
      if (Wanted("order")) calls.push_back("first function");
      AscendString name;
      (void)graph->GetName(name);
      if (!Wanted("status")) return SUCCESS;
      context.SetErrorMessage(AscendString(error_to_set.c_str()));
      return status_to_return;
    })
    .Stage(CustomPassStage::kAfterInferShape);
REGISTER_CUSTOM_PASS("A function").CustomPassFn(First).Stage(CustomPassStage::kAfterInferShape);

// By hand, late in the compile: every Sigmoid becomes an Abs without a description.
REGISTER_CUSTOM_PASS("edit")
    .CustomPassFn([](GraphPtr &graph, CustomPassContext &) -> Status {
      if (!Wanted("edit")) return SUCCESS;
      for (GNode &node : graph->GetDirectNode()) {
        if (TypeOf(node) != "Sigmoid") continue;
        GNode abs = graph->AddNodeByOp(OperatorFactory::CreateOperator("hand_made", "Abs"));
        auto [source, port] = node.GetInDataNodesAndPortIndexs(0);
        if (source == nullptr || graph->AddDataEdge(*source, port, abs, 0) != GRAPH_SUCCESS) return FAILED;
        for (auto &[reader, reader_port] : node.GetOutDataNodesAndPortIndexs(0)) {
          if (graph->RemoveEdge(node, 0, *reader, reader_port) != GRAPH_SUCCESS) return FAILED;
          if (graph->AddDataEdge(abs, 0, *reader, reader_port) != GRAPH_SUCCESS) return FAILED;
        }
        if (graph->RemoveNode(node) != GRAPH_SUCCESS) return FAILED;
      }
      return SUCCESS;
    })
    .Stage(CustomPassStage::kAfterBuiltinFusionPass);

// Every node gets a stream of its own making.
std::map<std::string, int64_t> streams;
REGISTER_CUSTOM_PASS("streams").CustomAllocateStreamPassFn([](const ConstGraphPtr &graph, StreamPassContext &context) {
  if (!Wanted("streams")) return SUCCESS;
  const int64_t before = context.GetCurrMaxStreamId();
  for (const GNode &node : graph->GetDirectNode()) {
    EXPECT_EQ(context.SetStreamId(node, before + 1), GRAPH_FAILED);
    EXPECT_EQ(context.SetStreamId(node, -1), GRAPH_FAILED);
    streams[NameOf(node)] = context.GetStreamId(node);
  }
  const int64_t fresh = context.AllocateNextStreamId();
  EXPECT_EQ(fresh, before + 1);
  for (const GNode &node : graph->GetDirectNode()) {
    EXPECT_EQ(context.SetStreamId(node, fresh), GRAPH_SUCCESS);
    EXPECT_EQ(context.GetStreamId(node), fresh);
  }
  return SUCCESS;
});

// ---- the tests ----

Tensor Floats(const std::vector<int64_t> &dims, const std::vector<float> &values) {
  return Tensor(TensorDesc(Shape(dims), FORMAT_ND, DT_FLOAT), reinterpret_cast<const uint8_t *>(values.data()),
                values.size() * sizeof(float));
}

class FusionPassTest : public testing::Test {
 protected:
  void SetUp() override {
    wanted.clear();
    calls.clear();
    types.clear();
    streams.clear();
    option_seen.clear();
    error_to_set.clear();
    status_to_return = SUCCESS;
    ASSERT_EQ(
        GEInitialize(std::map<AscendString, AscendString>{{"ge.exec.deviceId", "0"}, {"ge.exportCompileStat", "0"}}),
        SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(GEFinalize(), SUCCESS); }

  static std::vector<float> Run(const Graph &graph, const std::vector<Tensor> &inputs,
                                const std::map<AscendString, AscendString> &options = {}) {
    Session session(std::map<AscendString, AscendString>{});
    EXPECT_EQ(session.AddGraph(1, graph, options), SUCCESS);
    std::vector<Tensor> outputs;
    EXPECT_EQ(session.RunGraph(1, inputs, outputs), SUCCESS) << GeLastErrorMessage();
    if (outputs.empty()) return {};
    std::vector<float> values(outputs[0].GetSize() / sizeof(float));
    std::memcpy(values.data(), outputs[0].GetData(), outputs[0].GetSize());
    return values;
  }
  static std::string CompileError(const Graph &graph) {
    Session session(std::map<AscendString, AscendString>{});
    EXPECT_EQ(session.AddGraph(1, graph), SUCCESS);
    EXPECT_EQ(session.CompileGraph(1), FAILED);
    return GeLastErrorMessage();
  }
  static GraphUniqPtr MatMulAdd() {
    es::EsGraphBuilder b("affine");
    auto x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2, 2});
    auto w = b.CreateConst(std::vector<float>{1, 2, 3, 4}, {2, 2});
    auto bias = b.CreateConst(std::vector<float>{10, 20}, {2});
    return b.BuildAndReset({es::Add(es::MatMulV2(x, w), bias)});
  }
  // [1 2; 3 4] times itself is [7 10; 15 22].
  const Tensor x_ = Floats({2, 2}, {1, 2, 3, 4});
  const std::vector<float> affine_ = {17, 30, 25, 42};
};
using Types = std::vector<std::string>;

TEST_F(FusionPassTest, AMatchIsReplaced) {
  EXPECT_EQ(Run(*MatMulAdd(), {x_}), affine_);
  EXPECT_EQ(types, (Types{"Add", "Const", "Const", "Data", "MatMulV2", "NetOutput"}));
  wanted = {"MatMulBias"};
  EXPECT_EQ(Run(*MatMulAdd(), {x_}), affine_);
  EXPECT_EQ(types, (Types{"Const", "Const", "Data", "MatMulV2", "NetOutput"}));
}

TEST_F(FusionPassTest, SwitchesByOptionThenFileThenAll) {
  wanted = {"MatMulBias"};
  const std::string path = testing::TempDir() + "/fusion_switch.json";
  auto fused = [&](const char *file, const char *option) {
    std::map<AscendString, AscendString> options;
    if (file) {
      std::ofstream(path) << file;
      options["ge.fusionSwitchFile"] = path.c_str();
    }
    if (option) options["ge.optimizationSwitch"] = option;
    EXPECT_EQ(Run(*MatMulAdd(), {x_}, options), affine_);
    return types.empty()                                                 ? std::string("?")
           : std::find(types.begin(), types.end(), "Add") == types.end() ? "on"
                                                                         : "off";
  };
  EXPECT_EQ(fused(nullptr, nullptr), "on");
  EXPECT_EQ(fused(nullptr, "MatMulBias:off"), "off");
  EXPECT_EQ(fused(nullptr, "SomethingElse:off;MatMulBias:on"), "on");
  EXPECT_EQ(fused(nullptr, "MatMulBias:yes"), "off");  // only "on" is on
  EXPECT_EQ(fused(R"({"Switch": {"GraphFusion": {"MatMulBias": "off"}}})", nullptr), "off");
  EXPECT_EQ(fused(R"({"Switch": {"GraphFusion": {"MatMulBias": "off"}}})", "MatMulBias:on"), "on");
  EXPECT_EQ(fused(R"({"Switch": {"GraphFusion": {"ALL": "off", "MatMulBias": "on", "ZZTypes": "on"}}})", nullptr),
            "on");
  EXPECT_EQ(fused(R"({"Switch": {"GraphFusion": {"ALL": "off", "ZZTypes": "on"}}})", nullptr), "off");
  EXPECT_EQ(fused(R"({"Switch": {"UBFusion": {"MatMulBias": "off"}}})", nullptr), "on");
  EXPECT_EQ(fused("MatMulBias:off", nullptr), "on");  // no JSON
  types.clear();
  EXPECT_EQ(fused(R"({"Switch": {"GraphFusion": {"ALL": "off"}}})", nullptr), "?");  // the observer is off, too
}

TEST_F(FusionPassTest, NodesAreDecomposed) {
  es::EsGraphBuilder b("clamped");
  auto x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {4});
  GraphUniqPtr graph = b.BuildAndReset({es::Relu6(x)});
  const std::vector<float> expected = {0, 2.5f, 6, 6};
  const Tensor in = Floats({4}, {-3, 2.5f, 6, 100});
  EXPECT_EQ(Run(*graph, {in}), expected);
  EXPECT_EQ(types, (Types{"Data", "NetOutput", "Relu6"}));
  wanted = {"SplitRelu6"};
  EXPECT_EQ(Run(*graph, {in}), expected);
  EXPECT_EQ(types, (Types{"Const", "Const", "Data", "Maximum", "Minimum", "NetOutput"}));
  wanted = {"SplitRelu6", "NoReplacement"};
  const std::string message = CompileError(*graph);
  EXPECT_NE(message.find("pass 'SplitRelu6'"), std::string::npos) << message;
  EXPECT_NE(message.find("no replacement for Relu6"), std::string::npos) << message;
}

TEST_F(FusionPassTest, AWholeGraphPassRewritesThroughBoundaries) {
  es::EsGraphBuilder b("negs");
  auto x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2});
  GraphUniqPtr graph = b.BuildAndReset({es::Abs(es::Neg(es::Neg(x)))});
  wanted = {"DropDoubleNeg"};
  EXPECT_EQ(Run(*graph, {Floats({2}, {-1, 2})}), (std::vector<float>{1, 2}));
  EXPECT_EQ(types, (Types{"Abs", "Data", "NetOutput"}));
  EXPECT_EQ(option_seen, "0");
}

TEST_F(FusionPassTest, FunctionsComeFirstThenFusionPassesByName) {
  wanted = {"order"};
  Run(*MatMulAdd(), {x_});
  // By byte: capitals before small letters. An instance per stage, so each counts its own runs.
  EXPECT_EQ(calls, (std::vector<std::string>{"first function", "second function", "ALate@affine#0", "ZLate@affine#0",
                                             "inner::MLate@affine#0"}));
  EXPECT_EQ(existing, 0);
}

TEST_F(FusionPassTest, FusionPassesSeeSubgraphsWithOneInstance) {
  auto branch = [](const char *name, bool negative) {
    es::EsGraphBuilder b(name);
    auto x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2});
    return b.BuildAndReset({negative ? es::Neg(x) : es::Relu(x)});
  };
  es::EsGraphBuilder b("choice");
  auto cond = b.CreateInput(0, "cond", DT_BOOL, FORMAT_ND, {});
  auto x = b.CreateInput(1, "x", DT_FLOAT, FORMAT_ND, {2});
  auto chosen = es::If(cond, {x}, 1, branch("yes", true), branch("no", false));
  GraphUniqPtr graph = b.BuildAndReset({chosen[0]});
  wanted = {"order"};
  const uint8_t yes = 1;
  const Tensor flag(TensorDesc(Shape(std::vector<int64_t>{}), FORMAT_ND, DT_BOOL), &yes, 1);
  EXPECT_EQ(Run(*graph, {flag, Floats({2}, {-1, 2})}), (std::vector<float>{1, -2}));
  std::vector<std::string> of_a;
  for (const std::string &call : calls)
    if (call.compare(0, 6, "ALate@") == 0) of_a.push_back(call.substr(6));
  ASSERT_EQ(of_a.size(), 3u);
  EXPECT_EQ(of_a[0], "choice#0");
  EXPECT_EQ(of_a[1].substr(of_a[1].size() - 2), "#1");
  EXPECT_EQ(of_a[2].substr(of_a[2].size() - 2), "#2");
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "first function"), 1);
}

TEST_F(FusionPassTest, AFailingFunctionEndsTheCompile) {
  wanted = {"status"};
  EXPECT_EQ(Run(*MatMulAdd(), {x_}), affine_);  // SUCCESS
  error_to_set = "the moon is full";
  status_to_return = 77;
  std::string message = CompileError(*MatMulAdd());
  for (const char *part : {"E13028", "'B function'", "77", "the moon is full"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  status_to_return = NOT_CHANGED;  // is no success for a function
  message = CompileError(*MatMulAdd());
  EXPECT_NE(message.find("E13028"), std::string::npos) << message;
}

TEST_F(FusionPassTest, AFunctionEditsTheGraph) {
  es::EsGraphBuilder b("edited");
  auto x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2});
  GraphUniqPtr graph = b.BuildAndReset({es::Neg(es::Sigmoid(x))});
  wanted = {"edit"};
  EXPECT_EQ(Run(*graph, {Floats({2}, {-1, 2})}), (std::vector<float>{-1, -2}));
}

TEST_F(FusionPassTest, StreamPassesAssignStreams) {
  es::EsGraphBuilder b("streams");
  auto x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2});
  auto y = es::Relu(x);
  ASSERT_EQ(y.SetAttrForNode("_user_stream_label", "mine"), SUCCESS);
  GraphUniqPtr graph = b.BuildAndReset({y});
  wanted = {"streams"};
  (void)GEGetWarningMsg();
  EXPECT_EQ(Run(*graph, {Floats({2}, {-1, 2})}), (std::vector<float>{0, 2}));
  EXPECT_NE(GEGetWarningMsg().find("pass 'streams' gives nodes further streams, which no run reads"),
            std::string::npos);
  EXPECT_EQ(streams.at("x"), 0);
  EXPECT_EQ(streams.at(NameOf(*y.GetProducer())), 1);
}

// ---- what cannot run is said when it is registered ----

class Log {
 public:
  explicit Log(int32_t level = GE_LOG_ERROR) { GeSetLogCallback(Keep, &text_, level); }
  ~Log() { GeSetLogCallback(nullptr, nullptr, GE_LOG_WARNING); }
  const std::string &text() const { return text_; }

 private:
  static void Keep(void *user, int32_t, const char *message) { *static_cast<std::string *>(user) += message; }
  std::string text_;
};
int made = 0;
fusion::FusionBasePass *MakeSecond() {
  ++made;
  return new ZZTypes();
}
fusion::FusionBasePass *MakeNone() { return nullptr; }

TEST_F(FusionPassTest, ConditionsThatThrowCountAsNoAndTheLogNamesThem) {
  Log log(GE_LOG_WARNING);
  wanted = {"MatMulBiasThrows"};
  EXPECT_EQ(Run(*MatMulAdd(), {x_}), affine_);
  EXPECT_NE(log.text().find("pass 'MatMulBias', [PatternName:matmul_add]"), std::string::npos) << log.text();
  EXPECT_NE(log.text().find("MeetRequirements failed, the match is left alone: on purpose"), std::string::npos)
      << log.text();
  es::EsGraphBuilder b("relu6");
  auto y = es::Relu6(b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2}));
  const std::string name = NameOf(*y.GetProducer());
  GraphUniqPtr graph = b.BuildAndReset({y});
  wanted = {"SplitRelu6Throws"};
  EXPECT_EQ(Run(*graph, {Floats({2}, {-1, 9})}), (std::vector<float>{0, 6}));
  EXPECT_NE(log.text().find("pass 'SplitRelu6', node '" + name + "': MeetRequirements failed"), std::string::npos)
      << log.text();
}

TEST_F(FusionPassTest, PassesForAWrongStageAreLeftOut) {
  {
    Log log;
    fusion::FusionPassRegistrationData late("TooLate");
    fusion::PassRegistrar registered(late.CreatePassFn(MakeSecond).Stage(CustomPassStage::kAfterAssignLogicStream));
    EXPECT_NE(log.text().find("'TooLate'"), std::string::npos) << log.text();
  }
  {
    Log log;
    PassRegistrationData function("function for streams");
    auto fails = [](GraphPtr &, CustomPassContext &) -> Status { return FAILED; };
    PassReceiver registered(function.CustomPassFn(fails).Stage(CustomPassStage::kAfterAssignLogicStream));
    EXPECT_NE(log.text().find("E13030"), std::string::npos) << log.text();
    PassRegistrationData streams("streams too early");
    streams.CustomAllocateStreamPassFn([](const ConstGraphPtr &, StreamPassContext &) -> Status { return FAILED; });
    EXPECT_EQ(streams.GetStage(), CustomPassStage::kAfterAssignLogicStream);
    PassReceiver early(streams.Stage(CustomPassStage::kInvalid).Stage(CustomPassStage::kBeforeInferShape));
    EXPECT_NE(log.text().find("'streams too early'"), std::string::npos) << log.text();
  }
  // Of two with one name the first stays, and nobody is told.
  Log log;
  fusion::FusionPassRegistrationData again("ZZTypes");
  EXPECT_EQ(again.GetStage(), CustomPassStage::kBeforeInferShape);
  fusion::PassRegistrar second(again.CreatePassFn(MakeSecond));
  EXPECT_EQ(Run(*MatMulAdd(), {x_}), affine_);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(log.text(), "");
}

TEST_F(FusionPassTest, APassThatCannotBeMadeEndsTheCompile) {
  static const bool registered = [] {
    fusion::FusionPassRegistrationData data("CannotBeMade");
    fusion::PassRegistrar registrar(data.CreatePassFn(MakeNone).Stage(CustomPassStage::kAfterOriginGraphOptimize));
    return true;
  }();
  ASSERT_TRUE(registered);
  const std::string message = CompileError(*MatMulAdd());
  EXPECT_NE(message.find("CannotBeMade"), std::string::npos) << message;
  EXPECT_EQ(Run(*MatMulAdd(), {x_}, {{"ge.optimizationSwitch", "CannotBeMade:off"}}), affine_);
}

}  // namespace
}  // namespace ge
