// Front-end plug-ins that a program brings itself, on models written on the spot. Results are worked out by hand.
#include "register/register.h"

#include <atomic>
#include <thread>

#include "graph/operator_reg.h"
#include "op_proto/array_ops.h"
#include "op_proto/binary_math_ops.h"
#include "tests/cxx/plugin_models.h"

namespace {

using namespace plugin_models;
using domi::FAILED;
using domi::OpReceiver;
using domi::OpRegistrationData;
using domi::Status;
using domi::SUCCESS;

thread_local std::string g_json;
Status ParseLeaky(const ge::Operator &src, ge::Operator &dst) {
  ge::AscendString json;
  EXPECT_EQ(src.GetAttr("attribute", json), ge::GRAPH_SUCCESS);
  g_json = json.GetString();
  float alpha = 0.25f;
  (void)src.GetAttr("alpha", alpha);
  dst.SetAttr("negative_slope", alpha);
  return SUCCESS;
}
}  // namespace

// As programs write it: with names of namespace domi, several keys, and the names that the header makes global.
namespace domi {
REGISTER_CUSTOM_OP("LeakyRelu")
    .FrameworkType(ONNX)
    .OriginOpType({"my.domain::1::Leaky", "my.domain::2::Leaky"})
    .ParseParamsByOperatorFn(ParseLeaky)
    .ImplyType(ImplyType::TVM);
}  // namespace domi

namespace {

OpRegistrationData Data(const char *type, const char *key) {
  OpRegistrationData data(type);
  data.FrameworkType(domi::ONNX).OriginOpType(key);
  return data;
}
const auto kCopy = domi::AutoMappingByOpFn;

using Plugin = Plugins;

TEST_F(Plugin, TranslatesByAttributes) {
  EXPECT_EQ(Results(File(OneNode("Leaky", {"x"}, {w::AttrFloat("alpha", 0.5f)})), {{-4, 8}}), (Values{-2, 8}));
  EXPECT_EQ(g_json, R"({"attribute": [{"name": "alpha", "f": "0.5", "type": "FLOAT"}]})");
  EXPECT_EQ(Results(File(OneNode("Leaky", {"x"})), {{-4, 8}}), (Values{-1, 8}));
  EXPECT_EQ(g_json, R"({"attribute": []})");
  (void)Results(File(OneNode("Leaky", {"x"},
                             {w::AttrText("text", "a\"b\n"), w::AttrInt("number", -3), w::AttrInts("list", {1, 2})})),
                {{-4, 8}});
  EXPECT_EQ(g_json, R"({"attribute": [{"name": "list", "ints": [1, 2], "type": "INTS"}, )"
                    R"({"name": "number", "i": -3, "type": "INT"}, )"
                    R"({"name": "text", "s": "a\"b\u000a", "type": "STRING"}]})");
}

TEST_F(Plugin, TheVersionOfTheDomainIsPartOfTheKey) {
  w::Graph g = OneNode("Leaky", {"x"});
  EXPECT_EQ(Results(w::Model(g, 17, w::Bytes(8, w::Opset(2, "my.domain"))), {{-4, 8}}), (Values{-1, 8}));
  const std::string other = Problem(w::Model(g, 17, w::Bytes(8, w::Opset(3, "my.domain"))));
  EXPECT_NE(other.find("unknown operator 'my.domain:Leaky'"), std::string::npos) << other;
  EXPECT_NE(Problem(w::Model(g, 17)).find("unknown operator"), std::string::npos);  // no version at all
}

TEST_F(Plugin, WinsOverTheImporterAndOverFunctionsOfTheModel) {
  const w::Graph relu = OneNode("Relu", {"x"}, {}, "");
  const w::Graph call = OneNode("Half", {"x"});
  const std::string function = w::Bytes(25, w::Bytes(1, "Half") + w::Bytes(4, "a") + w::Bytes(5, "b") +
                                                w::Bytes(7, w::Node("Neg", {"a"}, {"b"})) + w::Bytes(9, w::Opset(17)) +
                                                w::Bytes(10, "my.domain"));
  {
    OpRegistrationData data = Data("LeakyRelu", "ai.onnx::17::Relu");
    data.OriginOpType("my.domain::1::Half").ParseParamsByOperatorFn([](const ge::Operator &, ge::Operator &op) {
      op.SetAttr("negative_slope", 0.5f);
      return SUCCESS;
    });
    const OpReceiver receiver(data);
    EXPECT_EQ(Results(File(relu, 17), {{-4, 8}}), (Values{-2, 8}));
    EXPECT_EQ(Results(File(relu, 16), {{-4, 8}}), (Values{0, 8}));  // of another version: the importer's own
    EXPECT_EQ(Results(File(call, 17, function), {{-4, 8}}), (Values{-2, 8}));
  }
  EXPECT_EQ(Results(File(relu, 17), {{-4, 8}}), (Values{0, 8}));  // taken back
  EXPECT_EQ(Results(File(call, 17, function), {{-4, 8}}), (Values{4, -8}));
}

