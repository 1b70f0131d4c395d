// Data-flow graphs at work: batches, matching, closures, ends of streams, raw data, libraries of functions.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "ge/ge_error_codes.h"
#include "tests/cxx/flow_functions.h"

namespace {

using FlowFunc::FLOW_FUNC_FAILED;
using FlowFunc::FLOW_FUNC_SUCCESS;
using FlowFunc::FlowMsg;
using Messages = std::vector<std::shared_ptr<FlowMsg>>;

/// Answers with the shapes of its inputs, one behind the other, and a zero.
class Shapes : public FlowFunc::MetaFlowFunc {
 public:
  int32_t Init() override { return FLOW_FUNC_SUCCESS; }
  int32_t Proc(const Messages &inputs) override {
    std::vector<float> all;
    for (const auto &input : inputs) {
      for (const int64_t dim : input->GetTensor()->GetShape()) all.push_back(static_cast<float>(dim));
      const float *values = static_cast<const float *>(input->GetTensor()->GetData());
      all.push_back(-1);
      all.insert(all.end(), values, values + input->GetTensor()->GetElementCnt());
    }
    auto made = context_->AllocTensorMsg({static_cast<int64_t>(all.size())}, FlowFunc::TensorDataType::DT_FLOAT);
    std::memcpy(made->GetTensor()->GetData(), all.data(), all.size() * sizeof(float));
    return context_->SetOutput(0, made);
  }
};
REGISTER_FLOW_FUNC("Shapes", Shapes);

/// Calls closure "graph" and, where it is there, closure "flow" with the result.
class Caller : public FlowFunc::MetaMultiFunc {
 public:
  int32_t Init(const std::shared_ptr<FlowFunc::MetaParams> &params) override {
    kept_ = params;
    if (params->GetInputNum() != 1 || params->GetOutputNum() != 1) return FLOW_FUNC_FAILED;
    FlowFunc::AscendString text;
    if (params->GetAttr("text", text) != FLOW_FUNC_SUCCESS || !(text == "a\"b")) return 1;
    std::vector<int64_t> numbers;
    if (params->GetAttr("numbers", numbers) != FLOW_FUNC_SUCCESS || numbers != std::vector<int64_t>{3, -4}) return 2;
    std::vector<std::vector<int64_t>> rows;
    if (params->GetAttr("rows", rows) != FLOW_FUNC_SUCCESS || rows.size() != 2 || rows[1].size() != 2) return 3;
    FlowFunc::TensorDataType type = FlowFunc::TensorDataType::DT_FLOAT;
    if (params->GetAttr("type", type) != FLOW_FUNC_SUCCESS || type != FlowFunc::TensorDataType::DT_INT32) return 4;
    float other = 0;
    if (params->GetAttr("text", other) != FlowFunc::FLOW_FUNC_ERR_ATTR_TYPE_MISMATCH) return 5;
    if (params->GetAttr("none", other) != FlowFunc::FLOW_FUNC_ERR_ATTR_NOT_EXITS) return 6;
    std::vector<bool> flags;
    if (params->GetAttr("flags", flags) != FLOW_FUNC_SUCCESS || flags != std::vector<bool>{true, false}) return 7;
    return params->GetAttr("call", calls_);
  }
  int32_t Call(const std::shared_ptr<FlowFunc::MetaRunContext> &context, const Messages &inputs) {
    if (kept_->GetAttr("text") != nullptr) return 8;  // for Init only
    Messages messages = inputs;
    for (const FlowFunc::AscendString &key : calls_) {
      Messages results;
      const int32_t code = context->RunFlowModel(key.GetString(), messages, results, 60000);
      if (code != FLOW_FUNC_SUCCESS) return code;
      messages = results;
    }
    if (messages[0]->GetTensor()->Reshape({1, messages[0]->GetTensor()->GetElementCnt()}) != FLOW_FUNC_SUCCESS)
      return 9;
    if (messages[0]->GetTensor()->Reshape({1000}) == FLOW_FUNC_SUCCESS) return 10;
    return context->SetOutput(0, messages[0]);
  }

