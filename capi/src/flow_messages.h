// Messages of data-flow graphs as the C ABI has them.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "capi/src/handles.h"
#include "runtime/flow/flow.h"

namespace gec::api {

inline FlowMessage MessageOf(const GeFlowMessage &callers, const char *function) {
  const GeFlowMessage given = ReadStruct(callers, function);
  CheckReserved(given.reserved, function, "GeFlowMessage.reserved");
  FlowMessage message;
  if (given.tensor) {
    const GeTensor &tensor = ValidOf(given.tensor, function, "messages[].tensor");
    if (!tensor.refused.empty())
      Fail(GE_DATA_MISMATCH, function, ": a tensor has a description that was not accepted: ", tensor.refused);
    message.tensor = tensor.tensor;
  }
  message.id = given.transaction_id;
  message.start = given.start_time;
  message.end = given.end_time;
  message.flags = given.flags;
  message.type = given.type;
  message.code = given.ret_code;
  std::memcpy(message.user.data(), given.user_data, message.user.size());
  return message;
}

/// Room for messages that are handed out. Everything that can fail is done before they are taken from anywhere.
class MessageSlots {
 public:
  MessageSlots(const char *function, GeFlowMessage *messages, size_t count) {
    const StructArray<GeFlowMessage> all(messages, count, function);
    for (size_t i = 0; i < count; ++i) {
      messages_.push_back(&all[i]);
      WriteStruct(GeFlowMessage{}, messages_[i], function);
      handles_.push_back(std::make_unique<GeTensor>());
    }
  }
  void Fill(size_t i, const FlowMessage &message) noexcept {
    GeFlowMessage out{};
    if (message.tensor) {
      handles_[i]->tensor = std::const_pointer_cast<Tensor>(message.tensor);
      out.tensor = handles_[i].release();
    }
    out.transaction_id = message.id;
    out.start_time = message.start;
    out.end_time = message.end;
    out.flags = message.flags;
    out.type = message.type;
    out.ret_code = message.code;
    std::memcpy(out.user_data, message.user.data(), message.user.size());
    FillStruct(out, messages_[i], messages_[i]->struct_size);
  }

 private:
  std::vector<GeFlowMessage *> messages_;
  std::vector<std::unique_ptr<GeTensor>> handles_;
};

/// What GeFlowFeed and GeFlowFetch do, for flows of either kind.
void FeedMessages(Flow &flow, const char *function, const uint32_t *indexes, const GeFlowMessage *messages,
                  size_t count, int32_t timeout_ms);
GeStatus FetchMessages(Flow &flow, const char *function, const uint32_t *indexes, GeFlowMessage *messages, size_t count,
                       int32_t timeout_ms);

}  // namespace gec::api
