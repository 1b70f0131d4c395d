#include "core/placement/turn.h"

#include <chrono>

#include "core/placement/call_watch.h"
#include "core/support/cancel.h"
#include "core/support/error.h"
#include "core/support/thread_owner.h"

namespace gec {

void Turn::Take() {
  const uint32_t thread = ThreadNumber();
  CancelState &cancel = CancelState::Here();
  std::unique_lock lock(mutex_);
  if (taken_ && owner_ == thread)
    Fail(GE_BAD_STATE, "an interrupt check or a signal handler asks for what its thread is in the middle of making");
  while (taken_) {
    if (!cancel.any()) {
      free_.wait(lock);
      continue;
    }
    free_.wait_for(lock, std::chrono::milliseconds(CancelState::kCheckMilliseconds));
    if (!taken_) break;
    lock.unlock();  // a check may call anything
    CheckCancelled("while another thread makes what this one needs");
    lock.lock();
  }
  taken_ = true;
  owner_ = thread;
}

void Turn::Free() {
  std::lock_guard lock(mutex_);
  taken_ = false;
  free_.notify_one();  // under the lock: whoever takes it next may destroy the turn
}

TurnLock::TurnLock(Turn &turn) : turn_(turn), watch_(CallWatch::Current()) {
  turn_.Take();
  if (!watch_) return;
  std::unique_lock lock(watch_->mutex_);
  if (watch_->abandoned_) {
    lock.unlock();
    turn_.Free();
    throw Abandoned();
  }
  next_ = watch_->locks_;
  link_ = &watch_->locks_;
  if (next_) next_->link_ = &next_;
  watch_->locks_ = this;
}

TurnLock::~TurnLock() {
  if (watch_) {
    std::lock_guard lock(watch_->mutex_);
    if (!link_) return;
    Unlink();
  }
  turn_.Free();
}

bool TurnLock::lost() const {
  if (!watch_) return false;
  std::lock_guard lock(watch_->mutex_);
  return !link_;
}

void TurnLock::Unlink() {
  *link_ = next_;
  if (next_) next_->link_ = link_;
  link_ = nullptr;
}

void TurnLock::Lose() {
  Unlink();
  turn_.Free();
}

}  // namespace gec
