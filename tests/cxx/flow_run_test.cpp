// Data-flow graphs at work: pipelines, several consumers, errors, waiting, ends.
#include <stdexcept>
#include <thread>

#include "ge/ge_error_codes.h"
#include "tests/cxx/flow_functions.h"

namespace {

using FlowFunc::FlowMsg;
using FlowFunc::MetaFlowFunc;
using Messages = std::vector<std::shared_ptr<FlowMsg>>;

ge::Gate gate;

/// Message of the same shape with a function of the values.
template <class F>
std::shared_ptr<FlowMsg> Mapped(FlowFunc::MetaRunContext &context, const FlowMsg &message, F &&function) {
  const FlowFunc::Tensor *in = message.GetTensor();
  auto made = context.AllocTensorMsg(in->GetShape(), in->GetDataType());
  for (int64_t i = 0; i < in->GetElementCnt(); ++i)
    static_cast<float *>(made->GetTensor()->GetData())[i] = function(static_cast<const float *>(in->GetData())[i]);
  return made;
}

class AddParameter : public MetaFlowFunc {
 public:
  int32_t Init() override { return context_->GetAttr("add", add_); }
  int32_t Proc(const Messages &inputs) override {
    return context_->SetOutput(0, Mapped(*context_, *inputs[0], [this](float v) { return v + add_; }));
  }

 private:
  float add_ = 0;
};
REGISTER_FLOW_FUNC("AddParameter", AddParameter);

class Subtract : public MetaFlowFunc {
 public:
  int32_t Init() override { return FlowFunc::FLOW_FUNC_SUCCESS; }
  int32_t Proc(const Messages &inputs) override {
    const float right = *static_cast<const float *>(inputs[1]->GetTensor()->GetData());
    return context_->SetOutput(0, Mapped(*context_, *inputs[0], [&](float v) { return v - right; }));
  }
};
REGISTER_FLOW_FUNC("Subtract", Subtract);

/// Negative values are not liked; those above 1000 are thrown out.
class Picky : public MetaFlowFunc {
 public:
  int32_t Init() override { return FlowFunc::FLOW_FUNC_SUCCESS; }
  int32_t Proc(const Messages &inputs) override {
    const float value = *static_cast<const float *>(inputs[0]->GetTensor()->GetData());
    if (value < 0) return FlowFunc::FLOW_FUNC_ERR_USER_DEFINE_START + 5;
    if (value > 1000) throw std::runtime_error("too large");
    return context_->SetOutput(0, inputs[0]);
  }
};
REGISTER_FLOW_FUNC("Picky", Picky);

class Waits : public MetaFlowFunc {
 public:
  int32_t Init() override { return FlowFunc::FLOW_FUNC_SUCCESS; }
  int32_t Proc(const Messages &inputs) override {
    gate.Pass();
    return context_->SetOutput(0, inputs[0]);
  }
};
REGISTER_FLOW_FUNC("Waits", Waits);

class DoesNotStart : public MetaFlowFunc {
 public:
  int32_t Init() override { return 9900042; }
  int32_t Proc(const Messages &) override { return FlowFunc::FLOW_FUNC_SUCCESS; }
};
REGISTER_FLOW_FUNC("DoesNotStart", DoesNotStart);

/// Twice for odd values, nothing for even ones.
class Uneven : public MetaFlowFunc {
 public:
  int32_t Init() override { return FlowFunc::FLOW_FUNC_SUCCESS; }
  int32_t Proc(const Messages &inputs) override {
    const float value = *static_cast<const float *>(inputs[0]->GetTensor()->GetData());
    for (int i = 0; i < 2 && static_cast<int>(value) % 2 == 1; ++i)
      if (context_->SetOutput(0, inputs[0]) != FlowFunc::FLOW_FUNC_SUCCESS) return FlowFunc::FLOW_FUNC_FAILED;
    return FlowFunc::FLOW_FUNC_SUCCESS;
  }
};
REGISTER_FLOW_FUNC("Uneven", Uneven);

class Raises : public MetaFlowFunc {
 public:
  int32_t Init() override { return FlowFunc::FLOW_FUNC_SUCCESS; }
  int32_t Proc(const Messages &) override {
    context_->RaiseException(77, 4711);
    return FlowFunc::FLOW_FUNC_SUCCESS;
  }
};
REGISTER_FLOW_FUNC("Raises", Raises);

/// Code and context of an exception, and the first byte of the user data.
class Hears : public MetaFlowFunc {
 public:
  int32_t Init() override { return FlowFunc::FLOW_FUNC_SUCCESS; }
  int32_t Proc(const Messages &) override {
    int32_t code = 0;
    uint64_t context = 0;
    uint8_t byte = 0;
    (void)context_->GetException(code, context);
    if (context_->GetUserData(&byte, 1) != FlowFunc::FLOW_FUNC_SUCCESS || context_->GetUserData(&byte, 2, 63) == 0)
      return FlowFunc::FLOW_FUNC_FAILED;
    auto made = context_->AllocTensorMsg({3}, FlowFunc::TensorDataType::DT_FLOAT);
    auto *values = static_cast<float *>(made->GetTensor()->GetData());
    values[0] = static_cast<float>(code);
    values[1] = static_cast<float>(context);
    values[2] = static_cast<float>(byte);
    return context_->SetOutput(0, made);
  }
};
REGISTER_FLOW_FUNC("Hears", Hears);

}  // namespace

