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

TEST_F(SessionTest, ARefusedDescriptionIsNamedWhenTheTensorIsFed) {
  Session session(std::map<AscendString, AscendString>{});
  ASSERT_EQ(session.AddGraph(1, *Affine()), SUCCESS);
  std::vector<Tensor> outputs;
  Tensor tensor(TensorDesc(Shape({1, 3, -4, 4}), FORMAT_ND, DT_FLOAT), std::vector<uint8_t>(16));
  EXPECT_EQ(session.RunGraph(1, {tensor}, outputs), FAILED);
  const std::string message = GeLastErrorMessage();
  EXPECT_NE(message.find("'x'"), std::string::npos) << message;
  EXPECT_NE(message.find("dimension 2 is -4"), std::string::npos) << message;
  // A description that fits makes the same tensor usable.
  ASSERT_EQ(tensor.SetTensorDesc(TensorDesc(Shape({4}), FORMAT_ND, DT_FLOAT)), SUCCESS);
  EXPECT_EQ(session.RunGraph(1, {tensor}, outputs), SUCCESS) << GeLastErrorMessage();
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

// What the caller brings is written to: programs for a device read their own memory afterwards.
TEST_F(SessionTest, RunsOnAStreamIntoTheCallersMemory) {
  int stream = 0;
  Session session(std::map<AscendString, AscendString>{});
  ASSERT_EQ(session.AddGraph(1, *Affine()), SUCCESS);
  ASSERT_EQ(session.CompileGraph(1), SUCCESS);
  std::vector<float> in = input_, out(4, -1.0f);
  TensorDesc desc(Shape({4}), FORMAT_ND, DT_FLOAT);
  auto borrowed = [&](std::vector<float> &values) {
    Tensor tensor(desc);
    EXPECT_EQ(tensor.SetData(reinterpret_cast<uint8_t *>(values.data()), values.size() * 4, [](uint8_t *) {}),
              GRAPH_SUCCESS);
    EXPECT_EQ(tensor.SetPlacement(kPlacementDevice), GRAPH_SUCCESS);
    return tensor;
  };
  std::vector<Tensor> outputs = {borrowed(out)};
  ASSERT_EQ(session.RunGraphWithStreamAsync(1, &stream, {borrowed(in)}, outputs), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(out, expected_);
  EXPECT_EQ(outputs[0].GetPlacement(), kPlacementHost);
  std::vector<float> small(3);
  outputs = {borrowed(small)};
  EXPECT_EQ(session.RunGraphWithStreamAsync(1, &stream, {borrowed(in)}, outputs), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("16 are needed, 12 given"), std::string::npos)
      << GeLastErrorMessage();
  outputs = {borrowed(out), borrowed(out)};
  EXPECT_EQ(session.RunGraphWithStreamAsync(1, &stream, {borrowed(in)}, outputs), FAILED);

  std::vector<float> again(4, -1.0f);
  gert::StorageFormat format(FORMAT_ND, FORMAT_ND, {});
  std::vector<gert::Tensor> given, results;
  given.emplace_back(gert::StorageShape({4}, {4}), format, gert::kOnDeviceHbm, DT_FLOAT, in.data());
  results.emplace_back(gert::StorageShape({4}, {4}), format, gert::kOnDeviceHbm, DT_FLOAT, again.data());
  ASSERT_EQ(session.ExecuteGraphWithStreamAsync(1, &stream, given, results), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(again, expected_);
  EXPECT_EQ(results[0].GetPlacement(), gert::kOnHost) << "results say where they are";
  EXPECT_EQ(given[0].GetPlacement(), gert::kOnDeviceHbm) << "a program's own label stays";
}

class CountingAllocator : public Allocator {
 public:
  MemBlock *Malloc(size_t size) override {
    ++existing;
    ++made;
    return new MemBlock(*this, std::malloc(size), size);
  }
  void Free(MemBlock *block) override {
    --existing;
    std::free(block->GetAddr());
    delete block;
  }
  int existing = 0, made = 0;
};

TEST_F(SessionTest, AnAllocatorGivesAStreamItsOutputs) {
  int stream = 0;
  auto allocator = std::make_shared<CountingAllocator>();
  {
    GeSession session(std::map<AscendString, AscendString>{});
    ASSERT_EQ(session.AddGraph(1, *Affine()), SUCCESS);
    EXPECT_EQ(session.RegisterExternalAllocator(nullptr, allocator), FAILED);
    EXPECT_EQ(session.RegisterExternalAllocator(&stream, nullptr), FAILED);
    EXPECT_EQ(session.UnregisterExternalAllocator(&stream), FAILED);
    ASSERT_EQ(session.RegisterExternalAllocator(&stream, allocator), SUCCESS);
    std::vector<float> in = input_;
    std::vector<gert::Tensor> given, results;
    given.emplace_back(gert::StorageShape({4}, {4}), gert::StorageFormat(FORMAT_ND, FORMAT_ND, {}), gert::kOnHost,
                       DT_FLOAT, in.data());
    ASSERT_EQ(session.RunGraphWithStreamAsync(1, &stream, given, results), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(allocator->existing, 1);
    EXPECT_EQ(Values(results[0].GetData<uint8_t>(), results[0].GetSize()), expected_);
    results.clear();
    EXPECT_EQ(allocator->existing, 0);
    ASSERT_EQ(session.UnregisterExternalAllocator(&stream), SUCCESS);
    ASSERT_EQ(session.RunGraphWithStreamAsync(1, &stream, given, results), SUCCESS);
    EXPECT_EQ(allocator->made, 1);
    AscendString json;
    EXPECT_EQ(session.GraphDebugJSONPrint(1, 0, json), SUCCESS);
    EXPECT_NE(std::string(json.GetString()).find("\"placement\""), std::string::npos);
    EXPECT_EQ(session.GraphDebugJSONPrint(1, 1, json), FAILED);
  }
  EXPECT_EQ(allocator->existing, 0);
}

TEST_F(SessionTest, CompilesForTheShapesGiven) {
  GeSession session(std::map<AscendString, AscendString>{});
  es::EsGraphBuilder b("open");
  auto graph = b.BuildAndReset({es::Relu(b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {-1, -1}))});
  ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
  EXPECT_EQ(session.CompileGraph(1, std::vector<Tensor>(1, Tensor(TensorDesc(Shape({2, 3}))))), SUCCESS)
      << GeLastErrorMessage();
  std::vector<Shape> shapes;
  CompiledGraphSummaryPtr summary = session.GetCompiledGraphSummary(1);
  ASSERT_NE(summary, nullptr);
  EXPECT_TRUE(summary->IsStatic());
  EXPECT_EQ(summary->GetOutputShapes(shapes), SUCCESS);
  EXPECT_EQ(shapes[0].GetDims(), (std::vector<int64_t>{2, 3}));
  TensorDesc desc;
  ASSERT_EQ(graph->FindNodeByName("x")->GetOutputDesc(0, desc), GRAPH_SUCCESS);
  EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{-1, -1})) << "the caller's graph stays as it is";
  ASSERT_EQ(session.AddGraph(2, *graph), SUCCESS);
  EXPECT_EQ(session.CompileGraph(2, std::vector<Tensor>(1, Tensor(TensorDesc(Shape({2}), FORMAT_ND, DT_RESOURCE)))),
            FAILED);

  Session first(std::map<AscendString, AscendString>{});
  ASSERT_EQ(first.AddGraph(1, *graph), SUCCESS);
  InputTensorInfo info{DT_FLOAT, {1, 4}, nullptr, 0};
  EXPECT_EQ(first.BuildGraph(1, {info}), SUCCESS);
  std::vector<Tensor> outputs;
  Tensor tensor(TensorDesc(Shape({1, 4})), reinterpret_cast<const uint8_t *>(input_.data()), 16);
  EXPECT_EQ(first.RunGraph(1, {tensor}, outputs), SUCCESS) << GeLastErrorMessage();
}

// The caller's own graph is the one compiled, except by AddGraphWithCopy and AddGraphClone.
TEST_F(SessionTest, SeesWhatBecomesOfAGraphBeforeItIsCompiled) {
  Session session(std::map<AscendString, AscendString>{});
  auto graph = Affine();
  ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
  ASSERT_EQ(session.AddGraphWithCopy(2, *graph), SUCCESS);
  GNodePtr sub;
  for (GNode &node : graph->GetDirectNode()) {
    AscendString type;
    if (node.GetType(type) == GRAPH_SUCCESS && type == "Sub") sub = std::make_shared<GNode>(node);
  }
  ASSERT_NE(sub, nullptr);
  auto outputs_of = [&](uint32_t id) {
    std::vector<Tensor> outputs;
    EXPECT_EQ(session.RunGraph(id, {Floats(input_)}, outputs), SUCCESS) << GeLastErrorMessage();
    return outputs.empty() ? std::vector<float>() : Values(outputs[0].GetData(), outputs[0].GetSize());
  };
  // The output becomes what Sub gives, below zero too.
  ASSERT_EQ(graph->SetOutputs(std::vector<std::pair<GNode, int32_t>>{{*sub, 0}}), GRAPH_SUCCESS);
  EXPECT_EQ(outputs_of(1), (std::vector<float>{-3, -1, 1, 3}));
  EXPECT_EQ(outputs_of(2), expected_);
}

TEST_F(SessionTest, MessagesAreHandedOutOnce) {
  GeSession session(std::map<AscendString, AscendString>{});
  EXPECT_EQ(session.CompileGraph(5), FAILED);
  EXPECT_NE(GEGetErrorMsgV3().GetLength(), 0u);
  EXPECT_EQ(GEGetErrorMsg(), "");
}

TEST(SessionWithoutStart, EveryCallFails) {
  GeSession session({});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(session.AddGraph(1, *Affine()), FAILED);
    EXPECT_NE(GEGetErrorMsg().find("E10062"), std::string::npos);
  }
  EXPECT_EQ(session.CompileGraph(1), FAILED);
}

