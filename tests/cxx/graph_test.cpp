// Operators, prototypes and graph editing through the C++ facade.
#include <gtest/gtest.h>

#include "graph/graph.h"
#include "graph/operator_reg.h"

namespace ge {

REG_OP(CxxTestAxpy)
    .INPUT(x, TensorType({DT_FLOAT}))
    .INPUT(y, TensorType({DT_FLOAT}))
    .OUTPUT(z, TensorType({DT_FLOAT}))
    .ATTR(alpha, Float, 1.5f)
    .ATTR(names, ListString, {"a", "b"})
    .REQUIRED_ATTR(mode, String)
    .OP_END_FACTORY_REG(CxxTestAxpy)

        IMPLEMT_COMMON_INFERFUNC(CxxTestAxpyInfer) {
  TensorDesc desc = op.GetInputDescByName("x");
  return op.UpdateOutputDesc("z", desc);
}
COMMON_INFER_FUNC_REG(CxxTestAxpy, CxxTestAxpyInfer)

namespace {

Operator Data(const char *name, int64_t index, const std::vector<int64_t> &dims) {
  Operator data = OperatorFactory::CreateOperator(name, "Data");
  data.SetAttr("index", index);
  TensorDesc desc(Shape(dims), FORMAT_ND, DT_FLOAT);
  desc.SetOriginShape(Shape(dims));
  (void)data.UpdateOutputDesc("y", desc);
  return data;
}

TEST(Operator, LinkedOperatorsBecomeAGraph) {
  Operator a = Data("a", 0, {2, 3}), b = Data("b", 1, {2, 3});
  op::CxxTestAxpy axpy("axpy");
  axpy.set_input_x(a).set_input_y(b).set_attr_mode("fast").set_attr_alpha(2.5f);
  EXPECT_EQ(axpy.get_attr_names().size(), 2u);
  EXPECT_EQ(axpy.get_attr_alpha(), 2.5f);
  Graph graph("g");
  graph.SetInputs({a, b}).SetOutputs(std::vector<Operator>{axpy});
  ASSERT_EQ(graph.GetDirectNode().size(), 3u);
  GNodePtr node = graph.FindNodeByName("axpy");
  ASSERT_NE(node, nullptr);
  float alpha = 0;
  EXPECT_EQ(node->GetAttr("alpha", alpha), GRAPH_SUCCESS);
  EXPECT_EQ(alpha, 2.5f);
  AscendString mode;
  EXPECT_EQ(node->GetAttr("mode", mode), GRAPH_SUCCESS);
  EXPECT_STREQ(mode.GetString(), "fast");
  auto producer = node->GetInDataNodesAndPortIndexs(1);
  ASSERT_NE(producer.first, nullptr);
  AscendString name;
  (void)producer.first->GetName(name);
  EXPECT_STREQ(name.GetString(), "b");
  ASSERT_EQ(GeGraphInfer(graph.handle(), nullptr, 0), GE_SUCCESS) << GeLastErrorMessage();
  TensorDesc desc;
  EXPECT_EQ(node->GetOutputDesc(0, desc), GRAPH_SUCCESS);
  EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{2, 3}));
}

TEST(Operator, UnknownNamesAndTypesAreHarmless) {
  EXPECT_TRUE(OperatorFactory::CreateOperator("n", "NoSuchOperator").IsEmpty());
  EXPECT_FALSE(OperatorFactory::IsExistOp("NoSuchOperator"));
  EXPECT_TRUE(OperatorFactory::IsExistOp("CxxTestAxpy"));
  op::CxxTestAxpy axpy("axpy");
  AscendString mode;
  EXPECT_EQ(axpy.get_attr_mode(mode), GRAPH_FAILED);
  EXPECT_EQ(axpy.UpdateInputDesc("none", TensorDesc()), GRAPH_FAILED);
  Tensor tensor;
  EXPECT_EQ(axpy.GetInputConstData("x", tensor), GRAPH_FAILED);
}

TEST(Graph, EditingKeepsEdgesConsistent) {
  Operator a = Data("a", 0, {4});
  op::CxxTestAxpy axpy("axpy");
  axpy.set_input_x(a).set_input_y(a).set_attr_mode("m");
  Graph graph("edit");
  graph.SetInputs({a});
  GNodePtr data = graph.FindNodeByName("a"), node = graph.FindNodeByName("axpy");
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(data->GetOutDataNodesAndPortIndexs(0).size(), 2u);
  EXPECT_EQ(graph.AddDataEdge(*data, 0, *node, 1), GRAPH_FAILED);  // taken
  EXPECT_EQ(graph.RemoveEdge(*data, 0, *node, 1), GRAPH_SUCCESS);
  EXPECT_EQ(node->GetInDataNodesAndPortIndexs(1).second, 0xFF);
  EXPECT_EQ(graph.AddDataEdge(*data, 0, *node, 7), GRAPH_FAILED);
  EXPECT_EQ(graph.AddDataEdge(*data, 0, *node, 1), GRAPH_SUCCESS);
  Graph copy("copy");
  ASSERT_EQ(copy.CopyFrom(graph), GRAPH_SUCCESS);
  EXPECT_EQ(graph.RemoveNode(*node), GRAPH_SUCCESS);
  EXPECT_EQ(graph.RemoveNode(*node), GRAPH_FAILED);
  EXPECT_EQ(graph.GetDirectNode().size(), 1u);
  EXPECT_EQ(copy.GetDirectNode().size(), 2u);
  EXPECT_EQ(graph.FindNodeByName("axpy"), nullptr);
}

TEST(Graph, AttributesOfEveryKindSurvive) {
  Graph graph("attrs");
  auto check = [&](const char *name, auto value) {
    AttrValue in, out;
    in.SetAttrValue(value);
    ASSERT_EQ(graph.SetAttr(name, in), GRAPH_SUCCESS) << name;
    ASSERT_EQ(graph.GetAttr(name, out), GRAPH_SUCCESS) << name;
    decltype(value) back{};
    ASSERT_EQ(out.GetAttrValue(back), GRAPH_SUCCESS) << name;
    EXPECT_EQ(back, value) << name;
  };
  check("int", int64_t{-5});
  check("float", 0.25f);
  check("bool", true);
  check("string", AscendString("text"));
  check("type", DT_BF16);
  check("ints", std::vector<int64_t>{1, 2, 3});
  check("floats", std::vector<float>{0.5f, 1.5f});
  check("bools", std::vector<bool>{true, false});
  check("strings", std::vector<AscendString>{"a", "b"});
  check("types", std::vector<DataType>{DT_INT8, DT_FLOAT});
  check("rows", std::vector<std::vector<int64_t>>{{1}, {2, 3}, {}});
  AttrValue missing;
  EXPECT_EQ(graph.GetAttr("none", missing), GRAPH_FAILED);
}

}  // namespace
}  // namespace ge