namespace ge {
namespace {

using dflow::FlowData;
using dflow::FlowGraph;
using dflow::FlowNode;
using dflow::FlowOperator;
using dflow::FunctionPp;
using dflow::GraphPp;

FlowGraph Pipeline() {  // (2x + 3)²
  FlowData in("in", 0);
  FlowNode first("first", 1, 1), middle("middle", 1, 1), last("last", 1, 1);
  first.SetInput(0, in).AddPp(GraphPp("double", Twice("Add")));
  middle.SetInput(0, first).AddPp(FunctionPp("AddParameter").SetInitParam("add", 3.0f));
  last.SetInput(0, middle).AddPp(GraphPp("square", Twice("Mul")));
  return FlowGraph("pipeline").SetInputs({in}).SetOutputs(std::vector<FlowOperator>{last});
}

TEST_F(FlowRunTest, AThousandMessagesComeOutInOrder) {
  AddFlow(Pipeline());
  EXPECT_TRUE(session_->IsGraphNeedRebuild(1));
  ASSERT_EQ(session_->CompileGraph(1), SUCCESS) << LastError();
  EXPECT_FALSE(session_->IsGraphNeedRebuild(1));
  constexpr int kCount = 1000;
  std::thread feeder([this] {
    for (int i = 0; i < kCount; ++i) {
      DataFlowInfo info;
      info.SetStartTime(static_cast<uint64_t>(1000 + i));
      info.SetEndTime(static_cast<uint64_t>(2000 + i));
      const uint32_t mark = static_cast<uint32_t>(i);
      ASSERT_EQ(info.SetUserData(&mark, sizeof mark, 8), SUCCESS);
      const float x = static_cast<float>(i % 100);
      ASSERT_EQ(session_->FeedDataFlowGraph(1, {Floats({x, -x})}, info, kSoon), SUCCESS) << LastError();
    }
  });
  for (int i = 0; i < kCount; ++i) {
    std::vector<Tensor> outputs;
    DataFlowInfo info;
    const Status status = session_->FetchDataFlowGraph(1, outputs, info, kSoon);
    EXPECT_EQ(status, SUCCESS) << LastError();
    if (status != SUCCESS || outputs.size() != 1) break;
    const float x = static_cast<float>(i % 100);
    EXPECT_EQ(Values(outputs[0]), (std::vector<float>{(2 * x + 3) * (2 * x + 3), (3 - 2 * x) * (3 - 2 * x)}));
    EXPECT_EQ(outputs[0].GetTensorDesc().GetShape().GetDims(), std::vector<int64_t>{2});
    EXPECT_EQ(info.GetTransactionId(), static_cast<uint64_t>(i + 1));
    EXPECT_EQ(info.GetStartTime(), static_cast<uint64_t>(1000 + i));
    EXPECT_EQ(info.GetEndTime(), static_cast<uint64_t>(2000 + i));
    uint32_t mark = 0;
    EXPECT_EQ(info.GetUserData(&mark, sizeof mark, 8), SUCCESS);
    EXPECT_EQ(mark, static_cast<uint32_t>(i));
  }
  feeder.join();
}

TEST_F(FlowRunTest, OneOutputHasTwoConsumersAndPortsAreMapped) {
  FlowData a("a", 0), b("b", 1);
  FlowNode twice("twice", 1, 1), square("square", 1, 1), minus("minus", 2, 1), swapped("swapped", 2, 1);
  twice.SetInput(0, a).AddPp(GraphPp("double", Twice("Add")));
  square.SetInput(0, twice).AddPp(GraphPp("square", Twice("Mul")));
  minus.SetInput(0, twice).SetInput(1, b).AddPp(FunctionPp("Subtract"));
  const FunctionPp turned("Subtract");
  swapped.SetInput(0, twice).SetInput(1, b);
  swapped.MapInput(0, turned, 1).MapInput(1, turned, 0).MapOutput(0, turned, 0);
  AddFlow(FlowGraph("two").SetInputs({a, b}).SetOutputs(std::vector<FlowOperator>{square, minus, swapped}));
  for (int i = 0; i < 20; ++i) {
    const float x = static_cast<float>(i);
    // By index, as the second message comes later.
    ASSERT_EQ(session_->FeedDataFlowGraph(1, {0}, {Floats({x})}, DataFlowInfo(), -1), SUCCESS) << LastError();
    ASSERT_EQ(session_->FeedDataFlowGraph(1, {1}, {Floats({10})}, DataFlowInfo(), -1), SUCCESS) << LastError();
  }
  for (int i = 0; i < 20; ++i) {
    const float x = static_cast<float>(i);
    std::vector<Tensor> some, one;
    DataFlowInfo info;
    ASSERT_EQ(session_->FetchDataFlowGraph(1, {2, 0}, some, info, kSoon), SUCCESS) << LastError();
    ASSERT_EQ(some.size(), 2u);
    EXPECT_EQ(Values(some[0]), std::vector<float>{10 - 2 * x});
    EXPECT_EQ(Values(some[1]), std::vector<float>{4 * x * x});
    EXPECT_EQ(info.GetTransactionId(), static_cast<uint64_t>(i + 1));
    ASSERT_EQ(session_->FetchDataFlowGraph(1, {1}, one, info, kSoon), SUCCESS) << LastError();
    EXPECT_EQ(Values(one[0]), std::vector<float>{2 * x - 10});
  }
}

TEST_F(FlowRunTest, ErrorsInTheMiddleComeOutAndTheRestGoesOn) {
  FlowData in("in", 0);
  FlowNode picky("picky", 1, 1), last("last", 1, 1);
  picky.SetInput(0, in).AddPp(FunctionPp("Picky"));
  last.SetInput(0, picky).AddPp(GraphPp("double", Twice("Add", {1})));
  AddFlow(FlowGraph("errors").SetInputs({in}).SetOutputs(std::vector<FlowOperator>{last}));
  for (const float value : {1.0f, -1.0f, 2.0f, 2000.0f, 3.0f}) ASSERT_EQ(Feed({value}), SUCCESS) << LastError();
  ASSERT_EQ(Feed({4, 4}), SUCCESS);  // the graph takes one value
  ASSERT_EQ(Feed({5}), SUCCESS);
  EXPECT_EQ(Next(), "2");
  std::string text = Next();
  EXPECT_EQ(text.substr(0, 8), "9900005 ") << text;
  for (const char *part : {"FlowNode 'picky'", "process point 'Picky'", "transaction 2", "returned 9900005"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_EQ(Next(), "4");
  text = Next();
  EXPECT_EQ(text.find(std::to_string(FlowFunc::FLOW_FUNC_FAILED)), 0u) << text;
  EXPECT_NE(text.find("it threw: too large"), std::string::npos) << text;
  EXPECT_EQ(Next(), "6");
  text = Next();
  EXPECT_EQ(text.find(std::to_string(FAILED)), 0u) << text;
  EXPECT_NE(text.find("FlowNode 'last', process point 'double', transaction 6"), std::string::npos) << text;
  EXPECT_NE(text.find("input 'x' has shape [2], expected [1]"), std::string::npos) << text;
  EXPECT_EQ(Next(), "10");

  // The messages themselves carry their codes.
  ASSERT_EQ(Feed({-1}), SUCCESS);
  std::vector<FlowMsgPtr> messages;
  EXPECT_EQ(session_->FetchDataFlowGraph(1, messages, kSoon), 9900005u);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0]->GetRetCode(), 9900005);
  EXPECT_EQ(messages[0]->GetTensor(), nullptr);
  EXPECT_EQ(messages[0]->GetTransactionId(), 8u);
}

TEST_F(FlowRunTest, FullQueuesMakeFeedsWait) {
  AddNode(FunctionPp("Waits"));
  std::vector<Tensor> outputs;
  EXPECT_EQ(Fetch(outputs, 0), ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT);
  EXPECT_NE(LastError().find("within 0 ms"), std::string::npos) << LastError();
  EXPECT_EQ(Fetch(outputs, -2), PARAM_INVALID);
  gate.Set(false);
  const int arrivals = gate.arrivals();
  ASSERT_EQ(Feed({0}), SUCCESS) << LastError();
  gate.AwaitArrival(arrivals + 1);  // nothing leaves the queue any more
  int fed = 1;
  Status status = SUCCESS;
  for (; fed < 10000 && (status = Feed({static_cast<float>(fed)}, 0)) == SUCCESS; ++fed) {
  }
  EXPECT_EQ(status, ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT) << LastError();
  EXPECT_GT(fed, 1);
  EXPECT_LT(fed, 1000);
  EXPECT_EQ(Feed({0}, 5), ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT);
  std::thread waits([&] { EXPECT_EQ(Feed({static_cast<float>(fed)}, -1), SUCCESS) << LastError(); });
  gate.Set(true);
  for (int i = 0; i <= fed; ++i) EXPECT_EQ(Next(), std::to_string(i));
  waits.join();
  EXPECT_EQ(Fetch(outputs, 1), ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT);
}

TEST_F(FlowRunTest, RemovingTheGraphEndsWhoWaits) {
  AddFlow(Pipeline());
  std::thread feeder([this] {  // nobody fetches: it waits for room until the graph is gone
    while (Feed({1}) == SUCCESS) {
    }
  });
  while (Feed({1}, 0) == SUCCESS) std::this_thread::yield();
  EXPECT_EQ(session_->RemoveGraph(1), SUCCESS) << LastError();
  feeder.join();
  std::vector<Tensor> outputs;
  EXPECT_EQ(Fetch(outputs, 0), FAILED);
  EXPECT_NE(LastError().find("E10062: FetchDataFlowGraph: the session has no graph 1"), std::string::npos)
      << LastError();

  AddNode(FunctionPp("Waits"));
  gate.Set(false);
  const int arrivals = gate.arrivals();
  ASSERT_EQ(Feed({1}), SUCCESS) << LastError();
  gate.AwaitArrival(arrivals + 1);
  std::thread fetcher([this] {
    std::vector<Tensor> none;
    EXPECT_EQ(Fetch(none, -1), FAILED);
  });
  std::thread remover([this] { EXPECT_EQ(session_->RemoveGraph(1), SUCCESS) << LastError(); });
  fetcher.join();  // although the function still waits
  gate.Set(true);
  remover.join();
  EXPECT_EQ(session_->RemoveGraph(1), FAILED);
}

TEST_F(FlowRunTest, TheSessionEndsWithMessagesOnTheWay) {
  AddFlow(Pipeline());
  for (int i = 0; i < 300; ++i) ASSERT_EQ(Feed({1}), SUCCESS) << LastError();
  EXPECT_EQ(Next(), "25");
  session_.reset();
}

TEST_F(FlowRunTest, MessagesMayBecomeMoreAndLess) {
  AddNode(FunctionPp("Uneven"));
  for (const float value : {1.0f, 2.0f, 3.0f, 4.0f}) ASSERT_EQ(Feed({value}), SUCCESS) << LastError();
  for (const char *expected : {"1", "1", "3", "3"}) EXPECT_EQ(Next(), expected);
  std::vector<Tensor> outputs;
  EXPECT_EQ(Fetch(outputs, 1), ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT);
}

TEST_F(FlowRunTest, ExceptionsReachTheFetchAndOtherFunctions) {
  FlowData in("in", 0), other("other", 1);
  FlowNode node("node", 1, 1), hears("hears", 1, 1);
  node.SetInput(0, in).AddPp(FunctionPp("Raises"));
  hears.SetInput(0, other).AddPp(FunctionPp("Hears"));
  FlowGraph flow("raises");
  AddFlow(flow.SetInputs({in, other}).SetOutputs(std::vector<FlowOperator>{hears}).SetExceptionCatch(true));
  ASSERT_EQ(session_->FeedDataFlowGraph(1, {0}, {Floats({1})}, DataFlowInfo(), -1), SUCCESS) << LastError();
  std::vector<Tensor> outputs;
  EXPECT_EQ(Fetch(outputs), ACL_ERROR_GE_USER_RAISE_EXCEPTION);
  EXPECT_NE(LastError().find("FlowNode 'node', process point 'Raises'"), std::string::npos) << LastError();
  EXPECT_NE(LastError().find("exception 77, context 4711"), std::string::npos) << LastError();
  DataFlowInfo info;
  const uint8_t byte = 9;
  ASSERT_EQ(info.SetUserData(&byte, 1), SUCCESS);
  for (const char *expected : {"77 4711 9", "0 0 9"}) {
    ASSERT_EQ(session_->FeedDataFlowGraph(1, {1}, {Floats({1})}, info, -1), SUCCESS) << LastError();
    EXPECT_EQ(Next(), expected);
  }
  EXPECT_EQ(Fetch(outputs, 1), ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT);
}

TEST_F(FlowRunTest, WhatCannotRunIsSaidWhenItIsCompiled) {
  AddNode(FunctionPp("Nowhere"));
  EXPECT_EQ(Feed({1}), FAILED);
  EXPECT_NE(LastError().find("registers no flow function 'Nowhere', it registers "), std::string::npos) << LastError();
  EXPECT_NE(LastError().find("AddParameter"), std::string::npos) << LastError();
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);
  AddNode(FunctionPp("DoesNotStart"));
  EXPECT_EQ(session_->CompileGraph(1), FAILED);
  EXPECT_NE(LastError().find("DoesNotStart"), std::string::npos) << LastError();
  EXPECT_NE(LastError().find("9900042"), std::string::npos) << LastError();
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);
  AddNode(FunctionPp("AddParameter"));  // without its parameter
  EXPECT_EQ(Feed({1}), FAILED);
  EXPECT_NE(LastError().find(std::to_string(FlowFunc::FLOW_FUNC_ERR_ATTR_NOT_EXITS)), std::string::npos) << LastError();
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);
  AddNode(GraphPp("double", Twice("Add")), 2);
  EXPECT_EQ(Feed({1}), FAILED);
  EXPECT_NE(LastError().find("its graph has 1 inputs, 2 come to it"), std::string::npos) << LastError();
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);

  FlowData in("in", 0);
  FlowNode bare("bare", 1, 1);
  bare.SetInput(0, in);
  AddFlow(FlowGraph("bare").SetInputs({in}).SetOutputs(std::vector<FlowOperator>{bare}));
  EXPECT_EQ(Feed({1}), FAILED);
  EXPECT_NE(LastError().find("'bare'"), std::string::npos) << LastError();
  ASSERT_EQ(session_->RemoveGraph(1), SUCCESS);

  AddFlow(Pipeline());
  std::vector<Tensor> outputs;
  EXPECT_EQ(session_->RunGraph(1, {Floats({1})}, outputs), FAILED);
  EXPECT_NE(LastError().find("is fed and fetched, not run"), std::string::npos) << LastError();
  DataFlowInfo info;
  EXPECT_EQ(session_->FeedDataFlowGraph(1, {Floats({1}), Floats({2})}, info, 0), PARAM_INVALID);
  EXPECT_EQ(session_->FeedDataFlowGraph(1, {1}, {Floats({1})}, info, 0), PARAM_INVALID);
  EXPECT_NE(LastError().find("there is no input 1, the data-flow graph has 1"), std::string::npos) << LastError();
  EXPECT_EQ(session_->FeedDataFlowGraph(1, {0}, std::vector<Tensor>{}, info, 0), PARAM_INVALID);
  EXPECT_EQ(session_->FetchDataFlowGraph(1, {3}, outputs, info, 0), PARAM_INVALID);
  EXPECT_EQ(session_->FeedDataFlowGraph(2, {Floats({1})}, info, 0), FAILED);
  ASSERT_EQ(Feed({1}), SUCCESS);
  EXPECT_EQ(Next(), "25");
}

TEST_F(FlowRunTest, AnOrdinaryGraphIsFedTheSameWay) {
  ASSERT_EQ(session_->AddGraph(1, Twice("Mul")()), SUCCESS) << LastError();
  ASSERT_EQ(Feed({3, 4}), SUCCESS) << LastError();
  EXPECT_EQ(Next(), "9 16");
}

}  // namespace
}  // namespace ge
