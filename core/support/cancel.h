// Ends long work before it is done: a run, a compile, an import. Others ask for it with a request, a time limit of the
// work asks, or a check that the program has left with the thread. Work looks at these between its steps.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "ge/cancel.h"
#include "ge/status.h"

namespace gec {

/// Set by any thread, and by signal handlers.
using CancelRequest = std::atomic<bool>;
static_assert(CancelRequest::is_always_lock_free);

/// Thrown by work that is ended. Not an Error: who tries another way after an error must not go on after this.
class Cancelled : public std::runtime_error {
 public:
  Cancelled(GeStatus code, const std::string &message) : std::runtime_error(message), code_(code) {}
  GeStatus code() const noexcept { return code_; }

 private:
  GeStatus code_;
};

/// A limit of milliseconds, and what the program calls it. 0: none.
struct TimeLimit {
  int64_t milliseconds = 0;
  const char *name = "";
};

class CancelState;

/// While it lives, the calling thread's work can be ended by a request (may be null) and a time limit, beside what is
/// around it.
class CancelScope {
 public:
  CancelScope(const CancelRequest *request, TimeLimit limit) noexcept;
  ~CancelScope();
  CancelScope(const CancelScope &) = delete;
  CancelScope &operator=(const CancelScope &) = delete;

 private:
  friend class CancelState;
  CancelState &state_;
  const CancelRequest *request_;
  TimeLimit limit_;
  int64_t deadline_ = 0;
  CancelScope *outer_;
};

/// A loop asks it between two steps, while the scopes around the loop stay the same.
class CancelLook {
 public:
  bool Due() const noexcept {
    if (request_->load(std::memory_order_relaxed)) [[unlikely]]
      return true;
    if (timed_) [[unlikely]]
      return LookAround(timed_);
    return false;
  }

 private:
  friend class CancelState;
  CancelLook(const CancelRequest *request, CancelState *timed) noexcept : request_(request), timed_(timed) {}
  static bool LookAround(CancelState *state) noexcept;  // not a member of this, which stays in registers
  const CancelRequest *request_;                        // never null
  CancelState *timed_;                                  // null: nothing else ends the work
};

/// Everything that may end the calling thread's work. Zeroes are a state without anything that does.
class CancelState {
 public:
  static CancelState &Here() noexcept;
  /// To be asked between two steps: a look at a flag, and, where there are limits or a check, at a coarse clock.
  bool Due() noexcept { return look().Due(); }
  /// Throws what Due has found; `where` tells what was to come next.
  [[noreturn]] void Throw(const std::string &where);
  CancelLook look() noexcept { return {request_ ? request_ : &kNever, timed_ ? this : nullptr}; }
  static std::atomic<uint32_t> stopped_threads;  // those whose checks have ended the call that they are in
  static void EndStop() noexcept;
  /// Something may end the work.
  bool any() const noexcept { return request_ || timed_; }
  /// How often a check is called, at most.
  static constexpr int64_t kCheckMilliseconds = 50;

 private:
  friend class CancelScope;
  friend class CancelLook;
  static const CancelRequest kNever;
  friend void SetInterruptCheck(GeInterruptFn, void *) noexcept;
  void SetStopped(bool stopped) noexcept;
  bool LookAround() noexcept;
  void Refresh() noexcept;
  const CancelRequest *request_;
  CancelScope *scope_;
  GeInterruptFn check_;
  void *user_;
  int64_t next_check_;
  uint32_t checks_;  // that were set so far
  bool timed_;       // a request further out, a limit or a check: more to look at than one flag
  bool stopped_;     // the check has ended the thread's work, until its outermost call of the library returns
};

/// Throws where the calling thread's work is to end.
inline void CheckCancelled(const char *where) {
  if (CancelState &state = CancelState::Here(); state.Due()) state.Throw(where);
}
/// The same with a text that is only made when it is needed.
template <class Where>
requires std::is_invocable_r_v<std::string, Where>
void CheckCancelled(const Where &where) {
  if (CancelState &state = CancelState::Here(); state.Due()) state.Throw(where());
}

/// The outermost call of the library on this thread ends: what has ended it is over.
inline void EndOfWork() noexcept {
  if (CancelState::stopped_threads.load(std::memory_order_relaxed) != 0) [[unlikely]]
    CancelState::EndStop();
}

/// The program's check of this thread; null: none.
void SetInterruptCheck(GeInterruptFn check, void *user) noexcept;

}  // namespace gec
