#include "runtime/context.h"

#include <new>

#include "core/placement/engine_health.h"
#include "runtime/watched_thread.h"

namespace gec {

RunContext::RunContext(ModelPtr model) : model_(std::move(model)), body_(std::make_shared<ContextBody>(model_)) {
  if (const int64_t limit = model_->settings().engine_time_limit) thread_ = std::make_unique<WatchedThread>(limit);
}

// Streams and memory go back to engines, which may hang then, too.
RunContext::~RunContext() {
  if (!body_ || (!thread_ && !EngineHealth::AnyHung())) return;
  try {
    std::function<void()> give_back = [body = std::move(body_)]() mutable { body.reset(); };
    if (thread_) thread_->RunLast(std::move(give_back));
    else GiveBackWatched(0, std::move(give_back));
  } catch (const std::bad_alloc &) {  // the body went here
  }
}

void RunContext::Refuse() const {
  Fail(GE_BAD_STATE, "an earlier run of this context was given up, so it runs no more; make a new one (", lost_, ")");
}

/// What the work uses while an engine is called is the body's: the thread that is left behind keeps it.
void RunContext::Watched(std::function<void(ContextBody &body)> work) {
  if (!body_) Refuse();
  try {
    thread_->Run([body = body_, work = std::move(work)] { work(*body); });
  } catch (...) {
    if (!thread_->lost().empty()) {
      lost_ = thread_->lost();
      body_.reset();
    }
    throw;
  }
}

TimeLimit RunContext::Limit() const {
  const TimeLimit &option = model_->settings().run_time_limit;
  if (time_limit_ == 0 || (option.milliseconds != 0 && option.milliseconds <= time_limit_)) return option;
  return {time_limit_, "the context's time limit"};
}

template <class Work>
void RunContext::Do(Work work) {
  cancel_->store(false, std::memory_order_relaxed);  // an earlier run was meant
  const TimeLimit limit = Limit();
  if (!thread_) {
    const CancelScope scope(cancel_.get(), limit);
    return work(*body_);
  }
  Watched([cancel = cancel_, limit, work](ContextBody &body) {
    const CancelScope scope(cancel.get(), limit);
    work(body);
  });
}

void RunContext::Prepare(const GeTensorData *inputs, size_t input_count, GeTensorData *outputs, size_t output_count) {
  Do([=](ContextBody &body) { body.Prepare(inputs, input_count, outputs, output_count); });
}

void RunContext::Run(const GeTensorData *inputs, size_t input_count, GeTensorData *outputs, size_t output_count,
                     Profiler *profiler) {
  Do([=](ContextBody &body) { body.Run(inputs, input_count, outputs, output_count, profiler); });
}

void RunContext::SetMemory(void *memory, uint64_t bytes) {
  if (!body_) Refuse();
  if (thread_ && (memory || bytes))
    Fail(GE_UNSUPPORTED, "a model with option engine_time_limit runs in memory of its own: an engine that hangs may ",
         "still write to it when the program has taken it back");
  body_->SetMemory(memory, bytes);
}

void RunContext::SetState(std::shared_ptr<KeptState> state) {
  if (!body_) Refuse();
  body_->SetState(std::move(state));
}

}  // namespace gec