 private:
  std::shared_ptr<FlowFunc::MetaParams> kept_;
  std::vector<FlowFunc::AscendString> calls_;
};
FLOW_FUNC_REGISTRAR(Caller).RegProcFunc("Call", &Caller::Call);

/// Reads pairs from its queue and sends their sums; what is alone at the end of the stream goes as it is.
class Pairs : public FlowFunc::MetaMultiFunc {
 public:
  int32_t Sum(const std::shared_ptr<FlowFunc::MetaRunContext> &context,
              const std::vector<std::shared_ptr<FlowFunc::FlowMsgQueue>> &queues) {
    std::shared_ptr<FlowMsg> left, right;
    if (queues.size() != 1 || queues[0]->Depth() < 1 || queues[0]->Size() < 1) return FLOW_FUNC_FAILED;
    int32_t code = queues[0]->Dequeue(left, 0);
    if (code == FLOW_FUNC_SUCCESS && left->GetFlowFlags() == 0) code = queues[0]->Dequeue(right);
    if (code != FLOW_FUNC_SUCCESS) return code;
    auto made = context->AllocTensorMsg({1}, FlowFunc::TensorDataType::DT_FLOAT);
    float sum = 0;
    for (const auto &message : {left, right})
      if (message != nullptr) sum += *static_cast<const float *>(message->GetTensor()->GetData());
    *static_cast<float *>(made->GetTensor()->GetData()) = sum;
    return context->SetOutput(0, made);
  }
};
FLOW_FUNC_REGISTRAR(Pairs).RegProcFunc("Pairs", &Pairs::Sum);

/// Turns raw bytes around.
class Turn : public FlowFunc::MetaFlowFunc {
 public:
  int32_t Init() override { return FLOW_FUNC_SUCCESS; }
  int32_t Proc(const Messages &inputs) override {
    void *from = nullptr, *to = nullptr;
    uint64_t size = 0, room = 0;
    if (inputs[0]->GetTensor() != nullptr || inputs[0]->GetRawData(from, size) != FLOW_FUNC_SUCCESS) return 1;
    auto made = context_->AllocRawDataMsg(static_cast<int64_t>(size));
    if (made->GetRawData(to, room) != FLOW_FUNC_SUCCESS || room != size) return 2;
    if (reinterpret_cast<uintptr_t>(to) % 512 != 0) return 3;
    std::reverse_copy(static_cast<char *>(from), static_cast<char *>(from) + size, static_cast<char *>(to));
    return context_->SetOutput(0, made);
  }
};
REGISTER_FLOW_FUNC("Turn", Turn);

}  // namespace

