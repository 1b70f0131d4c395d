// States of graphs, ways of running them, and the order of calls.
#include <future>
#include <string>
#include <thread>

#include "tests/session/session_fixture.h"

namespace gec {
namespace {

using ModesTest = SessionFixture;

struct Answer {
  std::promise<std::pair<GeStatus, std::vector<float>>> told;
  std::string message;
  std::thread::id where;
  std::atomic<int> *destroyed = nullptr;

  static void Done(void *user, GeStatus status, GeTensor *const *outputs, size_t count) {
    auto *self = static_cast<Answer *>(user);
    self->where = std::this_thread::get_id();
    if (status != GE_SUCCESS) self->message = GeLastErrorMessage();
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i) values = TakeFloats(outputs[i]);
    self->told.set_value({status, values});
  }
  static void Destroy(void *user) {
    if (auto *count = static_cast<Answer *>(user)->destroyed) ++*count;
  }
};

TEST_F(ModesTest, AGraphIsAddedThenCompiledThenLoaded) {
  Add(1, PlusOne({-1}));
  EXPECT_EQ(State(1), GE_SESSION_GRAPH_ADDED);
  ASSERT_EQ(GeSessionCompileGraph(session, 1), GE_SUCCESS);
  EXPECT_EQ(State(1), GE_SESSION_GRAPH_COMPILED);
  ASSERT_EQ(GeSessionLoad(session, 1), GE_SUCCESS);
  EXPECT_EQ(State(1), GE_SESSION_GRAPH_LOADED);
  GeSessionGraphState state;
  EXPECT_EQ(GeSessionGetGraphState(session, 2, &state), GE_GRAPH_NOT_EXIST);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("E10062"), std::string::npos) << GeLastErrorMessage();
}

TEST_F(ModesTest, TheFirstRunDecidesTheWay) {
  Add(1, PlusOne({-1}));
  ASSERT_EQ(Run(1, {1}), GE_SUCCESS) << GeLastErrorMessage();
  Answer answer;
  const GeTensor *in = Feed({1});
  EXPECT_EQ(GeSessionRunGraphAsync(session, 1, &in, 1, &Answer::Done, &answer, nullptr), GE_RUN_MODE_MIXED);
  EXPECT_EQ(answer.told.get_future().get().first, GE_RUN_MODE_MIXED);  // who waits is told all the same
  GeStreamRun run{};
  run.struct_size = sizeof run;
  run.inputs = &in;
  run.input_count = 1;
  EXPECT_EQ(GeSessionRunGraphOnStream(session, 1, &run), GE_RUN_MODE_MIXED);
  EXPECT_EQ(GeSessionCompileGraphForStreams(session, 1), GE_RUN_MODE_MIXED);
  EXPECT_EQ(Run(1, {1}), GE_SUCCESS);
}

TEST_F(ModesTest, QueuedRunsAreToldInOrderOnAnotherThread) {
  Add(1, PlusOne({-1}));
  std::atomic<int> destroyed{0};
  std::vector<Answer> answers(8);
  for (size_t i = 0; i < answers.size(); ++i) {
    answers[i].destroyed = &destroyed;
    const GeTensor *in = Feed({static_cast<float>(i)});
    ASSERT_EQ(GeSessionRunGraphAsync(session, 1, &in, 1, &Answer::Done, &answers[i], &Answer::Destroy), GE_SUCCESS);
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    const auto [status, values] = answers[i].told.get_future().get();
    EXPECT_EQ(status, GE_SUCCESS);
    EXPECT_EQ(values, (std::vector<float>{static_cast<float>(i) + 1}));
    EXPECT_NE(answers[i].where, std::this_thread::get_id());
  }
  GeSessionDestroy(session);
  session = nullptr;
  EXPECT_EQ(destroyed, 8);
}

