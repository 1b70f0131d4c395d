// Matching and rewriting by hand: what matches, what a match says, what a rewrite leaves behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "es_all_ops.h"
#include "ge/fusion/graph_fuse_inspector_utils.h"
#include "ge/fusion/graph_rewriter.h"
#include "ge/fusion/infer_shape_util.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
#include "ge/fusion/pattern_matcher.h"

namespace ge {
namespace fusion {
namespace {

using es::EsGraphBuilder;
using es::EsTensorHolder;
using Names = std::vector<std::string>;

std::string NameOf(const GNode &node) {
  AscendString name;
  (void)node.GetName(name);
  return name.GetString();
}
std::string TypeOf(const GNode &node) {
  AscendString type;
  (void)node.GetType(type);
  return type.GetString();
}
Names NamesOf(const std::vector<GNode> &nodes) {
  Names names;
  for (const GNode &node : nodes) names.push_back(NameOf(node));
  return names;
}
Names TypesOf(const Graph &graph) {
  Names types;
  for (const GNode &node : graph.GetDirectNode()) types.push_back(TypeOf(node));
  std::sort(types.begin(), types.end());
  return types;
}
std::string Of(const EsTensorHolder &tensor) { return NameOf(*tensor.GetProducer()); }

GraphPtr Shared(GraphUniqPtr graph) { return std::make_shared<Graph>(*graph); }
PatternUniqPtr Make(const std::function<std::vector<EsTensorHolder>(EsGraphBuilder &)> &build) {
  EsGraphBuilder b("pattern");
  return std::make_unique<Pattern>(std::move(*b.BuildAndReset(build(b))));
}
PatternUniqPtr AddRelu() {
  return Make([](EsGraphBuilder &b) -> std::vector<EsTensorHolder> {
    return {es::Relu(es::Add(b.CreateInput(0), b.CreateInput(1)))};
  });
}
std::vector<Names> Matches(PatternUniqPtr pattern, const GraphPtr &target,
                           std::unique_ptr<PatternMatcherConfig> config = nullptr) {
  PatternMatcher matcher(std::move(pattern), target, std::move(config));
  std::vector<Names> found;
  while (auto match = matcher.MatchNext()) found.push_back(NamesOf(match->GetMatchedNodes()));
  EXPECT_EQ(matcher.MatchNext(), nullptr);
  return found;
}

TEST(FusionMatch, FindsEveryPlaceInTheOrderOfTheDataFlow) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  auto add1 = es::Add(x, y), relu1 = es::Relu(add1), add2 = es::Add(relu1, x), relu2 = es::Relu(add2);
  auto alone = es::Relu(x);
  const std::vector<Names> expected = {{Of(add1), Of(relu1)}, {Of(add2), Of(relu2)}};
  GraphPtr target = Shared(b.BuildAndReset({relu2, alone}));
  EXPECT_EQ(Matches(AddRelu(), target), expected);
}

TEST(FusionMatch, InputsCountByPosition) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0);
  auto sum = es::Add(es::Relu(x), es::Neg(x));
  GraphPtr target = Shared(b.BuildAndReset({sum}));
  auto count = [&](bool relu_first) {
    return Matches(Make([&](EsGraphBuilder &p) -> std::vector<EsTensorHolder> {
                     auto in = p.CreateInput(0);
                     auto relu = es::Relu(in), neg = es::Neg(in);
                     return {relu_first ? es::Add(relu, neg) : es::Add(neg, relu)};
                   }),
                   target)
        .size();
  };
  EXPECT_EQ(count(true), 1u);
  EXPECT_EQ(count(false), 0u);
}

TEST(FusionMatch, APlaceholderIsOneTensorButTwoMayBeTheSame) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  auto same = es::Mul(x, x), different = es::Mul(x, y);
  const std::vector<Names> square = {{Of(same)}}, any = {{Of(same)}, {Of(different)}};
  GraphPtr target = Shared(b.BuildAndReset({same, different}));
  EXPECT_EQ(Matches(Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> {
                      auto in = p.CreateInput(0);
                      return {es::Mul(in, in)};
                    }),
                    target),
            square);
  EXPECT_EQ(Matches(Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> {
                      return {es::Mul(p.CreateInput(0), p.CreateInput(1))};
                    }),
                    target),
            any);
}

