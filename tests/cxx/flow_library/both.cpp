// Two functions that share an object.
#include "flow_func/flow_func_log.h"
#include "flow_func/meta_multi_func.h"

namespace {

using FlowFunc::FlowMsg;
using Messages = std::vector<std::shared_ptr<FlowMsg>>;

class Both : public FlowFunc::MetaMultiFunc {
 public:
  int32_t Init(const std::shared_ptr<FlowFunc::MetaParams> &params) override {
    return params->GetAttr("factor", factor_);
  }
  int32_t Sum(const std::shared_ptr<FlowFunc::MetaRunContext> &context, const Messages &inputs) {
    return Send(*context, 0, First(*inputs[0]) + First(*inputs[1]));
  }
  int32_t Difference(const std::shared_ptr<FlowFunc::MetaRunContext> &context, const Messages &inputs) {
    return Send(*context, 1, First(*inputs[0]) - First(*inputs[1]));
  }

 private:
  static float First(const FlowMsg &message) { return *static_cast<const float *>(message.GetTensor()->GetData()); }
  int32_t Send(FlowFunc::MetaRunContext &context, uint32_t output, float value) {
    FLOW_FUNC_LOG_DEBUG("output %u gets %f", output, static_cast<double>(value));
    auto message = context.AllocTensorMsg({1}, FlowFunc::TensorDataType::DT_FLOAT);
    *static_cast<float *>(message->GetTensor()->GetData()) = value * static_cast<float>(factor_);
    return context.SetOutput(output, message);
  }
  int64_t factor_ = 0;
};

FLOW_FUNC_REGISTRAR(Both).RegProcFunc("Sum", &Both::Sum).RegProcFunc("Difference", &Both::Difference);

}  // namespace
