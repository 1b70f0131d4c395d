// A mutex that its own thread cannot wait for: a signal handler may call for what the call that it interrupts holds.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/support/error.h"
#include "core/support/thread_owner.h"

namespace gec {

class OwnedMutex {
 public:
  /// Throws GE_BAD_STATE where the calling thread holds it.
  void lock() {
    const uint32_t thread = ThreadNumber();
    if (owner_.load(std::memory_order_relaxed) == thread)
      Fail(GE_BAD_STATE, "an interrupt check or a signal handler asks for a graph that its thread is in the middle of");
    mutex_.lock();
    owner_.store(thread, std::memory_order_relaxed);
  }
  void unlock() noexcept {
    owner_.store(0, std::memory_order_relaxed);
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
  std::atomic<uint32_t> owner_{0};
};

}  // namespace gec
