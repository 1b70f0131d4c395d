#include "runtime/watched_thread.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/passes/pass_scope.h"
#include "core/placement/call_watch.h"
#include "core/support/cancel.h"
#include "core/support/context.h"
#include "core/support/error.h"
#include "core/support/log.h"
#include "core/support/thread_owner.h"
#include "runtime/current_options.h"

namespace gec {
namespace {

constinit std::atomic<size_t> left_behind{0};

/// What belongs to the calling thread and counts for what it has done elsewhere.
class CallersPlace {
 public:
  CallersPlace() : number_(ThreadNumber()) {
    std::fegetenv(&floats_);
    if (const Options *options = CurrentOptions::Get()) options_ = *options;
  }
  void Run(const std::function<void()> &body) const {
    const StandIn stand_in(number_);
    std::fesetenv(&floats_);
    std::optional<CurrentOptions> current;
    if (options_) current.emplace(*options_);
    body();
  }

 private:
  const uint32_t number_;
  std::fenv_t floats_;
  std::optional<Options> options_;  // a copy: the caller may be gone first
};

/// The code of a thread that is left behind stays loaded.
void KeepLoaded() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void *>(&KeepLoaded), &info) != 0 && info.dli_fname)
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

void RethrowFor(const std::exception_ptr &error, bool ended) {
  CancelState &cancel = CancelState::Here();
  if (!error) {
    if (ended) cancel.Throw("when it was done");
    return;
  }
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled &e) {
    if (ended) cancel.Throw(e.what());
    throw;
  }
}

struct WatchedThread::State {
  explicit State(int64_t limit_ms) : watch(limit_ms) {}
  CallWatch watch;
  std::mutex mutex;  // of all that follows
  std::condition_variable wake, done;
  std::function<void()> job;
  bool busy = false, closing = false, left = false;
  CancelRequest ended{false};  // for the caller's reasons, which its own thread finds
  std::exception_ptr error;
  std::vector<std::string> contexts;  // of the error

  void Loop() {
    const CallWatch::Scope scope(&watch);
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return job || closing; });
      if (!job) return;
      std::function<void()> now = std::move(job);
      job = nullptr;
      lock.unlock();
      std::exception_ptr failure;
      std::vector<std::string> where;
      try {
        const CancelScope caller(&ended, {});
        now();
      } catch (...) {
        where = TakeContexts();
        failure = std::current_exception();
      }
      now = nullptr;  // what it holds may call engines
      lock.lock();
      if (watch.abandoned() || left) return;
      error = std::move(failure);
      contexts = std::move(where);
      busy = false;
      done.notify_one();
    }
  }
};

WatchedThread::WatchedThread(int64_t limit_ms) : limit_ms_(limit_ms) {}

WatchedThread::~WatchedThread() {
  if (!state_) return;
  if (process_ != getpid()) {  // a forked child has a copy of the state, but not the thread
    Leave();
    return;
  }
  {
    std::lock_guard lock(state_->mutex);
    state_->closing = true;
    state_->wake.notify_one();
  }
  thread_.join();
}

void WatchedThread::Start() {
  if (state_ && process_ != getpid()) Leave();
  if (state_) return;
  auto state = std::make_shared<State>(limit_ms_);
  try {
    thread_ = std::thread([state]() mutable {
      state->Loop();
      const bool left = state->watch.abandoned() || state->left;
      state.reset();
      if (left) --left_behind;
    });
  } catch (const std::system_error &e) {
    Fail(GE_OUT_OF_MEMORY, "option engine_time_limit needs a thread, and none can be started: ", e.what());
  }
  process_ = getpid();
  state_ = std::move(state);
}

/// The thread has the state alone from now on. In a forked child nobody has it: neither a thread that is not there nor
/// what it waited for can be given back.
void WatchedThread::Leave() {
  if (process_ == getpid()) {
    thread_.detach();
  } else {
    new std::thread(std::move(thread_));
    new std::shared_ptr<State>(state_);
  }
  state_.reset();
}

void WatchedThread::Give(std::function<void()> body) {
  Start();
  auto place = std::make_shared<const CallersPlace>();
  std::lock_guard lock(state_->mutex);
  state_->job = [place = std::move(place), body = std::move(body)] { place->Run(body); };
  state_->busy = true;
  state_->wake.notify_one();
}

void WatchedThread::Run(std::function<void()> body) {
  if (!lost_.empty()) Fail(GE_BAD_STATE, lost_);
  Give(std::move(body));
  State &state = *state_;
  CancelState &cancel = CancelState::Here();
  std::unique_lock lock(state.mutex);
  while (state.busy) {
    using Clock = CallWatch::Clock;
    const Clock::time_point now = Clock::now(), turn = now + std::chrono::milliseconds(CancelState::kCheckMilliseconds);
    const Clock::time_point look = std::min(state.watch.NextLook(), cancel.any() ? turn : Clock::time_point::max());
    if (look == Clock::time_point::max()) state.done.wait(lock);
    else state.done.wait_until(lock, look);
    if (!state.busy) break;
    if (cancel.any() && !state.ended) {
      lock.unlock();  // a check may call anything
      if (cancel.Due()) state.ended = true;
      lock.lock();
    }
    if (!state.busy || Clock::now() < state.watch.NextLook()) continue;
    Hang hang;
    if (!state.watch.GiveUp(&hang)) continue;
    ++left_behind;
    lock.unlock();
    KeepLoaded();
    Leave();
    lost_ = "an engine hangs";  // without memory that has to do
    lost_ = Str("engine ", hang.engine, " hangs: ", hang.What());
    Fail(GE_FAILED, lost_, "; it is not used any more in this process");
  }
  const bool ended = state.ended.exchange(false);
  const std::exception_ptr error = std::exchange(state.error, nullptr);
  LeaveContexts(std::exchange(state.contexts, {}));
  lock.unlock();
  RethrowFor(error, ended);
}

void WatchedThread::RunLast(std::function<void()> body) noexcept {
  if (!lost_.empty()) return;
  try {
    Start();
  } catch (...) {  // no thread can be had
    return body();
  }
  try {
    if (!EngineHealth::AnyHung()) {
      Run(std::move(body));
      return;
    }
    Give(std::move(body));
    KeepLoaded();
    {
      std::lock_guard lock(state_->mutex);
      state_->left = state_->closing = true;
      state_->wake.notify_one();
      ++left_behind;
    }
    Leave();
  } catch (const std::exception &e) {
    Log(GE_LOG_WARNING, "while something was given back to engines: ", e.what());
  } catch (...) {
  }
}

void RunWatched(int64_t limit_ms, std::function<void()> body) {
  WatchedThread(limit_ms).Run([body = std::move(body), scope = PassScope::Current()] {
    const AdoptScope adopted(scope);
    body();
  });
}

void GiveBackWatched(int64_t limit_ms, std::function<void()> body) noexcept {
  if (CallWatch::Current() || (limit_ms == 0 && !EngineHealth::AnyHung())) return body();
  WatchedThread(limit_ms).RunLast(std::move(body));
}

size_t ThreadsLeftBehind() { return left_behind; }

}  // namespace gec
