// What sessions tell and take beside running: callbacks, memory from outside, variables, streams, prototypes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "es_all_ops.h"
#include "ge/ge_api.h"
#include "ge/ge_api_v2.h"
#include "ge/ge_utils.h"

namespace ge {
namespace {

using Map = std::map<AscendString, AscendString>;

std::unique_ptr<Graph> TwoSteps(int64_t extent = 1024) {  // sums of sums of relu(x)
  es::EsGraphBuilder g("steps");
  auto x = g.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {extent});
  auto cumsum = es::Cumsum(es::Relu(x), g.CreateScalar(0));
  return g.BuildAndReset({es::Cumsum(cumsum, g.CreateScalar(0))});
}
Tensor TensorOf(const std::vector<float> &values) {
  TensorDesc desc(Shape({static_cast<int64_t>(values.size())}), FORMAT_ND, DT_FLOAT);
  return Tensor(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float));
}
std::vector<float> Content(const Tensor &tensor) {
  std::vector<float> out(tensor.GetSize() / sizeof(float));
  std::memcpy(out.data(), tensor.GetData(), tensor.GetSize());
  return out;
}
std::vector<float> TwiceSummed(const std::vector<float> &in) {
  std::vector<float> out = in;
  for (int pass = 0; pass < 2; ++pass)
    for (size_t i = 1; i < out.size(); ++i) out[i] += out[i - 1];
  return out;
}

class SessionExtrasTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(GEInitialize(Map{}), SUCCESS); }
  void TearDown() override { EXPECT_EQ(GEFinalize(), SUCCESS); }
};

TEST_F(SessionExtrasTest, RunsInMemoryFromOutside) {
  for (const bool refreshable : {false, true}) {
    Session session(Map{{"ge.featureBaseRefreshable", refreshable ? "1" : "0"}});
    auto graph = TwoSteps();
    ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
    auto update = [&](const void *memory, size_t size) {
      return refreshable ? session.UpdateGraphRefreshableFeatureMemoryBase(1, memory, size)
                         : session.UpdateGraphFeatureMemoryBase(1, memory, size);
    };
    auto other = [&](const void *memory, size_t size) {
      return refreshable ? session.UpdateGraphFeatureMemoryBase(1, memory, size)
                         : session.UpdateGraphRefreshableFeatureMemoryBase(1, memory, size);
    };
    char here[64];
    EXPECT_EQ(update(here, sizeof here), FAILED);  // not compiled
    ASSERT_EQ(session.CompileGraph(1), SUCCESS) << GeLastErrorMessage();
    CompiledGraphSummaryPtr summary = session.GetCompiledGraphSummary(1);
    ASSERT_NE(summary, nullptr);
    bool told = !refreshable;
    EXPECT_EQ(summary->GetFeatureMemoryBaseRefreshable(told), SUCCESS);
    EXPECT_EQ(told, refreshable);
    size_t size = 0, fixed = 1;
    ASSERT_EQ(summary->GetFeatureMemorySize(size), SUCCESS);
    ASSERT_EQ(summary->GetFixedFeatureMemorySize(fixed), SUCCESS);
    EXPECT_EQ(fixed, 0u);
    ASSERT_GE(size, 1024 * sizeof(float));
    const size_t room = (size + 63) / 64 * 64;
    std::unique_ptr<uint8_t, void (*)(void *)> first(static_cast<uint8_t *>(std::aligned_alloc(64, room)), std::free),
        second(static_cast<uint8_t *>(std::aligned_alloc(64, room)), std::free);
    EXPECT_EQ(update(first.get(), size - 1), FAILED);
    EXPECT_NE(std::string(GeLastErrorMessage()).find(std::to_string(size)), std::string::npos) << GeLastErrorMessage();
    EXPECT_EQ(update(first.get() + 4, size), FAILED);
    EXPECT_NE(std::string(GeLastErrorMessage()).find("64"), std::string::npos) << GeLastErrorMessage();
    EXPECT_EQ(update(nullptr, size), FAILED);
    std::vector<float> in(1024);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 7);
    const std::vector<float> expected = TwiceSummed(in);
    const std::vector<uint8_t> untouched(size, 0xA5);
    for (uint8_t *memory : {first.get(), second.get()}) {
      std::memset(memory, 0xA5, size);
      ASSERT_EQ(update(memory, size), SUCCESS) << GeLastErrorMessage();
      EXPECT_EQ(other(memory, size), FAILED);  // they are alternatives
      std::vector<Tensor> outputs;
      ASSERT_EQ(session.RunGraphWithStreamAsync(1, nullptr, {TensorOf(in)}, outputs), SUCCESS) << GeLastErrorMessage();
      EXPECT_EQ(Content(outputs[0]), expected);
      EXPECT_NE(std::memcmp(memory, untouched.data(), size), 0);  // the run worked there
    }
    // In another thread's run, the memory is this run's alone.
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          std::vector<Tensor> outputs;
          if (session.RunGraphWithStreamAsync(1, nullptr, {TensorOf(in)}, outputs) != SUCCESS ||
              Content(outputs[0]) != expected)
            ++wrong[t];
        }
      });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
  }
}