TEST(FusionMatch, AValueThatIsReadOutsideForbidsTheMatch) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  auto add = es::Add(x, y);
  auto relu = es::Relu(add), other = es::Neg(add);
  GraphPtr target = Shared(b.BuildAndReset({relu, other}));
  EXPECT_TRUE(Matches(AddRelu(), target).empty());
  // As an output of the pattern it may be read.
  EXPECT_EQ(Matches(Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> {
                      auto sum = es::Add(p.CreateInput(0), p.CreateInput(1));
                      return {es::Relu(sum), sum};
                    }),
                    target)
                .size(),
            1u);
  // So does a graph output.
  EsGraphBuilder c("listed");
  auto sum = es::Add(c.CreateInput(0), c.CreateInput(1));
  auto listed = Shared(c.BuildAndReset({es::Relu(sum), sum}));
  EXPECT_TRUE(Matches(AddRelu(), listed).empty());
}

TEST(FusionMatch, ConstantsMatchByValueOnRequest) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0);
  auto two = b.CreateScalar(2.0f), three = b.CreateScalar(3.0f), shared = b.CreateScalar(2.0f);
  auto by_two = es::Mul(x, two), by_three = es::Mul(x, three), by_shared = es::Mul(x, shared),
       more = es::Add(x, shared);
  const std::vector<Names> any = {{Of(two), Of(by_two)}, {Of(three), Of(by_three)}}, equal = {any[0]};
  GraphPtr target = Shared(b.BuildAndReset({by_two, by_three, by_shared, more}));
  auto pattern = [] {
    return Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> {
      return {es::Mul(p.CreateInput(0), p.CreateScalar(2.0f))};
    });
  };
  EXPECT_EQ(Matches(pattern(), target), any);  // a constant that is also read elsewhere is no part of a match
  EXPECT_EQ(Matches(pattern(), target, PatternMatcherConfigBuilder().EnableConstValueMatch().Build()), equal);
}

TEST(FusionMatch, PrototypeAttributesReplaceTheTypeOfInnerNodes) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0), w = b.CreateInput(1);
  auto plain = es::Neg(es::MatMulV2(x, w)), transposed = es::Neg(es::MatMulV2(x, w, nullptr, nullptr, true));
  auto inner = es::Neg(es::Relu(x));
  GraphPtr target = Shared(b.BuildAndReset({plain, transposed, inner}));
  auto product = [] {
    return Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> {
      return {es::Neg(es::MatMulV2(p.CreateInput(0), p.CreateInput(1)))};
    });
  };
  const auto attrs = [] { return PatternMatcherConfigBuilder().EnableIrAttrMatch().Build(); };
  EXPECT_EQ(Matches(product(), target).size(), 2u);
  EXPECT_EQ(Matches(product(), target, attrs()).size(), 1u);
  // Abs and Relu have no attributes: as inner nodes they are alike then.
  auto abs = [] {
    return Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> { return {es::Neg(es::Abs(p.CreateInput(0)))}; });
  };
  EXPECT_TRUE(Matches(abs(), target).empty());
  EXPECT_EQ(Matches(abs(), target, attrs()).size(), 1u);
}

TEST(FusionMatch, SeveralOutputsAreFoundTogether) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  auto relu_x = es::Relu(x), neg_y = es::Neg(y), neg_x = es::Neg(x);
  const std::vector<Names> expected = {{Of(relu_x), Of(neg_x)}};
  GraphPtr target = Shared(b.BuildAndReset({relu_x, neg_y, neg_x}));
  PatternUniqPtr pattern = Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> {
    auto in = p.CreateInput(0);
    return {es::Relu(in), es::Neg(in)};
  });
  PatternMatcher matcher(std::move(pattern), target);
  auto match = matcher.MatchNext();
  ASSERT_NE(match, nullptr);
  EXPECT_EQ(NamesOf(match->GetMatchedNodes()), expected[0]);
  auto boundary = match->ToSubgraphBoundary();
  std::vector<SubgraphInput> inputs;
  std::vector<SubgraphOutput> outputs;
  ASSERT_EQ(boundary->GetAllInputs(inputs), SUCCESS);
  ASSERT_EQ(boundary->GetAllOutputs(outputs), SUCCESS);
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].GetAllInputs().size(), 2u);  // both read x
  ASSERT_EQ(outputs.size(), 2u);
  NodeIo out{GNode(), -1};
  ASSERT_EQ(outputs[1].GetOutput(out), SUCCESS);
  EXPECT_EQ(NameOf(out.node), Of(neg_x));
  const std::string text = match->ToAscendString().GetString();
  EXPECT_NE(text.find("[PatternName:pattern][MatchNodesPair]"), std::string::npos) << text;
  EXPECT_NE(text.find("{Neg:" + Of(neg_x) + "}"), std::string::npos) << text;
}

