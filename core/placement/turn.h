// A lock for what one thread does at a time while it calls engines. Where the work of the thread that holds it is given
// up (CallWatch), the lock is free again: nobody waits for an engine that hangs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gec {

class CallWatch;

class Turn {
 public:
  Turn() = default;
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

 private:
  friend class TurnLock;
  void Take();
  void Free();
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
  uint32_t owner_ = 0;  // number of the thread that has taken it
};

/// Holds a turn while it lives, or until its thread's work is given up. Throws Abandoned where that has happened
/// before, Cancelled where the thread's work is ended while it waits, and GE_BAD_STATE where the thread has the turn:
/// an interrupt check, or a signal handler, calls for what the call that it interrupts is in the middle of.
class TurnLock {
 public:
  explicit TurnLock(Turn &turn);
  ~TurnLock();
  TurnLock(const TurnLock &) = delete;
  TurnLock &operator=(const TurnLock &) = delete;
  /// The work was given up: others may hold the turn now.
  bool lost() const;

 private:
  friend class CallWatch;
  void Lose();    // the watch's mutex is held
  void Unlink();  // likewise
  Turn &turn_;
  CallWatch *const watch_;                       // null: nobody gives the work up
  TurnLock *next_ = nullptr, **link_ = nullptr;  // in the watch's list
};

}  // namespace gec