TEST(Initialize, RefusesAnEmptyKey) {
  EXPECT_NE(GEInitialize(std::map<AscendString, AscendString>{{"", "1"}}), SUCCESS);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("E10059"), std::string::npos);
}

TEST(Initialize, WarnsOfUnknownKeysUntilItIsAsked) {
  using Map = std::map<AscendString, AscendString>;
  (void)GEGetWarningMsg();
  EXPECT_EQ(GEInitialize(Map{{"no.such", "1"}, {"nor.this", "2"}, {"ge.exec.deviceId", "0"}}), SUCCESS);
  EXPECT_EQ(GEGetWarningMsg(),
            "unknown option 'no.such' is '1' and has no effect\nunknown option 'nor.this' is '2' and has no effect\n");
  EXPECT_EQ(GEGetWarningMsgV2(), AscendString(""));
  {
    Session session(Map{{"one.more", "1"}});
    Session again(Map{{"one.more", "1"}});  // told once
    EXPECT_EQ(GEGetWarningMsgV3(), AscendString("unknown option 'one.more' is '1' and has no effect\n"));
  }
  EXPECT_EQ(GEGetWarningMsg(), "");
  EXPECT_EQ(GEFinalize(), SUCCESS);
}

TEST(Initialize, ASecondStartKeepsTheFirstOptionsAndSaysSo) {
  using Map = std::map<AscendString, AscendString>;
  ASSERT_EQ(GEInitialize(Map{{"threads", "1"}}), SUCCESS);
  (void)GEGetWarningMsg();
  EXPECT_EQ(GEInitialize(Map{{"threads", "2"}}), SUCCESS);
  EXPECT_EQ(GEGetWarningMsg().find("GeInitialize: option threads is '2' and has no effect: "), 0u);
  EXPECT_EQ(GEInitialize(Map{{"ge.exec.enableDump", "1"}}), SUCCESS);
  EXPECT_NE(GEGetWarningMsg().find("option ge.exec.enableDump is '1', which is not supported"), std::string::npos);
  EXPECT_EQ(GEGetErrorMsg(), "");
  EXPECT_EQ(GEFinalize(), SUCCESS);
}