TEST(FusionMatch, WhatPatternsCannotHold) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0);
  GraphPtr target = Shared(b.BuildAndReset({es::Relu(es::ConcatV2({x, x}, b.CreateScalar(int32_t{0}), 2))}));
  EXPECT_TRUE(Matches(Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> {
                        auto in = p.CreateInput(0);
                        return {es::Relu(es::ConcatV2({in, in}, p.CreateInput(1), 2))};
                      }),
                      target)
                  .empty());
  EXPECT_NE(std::string(GeLastErrorMessage()).find("dynamic"), std::string::npos) << GeLastErrorMessage();
  EXPECT_TRUE(Matches(Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> {
                        auto in = p.CreateInput(0), relu = es::Relu(in);
                        EXPECT_EQ(relu.AddControlEdge({in}), SUCCESS);
                        return {relu};
                      }),
                      target)
                  .empty());
  EXPECT_NE(std::string(GeLastErrorMessage()).find("control"), std::string::npos) << GeLastErrorMessage();
  EXPECT_TRUE(Matches(Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> { return {p.CreateInput(0)}; }), target)
                  .empty());
  EXPECT_NE(std::string(GeLastErrorMessage()).find("its output is its input Data"), std::string::npos)
      << GeLastErrorMessage();
}

TEST(FusionMatch, ARefusedTensorKeepsItsNumber) {
  EsGraphBuilder b("target");
  auto add = es::Add(b.CreateInput(0), b.CreateInput(1));
  GraphPtr target = Shared(b.BuildAndReset({es::Relu(add)}));
  EsGraphBuilder p("captures");
  auto sum = es::Add(p.CreateInput(0), p.CreateInput(1));
  auto pattern = std::make_unique<Pattern>(std::move(*p.BuildAndReset({es::Relu(sum)})));
  pattern->CaptureTensor({*sum.GetProducer(), 7}).CaptureTensor({*sum.GetProducer(), 0});  // Add has one output
  PatternMatcher matcher(std::move(pattern), target);
  auto match = matcher.MatchNext();
  ASSERT_NE(match, nullptr);
  NodeIo io{GNode(), -1};
  EXPECT_EQ(match->GetCapturedTensor(0, io), FAILED);
  ASSERT_EQ(match->GetCapturedTensor(1, io), SUCCESS);
  EXPECT_EQ(NameOf(io.node), Of(add));
}

TEST(FusionMatch, CapturedTensorsAndPairs) {
  EsGraphBuilder b("target");
  auto add = es::Add(b.CreateInput(0), b.CreateInput(1));
  GraphPtr target = Shared(b.BuildAndReset({es::Relu(add)}));
  EsGraphBuilder p("captures");
  auto in = p.CreateInput(0), sum = es::Add(in, p.CreateInput(1));
  auto pattern = std::make_unique<Pattern>(std::move(*p.BuildAndReset({es::Relu(sum)})));
  pattern->CaptureTensor({*sum.GetProducer(), 0}).CaptureTensor({*in.GetProducer(), 0});
  std::vector<NodeIo> captured;
  ASSERT_EQ(pattern->GetCapturedTensors(captured), SUCCESS);
  ASSERT_EQ(captured.size(), 2u);
  EXPECT_EQ(NameOf(captured[1].node), Of(in));
  const Pattern *raw = pattern.get();
  PatternMatcher matcher(std::move(pattern), target);
  auto match = matcher.MatchNext();
  ASSERT_NE(match, nullptr);
  NodeIo io{GNode(), -1};
  ASSERT_EQ(match->GetCapturedTensor(0, io), SUCCESS);
  EXPECT_EQ(NameOf(io.node), Of(add));
  ASSERT_EQ(match->GetCapturedTensor(1, io), SUCCESS);
  EXPECT_EQ(TypeOf(io.node), "Data");
  EXPECT_EQ(match->GetCapturedTensor(2, io), FAILED);
  GNode node;
  ASSERT_EQ(match->GetMatchedNode(*sum.GetProducer(), node), SUCCESS);
  EXPECT_EQ(NameOf(node), Of(add));
  EXPECT_EQ(match->GetMatchedNode(node, node), FAILED);  // a node of the target
  MatchResult own(raw);
  const MatchResult copy = own;
  ASSERT_EQ(own.AppendNodeMatchPair({*sum.GetProducer(), 0}, {*add.GetProducer(), 0}), SUCCESS);
  EXPECT_EQ(own.GetMatchedNodes().size(), 1u);
  EXPECT_TRUE(copy.GetMatchedNodes().empty());
}

// ---- rewriting ----

