// Adds a number and calls the closure "double" with the sum.
#include "flow_func_log.h"
#include "meta_multi_func.h"

namespace {

using Messages = std::vector<std::shared_ptr<FlowFunc::FlowMsg>>;

class Shift : public FlowFunc::MetaMultiFunc {
 public:
  int32_t Init(const std::shared_ptr<FlowFunc::MetaParams> &params) override { return params->GetAttr("add", add_); }
  int32_t Proc(const std::shared_ptr<FlowFunc::MetaRunContext> &context, const Messages &inputs) {
    const auto *x = inputs[0]->GetTensor();
    const auto sum = context->AllocTensorMsg(x->GetShape(), x->GetDataType());
    for (int64_t i = 0; i < x->GetElementCnt(); ++i)
      static_cast<float *>(sum->GetTensor()->GetData())[i] = static_cast<const float *>(x->GetData())[i] + add_;
    Messages doubled;
    const int32_t code = context->RunFlowModel("double", {sum}, doubled, 60000);
    if (code != FlowFunc::FLOW_FUNC_SUCCESS) FLOW_FUNC_LOG_ERROR("closure double gave %d", code);
    return code != FlowFunc::FLOW_FUNC_SUCCESS ? code : context->SetOutput(0, doubled[0]);
  }

 private:
  float add_ = 0;
};

FLOW_FUNC_REGISTRAR(Shift).RegProcFunc("Shift", &Shift::Proc);

}  // namespace
