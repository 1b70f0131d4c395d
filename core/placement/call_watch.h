// Calls into engines that are under way, noted for a caller who does not wait for ever.
//
// The caller's work runs on another thread, which notes each call into an engine here. When one takes too long the
// caller gives the work up: from then on no thread of it enters an engine or comes back from one, but throws Abandoned
// instead, so that it ends without touching anything of the caller's. Between two calls nobody gives up, so what
// happens there may use what is the caller's.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "core/ir/graph.h"
#include "core/placement/engine_health.h"
#include "ge/op.h"

namespace gec {

/// Thrown on a thread whose caller has given its work up. No std::exception: what handles failures shall not see it.
struct Abandoned {};

/// The node or constant that a call is about. Its text is made when somebody wants to read it; `of` is there until the
/// call has returned.
struct CallSubject {
  std::string (*text)(const void *of) = nullptr;
  const void *of = nullptr;
};
CallSubject SubjectOf(const Node &node);    // by the names that the program gave
CallSubject SubjectOf(const GeOpDesc &op);  // by the node's name
CallSubject SubjectOf(const char *const &text);

class EngineCall;
class TurnLock;

/// The calls of one piece of work, which may be at work on several threads.
class CallWatch {
 public:
  using Clock = std::chrono::steady_clock;
  /// 0: no call is too long.
  explicit CallWatch(int64_t limit_ms) : limit_(limit_ms) {}
  ~CallWatch();
  CallWatch(const CallWatch &) = delete;
  CallWatch &operator=(const CallWatch &) = delete;

  /// That of the calling thread; null where nobody limits its calls.
  static CallWatch *Current() noexcept;

  /// Until then no call can have taken too long.
  Clock::time_point NextLook() const;
  /// Where a call takes too long: marks its engine, frees the locks that the work holds, gives the work up and answers
  /// true. Without memory *hang lacks texts.
  bool GiveUp(Hang *hang) noexcept;
  bool abandoned() const;
  void ThrowIfAbandoned() const;

  /// While alive the calling thread is at work for `watch`, which may be null.
  class Scope {
   public:
    explicit Scope(CallWatch *watch) noexcept;
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

   private:
    CallWatch *const before_;
  };
  /// While alive, calls of this thread that have no subject of their own are about this one.
  class About {
   public:
    explicit About(const Node &node) noexcept;
    ~About();
    About(const About &) = delete;
    About &operator=(const About &) = delete;

   private:
    CallSubject subject_;
    const CallSubject *const before_;
  };

 private:
  friend class EngineCall;
  friend class TurnLock;
  const std::chrono::milliseconds limit_;
  mutable std::mutex mutex_;  // of all that follows
  EngineCall *calls_ = nullptr;
  TurnLock *locks_ = nullptr;
  bool abandoned_ = false;
};

/// One call, from before it is made until it has returned. Does nothing where `watch` is null.
class EngineCall {
 public:
  EngineCall(CallWatch *watch, EngineHealth &engine, const char *function, CallSubject subject = {}) noexcept;
  ~EngineCall();
  EngineCall(const EngineCall &) = delete;
  EngineCall &operator=(const EngineCall &) = delete;

 private:
  friend class CallWatch;
  CallWatch *const watch_;
  EngineHealth &engine_;
  const char *const function_;
  CallSubject subject_;
  CallWatch::Clock::time_point begin_;
  EngineCall *next_ = nullptr, **link_ = nullptr;  // in the watch's list
};

/// Makes a call that has no barrier of its own (a kernel's run) as one of the thread's watch, if there is one. Throws
/// Abandoned.
template <class Call>
auto NotedCall(EngineHealth &engine, const char *function, CallSubject subject, Call &&call) {
  CallWatch *watch = CallWatch::Current();
  if (!watch) return call();
  watch->ThrowIfAbandoned();
  auto result = [&] {
    EngineCall note(watch, engine, function, subject);
    return call();
  }();
  watch->ThrowIfAbandoned();
  return result;
}

}  // namespace gec