TEST_F(SessionExtrasTest, MemoryThatIsSetOnce) {
  GeSession session(Map{});
  ASSERT_EQ(session.AddGraph(1, *TwoSteps()), SUCCESS);
  alignas(64) char memory[64];
  EXPECT_EQ(session.SetGraphFixedFeatureMemoryBaseWithType(1, MemoryType::MEMORY_TYPE_DEFAULT, memory, 64), FAILED);
  ASSERT_EQ(session.CompileGraph(1), SUCCESS);
  EXPECT_EQ(session.SetGraphFixedFeatureMemoryBaseWithType(1, MemoryType::MEMORY_TYPE_P2P, memory, 64), FAILED);
  EXPECT_EQ(session.SetGraphFixedFeatureMemoryBaseWithType(1, MemoryType::MEMORY_TYPE_DEFAULT, memory, 64), SUCCESS);
  EXPECT_EQ(session.SetGraphFixedFeatureMemoryBase(1, memory, 64), GE_GRAPH_REPEAT_OPERATION);
  EXPECT_EQ(session.SetGraphConstMemoryBase(7, memory, 64), FAILED);
  ASSERT_EQ(session.AddGraph(2, *TwoSteps(-1)), SUCCESS);
  ASSERT_EQ(session.CompileGraph(2), SUCCESS);
  EXPECT_EQ(session.UpdateGraphFeatureMemoryBase(2, memory, 64), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("unknown shapes"), std::string::npos);
}

