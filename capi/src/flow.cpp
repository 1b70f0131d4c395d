// Data-flow graphs: handles, and messages between the C ABI and the runtime.
#include "runtime/flow/flow.h"
#include "capi/src/flow_messages.h"
#include "capi/src/model_handles.h"
#include "capi/src/process_options.h"

struct GeFlow {
  static constexpr uint64_t kMagic = 0x466c6f7748616e64;
  uint64_t magic = kMagic;
  std::unique_ptr<gec::Flow> flow;
};

using namespace gec;
using namespace gec::api;

namespace {

Flow &FlowOf(const GeFlow *flow, const char *function) { return *LivingOf(flow, function, "flow").flow; }

std::vector<uint32_t> Indexes(const char *function, const uint32_t *indexes, size_t count, size_t all) {
  if (indexes) return {indexes, indexes + count};
  if (count != all)
    Fail(GE_PARAM_INVALID, function, ": ", count, " messages, the data-flow graph has ", all, " such ports");
  return Flow::All(all);
}

}  // namespace

extern "C" {

GeStatus GeFlowCreate(const GeGraph *graph, const GeOptions *options, GeFlow **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeFlowCreate, out);
    *out = nullptr;
    const Graph &g = GraphOf(graph, "GeFlowCreate");
    Options all = ProcessOptions();
    all.Merge(OptionsOf(options, "GeFlowCreate"));
    Resolve(all);
    auto handle = std::make_unique<GeFlow>();
    ContextScope scope("data-flow graph", g.name());
    handle->flow = Flow::Create(g, all);
    *out = handle.release();
  });
}

GeStatus GeFlowStop(GeFlow *flow) {
  return Guard([&] { FlowOf(flow, "GeFlowStop").Stop(); });
}

void GeFlowDestroy(GeFlow *flow) {
  if (Living(flow)) Bury(flow);
}

size_t GeFlowInputCount(const GeFlow *flow) { return Living(flow) ? flow->flow->input_count() : 0; }
size_t GeFlowOutputCount(const GeFlow *flow) { return Living(flow) ? flow->flow->output_count() : 0; }

GeStatus GeFlowFeed(GeFlow *flow, const uint32_t *indexes, const GeFlowMessage *messages, size_t count,
                    int32_t timeout_ms) {
  return Guard([&] {
    Flow &living = FlowOf(flow, "GeFlowFeed");
    GE_CHECK_ARG(GeFlowFeed, messages);
    const std::vector<uint32_t> ports = Indexes("GeFlowFeed", indexes, count, living.input_count());
    std::vector<FlowMessage> taken;
    const StructArray<const GeFlowMessage> given(messages, count, "GeFlowFeed");
    for (size_t i = 0; i < count; ++i) taken.push_back(MessageOf(given[i], "GeFlowFeed"));
    living.Feed(ports, std::move(taken), timeout_ms);
  });
}

GeStatus GeFlowFetch(GeFlow *flow, const uint32_t *indexes, GeFlowMessage *messages, size_t count, int32_t timeout_ms) {
  return Guard([&]() -> GeStatus {
    Flow &living = FlowOf(flow, "GeFlowFetch");
    GE_CHECK_ARG(GeFlowFetch, messages);
    MessageSlots slots("GeFlowFetch", messages, count);
    const std::vector<uint32_t> ports = Indexes("GeFlowFetch", indexes, count, living.output_count());
    std::vector<FlowMessage> taken(count);
    living.Fetch(ports, taken.data(), timeout_ms);
    for (size_t i = 0; i < count; ++i) slots.Fill(i, taken[i]);
    for (const FlowMessage &message : taken) {
      if (message.code == 0) continue;
      const auto code = static_cast<GeStatus>(message.code);
      return Report(code, message.text ? message.text->c_str() : "a message with this code was fed");
    }
    return GE_SUCCESS;
  });
}
}
