// A function in a library of its own, which the runtime builds; it calls a graph whose input's shape its config says.
//   program FOLDER   the folder of function.json and graph.json
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "all_ops.h"
#include "flow_graph/data_flow.h"
#include "ge/ge_api.h"

static ge::Graph Double() {
  ge::op::Data x("x");
  x.set_attr_index(0);
  ge::op::Add y("y");
  y.set_input_x1(x).set_input_x2(x);
  ge::Graph graph("double");
  graph.SetInputs({x}).SetOutputs(std::vector<ge::Operator>{y});
  return graph;
}

static bool Feed(ge::Session &session, const std::vector<float> &x) {
  const ge::TensorDesc desc(ge::Shape({static_cast<int64_t>(x.size())}), ge::FORMAT_ND, ge::DT_FLOAT);
  const ge::Tensor message(desc, reinterpret_cast<const uint8_t *>(x.data()), x.size() * sizeof(float));
  return session.FeedDataFlowGraph(1, {message}, ge::DataFlowInfo(), 60000) == ge::SUCCESS;
}

static bool Fetch(ge::Session &session) {
  std::vector<ge::Tensor> outputs;
  ge::DataFlowInfo info;
  if (session.FetchDataFlowGraph(1, outputs, info, 60000) != ge::SUCCESS) return false;
  const auto *y = reinterpret_cast<const float *>(outputs[0].GetData());
  for (size_t i = 0; i < outputs[0].GetSize() / sizeof(float); ++i) std::printf("%g ", static_cast<double>(y[i]));
  std::puts("");
  return true;
}

static int Run(const std::string &folder) {
  using namespace ge::dflow;
  GraphPp doubled("double", Double);
  doubled.SetCompileConfig((folder + "/graph.json").c_str());
  FunctionPp function("shift");
  function.SetCompileConfig((folder + "/function.json").c_str()).SetInitParam("add", 1.0f);
  function.AddInvokedClosure("double", doubled);
  FlowData in("in", 0);
  FlowNode node("node", 1, 1);
  node.SetInput(0, in).AddPp(function);
  FlowGraph flow("flow");
  flow.SetInputs({in}).SetOutputs(std::vector<FlowOperator>{node});
  ge::Session session(std::map<ge::AscendString, ge::AscendString>{});
  if (session.AddGraph(1, flow.ToGeGraph()) != ge::SUCCESS) return 1;
  if (!Feed(session, {1, 2}) || !Fetch(session)) return 1;
  // The graph takes two values: its config says so, and nothing else does.
  if (!Feed(session, {1, 2, 3})) return 1;
  return Fetch(session) ? 1 : 0;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  if (ge::GEInitialize(std::map<ge::AscendString, ge::AscendString>{}) != ge::SUCCESS) return 1;
  const int status = Run(argv[1]);
  std::puts(ge::GEGetErrorMsgV2().GetString());
  (void)ge::GEFinalize();
  return status;
}
