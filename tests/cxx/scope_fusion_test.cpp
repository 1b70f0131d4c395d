// Scope fusion: passes of a program replace name scopes of a TensorFlow graph. Numbers are computed by hand.
#include "register/scope/scope_fusion_pass_register.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "ge/ge_api.h"
#include "parser/tensorflow_parser.h"
#include "register/register.h"
#include "tests/cxx/plugin_models.h"
#include "tests/parsers/tensorflow_writer.h"

namespace {

namespace w = tf_writer;
using ge::AscendString;
using ge::FusionScopesResult;
using ge::Scope;
using ge::ScopePattern;
using Options = std::map<AscendString, AscendString>;
using Values = std::vector<float>;

/// What the pass under test does; a test sets it.
struct Script {
  std::function<std::vector<ge::ScopeFusionPatterns>()> patterns;
  std::function<ge::Status(ge::ScopeGraph &, std::vector<ge::ScopesResult> &)> choose;
  std::function<void(const std::vector<Scope *> &, FusionScopesResult *)> generate;
};
Script script;

ge::ScopeFusionPatterns LeakyPatterns() {
  auto *pattern = new ScopePattern();
  pattern->SetSubType("leaky")
      .AddNodeOpTypeFeature(ge::NodeOpTypeFeature("Mul", 1))
      .AddNodeOpTypeFeature(ge::NodeOpTypeFeature("Maximum", 1, 2))
      .AddNodeOpTypeFeature(ge::NodeOpTypeFeature("Softmax", -1))
      .AddScopeFeature(ge::ScopeFeature("", 0, "leaky"));
  return {{pattern}};
}

class ScriptedPass : public ge::ScopeBasePass {
 protected:
  std::vector<ge::ScopeFusionPatterns> DefinePatterns() override {
    return script.patterns ? script.patterns() : std::vector<ge::ScopeFusionPatterns>{LeakyPatterns()};
  }
  std::string PassName() override { return "ScriptedPass"; }
  ge::Status LastMatchScopesAndOPs(std::shared_ptr<ge::ScopeGraph> &graph,
                                   std::vector<ge::ScopesResult> &results) override {
    if (script.choose) return script.choose(*graph, results);
    for (Scope *scope : graph->GetScopeTree()->GetAllScopes()) {
      if (scope->SubType() != "leaky") continue;
      std::vector<Scope *> scopes{scope};
      results.emplace_back();
      results.back().SetScopes(scopes);
    }
    return results.empty() ? ge::FAILED : ge::SUCCESS;
  }
  void GenerateFusionResult(const std::vector<Scope *> &scopes, FusionScopesResult *result) override {
    script.generate(scopes, result);
  }
};
REGISTER_SCOPE_FUSION_PASS("ScriptedPass", ScriptedPass, false);

/// Replaces scopes called "twice" by one Muls node... only those: other tests do not see it.
class GeneralPass : public ge::ScopeBasePass {
 protected:
  std::vector<ge::ScopeFusionPatterns> DefinePatterns() override {
    auto *pattern = new ScopePattern();
    pattern->SetSubType("twice").AddScopeFeature(ge::ScopeFeature("", 0, "twice", ""));
    return {{{pattern}}};
  }
  std::string PassName() override { return "GeneralPass"; }
  ge::Status LastMatchScopesAndOPs(std::shared_ptr<ge::ScopeGraph> &graph,
                                   std::vector<ge::ScopesResult> &results) override {
    for (Scope *scope : graph->GetScopeTree()->GetAllScopes()) {
      AscendString type;
      if (scope->SubType(type) != ge::SUCCESS || type != "twice") continue;
      std::vector<Scope *> scopes{scope};
      results.emplace_back();
      results.back().SetScopes(scopes);
    }
    return results.empty() ? domi::SCOPE_NOT_CHANGED : ge::SUCCESS;
  }
  void GenerateFusionResult(const std::vector<Scope *> &scopes, FusionScopesResult *result) override {
    result->SetName(scopes[0]->Name());
    result->SetType("Neg");  // no registration: by its prototype
    result->InsertInputs("add", {0, ge::kFusionDisableIndex});
    result->InsertOutputs("add", {0});
  }
};
REGISTER_SCOPE_FUSION_PASS("GeneralPass", GeneralPass, true);

/// The slope is the constant in the scope.
domi::Status ParseLeaky(const std::vector<ge::Operator> &nodes, ge::Operator &op) {
  for (const ge::Operator &node : nodes) {
    ge::Tensor value;
    if (node.GetOpType() != "Const" || node.GetAttr("value", value) != ge::GRAPH_SUCCESS) continue;
    op.SetAttr("negative_slope", *reinterpret_cast<const float *>(value.GetData()));
    return domi::SUCCESS;
  }
  return domi::FAILED;
}
REGISTER_CUSTOM_OP("LeakyRelu").FrameworkType(domi::TENSORFLOW).OriginOpType("MyLeaky").FusionParseParamsFn(ParseLeaky);

/// max(slope * in, in) in a scope.
std::string Leaky(const std::string &scope, const std::string &in, float slope = 0.25f) {
  return w::Floats(scope + "/alpha", {}, {slope}) +
         w::Node(scope + "/mul", "Mul", {scope + "/alpha", in}, {w::AttrType("T", w::kFloat)}) +
         w::Node(scope + "/Maximum", "Maximum", {scope + "/mul", in}, {w::AttrType("T", w::kFloat)});
}
std::string Model() {
  return w::Input("x", {2}) + Leaky("net/leaky_1", "x") + w::Node("y", "Neg", {"net/leaky_1/Maximum"});
}

void OneNode(const std::vector<Scope *> &scopes, FusionScopesResult *result) {
  const std::string name = scopes[0]->Name();
  result->SetName(name.substr(0, name.size() - 1).c_str());
  result->SetType("MyLeaky");
  result->SetDescription("");
  result->InsertInputs("mul", {ge::kFusionDisableIndex, 0});
  result->InsertInputs("Maximum", {ge::kFusionDisableIndex, 0});
  result->InsertOutputs("Maximum", {0});
}

class ScopeFusion : public plugin_models::Plugins {
 protected:
  void SetUp() override { script = {nullptr, nullptr, &OneNode}; }

