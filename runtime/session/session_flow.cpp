#include "runtime/session/session_flow.h"

namespace gec {

void SessionFlow::Use(const std::function<void(Flow &)> &use) {
  struct Call {
    explicit Call(SessionFlow &flow) : flow(flow) {
      std::lock_guard lock(flow.mutex_);
      if (flow.ending_) Fail(GE_BAD_STATE, "E10062: the data-flow graph was removed");
      ++flow.calls_;
    }
    ~Call() {
      std::lock_guard lock(flow.mutex_);
      if (--flow.calls_ == 0) flow.idle_.notify_all();
    }
    SessionFlow &flow;
  } call(*this);
  use(*flow_);
}

void SessionFlow::End() noexcept {
  std::unique_lock lock(mutex_);
  if (!ending_) flow_->Stop();
  ending_ = true;
  idle_.wait(lock, [this] { return calls_ == 0; });
  std::unique_ptr<Flow> flow = std::move(flow_);
  lock.unlock();
}

}  // namespace gec
