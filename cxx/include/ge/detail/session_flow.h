// Data-flow graphs of a session: messages between C++ and the C interface.
#ifndef INC_GE_DETAIL_SESSION_FLOW_H_
#define INC_GE_DETAIL_SESSION_FLOW_H_

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge/flow.h"
#include "ge/ge_data_flow_api.h"
#include "ge/session.h"
#include "graph/graph.h"

namespace ge {
namespace detail {

/// Translates a status of the C interface into one of a session: with codes of functions as they are.
inline Status FlowStatus(GeStatus status) {
  constexpr GeStatus kLargest = 9999999;
  if (status == GE_SUCCESS) return SUCCESS;
  if (status == GE_PARAM_INVALID) return PARAM_INVALID;
  return status <= kLargest ? status : FAILED;
}

/// A data-flow graph of a session; calls may come from any thread.
class SessionFlow {
 public:
  /// A session that was refused is null.
  SessionFlow(GeSessionHandle *session, uint32_t graph_id) : session_(session), graph_id_(graph_id) {}

  /// Copies the tensors. None is fine where the flags close a stream or segment: then every input listed gets a message
  /// that says no more than that.
  Status Feed(const std::vector<uint32_t> *indexes, const std::vector<Tensor> &inputs, const DataFlowInfo &info,
              int32_t timeout) const {
    size_t ports = 0;
    if (!Ports(indexes, &ports, nullptr)) return FAILED;
    const bool closes = inputs.empty() && info.GetFlowFlags() != 0;
    std::vector<Tensor> copies;
    for (const Tensor &input : inputs) copies.push_back(input.Clone());
    std::vector<GeFlowMessage> messages(closes ? ports : inputs.size(), MessageOf(info));
    for (size_t i = 0; i < copies.size(); ++i) {
      if (copies[i].handle() == nullptr) return FAILED;
      messages[i].tensor = copies[i].handle();
    }
    return Feed(indexes, messages, timeout);
  }
  /// Shares the messages' data: it must not change while it is on the way.
  Status Feed(const std::vector<uint32_t> *indexes, const std::vector<FlowMsgPtr> &inputs, int32_t timeout) const {
    std::vector<GeFlowMessage> messages;
    std::vector<Tensor> raw;
    raw.reserve(inputs.size());
    for (const FlowMsgPtr &input : inputs) {
      if (input == nullptr) return Refuse("a message is null");
      messages.push_back(MessageOf(*input));
      if (input->GetTensor() != nullptr) messages.back().tensor = input->GetTensor()->handle();
      void *data = nullptr;
      uint64_t size = 0;
      if (input->GetMsgType() == MsgType::TENSOR_DATA || input->GetTensor() != nullptr) continue;
      if (!Holds(*input) || input->GetRawData(data, size) != SUCCESS) continue;
      raw.push_back(Bytes(data, size, [input](uint8_t *) {}));
      messages.back().tensor = raw.back().handle();
    }
    return Feed(indexes, messages, timeout);
  }
  /// One message of all the data, one behind the other.
  Status FeedRaw(const std::vector<RawData> &parts, uint32_t index, const DataFlowInfo &info, int32_t timeout) const {
    size_t size = 0;
    for (const RawData &part : parts) {
      if (part.addr == nullptr && part.len != 0) return Refuse("the address of raw data is null");
      size += part.len;
    }
    if (size == 0) return Refuse("there is no raw data");
    const std::shared_ptr<Tensor> all = FlowBufferFactory::AllocTensor({static_cast<int64_t>(size)}, DT_UINT8);
    if (all == nullptr) return FAILED;
    uint8_t *at = all->GetData();
    for (const RawData &part : parts) {
      if (part.len != 0) std::memcpy(at, part.addr, part.len);
      at += part.len;
    }
    GeFlowMessage message = MessageOf(info);
    message.type = GE_FLOW_RAW;
    message.tensor = all->handle();
    const std::vector<uint32_t> indexes{index};
    return Feed(&indexes, {message}, timeout);
  }
  /// END_OF_SEQUENCE where all that came is the end of a stream.
  Status Fetch(const std::vector<uint32_t> *indexes, std::vector<Tensor> &outputs, DataFlowInfo &info,
               int32_t timeout) const {
    outputs.clear();
    std::vector<GeFlowMessage> messages;
    const Status status = Fetch(indexes, messages, timeout);
    if (!messages.empty()) ToInfo(messages[0], info);
    bool ends = !messages.empty();
    for (const GeFlowMessage &message : messages) {
      ends = ends && message.tensor == nullptr && (message.flags & GE_FLOW_EOS) != 0;
      outputs.push_back(message.tensor != nullptr ? Tensor::Adopt(message.tensor) : Tensor());
    }
    if (status == SUCCESS && !ends) return SUCCESS;
    outputs.clear();
    return status != SUCCESS ? status : END_OF_SEQUENCE;
  }
  /// Messages are there even when the status is a ret code of one of them.
  Status Fetch(const std::vector<uint32_t> *indexes, std::vector<FlowMsgPtr> &outputs, int32_t timeout) const {
    outputs.clear();
    std::vector<GeFlowMessage> messages;
    const Status status = Fetch(indexes, messages, timeout);
    bool ends = !messages.empty();
    for (const GeFlowMessage &message : messages) {
      ends = ends && message.tensor == nullptr && (message.flags & GE_FLOW_EOS) != 0;
      outputs.push_back(ToMsg(message));
    }
    return status == SUCCESS && ends ? END_OF_SEQUENCE : status;
  }