TEST_F(Plugin, AttributesOfTheSameNameAreCopied) {
  OpRegistrationData data = Data("Cumsum", "my.domain::1::Running");
  data.ParseParamsByOperatorFn(kCopy);
  const OpReceiver receiver(data);
  w::Graph g = OneNode("Running", {"x", "axis"}, {w::AttrInt("reverse", 1), w::AttrInt("unknown", 7)}, "my.domain", 3);
  g.inputs.pop_back();
  g.initializers = {w::Ints("axis", {0})};
  EXPECT_EQ(Results(File(g), {{1, 2, 3}}), (Values{6, 5, 3}));
}

TEST_F(Plugin, DynamicInputsByAttributeOrByTheNode) {
  OpRegistrationData counted = Data("AddN", "my.domain::1::Sum"), open = Data("AddN", "my.domain::1::SumAll");
  counted.ParseParamsByOperatorFn([](const ge::Operator &src, ge::Operator &op) {
    EXPECT_EQ(src.GetInputsSize(), 3u);
    EXPECT_EQ(src.GetOutputsSize(), 1u);
    return domi::AutoMappingByOpFnDynamic(src, op, {{domi::kInput, "x", 1, "N", 1}});
  });
  open.ParseParamsByOperatorFn([](const ge::Operator &src, ge::Operator &op) {
    op.SetAttr("N", static_cast<int64_t>(src.GetInputsSize()));
    return SUCCESS;
  });
  const OpReceiver first(counted), second(open);
  const std::vector<Values> inputs = {{1, 2}, {10, 20}, {100, 200}};
  EXPECT_EQ(Results(File(OneNode("Sum", {"a", "b", "c"}, {w::AttrInt("N", 3)})), inputs), (Values{111, 222}));
  EXPECT_EQ(Results(File(OneNode("SumAll", {"a", "b", "c"})), inputs), (Values{111, 222}));
  const std::string few = Problem(File(OneNode("Sum", {"a", "b", "c"}, {w::AttrInt("N", 2)})));
  EXPECT_NE(few.find("the node has 3 inputs, 'AddN' as its plug-in made it takes 2"), std::string::npos) << few;
  const std::string many = Problem(File(OneNode("Sum", {"a", "b", "c"}, {w::AttrInt("N", 4)})));
  EXPECT_NE(many.find("AddN"), std::string::npos) << many;
  const std::string none = Problem(File(OneNode("Sum", {"a", "b", "c"})));
  EXPECT_NE(none.find("attribute 'N' does not tell the number of 'x'"), std::string::npos) << none;
}

TEST_F(Plugin, InputsAreReorderedAndLeftOut) {
  OpRegistrationData swapped = Data("Sub", "my.domain::1::Swapped"), some = Data("LeakyRelu", "my.domain::1::Some");
  swapped.ParseParamsByOperatorFn(kCopy).InputReorderVector({1, 0});
  some.OriginOpType("my.domain::1::Other")
      .ParseParamsByOperatorFn([](const ge::Operator &src, ge::Operator &op) {
        int64_t has_bias = 0;
        (void)src.GetAttr("has_bias", has_bias);
        op.SetAttr("_has_bias", has_bias != 0);
        return SUCCESS;
      })
      .DelInputWithCond(1, "_has_bias", true)
      .DelInputWithOriginalType(0, "my.domain::1::Other");
  const OpReceiver a(swapped), b(some);
  EXPECT_EQ(Results(File(OneNode("Swapped", {"p", "q"})), {{1, 2}, {10, 20}}), (Values{9, 18}));
  EXPECT_EQ(Results(File(OneNode("Some", {"p", "q"}, {w::AttrInt("has_bias", 1)})), {{1, 2}, {10, 20}}),
            (Values{1, 2}));
  EXPECT_EQ(Results(File(OneNode("Other", {"p", "q"})), {{1, 2}, {10, 20}}), (Values{10, 20}));
  const std::string kept = Problem(File(OneNode("Some", {"p", "q"})));
  EXPECT_NE(kept.find("the node has 2 inputs, 'LeakyRelu' as its plug-in made it takes 1"), std::string::npos) << kept;
  const std::string lone = Problem(File(OneNode("Swapped", {"p"})));
  EXPECT_NE(lone.find("reorders 2 inputs, the node has 1"), std::string::npos) << lone;
}

