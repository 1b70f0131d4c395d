#include "runtime/session/executor.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace gec {

struct Executor::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Job> jobs;
  std::thread thread;
  bool closed = false;

  /// Runs jobs until there are none; `lock` is held in between.
  void Drain(std::unique_lock<std::mutex> &lock) {
    while (!jobs.empty()) {
      Job job = std::move(jobs.front());
      jobs.pop_front();
      lock.unlock();
      job();
      job = nullptr;  // what it holds may call back into the session
      lock.lock();
    }
  }
  void Loop() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return closed || !jobs.empty(); });
      Drain(lock);
      if (closed) return;
    }
  }
};

Executor::Executor() : state_(std::make_shared<State>()) {}

Executor::~Executor() {
  std::unique_lock lock(state_->mutex);
  state_->closed = true;
  if (!state_->thread.joinable()) return;
  if (state_->thread.get_id() == std::this_thread::get_id()) {
    state_->thread.detach();
    state_->Drain(lock);
    return;
  }
  lock.unlock();
  state_->wake.notify_all();
  state_->thread.join();
}

void Executor::Submit(Job job) {
  std::lock_guard lock(state_->mutex);
  if (!state_->thread.joinable()) state_->thread = std::thread([state = state_] { state->Loop(); });
  state_->jobs.push_back(std::move(job));
  state_->wake.notify_one();
}

}  // namespace gec