TEST_F(SessionExtrasTest, WeightsInMemoryFromOutside) {
  std::vector<float> weights(64 * 48), bias(48), in(8 * 64);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 13) - 6;
  for (size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(i);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 5) - 2;
  es::EsGraphBuilder g("weights");
  auto x = g.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {8, 64});
  auto graph = g.BuildAndReset({es::Add(es::MatMulV2(x, g.CreateConst(weights, {64, 48})), g.CreateVector(bias))});
  std::vector<float> expected(8 * 48);
  for (size_t r = 0; r < 8; ++r)
    for (size_t c = 0; c < 48; ++c) {
      float sum = bias[c];
      for (size_t k = 0; k < 64; ++k) sum += in[r * 64 + k] * weights[k * 48 + c];
      expected[r * 48 + c] = sum;  // whole numbers: exact
    }
  const Tensor input(TensorDesc(Shape({8, 64}), FORMAT_ND, DT_FLOAT), reinterpret_cast<const uint8_t *>(in.data()),
                     in.size() * sizeof(float));

  Session session(Map{});
  ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
  alignas(64) uint8_t small[64];
  EXPECT_EQ(session.SetGraphConstMemoryBase(1, small, sizeof small), FAILED);  // not compiled
  ASSERT_EQ(session.CompileGraph(1), SUCCESS) << GeLastErrorMessage();
  size_t size = 0;
  ASSERT_EQ(session.GetCompiledGraphSummary(1)->GetConstMemorySize(size), SUCCESS);
  ASSERT_GE(size, weights.size() * sizeof(float));
  ASSERT_EQ(size % 64, 0u);
  EXPECT_EQ(session.SetGraphConstMemoryBase(1, small, sizeof small), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find(std::to_string(size)), std::string::npos) << GeLastErrorMessage();
  std::unique_ptr<uint8_t, void (*)(void *)> memory(static_cast<uint8_t *>(std::aligned_alloc(64, size + 64)),
                                                    std::free);
  std::memset(memory.get(), 0xA5, size + 64);
  EXPECT_EQ(session.SetGraphConstMemoryBase(1, memory.get() + 4, size), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("aligned to 64"), std::string::npos) << GeLastErrorMessage();
  EXPECT_EQ(session.SetGraphConstMemoryBase(1, memory.get(), size - 1), FAILED);
  EXPECT_EQ(memory.get()[0], 0xA5);
  ASSERT_EQ(session.SetGraphConstMemoryBase(1, memory.get(), size), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(session.SetGraphConstMemoryBase(1, memory.get(), size), GE_GRAPH_REPEAT_OPERATION);
  std::vector<Tensor> outputs;
  ASSERT_EQ(session.RunGraphWithStreamAsync(1, nullptr, {input}, outputs), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(Content(outputs[0]), expected);
  bool there = false;  // as they are, or packed: somewhere the weights lie in that memory, and nothing behind it
  for (size_t at = 0; at + 64 <= size; at += 64)
    there = there || std::memcmp(memory.get() + at, weights.data(), 32) == 0;
  EXPECT_TRUE(there);
  for (size_t at = size; at < size + 64; ++at) ASSERT_EQ(memory.get()[at], 0xA5);
  std::memset(memory.get(), 0, size);  // and they are read there
  ASSERT_EQ(session.RunGraphWithStreamAsync(1, nullptr, {input}, outputs), SUCCESS);
  EXPECT_EQ(Content(outputs[0]), std::vector<float>(8 * 48, 0));
}

std::unique_ptr<Graph> WithSummaries() {
  es::EsGraphBuilder g("summaries");
  auto x = g.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {3});
  auto twice = es::Mul(x, 2.0f);
  auto y = es::Add(twice, 1.0f);
  auto graph = g.BuildAndReset({y});
  for (const auto &[name, type] : {std::pair<const char *, const char *>{"after_mul", "Mul"}, {"of_input", "Data"}}) {
    GNode node = graph->AddNodeByOp(OperatorFactory::CreateOperator(name, "Summary"));
    for (GNode &source : graph->GetDirectNode()) {
      AscendString of;
      if (source.GetType(of) != GRAPH_SUCCESS || of != type) continue;
      EXPECT_EQ(graph->AddDataEdge(source, 0, node, 0), GRAPH_SUCCESS);
    }
  }
  return graph;
}
std::map<std::string, std::vector<float>> g_told;
uint32_t g_told_id = 0, g_answer = SUCCESS;

