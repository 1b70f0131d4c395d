// Data-flow graphs as graphs, and their messages.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "flow_graph/data_flow.h"
#include "ge/ge_data_flow_api.h"

namespace ge {
namespace {

using dflow::FlowData;
using dflow::FlowGraph;
using dflow::FlowGraphPp;
using dflow::FlowNode;
using dflow::FlowOperator;
using dflow::FunctionPp;
using dflow::GraphPp;

Graph AddGraph() {  // x + x
  Operator x = OperatorFactory::CreateOperator("x", "Data"), sum = OperatorFactory::CreateOperator("sum", "Add");
  (void)x.UpdateOutputDesc("y", TensorDesc(Shape({2}), FORMAT_ND, DT_FLOAT));
  sum.SetInput("x1", x).SetInput("x2", x);
  Graph graph("add");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{sum});
  return graph;
}
std::string LastError() { return GeLastErrorMessage(); }
std::string Json(const dflow::ProcessPoint &point) {
  AscendString text;
  point.Serialize(text);
  return text.GetString();
}
std::vector<AscendString> Points(const Graph &graph, const char *node) {
  std::vector<AscendString> texts;
  const GNodePtr found = graph.FindNodeByName(node);
  if (found != nullptr) (void)found->GetAttr("_dflow_process_points", texts);
  return texts;
}
template <class T>
T GraphAttr(const Graph &graph, const char *name, T value) {
  AttrValue held;
  EXPECT_EQ(graph.GetAttr(name, held), GRAPH_SUCCESS) << name;
  EXPECT_EQ(held.GetAttrValue(value), GRAPH_SUCCESS) << name;
  return value;
}
template <class T>
T InputAttr(const GNode &node, const char *name, uint32_t index, T value) {
  AttrValue held;
  EXPECT_EQ(node.GetInputAttr(name, index, held), GRAPH_SUCCESS) << name;
  EXPECT_EQ(held.GetAttrValue(value), GRAPH_SUCCESS) << name;
  return value;
}
std::string Producer(const Graph &graph, const char *node, int32_t input) {
  AscendString name;
  const auto from = graph.FindNodeByName(node)->GetInDataNodesAndPortIndexs(input);
  if (from.first == nullptr || from.first->GetName(name) != GRAPH_SUCCESS) return "";
  return std::string(name.GetString()) + ":" + std::to_string(from.second);
}

TEST(FlowGraphTest, BecomesAGraphWithNodesEdgesAndAttributes) {
  FlowData left("left", 0), right("right", 1);
  FlowNode split("split", 1, 2), join("join", 3, 1);
  const FunctionPp half = FunctionPp("half").SetCompileConfig("half.json");
  split.SetInput(0, left).AddPp(half).SetBalanceScatter();
  join.SetInput(0, split, 1).SetInput(1, right).SetInput(2, split).SetBalanceGather();
  join.MapInput(2, half, 0).MapInput(0, half, 1).MapOutput(0, half, 3);
  FlowGraph flow("pipe");
  const std::vector<FlowOperator> inputs{left, right}, outputs{join};
  flow.SetInputs(inputs).SetOutputs(outputs).SetContainsNMappingNode(true).SetExceptionCatch(false);
  flow.SetInputsAlignAttrs(7, -1, true).SetGraphPpBuilderAsync(true);
  EXPECT_STREQ(flow.GetName(), "pipe");

  const Graph &graph = flow.ToGeGraph();
  EXPECT_EQ(graph.GetDirectNode().size(), 4u);
  EXPECT_EQ(Producer(graph, "split", 0), "left:0");
  EXPECT_EQ(Producer(graph, "join", 0), "split:1");
  EXPECT_EQ(Producer(graph, "join", 1), "right:0");
  EXPECT_EQ(Producer(graph, "join", 2), "split:0");
  AscendString type;
  ASSERT_EQ(graph.FindNodeByName("join")->GetType(type), GRAPH_SUCCESS);
  EXPECT_STREQ(type.GetString(), "FlowNode");
  EXPECT_EQ(graph.FindNodeByName("split")->GetOutputsSize(), 2u);
  ASSERT_EQ(graph.FindNodeByName("right")->GetType(type), GRAPH_SUCCESS);
  EXPECT_STREQ(type.GetString(), "Data");
  int64_t index = -1;
  ASSERT_EQ(graph.FindNodeByName("right")->GetAttr("index", index), GRAPH_SUCCESS);
  EXPECT_EQ(index, 1);
  bool balance = false;
  EXPECT_EQ(graph.FindNodeByName("split")->GetAttr("_dflow_balance_scatter", balance), GRAPH_SUCCESS);
  EXPECT_TRUE(balance);
  EXPECT_NE(graph.FindNodeByName("split")->GetAttr("_dflow_balance_gather", balance), GRAPH_SUCCESS);

  const std::string point = R"({"name":"half","type":"FUNCTION","compile_config":"half.json"})";
  ASSERT_EQ(Points(graph, "split").size(), 1u);
  EXPECT_EQ(std::string(Points(graph, "split")[0].GetString()),
            "{\"point\":" + point + R"(,"inputs":[],"outputs":[],"subgraphs":[]})");
  ASSERT_EQ(Points(graph, "join").size(), 1u);
  EXPECT_EQ(std::string(Points(graph, "join")[0].GetString()),
            "{\"point\":" + point + R"(,"inputs":[[2,0],[0,1]],"outputs":[[0,3]],"subgraphs":[]})");

  EXPECT_TRUE(GraphAttr(graph, "_dflow_is_flow_graph", false));
  EXPECT_TRUE(GraphAttr(graph, "_dflow_contains_n_mapping_node", false));
  EXPECT_FALSE(GraphAttr(graph, "_dflow_exception_catch", true));
  EXPECT_TRUE(GraphAttr(graph, "_dflow_builder_async", false));
  EXPECT_EQ(GraphAttr(graph, "_dflow_inputs_align_cache", int64_t{0}), 7);
  EXPECT_EQ(GraphAttr(graph, "_dflow_inputs_align_timeout", int64_t{0}), -1);
  EXPECT_TRUE(GraphAttr(graph, "_dflow_inputs_align_drop", false));

  // Saved and loaded, and dumped.
  const std::string path = testing::TempDir() + "flow_graph_test.air";
  ASSERT_EQ(graph.SaveToFile(path.c_str()), GRAPH_SUCCESS) << LastError();
  Graph loaded("loaded");
  ASSERT_EQ(loaded.LoadFromFile(path.c_str()), GRAPH_SUCCESS) << LastError();
  EXPECT_EQ(Producer(loaded, "join", 0), "split:1");
  ASSERT_EQ(Points(loaded, "join").size(), 1u);
  EXPECT_STREQ(Points(loaded, "join")[0].GetString(), Points(graph, "join")[0].GetString());
  EXPECT_EQ(GraphAttr(loaded, "_dflow_inputs_align_cache", int64_t{0}), 7);
  std::ostringstream dump;
  ASSERT_EQ(graph.Dump(Graph::DumpFormat::kReadable, dump), GRAPH_SUCCESS) << LastError();
  EXPECT_NE(dump.str().find("FlowNode"), std::string::npos) << dump.str();
  std::ostringstream text;
  ASSERT_EQ(graph.Dump(Graph::DumpFormat::kTxt, text), GRAPH_SUCCESS) << LastError();
  EXPECT_NE(text.str().find("_dflow_process_points"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("half.json"), std::string::npos) << text.str();
}

TEST(FlowGraphTest, OutputsCountByIndexAndBeforeInputs) {
  FlowData in("in", 0);
  FlowNode node("node", 1, 3);
  node.SetInput(0, in);
  const std::vector<std::pair<FlowOperator, std::vector<size_t>>> outputs{{node, {2, 0}}};
  FlowGraph flow("outputs");
  flow.SetOutputs(outputs).SetInputs({in});
  const GNodePtr made = flow.ToGeGraph().FindNodeByName("node");
  ASSERT_NE(made, nullptr);
  const size_t count = GeGraphOutputCount(flow.ToGeGraph().handle());
  int32_t ports[2] = {-1, -1};
  std::vector<GeNode *> nodes(2);
  ASSERT_EQ(count, 2u);
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(GeGraphGetOutput(flow.ToGeGraph().handle(), i, &nodes[i], &ports[i]), GE_SUCCESS);
  EXPECT_EQ(ports[0], 2);
  EXPECT_EQ(ports[1], 0);
  flow.SetOutputs({{node, {3}}});
  EXPECT_NE(LastError().find("'node' has no output 3, it has 3"), std::string::npos) << LastError();
  flow.SetInputs({in});
  EXPECT_NE(LastError().find("FlowGraph 'outputs': it has its inputs already"), std::string::npos) << LastError();
  EXPECT_EQ(flow.ToGeGraph().GetDirectNode().size(), 2u);
}

TEST(FlowGraphTest, GraphsOfPointsAreSubgraphs) {
  int built = 0;
  const GraphPp add("add", [&built] {
    ++built;
    return AddGraph();
  });
  const FlowGraphPp inner("inner", [&add] {
    FlowData in("in", 0);
    FlowNode node("first", 1, 1);
    node.SetInput(0, in).AddPp(add);
    FlowGraph flow("inner");
    return flow.SetInputs({in}).SetOutputs(std::vector<FlowOperator>{node});
  });
  const FunctionPp call = FunctionPp("call").AddInvokedClosure("sum", add).AddInvokedClosure("flow", inner);
  FlowData in("in", 0);
  FlowNode first("first", 1, 1), second("second", 1, 1);
  first.SetInput(0, in).AddPp(add);
  second.SetInput(0, first).AddPp(call);
  EXPECT_EQ(built, 0);
  FlowGraph flow("outer");
  flow.SetInputs({in}).SetOutputs(std::vector<FlowOperator>{second});
  EXPECT_EQ(built, 3);  // of first, of call, of the inner flow graph
  const Graph &graph = flow.ToGeGraph();
  ASSERT_EQ(Points(graph, "second").size(), 1u);
  EXPECT_NE(std::string(Points(graph, "second")[0].GetString())
                .find(R"("subgraphs":[{"key":"sum","subgraph":"pp0"},{"key":"flow","subgraph":"pp1"}])"),
            std::string::npos)
      << Points(graph, "second")[0].GetString();
  for (const char *name : {"first/add", "second/call/sum"}) {
    const GraphPtr subgraph = graph.GetSubGraph(name);
    ASSERT_NE(subgraph, nullptr) << name;
    EXPECT_NE(subgraph->FindNodeByName("sum"), nullptr) << name;
  }
  const GraphPtr nested = graph.GetSubGraph("second/call/flow");
  ASSERT_NE(nested, nullptr);
  GraphPtr deep;
  ASSERT_NE(nested->FindNodeByName("first"), nullptr);
  ASSERT_EQ(nested->FindNodeByName("first")->GetSubgraph(0, deep), GRAPH_SUCCESS) << LastError();
  EXPECT_NE(deep->FindNodeByName("sum"), nullptr);
  AscendString name;
  EXPECT_EQ(deep->GetName(name), GRAPH_SUCCESS);
  EXPECT_STREQ(name.GetString(), "second/call/flow/first/add");
  ASSERT_EQ(graph.FindNodeByName("second")->GetSubgraph(1, deep), GRAPH_SUCCESS) << LastError();
  EXPECT_EQ(deep->GetName(name), GRAPH_SUCCESS);
  EXPECT_STREQ(name.GetString(), "second/call/flow");
  EXPECT_EQ(graph.GetAllSubgraphs().size(), 4u);
  EXPECT_EQ(GeGraphVerify(graph.handle()), GE_SUCCESS) << LastError();

  FlowNode twin("second", 1, 1);  // its subgraph would have a name that is taken
  twin.SetInput(0, second).AddPp(FunctionPp("call").AddInvokedClosure("sum", add));
  GeClearLastError();
  FlowGraph("twins").SetInputs({in});
  EXPECT_NE(LastError().find("'second/call/sum'"), std::string::npos) << LastError();

  FlowData other("other", 0);
  FlowNode bad("bad", 1, 1);
  bad.SetInput(0, other).AddPp(GraphPp("none", [] { return Graph(); }));
  FlowGraph("refused").SetInputs({other});
  EXPECT_NE(LastError().find("'bad/none'"), std::string::npos) << LastError();
}

TEST(FlowGraphTest, BatchesAreAttributesOfInputs) {
  dflow::CountBatch count{};
  count.batch_size = 4;
  count.slide_stride = 2;
  count.timeout = 100;
  count.batch_dim = 1;
  count.flag = 3;
  count.padding = true;
  dflow::TimeBatch time{};
  EXPECT_EQ(time.batch_dim, -1);
  time.time_window = 50;
  time.time_interval = 10;
  time.drop_remainder = true;
  const FunctionPp pp("pp");
  FlowData in("in", 0);
  FlowNode node("node", 2, 1);
  node.SetInput(0, in).SetInput(1, in).AddPp(pp);
  node.MapInput(0, pp, 0, {{dflow::DataFlowAttrType::COUNT_BATCH, &count}});
  node.MapInput(1, pp, 1, {{dflow::DataFlowAttrType::TIME_BATCH, &time}});
  FlowGraph flow("batches");
  flow.SetInputs({in});
  const GNodePtr made = flow.ToGeGraph().FindNodeByName("node");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(InputAttr(*made, "_dflow_count_batch_batch_size", 0, int64_t{0}), 4);
  EXPECT_EQ(InputAttr(*made, "_dflow_count_batch_slide_stride", 0, int64_t{0}), 2);
  EXPECT_EQ(InputAttr(*made, "_dflow_count_batch_timeout", 0, int64_t{0}), 100);
  EXPECT_EQ(InputAttr(*made, "_dflow_count_batch_batch_dim", 0, int64_t{0}), 1);
  EXPECT_EQ(InputAttr(*made, "_dflow_count_batch_flag", 0, int64_t{0}), 3);
  EXPECT_TRUE(InputAttr(*made, "_dflow_count_batch_padding", 0, false));
  EXPECT_FALSE(InputAttr(*made, "_dflow_count_batch_drop_remainder", 0, true));
  EXPECT_EQ(InputAttr(*made, "_dflow_time_batch_time_window", 1, int64_t{0}), 50);
  EXPECT_EQ(InputAttr(*made, "_dflow_time_batch_time_interval", 1, int64_t{0}), 10);
  EXPECT_EQ(InputAttr(*made, "_dflow_time_batch_batch_dim", 1, int64_t{0}), -1);
  EXPECT_TRUE(InputAttr(*made, "_dflow_time_batch_drop_remainder", 1, false));
}

TEST(FlowGraphTest, FunctionsHaveParametersAndClosures) {
  FunctionPp pp("f\"1");
  pp.SetInitParam("s", "a\nb").SetInitParam("as", AscendString("x\\y"));
  pp.SetInitParam("ls", std::vector<AscendString>{"p", "q"}).SetInitParam("i", int64_t{-5});
  pp.SetInitParam("li", std::vector<int64_t>{1, 2}).SetInitParam("f", 0.5f).SetInitParam("b", true);
  pp.SetInitParam("lli", std::vector<std::vector<int64_t>>{{1}, {}, {2, 3}});
  pp.SetInitParam("lf", std::vector<float>{1.0f, -0.25f}).SetInitParam("lb", std::vector<bool>{true, false});
  pp.SetInitParam("d", DT_INT32).SetInitParam("ld", std::vector<DataType>{DT_FLOAT, DT_BOOL});
  pp.SetInitParam("i", int64_t{6});
  EXPECT_EQ(Json(pp),
            "{\"name\":\"f\\\"1\",\"type\":\"FUNCTION\",\"init_params\":["
            "{\"name\":\"s\",\"type\":\"VT_STRING\",\"value\":\"a\\u000ab\"},"
            "{\"name\":\"as\",\"type\":\"VT_STRING\",\"value\":\"x\\\\y\"},"
            "{\"name\":\"ls\",\"type\":\"VT_LIST_STRING\",\"value\":[\"p\",\"q\"]},"
            "{\"name\":\"i\",\"type\":\"VT_INT\",\"value\":6},"
            "{\"name\":\"li\",\"type\":\"VT_LIST_INT\",\"value\":[1,2]},"
            "{\"name\":\"f\",\"type\":\"VT_FLOAT\",\"value\":0.5},"
            "{\"name\":\"b\",\"type\":\"VT_BOOL\",\"value\":true},"
            "{\"name\":\"lli\",\"type\":\"VT_LIST_LIST_INT\",\"value\":[[1],[],[2,3]]},"
            "{\"name\":\"lf\",\"type\":\"VT_LIST_FLOAT\",\"value\":[1,-0.25]},"
            "{\"name\":\"lb\",\"type\":\"VT_LIST_BOOL\",\"value\":[true,false]},"
            "{\"name\":\"d\",\"type\":\"VT_DATA_TYPE\",\"value\":3},"
            "{\"name\":\"ld\",\"type\":\"VT_LIST_DATA_TYPE\",\"value\":[0,12]}]}");
  GraphPp add("add", AddGraph);
  add.SetCompileConfig("add.json");
  EXPECT_EQ(add.GetProcessPointType(), dflow::ProcessPointType::GRAPH);
  EXPECT_STREQ(add.GetCompileConfig(), "add.json");
  EXPECT_TRUE(add.GetGraphBuilder()().IsValid());
  FunctionPp caller("caller");
  caller.AddInvokedClosure("one", add).AddInvokedClosure("two", pp);
  const dflow::ProcessPoint &any = add;
  caller.AddInvokedClosure("three", any);
  ASSERT_EQ(caller.GetInvokedClosures().size(), 2u);
  EXPECT_STREQ(caller.GetInvokedClosures().at("three").GetProcessPointName(), "add");
  EXPECT_NE(Json(caller).find(R"("invoked_closures":[{"key":"one","point":{"name":"add","type":"GRAPH")"),
            std::string::npos)
      << Json(caller);
  caller.AddInvokedClosure("one", pp);
  EXPECT_NE(LastError().find("closure 'one': there is one of this name already"), std::string::npos) << LastError();
  pp.AddInvokedClosure("back", caller);
  EXPECT_NE(LastError().find("it would call itself"), std::string::npos) << LastError();
}

TEST(FlowGraphTest, CallsThatCannotBeDoneChangeNothing) {
  FlowData in("in", 0);
  FlowNode node("node", 1, 1);
  const FunctionPp pp("pp");
  node.SetInput(1, in);
  EXPECT_NE(LastError().find("FlowNode 'node': there is no input 1, it has 1"), std::string::npos) << LastError();
  node.SetInput(0, in, 2);
  EXPECT_NE(LastError().find("'in' has no output 2, it has 1"), std::string::npos) << LastError();
  node.MapInput(3, pp, 0);
  EXPECT_NE(LastError().find("no input 3"), std::string::npos) << LastError();
  node.MapOutput(4, pp, 0);
  EXPECT_NE(LastError().find("no output 4"), std::string::npos) << LastError();
  node.MapInput(0, pp, 0, {{dflow::DataFlowAttrType::COUNT_BATCH, nullptr}});
  EXPECT_NE(LastError().find("input 0 has no value"), std::string::npos) << LastError();
  std::vector<AscendString> points;
  EXPECT_NE(node.GetAttr("_dflow_process_points", points), GRAPH_SUCCESS);
  node.AddPp(pp).AddPp(FunctionPp("pp"));
  EXPECT_NE(LastError().find("another process point 'pp'"), std::string::npos) << LastError();
  ASSERT_EQ(node.GetAttr("_dflow_process_points", points), GRAPH_SUCCESS);
  EXPECT_EQ(points.size(), 1u);
  node.SetBalanceGather().SetBalanceScatter();
  EXPECT_NE(LastError().find("not both"), std::string::npos) << LastError();
  FlowGraph("g").SetInputsAlignAttrs(1, -2);
  EXPECT_NE(LastError().find("-2"), std::string::npos) << LastError();
}

TEST(FlowMessageTest, InfoCarriesUserData) {
  DataFlowInfo info;
  info.SetStartTime(1);
  info.SetEndTime(2);
  info.SetFlowFlags(static_cast<uint32_t>(DataFlowFlag::EOS) | static_cast<uint32_t>(DataFlowFlag::SEG));
  info.SetTransactionId(4);
  EXPECT_EQ(info.GetStartTime(), 1u);
  EXPECT_EQ(info.GetEndTime(), 2u);
  EXPECT_EQ(info.GetFlowFlags(), 3u);
  EXPECT_EQ(info.GetTransactionId(), 4u);
  char out[65] = {};
  EXPECT_EQ(info.SetUserData("abcd", 4, 60), SUCCESS);
  EXPECT_EQ(info.GetUserData(out, 6, 58), SUCCESS);
  EXPECT_EQ(std::memcmp(out, "\0\0abcd", 6), 0);
  EXPECT_EQ(info.GetUserData(out, 64), SUCCESS);
  EXPECT_EQ(info.SetUserData("abcd", 4, 61), PARAM_INVALID);
  EXPECT_NE(LastError().find("4 bytes at offset 61"), std::string::npos) << LastError();
  EXPECT_EQ(info.SetUserData("abcd", 4, SIZE_MAX), PARAM_INVALID);
  EXPECT_EQ(info.SetUserData(nullptr, 4), PARAM_INVALID);
  EXPECT_EQ(info.GetUserData(out, 65), PARAM_INVALID);
  EXPECT_EQ(info.GetUserData(out, 0), PARAM_INVALID);
}

TEST(FlowMessageTest, MessagesLieWhereTheyAreAsked) {
  for (const uint32_t align : {1u, 64u, 512u, 4096u}) {
    const FlowMsgPtr msg = FlowBufferFactory::AllocTensorMsg({2, 3}, DT_INT32, align);
    ASSERT_NE(msg, nullptr) << LastError();
    EXPECT_EQ(msg->GetMsgType(), MsgType::TENSOR_DATA);
    ASSERT_NE(msg->GetTensor(), nullptr);
    EXPECT_EQ(msg->GetTensor()->GetSize(), 24u);
    EXPECT_EQ(msg->GetTensor()->GetTensorDesc().GetShape().GetDims(), (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(msg->GetTensor()->GetDataType(), DT_INT32);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(msg->GetTensor()->GetData()) % align, 0u);
    void *data = nullptr;
    uint64_t size = 0;
    EXPECT_EQ(msg->GetRawData(data, size), FAILED);
    const FlowMsgPtr raw = FlowBufferFactory::AllocRawDataMsg(100, align);
    ASSERT_NE(raw, nullptr);
    EXPECT_EQ(raw->GetMsgType(), MsgType::RAW_MSG);
    EXPECT_EQ(raw->GetTensor(), nullptr);
    ASSERT_EQ(raw->GetRawData(data, size), SUCCESS);
    EXPECT_EQ(size, 100u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % align, 0u);
  }
  const std::shared_ptr<Tensor> usual = FlowBufferFactory::AllocTensor({}, DT_FLOAT);
  ASSERT_NE(usual, nullptr);
  EXPECT_EQ(usual->GetSize(), 4u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(usual->GetData()) % 512, 0u);
  EXPECT_NE(FlowBufferFactory::AllocTensor({0}, DT_FLOAT), nullptr) << LastError();
  EXPECT_EQ(FlowBufferFactory::AllocTensor({2}, DT_FLOAT, 96), nullptr);
  EXPECT_NE(LastError().find("96"), std::string::npos) << LastError();
  EXPECT_EQ(FlowBufferFactory::AllocRawDataMsg(1, 0), nullptr);
  EXPECT_EQ(FlowBufferFactory::AllocTensorMsg({-1}, DT_FLOAT), nullptr);
  EXPECT_EQ(FlowBufferFactory::AllocTensorMsg({2}, DT_UNDEFINED), nullptr);
  EXPECT_EQ(FlowBufferFactory::AllocTensorMsg({INT64_MAX, 2}, DT_FLOAT), nullptr);
  EXPECT_EQ(FlowBufferFactory::AllocTensorMsg({INT64_MAX}, DT_FLOAT), nullptr);
}

TEST(FlowMessageTest, MessagesCopyWhatTheyAreMadeOf) {
  float values[] = {1.5f, 2.5f};
  const Tensor tensor(TensorDesc(Shape({2}), FORMAT_ND, DT_FLOAT), reinterpret_cast<uint8_t *>(values), sizeof values);
  const FlowMsgPtr msg = FlowBufferFactory::ToFlowMsg(tensor);
  ASSERT_NE(msg, nullptr);
  EXPECT_NE(msg->GetTensor()->GetData(), tensor.GetData());
  EXPECT_EQ(std::memcmp(msg->GetTensor()->GetData(), values, sizeof values), 0);
  char text[] = "hello";
  const FlowMsgPtr raw = FlowBufferFactory::ToFlowMsg(RawData{text, 5});
  ASSERT_NE(raw, nullptr);
  text[0] = 'j';
  void *data = nullptr;
  uint64_t size = 0;
  ASSERT_EQ(raw->GetRawData(data, size), SUCCESS);
  EXPECT_EQ(std::string(static_cast<char *>(data), size), "hello");
  EXPECT_EQ(FlowBufferFactory::ToFlowMsg(RawData{nullptr, 5}), nullptr);
  const FlowMsgPtr empty = FlowBufferFactory::AllocEmptyDataMsg(static_cast<MsgType>(1030));
  EXPECT_EQ(static_cast<int>(empty->GetMsgType()), 1030);
  EXPECT_EQ(empty->GetTensor(), nullptr);
  empty->SetMsgType(MsgType::USER_DEFINE_START);
  EXPECT_EQ(static_cast<int>(empty->GetMsgType()), 1024);
  empty->SetRetCode(-7);
  empty->SetTransactionId(9);
  empty->SetFlowFlags(2);
  EXPECT_EQ(empty->GetRetCode(), -7);
  EXPECT_EQ(empty->GetTransactionId(), 9u);
  EXPECT_EQ(empty->GetFlowFlags(), 2u);
  char byte = 0;
  EXPECT_EQ(empty->SetUserData("z", 1, 63), SUCCESS);
  EXPECT_EQ(empty->GetUserData(&byte, 1, 63), SUCCESS);
  EXPECT_EQ(byte, 'z');
}

}  // namespace
}  // namespace ge
