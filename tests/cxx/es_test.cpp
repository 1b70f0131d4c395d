// Functional building in C++: the call shapes of GE programs, and what they build.
#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "es_all_ops.h"
#include "es_c_graph_builder.h"
#include "es_c_tensor_holder.h"
#include "es_graph_builder.h"
#include "es_log.h"

namespace ge {
namespace es {
namespace {

std::string Readable(const Graph &graph) {
  std::ostringstream text;
  (void)graph.Dump(Graph::DumpFormat::kReadable, text);
  return text.str();
}

TEST(EsGraphBuilder, BuildsWhatTheReadableFormShows) {
  EsGraphBuilder builder("mlp");
  auto [x, w] = builder.CreateInputs<2>();
  EsTensorHolder y = MatMul(x, w, nullptr, true);
  EsTensorHolder z = Relu(y + x * w);
  auto graph = builder.BuildAndReset({z});
  ASSERT_NE(graph, nullptr);
  AscendString name;
  EXPECT_EQ(graph->GetName(name), GRAPH_SUCCESS);
  EXPECT_STREQ(name.GetString(), "mlp");
  EXPECT_EQ(Readable(*graph),
            "graph(\"mlp\"):\n"
            "  %input_0 : [#users=1] = Node[type=Data] (attrs = {index: 0})\n"
            "  %input_1 : [#users=1] = Node[type=Data] (attrs = {index: 1})\n"
            "  %MatMul_0 : [#users=1] = Node[type=MatMul] (inputs = (x1=%input_0, x2=%input_1), attrs = {transpose_x1: "
            "true})\n"
            "  %Mul_1 : [#users=1] = Node[type=Mul] (inputs = (x1=%input_0, x2=%input_1))\n"
            "  %Add_2 : [#users=1] = Node[type=Add] (inputs = (x1=%MatMul_0, x2=%Mul_1))\n"
            "  %Relu_3 : [#users=1] = Node[type=Relu] (inputs = (x=%Add_2))\n"
            "\n"
            "  return (%Relu_3)");
}

TEST(EsGraphBuilder, CallShapesOfPublicPrograms) {
  EsGraphBuilder g("shapes");
  EsTensorHolder x = g.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {4, 6});
  EXPECT_NE(Reshape(x, std::vector<int64_t>{2, 12}).GetCTensorHolder(), nullptr);
  std::vector<EsTensorHolder> parts = Split(g.CreateScalar(0), x, 4, 4);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_NE(ConcatV2({parts[0], parts[1], parts[2]}, static_cast<int64_t>(0), 3).GetCTensorHolder(), nullptr);
  auto [values, indices] = TopKV2(x, static_cast<int64_t>(2));
  EXPECT_NE(values.GetCTensorHolder(), nullptr);
  EXPECT_EQ(indices.GetProducerOutIndex(), 1);
  EsTensorHolder filter = g.CreateConst(std::vector<float>(9, 1.0f), {1, 1, 3, 3});
  EsTensorHolder conv = Conv2D(x, filter, nullptr, nullptr, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, 1, "NCHW");
  EXPECT_NE(conv.GetCTensorHolder(), nullptr);
  EXPECT_NE(Add(x, 2.0f).SetFormat(FORMAT_ND).SetShape({4, 6}).SetDataType(DT_FLOAT).GetCTensorHolder(), nullptr);
  EXPECT_NE(es::Shape(x, DT_INT64).GetCTensorHolder(), nullptr);
  EXPECT_NE(Cast(x, DT_INT32).GetCTensorHolder(), nullptr);
  EXPECT_NE(Const(g).GetCTensorHolder(), nullptr);
  EsTensorHolder bn = BatchNorm(x, x, x, nullptr, nullptr).y;
  EXPECT_EQ(bn.SetAttrForNode("_mark", static_cast<int64_t>(5)), SUCCESS);
  int64_t mark = 0;
  EXPECT_EQ(bn.GetProducer()->GetAttr("_mark", mark), GRAPH_SUCCESS);
  EXPECT_EQ(mark, 5);
}

std::unique_ptr<Graph> Branch(const char *name, float factor) {
  EsGraphBuilder b(name);
  EsTensorHolder x = b.CreateInput(0);
  return b.BuildAndReset({Mul(x, factor)});
}

TEST(EsGraphBuilder, SubgraphsMoveToTheRoot) {
  EsGraphBuilder g("outer");
  EsTensorHolder cond = g.CreateInput(0, "cond", DT_BOOL, FORMAT_ND, {});
  EsTensorHolder x = g.CreateInput(1, "x", DT_FLOAT, FORMAT_ND, {2});
  std::vector<EsTensorHolder> out = If(cond, {x}, 1, Branch("then", 2.0f), Branch("else", 3.0f));
  ASSERT_EQ(out.size(), 1u);
  auto graph = g.BuildAndReset(out);
  ASSERT_NE(graph, nullptr) << GeLastErrorMessage();
  EXPECT_EQ(graph->GetAllSubgraphs().size(), 2u);
  ASSERT_NE(graph->GetSubGraph("then"), nullptr);
  GNodePtr node = graph->FindNodeByName("If_0");
  ASSERT_NE(node, nullptr);
  GraphPtr branch;
  EXPECT_EQ(node->GetSubgraph(1, branch), GRAPH_SUCCESS);
  AscendString name;
  (void)branch->GetName(name);
  EXPECT_STREQ(name.GetString(), "else");
}

TEST(EsGraphBuilder, RefusesWhatCannotBeBuilt) {
  EsGraphBuilder g("bad");
  EXPECT_EQ(g.CreateInput(-1).GetCTensorHolder(), nullptr);
  EsTensorHolder x = g.CreateInput(1);
  EXPECT_EQ(g.CreateInput(1).GetCTensorHolder(), nullptr);
  EXPECT_EQ(g.CreateInput(2, "n", "NoSuchType").GetCTensorHolder(), nullptr);
  EXPECT_NE(EsGraphBuilder::SetOutput(x, -1), 0);
  EXPECT_EQ(EsGraphBuilder::SetOutput(x, 0), 0);
  EXPECT_NE(EsGraphBuilder::SetOutput(x, 0), 0);
  EXPECT_EQ(g.BuildAndReset(), nullptr);  // input 0 is missing
  EsTensorHolder y = g.CreateInput(0);
  EXPECT_NE(g.BuildAndReset(), nullptr);
  EXPECT_EQ(g.BuildAndReset(), nullptr);
  EXPECT_EQ(Relu(y).GetCTensorHolder(), nullptr);  // spent
  EXPECT_NE(y.GetProducer(), nullptr);             // still readable
}

// A wrapper written by hand, as GE's documents show it.
EsCTensorHolder *HandMade(EsCTensorHolder *a, EsCTensorHolder *b, int64_t k) {
  ES_ASSERT_NOTNULL(a);
  EsCGraphBuilder &builder = a->GetOwnerBuilder();
  Graph *graph = builder.GetGraph();
  ES_ASSERT_NOTNULL(graph);
  GNode node =
      CompliantNodeBuilder(graph)
          .OpType("HandMade")
          .Name(builder.GenerateNodeName("HandMade").GetString())
          .IrDefInputsV2({{"a", CompliantNodeBuilder::kEsIrInputRequired, ""},
                          {"b", CompliantNodeBuilder::kEsIrInputOptional, ""}})
          .IrDefOutputsV2({{"y", CompliantNodeBuilder::kEsIrOutputRequired, ""}})
          .IrDefAttrsV2({{"k", CompliantNodeBuilder::kEsAttrOptional, "Int", CreateFromIfNotEqual(k, int64_t{7})}})
          .Build();
  ES_ASSERT_GRAPH_SUCCESS(AddEdgeAndUpdatePeerDesc(*graph, a->GetProducer(), a->GetOutIndex(), node, 0));
  if (b != nullptr)
    ES_ASSERT_GRAPH_SUCCESS(AddEdgeAndUpdatePeerDesc(*graph, b->GetProducer(), b->GetOutIndex(), node, 1));
  return builder.GetTensorHolderFromNode(node, 0);
}

TEST(CompliantNodeBuilder, MakesANodeOfAnUnregisteredType) {
  EsGraphBuilder g("hand");
  auto [x, y] = g.CreateInputs<2>();
  EsTensorHolder plain = HandMade(x.GetCTensorHolder(), nullptr, 7);
  EsTensorHolder other = HandMade(plain.GetCTensorHolder(), y.GetCTensorHolder(), 8);
  ASSERT_NE(other.GetCTensorHolder(), nullptr);
  EXPECT_EQ(Relu(x).AddControlEdge({y}), SUCCESS);
  auto graph = g.BuildAndReset({other});
  ASSERT_NE(graph, nullptr);
  GNodePtr node = graph->FindNodeByName("HandMade_1");
  ASSERT_NE(node, nullptr);
  int64_t k = 0;
  EXPECT_EQ(node->GetAttr("k", k), GRAPH_SUCCESS);
  EXPECT_EQ(k, 8);
  EXPECT_FALSE(graph->FindNodeByName("HandMade_0")->HasAttr("k"));
  int32_t index = 9;
  EXPECT_EQ(node->GetInputIndexByName("b", index), GRAPH_SUCCESS);
  EXPECT_EQ(index, 1);
  EXPECT_EQ(node->GetInputIndexByName("none", index), GRAPH_SUCCESS);
  EXPECT_EQ(index, -1);
}

TEST(EsTensorLike, LiteralsBecomeConstantsInParameterOrder) {
  EsGraphBuilder g("literals");
  EsTensorHolder x = g.CreateInput(0);
  auto graph = g.BuildAndReset({Add(static_cast<int64_t>(1), x), Mul(x, std::vector<float>{1, 2})});
  ASSERT_NE(graph, nullptr);
  EXPECT_NE(graph->FindNodeByName("Const_0"), nullptr);
  EXPECT_NE(graph->FindNodeByName("Add_1"), nullptr);
  EXPECT_NE(graph->FindNodeByName("Const_2"), nullptr);
  EXPECT_NE(graph->FindNodeByName("Mul_3"), nullptr);
}

}  // namespace
}  // namespace es
}  // namespace ge
