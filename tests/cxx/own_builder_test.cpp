// Builders and tensor holders that a C++ program makes itself, used by C functions and generated wrappers alike.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "es_all_ops.h"
#include "es_all_ops_c.h"
#include "es_c_graph_builder.h"
#include "es_c_tensor_holder.h"

namespace {

std::string NameOf(const ge::Graph &graph) {
  ge::AscendString name;
  (void)graph.GetName(name);
  return name.GetString();
}

TEST(OwnBuilder, BuildsAGraph) {
  EsCGraphBuilder unnamed;
  EsCGraphBuilder b("mine");
  EsCTensorHolder *x = b.AppendGraphInput("x"), *y = EsCreateGraphInput(&b, 1);
  ASSERT_NE(x, nullptr);
  ASSERT_NE(y, nullptr);
  EXPECT_EQ(EsGetOwnerBuilder(x), &b);
  EsCTensorHolder *sum = EsAdd(x, y);
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(&sum->GetOwnerBuilder(), &b);
  EXPECT_EQ(b.SetGraphOutput(sum, 0), ge::SUCCESS);
  std::unique_ptr<ge::Graph> graph = b.BuildGraphAndReset();
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(NameOf(*graph), "mine");
  EXPECT_EQ(graph->GetDirectNode().size(), 4u);
  EXPECT_EQ(b.GetGraph(), nullptr);
  EXPECT_EQ(b.BuildGraphAndReset(), nullptr);
  ASSERT_NE(unnamed.GetGraph(), nullptr);
  EXPECT_EQ(NameOf(*unnamed.GetGraph()), "graph");
}

TEST(OwnBuilder, MovesWithItsTensors) {
  EsCGraphBuilder a("moved");
  EsCTensorHolder *x = EsCreateGraphInput(&a, 0);
  EsCGraphBuilder b(std::move(a));
  EXPECT_EQ(EsGetOwnerBuilder(x), &b);
  EXPECT_EQ(EsCreateGraphInput(&a, 1), nullptr) << "there is nothing left of it";
  EXPECT_NE(std::string(GeLastErrorMessage()).find("graph is not a valid handle"), std::string::npos)
      << GeLastErrorMessage();
  EXPECT_EQ(a.GetGraph(), nullptr);
  EsCGraphBuilder c("other");
  c = std::move(b);
  EXPECT_EQ(EsGetOwnerBuilder(x), &c);
  EsCTensorHolder *y = EsRelu(x);
  ASSERT_NE(y, nullptr);
  ASSERT_EQ(EsSetGraphOutput(y, 0), 0u);
  std::unique_ptr<ge::Graph> graph = c.BuildGraphAndReset();
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(NameOf(*graph), "moved");
}

TEST(OwnBuilder, ThroughWrappersAndResources) {
  int destroyed = 0;
  {
    EsCGraphBuilder b("mine");
    std::unique_ptr<int> counter(&destroyed);  // whose deleter below does not free it
    ASSERT_NE(b.AddResource<int>(std::move(counter), [](void *object) { ++*static_cast<int *>(object); }), nullptr);
    ge::es::EsTensorHolder x = EsCreateGraphInput(&b, 0);
    ge::es::EsTensorHolder y = x * ge::es::Cast(x, ge::DT_FLOAT);
    EXPECT_NE(y.GetCTensorHolder(), nullptr);
    EXPECT_EQ(ge::es::ResolveBuilder(y), &b);
    EXPECT_EQ(destroyed, 0);
  }
  EXPECT_EQ(destroyed, 1);
}

TEST(OwnHolder, StandsForAnOutput) {
  EsCGraphBuilder b("mine");
  EsCTensorHolder *x = EsCreateGraphInput(&b, 0);
  ge::GNode node = x->GetProducer();
  {
    EsCTensorHolder mine(b, node, 0);
    EXPECT_EQ(mine.GetOutIndex(), 0);
    EXPECT_EQ(&mine.GetOwnerBuilder(), &b);
    EXPECT_EQ(mine.GetProducer().handle(), node.handle());
    EXPECT_EQ(mine.SetDataType(ge::DT_INT8), ge::SUCCESS);
    EXPECT_EQ(mine.SetShape(ge::Shape({2, 3})), ge::SUCCESS);
    EXPECT_EQ(mine.SetStorageShape(ge::Shape({6})), ge::SUCCESS);
    EXPECT_EQ(mine.SetOriginFormat(ge::FORMAT_NHWC), ge::SUCCESS);
    EsCTensorHolder moved(std::move(mine));
    EXPECT_EQ(EsRelu(&mine), nullptr);
    EXPECT_EQ(mine.GetProducer().handle(), nullptr);
    ASSERT_NE(EsRelu(&moved), nullptr);
    ASSERT_EQ(b.SetGraphOutput(&moved, 0), ge::SUCCESS);
  }
  ge::TensorDesc desc;
  ASSERT_EQ(node.GetOutputDesc(0, desc), ge::GRAPH_SUCCESS);
  EXPECT_EQ(desc.GetDataType(), ge::DT_INT8);
  EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{6}));
  EXPECT_EQ(desc.GetOriginShape().GetDims(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(desc.GetOriginFormat(), ge::FORMAT_NHWC);
  // What it was made an output of stays one when it is gone.
  std::unique_ptr<ge::Graph> graph = b.BuildGraphAndReset();
  ASSERT_NE(graph, nullptr);

  EsCGraphBuilder other("other");
  EsCTensorHolder foreign(other, node, 0), beyond(b, node, 5);
  EXPECT_EQ(EsRelu(&foreign), nullptr) << "the node is of another builder's graph";
  EXPECT_EQ(EsRelu(&beyond), nullptr) << "the node has one output";
}

TEST(OwnHolder, EndsAfterItsBuilder) {
  auto b = std::make_unique<EsCGraphBuilder>("short");
  EsCTensorHolder *x = EsCreateGraphInput(b.get(), 0);
  EsCTensorHolder mine(*b, x->GetProducer(), 0);
  b.reset();
}

// A handle that is none: the message says which argument of which function.
TEST(Handles, WrongOnesAreNamed) {
  EsCGraphBuilder gone("gone");
  EsCGraphBuilder taken(std::move(gone));
  auto said = [](const char *part) { return std::string(GeLastErrorMessage()).find(part) != std::string::npos; };
  EXPECT_EQ(EsCreateVariable(&gone, 0, "v"), nullptr);
  EXPECT_TRUE(said("EsCreateVariable: graph is not a valid handle")) << GeLastErrorMessage();
  char name[8];
  EXPECT_NE(GeEsBuilderNextName(&gone, "Add", name, sizeof name), GE_SUCCESS);
  EXPECT_TRUE(said("GeEsBuilderNextName: builder is not a valid handle")) << GeLastErrorMessage();
  GeGraph *graph = nullptr;
  ASSERT_EQ(GeGraphCreate("g", &graph), GE_SUCCESS);
  EXPECT_EQ(EsBuildGraphAndReset(reinterpret_cast<EsCGraphBuilder *>(graph)), nullptr);
  EXPECT_TRUE(said("EsBuildGraphAndReset: graph is a handle of another kind: a graph")) << GeLastErrorMessage();
  GeGraphDestroy(graph);
  EsCTensorHolder *x = EsCreateGraphInput(&taken, 0);
  EsCTensorHolder *sources[] = {x, nullptr};
  EXPECT_NE(EsAddControlEdge(EsRelu(x), sources, 2), 0u);
  EXPECT_TRUE(said("src_ctrl_tensors[1] is null")) << GeLastErrorMessage();
}

}  // namespace
