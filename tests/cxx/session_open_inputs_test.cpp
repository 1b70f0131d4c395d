// Inputs whose type, format and shape a graph leaves to its runs: every way to run and to compile.
#include <gtest/gtest.h>

#include <cstring>
#include <future>
#include <numeric>
#include <string>

#include "es_all_ops.h"
#include "ge/ge_api.h"
#include "ge/ge_api_v2.h"

namespace ge {
namespace {

using Map = std::map<AscendString, AscendString>;

std::unique_ptr<Graph> Negated() {
  es::EsGraphBuilder b("negated");
  return b.BuildAndReset({es::Neg(b.CreateInput(0))});
}

template <class T>
Tensor TensorOf(const std::vector<int64_t> &dims, DataType type) {
  std::vector<T> values(static_cast<size_t>(Shape(dims).GetShapeSize()));
  std::iota(values.begin(), values.end(), T(1));
  return Tensor(TensorDesc(Shape(dims), FORMAT_ND, type), reinterpret_cast<const uint8_t *>(values.data()),
                values.size() * sizeof(T));
}

template <class T>
void ExpectNegated(const std::vector<Tensor> &outputs, const std::vector<int64_t> &dims, DataType type) {
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].GetTensorDesc().GetShape().GetDims(), dims);
  EXPECT_EQ(outputs[0].GetTensorDesc().GetDataType(), type);
  std::vector<T> values(outputs[0].GetSize() / sizeof(T));
  ASSERT_EQ(values.size(), static_cast<size_t>(Shape(dims).GetShapeSize()));
  std::memcpy(values.data(), outputs[0].GetData(), outputs[0].GetSize());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], -static_cast<T>(i + 1)) << i;
}

class OpenInputsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(GEInitialize(Map{}), SUCCESS); }
  void TearDown() override { EXPECT_EQ(GEFinalize(), SUCCESS); }
};

TEST_F(OpenInputsTest, EachRunDescribesThem) {
  Session session(Map{});
  ASSERT_EQ(session.AddGraph(1, *Negated()), SUCCESS);
  std::vector<Tensor> outputs;
  ASSERT_EQ(session.RunGraph(1, {TensorOf<int32_t>({2, 3}, DT_INT32)}, outputs), SUCCESS) << GeLastErrorMessage();
  ExpectNegated<int32_t>(outputs, {2, 3}, DT_INT32);
  ASSERT_EQ(session.RunGraph(1, {TensorOf<int32_t>({5, 3}, DT_INT32)}, outputs), SUCCESS) << GeLastErrorMessage();
  ExpectNegated<int32_t>(outputs, {5, 3}, DT_INT32);
  ASSERT_EQ(session.RunGraph(1, {TensorOf<float>({4}, DT_FLOAT)}, outputs), SUCCESS) << GeLastErrorMessage();
  ExpectNegated<float>(outputs, {4}, DT_FLOAT);
}

TEST_F(OpenInputsTest, QueuedRunsDescribeThem) {
  Session session(Map{});
  ASSERT_EQ(session.AddGraph(1, *Negated()), SUCCESS);
  std::promise<std::vector<Tensor>> first, second;
  const auto tell = [](std::promise<std::vector<Tensor>> &to) {
    return [&to](Status status, std::vector<Tensor> &outputs) {
      EXPECT_EQ(status, SUCCESS) << GeLastErrorMessage();
      to.set_value(outputs);
    };
  };
  ASSERT_EQ(session.RunGraphAsync(1, {TensorOf<int64_t>({3}, DT_INT64)}, tell(first)), SUCCESS);
  ASSERT_EQ(session.RunGraphAsync(1, {TensorOf<float>({1, 2, 2}, DT_FLOAT)}, tell(second)), SUCCESS);
  ExpectNegated<int64_t>(first.get_future().get(), {3}, DT_INT64);
  ExpectNegated<float>(second.get_future().get(), {1, 2, 2}, DT_FLOAT);
}

TEST_F(OpenInputsTest, ACompileWithInputsDescribesThem) {
  GeSession session(Map{});
  ASSERT_EQ(session.AddGraph(1, *Negated()), SUCCESS);
  ASSERT_EQ(session.CompileGraph(1, {TensorOf<int32_t>({2, 2}, DT_INT32)}), SUCCESS) << GeLastErrorMessage();
  std::vector<Shape> shapes;
  ASSERT_EQ(session.GetCompiledGraphSummary(1)->GetOutputShapes(shapes), SUCCESS);
  EXPECT_EQ(shapes.at(0).GetDims(), (std::vector<int64_t>{2, 2}));
}

