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
bool promotes = false;  // a product with floats in place of a difference of integers

std::string TypeOf(const GNode &node) {
  AscendString type;
  (void)node.GetType(type);
  return type.GetString();
}

template <class T>
Tensor Values(DataType type, const T (&values)[3]) {
  return Tensor(TensorDesc(Shape({3}), FORMAT_ND, type), reinterpret_cast<const uint8_t *>(values), sizeof values);
}

/// A pass that replaces each Neg by its input and a new constant, put together, and describes the ports of the new node
/// as what they are not, as passes do that copy the description of another port.
Status AddConstant(GraphPtr &graph, CustomPassContext &) {
  if (!wanted) return SUCCESS;
  for (GNode &node : graph->GetDirectNode()) {
    if (TypeOf(node) != "Neg") continue;
    Operator constant = OperatorFactory::CreateOperator("added", "Const");
    constant.SetAttr("value",
                     promotes ? Values<float>(DT_FLOAT, {0.5f, 1.5f, 2.5f}) : Values<int64_t>(DT_INT64, {10, 20, 30}));
    GNode made = graph->AddNodeByOp(constant),
          sum = graph->AddNodeByOp(OperatorFactory::CreateOperator("sum", promotes ? "Mul" : "Sub"));
    const TensorDesc wrong(Shape({7, 7}), FORMAT_NHWC, promotes ? DT_INT8 : DT_FLOAT16);
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

DataType seen = DT_UNDEFINED;
/// What the port of a Data says.
Status Look(GraphPtr &graph, CustomPassContext &) {
  for (GNode &node : graph->GetDirectNode()) {
    TensorDesc desc;
    if (TypeOf(node) == "Data" && node.GetInputDesc(0, desc) == GRAPH_SUCCESS) seen = desc.GetDataType();
  }
  return SUCCESS;
}
REGISTER_CUSTOM_PASS("input_descs look").CustomPassFn(Look).Stage(CustomPassStage::kBeforeInferShape);

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
    wanted = promotes = false;
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
TEST_P(InputDescsTest, TypesOfWhatAPassAddsPromote) {
  es::EsGraphBuilder b("promoted");
  auto graph = b.BuildAndReset({es::Abs(es::Neg(b.CreateInput(0, "x", DT_INT64, FORMAT_ND, {3})))});
  wanted = promotes = true;
  stage = GetParam();
  Session session(Map{});
  ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
  std::vector<Tensor> outputs;
  ASSERT_EQ(session.RunGraph(1, {Values<int64_t>(DT_INT64, {1, -2, 3})}, outputs), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(outputs.at(0).GetTensorDesc().GetDataType(), DT_FLOAT);
  float got[3];
  ASSERT_EQ(outputs[0].GetSize(), sizeof got);
  std::memcpy(got, outputs[0].GetData(), sizeof got);
  EXPECT_EQ(std::vector<float>(got, got + 3), (std::vector<float>{0.5f, 3, 7.5f}));
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

TEST(InputDescs, OfAnOpenDataAreThoseOfTheRun) {
  ASSERT_EQ(GEInitialize(Map{}), SUCCESS);
  {
    es::EsGraphBuilder b("open");
    auto graph = b.BuildAndReset({es::Neg(b.CreateInput(0))});
    Session session(Map{});
    ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
    std::vector<Tensor> outputs;
    ASSERT_EQ(session.RunGraph(1, {Values<int64_t>(DT_INT64, {1, -2, 3})}, outputs), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(seen, DT_INT64);
  }
  EXPECT_EQ(GEFinalize(), SUCCESS);
}

}  // namespace
}  // namespace ge::input_descs