TEST(Initialize, OptionsWithoutAnEffectWarnOnceOrAreRefused) {
  using Map = std::map<AscendString, AscendString>;
  (void)GEGetWarningMsg();
  ASSERT_EQ(GEInitialize(Map{}), SUCCESS);
  Session warned(Map{{"ge.topoSortingMode", "3"}});
  const std::string told = GEGetWarningMsg();
  EXPECT_EQ(told.find("option ge.topoSortingMode is '3' and has no effect: "), 0u) << told;
  Session again(Map{{"ge.topoSortingMode", "2"}});
  EXPECT_EQ(GEGetWarningMsg(), "");
  ASSERT_EQ(GEFinalize(), SUCCESS);
  EXPECT_EQ(GEInitialize(Map{{"ge.exec.enableDump", "1"}}), FAILED);
  EXPECT_NE(GEGetErrorMsg().find("option ge.exec.enableDump is '1', which is not supported: "), std::string::npos);
  EXPECT_EQ(GEInitialize(Map{{"ge.exec.enableDump", "0"}}), SUCCESS);
  EXPECT_EQ(GEFinalize(), SUCCESS);
}

TEST_F(SessionTest, OrderOfCalls) {
  Session session(std::map<AscendString, AscendString>{});
  auto graph = Affine();
  ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
  std::vector<gert::Tensor> none, results;
  EXPECT_EQ(session.ExecuteGraphWithStreamAsync(1, nullptr, none, results), GE_GRAPH_NOT_BUILT);
  ASSERT_EQ(session.CompileGraph(1), SUCCESS);
  EXPECT_EQ(session.ExecuteGraphWithStreamAsync(1, nullptr, none, results), GE_GRAPH_NOT_BUILT);
  EXPECT_EQ(session.LoadGraph(1, {{"ge.exec.frozenInputIndexes", "0"}}, nullptr), FAILED);
  EXPECT_NE(GEGetErrorMsg().find("ge.exec.frozenInputIndexes is '0'"), std::string::npos);
  (void)GEGetWarningMsg();
  ASSERT_EQ(session.LoadGraph(1, {{"ge.exec.hostInputIndexes", "0"}}, nullptr), SUCCESS);
  EXPECT_EQ(GEGetWarningMsg(), "");
  ASSERT_EQ(session.LoadGraph(1, {{"max_plans", "3"}}, nullptr), SUCCESS);
  EXPECT_EQ(GEGetWarningMsg().find("LoadGraph: option max_plans is '3' and has no effect: "), 0u);
  EXPECT_EQ(session.ExecuteGraphWithStreamAsync(1, nullptr, none, results),
            FAILED);  // loaded, but its input is missing

  std::promise<Status> told;
  EXPECT_EQ(session.RunGraphAsync(1, {Floats(input_)}, [&](Status s, std::vector<Tensor> &) { told.set_value(s); }),
            UNSUPPORTED);
  EXPECT_EQ(told.get_future().get(), UNSUPPORTED);

  std::vector<Tensor> outputs;
  EXPECT_EQ(session.RunGraph(9, {Floats(input_)}, outputs), FAILED);
  EXPECT_NE(GEGetErrorMsg().find("E10062"), std::string::npos);
  EXPECT_EQ(session.RemoveGraph(9), FAILED);
  EXPECT_NE(GEGetErrorMsg().find("E10062"), std::string::npos);
}

TEST(Initialize, TheFirstOptionsCountAndLimitsHold) {
  using Map = std::map<AscendString, AscendString>;
  EXPECT_EQ(GEInitialize(Map{{"ge.autoTuneMode", "GA"}}), FAILED);
  EXPECT_NE(GEGetErrorMsg().find("ge.autoTuneMode"), std::string::npos);
  EXPECT_EQ(GEInitialize(Map{{"ge.exec.jobId", AscendString(std::string(129, 'x').c_str())}}), FAILED);
  EXPECT_NE(GEGetErrorMsg().find("129"), std::string::npos);
  EXPECT_EQ(GEInitialize(Map{{"ge.exec.jobId", AscendString(std::string(128, 'x').c_str())}}), SUCCESS);
  EXPECT_EQ(GEInitialize(Map{{"ge.autoTuneMode", "GA"}}), SUCCESS);
  EXPECT_EQ(GEFinalize(), SUCCESS);
}

}  // namespace
}  // namespace ge
