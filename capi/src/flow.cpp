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

Flow &FlowOf(const GeFlow *flow, const char *function) { return *ValidOf(flow, function, "flow").flow; }

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
  if (IsValid(flow)) Invalidate(flow);
}

size_t GeFlowInputCount(const GeFlow *flow) { return IsValid(flow) ? flow->flow->input_count() : 0; }
size_t GeFlowOutputCount(const GeFlow *flow) { return IsValid(flow) ? flow->flow->output_count() : 0; }

GeStatus GeFlowFeed(GeFlow *flow, const uint32_t *indexes, const GeFlowMessage *messages, size_t count,
                    int32_t timeout_ms) {
  return Guard([&] {
    Flow &target = FlowOf(flow, "GeFlowFeed");
    GE_CHECK_ARG(GeFlowFeed, messages);
    FeedMessages(target, "GeFlowFeed", indexes, messages, count, timeout_ms);
  });
}

GeStatus GeFlowFetch(GeFlow *flow, const uint32_t *indexes, GeFlowMessage *messages, size_t count, int32_t timeout_ms) {
  return Guard([&]() -> GeStatus {
    Flow &target = FlowOf(flow, "GeFlowFetch");
    GE_CHECK_ARG(GeFlowFetch, messages);
    return FetchMessages(target, "GeFlowFetch", indexes, messages, count, timeout_ms);
  });
}
}