TEST(FusionRewrite, ReplacedNodesGoAndNewOnesCarryTheirNames) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  auto add = es::Add(x, y), relu = es::Relu(add);
  ASSERT_EQ(add.SetAttrForNode("_user_stream_label", "s1"), SUCCESS);
  auto last = es::Neg(relu);
  const std::string add_name = Of(add), relu_name = Of(relu);
  GraphPtr target = Shared(b.BuildAndReset({last}));
  PatternMatcher matcher(AddRelu(), target);
  auto match = matcher.MatchNext();
  ASSERT_NE(match, nullptr);
  EsGraphBuilder r("replacement");
  auto in0 = r.CreateInput(0), in1 = r.CreateInput(1);
  auto maximum = es::Maximum(in1, in0);
  ASSERT_EQ(maximum.SetAttrForNode("_op_aicore_num", "7"), SUCCESS);
  const std::string made_as = Of(maximum);
  GraphUniqPtr replacement = r.BuildAndReset({maximum});
  ASSERT_EQ(SubgraphRewriter::Replace(*match->ToSubgraphBoundary(), *replacement), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(TypesOf(*target), (Names{"Data", "Data", "Maximum", "Neg", "NetOutput"}));
  EXPECT_EQ(TypesOf(*replacement), (Names{"Data", "Data", "Maximum", "NetOutput"}));  // copied, not consumed
  auto [made, port] = last.GetProducer()->GetInDataNodesAndPortIndexs(0);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(TypeOf(*made), "Maximum");
  const std::string prefix = made_as + "_" + relu_name + "_" + add_name + "_";
  EXPECT_EQ(NameOf(*made).substr(0, prefix.size()), prefix);
  // Inputs by index, whatever port they go to.
  EXPECT_EQ(made->GetInDataNodesAndPortIndexs(0).first->handle(), y.GetProducer()->handle());
  EXPECT_EQ(made->GetInDataNodesAndPortIndexs(1).first->handle(), x.GetProducer()->handle());
  std::vector<AscendString> names;
  ASSERT_EQ(made->GetAttr("_datadump_original_op_names", names), GRAPH_SUCCESS);
  EXPECT_EQ(names, (std::vector<AscendString>{relu_name.c_str(), add_name.c_str()}));
  AscendString label;
  ASSERT_EQ(made->GetAttr("_user_stream_label", label), GRAPH_SUCCESS);
  EXPECT_EQ(label, AscendString("s1"));
  ASSERT_EQ(made->GetAttr("_op_aicore_num", label), GRAPH_SUCCESS);
  EXPECT_EQ(label, AscendString("7"));
  EXPECT_EQ(GeGraphVerify(target->handle()), GE_SUCCESS) << GeLastErrorMessage();
}

TEST(FusionRewrite, RewritingCascadesToNewNodes) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0);
  GraphPtr target = Shared(b.BuildAndReset({es::Neg(es::Neg(es::Neg(x)))}));
  PatternMatcher matcher(
      Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> { return {es::Neg(p.CreateInput(0))}; }), target);
  int replaced = 0;
  while (auto match = matcher.MatchNext()) {
    if (++replaced > 6) break;  // what is put there matches again: the caller has to stop
    EsGraphBuilder r("same");
    GraphUniqPtr same = r.BuildAndReset({es::Neg(r.CreateInput(0))});
    ASSERT_EQ(SubgraphRewriter::Replace(*match->ToSubgraphBoundary(), *same), SUCCESS);
  }
  EXPECT_EQ(replaced, 7);
  EXPECT_EQ(TypesOf(*target), (Names{"Data", "Neg", "Neg", "Neg", "NetOutput"}));
}

