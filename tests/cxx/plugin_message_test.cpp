// Plug-ins that read ONNX messages.
#include "proto/onnx/ge_onnx.pb.h"
#include "register/register.h"
#include "tests/cxx/plugin_models.h"

namespace {

using namespace plugin_models;
using domi::FAILED;
using domi::SUCCESS;
using ge::onnx::AttributeProto;
using ge::onnx::NodeProto;

domi::OpRegistrationData Data(const char *type, const char *key) {
  domi::OpRegistrationData data(type);
  data.FrameworkType(domi::ONNX).OriginOpType(key);
  return data;
}

using PluginMessage = Plugins;

// Large contents move out of the decoded model, attributes of functions come from the call, and nested graphs are
// there.
TEST_F(PluginMessage, IsTheWholeNode) {
  std::vector<float> table(700);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
  const std::string tensor = w::Floats("t", {700}, table);
  w::Graph inner;
  inner.initializers = {tensor};
  inner.nodes = {w::Node("Constant", {}, {"c"}, {w::AttrTensor("value", tensor)}), w::Node("Neg", {"c"}, {"r"})};
  inner.outputs = {w::Value("r", w::kFloat, {700})};
  const std::string sparse = w::Bytes(15, w::Bytes(1, tensor) + w::Bytes(2, w::Ints("at", {0})) + w::Num(3, 900));
  const std::string values = w::Bytes(1, "many") + w::Bytes(23, w::Bytes(1, tensor)) + w::Num(20, 12);
  int calls = 0;
  domi::OpRegistrationData data = Data("LeakyRelu", "my.domain::1::Leaky");
  data.ParseParamsFn([&](const google::protobuf::Message *message, ge::Operator &op) {
    const auto *node = dynamic_cast<const NodeProto *>(message);
    if (node == nullptr) return FAILED;
    EXPECT_EQ(node->op_type(), "my.domain::1::Leaky");
    EXPECT_EQ(node->domain(), "my.domain");
    EXPECT_EQ(node->name(), "inside");
    EXPECT_EQ(node->doc_string(), "says");  // a field that the importer itself does not read
    EXPECT_EQ(node->input(0), "a");
    EXPECT_EQ(node->output(0), "b");
    if (node->attribute_size() != 5) return FAILED;
    const std::string raw(reinterpret_cast<const char *>(table.data()), table.size() * sizeof(float));
    EXPECT_EQ(node->attribute(0).type(), AttributeProto::FLOAT);
    EXPECT_EQ(node->attribute(0).name(), "alpha");
    EXPECT_EQ(node->attribute(1).t().raw_data(), raw);
    EXPECT_EQ(node->attribute(2).g().initializer(0).raw_data(), raw);
    EXPECT_EQ(node->attribute(2).g().node(0).attribute(0).t().raw_data(), raw);
    EXPECT_EQ(node->attribute(2).g().sparse_initializer(0).values().raw_data(), raw);
    EXPECT_EQ(node->attribute(3).t().float_data(1), 5);
    EXPECT_EQ(node->attribute(4).sparse_tensors(0).values().raw_data(), raw);
    op.SetAttr("negative_slope", node->attribute(0).f());
    ++calls;
    return SUCCESS;
  });
  const domi::OpReceiver receiver(data);
  const std::string typed = w::Num(1, 2) + w::Num(2, w::kFloat) + w::Float(4, 4) + w::Float(4, 5);
  const std::string leaky =
      w::Node("Leaky", {"a"}, {"b"},
              {w::AttrRef("alpha", 1, "slope"), w::AttrTensor("table", tensor),
               w::AttrGraph("body", inner.Encode() + sparse), w::AttrTensor("typed", typed), values},
              "inside", "my.domain") +
      w::Bytes(6, "says");
  const std::string function =
      w::Bytes(25, w::Bytes(1, "Outer") + w::Bytes(4, "a") + w::Bytes(5, "b") + w::Bytes(6, "slope") +
                       w::Bytes(7, leaky) + w::Bytes(9, w::Opset(1, "my.domain")) + w::Bytes(10, "local"));
  w::Graph g = OneNode("Outer", {"x"}, {w::AttrFloat("slope", 0.5f)}, "local");
  g.nodes.push_back(w::Node("Outer", {"y"}, {"z"}, {w::AttrFloat("slope", 0.25f)}, "", "local"));
  g.outputs = {w::Value("z", w::kFloat, {2})};
  EXPECT_EQ(Results(File(g, 17, w::Bytes(8, w::Opset(1, "local")) + function), {{-8, 4}}), (Values{-1, 4}));
  EXPECT_EQ(calls, 2);
}

TEST_F(PluginMessage, AttributesAreMappedByName) {
  domi::OpRegistrationData sum = Data("AddN", "my.domain::1::Sum"), running = Data("Cumsum", "my.domain::1::Running");
  sum.ParseParamsFn([](const google::protobuf::Message *message, ge::Operator &op) {
    return domi::AutoMappingFnDynamic(message, op, {{"in", {"x", "N"}}});
  });
  running.ParseParamsFn(domi::AutoMappingFn);
  const domi::OpReceiver first(sum), second(running);
  EXPECT_EQ(Results(File(OneNode("Sum", {"a", "b"}, {w::AttrInt("N", 2)})), {{1, 2}, {10, 20}}), (Values{11, 22}));
  w::Graph g = OneNode("Running", {"x", "axis"}, {w::AttrInt("reverse", 1)}, "my.domain", 3);
  g.inputs.pop_back();
  g.initializers = {w::Ints("axis", {0})};
  EXPECT_EQ(Results(File(g), {{1, 2, 3}}), (Values{6, 5, 3}));
}

TEST(PluginMessages, EachKindOfAttribute) {
  NodeProto node;
  const auto add = [&node](const char *name, AttributeProto::AttributeType type) {
    AttributeProto *attr = node.add_attribute();
    attr->set_name(name);
    attr->set_type(type);
    return attr;
  };
  add("i", AttributeProto::INT)->set_i(-7);
  add("f", AttributeProto::FLOAT)->set_f(0.5f);
  add("s", AttributeProto::STRING)->set_s("text");
  add("ints", AttributeProto::INTS)->add_ints(3);
  add("floats", AttributeProto::FLOATS)->add_floats(1.5f);
  add("strings", AttributeProto::STRINGS)->add_strings("one");
  add("graph", AttributeProto::GRAPH);
  ge::detail::NameMap<ge::AttrValue> attrs;
  ASSERT_TRUE(domi::detail::MessageAttrs(&node, attrs));
  int64_t i = 0;
  float f = 0;
  ge::AscendString s;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<ge::AscendString> strings;
  EXPECT_EQ(attrs["i"].GetAttrValue(i) + attrs["f"].GetAttrValue(f) + attrs["s"].GetAttrValue(s), 0u);
  EXPECT_EQ(attrs["ints"].GetAttrValue(ints) + attrs["floats"].GetAttrValue(floats), 0u);
  EXPECT_EQ(attrs["strings"].GetAttrValue(strings), 0u);
  EXPECT_EQ(i, -7);
  EXPECT_EQ(f, 0.5f);
  EXPECT_STREQ(s.GetString(), "text");
  EXPECT_EQ(ints, std::vector<int64_t>{3});
  EXPECT_EQ(floats, std::vector<float>{1.5f});
  ASSERT_EQ(strings.size(), 1u);
  EXPECT_STREQ(strings[0].GetString(), "one");
  EXPECT_TRUE(attrs.find("graph") == attrs.end());
  const LogText quiet;
  ge::Operator op = ge::OperatorFactory::CreateOperator("op", "AddN");
  EXPECT_EQ(domi::AutoMappingFn(node.mutable_attribute(0), op), FAILED);  // not the message of a node
  EXPECT_EQ(domi::AutoMappingFnDynamic(&node, op, {{"in", {"x", "s"}}}), FAILED);
  EXPECT_EQ(domi::AutoMappingFnDynamic(&node, op, {{"sideways", {"x", "i"}}}), FAILED);
  EXPECT_EQ(domi::AutoMappingFnDynamic(&node, op, {{"in", {"x", "ints"}}}), SUCCESS);
  EXPECT_EQ(op.GetDynamicInputNum("x"), 1);
}

}  // namespace
