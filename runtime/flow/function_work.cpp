#include "runtime/flow/function_work.h"

#include <algorithm>

#include "core/support/log.h"

namespace gec {

FunctionWork::FunctionWork(std::shared_ptr<FlowPointState> point, FlowFunctionPtr function,
                           std::vector<uint32_t> inputs, std::vector<uint32_t> outputs, bool streams)
    : point_(std::move(point)),
      function_(std::move(function)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      streams_(streams) {
  if (streams_ != function_->streams())
    Fail(GE_GRAPH_INVALID, "stream_input is ", streams_ ? "true" : "false", ", function '", function_->name(), "' ",
         streams_ ? "takes messages" : "takes queues");
  auto at = point_->instances.find(function_->family());
  if (at == point_->instances.end()) {
    creating_ = true;
    std::shared_ptr<void> instance = function_->Create(*this);
    creating_ = false;
    at = point_->instances.emplace(function_->family(), std::move(instance)).first;
  }
  instance_ = at->second.get();
}

void FunctionWork::Run(FlowUnit &unit, std::vector<FlowMessage> inputs) {
  std::unique_lock turn(point_->one, std::defer_lock);
  if (!streams_) turn.lock();
  unit_ = &unit;
  try {
    function_->Process(instance_, *this, std::move(inputs));
  } catch (...) {
    unit_ = nullptr;
    throw;
  }
  unit_ = nullptr;
}

const AttrValue *FunctionWork::Attr(const std::string &name) const {
  auto at = point_->params.find(name);
  return at == point_->params.end() ? nullptr : &at->second;
}

FlowUnit &FunctionWork::Unit(const char *call) const {
  if (unit_ == nullptr) Fail(GE_BAD_STATE, call, ": the function is not at work");
  return *unit_;
}

void FunctionWork::SetOutput(size_t index, FlowMessage message) {
  FlowUnit &unit = Unit("set_output");
  if (index >= point_->output_count)
    Fail(GE_PARAM_INVALID, "set_output: index is ", index, ", the process point has ", point_->output_count,
         " outputs");
  if (!outputs_.empty() && std::find(outputs_.begin(), outputs_.end(), index) == outputs_.end())
    Fail(GE_PARAM_INVALID, "set_output: output ", index, " is not among the function's outputs_index");
  Complete(unit.head(), &message);
  if (message.code != 0 && !message.text)
    message = FailedMessage(message, message.code, Str(unit.label(), ": set on its output"));
  unit.Emit(index, std::move(message));
}

std::vector<FlowMessage> FunctionWork::RunModel(const std::string &key, std::vector<FlowMessage> inputs,
                                                int32_t timeout_ms) {
  for (FlowMessage &input : inputs)
    if (unit_ != nullptr) Complete(unit_->head(), &input);
  return CallableOf(key).Call(std::move(inputs), timeout_ms);
}

FlowCallable &FunctionWork::CallableOf(const std::string &key) const {
  auto at = point_->callables.find(key);
  if (at != point_->callables.end()) return *at->second;
  std::string known;
  for (const auto &[name, callable] : point_->callables) known += (known.empty() ? "" : ", ") + name;
  Fail(GE_NOT_FOUND, "run_model: '", point_->name, "' has no closure '", key, "'",
       known.empty() ? "" : "; it has " + known);
}

void FunctionWork::CheckStreams(const char *call, size_t input) const {
  if (!streams_) Fail(GE_BAD_STATE, call, ": function '", function_->name(), "' gets its messages");
  if (input >= inputs_.size())
    Fail(GE_PARAM_INVALID, call, ": input is ", input, ", the function has ", inputs_.size());
}

FlowMessage FunctionWork::Dequeue(size_t input, int32_t timeout_ms) {
  CheckStreams("dequeue", input);
  return Unit("dequeue").Dequeue(input, timeout_ms);
}

void FunctionWork::QueueSize(size_t input, size_t *waiting, size_t *room) {
  CheckStreams("queue_size", input);
  *waiting = Unit("queue_size").Waiting(input);
  *room = FlowQueue::kCapacity;
}

void FunctionWork::Raise(int32_t code, uint64_t context) {
  FlowUnit &unit = Unit("raise");
  FlowNet &net = unit.net();
  const std::string text =
      Str(unit.label(), ", transaction ", unit.head().id, ": exception ", code, ", context ", context);
  std::lock_guard lock(net.mutex);
  if (!net.catches) Fail(GE_UNSUPPORTED, "raise: the data-flow graph does not catch exceptions (SetExceptionCatch)");
  net.raised.push_back({code, context, this, text});
  net.fetch.notify_all();
}

bool FunctionWork::NextException(int32_t *code, uint64_t *context) {
  FlowNet &net = Unit("next_exception").net();
  std::lock_guard lock(net.mutex);
  while (exceptions_seen_ < net.raised.size()) {
    const FlowNet::Raised &raised = net.raised[exceptions_seen_++];
    if (raised.by == this) continue;
    *code = raised.code;
    *context = raised.context;
    return true;
  }
  return false;
}

}  // namespace gec