TEST(FusionRewrite, HandingThroughAndControlEdges) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  auto before = es::Abs(y), add = es::Add(x, y), relu = es::Relu(add), after = es::Neg(y);
  ASSERT_EQ(add.AddControlEdge({before}), SUCCESS);
  ASSERT_EQ(after.AddControlEdge({relu}), SUCCESS);
  const std::string before_name = Of(before), after_name = Of(after);
  GraphPtr target = Shared(b.BuildAndReset({relu, before, after}));
  GraphPtr second = std::make_shared<Graph>("second");
  ASSERT_EQ(second->CopyFrom(*target), GRAPH_SUCCESS);
  {
    PatternMatcher matcher(AddRelu(), target);
    auto match = matcher.MatchNext();
    ASSERT_NE(match, nullptr);
    EsGraphBuilder r("fused");
    GraphUniqPtr fused = r.BuildAndReset({es::Maximum(r.CreateInput(0), r.CreateInput(1))});
    ASSERT_EQ(SubgraphRewriter::Replace(*match->ToSubgraphBoundary(), *fused), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(TypesOf(*target), (Names{"Abs", "Data", "Data", "Maximum", "Neg", "NetOutput", "NoOp", "NoOp"}));
    GNodePtr neg = target->FindNodeByName(after_name.c_str());
    bool waits = false;  // Neg waits for a NoOp, that for Maximum, that for a NoOp, and that for Abs
    for (const GNodePtr &gate : neg->GetInControlNodes())
      for (const GNodePtr &made : gate->GetInControlNodes())
        for (const GNodePtr &first : made->GetInControlNodes())
          for (const GNodePtr &source : first->GetInControlNodes())
            waits |= TypeOf(*gate) == "NoOp" && TypeOf(*made) == "Maximum" && NameOf(*source) == before_name;
    EXPECT_TRUE(waits);
    EXPECT_EQ(GeGraphVerify(target->handle()), GE_SUCCESS) << GeLastErrorMessage();
  }
  PatternMatcher matcher(AddRelu(), second);
  auto match = matcher.MatchNext();
  ASSERT_NE(match, nullptr);
  EsGraphBuilder r("through");
  auto in0 = r.CreateInput(0), in1 = r.CreateInput(1);
  (void)in0;
  GraphUniqPtr through = r.BuildAndReset({in1});
  ASSERT_EQ(SubgraphRewriter::Replace(*match->ToSubgraphBoundary(), *through), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(TypesOf(*second), (Names{"Abs", "Data", "Data", "Neg", "NetOutput"}));
  GNodePtr neg = second->FindNodeByName(after_name.c_str());
  Names sources;
  for (const GNodePtr &source : neg->GetInControlNodes()) sources.push_back(NameOf(*source));
  EXPECT_NE(std::find(sources.begin(), sources.end(), before_name), sources.end());  // the order stays
  EXPECT_EQ(GeGraphVerify(second->handle()), GE_SUCCESS) << GeLastErrorMessage();
}

TEST(FusionRewrite, WhatIsRefusedLeavesTheGraphAlone) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  auto add = es::Add(x, y), relu = es::Relu(add);
  GraphPtr target = Shared(b.BuildAndReset({relu}));
  const Names before = TypesOf(*target);
  PatternMatcher matcher(AddRelu(), target);
  auto match = matcher.MatchNext();
  ASSERT_NE(match, nullptr);
  auto replace = [&](const std::function<std::vector<EsTensorHolder>(EsGraphBuilder &)> &build) {
    EsGraphBuilder r("replacement");
    const Status status = SubgraphRewriter::Replace(*match->ToSubgraphBoundary(), *r.BuildAndReset(build(r)));
    EXPECT_EQ(TypesOf(*target), before);
    return status;
  };
  EXPECT_EQ(replace([](EsGraphBuilder &r) -> std::vector<EsTensorHolder> { return {es::Relu(r.CreateInput(0))}; }),
            FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("has 1 inputs"), std::string::npos) << GeLastErrorMessage();
  EXPECT_EQ(replace([](EsGraphBuilder &r) -> std::vector<EsTensorHolder> {
              auto sum = es::Add(r.CreateInput(0), r.CreateInput(1));
              return {sum, sum};
            }),
            FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("has 2 outputs"), std::string::npos) << GeLastErrorMessage();
  // Nodes of different streams may not become one.
  ASSERT_EQ(add.SetAttrForNode("_user_stream_label", "one"), SUCCESS);
  ASSERT_EQ(relu.SetAttrForNode("_user_stream_label", "two"), SUCCESS);
  auto sum = [](EsGraphBuilder &r) -> std::vector<EsTensorHolder> {
    return {es::Add(r.CreateInput(0), r.CreateInput(1))};
  };
  EXPECT_EQ(replace(sum), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("_user_stream_label"), std::string::npos) << GeLastErrorMessage();
  AscendString reason;
  EXPECT_FALSE(GraphFuseInspectorUtils::CanFuse({*add.GetProducer(), *relu.GetProducer()}, reason));
  EXPECT_NE(reason.Find("_user_stream_label"), std::string::npos);
  EXPECT_FALSE(GraphFuseInspectorUtils::CanFuse({}, reason));
}

TEST(FusionRewrite, NodesAroundAnotherOneAreNotFused) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0);
  auto relu = es::Relu(x), between = es::Abs(relu), add = es::Add(relu, between);
  GraphPtr target = Shared(b.BuildAndReset({add}));
  AscendString reason;
  EXPECT_FALSE(GraphFuseInspectorUtils::CanFuse({*relu.GetProducer(), *add.GetProducer()}, reason));
  EXPECT_NE(reason.Find("cycle"), std::string::npos) << reason.GetString();
  EXPECT_TRUE(
      GraphFuseInspectorUtils::CanFuse({*relu.GetProducer(), *between.GetProducer(), *add.GetProducer()}, reason));
  CustomPassContext context;
  EXPECT_EQ(GraphFuseInspectorUtils::ReportFuse({*relu.GetProducer()}, {*between.GetProducer()}, context), FAILED);
  context.SetPassName("ByHand");
  ASSERT_EQ(GraphFuseInspectorUtils::ReportFuse({*relu.GetProducer()}, {*between.GetProducer()}, context), SUCCESS);
  std::vector<AscendString> names;
  ASSERT_EQ(between.GetProducer()->GetAttr("_datadump_original_op_names", names), GRAPH_SUCCESS);
  EXPECT_EQ(names, std::vector<AscendString>{Of(relu).c_str()});
}

