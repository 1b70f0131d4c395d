// Nodes of another version of a prototype: what the facade asks and does about them.
#include <gtest/gtest.h>

#include <string>

#include "ge/compliant_node_builder.h"
#include "graph/operator_factory.h"
#include "graph/utils/recover_ir_definition.h"

namespace ge {
namespace {

using es::CompliantNodeBuilder;

// Relu with an optional input and an attribute that the library's has not.
GNode NewerRelu(Graph &graph, const char *name, float knee) {
  CompliantNodeBuilder builder(&graph);
  builder.OpType("Relu").Name(name).IrDefInputs(
      {{"x", CompliantNodeBuilder::kEsIrInputRequired, ""}, {"gate", CompliantNodeBuilder::kEsIrInputOptional, ""}});
  builder.IrDefOutputs({{"y", CompliantNodeBuilder::kEsIrOutputRequired, ""}});
  builder.IrDefAttrs({{"knee", CompliantNodeBuilder::kEsAttrOptional, "Float", AttrValue()}});
  GNode node = builder.Build();
  if (knee != 0) (void)node.SetAttr("knee", knee);
  return node;
}

TEST(RecoverIrDefinition, WhatIsNotUsedIsDropped) {
  Graph graph("newer");
  ASSERT_EQ(graph.SetValid(), GRAPH_SUCCESS);
  GNode data = graph.AddNodeByOp(OperatorFactory::CreateOperator("x", "Data"));
  GNode node = NewerRelu(graph, "relu", 0);
  ASSERT_EQ(graph.AddDataEdge(data, 0, node, 0), GRAPH_SUCCESS);
  EXPECT_EQ(GeNodeInputCount(node.handle()), 2u);
  EXPECT_FALSE(CheckIrSpec(node));  // an input more
  EXPECT_EQ(RecoverOpDescIrDefinition(node, "Sigmoid"), GRAPH_PARAM_INVALID);
  ASSERT_EQ(RecoverOpDescIrDefinition(node, "Relu"), GRAPH_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(GeNodeInputCount(node.handle()), 1u);
  EXPECT_TRUE(CheckIrSpec(node));
  AscendString source;
  ASSERT_NE(node.GetInDataNodesAndPortIndexs(0).first, nullptr);
  EXPECT_EQ(node.GetInDataNodesAndPortIndexs(0).first->GetName(source), GRAPH_SUCCESS);
  EXPECT_EQ(source, AscendString("x"));
  EXPECT_EQ(RecoverIrDefinitions(graph), GRAPH_SUCCESS);  // again is harmless: the nodes stay
  EXPECT_TRUE(CheckIrSpec(node));
}

TEST(RecoverIrDefinition, WhatIsUsedIsNotLost) {
  Graph graph("uses");
  ASSERT_EQ(graph.SetValid(), GRAPH_SUCCESS);
  GNode data = graph.AddNodeByOp(OperatorFactory::CreateOperator("x", "Data"));
  GNode node = NewerRelu(graph, "relu", 1.5f);
  ASSERT_EQ(graph.AddDataEdge(data, 0, node, 0), GRAPH_SUCCESS);
  EXPECT_EQ(RecoverIrDefinitions(graph), GRAPH_FAILED);
  const std::string message = GeLastErrorMessage();
  EXPECT_NE(message.find("knee"), std::string::npos) << message;
  EXPECT_NE(message.find("relu"), std::string::npos) << message;
  EXPECT_EQ(GeNodeInputCount(node.handle()), 2u);  // as before
}

TEST(CheckIrSpec, RequiredAttributesNeedValues) {
  Graph graph("spec");
  ASSERT_EQ(graph.SetValid(), GRAPH_SUCCESS);
  GNode cast = graph.AddNodeByOp(OperatorFactory::CreateOperator("cast", "Cast"));  // dst_type is required
  EXPECT_FALSE(CheckIrSpec(cast));
  int64_t type = DT_INT32;
  ASSERT_EQ(cast.SetAttr("dst_type", type), GRAPH_SUCCESS);
  EXPECT_TRUE(CheckIrSpec(cast));
  EXPECT_TRUE(
      CheckIrSpec(graph.AddNodeByOp(OperatorFactory::CreateOperator("concat", "ConcatD").SetAttr("concat_dim", type))));
  EXPECT_FALSE(CheckIrSpec(GNode()));
}

}  // namespace
}  // namespace ge