// x → x * scale + shift, as a graph.
Status ToAffine(const ge::Operator &op, ge::Graph &graph) {
  float scale = 0, shift = 0;
  if (op.GetAttr("scale", scale) != ge::GRAPH_SUCCESS || op.GetAttr("shift", shift) != ge::GRAPH_SUCCESS) return FAILED;
  ge::Operator x = ge::OperatorFactory::CreateOperator("x", "Data");
  x.SetAttr("index", int64_t{0});
  auto constant = [](const char *name, float value) {
    ge::Operator made = ge::OperatorFactory::CreateOperator(name, "Const");
    made.SetAttr("value", ge::Tensor(ge::TensorDesc(ge::Shape(std::vector<int64_t>{1}), ge::FORMAT_ND, ge::DT_FLOAT),
                                     reinterpret_cast<const uint8_t *>(&value), sizeof value));
    return made;
  };
  ge::op::Mul mul("mul");
  mul.SetInput("x1", x).SetInput("x2", constant("scale", scale));
  ge::op::Add add("add");
  add.SetInput("x1", mul).SetInput("x2", constant("shift", shift));
  graph.SetInputs({x}).SetOutputs(std::vector<ge::Operator>{add});
  return SUCCESS;
}
Status ParseAffine(const ge::Operator &src, ge::Operator &op) {
  float value = 0;
  for (const char *name : {"scale", "shift"}) {
    if (src.GetAttr(name, value) != ge::GRAPH_SUCCESS) return FAILED;
    op.SetAttr(name, value);
  }
  op.DynamicInputRegister("args", 1);
  op.DynamicOutputRegister("output", 1);
  return SUCCESS;
}

TEST_F(Plugin, OneNodeBecomesAGraph) {
  OpRegistrationData data = Data("PartitionedCall", "my.domain::1::Affine");
  data.ParseParamsByOperatorFn(ParseAffine).ParseOpToGraphFn(ToAffine);
  const OpReceiver receiver(data);
  w::Graph g = OneNode("Affine", {"x"}, {w::AttrFloat("scale", 3), w::AttrFloat("shift", 1)});
  g.nodes.push_back(w::Node("Affine", {"y"}, {"z"}, {w::AttrFloat("scale", 2), w::AttrFloat("shift", 0)}, "node",
                            "my.domain"));  // twice, with the same name
  g.outputs = {w::Value("z", w::kFloat, {2})};
  EXPECT_EQ(Results(File(g), {{-1, 2}}), (Values{-4, 14}));
  ge::Graph graph("g");
  ASSERT_EQ(Parse(File(g), graph), ge::GRAPH_SUCCESS);
  for (const ge::GNode &node : graph.GetDirectNode()) {
    ge::AscendString type;
    ASSERT_EQ(node.GetType(type), ge::GRAPH_SUCCESS);
    EXPECT_STRNE(type.GetString(), "PartitionedCall");
  }
  OpRegistrationData direct = Data("PartitionedCall", "my.domain::1::Direct");  // with all attributes as they are
  direct.ParseOpToGraphFn(ToAffine);
  const OpReceiver second(direct);
  EXPECT_EQ(Results(File(OneNode("Direct", {"x"}, {w::AttrFloat("scale", 3), w::AttrFloat("shift", 1)})), {{-1, 2}}),
            (Values{-2, 7}));
  const std::string refused = Problem(File(OneNode("Affine", {"x"}, {w::AttrFloat("scale", 3)})));
  EXPECT_NE(refused.find("ParseParamsByOperatorFn's function returned 4294967295"), std::string::npos) << refused;
}

