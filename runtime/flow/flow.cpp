#include "runtime/flow/flow.h"

#include <algorithm>
#include <numeric>

namespace gec {

Flow::~Flow() {
  Stop();
  for (auto &unit : units_) unit->Join();
}

void Flow::Stop() noexcept {
  net.Stop();
  for (auto &callable : callables_) callable->Stop();
}

std::vector<uint32_t> Flow::All(size_t count) {
  std::vector<uint32_t> indexes(count);
  std::iota(indexes.begin(), indexes.end(), 0u);
  return indexes;
}

FlowSource *Flow::NewInput() {
  inputs_.push_back(std::make_unique<Input>());
  inputs_.back()->source.room = &net.feed;
  return &inputs_.back()->source;
}

FlowSource *Flow::NewSource() {
  sources_.push_back(std::make_unique<OwnSource>());
  sources_.back()->room = &sources_.back()->own;
  net.waits.push_back(&sources_.back()->own);
  return sources_.back().get();
}

void Flow::AddOutput(FlowSource *source) {
  outputs_.push_back(std::make_unique<FlowQueue>());
  outputs_.back()->consumer = &net.fetch;
  outputs_.back()->producer = source->room;
  source->targets.push_back(outputs_.back().get());
}

namespace {

void CheckIndexes(const char *call, const char *what, const std::vector<uint32_t> &indexes, size_t count) {
  std::vector<bool> seen(count);
  for (const uint32_t index : indexes) {
    if (index >= count)
      Fail(GE_PARAM_INVALID, call, ": there is no ", what, " ", index, ", the data-flow graph has ", count);
    if (seen[index]) Fail(GE_PARAM_INVALID, call, ": ", what, " ", index, " is named twice");
    seen[index] = true;
  }
}

}  // namespace

void Flow::Feed(const std::vector<uint32_t> &indexes, std::vector<FlowMessage> messages, int32_t timeout_ms) {
  CheckIndexes("feed", "input", indexes, inputs_.size());
  if (indexes.size() != messages.size())
    Fail(GE_PARAM_INVALID, "feed: ", messages.size(), " messages for ", indexes.size(), " inputs");
  FlowTime at;
  const FlowTime *deadline = FlowDeadline("feed", timeout_ms, &at);
  std::unique_lock lock(net.mutex);
  auto room = [&] {
    return std::all_of(indexes.begin(), indexes.end(), [&](uint32_t i) { return inputs_[i]->source.HasRoom(); });
  };
  if (!net.Wait(lock, net.feed, deadline, room))
    Fail(GE_FLOW_TIMEOUT, "feed: the queues had no room within ", timeout_ms, " ms");
  uint64_t next = 0;
  for (const uint32_t i : indexes) next = std::max(next, inputs_[i]->last + 1);
  for (size_t i = 0; i < indexes.size(); ++i) {
    Input &input = *inputs_[indexes[i]];
    if (messages[i].id == 0) messages[i].id = next;
    input.last = std::max(input.last, messages[i].id);
    FlowNet::Send(input.source, messages[i]);
  }
}

void Flow::Fetch(const std::vector<uint32_t> &indexes, FlowMessage *messages, int32_t timeout_ms) {
  CheckIndexes("fetch", "output", indexes, outputs_.size());
  FlowTime at;
  const FlowTime *deadline = FlowDeadline("fetch", timeout_ms, &at);
  std::unique_lock lock(net.mutex);
  auto ready = [&] {
    return net.fetched < net.raised.size() ||
           std::all_of(indexes.begin(), indexes.end(), [&](uint32_t i) { return outputs_[i]->size() > 0; });
  };
  if (!net.Wait(lock, net.fetch, deadline, ready))
    Fail(GE_FLOW_TIMEOUT, "fetch: there was no message of every output within ", timeout_ms, " ms");
  if (net.fetched < net.raised.size()) {
    const size_t raised = net.fetched++;
    Fail(GE_FLOW_RAISED, net.raised[raised].text);
  }
  for (size_t i = 0; i < indexes.size(); ++i) messages[i] = FlowNet::Receive(*outputs_[indexes[i]]);
}

std::vector<FlowMessage> CalledFlow::Call(std::vector<FlowMessage> inputs, int32_t timeout_ms) {
  if (inputs.size() != flow_->input_count())
    Fail(GE_DATA_MISMATCH, "the data-flow graph has ", flow_->input_count(), " inputs, ", inputs.size(), " were given");
  std::lock_guard lock(one_);
  const FlowMessage head = HeadOf(inputs);
  const uint64_t call = ++calls_;
  for (FlowMessage &input : inputs) input.id = call;
  const std::vector<uint32_t> ports = Flow::All(inputs.size());
  flow_->Feed(ports, std::move(inputs), timeout_ms);
  std::vector<FlowMessage> outputs(flow_->output_count());
  for (size_t i = 0; i < outputs.size(); ++i) {
    // A call that ended too early may have left answers behind.
    do flow_->Fetch({static_cast<uint32_t>(i)}, &outputs[i], timeout_ms);
    while (outputs[i].id < call);
  }
  for (FlowMessage &output : outputs) {
    if (output.code != 0)
      Fail(static_cast<GeStatus>(output.code), output.text ? *output.text : std::string("a node failed"));
    output.id = head.id;
  }
  return outputs;
}

}  // namespace gec
