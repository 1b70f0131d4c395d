// One thread's way to run a model, and to be done with a run in which an engine hangs.
#pragma once

#include <functional>
#include <memory>
#include <string>

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
  /// For tensors between nodes; see GeRunContextSetMemory.
  void SetMemory(void *memory, uint64_t bytes);
  Model &model() { return *model_; }
  /// An engine hung in a run of it: it runs nothing any more.
  bool lost() const { return !body_; }

 private:
  void Watched(std::function<void(ContextBody &body)> work);
  [[noreturn]] void Refuse() const;
  ModelPtr model_;
  std::shared_ptr<ContextBody> body_;      // also of a thread that was left behind
  std::unique_ptr<WatchedThread> thread_;  // null: engines take their time
  std::string lost_;
};

}  // namespace gec