namespace ge {
namespace {

using dflow::CountBatch;
using dflow::DataFlowAttrType;
using dflow::FlowData;
using dflow::FlowGraph;
using dflow::FlowGraphPp;
using dflow::FlowNode;
using dflow::FlowOperator;
using dflow::FunctionPp;
using dflow::GraphPp;
using dflow::TimeBatch;

constexpr uint32_t kEos = static_cast<uint32_t>(DataFlowFlag::EOS), kSeg = static_cast<uint32_t>(DataFlowFlag::SEG);

class FlowFeatures : public FlowRunTest {
 protected:
  template <class Batch>
  void AddBatch(DataFlowAttrType type, Batch batch) {
    const FunctionPp shapes("Shapes");
    FlowData in("in", 0);
    FlowNode node("node", 1, 1);
    node.SetInput(0, in).MapInput(0, shapes, 0, {{type, &batch}}).MapOutput(0, shapes, 0);
    AddFlow(FlowGraph("batch").SetInputs({in}).SetOutputs(std::vector<FlowOperator>{node}));
  }
  void FeedRows(const std::vector<float> &firsts, uint32_t last_flags = 0) {  // [first, first + 1]
    for (size_t i = 0; i < firsts.size(); ++i) {
      DataFlowInfo info;
      info.SetFlowFlags(i + 1 == firsts.size() ? last_flags : 0);
      ASSERT_EQ(session_->FeedDataFlowGraph(1, {Floats({firsts[i], firsts[i] + 1})}, info, -1), SUCCESS) << LastError();
    }
  }
  void Close(uint32_t flags) {
    DataFlowInfo info;
    info.SetFlowFlags(flags);
    ASSERT_EQ(session_->FeedDataFlowGraph(1, std::vector<Tensor>{}, info, -1), SUCCESS) << LastError();
  }
  Status FetchEnd() {
    std::vector<Tensor> outputs;
    DataFlowInfo info;
    const Status status = session_->FetchDataFlowGraph(1, outputs, info, kSoon);
    EXPECT_EQ(info.GetFlowFlags(), kEos);
    EXPECT_TRUE(outputs.empty());
    return status;
  }
};

TEST_F(FlowFeatures, CountBatchesAreStacked) {
  CountBatch batch{};
  batch.batch_size = 3;
  AddBatch(DataFlowAttrType::COUNT_BATCH, batch);
  FeedRows({10, 20, 30, 40, 50, 60, 70}, kEos);  // a dimension in front; the rest is short
  EXPECT_EQ(Next(), "3 2 -1 10 11 20 21 30 31");
  EXPECT_EQ(Next(), "3 2 -1 40 41 50 51 60 61");
  EXPECT_EQ(Next(), "1 2 -1 70 71");
}

TEST_F(FlowFeatures, CountBatchesArePaddedAndSlide) {
  CountBatch batch{};
  batch.batch_size = 3;
  batch.slide_stride = 1;
  batch.batch_dim = 1;
  batch.padding = true;
  AddBatch(DataFlowAttrType::COUNT_BATCH, batch);
  FeedRows({10, 20, 30, 40});
  EXPECT_EQ(Next(), "2 3 -1 10 20 30 11 21 31");
  EXPECT_EQ(Next(), "2 3 -1 20 30 40 21 31 41");
  Close(kEos);  // 30 and 40 have been in a batch
  EXPECT_EQ(FetchEnd(), END_OF_SEQUENCE);
  FeedRows({50, 60}, kSeg);
  EXPECT_EQ(Next(), "2 3 -1 50 60 0 51 61 0");
}

TEST_F(FlowFeatures, RemaindersAreDropped) {
  CountBatch batch{};
  batch.batch_size = 2;
  batch.drop_remainder = true;
  AddBatch(DataFlowAttrType::COUNT_BATCH, batch);
  FeedRows({10, 20, 30});
  Close(kEos);
  EXPECT_EQ(Next(), "2 2 -1 10 11 20 21");
  EXPECT_EQ(FetchEnd(), END_OF_SEQUENCE);
  FeedRows({40, 50});
  EXPECT_EQ(Next(), "2 2 -1 40 41 50 51");
}

TEST_F(FlowFeatures, TimeoutsCloseBatches) {
  CountBatch batch{};
  batch.batch_size = 1000;
  batch.timeout = 1;
  AddBatch(DataFlowAttrType::COUNT_BATCH, batch);
  FeedRows({10});
  EXPECT_EQ(Next(), "1 2 -1 10 11");
}

TEST_F(FlowFeatures, TimeBatchesHoldWhatComesInTheirWindow) {
  TimeBatch batch{};
  batch.time_window = -1;  // until a stream or segment ends
  batch.batch_dim = 0;
  AddBatch(DataFlowAttrType::TIME_BATCH, batch);
  FeedRows({10, 20, 30}, kSeg);
  EXPECT_EQ(Next(), "6 -1 10 11 20 21 30 31");
  FeedRows({40}, kSeg);
  EXPECT_EQ(Next(), "2 -1 40 41");
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);
  batch.batch_dim = -1;
  batch.time_window = 2;  // ms
  AddBatch(DataFlowAttrType::TIME_BATCH, batch);
  FeedRows({10, 20, 30});
  int64_t rows = 0;
  while (rows < 3) {  // how many windows it takes is the machine's
    std::vector<Tensor> outputs;
    ASSERT_EQ(Fetch(outputs), SUCCESS) << LastError();
    const std::vector<float> values = Values(outputs[0]);
    ASSERT_GT(values.size(), 3u);
    EXPECT_EQ(values[1], 2);
    EXPECT_EQ(values[3], 10 * static_cast<float>(rows + 1));
    rows += static_cast<int64_t>(values[0]);
  }
  EXPECT_EQ(rows, 3);
}

TEST_F(FlowFeatures, BatchesThatDoNotFitAreErrors) {
  CountBatch batch{};
  batch.batch_size = 2;
  AddBatch(DataFlowAttrType::COUNT_BATCH, batch);
  ASSERT_EQ(Feed({1, 2}), SUCCESS) << LastError();
  ASSERT_EQ(Feed({1, 2, 3}), SUCCESS) << LastError();
  const std::string text = Next();
  EXPECT_EQ(text.find(std::to_string(FAILED)), 0u) << text;
  EXPECT_NE(text.find("a batch has messages of DT_FLOAT [2] and DT_FLOAT [3]"), std::string::npos) << text;
  FeedRows({1, 2});
  EXPECT_EQ(Next(), "2 2 -1 1 2 2 3");
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);
  batch.batch_size = 0;
  AddBatch(DataFlowAttrType::COUNT_BATCH, batch);
  EXPECT_EQ(Feed({1}), FAILED);
  EXPECT_NE(LastError().find("FlowNode 'node', input 0: batch_size is 0, expected 1 or more"), std::string::npos)
      << LastError();
}

