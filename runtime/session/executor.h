// A thread that runs jobs in the order they come: asynchronous runs of a session.
#pragma once

#include <functional>
#include <memory>

namespace gec {

/// Threads: any may submit. The thread starts with the first job.
class Executor {
 public:
  using Job = std::function<void()>;

  Executor();
  /// Runs what is still waiting, then ends the thread. A job may destroy the executor: the jobs behind it then run
  /// here.
  ~Executor();
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;

  /// Jobs must not throw.
  void Submit(Job job);

 private:
  struct State;
  std::shared_ptr<State> state_;  // the thread's own too, which may outlive the executor
};

}  // namespace gec
