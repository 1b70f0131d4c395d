// Sessions: compile and run by id, with ge::Tensor and with gert::Tensor.
#include <gtest/gtest.h>

#include <cstring>
#include <future>

#include "es_all_ops.h"
#include "ge/ge_api.h"
#include "ge/ge_api_v2.h"

namespace ge {
namespace {

std::unique_ptr<Graph> Affine() {  // y = relu(x * 2 - 3)
  es::EsGraphBuilder g("affine");
  auto x = g.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {4});
  return g.BuildAndReset({es::Relu(es::Sub(es::Mul(x, 2.0f), 3.0f))});
}

Tensor Floats(const std::vector<float> &values) {
  TensorDesc desc(Shape({static_cast<int64_t>(values.size())}), FORMAT_ND, DT_FLOAT);
  return Tensor(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float));
}

std::vector<float> Values(const uint8_t *data, size_t bytes) {
  std::vector<float> out(bytes / sizeof(float));
  std::memcpy(out.data(), data, bytes);
  return out;
}

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(GEInitialize(std::map<AscendString, AscendString>{{"ge.exec.deviceId", "0"}}), SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(GEFinalize(), SUCCESS); }
  const std::vector<float> input_ = {0, 1, 2, 3}, expected_ = {0, 0, 1, 3};
};

TEST_F(SessionTest, RunsByIdAndRefusesMixedModes) {
  Session session(std::map<AscendString, AscendString>{});
  auto graph = Affine();
  ASSERT_EQ(session.AddGraph(7, *graph), SUCCESS);
  EXPECT_EQ(session.AddGraph(7, *graph), SUCCESS);  // the first one stays
  EXPECT_TRUE(session.IsGraphNeedRebuild(7));
  std::vector<Tensor> outputs;
  ASSERT_EQ(session.RunGraph(7, {Floats(input_)}, outputs), SUCCESS) << GeLastErrorMessage();
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(Values(outputs[0].GetData(), outputs[0].GetSize()), expected_);
  EXPECT_FALSE(session.IsGraphNeedRebuild(7));
  EXPECT_EQ(session.RunGraphAsync(7, {Floats(input_)}, nullptr), UNSUPPORTED);
  EXPECT_EQ(session.RunGraph(8, {Floats(input_)}, outputs), FAILED);
  EXPECT_EQ(session.RunGraph(7, {}, outputs), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("x"), std::string::npos);
  EXPECT_EQ(session.RemoveGraph(7), SUCCESS);
  EXPECT_EQ(session.RemoveGraph(7), FAILED);
}

TEST_F(SessionTest, AsynchronousRunsCallBack) {
  Session session(std::map<AscendString, AscendString>{});
  ASSERT_EQ(session.AddGraph(1, *Affine()), SUCCESS);
  std::promise<std::vector<float>> done;
  ASSERT_EQ(session.RunGraphAsync(1, {Floats(input_)},
                                  [&](Status status, std::vector<Tensor> &outputs) {
                                    EXPECT_EQ(status, SUCCESS);
                                    done.set_value(Values(outputs.at(0).GetData(), outputs.at(0).GetSize()));
                                  }),
            SUCCESS);
  EXPECT_EQ(done.get_future().get(), expected_);
}

TEST_F(SessionTest, GeSessionTakesRunTimeTensors) {
  GeSession session({});
  ASSERT_EQ(session.AddGraph(3, *Affine()), SUCCESS);
  ASSERT_EQ(session.CompileGraph(3), SUCCESS) << GeLastErrorMessage();
  std::vector<float> memory = input_;
  std::vector<gert::Tensor> inputs, outputs;
  inputs.emplace_back(gert::StorageShape({4}, {4}), gert::StorageFormat(FORMAT_ND, FORMAT_ND, {}), gert::kOnHost,
                      DT_FLOAT, memory.data());
  ASSERT_EQ(session.RunGraph(3, inputs, outputs), SUCCESS) << GeLastErrorMessage();
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].GetStorageShape(), gert::Shape({4}));
  EXPECT_EQ(Values(outputs[0].GetData<uint8_t>(), outputs[0].GetSize()), expected_);
}

TEST(SessionWithoutStart, EveryCallFails) {
  GeSession session({});
  EXPECT_EQ(session.AddGraph(1, *Affine()), FAILED);
  EXPECT_EQ(session.CompileGraph(1), FAILED);
}

TEST(Initialize, RefusesAnEmptyKey) {
  EXPECT_NE(GEInitialize(std::map<AscendString, AscendString>{{"", "1"}}), SUCCESS);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("E10059"), std::string::npos);
}

}  // namespace
}  // namespace ge
