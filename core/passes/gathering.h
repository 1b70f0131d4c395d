// What the library's own instruments share.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "core/passes/instrument.h"

namespace gec {

/// One instrument may watch passes on several threads at once: all it has is read and written under `mutex_`. What it
/// gathered goes when a scope is entered, unless another thread is inside one.
class Gathering : public PassInstrument {
 public:
  std::shared_ptr<void> Inside() override {
    auto token = std::make_shared<Token>(threads_);
    const std::lock_guard counting(threads_->mutex);
    std::map<std::thread::id, int> &scopes = threads_->scopes;
    if (scopes.empty() || (scopes.size() == 1 && scopes.count(token->thread))) {
      const std::lock_guard lock(mutex_);
      Reset();
    }
    ++scopes[token->thread];
    token->counts = true;
    return token;
  }

 protected:
  /// Called under the lock.
  virtual void Reset() = 0;
  mutable std::mutex mutex_;

 private:
  struct Threads {
    std::mutex mutex;
    std::map<std::thread::id, int> scopes;  // that a thread is inside
  };
  struct Token {
    explicit Token(std::shared_ptr<Threads> all) : threads(std::move(all)) {}
    ~Token() {
      if (!counts) return;
      const std::lock_guard counting(threads->mutex);
      const auto at = threads->scopes.find(thread);
      if (--at->second == 0) threads->scopes.erase(at);
    }
    std::shared_ptr<Threads> threads;
    std::thread::id thread = std::this_thread::get_id();
    bool counts = false;
  };
  const std::shared_ptr<Threads> threads_ = std::make_shared<Threads>();
};

}  // namespace gec
