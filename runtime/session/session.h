// Graphs by id, compiled on their first run and run from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/options.h"
#include "runtime/session/executor.h"
#include "runtime/session/session_graph.h"
#include "runtime/session/stream_allocator.h"
#include "runtime/variables.h"

namespace gec {

/// What a program registers to be told watched values. Throws to fail the run.
using WatchFunction = std::function<void(uint32_t id, const std::vector<std::string> &names, TensorList values)>;

/// Threads: any.
class Session {
 public:
  /// Options of the process and of the session.
  explicit Session(Options options);
  /// Runs what is queued, then ends the flows.
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  uint64_t number() const { return number_; }  // in this process
  const VariableStorePtr &variables() const { return variables_; }
  /// `call` is GE's name of what the program called, for the message. Throws GE_GRAPH_NOT_EXIST.
  SessionGraphPtr Find(uint32_t id, const char *call);
  SessionGraphPtr FindOrNull(uint32_t id);
  /// See SessionGraph. Throws GE_GRAPH_ALREADY_EXIST.
  void Add(uint32_t id, GraphPtr graph, bool shared, const Options &options);
  void Remove(uint32_t id);
  /// Key: "Summary" or "Save".
  void Watch(const std::string &key, WatchFunction function);

  void SetAllocator(const void *stream, StreamAllocatorPtr allocator);
  /// False where the stream has none.
  bool RemoveAllocator(const void *stream);

  /// Runs the graph and tells watched values; the outputs are those of the program.
  TensorList Run(SessionGraph &graph, const std::vector<RunInput> &inputs);
  /// The same into memory of the caller's; the outputs borrow it.
  TensorList RunInto(SessionGraph &graph, const std::vector<RunInput> &inputs, const GeTensorData *given, size_t count);
  /// The same into memory of the stream's allocator, where it has one.
  TensorList RunOnStream(SessionGraph &graph, const std::vector<RunInput> &inputs, const void *stream);
  /// Runs on the session's own thread, behind what is queued there.
  void Submit(Executor::Job job);

 private:
  StreamAllocatorPtr AllocatorOf(const void *stream);
  void Tell(uint32_t id, const char *key, const std::vector<std::string> &names, TensorList values);

  uint64_t number_;
  const Options options_;
  const VariableStorePtr variables_ = std::make_shared<VariableStore>();
  std::mutex mutex_;
  std::map<uint32_t, SessionGraphPtr> graphs_;
  std::map<const void *, StreamAllocatorPtr> allocators_;
  std::map<std::string, std::shared_ptr<WatchFunction>> watches_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace gec
