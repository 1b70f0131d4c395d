// Descriptions that a program sets on input ports are those of a moment: what is known of the producer counts.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "es_all_ops.h"
#include "ge/ge_api.h"
#include "register_custom_pass.h"

namespace ge::input_descs {
namespace {

using Map = std::map<AscendString, AscendString>;

CustomPassStage stage = CustomPassStage::kBeforeInferShape;
bool wanted = false;

std::string TypeOf(const GNode &node) {
  AscendString type;
  (void)node.GetType(type);
  return type.GetString();
}

/// A pass that replaces each Neg by the sum of its input and a new constant, and describes the ports of the sum as what
/// they are not, as passes do that copy the description of another port.
Status AddConstant(GraphPtr &graph, CustomPassContext &) {
  if (!wanted) return SUCCESS;
  for (GNode &node : graph->GetDirectNode()) {
    if (TypeOf(node) != "Neg") continue;
    const int64_t values[] = {10, 20, 30};
    Operator constant = OperatorFactory::CreateOperator("added", "Const");
    constant.SetAttr("value", Tensor(TensorDesc(Shape({3}), FORMAT_ND, DT_INT64),
                                     reinterpret_cast<const uint8_t *>(values), sizeof values));
    GNode made = graph->AddNodeByOp(constant), sum = graph->AddNodeByOp(OperatorFactory::CreateOperator("sum", "Sub"));
    const TensorDesc wrong(Shape({7, 7}), FORMAT_NHWC, DT_FLOAT16);
    if (sum.UpdateInputDesc(0, wrong) != GRAPH_SUCCESS || sum.UpdateInputDesc(1, wrong) != GRAPH_SUCCESS) return FAILED;
    auto [source, port] = node.GetInDataNodesAndPortIndexs(0);
    if (graph->AddDataEdge(*source, port, sum, 0) != GRAPH_SUCCESS) return FAILED;
    if (graph->AddDataEdge(made, 0, sum, 1) != GRAPH_SUCCESS) return FAILED;
    for (auto &[reader, reader_port] : node.GetOutDataNodesAndPortIndexs(0)) {
      if (graph->RemoveEdge(node, 0, *reader, reader_port) != GRAPH_SUCCESS) return FAILED;
      if (graph->AddDataEdge(sum, 0, *reader, reader_port) != GRAPH_SUCCESS) return FAILED;
    }
    if (graph->RemoveNode(node) != GRAPH_SUCCESS) return FAILED;
  }
  return SUCCESS;
}

template <CustomPassStage kStage>
Status At(GraphPtr &graph, CustomPassContext &context) {
  return stage == kStage ? AddConstant(graph, context) : SUCCESS;
}
REGISTER_CUSTOM_PASS("input_descs early")
    .CustomPassFn(At<CustomPassStage::kBeforeInferShape>)
    .Stage(CustomPassStage::kBeforeInferShape);
REGISTER_CUSTOM_PASS("input_descs inferred")
    .CustomPassFn(At<CustomPassStage::kAfterInferShape>)
    .Stage(CustomPassStage::kAfterInferShape);
REGISTER_CUSTOM_PASS("input_descs late")
    .CustomPassFn(At<CustomPassStage::kAfterBuiltinFusionPass>)
    .Stage(CustomPassStage::kAfterBuiltinFusionPass);

class InputDescsTest : public testing::TestWithParam<CustomPassStage> {
 protected:
  void SetUp() override { ASSERT_EQ(GEInitialize(Map{}), SUCCESS); }
  void TearDown() override {
    wanted = false;
    EXPECT_EQ(GEFinalize(), SUCCESS);
  }
};

TEST_P(InputDescsTest, AConstantThatAPassAddsIsReadWithItsOwnType) {
  es::EsGraphBuilder b("rewritten");
  auto graph = b.BuildAndReset({es::Abs(es::Neg(b.CreateInput(0, "x", DT_INT64, FORMAT_ND, {2, 3})))});
  wanted = true;
  stage = GetParam();
  Session session(Map{});
  ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
  const int64_t x[] = {1, 2, 3, 40, 50, 60};
  std::vector<Tensor> outputs;
  const Tensor input(TensorDesc(Shape({2, 3}), FORMAT_ND, DT_INT64), reinterpret_cast<const uint8_t *>(x), sizeof x);
  ASSERT_EQ(session.RunGraph(1, {input}, outputs), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(outputs.at(0).GetTensorDesc().GetDataType(), DT_INT64);
  ASSERT_EQ(outputs[0].GetSize(), sizeof x);
  int64_t got[6];
  std::memcpy(got, outputs[0].GetData(), sizeof got);
  EXPECT_EQ(std::vector<int64_t>(got, got + 6), (std::vector<int64_t>{9, 18, 27, 30, 30, 30}));
}
INSTANTIATE_TEST_SUITE_P(Stages, InputDescsTest,
                         testing::Values(CustomPassStage::kBeforeInferShape, CustomPassStage::kAfterInferShape,
                                         CustomPassStage::kAfterBuiltinFusionPass));

TEST(InputDescs, AreWhatInferenceSaysOfTheProducer) {
  es::EsGraphBuilder b("described");
  auto sum =
      es::Sub(b.CreateInput(0, "x", DT_INT64, FORMAT_ND, {2, 3}), b.CreateVector(std::vector<int64_t>{10, 20, 30}));
  GNode node = *sum.GetProducer();
  const TensorDesc wrong(Shape({7, 7}), FORMAT_ND, DT_FLOAT16);
  ASSERT_EQ(node.UpdateInputDesc(0, wrong), GRAPH_SUCCESS);
  ASSERT_EQ(node.UpdateInputDesc(1, wrong), GRAPH_SUCCESS);
  auto graph = b.BuildAndReset({sum});
  ASSERT_EQ(GeGraphInfer(graph->handle(), nullptr, 0), GE_SUCCESS) << GeLastErrorMessage();
  const std::vector<int64_t> dims[] = {{2, 3}, {3}};
  for (int32_t i = 0; i < 2; ++i) {
    TensorDesc desc;
    ASSERT_EQ(node.GetInputDesc(i, desc), GRAPH_SUCCESS);
    EXPECT_EQ(desc.GetDataType(), DT_INT64) << i;
    EXPECT_EQ(desc.GetShape().GetDims(), dims[i]) << i;
  }
  TensorDesc y;
  ASSERT_EQ(node.GetOutputDesc(0, y), GRAPH_SUCCESS);
  EXPECT_EQ(y.GetDataType(), DT_INT64);
}

// A session compiles a copy of the graph.
TEST(InputDescs, AreThoseOfTheProducerInCopies) {
  ASSERT_EQ(GEInitialize(Map{}), SUCCESS);
  {
    es::EsGraphBuilder b("copied");
    auto sum = es::Sub(b.CreateInput(0, "x", DT_INT64, FORMAT_ND, {2}), b.CreateVector(std::vector<int64_t>{10, 20}));
    ASSERT_EQ(sum.GetProducer()->UpdateInputDesc(1, TensorDesc(Shape({7}), FORMAT_ND, DT_FLOAT16)), GRAPH_SUCCESS);
    auto graph = b.BuildAndReset({sum});
    Session session(Map{});
    ASSERT_EQ(session.AddGraphWithCopy(1, *graph), SUCCESS);
    const int64_t x[] = {1, 2};
    std::vector<Tensor> outputs;
    const Tensor input(TensorDesc(Shape({2}), FORMAT_ND, DT_INT64), reinterpret_cast<const uint8_t *>(x), sizeof x);
    ASSERT_EQ(session.RunGraph(1, {input}, outputs), SUCCESS) << GeLastErrorMessage();
    int64_t got[2];
    ASSERT_EQ(outputs.at(0).GetSize(), sizeof got);
    std::memcpy(got, outputs[0].GetData(), sizeof got);
    EXPECT_EQ(std::vector<int64_t>(got, got + 2), (std::vector<int64_t>{-9, -18}));
  }
  EXPECT_EQ(GEFinalize(), SUCCESS);
}

}  // namespace
}  // namespace ge::input_descs
