#include "runtime/flow/message.h"

#include <algorithm>

namespace gec {
namespace {

bool NoUserData(const FlowMessage &message) {
  return std::all_of(message.user.begin(), message.user.end(), [](uint8_t byte) { return byte == 0; });
}

}  // namespace

FlowMessage HeadOf(const std::vector<FlowMessage> &inputs) {
  FlowMessage head;
  for (const FlowMessage &input : inputs) {
    if (head.id == 0) head.id = input.id;
    if (input.start != 0) head.start = head.start == 0 ? input.start : std::min(head.start, input.start);
    head.end = std::max(head.end, input.end);
    head.flags |= input.flags;
    if (NoUserData(head)) head.user = input.user;
  }
  return head;
}

FlowMessage FailedMessage(const FlowMessage &head, int32_t code, std::string text) {
  FlowMessage failed = head;
  failed.tensor = nullptr;
  failed.type = GE_FLOW_TENSOR;
  failed.code = code;
  failed.text = std::make_shared<const std::string>(std::move(text));
  return failed;
}

void Complete(const FlowMessage &head, FlowMessage *message) noexcept {
  if (message->id == 0) message->id = head.id;
  if (message->start == 0) message->start = head.start;
  if (message->end == 0) message->end = head.end;
  if (message->flags == 0) message->flags = head.flags;
  if (NoUserData(*message)) message->user = head.user;
}

}  // namespace gec