// Graphs without a NetOutput list their outputs; a list may name one tensor twice.
TEST(FusionRewrite, ListedOutputsFollow) {
  Graph graph("listed");
  auto add_node = [&](const char *type, const char *name) {
    GeNodeSpec spec{};
    spec.struct_size = sizeof spec;
    spec.type = type;
    spec.name = name;
    GeNode *node = nullptr;
    EXPECT_EQ(GeGraphAddNode(graph.handle(), &spec, &node), GE_SUCCESS) << GeLastErrorMessage();
    return GNode(node);
  };
  GNode x = add_node("Data", "x"), abs = add_node("Abs", "abs"), relu = add_node("Relu", "relu");
  ASSERT_EQ(graph.AddDataEdge(x, 0, abs, 0), GRAPH_SUCCESS);
  ASSERT_EQ(graph.AddDataEdge(abs, 0, relu, 0), GRAPH_SUCCESS);
  GeNode *listed[] = {relu.handle(), abs.handle(), relu.handle()};
  const int32_t ports[] = {0, 0, 0};
  ASSERT_EQ(GeGraphSetOutputs(graph.handle(), listed, ports, 3), GE_SUCCESS);
  GraphPtr target = std::make_shared<Graph>(graph);
  auto chain = [](EsGraphBuilder &p) -> std::vector<EsTensorHolder> { return {es::Relu(es::Abs(p.CreateInput(0)))}; };
  EXPECT_TRUE(Matches(Make(chain), target).empty());  // Abs is read by the list
  listed[1] = relu.handle();
  ASSERT_EQ(GeGraphSetOutputs(graph.handle(), listed, ports, 3), GE_SUCCESS);
  PatternMatcher matcher(Make(chain), target);
  auto match = matcher.MatchNext();
  ASSERT_NE(match, nullptr);
  EsGraphBuilder r("neg");
  GraphUniqPtr neg = r.BuildAndReset({es::Neg(r.CreateInput(0))});
  ASSERT_EQ(SubgraphRewriter::Replace(*match->ToSubgraphBoundary(), *neg), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(TypesOf(graph), (Names{"Data", "Neg"}));
  for (size_t i = 0; i < 3; ++i) {
    GeNode *node = nullptr;
    int32_t port = -1;
    ASSERT_EQ(GeGraphGetOutput(graph.handle(), i, &node, &port), GE_SUCCESS);
    EXPECT_STREQ(GeNodeType(node), "Neg");
  }
}

// Two outputs change places: who read one reads what the other read before.
TEST(FusionRewrite, OutputsMayBeHandedThroughCrosswise) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0), y = b.CreateInput(1);
  auto abs = es::Abs(x), neg = es::Neg(y);
  auto after_abs = es::Relu(abs), after_neg = es::Exp(neg);
  GraphPtr target = Shared(b.BuildAndReset({after_abs, after_neg}));
  SubgraphInput reads_abs, reads_neg;
  ASSERT_EQ(reads_abs.AddInput({*after_abs.GetProducer(), 0}), SUCCESS);
  ASSERT_EQ(reads_neg.AddInput({*after_neg.GetProducer(), 0}), SUCCESS);
  // What encloses Relu and Exp gives Exp(abs) and Relu(neg) instead, then hands its inputs through, exchanged.
  SubgraphBoundary boundary({reads_abs, reads_neg}, {SubgraphOutput({*after_abs.GetProducer(), 0}),
                                                     SubgraphOutput({*after_neg.GetProducer(), 0})});
  EsGraphBuilder r("exchange");
  auto in0 = r.CreateInput(0), in1 = r.CreateInput(1);
  GraphUniqPtr exchange = r.BuildAndReset({in1, in0});
  ASSERT_EQ(SubgraphRewriter::Replace(boundary, *exchange), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(TypesOf(*target), (Names{"Abs", "Data", "Data", "Neg", "NetOutput"}));
  GeNode *node = nullptr;
  int32_t port = -1;
  ASSERT_EQ(GeGraphGetOutput(target->handle(), 0, &node, &port), GE_SUCCESS);
  EXPECT_STREQ(GeNodeType(node), "Neg");
  ASSERT_EQ(GeGraphGetOutput(target->handle(), 1, &node, &port), GE_SUCCESS);
  EXPECT_STREQ(GeNodeType(node), "Abs");
}