TEST_F(FlowFeatures, InputsAreMatchedByTransaction) {
  auto feed = [this](uint32_t input, uint64_t id, float value) {
    DataFlowInfo info;
    info.SetTransactionId(id);
    ASSERT_EQ(session_->FeedDataFlowGraph(1, {input}, {Floats({value})}, info, -1), SUCCESS) << LastError();
  };
  for (const bool drop : {true, false}) {
    FlowData a("a", 0), b("b", 1);
    FlowNode node("node", 2, 1);
    node.SetInput(0, a).SetInput(1, b).AddPp(FunctionPp("Shapes"));
    FlowGraph flow("match");
    AddFlow(flow.SetInputs({a, b}).SetOutputs(std::vector<FlowOperator>{node}).SetInputsAlignAttrs(2, -1, drop));
    feed(0, 1, 10);
    feed(0, 2, 20);
    feed(1, 2, 21);
    EXPECT_EQ(Next(), "1 -1 20 1 -1 21");
    feed(1, 1, 11);
    EXPECT_EQ(Next(), "1 -1 10 1 -1 11");
    for (const uint64_t id : {3, 4, 5}) feed(0, id, static_cast<float>(id));  // two may wait
    if (!drop) {
      const std::string text = Next();
      EXPECT_EQ(text.find(std::to_string(ACL_ERROR_GE_DATA_NOT_ALIGNED)), 0u) << text;
      EXPECT_NE(text.find("transaction 3: 1 of 2 inputs have come"), std::string::npos) << text;
    }
    feed(1, 5, 51);
    EXPECT_EQ(Next(), "1 -1 5 1 -1 51");
    ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);
  }
}

TEST_F(FlowFeatures, EndsOfStreamsPassThrough) {
  AddNode(GraphPp("double", Twice("Add")));
  DataFlowInfo info;
  info.SetFlowFlags(kSeg);
  ASSERT_EQ(session_->FeedDataFlowGraph(1, {Floats({2})}, info, -1), SUCCESS) << LastError();
  Close(kEos);
  ASSERT_EQ(Feed({3}), SUCCESS);
  std::vector<Tensor> outputs;
  DataFlowInfo got;
  ASSERT_EQ(session_->FetchDataFlowGraph(1, outputs, got, kSoon), SUCCESS) << LastError();
  EXPECT_EQ(got.GetFlowFlags(), kSeg);
  EXPECT_EQ(Values(outputs[0]), std::vector<float>{4});
  EXPECT_EQ(FetchEnd(), END_OF_SEQUENCE);
  EXPECT_EQ(Next(), "6");
  EXPECT_EQ(session_->FeedDataFlowGraph(1, std::vector<Tensor>{}, DataFlowInfo(), 0), PARAM_INVALID);
}