TEST_F(Plugin, GraphsThatDoNotFitAreRefused) {
  struct Case {
    std::function<Status(const ge::Operator &, ge::Graph &)> make;
    const char *says;
  };
  const auto pass = [](std::vector<int64_t> indexes, ge::Graph &graph) {
    std::vector<ge::Operator> inputs;
    for (int64_t index : indexes) {
      inputs.push_back(ge::OperatorFactory::CreateOperator(("in" + std::to_string(inputs.size())).c_str(), "Data"));
      inputs.back().SetAttr("index", index);
    }
    ge::op::Add add("add");
    add.SetInput("x1", inputs.front()).SetInput("x2", inputs.back());
    graph.SetInputs(inputs).SetOutputs(std::vector<ge::Operator>{add});
    return SUCCESS;
  };
  const Case cases[] = {
      {[&](const ge::Operator &, ge::Graph &g) {
         return pass({0, 1}, g);
       },
       "reads input 1"},
      {[&](const ge::Operator &, ge::Graph &g) {
         return pass({0, 0}, g);
       },
       "several Data nodes with index 0"},
      {[&](const ge::Operator &, ge::Graph &g) { return pass({-1}, g); }, "reads input -1"},
      {[&](const ge::Operator &, ge::Graph &) { return SUCCESS; }, "has 0 outputs, the node has 1"},
      {[&](const ge::Operator &, ge::Graph &g) {
         g = ge::Graph();
         return SUCCESS;
       },
       "left no graph"},
      {[](const ge::Operator &, ge::Graph &) -> Status { throw std::runtime_error("thrown here"); }, "thrown here"},
      {[](const ge::Operator &, ge::Graph &) -> Status { return 7; }, "ParseOpToGraphFn's function returned 7"},
  };
  for (const Case &c : cases) {
    OpRegistrationData data = Data("PartitionedCall", "my.domain::1::Graph");
    data.ParseParamsByOperatorFn(kCopy).ParseOpToGraphFn(c.make);
    const OpReceiver receiver(data);
    const std::string said = Problem(File(OneNode("Graph", {"x"})));
    EXPECT_NE(said.find(c.says), std::string::npos) << c.says << "\n" << said;
    EXPECT_NE(said.find("node"), std::string::npos) << said;
  }
}

TEST_F(Plugin, WhatGoesWrongNamesTheNode) {
  struct Case {
    const char *type;
    domi::ParseParamByOpFunc parse;
    const char *says;
  };
  const Case cases[] = {
      {"NoSuchOperator", kCopy, "E10501"},
      {"LeakyRelu", nullptr, "neither ParseParamsFn nor ParseParamsByOperatorFn"},
      {"LeakyRelu", [](const ge::Operator &, ge::Operator &) { return FAILED; }, "returned 4294967295"},
      {"LeakyRelu", [](const ge::Operator &, ge::Operator &) -> Status { throw std::runtime_error("bad alpha"); },
       "threw: bad alpha"},
      {"LeakyRelu", [](const ge::Operator &, ge::Operator &) -> Status { throw 5; }, "threw what is no std::exception"},
      {"LeakyRelu",
       [](const ge::Operator &, ge::Operator &op) {
         op = ge::Operator();
         return SUCCESS;
       },
       "the operator is empty"},
      {"LeakyRelu",
       [](const ge::Operator &, ge::Operator &op) {
         op.SetAttr("negative_slope", "text");
         return SUCCESS;
       },
       "gave attribute 'negative_slope' of 'LeakyRelu' type 1, its prototype says 2"},
      {"Muls", kCopy, "left required attribute 'value' of 'Muls' unset"},
      {"Sub", kCopy, "nothing feeds input 'x2' of 'Sub'"},
  };
  for (const Case &c : cases) {
    OpRegistrationData data = Data(c.type, "my.domain::1::Bad");
    data.ParseParamsByOperatorFn(c.parse);
    const OpReceiver receiver(data);
    const std::string said = Problem(File(OneNode("Bad", {"x"})));
    EXPECT_NE(said.find(c.says), std::string::npos) << c.says << "\n" << said;
    EXPECT_NE(said.find("my.domain:Bad"), std::string::npos) << said;
  }
}

