#include "core/placement/turn.h"

#include "core/placement/call_watch.h"

namespace gec {

void Turn::Take() {
  std::unique_lock lock(mutex_);
  free_.wait(lock, [this] { return !taken_; });
  taken_ = true;
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
