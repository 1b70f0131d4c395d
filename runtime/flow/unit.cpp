#include "runtime/flow/unit.h"

#include <algorithm>
#include <system_error>

#include "core/support/cancel.h"
#include "core/support/context.h"
#include "core/support/log.h"
#include "core/support/memory.h"

namespace gec {
namespace {

std::vector<FlowBatchSpec> BatchesOf(const std::vector<FlowUnitInput> &inputs) {
  std::vector<FlowBatchSpec> batches;
  for (const FlowUnitInput &input : inputs) batches.push_back(input.batch);
  return batches;
}

}  // namespace

FlowUnit::FlowUnit(FlowNet &net, std::string label, const std::vector<FlowUnitInput> &inputs,
                   const FlowAlignSpec &align, std::vector<FlowSource *> outputs, std::unique_ptr<FlowWork> work)
    : net_(net),
      label_(std::move(label)),
      batches_(BatchesOf(inputs)),
      matcher_(batches_, align),
      outputs_(std::move(outputs)),
      sent_(outputs_.size()),
      work_(std::move(work)) {
  net_.waits.push_back(&wake_);
  for (const FlowUnitInput &input : inputs) {
    queues_.push_back(std::make_unique<FlowQueue>());
    queues_.back()->consumer = &wake_;
    queues_.back()->producer = input.source->room;
    input.source->targets.push_back(queues_.back().get());
  }
}

void FlowUnit::Start() {
  auto run = [this] {
    try {
      if (work_->streams()) StreamLoop();
      else Loop();
    } catch (const std::exception &error) {  // out of memory between two pieces of work
      Log(GE_LOG_ERROR, label_, ": the data-flow graph ends: ", error.what());
      net_.Stop();
    }
  };
  try {
    thread_ = std::thread(run);
  } catch (const std::system_error &error) {
    Fail(GE_OUT_OF_MEMORY, label_, ": there is no memory for a thread: ", error.what());
  }
}

void FlowUnit::Join() {
  if (thread_.joinable()) thread_.join();
}

bool FlowUnit::Gather(FlowTime now, FlowGroup *group) {
  for (size_t i = 0; i < queues_.size(); ++i)
    while (matcher_.Wants(i) && queues_[i]->size() > 0) matcher_.Add(i, FlowNet::Receive(*queues_[i]), now);
  std::optional<FlowGroup> found = matcher_.Take(now);
  if (found) *group = std::move(*found);
  return found.has_value();
}

void FlowUnit::Loop() {
  std::unique_lock lock(net_.mutex);
  while (!net_.stopping) {
    FlowGroup group;
    if (Gather(FlowClock::now(), &group)) {
      lock.unlock();
      Do(std::move(group));
      lock.lock();
    } else if (const std::optional<FlowTime> deadline = matcher_.Deadline()) {
      wake_.wait_until(lock, *deadline);
    } else {
      wake_.wait(lock);
    }
  }
}

void FlowUnit::StreamLoop() {
  uint64_t seen = 0;
  std::unique_lock lock(net_.mutex);
  for (;;) {
    uint64_t pushed = 0;
    size_t waiting = 0;
    for (const auto &queue : queues_) {
      pushed += queue->pushed();
      waiting += queue->size();
    }
    if (net_.stopping) return;
    // A function that takes nothing is asked again when something new has come.
    if (waiting == 0 || (dequeued_ == 0 && pushed == seen)) {
      wake_.wait(lock);
      continue;
    }
    seen = pushed;
    dequeued_ = 0;
    lock.unlock();
    Guarded([this] { work_->Run(*this, {}); });
    lock.lock();
  }
}

template <class Body>
void FlowUnit::Guarded(Body &&body) noexcept {
  std::fill(sent_.begin(), sent_.end(), false);
  int32_t code = static_cast<int32_t>(GE_FAILED);
  std::string text;
  try {
    try {
      body();
      return;
    } catch (const Error &error) {
      code = static_cast<int32_t>(error.code());
      text = error.what();
    } catch (const Cancelled &error) {
      code = static_cast<int32_t>(error.code());
      text = error.what();
    } catch (const std::bad_alloc &) {
      code = static_cast<int32_t>(GE_OUT_OF_MEMORY);
      char left[128];
      MemoryText(left, sizeof left);
      text = Str("out of memory; ", left);
    } catch (const std::exception &error) {
      text = error.what();
    }
    const std::vector<std::string> contexts = TakeContexts();
    for (size_t i = contexts.size(); i-- > 0;) text = contexts[i] + ": " + text;
  } catch (...) {  // out of memory while saying so: the code says enough
  }
  EmitFailed(code, text);
}

void FlowUnit::Do(FlowGroup group) noexcept {
  Guarded([&] { Work(std::move(group)); });
}

void FlowUnit::Work(FlowGroup group) {
  std::vector<FlowMessage> inputs;
  for (const FlowParts &parts : group.inputs)
    if (!parts.empty()) inputs.push_back(parts.back());
  head_ = HeadOf(inputs);
  if (group.incomplete) Fail(GE_FLOW_NOT_ALIGNED, inputs.size(), " of ", group.inputs.size(), " inputs have come");
  for (size_t i = 0; i < group.inputs.size(); ++i) inputs[i] = Stack(batches_[i], std::move(group.inputs[i]));
  head_ = HeadOf(inputs);
  for (const FlowMessage &input : inputs) {
    if (input.code == 0 && !input.only_closes()) continue;
    // Errors and ends of streams go through without work.
    FlowMessage passed = head_;
    passed.type = input.type;
    passed.code = input.code;
    passed.text = input.text;
    for (size_t i = 0; i < outputs_.size(); ++i) Emit(i, passed);
    return;
  }
  work_->Run(*this, std::move(inputs));
}

void FlowUnit::EmitFailed(int32_t code, const std::string &text) noexcept {
  try {
    const FlowMessage failed = FailedMessage(head_, code, Str(label_, ", transaction ", head_.id, ": ", text));
    for (size_t i = 0; i < outputs_.size(); ++i)
      if (!sent_[i]) Emit(i, failed);
  } catch (...) {  // the flow ends
  }
}

void FlowUnit::Emit(size_t output, FlowMessage message) {
  FlowSource &source = *outputs_[output];
  std::unique_lock lock(net_.mutex);
  net_.Wait(lock, *source.room, nullptr, [&] { return source.HasRoom(); });
  FlowNet::Send(source, message);
  sent_[output] = true;
}

FlowMessage FlowUnit::Dequeue(size_t input, int32_t timeout_ms) {
  FlowTime at;
  const FlowTime *deadline = FlowDeadline("dequeue", timeout_ms, &at);
  std::unique_lock lock(net_.mutex);
  FlowQueue &queue = *queues_[input];
  if (!net_.Wait(lock, wake_, deadline, [&] { return queue.size() > 0; }))
    Fail(GE_FLOW_TIMEOUT, label_, ": nothing came to input ", input, " within ", timeout_ms, " ms");
  ++dequeued_;
  FlowMessage message = FlowNet::Receive(queue);
  head_ = HeadOf({message});
  return message;
}

size_t FlowUnit::Waiting(size_t input) {
  std::lock_guard lock(net_.mutex);
  return queues_[input]->size();
}

}  // namespace gec