 private:
  static Status Refuse(const char *text) {
    (void)GeSetLastError(GE_PARAM_INVALID, text);
    return PARAM_INVALID;
  }
  static bool Holds(const FlowMsg &message) {
    const auto *own = dynamic_cast<const HostFlowMsg *>(&message);
    return own == nullptr || own->HoldsRawData();
  }
  static Tensor Bytes(void *data, uint64_t size, const Tensor::DeleteFunc &release) {
    Tensor tensor(TensorDesc(Shape({static_cast<int64_t>(size)}), FORMAT_ND, DT_UINT8));
    (void)tensor.SetData(static_cast<uint8_t *>(data), size, release);
    return tensor;
  }
  template <class Info>
  static GeFlowMessage Common(const Info &info) {
    GeFlowMessage message{};
    message.struct_size = sizeof message;
    message.transaction_id = info.GetTransactionId();
    message.start_time = info.GetStartTime();
    message.end_time = info.GetEndTime();
    message.flags = info.GetFlowFlags();
    (void)info.GetUserData(message.user_data, sizeof message.user_data);
    return message;
  }
  static GeFlowMessage MessageOf(const DataFlowInfo &info) { return Common(info); }
  static GeFlowMessage MessageOf(const FlowMsg &msg) {
    GeFlowMessage message = Common(msg);
    message.type = static_cast<uint32_t>(msg.GetMsgType());
    message.ret_code = msg.GetRetCode();
    return message;
  }
  template <class Info>
  static void ToInfo(const GeFlowMessage &message, Info &info) {
    info.SetTransactionId(message.transaction_id);
    info.SetStartTime(message.start_time);
    info.SetEndTime(message.end_time);
    info.SetFlowFlags(message.flags);
    (void)info.SetUserData(message.user_data, sizeof message.user_data);
  }
  static FlowMsgPtr ToMsg(const GeFlowMessage &message) {
    auto msg = std::make_shared<HostFlowMsg>(static_cast<MsgType>(message.type));
    ToInfo(message, *msg);
    msg->SetRetCode(message.ret_code);
    if (message.tensor == nullptr) return msg;
    auto tensor = std::make_shared<Tensor>(Tensor::Adopt(message.tensor));
    if (message.type == GE_FLOW_TENSOR) msg->Hold(tensor);
    else msg->HoldRaw(tensor);
    return msg;
  }
  Status Feed(const std::vector<uint32_t> *indexes, const std::vector<GeFlowMessage> &messages, int32_t timeout) const {
    if (messages.empty()) return Refuse("there is nothing to feed");
    if (indexes != nullptr && indexes->size() != messages.size())
      return Refuse(("there are " + std::to_string(messages.size()) + " messages for " +
                     std::to_string(indexes->size()) + " inputs")
                        .c_str());
    const uint32_t *ports = indexes != nullptr ? indexes->data() : nullptr;
    return FlowStatus(GeSessionFeedFlow(session_, graph_id_, ports, messages.data(), messages.size(), timeout));
  }
  // Without messages where none were taken.
  Status Fetch(const std::vector<uint32_t> *indexes, std::vector<GeFlowMessage> &messages, int32_t timeout) const {
    size_t count = 0;
    if (!Ports(indexes, nullptr, &count)) return FAILED;
    if (count == 0) return Refuse("there is nothing to fetch");
    messages.resize(count, GeFlowMessage{});
    for (GeFlowMessage &message : messages) message.struct_size = sizeof message;
    const uint32_t *ports = indexes != nullptr ? indexes->data() : nullptr;
    const GeStatus status = GeSessionFetchFlow(session_, graph_id_, ports, messages.data(), count, timeout);
    bool taken = status == GE_SUCCESS;
    for (const GeFlowMessage &message : messages) taken = taken || message.ret_code != 0;
    if (!taken) messages.clear();
    return FlowStatus(status);
  }
  /// The number of inputs or outputs that a call is about; false where the graph is none that can be fed and fetched.
  bool Ports(const std::vector<uint32_t> *indexes, size_t *inputs, size_t *outputs) const {
    if (session_ == nullptr || GeSessionFlowPorts(session_, graph_id_, inputs, outputs) != GE_SUCCESS) return false;
    if (indexes != nullptr) *(inputs != nullptr ? inputs : outputs) = indexes->size();
    return true;
  }
  GeSessionHandle *session_;
  uint32_t graph_id_;
};

}  // namespace detail
}  // namespace ge

#endif