TEST_F(SessionExtrasTest, SummariesAreToldAfterEveryRun) {
  auto graph = WithSummaries();
  const std::map<std::string, std::vector<float>> expected = {{"after_mul", {2, 4, 6}}, {"of_input", {1, 2, 3}}};
  Session session(Map{});
  ASSERT_EQ(session.AddGraph(3, *graph), SUCCESS);
  std::vector<Tensor> outputs;
  ASSERT_EQ(session.RunGraph(3, {TensorOf({1, 2, 3})}, outputs), SUCCESS) << GeLastErrorMessage();  // nobody listens
  ASSERT_EQ(outputs.size(), 1u);
  session::pCallBackFunc callback = [](uint32_t id, const std::map<AscendString, Tensor> &values) -> uint32_t {
    g_told_id = id;
    for (const auto &[name, value] : values) g_told[name.GetString()] = Content(value);
    return g_answer;
  };
  ASSERT_EQ(session.RegisterCallBackFunc("Summary", callback), SUCCESS);
  ASSERT_EQ(session.RunGraph(3, {TensorOf({1, 2, 3})}, outputs), SUCCESS) << GeLastErrorMessage();
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(Content(outputs[0]), (std::vector<float>{3, 5, 7}));
  EXPECT_EQ(g_told, expected);
  EXPECT_EQ(g_told_id, 3u);
  g_answer = FAILED;
  EXPECT_EQ(session.RunGraph(3, {TensorOf({1, 2, 3})}, outputs), FAILED);
  g_answer = SUCCESS;
  EXPECT_EQ(session.RegisterCallBackFunc("Other", callback), FAILED);
  EXPECT_EQ(session.RegisterCallBackFunc("Summary", session::pCallBackFunc(nullptr)), FAILED);

  GeSession second(Map{});
  ASSERT_EQ(second.AddGraph(4, *graph), SUCCESS);
  std::map<std::string, std::vector<float>> told;
  ASSERT_EQ(second.RegisterCallBackFunc("Summary",
                                        [&](uint32_t, const std::map<AscendString, gert::Tensor> &values) {
                                          for (const auto &[name, value] : values) {
                                            const float *data = value.GetData<float>();
                                            told[name.GetString()].assign(data, data + value.GetShapeSize());
                                          }
                                          return SUCCESS;
                                        }),
            SUCCESS);
  std::vector<float> memory = {1, 2, 3};
  std::vector<gert::Tensor> inputs, results;
  inputs.emplace_back(gert::StorageShape({3}, {3}), gert::StorageFormat(FORMAT_ND, FORMAT_ND, {}), gert::kOnHost,
                      DT_FLOAT, memory.data());
  ASSERT_EQ(second.RunGraph(4, inputs, results), SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(results.size(), 1u);
  EXPECT_EQ(told, expected);
}

TEST_F(SessionExtrasTest, EverythingRunsOnOneStream) {
  GeSession session(Map{});
  ASSERT_EQ(session.AddGraph(1, *TwoSteps()), SUCCESS);
  ASSERT_EQ(session.CompileGraph(1), SUCCESS);
  CompiledGraphSummaryPtr summary = session.GetCompiledGraphSummary(1);
  std::shared_ptr<StreamAllocationSummary> streams;
  ASSERT_EQ(summary->GetStreamAllocationSummary(streams), SUCCESS);
  const auto &infos = streams->GetAllLogicalStreamInfos();
  ASSERT_EQ(infos.size(), 1u);
  ASSERT_EQ(infos.begin()->first, AscendString("steps"));
  ASSERT_EQ(infos.begin()->second.size(), 1u);
  const LogicalStreamAllocationInfo &info = infos.begin()->second[0];
  EXPECT_EQ(info.GetLogicalStreamId(), 0);
  EXPECT_EQ(info.GetPhysicalStreamNum(), 1u);
  size_t sums = 0;
  for (const GNode &node : info.GetAllNodes()) {
    AscendString type;
    ASSERT_EQ(node.GetType(type), GRAPH_SUCCESS);
    sums += type == "Cumsum";
  }
  EXPECT_EQ(sums, 2u);
  EXPECT_NE(std::string(streams->ToStreamGraph().at(AscendString("steps")).GetString()).find("digraph"),
            std::string::npos);
  std::map<AscendString, std::vector<std::vector<GNode>>> nodes;
  ASSERT_EQ(GEStreamAllocationSummaryGetAllNodes(*summary, nodes), SUCCESS);
  streams.reset();
  EXPECT_EQ(nodes[AscendString("steps")].at(0).size(), info.GetAllNodes().size());
  std::map<AscendString, std::vector<int64_t>> ids;
  std::map<AscendString, std::vector<bool>> assigned;
  std::map<AscendString, std::vector<AscendString>> texts;
  std::map<AscendString, AscendString> graphs;
  ASSERT_EQ(GEStreamAllocationSummaryGetLogicalStreamIds(*summary, ids), SUCCESS);
  EXPECT_EQ(ids[AscendString("steps")], std::vector<int64_t>{0});
  ASSERT_EQ(GEStreamAllocationSummaryIsAssignedByStreamPass(*summary, assigned), SUCCESS);
  EXPECT_EQ(assigned[AscendString("steps")], std::vector<bool>{false});
  ASSERT_EQ(GEStreamAllocationSummaryGetStringInfos(*summary, texts), SUCCESS);
  EXPECT_NE(std::string(texts[AscendString("steps")][0].GetString()).find("logical_stream_id: 0"), std::string::npos);
  ASSERT_EQ(GEStreamAllocationSummaryGetStreamGraphs(*summary, graphs), SUCCESS);
  EXPECT_EQ(graphs.size(), 1u);
}

TEST(Queries, InferenceRuleAndNothingElse) {
  EXPECT_TRUE(IsIrRepSupport(INFERENCE_RULE));
  EXPECT_FALSE(IsIrRepSupport("anything"));
  EXPECT_FALSE(IsIrRepSupport(nullptr));
}

}  // namespace
}  // namespace ge