TEST_F(FlowFeatures, FunctionsCallGraphs) {
  const GraphPp twice("double", Twice("Add"));
  const FlowGraphPp flow("flow", [] {
    FlowData in("in", 0);
    FlowNode first("first", 1, 1), second("second", 1, 1);
    first.SetInput(0, in).AddPp(GraphPp("square", Twice("Mul")));
    second.SetInput(0, first).AddPp(GraphPp("double", Twice("Add")));
    FlowGraph inner("inner");
    return inner.SetInputs({in}).SetOutputs(std::vector<FlowOperator>{second});
  });
  auto caller = [&](const std::vector<AscendString> &calls) {
    FunctionPp function("Call");
    function.AddInvokedClosure("graph", twice).AddInvokedClosure("flow", flow);
    function.SetInitParam("text", "a\"b").SetInitParam("numbers", std::vector<int64_t>{3, -4});
    function.SetInitParam("rows", std::vector<std::vector<int64_t>>{{1}, {2, 3}}).SetInitParam("type", DT_INT32);
    return function.SetInitParam("flags", std::vector<bool>{true, false}).SetInitParam("call", calls);
  };
  AddNode(caller({"graph", "flow", "graph"}));
  for (int i = 0; i < 5; ++i) ASSERT_EQ(Feed({static_cast<float>(i), 1}), SUCCESS) << LastError();
  for (int i = 0; i < 5; ++i) {  // 2 · 2 · (2x)²
    std::vector<Tensor> outputs;
    DataFlowInfo info;
    ASSERT_EQ(session_->FetchDataFlowGraph(1, outputs, info, kSoon), SUCCESS) << LastError();
    EXPECT_EQ(Values(outputs[0]), (std::vector<float>{16.0f * static_cast<float>(i * i), 16}));
    EXPECT_EQ(outputs[0].GetTensorDesc().GetShape().GetDims(), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(info.GetTransactionId(), static_cast<uint64_t>(i + 1));
  }
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);
  AddNode(caller({"nobody"}));
  ASSERT_EQ(Feed({1}), SUCCESS) << LastError();
  const std::string text = Next();
  EXPECT_NE(text.find("'Call' has no closure 'nobody'; it has flow, graph"), std::string::npos) << text;
}

TEST_F(FlowFeatures, AFlowGraphInsideAnotherIsPartOfIt) {
  const FlowGraphPp inner("inner", [] {
    FlowData a("a", 0), b("b", 1);
    FlowNode left("left", 1, 1), both("both", 2, 1);
    left.SetInput(0, a).AddPp(GraphPp("square", Twice("Mul")));
    both.SetInput(0, left).SetInput(1, b).AddPp(FunctionPp("Shapes"));
    FlowGraph flow("inner");
    return flow.SetInputs({a, b}).SetOutputs(std::vector<FlowOperator>{left, both});
  });
  AddNode(inner, 2, 2);
  ASSERT_EQ(session_->FeedDataFlowGraph(1, {Floats({3}), Floats({5})}, DataFlowInfo(), -1), SUCCESS) << LastError();
  EXPECT_EQ(Next(), "9 1 -1 9 1 -1 5");
}

TEST_F(FlowFeatures, FunctionsMayReadTheirInputsThemselves) {
  AddNode(FunctionPp("Pairs"));
  for (int i = 1; i <= 4; ++i) ASSERT_EQ(Feed({static_cast<float>(i)}), SUCCESS) << LastError();
  EXPECT_EQ(Next(), "3");
  EXPECT_EQ(Next(), "7");
  ASSERT_EQ(Feed({5}), SUCCESS);
  DataFlowInfo info;
  info.SetFlowFlags(kEos);
  ASSERT_EQ(session_->FeedDataFlowGraph(1, {Floats({6})}, info, -1), SUCCESS);
  ASSERT_EQ(session_->FeedDataFlowGraph(1, {Floats({7})}, info, -1), SUCCESS);
  EXPECT_EQ(Next(), "11");
  EXPECT_EQ(Next(), "7");
  ASSERT_EQ(Feed({8}), SUCCESS);  // it waits for another one when the graph ends
}

