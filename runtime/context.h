// One thread's way to run a model, and to be done with a run in which an engine hangs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/support/cancel.h"
#include "ge/data.h"
#include "runtime/context_body.h"
#include "runtime/model.h"

namespace gec {

class WatchedThread;

class RunContext {
 public:
  explicit RunContext(ModelPtr model);
  ~RunContext();

  /// Plans for these shapes; tells output descriptions (dims -1 where they depend on data). Pointers are the context's.
  void Prepare(const GeTensorData *inputs, size_t input_count, GeTensorData *outputs, size_t output_count);
  /// Runs once; see GeRun. profiler may be null.
  void Run(const GeTensorData *inputs, size_t input_count, GeTensorData *outputs, size_t output_count,
           Profiler *profiler);
  /// Ends the run that is under way; see GeRunContextCancel. Also for other threads and signal handlers.
  void Cancel() noexcept { cancel_->store(true, std::memory_order_relaxed); }
  /// Milliseconds for each later run; 0: what the model's options say.
  void SetTimeLimit(int64_t milliseconds) { time_limit_ = milliseconds; }
  /// For tensors between nodes; see GeRunContextSetMemory.
  void SetMemory(void *memory, uint64_t bytes);
  void SetState(std::shared_ptr<KeptState> state);
  Model &model() { return *model_; }
  /// An engine hung in a run of it: it runs nothing any more.
  bool lost() const { return !body_; }

 private:
  template <class Work>
  void Do(Work work);
  void Watched(std::function<void(ContextBody &body)> work);
  TimeLimit Limit() const;
  [[noreturn]] void Refuse() const;
  ModelPtr model_;
  std::shared_ptr<ContextBody> body_;      // also of a thread that was left behind
  std::unique_ptr<WatchedThread> thread_;  // null: engines take their time
  std::shared_ptr<CancelRequest> cancel_ = std::make_shared<CancelRequest>(false);  // also of a thread left behind
  int64_t time_limit_ = 0;
  std::string lost_;
};

}  // namespace gec
