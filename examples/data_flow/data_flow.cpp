// A data-flow graph: a function and a graph work side by side on a stream of messages.
#include <cstdio>
#include <vector>

#include "flow_func/meta_flow_func.h"
#include "flow_graph/data_flow.h"
#include "ge/ge_api.h"

// y = x + add: a function of the program. In a library of its own it would be built by CMake (SetCompileConfig).
class Shift : public FlowFunc::MetaFlowFunc {
 public:
  int32_t Init() override { return context_->GetAttr("add", add_); }
  int32_t Proc(const std::vector<std::shared_ptr<FlowFunc::FlowMsg>> &inputs) override {
    const FlowFunc::Tensor *x = inputs[0]->GetTensor();
    auto y = context_->AllocTensorMsg(x->GetShape(), x->GetDataType());
    for (int64_t i = 0; i < x->GetElementCnt(); ++i)
      static_cast<float *>(y->GetTensor()->GetData())[i] = static_cast<const float *>(x->GetData())[i] + add_;
    return context_->SetOutput(0, y);
  }

 private:
  float add_ = 0;
};
REGISTER_FLOW_FUNC("Shift", Shift);

static ge::Graph Square() {
  ge::Operator x = ge::OperatorFactory::CreateOperator("x", "Data");
  ge::Operator y = ge::OperatorFactory::CreateOperator("y", "Mul");
  x.UpdateOutputDesc("y", ge::TensorDesc(ge::Shape({-1}), ge::FORMAT_ND, ge::DT_FLOAT));
  y.SetInput("x1", x).SetInput("x2", x);
  ge::Graph graph("square");
  graph.SetInputs({x}).SetOutputs(std::vector<ge::Operator>{y});
  return graph;
}

int main() {
  using namespace ge::dflow;
  if (ge::GEInitialize(std::map<ge::AscendString, ge::AscendString>{}) != ge::SUCCESS) return 1;
  FlowData in("in", 0);
  FlowNode shift("shift", 1, 1), square("square", 1, 1);
  shift.SetInput(0, in).AddPp(FunctionPp("Shift").SetInitParam("add", 1.0f));
  square.SetInput(0, shift).AddPp(GraphPp("square", Square));
  FlowGraph flow("shift_and_square");
  flow.SetInputs({in}).SetOutputs(std::vector<FlowOperator>{square});
  {
    ge::Session session(std::map<ge::AscendString, ge::AscendString>{});
    session.AddGraph(1, flow.ToGeGraph());
    for (int i = 0; i < 3; ++i) {
      const float x[] = {static_cast<float>(i), static_cast<float>(10 * i)};
      const ge::Tensor message(ge::TensorDesc(ge::Shape({2}), ge::FORMAT_ND, ge::DT_FLOAT),
                               reinterpret_cast<const uint8_t *>(x), sizeof x);
      if (session.FeedDataFlowGraph(1, {message}, ge::DataFlowInfo(), 1000) != ge::SUCCESS) break;
    }
    for (int i = 0; i < 3; ++i) {
      std::vector<ge::Tensor> outputs;
      ge::DataFlowInfo info;
      if (session.FetchDataFlowGraph(1, outputs, info, 10000) != ge::SUCCESS) {
        std::fprintf(stderr, "%s\n", ge::GEGetErrorMsgV2().GetString());
        return 1;
      }
      const auto *y = reinterpret_cast<const float *>(outputs[0].GetData());
      std::printf("message %d: %g %g\n", static_cast<int>(info.GetTransactionId()), y[0], y[1]);
    }
  }
  ge::GEFinalize();
}