TEST_F(FlowFeatures, RawDataAndMessages) {
  AddNode(FunctionPp("Turn"));
  ASSERT_EQ(session_->FeedRawData(1, {{"ab", 2}, {"cde", 3}}, 0, DataFlowInfo(), -1), SUCCESS) << LastError();
  ASSERT_EQ(session_->FeedDataFlowGraph(1, {FlowBufferFactory::ToFlowMsg(RawData{"xyz", 3})}, -1), SUCCESS);
  for (const char *expected : {"edcba", "zyx"}) {
    std::vector<FlowMsgPtr> messages;
    ASSERT_EQ(session_->FetchDataFlowGraph(1, messages, kSoon), SUCCESS) << LastError();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0]->GetMsgType(), MsgType::RAW_MSG);
    void *data = nullptr;
    uint64_t size = 0;
    ASSERT_EQ(messages[0]->GetRawData(data, size), SUCCESS) << LastError();
    EXPECT_EQ(std::string(static_cast<char *>(data), size), expected);
  }
  EXPECT_EQ(session_->FeedRawData(1, {}, 0, DataFlowInfo(), -1), PARAM_INVALID);
  EXPECT_EQ(session_->FeedRawData(1, {{nullptr, 1}}, 0, DataFlowInfo(), -1), PARAM_INVALID);
  EXPECT_EQ(session_->FeedRawData(1, {{"a", 1}}, 1, DataFlowInfo(), -1), PARAM_INVALID);
  EXPECT_EQ(session_->FeedDataFlowGraph(1, std::vector<FlowMsgPtr>{nullptr}, -1), PARAM_INVALID);
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);

  AddNode(GraphPp("double", Twice("Add", {2})));
  const float values[] = {1.5f, 2.5f};
  ASSERT_EQ(session_->FeedRawData(1, {{values, sizeof values}}, 0, DataFlowInfo(), -1), SUCCESS) << LastError();
  ASSERT_EQ(session_->FeedRawData(1, {{values, 4}}, 0, DataFlowInfo(), -1), SUCCESS) << LastError();
  EXPECT_EQ(Next(), "3 5");
  EXPECT_NE(Next().find("got 4 raw bytes, expected a tensor of shape [2]"), std::string::npos) << LastError();
  const FlowMsgPtr message = FlowBufferFactory::ToFlowMsg(Floats({4, 5}));
  message->SetTransactionId(99);
  ASSERT_EQ(session_->FeedDataFlowGraph(1, {0}, {message}, -1), SUCCESS) << LastError();
  std::vector<FlowMsgPtr> messages;
  ASSERT_EQ(session_->FetchDataFlowGraph(1, {0}, messages, kSoon), SUCCESS) << LastError();
  EXPECT_EQ(messages[0]->GetTransactionId(), 99u);
  ASSERT_NE(messages[0]->GetTensor(), nullptr);
  EXPECT_EQ(Values(*messages[0]->GetTensor()), (std::vector<float>{8, 10}));
}

/// Files of process points in a folder of their own.
class FlowFiles : public FlowFeatures {
 protected:
  void SetUp() override {
    FlowFeatures::SetUp();
    folder_ = testing::TempDir() + "ge_flow_XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override {
    FlowFeatures::TearDown();
    std::filesystem::remove_all(folder_);
  }
  std::string File(const std::string &name, const std::string &text) {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  std::string folder_;
};

TEST_F(FlowFiles, CMakeBuildsTheLibraryThatAProcessPointNames) {
  std::filesystem::copy(GE_TEST_FLOW_LIBRARY, folder_ + "/udf");
  const std::string config = File("both.json", R"({
    "workspace": "udf", "cmakelist_path": "CMakeLists.txt", "target_bin": "libboth.so", "input_num": 2, "output_num": 2,
    "func_list": [{"func_name": "Sum", "inputs_index": [0, 1], "outputs_index": [0]},
                  {"func_name": "Difference", "inputs_index": [1, 0], "outputs_index": [1]}]})");
  ASSERT_EQ(setenv("GE_TEST_SOURCES", GE_TEST_SOURCES, 1), 0);
  AddNode(FunctionPp("both").SetCompileConfig(config.c_str()).SetInitParam("factor", int64_t{10}), 2, 2);
  for (int i = 0; i < 3; ++i) {
    const float x = static_cast<float>(i);
    ASSERT_EQ(session_->FeedDataFlowGraph(1, {Floats({x}), Floats({5})}, DataFlowInfo(), -1), SUCCESS) << LastError();
  }
  EXPECT_EQ(Next(), "50 50");  // 10 (x + 5) and 10 (5 - x)
  EXPECT_EQ(Next(), "60 40");
  EXPECT_EQ(Next(), "70 30");
  // The library's functions are its own.
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);
  AddNode(FunctionPp("Sum"));
  EXPECT_EQ(Feed({1}), FAILED);
  EXPECT_NE(LastError().find("registers no flow function 'Sum'"), std::string::npos) << LastError();
}

