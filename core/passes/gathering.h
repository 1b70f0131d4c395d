// What the library's own instruments share.
#pragma once

#include <map>
#include <mutex>
#include <thread>

#include "core/passes/instrument.h"

namespace gec {

/// One instrument may watch passes on several threads at once: all it has is read and written under `mutex_`. What it
/// gathered goes when a scope is entered, unless another thread is inside one.
class Gathering : public PassInstrument {
 public:
  void EnterScope() override {
    const std::lock_guard lock(mutex_);
    const auto self = std::this_thread::get_id();
    if (inside_.empty() || (inside_.size() == 1 && inside_.count(self))) Reset();
    ++inside_[self];
  }
  void ExitScope() override {
    const std::lock_guard lock(mutex_);
    const auto at = inside_.find(std::this_thread::get_id());
    if (at != inside_.end() && --at->second == 0) inside_.erase(at);
  }

 protected:
  /// Called under the lock.
  virtual void Reset() = 0;
  mutable std::mutex mutex_;

 private:
  std::map<std::thread::id, int> inside_;  // scopes that threads have entered
};

}  // namespace gec
