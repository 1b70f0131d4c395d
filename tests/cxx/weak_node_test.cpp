// What becomes of a GNode when its node or graph is gone, and of edges that make no sense.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "es_graph_builder.h"
#include "graph/gnode.h"
#include "graph/graph.h"
#include "graph/operator_factory.h"

namespace ge {
namespace {

GNode Add(Graph &graph, const char *name, const char *type) {
  return graph.AddNodeByOp(OperatorFactory::CreateOperator(name, type));
}

void ExpectGone(GNode node) {
  AscendString text;
  TensorDesc desc;
  Tensor tensor;
  AttrValue value;
  int64_t number = 7;
  int32_t index = 3;
  std::vector<int32_t> indexes;
  GraphPtr subgraph;
  std::vector<GraphPtr> subgraphs;
  EXPECT_EQ(node.GetName(text), GRAPH_FAILED);
  EXPECT_EQ(node.GetType(text), GRAPH_FAILED);
  EXPECT_EQ(node.GetInDataNodesAndPortIndexs(0).first, nullptr);
  EXPECT_EQ(node.GetInDataNodesAndPortIndexs(0).second, 0xFF);
  EXPECT_TRUE(node.GetOutDataNodesAndPortIndexs(0).empty());
  EXPECT_TRUE(node.GetInControlNodes().empty());
  EXPECT_TRUE(node.GetOutControlNodes().empty());
  EXPECT_EQ(node.GetInputConstData(0, tensor), GRAPH_FAILED);
  EXPECT_EQ(node.GetInputIndexByName("x1", index), GRAPH_FAILED);
  EXPECT_EQ(node.GetOutputIndexByName("y", index), GRAPH_FAILED);
  EXPECT_EQ(node.GetDynamicInputIndexesByName("x", indexes), GRAPH_FAILED);
  EXPECT_EQ(node.GetInputsSize(), 0u);
  EXPECT_EQ(node.GetOutputsSize(), 0u);
  EXPECT_EQ(node.GetInputDesc(0, desc), GRAPH_FAILED);
  EXPECT_EQ(node.GetOutputDesc(0, desc), GRAPH_FAILED);
  EXPECT_EQ(node.UpdateInputDesc(0, desc), GRAPH_FAILED);
  EXPECT_EQ(node.UpdateOutputDesc(0, desc), GRAPH_FAILED);
  EXPECT_EQ(node.GetAttr("a", number), GRAPH_FAILED);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(node.SetAttr("a", number), GRAPH_FAILED);
  EXPECT_FALSE(node.HasAttr("a"));
  EXPECT_EQ(node.GetInputAttr("a", 0, value), GRAPH_FAILED);
  EXPECT_EQ(node.SetOutputAttr("a", 0, value), GRAPH_FAILED);
  EXPECT_EQ(node.GetSubgraph(0, subgraph), GRAPH_FAILED);
  EXPECT_EQ(node.GetALLSubgraphs(subgraphs), GRAPH_FAILED);
  EXPECT_EQ(node.SetSubgraph("body", Graph("sub")), GRAPH_FAILED);
  Graph other("other");
  GNode living = Add(other, "living", "Add");
  EXPECT_EQ(other.AddDataEdge(node, 0, living, 0), GRAPH_FAILED);
  EXPECT_EQ(other.AddControlEdge(living, node), GRAPH_FAILED);
  EXPECT_EQ(other.RemoveNode(node), GRAPH_FAILED);
  EXPECT_EQ(other.SetOutputs(std::vector<std::pair<GNode, int32_t>>{{node, 0}}), GRAPH_FAILED);
  GNode copy = node, moved = std::move(copy);
  copy = moved;
  EXPECT_EQ(copy.GetName(text), GRAPH_FAILED);
}

TEST(WeakNode, OutlivesItsGraph) {
  GNode a, b;
  std::vector<GNode> all;
  GNodePtr found;
  {
    Graph graph("short");
    a = Add(graph, "a", "Add");
    b = Add(graph, "b", "Relu");
    int64_t value = 1;
    ASSERT_EQ(a.SetAttr("a", value), GRAPH_SUCCESS);
    ASSERT_EQ(graph.AddDataEdge(a, 0, b, 0), GRAPH_SUCCESS);
    all = graph.GetAllNodes();
    found = graph.FindNodeByName("b");
    ASSERT_NE(found, nullptr);
    AscendString name;
    ASSERT_EQ(found->GetName(name), GRAPH_SUCCESS);
  }
  ExpectGone(a);
  ExpectGone(b);
  for (const GNode &node : all) ExpectGone(node);
  ExpectGone(*found);
  GeGraph *graph = nullptr;
  EXPECT_EQ(GeNodeRetainGraph(a.handle(), &graph), GE_BAD_STATE);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("graph 'short' was destroyed"), std::string::npos)
      << GeLastErrorMessage();
}

TEST(WeakNode, OutlivesItsRemoval) {
  Graph graph("g");
  GNode a = Add(graph, "a", "Add"), same = a;
  ASSERT_EQ(graph.RemoveNode(a), GRAPH_SUCCESS);
  ExpectGone(a);
  ExpectGone(same);
}

TEST(WeakNode, DoesNotKeepASubgraphAlive) {
  GNode inner;
  {
    Graph root("root"), branch("branch");
    inner = Add(branch, "inner", "Relu");
    ASSERT_EQ(root.AddSubGraph(branch), GRAPH_SUCCESS);
    branch = Graph();
    AscendString name;
    EXPECT_EQ(inner.GetName(name), GRAPH_SUCCESS) << "the root has it";
  }
  ExpectGone(inner);
}

TEST(WeakNode, OfABuilderThatIsGone) {
  GNode copy;
  {
    es::EsGraphBuilder b("b");
    es::EsTensorHolder x = b.CreateInput(0), y = b.CreateScalar(1.0f);
    ASSERT_NE(y.GetProducer(), nullptr);
    copy = *y.GetProducer();
    GNode &in_holder = *y.GetProducer();
    in_holder = *x.GetProducer();  // the holder's own reference is counted like any other
    in_holder = copy;
    AscendString type;
    ASSERT_EQ(copy.GetType(type), GRAPH_SUCCESS);
    EXPECT_EQ(type, "Const");
  }
  ExpectGone(copy);
}

TEST(WeakNode, KeepsNothingOnceItIsGoneItself) {
  for (int i = 0; i < 100; ++i) {
    auto graph = std::make_unique<Graph>("g");
    std::vector<GNode> nodes;
    for (int k = 0; k < 10; ++k) nodes.push_back(Add(*graph, ("n" + std::to_string(k)).c_str(), "Relu"));
    if (i % 2 == 0) nodes.clear();
    graph.reset();
    for (size_t k = 0; k + 1 < nodes.size(); ++k) std::swap(nodes[k], nodes[k + 1]);
  }
}

TEST(ControlEdges, ToItselfAreRefused) {
  Graph graph("g");
  GNode a = Add(graph, "a", "Add"), b = Add(graph, "b", "Add");
  EXPECT_EQ(graph.AddControlEdge(a, a), GRAPH_FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("Add 'a' to itself"), std::string::npos) << GeLastErrorMessage();
  EXPECT_TRUE(a.GetOutControlNodes().empty());
  EXPECT_EQ(graph.AddControlEdge(a, b), GRAPH_SUCCESS);

  es::EsGraphBuilder builder("b");
  es::EsTensorHolder x = builder.CreateInput(0), y = builder.CreateScalar(1.0f);
  EXPECT_NE(y.AddControlEdge({x, y}), SUCCESS);
  EXPECT_TRUE(y.GetProducer()->GetInControlNodes().empty()) << "none of the edges was added";
  EXPECT_EQ(y.AddControlEdge({x}), SUCCESS);
}

}  // namespace
}  // namespace ge
