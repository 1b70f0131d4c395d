// The services for a function while it works on messages.
#ifndef FLOW_FUNC_META_RUN_CONTEXT_H_
#define FLOW_FUNC_META_RUN_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "flow_func/detail/host_context.h"
#include "flow_func/flow_msg.h"

namespace FlowFunc {

/// Belongs to one call of a function: afterwards its calls fail.
class MetaRunContext {
 public:
  explicit MetaRunContext(const GeFlowHost *host, const uint8_t *user_data = nullptr) {
    context_.Enter(host);
    if (user_data != nullptr) std::memcpy(user_data_, user_data, sizeof user_data_);
  }
  /// Sends a message; waits while the next node's queues are full. Several messages of one output are fine.
  int32_t SetOutput(uint32_t outIdx, std::shared_ptr<FlowMsg> outMsg) { return context_.SetOutput(outIdx, outMsg); }
  /// Zeroed; null, with the reason as last error, for what cannot be made.
  std::shared_ptr<FlowMsg> AllocTensorMsg(const std::vector<int64_t> &shape, TensorDataType dataType) {
    return AllocTensorMsgWithAlign(shape, dataType, kAlign);
  }
  std::shared_ptr<FlowMsg> AllocTensorMsgWithAlign(const std::vector<int64_t> &shape, TensorDataType dataType,
                                                   uint32_t align) {
    return detail::HostContext::TensorMsg(shape, dataType, align);
  }
  std::shared_ptr<FlowMsg> AllocRawDataMsg(int64_t dataSize, uint32_t align = kAlign) {
    return detail::HostContext::RawMsg(dataSize, align);
  }
  std::shared_ptr<FlowMsg> AllocEmptyDataMsg(MsgType msgType) { return std::make_shared<detail::HostMsg>(msgType); }
  /// The tensor becomes the message's.
  std::shared_ptr<FlowMsg> ToFlowMsg(std::shared_ptr<Tensor> tensor) {
    return std::make_shared<detail::HostMsg>(MsgType::MSG_TYPE_TENSOR_DATA, std::move(tensor));
  }
  /// Runs the graph that FunctionPp::AddInvokedClosure put under the key. `timeout` in ms, -1: for ever; it is for
  /// data-flow graphs.
  int32_t RunFlowModel(const char *modelKey, const std::vector<std::shared_ptr<FlowMsg>> &inputMsgs,
                       std::vector<std::shared_ptr<FlowMsg>> &outputMsgs, int32_t timeout) {
    return context_.RunFlowModel(modelKey, inputMsgs, outputMsgs, timeout);
  }
  /// Of the 64 bytes that DataFlowInfo::SetUserData sent along with the first input.
  int32_t GetUserData(void *data, size_t size, size_t offset = 0U) const {
    if (data == nullptr || size == 0 || offset > sizeof user_data_ || size > sizeof user_data_ - offset)
      return FLOW_FUNC_ERR_PARAM_INVALID;
    std::memcpy(data, user_data_ + offset, size);
    return FLOW_FUNC_SUCCESS;
  }
  /// Tells every function of the data-flow graph, and its next fetch; FlowGraph::SetExceptionCatch allows it.
  void RaiseException(int32_t expCode, uint64_t userContextId) { context_.Raise(expCode, userContextId); }
  /// The next exception of another function; false when there is none.
  bool GetException(int32_t &expCode, uint64_t &userContextId) {
    return context_.NextException(expCode, userContextId);
  }

  void End() { context_.Detach(); }

 protected:
  static constexpr uint32_t kAlign = 512;
  detail::HostContext context_;
  uint8_t user_data_[GE_FLOW_USER_BYTES] = {};
};

}  // namespace FlowFunc

#endif
