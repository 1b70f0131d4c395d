// Graphs and messages of the tests of data-flow graphs at work.
#ifndef GE_TESTS_CXX_FLOW_FUNCTIONS_H_
#define GE_TESTS_CXX_FLOW_FUNCTIONS_H_

#include <gtest/gtest.h>

#include <cmath>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "flow_func/meta_flow_func.h"
#include "flow_func/meta_multi_func.h"
#include "flow_graph/data_flow.h"
#include "ge/ge_api.h"

namespace ge {

// A graph of one operator with both inputs the same: Add doubles, Mul squares.
inline dflow::GraphBuilder Twice(const char *type, std::vector<int64_t> dims = {-1}) {
  return [type, dims] {
    Operator x = OperatorFactory::CreateOperator("x", "Data"), y = OperatorFactory::CreateOperator("y", type);
    (void)x.SetAttr("index", int64_t{0});
    (void)x.UpdateOutputDesc("y", TensorDesc(Shape(dims), FORMAT_ND, DT_FLOAT));
    y.SetInput("x1", x).SetInput("x2", x);
    Graph graph(type);
    graph.SetInputs({x}).SetOutputs(std::vector<Operator>{y});
    return graph;
  };
}
inline Tensor Floats(const std::vector<float> &values, std::vector<int64_t> dims = {}) {
  if (dims.empty()) dims = {static_cast<int64_t>(values.size())};
  return Tensor(TensorDesc(Shape(dims), FORMAT_ND, DT_FLOAT), reinterpret_cast<const uint8_t *>(values.data()),
                values.size() * sizeof(float));
}
inline std::vector<float> Values(const Tensor &tensor) {
  std::vector<float> values(tensor.GetSize() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), tensor.GetData(), tensor.GetSize());
  return values;
}
inline std::string LastError() { return GeLastErrorMessage(); }

/// Functions wait here until they may go on.
class Gate {
 public:
  void Set(bool open) {
    std::lock_guard<std::mutex> lock(mutex_);
    open_ = open;
    wake_.notify_all();
  }
  void Pass() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++arrived_;
    wake_.notify_all();
    wake_.wait(lock, [this] { return open_; });
  }
  int arrivals() {
    std::lock_guard<std::mutex> lock(mutex_);
    return arrived_;
  }
  void AwaitArrival(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait(lock, [&] { return arrived_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool open_ = true;
  int arrived_ = 0;
};

class FlowRunTest : public testing::Test {
 protected:
  using FlowData = dflow::FlowData;
  using FlowGraph = dflow::FlowGraph;
  using FlowNode = dflow::FlowNode;
  using FlowOperator = dflow::FlowOperator;
  using FunctionPp = dflow::FunctionPp;
  using GraphPp = dflow::GraphPp;

  void SetUp() override {
    ASSERT_EQ(GEInitialize(std::map<AscendString, AscendString>{}), SUCCESS);
    session_ = std::make_unique<Session>(std::map<AscendString, AscendString>{});
  }
  void TearDown() override {
    session_.reset();
    EXPECT_EQ(GEFinalize(), SUCCESS);
  }
  /// Adds a flow graph of one node with one process point as graph 1.
  void AddNode(const dflow::ProcessPoint &point, uint32_t inputs = 1, uint32_t outputs = 1) {
    std::vector<FlowOperator> data;
    FlowNode node("node", inputs, outputs);
    for (uint32_t i = 0; i < inputs; ++i) {
      data.push_back(FlowData(("in" + std::to_string(i)).c_str(), i));
      node.SetInput(i, data.back());
    }
    node.AddPp(point);
    AddFlow(FlowGraph("flow").SetInputs(data).SetOutputs(std::vector<FlowOperator>{node}));
  }
  void AddFlow(const FlowGraph &flow) { ASSERT_EQ(session_->AddGraph(1, flow.ToGeGraph()), SUCCESS) << LastError(); }
  Status Feed(const std::vector<float> &values, int32_t timeout = -1) {
    return session_->FeedDataFlowGraph(1, {Floats(values)}, DataFlowInfo(), timeout);
  }
  Status Fetch(std::vector<Tensor> &outputs, int32_t timeout = kSoon) {
    DataFlowInfo info;
    return session_->FetchDataFlowGraph(1, outputs, info, timeout);
  }
  /// The values of the only output's next message, or the error.
  std::string Next() {
    std::vector<Tensor> outputs;
    const Status status = Fetch(outputs);
    if (status != SUCCESS) return std::to_string(status) + " " + LastError();
    std::string text;
    for (const Tensor &output : outputs)
      for (const float value : Values(output)) text += (text.empty() ? "" : " ") + std::to_string(std::lround(value));
    return text;
  }
  static constexpr int32_t kSoon = 60000;  // ms until a test that hangs fails
  std::unique_ptr<Session> session_;
};

}  // namespace ge

#endif