TEST_F(Plugin, SeveralThreadsImport) {
  const LogText quiet;
  const std::string model = File(OneNode("Leaky", {"x"}, {w::AttrFloat("alpha", 0.5f)}));
  OpRegistrationData data = Data("LeakyRelu", "my.domain::1::Alone");
  data.ParseParamsByOperatorFn(kCopy);
  std::atomic<int> imported{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const OpReceiver receiver(data);  // comes and goes meanwhile
        ge::Graph graph("g");
        if (Parse(model, graph) == ge::GRAPH_SUCCESS) ++imported;
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(imported, 200);
}

TEST_F(Plugin, TheFirstRegistrationOfAKeyStays) {
  const LogText log;
  OpRegistrationData later = Data("Sub", "my.domain::1::Leaky");
  later.OriginOpType("my.domain::1::Minus").ParseParamsByOperatorFn(kCopy);
  {
    const OpReceiver receiver(later);
    EXPECT_NE(log.text().find("'my.domain::1::Leaky' stays with"), std::string::npos) << log.text();
    EXPECT_EQ(Results(File(OneNode("Leaky", {"x"})), {{-4, 8}}), (Values{-1, 8}));
    EXPECT_EQ(Results(File(OneNode("Minus", {"p", "q"})), {{1, 2}, {10, 20}}), (Values{-9, -18}));
  }
  EXPECT_EQ(Results(File(OneNode("Leaky", {"x"})), {{-4, 8}}), (Values{-1, 8}));
}

TEST_F(Plugin, KeysOfNoMeaningAreLeftOut) {
  const LogText log;
  OpRegistrationData data = Data("LeakyRelu", "Leaky"), other(nullptr), no_front_end("Relu");
  data.OriginOpType(static_cast<const char *>(nullptr)).OriginOpType("a::b::C").ParseParamsByOperatorFn(kCopy);
  const OpReceiver first(data), second(other), third(no_front_end);
  EXPECT_NE(log.text().find("'Leaky' is left out: expected <domain>::<version>::<type>"), std::string::npos);
  EXPECT_NE(log.text().find("'a::b::C' is left out"), std::string::npos) << log.text();
  EXPECT_NE(log.text().find("framework of the plug-in for 'Relu' is 6"), std::string::npos) << log.text();
}

// cond ? x + x : x - bias, where the branches read x and bias from outside.
TEST_F(Plugin, GraphAttributesBecomeSubgraphs) {
  w::Graph then_branch, else_branch;
  then_branch.nodes = {w::Node("Add", {"x", "x"}, {"t"})};
  then_branch.outputs = {w::Value("t", w::kFloat, {2})};
  else_branch.nodes = {w::Node("Sub", {"x", "bias"}, {"e"})};
  else_branch.outputs = {w::Value("e", w::kFloat, {2})};
  w::Graph g =
      OneNode("Choose", {"cond", "x", "bias"},
              {w::AttrGraph("then_branch", then_branch.Encode()), w::AttrGraph("else_branch", else_branch.Encode())});
  g.inputs[0] = w::Value("cond", w::kBool, {});
  g.nodes[0] =
      w::Node("Choose", {"cond"}, {"y"},
              {w::AttrGraph("then_branch", then_branch.Encode()), w::AttrGraph("else_branch", else_branch.Encode())},
              "node", "my.domain");
  const auto run = [&](bool cond) {
    const uint8_t flag = cond ? 1 : 0;
    const ge::Tensor fed(ge::TensorDesc(ge::Shape(), ge::FORMAT_ND, ge::DT_BOOL), &flag, 1);
    return Fed(File(g), {fed, Floats({1, 2}), Floats({10, 20})});
  };
  std::vector<std::string> finished;
  OpRegistrationData data = Data("If", "my.domain::1::Choose");
  data.ParseParamsByOperatorFn(kCopy).ParseSubgraphPostFn([&](const ge::AscendString &name, const ge::Graph &graph) {
    finished.emplace_back(name.GetString());
    return domi::AutoMappingSubgraphIndex(
        graph,
        [](int32_t index, int32_t &parent) {
          parent = index + 1;  // behind the condition
          return SUCCESS;
        },
        [](int32_t index, int32_t &parent) {
          parent = index;
          return SUCCESS;
        });
  });
  {
    const OpReceiver receiver(data);
    EXPECT_EQ(run(true), (Values{2, 4}));
    EXPECT_EQ(finished, (std::vector<std::string>{"then_branch", "else_branch"}));
    EXPECT_EQ(run(false), (Values{-9, -18}));
  }
  data.ParseSubgraphPostFn([](const ge::AscendString &, const ge::Graph &) { return FAILED; });
  {
    const OpReceiver receiver(data);
    const std::string said = Problem(File(g));
    EXPECT_NE(said.find("subgraph 'then_branch'"), std::string::npos) << said;
  }
  data.ParseSubgraphPostFn(domi::ParseSubgraphFuncV2());
  const OpReceiver receiver(data);
  EXPECT_EQ(run(true), (Values{2, 4}));
  static int usual = 0;
  REGISTER_AUTOMAPPING_SUBGRAPH_IO_INDEX_FUNC(domi::ONNX, [](const ge::Graph &graph, const auto &in, const auto &out) {
    ++usual;
    return domi::AutoMappingSubgraphIndex(graph, in, out);
  });
  EXPECT_TRUE(domi::FrameworkRegistry::Instance().GetAutoMappingSubgraphIOIndexFunc(domi::ONNX));
  EXPECT_FALSE(domi::FrameworkRegistry::Instance().GetAutoMappingSubgraphIOIndexFunc(domi::CAFFE));
  EXPECT_EQ(run(false), (Values{-9, -18}));
  EXPECT_EQ(usual, 2);
  domi::FrameworkRegistry::Instance().AddAutoMappingSubgraphIOIndexFunc(domi::ONNX, nullptr);
}

TEST(PluginData, GettersGiveBackWhatWasSet) {
  OpRegistrationData data(std::string("Type"));
  data.FrameworkType(domi::TENSORFLOW)
      .OriginOpType({"A", "B"})
      .OriginOpType(std::vector<ge::AscendString>{"C"})
      .OriginOpType(std::string("D"))
      .ImplyType(domi::ImplyType::AI_CPU)
      .ParseParamsByOperatorFn(kCopy)
      .ParseParamsFn(domi::AutoMappingFn)
      .FusionParseParamsFn([](const std::vector<const google::protobuf::Message *>, ge::Operator &) { return SUCCESS; })
      .FusionParseParamsFn([](const std::vector<ge::Operator> &, ge::Operator &) { return SUCCESS; })
      .ParseSubgraphPostFn(domi::ParseSubgraphFunc([](const std::string &, const ge::Graph &) { return SUCCESS; }))
      .ParseOpToGraphFn(ToAffine);
  EXPECT_EQ(data.GetFrameworkType(), domi::TENSORFLOW);
  EXPECT_EQ(data.GetImplyType(), domi::ImplyType::AI_CPU);
  EXPECT_EQ(data.GetOmOptype(), "Type");
  ge::AscendString type;
  EXPECT_EQ(data.GetOmOptype(type), SUCCESS);
  EXPECT_STREQ(type.GetString(), "Type");
  EXPECT_EQ(data.GetOriginOpTypeSet(), (std::set<std::string>{"A", "B", "C", "D"}));
  std::set<ge::AscendString> types;
  EXPECT_EQ(data.GetOriginOpTypeSet(types), SUCCESS);
  EXPECT_EQ(types.size(), 4u);
  EXPECT_TRUE(data.GetParseParamFn() && data.GetParseParamByOperatorFn() && data.GetFusionParseParamFn() &&
              data.GetFusionParseParamByOpFn() && data.GetParseSubgraphPostFn() && data.GetParseOpToGraphFn());
  domi::ParseSubgraphFuncV2 function;
  EXPECT_EQ(data.GetParseSubgraphPostFn(function), SUCCESS);
  EXPECT_FALSE(function);
  const ge::OpRegistrationData same = data;  // a handle of the same
  EXPECT_EQ(same.GetOmOptype(), "Type");
  const OpReceiver receiver(data);  // nobody asks for it, as there is no such importer
}

TEST(PluginHelpers, RefuseWhatIsMissing) {
  const LogText quiet;
  ge::Operator op = ge::OperatorFactory::CreateOperator("n", "AddN"), empty;
  EXPECT_EQ(domi::AutoMappingByOpFn(empty, op), FAILED);
  EXPECT_EQ(domi::AutoMappingByOpFn(op, empty), FAILED);
  EXPECT_EQ(domi::AutoMappingFn(nullptr, op), FAILED);
  EXPECT_EQ(domi::AutoMappingFnDynamic(nullptr, op, {}), FAILED);
  ge::Operator src("src", "Source");
  src.SetAttr("N", int64_t{2}).SetAttr("list", std::vector<int64_t>{4, 5, 6}).SetAttr("minus", int64_t{-1});
  const domi::DynamicInputOutputInfo none;
  EXPECT_EQ(none.type, domi::kInvalid);
  EXPECT_EQ(domi::AutoMappingByOpFnDynamic(src, op, {none}), FAILED);
  EXPECT_EQ(domi::AutoMappingByOpFnDynamic(src, op, {{domi::kInput, "x", domi::kMaxNameLength + 1, "N", 1}}), FAILED);
  EXPECT_EQ(domi::AutoMappingByOpFnDynamic(src, op, {{domi::kInvalid, "x", 1, "N", 1}}), FAILED);
  EXPECT_EQ(domi::AutoMappingByOpFnDynamic(src, op, {{domi::kInput, "x", 1, "minus", 5}}), FAILED);
  EXPECT_EQ(op.GetDynamicInputNum("x"), 0);
  EXPECT_EQ(domi::AutoMappingByOpFnDynamic(src, op, {{domi::kInput, "x", 1, "N", 1}}), SUCCESS);
  EXPECT_EQ(op.GetDynamicInputNum("x"), 2);
  int64_t copied = 0;
  EXPECT_EQ(op.GetAttr("N", copied), ge::GRAPH_SUCCESS);
  EXPECT_EQ(copied, 2);
  EXPECT_NE(op.GetAttr("minus", copied), ge::GRAPH_SUCCESS);  // the prototype has none
  ge::Operator split = ge::OperatorFactory::CreateOperator("s", "Split");
  EXPECT_EQ(domi::AutoMappingByOpFnDynamic(src, split, {{domi::kOutput, "y", 1, "list", 4}}), SUCCESS);
  EXPECT_EQ(split.GetDynamicOutputNum("y"), 3);
}

TEST(PluginHelpers, IndexesOfSubgraphs) {
  const LogText quiet;
  ge::Operator a = ge::OperatorFactory::CreateOperator("a", "Data"),
               b = ge::OperatorFactory::CreateOperator("b", "Data");
  a.SetAttr("index", int64_t{0});
  b.SetAttr("index", int64_t{1});
  ge::Operator out = ge::OperatorFactory::CreateOperator("out", "NetOutput");
  out.DynamicInputRegister("x", 2);
  out.SetInput("x", 0, a, "y").SetInput("x", 1, b, "y");
  ge::Graph graph("body");
  graph.SetInputs({a, b});
  const auto number = [&](const char *node, int32_t port) {
    GeNode *found = nullptr;
    GeAttrData value{};
    EXPECT_EQ(GeGraphFindNode(graph.handle(), node, &found), GE_SUCCESS);
    const GeStatus status = port < 0 ? GeNodeGetAttr(found, "_parent_node_index", &value)
                                     : GeNodeGetInputAttr(found, port, "_parent_node_index", &value);
    return status == GE_SUCCESS ? value.i : -1;
  };
  EXPECT_EQ(domi::AutoMappingSubgraphIndex(
                graph, [](int32_t index) { return index + 3; }, [](int32_t index) { return 1 - index; }),
            SUCCESS);
  EXPECT_EQ(number("a", -1), 3);
  EXPECT_EQ(number("b", -1), 4);
  EXPECT_EQ(number("out", 0), 1);
  EXPECT_EQ(number("out", 1), 0);
  const auto refuse = [](int32_t, int32_t &) { return FAILED; };
  const auto accept = [](int32_t index, int32_t &parent) {
    parent = index;
    return SUCCESS;
  };
  EXPECT_EQ(domi::AutoMappingSubgraphIndex(graph, accept, accept), SUCCESS);
  EXPECT_EQ(number("b", -1), 1);
  EXPECT_EQ(domi::AutoMappingSubgraphIndex(graph, refuse, accept), FAILED);
  EXPECT_EQ(domi::AutoMappingSubgraphIndex(graph, accept, refuse), FAILED);
  EXPECT_EQ(domi::AutoMappingSubgraphIndex(ge::Graph(), accept, accept), FAILED);
  EXPECT_EQ(domi::AutoMappingSubgraphIndex(graph, std::function<int32_t(int32_t)>(), [](int32_t i) { return i; }),
            FAILED);
}

}  // namespace
