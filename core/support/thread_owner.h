// Which thread is inside an object that one thread at a time may use: a graph, a builder, a pattern.
//
// A thread enters with one exchange of a word and leaves with one store. A second thread that comes meanwhile is told
// which one is inside, instead of finding half of a change.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "core/support/cancel.h"
#include "core/support/inline_vec.h"

namespace gec {

/// The calling thread's number, as the kernel knows it.
uint32_t ThreadNumber() noexcept;
/// "thread 4711 'loader'", with the name where the thread has one. For messages.
std::string ThreadLabel(uint32_t number);

class ThreadOwner {
 public:
  ThreadOwner() = default;
  ~ThreadOwner() {
    if (inside()) Forget();
  }
  // A copy of what it guards is another object, which nobody is inside.
  ThreadOwner(const ThreadOwner &) noexcept {}
  ThreadOwner &operator=(const ThreadOwner &) noexcept { return *this; }

  /// 0: nobody is inside.
  uint32_t inside() const noexcept { return inside_.load(std::memory_order_relaxed); }
  /// Returns 0 when the thread is inside from now on, else the number of the thread that is.
  uint32_t Enter(uint32_t thread) noexcept {
    uint32_t other = 0;
    return inside_.compare_exchange_strong(other, thread, std::memory_order_acquire) ? 0 : other;
  }
  void Leave() noexcept { inside_.store(0, std::memory_order_release); }

 private:
  void Forget() noexcept;
  std::atomic<uint32_t> inside_{0};
};

/// What one function is inside of. It leaves when it ends, so a thread can hand an object to another one between two
/// calls, but not during one. Functions nest, as callbacks call them: an object is left by the function that entered
/// it.
class Visit {
 public:
  Visit() noexcept : outer_(current_) { current_ = this; }
  ~Visit() {
    Leave();
    current_ = outer_;
    if (!outer_) EndOfWork();
  }
  Visit(const Visit &) = delete;
  Visit &operator=(const Visit &) = delete;

  /// Enters for the innermost function; nothing happens where there is none, and when the thread is inside already.
  /// `what()` says for the message what the object is. Throws GE_BAD_STATE, naming both threads, when another one is
  /// inside and the busy handler does not want to wait.
  template <class What>
  static void Enter(ThreadOwner &owner, const char *function, What &&what) {
    const uint32_t thread = ThreadNumber();
    if (!current_ || owner.inside() == thread) return;
    InlineVec<ThreadOwner *, 4> &entered = current_->entered_;
    entered.push_back(&owner);
    if (owner.Enter(thread) == 0) return;
    entered.pop_back();
    Wait(owner, function, what());
    entered.push_back(&owner);  // has room
  }
  /// Leaves before the end, for a function that goes on without what it entered.
  static void LeaveAll() noexcept {
    if (current_) current_->Leave();
  }

 private:
  friend class ThreadOwner;
  void Leave() noexcept {
    while (!entered_.empty()) {
      entered_.back()->Leave();
      entered_.pop_back();
    }
  }
  static void Wait(ThreadOwner &owner, const char *function, const std::string &what);

  // Thread-local storage of the default model: a library that is loaded by dlopen must not ask for static storage.
  static __thread Visit *current_;
  InlineVec<ThreadOwner *, 4> entered_;
  Visit *outer_;
};

/// Asked whether a thread shall try again; see GeSetBusyHandler.
using BusyHandler = int32_t (*)(void *user, uint32_t attempt);
void SetBusyHandler(BusyHandler handler, void *user);

namespace detail {
extern __thread uint32_t thread_number;
uint32_t AskThreadNumber() noexcept;
}  // namespace detail

inline uint32_t ThreadNumber() noexcept {
  return detail::thread_number ? detail::thread_number : detail::AskThreadNumber();
}

/// While alive the calling thread goes by the number of another one, which waits for it: it is inside of what that one
/// is inside of.
class StandIn {
 public:
  explicit StandIn(uint32_t number) noexcept : before_(detail::thread_number) { detail::thread_number = number; }
  ~StandIn() { detail::thread_number = before_; }
  StandIn(const StandIn &) = delete;
  StandIn &operator=(const StandIn &) = delete;

 private:
  const uint32_t before_;
};

}  // namespace gec