TEST_F(ModesTest, AQueuedRunThatFailsSaysWhy) {
  Answer unknown, wrong;
  const GeTensor *in = Feed({1});
  ASSERT_EQ(GeSessionRunGraphAsync(session, 5, &in, 1, &Answer::Done, &unknown, nullptr), GE_SUCCESS);
  EXPECT_EQ(unknown.told.get_future().get().first, GE_GRAPH_NOT_EXIST);
  EXPECT_NE(unknown.message.find("no graph 5"), std::string::npos) << unknown.message;
  Add(1, PlusOne({3}));
  ASSERT_EQ(GeSessionRunGraphAsync(session, 1, &in, 1, &Answer::Done, &wrong, nullptr), GE_SUCCESS);
  EXPECT_EQ(wrong.told.get_future().get().first, GE_DATA_MISMATCH) << wrong.message;
}

TEST_F(ModesTest, TheSessionWaitsForWhatIsQueued) {
  Add(1, PlusOne({-1}));
  std::atomic<int> destroyed{0};
  std::vector<Answer> answers(16);
  for (Answer &answer : answers) {
    answer.destroyed = &destroyed;
    const GeTensor *in = Feed({1});
    ASSERT_EQ(GeSessionRunGraphAsync(session, 1, &in, 1, &Answer::Done, &answer, &Answer::Destroy), GE_SUCCESS);
  }
  GeSessionDestroy(session);
  session = nullptr;
  EXPECT_EQ(destroyed, 16);
}

TEST_F(ModesTest, ASharedGraphIsCompiledAsItIsThen) {
  GeGraph *graph = PlusOne({2});
  ASSERT_EQ(GeSessionAddSharedGraph(session, 1, graph, nullptr), GE_SUCCESS);
  const Endpoint input{graph->graph->Inputs()[0], 0};
  graph->graph->SetOutputs({input});
  std::vector<float> result;
  ASSERT_EQ(Run(1, {1, 2}, &result), GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(result, (std::vector<float>{1, 2}));
  graph->graph->SetOutputs({});  // too late
  ASSERT_EQ(Run(1, {1, 2}, &result), GE_SUCCESS);
  GeGraphDestroy(graph);
}

TEST_F(ModesTest, CompilesForTheShapesGiven) {
  Add(1, PlusOne({-1}));
  const int64_t dims[] = {3};
  GeTensorData desc{};
  desc.data_type = C_DT_FLOAT;
  desc.format = desc.origin_format = C_FORMAT_ND;
  desc.rank = desc.origin_rank = 1;
  desc.dims = desc.origin_dims = dims;
  ASSERT_EQ(GeSessionCompileGraphFor(session, 1, &desc, 1), GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(Run(1, {1, 2, 3}), GE_SUCCESS);
  EXPECT_EQ(Run(1, {1}), GE_DATA_MISMATCH);
  Add(2, PlusOne({-1}));
  EXPECT_EQ(GeSessionCompileGraphFor(session, 2, nullptr, 0), GE_PARAM_INVALID);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("'x0' has index 0, 0 tensors"), std::string::npos)
      << GeLastErrorMessage();
}

TEST_F(ModesTest, OptionsOfTheGraphComeFirst) {
  GeOptions *options = nullptr;
  ASSERT_EQ(GeOptionsCreate(&options), GE_SUCCESS);
  ASSERT_EQ(GeOptionsSet(options, "ge.jit_compile", "1"), GE_SUCCESS);
  GeGraph *graph = PlusOne({2});
  ASSERT_EQ(GeSessionAddGraph(session, 1, graph, options), GE_SUCCESS);
  GeOptionsDestroy(options);
  GeGraphDestroy(graph);
  const char *value = nullptr;
  ASSERT_EQ(GeSessionGetGraphOption(session, 1, "ge.jit_compile", &value), GE_SUCCESS);
  EXPECT_STREQ(value, "1");
  ASSERT_EQ(GeSessionGetGraphOption(session, 1, "threads", &value), GE_SUCCESS);
  EXPECT_STREQ(value, "1");  // the session's
  ASSERT_EQ(GeSessionGetGraphOption(session, 1, "opt_level", &value), GE_SUCCESS);
  EXPECT_EQ(value, nullptr);
}

}  // namespace
}  // namespace gec
