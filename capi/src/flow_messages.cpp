// Feeding and fetching of flows, which are handles of their own or graphs of a session.
#include "capi/src/flow_messages.h"

namespace gec::api {
namespace {

std::vector<uint32_t> Indexes(const char *function, const uint32_t *indexes, size_t count, size_t all) {
  if (indexes) return {indexes, indexes + count};
  if (count != all)
    Fail(GE_PARAM_INVALID, function, ": ", count, " messages, the data-flow graph has ", all, " such ports");
  return Flow::All(all);
}

}  // namespace

void FeedMessages(Flow &flow, const char *function, const uint32_t *indexes, const GeFlowMessage *messages,
                  size_t count, int32_t timeout_ms) {
  const std::vector<uint32_t> ports = Indexes(function, indexes, count, flow.input_count());
  std::vector<FlowMessage> taken;
  const StructArray<const GeFlowMessage> given(messages, count, function);
  for (size_t i = 0; i < count; ++i) taken.push_back(MessageOf(given[i], function));
  flow.Feed(ports, std::move(taken), timeout_ms);
}

GeStatus FetchMessages(Flow &flow, const char *function, const uint32_t *indexes, GeFlowMessage *messages, size_t count,
                       int32_t timeout_ms) {
  MessageSlots slots(function, messages, count);
  const std::vector<uint32_t> ports = Indexes(function, indexes, count, flow.output_count());
  std::vector<FlowMessage> taken(count);
  flow.Fetch(ports, taken.data(), timeout_ms);
  for (size_t i = 0; i < count; ++i) slots.Fill(i, taken[i]);
  for (const FlowMessage &message : taken) {
    if (message.code == 0) continue;
    const auto code = static_cast<GeStatus>(message.code);
    return Report(code, message.text ? message.text->c_str() : "a message with this code was fed");
  }
  return GE_SUCCESS;
}

}  // namespace gec::api