// Inside a subgraph too, and with a replacement that brings subgraphs of its own, under names that are free.
TEST(FusionRewrite, ReplacementsBringTheirSubgraphs) {
  auto branch = [](const char *name, bool negative) {
    EsGraphBuilder b(name);
    auto x = b.CreateInput(0);
    return b.BuildAndReset({negative ? es::Neg(x) : es::Relu(x)});
  };
  auto choose = [&](const char *name) {
    EsGraphBuilder b(name);
    auto cond = b.CreateInput(0), x = b.CreateInput(1);
    return b.BuildAndReset({es::If(cond, {x}, 1, branch("yes", true), branch("no", false))[0]});
  };
  GraphPtr target = Shared(choose("target"));
  for (int round = 0; round < 2; ++round) {
    GNodePtr call;
    for (const GNode &node : target->GetDirectNode())
      if (TypeOf(node) == "If") call = std::make_shared<GNode>(node);
    ASSERT_NE(call, nullptr);
    SubgraphInput cond, x;
    ASSERT_EQ(cond.AddInput({*call, 0}), SUCCESS);
    ASSERT_EQ(x.AddInput({*call, 1}), SUCCESS);
    GraphUniqPtr same = choose("replacement");
    ASSERT_EQ(SubgraphRewriter::Replace(SubgraphBoundary({cond, x}, {SubgraphOutput({*call, 0})}), *same), SUCCESS)
        << GeLastErrorMessage();
    EXPECT_EQ(GeGraphVerify(target->handle()), GE_SUCCESS) << GeLastErrorMessage();
  }
  EXPECT_EQ(TypesOf(*target), (Names{"Data", "Data", "If", "NetOutput"}));
  int called = 0;
  for (const GNode &node : target->GetDirectNode()) {
    GraphPtr first, second;
    if (TypeOf(node) != "If") continue;
    ASSERT_EQ(node.GetSubgraph(0, first), GRAPH_SUCCESS);
    ASSERT_EQ(node.GetSubgraph(1, second), GRAPH_SUCCESS);
    EXPECT_EQ(TypesOf(*first), (Names{"Data", "Neg", "NetOutput"}));
    EXPECT_EQ(TypesOf(*second), (Names{"Data", "NetOutput", "Relu"}));
    // A match inside the subgraph.
    PatternMatcher matcher(
        Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> { return {es::Neg(p.CreateInput(0))}; }), first);
    auto match = matcher.MatchNext();
    ASSERT_NE(match, nullptr);
    EsGraphBuilder r("abs");
    GraphUniqPtr abs = r.BuildAndReset({es::Abs(r.CreateInput(0))});
    ASSERT_EQ(SubgraphRewriter::Replace(*match->ToSubgraphBoundary(), *abs), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(TypesOf(*first), (Names{"Abs", "Data", "NetOutput"}));
    ++called;
  }
  EXPECT_EQ(called, 1);
  EXPECT_EQ(GeGraphVerify(target->handle()), GE_SUCCESS) << GeLastErrorMessage();
}

// A pass's code can be run by hand, without a compile.
class ReluToAbs : public PatternFusionPassV2 {
 public:
  using PatternFusionPassV2::Run;

 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    std::vector<PatternUniqPtr> patterns;
    patterns.push_back(
        Make([](EsGraphBuilder &p) -> std::vector<EsTensorHolder> { return {es::Relu(p.CreateInput(0))}; }));
    return patterns;
  }
  GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &, CustomPassContext &context) override {
    EXPECT_EQ(context.GetPassName(), AscendString("mine"));
    EsGraphBuilder r("abs");
    return r.BuildAndReset({es::Abs(r.CreateInput(0))});
  }
};
TEST(FusionRewrite, APassRunsByHand) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0);
  GraphPtr target = Shared(b.BuildAndReset({es::Relu(es::Relu(x))}));
  CustomPassContext context;
  context.SetPassName("mine");
  ReluToAbs pass;
  EXPECT_EQ(pass.Run(target, context), SUCCESS);
  EXPECT_EQ(TypesOf(*target), (Names{"Abs", "Abs", "Data", "NetOutput"}));
  EXPECT_EQ(pass.Run(target, context), NOT_CHANGED);
}

