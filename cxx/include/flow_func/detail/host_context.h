// The functions' services, over the table that the C interface hands them.
#ifndef FLOW_FUNC_DETAIL_HOST_CONTEXT_H_
#define FLOW_FUNC_DETAIL_HOST_CONTEXT_H_

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "flow_func/attr_value.h"
#include "flow_func/detail/host_msg.h"
#include "ge/log.h"

namespace FlowFunc {
namespace detail {

/// The table, for as long as the call lasts that it came with.
class HostContext {
 public:
  void Enter(const GeFlowHost *host) { host_ = host; }
  void Detach() { host_ = nullptr; }
  const GeFlowHost *host() const { return host_; }

  std::shared_ptr<const AttrValue> Attr(const char *name) const {
    GeAttrData data{};
    if (name == nullptr || host_ == nullptr || host_->get_attr(host_->self, name, &data) != GE_SUCCESS) return nullptr;
    return std::make_shared<AttrValue>(data);
  }
  template <class T>
  int32_t GetAttr(const char *name, T &value) const {
    if (name == nullptr) return FLOW_FUNC_ERR_PARAM_INVALID;
    const std::shared_ptr<const AttrValue> found = Attr(name);
    return found != nullptr ? found->GetVal(value) : FLOW_FUNC_ERR_ATTR_NOT_EXITS;
  }
  int32_t SetOutput(uint32_t index, const std::shared_ptr<FlowMsg> &message) const {
    const auto *own = dynamic_cast<const HostMsg *>(message.get());
    if (own == nullptr) {
      (void)GeSetLastError(GE_PARAM_INVALID, message == nullptr ? "SetOutput: the message is null"
                                                                : "SetOutput: the message is of another context");
      return FLOW_FUNC_ERR_PARAM_INVALID;
    }
    if (host_ == nullptr) return Over("SetOutput");
    const GeFlowMessage view = own->View();
    return CodeOf(host_->set_output(host_->self, index, &view));
  }
  int32_t RunFlowModel(const char *key, const std::vector<std::shared_ptr<FlowMsg>> &inputs,
                       std::vector<std::shared_ptr<FlowMsg>> &outputs, int32_t timeout) const {
    outputs.clear();
    if (host_ == nullptr) return Over("RunFlowModel");
    std::vector<GeFlowMessage> in;
    for (const std::shared_ptr<FlowMsg> &input : inputs) {
      const auto *own = dynamic_cast<const HostMsg *>(input.get());
      if (own == nullptr) {
        (void)GeSetLastError(GE_PARAM_INVALID, "RunFlowModel: an input is null or of another context");
        return FLOW_FUNC_ERR_PARAM_INVALID;
      }
      in.push_back(own->View());
    }
    constexpr size_t kUsual = 8;
    std::vector<GeFlowMessage> out(kUsual);
    size_t count = out.size();
    auto run = [&] {
      for (GeFlowMessage &message : out) message.struct_size = sizeof message;
      return host_->run_model(host_->self, key, in.data(), in.size(), out.data(), &count, timeout);
    };
    GeStatus status = run();
    if (status != GE_SUCCESS && count > out.size()) {  // there was no room: nothing has run
      out.resize(count);
      status = run();
    }
    if (status != GE_SUCCESS) return CodeOf(status);
    for (size_t i = 0; i < count; ++i) outputs.push_back(std::make_shared<HostMsg>(out[i]));
    return FLOW_FUNC_SUCCESS;
  }
  int32_t Dequeue(size_t input, std::shared_ptr<FlowMsg> &message, int32_t timeout) const {
    message = nullptr;
    if (host_ == nullptr) return Over("Dequeue");
    GeFlowMessage taken{};
    taken.struct_size = sizeof taken;
    const GeStatus status = host_->dequeue(host_->self, input, &taken, timeout);
    if (status != GE_SUCCESS) return CodeOf(status);
    message = std::make_shared<HostMsg>(taken);
    return FLOW_FUNC_SUCCESS;
  }
  int32_t QueueSize(size_t input, bool room) const {
    size_t waiting = 0, most = 0;
    if (host_ == nullptr || host_->queue_size(host_->self, input, &waiting, &most) != GE_SUCCESS) return -1;
    return static_cast<int32_t>(room ? most : waiting);
  }
  void Raise(int32_t code, uint64_t context) const {
    if (host_ != nullptr && host_->raise(host_->self, code, context) != GE_SUCCESS)
      GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
  }
  bool NextException(int32_t &code, uint64_t &context) const {
    return host_ != nullptr && host_->next_exception(host_->self, &code, &context) == GE_SUCCESS;
  }

  static std::shared_ptr<FlowMsg> TensorMsg(const std::vector<int64_t> &shape, TensorDataType type, uint32_t align) {
    GeTensor *handle = HostTensor::Make(shape, type, align);
    if (handle == nullptr) return nullptr;
    return std::make_shared<HostMsg>(MsgType::MSG_TYPE_TENSOR_DATA, std::make_shared<HostTensor>(handle));
  }
  static std::shared_ptr<FlowMsg> RawMsg(int64_t size, uint32_t align) {
    GeTensor *handle = HostTensor::Make({size}, TensorDataType::DT_UINT8, align);
    if (handle == nullptr) return nullptr;
    return std::make_shared<HostMsg>(MsgType::MSG_TYPE_RAW_MSG, std::make_shared<HostTensor>(handle));
  }

 private:
  static int32_t Over(const char *call) {
    (void)GeSetLastError(GE_BAD_STATE, (std::string(call) + ": the function is not at work").c_str());
    return FLOW_FUNC_FAILED;
  }
  const GeFlowHost *host_ = nullptr;
};

}  // namespace detail
}  // namespace FlowFunc

#endif