TEST_F(FlowFiles, FilesThatAreWrongAreNamed) {
  auto refused = [&](const std::string &config) {
    AddNode(FunctionPp("Shapes").SetCompileConfig(config.c_str()));
    EXPECT_EQ(Feed({1}), FAILED);
    EXPECT_EQ(session_->RemoveGraph(1), SUCCESS);
    return LastError();
  };
  std::string text = refused(folder_ + "/none.json");
  EXPECT_NE(text.find("none.json': it cannot be opened"), std::string::npos) << text;
  text = refused(File("bad.json", "{"));
  EXPECT_NE(text.find("bad.json"), std::string::npos) << text;
  text = refused(File("lost.json", R"({"target_bin": "liblost.so"})"));
  EXPECT_NE(text.find("liblost.so"), std::string::npos) << text;
  text = refused(File("name.json", R"({"func_list": [{"func_name": "Missing"}]})"));
  EXPECT_NE(text.find("'Missing'"), std::string::npos) << text;
  text = refused(File("count.json", R"({"input_num": 3})"));
  EXPECT_NE(text.find("input_num is 3, the node connects 1"), std::string::npos) << text;
  text = refused(File("port.json", R"({"func_list": [{"func_name": "Shapes", "inputs_index": [4]}]})"));
  EXPECT_NE(text.find("inputs_index has 4, there are 1"), std::string::npos) << text;
  for (const char *index : {"-1", "0.5", "4294967296", "1e35", "\"0\""}) {
    text = refused(
        File("port.json", std::string(R"({"func_list": [{"func_name": "Shapes", "inputs_index": [)") + index + "]}]}"));
    EXPECT_NE(text.find("expected a whole number from 0 to 4294967295"), std::string::npos) << text;
  }
  File("CMakeLists.txt", "message(FATAL_ERROR \"no such thing\")");
  text = refused(File("build.json", R"({"cmakelist_path": "CMakeLists.txt", "target_bin": "libx.so"})"));
  EXPECT_NE(text.find("no such thing"), std::string::npos) << text;
}

TEST_F(FlowFiles, GraphsTakeShapesAndOptions) {
  const std::string config = File("graph.json", R"({
    "inputs_tensor_desc": [{"shape": [2], "data_type": "DT_FLOAT", "format": "ND"}], "build_options": {"threads": "1"}})");
  AddNode(GraphPp("double", Twice("Add")).SetCompileConfig(config.c_str()));
  ASSERT_EQ(Feed({1, 2}), SUCCESS) << LastError();
  ASSERT_EQ(Feed({1, 2, 3}), SUCCESS) << LastError();
  EXPECT_EQ(Next(), "2 4");
  EXPECT_NE(Next().find("input 'x' has shape [3], expected [2]"), std::string::npos) << LastError();
}

TEST_F(FlowFiles, GraphsThatAFunctionCallsTakeTheirOwnShapesAndOptions) {
  auto call = [&](const std::string &config) {
    GraphPp twice("double", Twice("Add"));
    twice.SetCompileConfig(config.c_str());
    FunctionPp function("Call");
    function.AddInvokedClosure("graph", twice).SetInitParam("text", "a\"b").SetInitParam("type", DT_INT32);
    function.SetInitParam("rows", std::vector<std::vector<int64_t>>{{1}, {2, 3}});
    function.SetInitParam("numbers", std::vector<int64_t>{3, -4}).SetInitParam("flags", std::vector<bool>{true, false});
    AddNode(function.SetInitParam("call", std::vector<AscendString>{"graph"}));
  };
  const std::string entry = R"({"shape": [2], "data_type": "DT_FLOAT", "format": "ND"})";
  call(File("two.json", R"({"inputs_tensor_desc": [)" + entry + R"(], "build_options": {"threads": "1"}})"));
  ASSERT_EQ(Feed({1, 2}), SUCCESS) << LastError();
  ASSERT_EQ(Feed({1, 2, 3}), SUCCESS) << LastError();
  EXPECT_EQ(Next(), "2 4");
  EXPECT_NE(Next().find("input 'x' has shape [3], expected [2]"), std::string::npos) << LastError();
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);

  call(File("many.json", R"({"inputs_tensor_desc": [)" + entry + "," + entry + "]}"));
  EXPECT_EQ(Feed({1}), FAILED);
  const std::string text = LastError();
  EXPECT_NE(text.find("closure 'graph'"), std::string::npos) << text;
  EXPECT_NE(text.find("inputs_tensor_desc has 2 entries"), std::string::npos) << text;
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);

  call(File("object.json", R"({"inputs_tensor_desc": {}})"));
  EXPECT_EQ(Feed({1}), FAILED);
  EXPECT_NE(LastError().find("inputs_tensor_desc is {}, expected a list"), std::string::npos) << LastError();
}

}  // namespace
}  // namespace ge