/// Keeps what its hooks are shown.
class Collector : public PatternFusionPass {
 public:
  std::vector<MatchResult> kept;
  bool replace = false;

 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    std::vector<PatternUniqPtr> patterns;
    patterns.push_back(AddRelu());
    return patterns;
  }
  bool MeetRequirements(const std::unique_ptr<MatchResult> &match) override {
    kept.push_back(*match);
    kept.push_back(std::move(*match));
    EXPECT_EQ(NamesOf(match->GetMatchedNodes()), NamesOf(kept[0].GetMatchedNodes()));  // not moved away
    kept.emplace_back(nullptr);
    kept.back() = kept.front();  // a copy of the copy
    kept.back() = *match;
    // A pair that is added to the hook's result is not the library's.
    const std::vector<GNode> nodes = match->GetMatchedNodes();
    for (const GNode &node : match->GetPatternGraph().GetDirectNode())
      if (TypeOf(node) == "Relu") EXPECT_EQ(match->AppendNodeMatchPair({node, 0}, {nodes.back(), 0}), SUCCESS);
    EXPECT_EQ(match->GetMatchedNodes().size(), 2u);
    return replace;
  }
  GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &match) override {
    EXPECT_EQ(NamesOf(match->GetMatchedNodes()), NamesOf(kept[0].GetMatchedNodes()));
    EsGraphBuilder r("one");
    return r.BuildAndReset({es::Maximum(r.CreateInput(0), r.CreateInput(1))});
  }
};
TEST(FusionRewrite, ResultsThatHooksCopyAreTheirOwn) {
  GraphPtr target;
  Names found;
  {
    EsGraphBuilder b("target");
    auto add = es::Add(b.CreateInput(0), b.CreateInput(1)), relu = es::Relu(add);
    found = {Of(add), Of(relu)};
    target = Shared(b.BuildAndReset({relu}));
  }
  GNode input = target->GetDirectNode()[0];
  AscendString name;
  {
    Collector pass;
    CustomPassContext context;
    EXPECT_EQ(pass.Run(target, context), NOT_CHANGED);
    ASSERT_EQ(pass.kept.size(), 3u);
    for (const MatchResult &match : pass.kept) {
      EXPECT_EQ(NamesOf(match.GetMatchedNodes()), found);
      EXPECT_NE(match.ToSubgraphBoundary(), nullptr);
      EXPECT_EQ(TypesOf(match.GetPatternGraph()), (Names{"Add", "Data", "Data", "NetOutput", "Relu"}));
    }
    pass.kept.clear();
    pass.replace = true;
    EXPECT_EQ(pass.Run(target, context), SUCCESS);
    EXPECT_EQ(TypesOf(*target), (Names{"Data", "Data", "Maximum", "NetOutput"}));
    EXPECT_EQ(input.GetName(name), GRAPH_SUCCESS);
  }
  // Nothing that was copied holds the graph any more.
  target.reset();
  EXPECT_NE(input.GetName(name), GRAPH_SUCCESS);
}

TEST(FusionRewrite, ReplacementsAreInferredFromTheirPlace) {
  EsGraphBuilder b("target");
  auto x = b.CreateInput(0, "x", DT_FLOAT16, FORMAT_NCHW, {2, 3, 4, 5});
  auto shape = b.CreateConst(std::vector<int64_t>{6, 20}, {2});
  auto reshaped = es::Reshape(x, shape);
  GraphPtr target = Shared(b.BuildAndReset({reshaped}));
  EsGraphBuilder r("replacement");
  auto in = r.CreateInput(0), dims = r.CreateInput(1);
  auto made = es::Relu(es::Reshape(in, dims));
  GNode last = *made.GetProducer();
  GraphUniqPtr replacement = r.BuildAndReset({made});
  ASSERT_EQ(InferShapeUtil::InferShape(*replacement, *reshaped.GetProducer()), SUCCESS) << GeLastErrorMessage();
  TensorDesc desc;
  ASSERT_EQ(last.GetOutputDesc(0, desc), GRAPH_SUCCESS);
  EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{6, 20}));  // the constant's value went along
  EXPECT_EQ(desc.GetDataType(), DT_FLOAT16);
  EXPECT_EQ(TypesOf(*replacement), (Names{"Data", "Data", "NetOutput", "Relu", "Reshape"}));
  EsGraphBuilder w("wrong");
  auto in3 = w.CreateInputs<3>();
  GraphUniqPtr wrong = w.BuildAndReset({es::AddN({in3[0], in3[1], in3[2]}, 3)});
  EXPECT_EQ(InferShapeUtil::InferShape(*wrong, *reshaped.GetProducer()), FAILED);
}

}  // namespace
}  // namespace fusion
}  // namespace ge
