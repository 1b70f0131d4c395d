// A session of the C interface with graphs, for tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "capi/src/handles.h"
#include "ge/session.h"
#include "tests/runtime/net.h"

namespace gec {

/// y = x + 1, and where asked for nodes that watch x.
inline GeGraph *PlusOne(std::vector<int64_t> dims, const char *watcher = nullptr) {
  Net net;
  const Endpoint x = net.Input(std::move(dims));
  net.Outputs({net.Out("Add", {x, net.Const(Array::F({}, {1}))})});
  if (watcher) (void)net.Op(watcher, {x}, 0, "seen");
  return api::NewHandle(net.graph);
}

inline std::vector<float> TakeFloats(GeTensor *tensor) {
  GeTensorData data{};
  EXPECT_EQ(GeTensorGetData(tensor, &data), GE_SUCCESS);
  const float *values = static_cast<const float *>(data.data);
  std::vector<float> taken(values, values + data.size / sizeof(float));
  GeTensorDestroy(tensor);
  return taken;
}

class SessionFixture : public ::testing::Test {
 protected:
  SessionFixture() {
    GeOptions *options = nullptr;
    EXPECT_EQ(GeOptionsCreate(&options), GE_SUCCESS);
    EXPECT_EQ(GeOptionsSet(options, "threads", "1"), GE_SUCCESS);
    EXPECT_EQ(GeSessionCreate(options, &session), GE_SUCCESS);
    GeOptionsDestroy(options);
  }
  ~SessionFixture() override {
    GeSessionDestroy(session);
    for (GeTensor *tensor : fed) GeTensorDestroy(tensor);
  }
  void Add(uint32_t id, GeGraph *graph) {
    EXPECT_EQ(GeSessionAddGraph(session, id, graph, nullptr), GE_SUCCESS) << GeLastErrorMessage();
    GeGraphDestroy(graph);
  }
  /// A tensor that lives as long as the test.
  const GeTensor *Feed(const std::vector<float> &values) {
    const Array array = Array::F({static_cast<int64_t>(values.size())}, values);
    const GeTensorData desc = array.View();
    GeTensor *tensor = nullptr;
    EXPECT_EQ(GeTensorCreate(&desc, &tensor), GE_SUCCESS);
    fed.push_back(tensor);
    return tensor;
  }
  GeStatus Run(uint32_t id, const std::vector<float> &values, std::vector<float> *result = nullptr) {
    const GeTensor *in = Feed(values);
    GeTensor *out = nullptr;
    size_t count = 1;
    const GeStatus status = GeSessionRunGraph(session, id, &in, 1, &out, &count);
    if (status == GE_SUCCESS) {
      const std::vector<float> taken = TakeFloats(out);
      if (result) *result = taken;
    }
    return status;
  }
  GeSessionGraphState State(uint32_t id) {
    GeSessionGraphState state = GE_SESSION_GRAPH_ADDED;
    EXPECT_EQ(GeSessionGetGraphState(session, id, &state), GE_SUCCESS) << GeLastErrorMessage();
    return state;
  }
  GeSessionHandle *session = nullptr;
  std::vector<GeTensor *> fed;
};

}  // namespace gec
