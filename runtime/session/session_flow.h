// A data-flow graph of a session at work. It may be removed while calls wait in it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "runtime/flow/flow.h"

namespace gec {

class SessionFlow {
 public:
  explicit SessionFlow(std::unique_ptr<Flow> flow) : flow_(std::move(flow)) {}
  ~SessionFlow() { End(); }
  SessionFlow(const SessionFlow &) = delete;
  SessionFlow &operator=(const SessionFlow &) = delete;

  /// Calls `use` with the flow, which is not destroyed meanwhile. Throws GE_BAD_STATE once the flow has ended.
  void Use(const std::function<void(Flow &)> &use);
  /// Calls that wait return, then the flow's threads end; functions at work finish first. Not from one of these
  /// threads.
  void End() noexcept;

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  size_t calls_ = 0;
  std::unique_ptr<Flow> flow_;
  bool ending_ = false;
};
using SessionFlowPtr = std::shared_ptr<SessionFlow>;

}  // namespace gec
