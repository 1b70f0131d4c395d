// A thread for work that calls engines, and a caller who leaves it behind when one of them does not come back.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace gec {

/// The thread starts with the first piece of work and waits for the next one. One caller at a time.
class WatchedThread {
 public:
  /// Milliseconds that one call into an engine may take; 0: any time.
  explicit WatchedThread(int64_t limit_ms);
  ~WatchedThread();
  WatchedThread(const WatchedThread &) = delete;
  WatchedThread &operator=(const WatchedThread &) = delete;

  /// Runs the body there and throws here what it throws; it works as if on the calling thread, which waits. Throws
  /// GE_FAILED when a call into an engine takes too long: then the thread is left behind with the body, so what the
  /// body uses while an engine is called, and when it ends, has to be its own.
  void Run(std::function<void()> body);
  /// The last piece of work, which gives something back. Where an engine hangs nobody waits for it.
  void RunLast(std::function<void()> body) noexcept;
  /// Not empty: why there is no thread any more.
  const std::string &lost() const { return lost_; }

 private:
  struct State;
  void Start();
  void Give(std::function<void()> body);
  void Leave();
  const int64_t limit_ms_;
  std::shared_ptr<State> state_;  // the thread's own too
  std::thread thread_;
  int process_ = 0;  // that started it
  std::string lost_;
};

/// One piece of work on a thread of its own.
void RunWatched(int64_t limit_ms, std::function<void()> body);
/// One that gives something back to engines: on the calling thread where there is no limit, or a limit at work already.
void GiveBackWatched(int64_t limit_ms, std::function<void()> body) noexcept;

/// Throws here what work has thrown that another thread did for the calling one; null is nothing. `ended`: the work was
/// told to end for reasons of the calling thread, which are named.
void RethrowFor(const std::exception_ptr &error, bool ended);

/// Threads that were left behind and have not ended yet.
size_t ThreadsLeftBehind();

}  // namespace gec