TEST_F(OpenInputsTest, ACompileWithoutInputsLeavesThemToTheRuns) {
  GeSession session(Map{});
  ASSERT_EQ(session.AddGraph(1, *Negated()), SUCCESS);
  ASSERT_EQ(session.CompileGraph(1), SUCCESS) << GeLastErrorMessage();
  std::vector<int32_t> memory{1, 2, 3};
  std::vector<gert::Tensor> inputs, outputs;
  inputs.emplace_back(gert::StorageShape({3}, {3}), gert::StorageFormat(FORMAT_ND, FORMAT_ND, {}), gert::kOnHost,
                      DT_INT32, memory.data());
  ASSERT_EQ(session.RunGraph(1, inputs, outputs), SUCCESS) << GeLastErrorMessage();
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].GetDataType(), DT_INT32);
  EXPECT_EQ(outputs[0].GetData<int32_t>()[2], -3);
}

TEST_F(OpenInputsTest, WhatAGraphStatesIsChecked) {
  es::EsGraphBuilder b("stated");
  const auto graph = b.BuildAndReset({es::Neg(b.CreateInput(0, "x", DT_INT32, FORMAT_ND, {2, -1}))});
  Session session(Map{});
  ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
  std::vector<Tensor> outputs;
  EXPECT_EQ(session.RunGraph(1, {TensorOf<float>({2, 3}, DT_FLOAT)}, outputs), FAILED);
  const std::string type = GeLastErrorMessage();
  EXPECT_TRUE(type.find("'x'") != type.npos && type.find("DT_FLOAT") != type.npos && type.find("DT_INT32") != type.npos)
      << type;
  EXPECT_EQ(session.RunGraph(1, {TensorOf<int32_t>({3, 3}, DT_INT32)}, outputs), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("'x'"), std::string::npos) << GeLastErrorMessage();
  EXPECT_EQ(session.RunGraph(1, {TensorOf<int32_t>({2, 3}, DT_INT32)}, outputs), SUCCESS) << GeLastErrorMessage();
}

TEST_F(OpenInputsTest, TheNumberOfTensorsIsCheckedBeforeAnythingIsCompiled) {
  es::EsGraphBuilder b("two");
  const auto graph = b.BuildAndReset({es::Sub(b.CreateInput(0, "left"), b.CreateInput(1, "right"))});
  Session session(Map{});
  ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
  const Tensor x = TensorOf<int32_t>({2, 3}, DT_INT32);
  std::vector<Tensor> outputs;
  EXPECT_EQ(session.RunGraph(1, {x}, outputs), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("the graph has 2 inputs (left, right), 1 were given"),
            std::string::npos)
      << GeLastErrorMessage();
  EXPECT_EQ(session.RunGraph(1, {x, x, x}, outputs), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("3 were given"), std::string::npos) << GeLastErrorMessage();
  EXPECT_EQ(session.RunGraph(1, {x, x}, outputs), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(session.RunGraph(1, {x}, outputs), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("1 were given"), std::string::npos) << GeLastErrorMessage();

  GeSession other(Map{});
  ASSERT_EQ(other.AddGraph(1, *Negated()), SUCCESS);
  EXPECT_NE(other.CompileGraph(1, {x, x, x}), SUCCESS);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("3 tensors are given, the graph has 1 inputs"), std::string::npos)
      << GeLastErrorMessage();
}

TEST_F(OpenInputsTest, ATypeThatSaysNothingNamesTheInput) {
  Session session(Map{});
  ASSERT_EQ(session.AddGraph(1, *Negated()), SUCCESS);
  std::vector<Tensor> outputs;
  EXPECT_EQ(session.RunGraph(1, {Tensor(TensorDesc(Shape({1}), FORMAT_ND, DT_STRING))}, outputs), FAILED);
  const std::string told = GeLastErrorMessage();
  EXPECT_NE(told.find("input 0 ('"), std::string::npos) << told;
  EXPECT_NE(told.find("DT_STRING"), std::string::npos) << told;
  InputTensorInfo info{};
  info.data_type = 99;
  info.dims = {2};
  EXPECT_NE(session.BuildGraph(1, {info}), SUCCESS);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("tensor '0': data type 99"), std::string::npos)
      << GeLastErrorMessage();
}

}  // namespace
}  // namespace ge
