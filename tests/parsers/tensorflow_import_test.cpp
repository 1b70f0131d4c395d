// What a sound TensorFlow graph becomes, and what is said of others.
#include "parsers/tensorflow/importer.h"

#include <gtest/gtest.h>

#include <regex>

#include "core/ir/types.h"
#include "core/ops/infer.h"
#include "core/ops/make_node.h"
#include "core/support/error.h"
#include "ge/parser_plugin.h"
#include "ge/tensorflow.h"
#include "parsers/plugin.h"
#include "tests/parsers/tensorflow_writer.h"

using namespace gec;
namespace w = tf_writer;

namespace {

GraphPtr Import(const std::string &def, const tensorflow::ParserOptions &options = {}) {
  return tensorflow::ImportBuffer(def.data(), def.size(), options);
}

std::string Refusal(const std::string &def, GeStatus code, const tensorflow::ParserOptions &options = {}) {
  try {
    Import(def, options);
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "it was imported";
  return "";
}

std::string ConvNet() {
  return w::Input("image", {-1, 9, 9, 3}) + w::Floats("conv/filter", {3, 3, 3, 4}, std::vector<float>(108, 0.1f)) +
         w::Node("conv/read", "Identity", {"conv/filter"}) +
         w::Node(
             "conv", "Conv2D", {"image", "conv/read"},
             {w::AttrInts("strides", {1, 2, 2, 1}), w::AttrText("padding", "SAME"), w::AttrText("data_format", "NHWC"),
              w::AttrBool("use_cudnn_on_gpu", true), w::AttrInts("dilations", {1, 1, 1, 1}),
              w::AttrType("T", w::kFloat), w::AttrText("_class", "loc:@w")}) +
         w::Floats("scale", {4}, {1, 2, 3, 4}) +
         w::Node("norm", "FusedBatchNormV3", {"conv", "scale", "scale", "scale", "scale"},
                 {w::AttrBool("is_training", false)}) +
         w::Node("out", "Relu", {"norm", "^conv"});
}

TEST(TensorFlowImport, NamesFormatsAndAttributes) {
  GraphPtr graph = Import(ConvNet());
  ASSERT_EQ(graph->Inputs().size(), 1u);
  const TensorDesc &image = graph->Inputs()[0]->output_desc(0);
  EXPECT_EQ(graph->Inputs()[0]->name(), "image");
  EXPECT_EQ(image.shape, (Shape{-1, 9, 9, 3}));
  EXPECT_EQ(image.format, C_FORMAT_NHWC);
  Node *conv = graph->Find("conv");
  ASSERT_NE(conv, nullptr);
  EXPECT_EQ(conv->type().view(), "Conv2D");
  EXPECT_EQ(conv->Ints("strides"), (std::vector<int64_t>{1, 2, 2, 1}));
  EXPECT_EQ(conv->Ints("pads"), (std::vector<int64_t>{1, 1, 1, 1}));
  EXPECT_EQ(conv->String("data_format"), "NHWC");
  EXPECT_EQ(conv->attr("use_cudnn_on_gpu"), nullptr);
  EXPECT_EQ(conv->input(1).node->name(), "conv/filter");
  EXPECT_EQ(conv->input_desc(1).format, C_FORMAT_HWCN);
  EXPECT_EQ(conv->output_desc(0).shape, (Shape{-1, 5, 5, 4}));
  Node *norm = graph->Find("norm");
  ASSERT_NE(norm, nullptr);
  EXPECT_EQ(norm->type().view(), "BatchNorm");
  EXPECT_FALSE(norm->Bool("is_training", true));
  EXPECT_FLOAT_EQ(norm->Float("epsilon"), 1e-4f);
  Node *out = graph->Find("out");
  ASSERT_NE(out, nullptr);
  ASSERT_EQ(out->control_inputs().size(), 1u);
  EXPECT_EQ(out->control_inputs()[0], conv);
  EXPECT_EQ(*graph->attrs().Find("_output_names"), AttrValue(AttrValue::ListString{"out"}));
  InferGraph(*graph);
  EXPECT_EQ(graph->Outputs().at(0).node->output_desc(0).shape, (Shape{-1, 5, 5, 4}));
}

TEST(TensorFlowImport, GraphIsNamedAfterTheTimeOrAsToldTo) {
  EXPECT_TRUE(std::regex_match(Import(ConvNet())->name(), std::regex("graph_[0-9]{14}")));
  EXPECT_EQ(Import(ConvNet(), {{"output", "net"}})->name(), "net");
}

TEST(TensorFlowImport, OptionsSayWhatIsImported) {
  GraphPtr graph = Import(ConvNet(), {{"ge.outputNodeName", "conv:0;image:0"}, {"input_shape", "image:2,9,9,3"}});
  EXPECT_EQ(graph->Find("norm"), nullptr);
  ASSERT_EQ(graph->Outputs().size(), 2u);
  EXPECT_EQ(graph->Outputs()[0].node->output_desc(0).shape, (Shape{2, 5, 5, 4}));
  EXPECT_EQ(*graph->attrs().Find("_output_names"), AttrValue(AttrValue::ListString{"conv:0", "image:0"}));
  const std::string two = w::Input("a", {2}) + w::Input("b", {2}) + w::Node("y", "Sub", {"a", "b"});
  graph = Import(two, {{"input_data_names", "b,a"}, {"input_shape", "3;3"}});
  EXPECT_EQ(graph->Inputs()[0]->name(), "b");
  EXPECT_EQ(graph->Find("y")->output_desc(0).shape, (Shape{3}));
  EXPECT_NE(Refusal(two, GE_OPTION_INVALID, {{"input_shape", "c:3"}}).find("no input 'c'"), std::string::npos);
  EXPECT_NE(Refusal(two, GE_OPTION_INVALID, {{"ge.outputNodeName", "z:0"}}).find("no node 'z'"), std::string::npos);
  EXPECT_NE(Refusal(two, GE_OPTION_INVALID, {{"ge.outputNodeName", "y:x"}}).find("form node:port"), std::string::npos);
  EXPECT_NE(Refusal(two, GE_OPTION_INVALID, {{"no_such", "1"}}).find("'no_such' is not known"), std::string::npos);
}

TEST(TensorFlowImport, DefaultsStayUnlessNamedAsInputs) {
  const std::string def = w::Input("x", {2}) + w::Floats("half", {}, {0.5f}) +
                          w::Node("keep", "PlaceholderWithDefault", {"half"},
                                  {w::AttrType("dtype", w::kFloat), w::AttrShape("shape", {})}) +
                          w::Node("y", "Mul", {"x", "keep"});
  EXPECT_EQ(Import(def)->Inputs().size(), 1u);
  EXPECT_EQ(Import(def, {{"input_shape", "x:2;keep:"}})->Inputs().size(), 2u);
  GraphPtr named = Import(def, {{"input_data_names", "keep,x"}});
  ASSERT_EQ(named->Inputs().size(), 2u);
  EXPECT_EQ(named->Inputs()[0]->name(), "keep");
}

TEST(TensorFlowImport, HelperNodesDoNotTakeNamesOfTheFile) {
  // "y/axes" is what the rule of L2Loss would call its constant.
  const std::string def = w::Input("x", {2, 3}) + w::Node("y", "L2Loss", {"x"}) + w::Node("y/axes", "Neg", {"y"}) +
                          w::Node("y/Square", "Abs", {"y/axes"});
  GraphPtr graph = Import(def);
  EXPECT_EQ(graph->Find("y/axes")->type().view(), "Neg");
  EXPECT_EQ(graph->Find("y/Square")->type().view(), "Abs");
  EXPECT_EQ(graph->Find("y")->output_desc(0).shape, Shape());
}

TEST(TensorFlowImport, EveryLeafIsAnOutput) {
  const std::string def = w::Input("x", {4}) + w::Ints("d", {}, {0}) +
                          w::Node("s", "Split", {"d", "x"}, {w::AttrInt("num_split", 2)}) + w::Node("n", "Neg", {"x"}) +
                          w::Node("group", "NoOp", {"^s", "^n"});
  GraphPtr graph = Import(def);
  EXPECT_EQ(graph->Outputs().size(), 3u);
  EXPECT_EQ(*graph->attrs().Find("_output_names"), AttrValue(AttrValue::ListString{"s", "s:1", "n"}));
  EXPECT_NE(Refusal(w::Floats("c", {1}, {1}), GE_MODEL_INVALID).find("has no outputs"), std::string::npos);
}

TEST(TensorFlowImport, DamagedContentIsToldByNode) {
  const std::string y = w::Node("y", "Relu", {"c"});
  auto with = [&](const std::string &tensor) { return w::Const("c", tensor) + y; };
  struct Case {
    std::string tensor;
    GeStatus code;
    const char *text;
  };
  const std::vector<Case> cases = {
      {w::Tensor(w::kFloat, {2, 3}, w::Raw<float>({1, 2})), GE_MODEL_INVALID, "has 8 bytes, its shape asks for 24"},
      {w::Tensor(w::kFloat, {-1}, ""), GE_MODEL_INVALID, "dimension 0 is -1"},
      {w::Tensor(w::kFloat, {1 << 30, 1 << 30}, w::Raw<float>({1})), GE_MODEL_INVALID, "attribute 'value'"},
      {w::Tensor(w::kFloat, {1 << 28}, "") + w::Bytes(5, w::Raw<float>({1})), GE_MODEL_INVALID, "is repeated for"},
      {w::Num(1, w::kFloat) + w::Bytes(2, w::Shape({1})) + w::Bytes(5, w::Raw<float>({1, 2})), GE_MODEL_INVALID,
       "float_val has 2 values, its shape asks for 1"},
      {w::Tensor(7, {1}, ""), GE_UNSUPPORTED, "values of string"},
      {w::Tensor(99, {1}, ""), GE_UNSUPPORTED, "values of type 99"},
  };
  for (const Case &each : cases) {
    const std::string said = Refusal(with(each.tensor), each.code);
    EXPECT_NE(said.find(each.text), std::string::npos) << said;
    EXPECT_NE(said.find("  c  "), std::string::npos) << said;  // the node
  }
  EXPECT_NE(Refusal(w::Node(std::string("a\0b", 3), "Relu", {"x"}), GE_MODEL_INVALID).find("NUL byte"),
            std::string::npos);
  const std::string whole = ConvNet();
  EXPECT_NE(Refusal(whole.substr(0, whole.size() - 3), GE_MODEL_INVALID).find("beyond the end"), std::string::npos);
  EXPECT_NE(Refusal("", GE_MODEL_INVALID).find("it is empty"), std::string::npos);
  const std::string twice = w::Input("x", {1}) + w::Input("x", {1}) + w::Node("y", "Relu", {"x"});
  EXPECT_NE(Refusal(twice, GE_MODEL_INVALID).find("two nodes have this name"), std::string::npos);
}

TEST(TensorFlowImport, ProblemsComeAsJson) {
  const std::string def = w::Input("x", {1}) + w::Node("y", "Reluu", {"x"}) + w::Node("z", "Exit", {"x"});
  std::string json;
  GeTextFn keep = [](void *user, const char *text, size_t n) { static_cast<std::string *>(user)->assign(text, n); };
  GeGraph *graph = nullptr;
  EXPECT_EQ(GeTensorFlowImportBuffer(def.data(), def.size(), nullptr, 0, keep, &json, &graph), GE_UNSUPPORTED);
  EXPECT_NE(json.find(R"("node": "z", "operator": "Exit")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("total": 1)"), std::string::npos) << json;
  const GeParserOption outputs = {"ge.outputNodeName", "y"};
  EXPECT_EQ(GeTensorFlowImportBuffer(def.data(), def.size(), &outputs, 1, keep, &json, &graph), GE_UNSUPPORTED);
  EXPECT_NE(json.find(R"("reason": "unknown_operator")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("nearest": ["Relu)"), std::string::npos) << json;
  EXPECT_EQ(graph, nullptr);
}

// Makes Sub of MyMinus, whose inputs are the other way round, and a graph of MyTwice.
struct TestPlugin : ParserPlugin {
  bool twice = false;
  mutable FrontNode seen;
  Node &Parse(const FrontNode &node, Graph &graph) const override {
    seen = node;
    if (node.origin_type == "MyBad") Fail(GE_FAILED, "it does not like that");
    return *MakeNode(graph, twice ? "Neg" : "Sub", node.name);
  }
  GraphPtr ToGraph(const FrontNode &, Node &) const override {
    if (!twice) return nullptr;
    GraphPtr graph = Graph::Create("twice");
    Node *data = MakeNode(*graph, "Data", "x"), *sum = MakeNode(*graph, "Add", "sum");
    graph->SetAttr(data, "index", int64_t{0});
    graph->Connect({data, 0}, sum, 0);
    graph->Connect({data, 0}, sum, 1);
    graph->SetOutputs({{sum, 0}});
    return graph;
  }
  void FinishSubgraph(const std::string &, Graph &) const override {}
};

TEST(TensorFlowImport, PluginsAreAskedFirst) {
  auto minus = std::make_shared<TestPlugin>(), twice = std::make_shared<TestPlugin>();
  minus->type = "Sub";
  InputEdit swap;
  swap.kind = GE_INPUT_REORDER;
  swap.order = {1, 0};
  minus->edits = {swap};
  twice->type = "Neg";
  twice->twice = true;
  ParserPluginRegistry &registry = ParserPluginRegistry::Instance();
  const uint64_t tokens[] = {registry.Add(GE_FRAMEWORK_TENSORFLOW, {"MyMinus", "MyBad", "Switch"}, minus),
                             registry.Add(GE_FRAMEWORK_TENSORFLOW, {"MyTwice"}, twice)};
  const std::string inputs = w::Input("x", {2}) + w::Input("y", {2});
  GraphPtr graph = Import(inputs + w::Node("z", "MyTwice", {"x"}) +
                          w::Node("m", "MyMinus", {"z", "y:0", "^x"},
                                  {w::AttrInt("depth", 3), w::AttrType("T", w::kFloat), w::AttrText("mode", "fast")}));
  Node *m = graph->Find("m"), *z = graph->Find("z");
  ASSERT_NE(m, nullptr);
  ASSERT_NE(z, nullptr);
  EXPECT_EQ(m->type().view(), "Sub");
  EXPECT_EQ(m->input(0).node->name(), "y");
  EXPECT_EQ(m->input(1).node, z);
  EXPECT_EQ(z->type().view(), "Add");
  EXPECT_EQ(z->input(1).node->name(), "x");
  EXPECT_EQ(m->output_desc(0).shape, (Shape{2}));
  EXPECT_EQ(minus->seen.inputs, (std::vector<std::string>{"z", "y:0"}));
  EXPECT_EQ(minus->seen.outputs, (std::vector<std::string>{"m:0"}));
  ASSERT_EQ(minus->seen.attrs.size(), 3u);
  EXPECT_EQ(minus->seen.attrs[0].second, AttrValue(int64_t{3}));
  EXPECT_EQ(minus->seen.attrs[1].second, AttrValue(DataTypeValue{C_DT_FLOAT}));
  EXPECT_EQ(minus->seen.attrs[2].second, AttrValue("fast"));
  // One that the importer itself refuses.
  EXPECT_NE(Import(inputs + w::Node("s", "Switch", {"x", "y"}))->Find("s"), nullptr);
  EXPECT_NE(Refusal(inputs + w::Node("b", "MyBad", {"x", "y"}), GE_UNSUPPORTED).find("does not like that"),
            std::string::npos);
  EXPECT_NE(Refusal(inputs + w::Node("b", "MyMinus", {"x"}), GE_UNSUPPORTED).find("reorders 2 inputs, the node has 1"),
            std::string::npos);
  for (uint64_t token : tokens) registry.Remove(token);
  EXPECT_NE(Refusal(inputs + w::Node("z", "MyTwice", {"x"}), GE_UNSUPPORTED).find("unknown operator"),
            std::string::npos);
}

TEST(TensorFlowImport, FilesAreToldByContent) {
  const std::string def = ConvNet();
  EXPECT_TRUE(tensorflow::IsGraph(def.data(), def.size()));
  const std::string text = "# text\nnode { name: \"x\" op: \"NoOp\" }";
  EXPECT_TRUE(tensorflow::IsGraph(text.data(), text.size()));
  for (const std::string &other : {std::string(), std::string("\x08\x07\x12\x01x", 5), std::string("PK\x03\x04")})
    EXPECT_FALSE(tensorflow::IsGraph(other.data(), other.size()));
  EXPECT_NE(tensorflow::DescribeOperators().find("FusedBatchNormV3\n"), std::string::npos);
}

}  // namespace