  static Options With(const char *passes) {
    return {{AscendString(ge::ir_option::ENABLE_SCOPE_FUSION_PASSES), AscendString(passes)}};
  }
  static ge::Graph Imported(const std::string &model, const Options &options) {
    ge::Graph graph("g");
    const std::string path = ::testing::TempDir() + "/scope_fusion.pb";
    FILE *file = std::fopen(path.c_str(), "wb");
    EXPECT_EQ(std::fwrite(model.data(), 1, model.size(), file), model.size());
    std::fclose(file);
    GeClearLastError();
    status_ = ge::aclgrphParseTensorFlow(path.c_str(), options, graph);
    std::remove(path.c_str());
    return graph;
  }
  static std::map<std::string, std::string> Types(const ge::Graph &graph) {
    std::map<std::string, std::string> types;
    for (const ge::GNode &node : graph.GetDirectNode()) {
      AscendString name, type;
      node.GetName(name);
      node.GetType(type);
      types[name.GetString()] = type.GetString();
    }
    return types;
  }
  static Values Run(const ge::Graph &graph, const Values &x) {
    ge::Session session(Options{});
    std::vector<ge::Tensor> outputs;
    EXPECT_EQ(session.AddGraph(0, graph), ge::SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(session.RunGraph(0, {plugin_models::Floats(x)}, outputs), ge::SUCCESS) << GeLastErrorMessage();
    if (outputs.empty()) return {};
    const auto *data = reinterpret_cast<const float *>(outputs[0].GetData());
    return Values(data, data + outputs[0].GetSize() / sizeof(float));
  }
  /// What the import of a model that cannot be imported says.
  static std::string Problem(const std::string &model = Model()) {
    Imported(model, With("ScriptedPass"));
    EXPECT_NE(status_, ge::GRAPH_SUCCESS);
    return GeLastErrorMessage();
  }
  static void ExpectProblem(const std::vector<const char *> &parts, const std::string &model = Model()) {
    const std::string text = Problem(model);
    for (const char *part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  }
  static ge::graphStatus status_;
};
ge::graphStatus ScopeFusion::status_;

TEST_F(ScopeFusion, AScopeBecomesOneNodeWhereTheOptionNamesThePass) {
  for (const char *passes : {"", "Others", "Others,ScriptedPass", "ScriptedPass"}) {
    const bool named = std::string(passes).find("Scripted") != std::string::npos;
    const ge::Graph graph = Imported(Model(), With(passes));
    ASSERT_EQ(status_, ge::GRAPH_SUCCESS) << GeLastErrorMessage();
    const auto types = Types(graph);
    EXPECT_EQ(types.count("net/leaky_1/Maximum"), named ? 0u : 1u) << passes;
    EXPECT_EQ(types.count("net/leaky_1/alpha"), named ? 0u : 1u) << passes;
    EXPECT_EQ(types.count("net/leaky_1"), named ? 1u : 0u) << passes;
    EXPECT_EQ(named ? types.at("net/leaky_1") : "LeakyRelu", "LeakyRelu");
    EXPECT_EQ(Run(graph, {-4, 2}), (Values{1, -2})) << passes;
  }
}

TEST_F(ScopeFusion, AGeneralPassRunsAlways) {
  const std::string model = w::Input("x", {2}) + w::Node("twice/add", "AddV2", {"x", "x"});
  const ge::Graph graph = Imported(model, {});
  ASSERT_EQ(status_, ge::GRAPH_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(Types(graph).count("twice/add"), 0u);
  EXPECT_EQ(Run(graph, {3, -1}), (Values{-3, 1}));  // what the pass says, not what the scope computes
}

TEST_F(ScopeFusion, AScopeBecomesSeveralNodes) {
  script.generate = [](const std::vector<Scope *> &scopes, FusionScopesResult *result) {
    OneNode(scopes, result);
    result->SetType(ge::kScopeToMultiNodes);
    auto *scale = result->AddInnerNode("scale", "Muls");
    CHECK_INNER_NODE_CONDITION(scale != nullptr, result);
    ge::graphStatus status = scale->InsertInput(ge::kInputFromFusionScope, 0).InsertOutput("max", 1).BuildInnerNode();
    CHECK_INNER_NODE_CONDITION(status == ge::GRAPH_SUCCESS, result);
    scale->MutableOperator()->SetAttr("value", 0.5f);
    auto *max = result->AddInnerNode("", "Maximum");
    max->SetName("max");
    status = max->InsertInput(ge::kInputFromFusionScope, 0)
                 .InsertInput("scale", 0)
                 .InsertOutput(ge::kOutputToFusionScope, 0)
                 .BuildInnerNode();
    CHECK_INNER_NODE_CONDITION(status == ge::GRAPH_SUCCESS, result);
    EXPECT_EQ(result->CheckInnerNodesInfo(), ge::GRAPH_SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(result->MutableRecentInnerNode(), max);
    EXPECT_EQ(result->MutableInnerNode(0), scale);
    EXPECT_EQ(max->GetName(), "net/leaky_1/max");
    EXPECT_EQ(max->GetInputs()[1], (std::pair<std::string, int32_t>("net/leaky_1/scale", 0)));
  };
  const ge::Graph graph = Imported(Model(), With("ScriptedPass"));
  ASSERT_EQ(status_, ge::GRAPH_SUCCESS) << GeLastErrorMessage();
  const auto types = Types(graph);
  EXPECT_EQ(types.count("net/leaky_1/Maximum"), 0u);
  EXPECT_EQ(types.at("net/leaky_1/scale"), "Muls");
  EXPECT_EQ(types.at("net/leaky_1/max"), "Maximum");
  EXPECT_EQ(Run(graph, {-4, 2}), (Values{2, -2}));  // the slope of the new nodes
}

TEST_F(ScopeFusion, ScopesThatFeedEachOtherAndNamedOutputs) {
  const std::string model = w::Input("x", {2}) + Leaky("a/leaky", "x") + Leaky("b/leaky", "a/leaky/Maximum:0", 0.5f) +
                            w::Node("end", "Neg", {"b/leaky/Maximum", "^a/leaky/mul"}) +
                            w::Node("debug", "Neg", {"a/leaky/mul"});
  Options options = With("ScriptedPass");
  options[AscendString(ge::ir_option::OUT_NODES)] = "b/leaky/Maximum:0;end:0";
  const ge::Graph graph = Imported(model, options);
  ASSERT_EQ(status_, ge::GRAPH_SUCCESS) << GeLastErrorMessage();  // what only `debug` reads is not asked for
  EXPECT_EQ(Types(graph).at("a/leaky"), "LeakyRelu");
  EXPECT_EQ(Run(graph, {-8, 4}), (Values{-1, 4}));
}

TEST_F(ScopeFusion, AFusedInputMayBeAConstantOfTheScope) {
  script.generate = [](const std::vector<Scope *> &, FusionScopesResult *result) {
    result->SetName("fused");
    result->SetType("Maximum");
    result->InsertInputs("net/leaky_1/mul", {0, 1});
    result->InsertOutputs("Maximum", {0});
  };
  const ge::Graph graph = Imported(Model(), With("ScriptedPass"));
  ASSERT_EQ(status_, ge::GRAPH_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(Run(graph, {-4, 2}), (Values{-0.25f, -2}));
}

TEST_F(ScopeFusion, PatternsCountNodesAndReadAttributes) {
  const std::string model = w::Input("x", {2}) + w::Node("a/in/n1", "Neg", {"x"}, {w::AttrInt("k", 3)}) +
                            w::Node("a/in/n2", "Neg", {"a/in/n1"}, {w::AttrText("mode", "fast")}) +
                            w::Node("a/n3", "Neg", {"a/in/n2"}) + w::Node("b_12/n", "Neg", {"a/n3"});
  std::map<std::string, bool> met;
  script.choose = [&](ge::ScopeGraph &graph, std::vector<ge::ScopesResult> &) -> ge::Status {
    const auto &scopes = graph.GetScopeTree()->GetAllScopes();
    EXPECT_EQ(scopes.size(), 3u);
    if (scopes.size() != 3) return ge::FAILED;
    const Scope *a = scopes[0], *in = scopes[1], *b = scopes[2];
    EXPECT_EQ(a->Name(), "a/");
    EXPECT_EQ(in->Name(), "a/in/");
    EXPECT_EQ(in->GetFatherScope(), a);
    EXPECT_EQ(a->GetSubScope("a/in/"), in);
    EXPECT_EQ(b->LastName(), "b");
    EXPECT_EQ(in->SubType(), "inner");
    EXPECT_EQ(a->SubType(), "outer");
    EXPECT_EQ(b->SubType(), "");
    EXPECT_EQ(graph.GetNodesMap().size(), 5u);
    EXPECT_EQ(a->AllNodesMap().size(), 3u);
    met["asked"] = true;
    using Type = ge::NodeOpTypeFeature;
    EXPECT_TRUE(Type("Neg", 3).Match(a));
    EXPECT_FALSE(Type("Neg", 2).Match(a));
    EXPECT_TRUE(Type("Neg", 0, 2).Match(in));  // 2, 4, …
    EXPECT_FALSE(Type("Neg", 0, 2).Match(a));
    EXPECT_TRUE(Type("Neg", 1, 2).Match(a));   // 1, 3, …
    EXPECT_FALSE(Type("Abs", 0, 2).Match(a));  // none is no multiple
    EXPECT_TRUE(Type("Abs", -1).Match(a));
    EXPECT_FALSE(Type("Neg", -1).Match(a));
    ge::ScopeAttrValue three, fast;
    three.SetIntValue(3);
    fast.SetStringValue("fast");
    EXPECT_TRUE(ge::NodeAttrFeature("Neg", "k", ge::DT_INT32, three).Match(in));
    EXPECT_TRUE(ge::NodeAttrFeature("Neg", "mode", ge::DT_STRING, fast).Match(a));
    EXPECT_FALSE(ge::NodeAttrFeature("Neg", "mode", ge::DT_STRING, fast).Match(b));
    EXPECT_FALSE(ge::NodeAttrFeature("Abs", "k", ge::DT_INT32, three).Match(in));
    three.SetIntValue(4);
    EXPECT_FALSE(ge::NodeAttrFeature("Neg", "k", ge::DT_INT32, three).Match(in));
    EXPECT_TRUE(ge::ScopeFeature("inner", 1, "a", "in").Match(a));
    EXPECT_FALSE(ge::ScopeFeature("inner", 2, "", "").Match(a));
    EXPECT_FALSE(ge::ScopeFeature("", 0, "x", "").Match(a));
    EXPECT_FALSE(ge::ScopeFeature("", 0, "", "out").Match(a));
    return domi::SCOPE_NOT_CHANGED;
  };
  script.patterns = [] {
    auto *inner = new ScopePattern(), *outer = new ScopePattern(), *never = new ScopePattern();
    inner->SetSubType("inner").AddNodeOpTypeFeature(ge::NodeOpTypeFeature("Neg", 2));
    outer->SetSubType("outer").AddScopeFeature(ge::ScopeFeature("inner", 1));
    never->SetSubType("never").AddNodeOpTypeFeature(ge::NodeOpTypeFeature("Abs", 7));
    return std::vector<ge::ScopeFusionPatterns>{{{never}}, {{inner}, {outer}}};
  };
  Imported(model, With("ScriptedPass"));
  EXPECT_TRUE(met["asked"]);
  EXPECT_EQ(ge::AscendString("b-b"), ge::ScopeUtil::StringReplaceAll("a-a", "a", "b"));
}

TEST_F(ScopeFusion, AResultThatIsNoneLeavesTheScope) {
  script.generate = [](const std::vector<Scope *> &, FusionScopesResult *result) {
    result->SetType(ge::kScopeInvalidType);
  };
  const ge::Graph graph = Imported(Model(), With("ScriptedPass"));
  ASSERT_EQ(status_, ge::GRAPH_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(Run(graph, {-4, 2}), (Values{1, -2}));
  EXPECT_EQ(Types(graph).count("net/leaky_1/Maximum"), 1u);
}

TEST_F(ScopeFusion, WhatAPassThrowsIsAProblemOfTheImport) {
  script.generate = [](const std::vector<Scope *> &, FusionScopesResult *) { throw std::runtime_error("not today"); };
  ExpectProblem({"ScriptedPass", "GenerateFusionResult", "net/leaky_1/", "not today"});
  script.generate = [](const std::vector<Scope *> &, FusionScopesResult *) { throw 7; };
  ExpectProblem({"ScriptedPass", "no std::exception"});
  script.choose = [](ge::ScopeGraph &, std::vector<ge::ScopesResult> &) -> ge::Status {
    throw std::runtime_error("nor tomorrow");
  };
  ExpectProblem({"ScriptedPass", "LastMatchScopesAndOPs", "nor tomorrow"});
}

TEST_F(ScopeFusion, WrongMapsAreProblemsThatNamePassScopeAndNode) {
  const auto with = [](std::function<void(FusionScopesResult *)> change) {
    script.generate = [change](const std::vector<Scope *> &, FusionScopesResult *result) {
      result->SetName("fused");
      result->SetType("MyLeaky");
      change(result);
    };
  };
  with([](auto *r) { r->InsertInputs("nothing", {0}); });
  ExpectProblem({"ScriptedPass", "net/leaky_1/", "InsertInputs names 'nothing'"});
  with([](auto *r) { r->InsertInputs("mul", {ge::kFusionDisableIndex, 0, 1}); });
  ExpectProblem({"ScriptedPass", "net/leaky_1/mul", "3 entries, the node has 2 inputs"});
  with([](auto *r) { r->InsertInputs("mul", {-1}); });
  ExpectProblem({"net/leaky_1/mul", "index -1"});
  with([](auto *r) { r->InsertInputs("mul", {0, 0}); });
  ExpectProblem({"gives input 0 both 'net/leaky_1/alpha' and 'x'"});
  with([](auto *r) { r->InsertInputs("mul", {ge::kFusionDisableIndex, 0}); });
  ExpectProblem({"  y ", "net/leaky_1/Maximum", "without an output for it", "ScriptedPass"},
                Model() + w::Node("z", "Neg", {"y"}));
  with([](auto *r) {
    r->InsertInputs("mul", {ge::kFusionDisableIndex, 0});
    r->InsertOutputs("Maximum", {1});
  });
  ExpectProblem({"fused", "1 outputs"});
  with([](auto *r) { r->InsertOutputs("Maximum", {0}); });
  ExpectProblem({"ScriptedPass", "nothing feeds input 0"});
  with([](auto *r) {
    r->SetName("x");
    r->InsertInputs("mul", {ge::kFusionDisableIndex, 0});
  });
  ExpectProblem({"'x' has the name of another node"});
  with([](auto *r) {
    r->SetType("NoSuchType");
    r->InsertInputs("mul", {ge::kFusionDisableIndex, 0});
    r->InsertOutputs("Maximum", {0});
  });
  ExpectProblem({"NoSuchType", "E10501"});
  with([](auto *r) {
    r->SetType(ge::kScopeToMultiNodes);
    r->AddInnerNode("a", "Neg")->InsertInput(ge::kInputFromFusionScope, 3).BuildInnerNode();
    r->InsertOutputs("Maximum", {0});
  });
  ExpectProblem({"fused/a", "input 3 of the scope"});
  with([](auto *r) {
    r->SetType(ge::kScopeToMultiNodes);
    r->AddInnerNode("a", "Neg")->InsertInput("b", 0).BuildInnerNode();
  });
  ExpectProblem({"fused/a", "'fused/b', which is no inner node"});
}

TEST_F(ScopeFusion, ResultsDoNotOverlap) {
  script.choose = [](ge::ScopeGraph &graph, std::vector<ge::ScopesResult> &results) -> ge::Status {
    std::vector<Scope *> scopes{graph.GetScopeTree()->GetAllScopes()[1]};
    results.resize(2);
    for (ge::ScopesResult &result : results) result.SetScopes(scopes);
    return ge::SUCCESS;
  };
  ExpectProblem({"ScriptedPass", "net/leaky_1/", "is replaced already"});
}

}  // namespace
