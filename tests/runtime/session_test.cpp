// Sessions through the C ABI: graphs by id.
#include <thread>

#include "capi/src/handles.h"
#include "ge/model.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() {
    Net net;
    net.Outputs({net.Out("Add", {net.Input({-1}), net.Const(Array::F({}, {1}))})});
    graph = api::NewHandle(net.graph);
    GeOptions *options = nullptr;
    EXPECT_EQ(GeOptionsCreate(&options), GE_SUCCESS);
    EXPECT_EQ(GeOptionsSet(options, "threads", "1"), GE_SUCCESS);
    EXPECT_EQ(GeSessionCreate(options, &session), GE_SUCCESS);
    GeOptionsDestroy(options);
  }
  ~SessionTest() override {
    GeSessionDestroy(session);
    GeGraphDestroy(graph);
  }
  std::vector<float> Run(uint32_t id, const std::vector<float> &values) {
    Array x = Array::F({static_cast<int64_t>(values.size())}, values);
    GeTensorData desc = x.View(), result{};
    GeTensor *in = nullptr, *out = nullptr;
    EXPECT_EQ(GeTensorCreate(&desc, &in), GE_SUCCESS);
    size_t count = 1;
    EXPECT_EQ(GeSessionRunGraph(session, id, &in, 1, &out, &count), GE_SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(GeTensorGetData(out, &result), GE_SUCCESS);
    const float *data = static_cast<const float *>(result.data);
    std::vector<float> got(data, data + result.size / 4);
    GeTensorDestroy(in);
    GeTensorDestroy(out);
    return got;
  }
  GeGraph *graph = nullptr;
  GeSessionHandle *session = nullptr;
};

TEST_F(SessionTest, RunsAGraphAndCompilesItOnTheWay) {
  ASSERT_EQ(GeSessionAddGraph(session, 7, graph, nullptr), GE_SUCCESS);
  GeModel *model = nullptr;
  EXPECT_EQ(GeSessionRetainModel(session, 7, &model), GE_BAD_STATE);
  EXPECT_EQ(Run(7, {1, 2}), (std::vector<float>{2, 3}));
  EXPECT_EQ(Run(7, {5}), (std::vector<float>{6}));
  EXPECT_EQ(GeSessionCompileGraph(session, 7), GE_SUCCESS);
  ASSERT_EQ(GeSessionRetainModel(session, 7, &model), GE_SUCCESS);
  EXPECT_EQ(GeModelInputCount(model), 1u);
  GeModelDestroy(model);
}

TEST_F(SessionTest, IdsAreChecked) {
  ASSERT_EQ(GeSessionAddGraph(session, 1, graph, nullptr), GE_SUCCESS);
  EXPECT_EQ(GeSessionAddGraph(session, 1, graph, nullptr), GE_GRAPH_ALREADY_EXIST);
  EXPECT_EQ(GeSessionCompileGraph(session, 2), GE_GRAPH_NOT_EXIST);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("no graph 2; it has 1"), std::string::npos);
  EXPECT_EQ(GeSessionRemoveGraph(session, 1), GE_SUCCESS);
  EXPECT_EQ(GeSessionRemoveGraph(session, 1), GE_GRAPH_NOT_EXIST);
}

TEST_F(SessionTest, TooLittleRoomTellsTheNumber) {
  ASSERT_EQ(GeSessionAddGraph(session, 1, graph, nullptr), GE_SUCCESS);
  size_t count = 0;
  EXPECT_EQ(GeSessionRunGraph(session, 1, nullptr, 0, nullptr, &count), GE_PARAM_INVALID);
  EXPECT_EQ(count, 1u);
}

TEST_F(SessionTest, LaterChangesOfTheGraphDoNotMatter) {
  ASSERT_EQ(GeSessionAddGraph(session, 1, graph, nullptr), GE_SUCCESS);
  GeNode *node = nullptr;
  ASSERT_EQ(GeGraphGetNode(graph, 0, &node), GE_SUCCESS);
  GeGraphRemoveNode(graph, node);
  EXPECT_EQ(Run(1, {1}), (std::vector<float>{2}));
}

TEST_F(SessionTest, RunsOfOneGraphFromSeveralThreads) {
  ASSERT_EQ(GeSessionAddGraph(session, 1, graph, nullptr), GE_SUCCESS);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 1; i < 30; ++i) {
        std::vector<float> v(static_cast<size_t>(1 + (i + t) % 5), static_cast<float>(i));
        for (float got : Run(1, v)) ASSERT_EQ(got, static_cast<float>(i + 1));
      }
    });
  }
  for (std::thread &t : threads) t.join();
}

TEST_F(SessionTest, BadOptionsAreRefused) {
  GeOptions *options = nullptr;
  ASSERT_EQ(GeOptionsCreate(&options), GE_SUCCESS);
  EXPECT_EQ(GeOptionsSet(options, "no_such_option", "1"), GE_OPTION_INVALID);
  GeOptionsDestroy(options);
  EXPECT_EQ(GeInitialize(nullptr), GE_SUCCESS);
  EXPECT_EQ(GeInitialize(nullptr), GE_SUCCESS);
  EXPECT_EQ(GeFinalize(), GE_SUCCESS);
  EXPECT_EQ(GeFinalize(), GE_SUCCESS);
}

TEST(ModelHandles, NullsAreRefused) {
  GeModel *model = nullptr;
  EXPECT_EQ(GeCompile(nullptr, nullptr, &model), GE_PARAM_INVALID);
  EXPECT_EQ(GeCompile(nullptr, nullptr, nullptr), GE_PARAM_INVALID);
  EXPECT_EQ(GeCompileFile(nullptr, nullptr, &model), GE_PARAM_INVALID);
  EXPECT_EQ(GeCompileFile("/no/such.onnx", nullptr, &model), GE_PATH_INVALID);
  EXPECT_EQ(GeCompileFile("/no/such.bin", nullptr, &model), GE_PATH_INVALID);
  EXPECT_EQ(GeCompileFile("/dev/null", nullptr, &model), GE_PATH_INVALID);
  EXPECT_EQ(GeRun(nullptr, nullptr, 0, nullptr, 0), GE_PARAM_INVALID);
  EXPECT_EQ(GeRunContextCreate(nullptr, nullptr), GE_PARAM_INVALID);
  EXPECT_EQ(GeModelInputCount(nullptr), 0u);
  EXPECT_EQ(GeModelDescribe(nullptr, 0, nullptr, nullptr), GE_PARAM_INVALID);
  EXPECT_EQ(GeSessionCreate(nullptr, nullptr), GE_PARAM_INVALID);
  EXPECT_EQ(GeSessionCompileGraph(nullptr, 0), GE_PARAM_INVALID);
  EXPECT_EQ(GeDoctor(nullptr, nullptr), GE_PARAM_INVALID);
  GeModelDestroy(nullptr);
  GeRunContextDestroy(nullptr);
  GeSessionDestroy(nullptr);
  GeOptionsDestroy(nullptr);
}

}  // namespace
}  // namespace gec
