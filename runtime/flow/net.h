// Queues between the threads of a flow. One mutex guards them all: a message goes to all its consumers at once, a feed
// to all its inputs, and threads hold the mutex only to move messages.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/flow/message.h"

namespace gec {

class FlowQueue {
 public:
  static constexpr size_t kCapacity = 128;
  FlowQueue() : ring_(kCapacity) {}
  size_t size() const { return count_; }
  bool full() const { return count_ == kCapacity; }
  void Push(FlowMessage message) noexcept {
    ring_[(first_ + count_++) % kCapacity] = std::move(message);
    ++pushed_;
  }
  FlowMessage Pop() noexcept {
    FlowMessage message = std::move(ring_[first_]);
    ring_[first_] = FlowMessage();
    first_ = (first_ + 1) % kCapacity;
    --count_;
    return message;
  }
  uint64_t pushed() const { return pushed_; }

  std::condition_variable *consumer = nullptr, *producer = nullptr;  // who waits for messages, and for room

 private:
  std::vector<FlowMessage> ring_;
  size_t first_ = 0, count_ = 0;
  uint64_t pushed_ = 0;
};

/// Where messages come from: an input of the flow, or an output of a process point.
struct FlowSource {
  std::vector<FlowQueue *> targets;
  std::condition_variable *room = nullptr;  // notified when a target has room again
  bool HasRoom() const {
    for (const FlowQueue *queue : targets)
      if (queue->full()) return false;
    return true;
  }
};

class FlowNet {
 public:
  std::mutex mutex;
  bool stopping = false;
  std::condition_variable feed, fetch;           // room for feeding; something to fetch
  std::vector<std::condition_variable *> waits;  // all others

  /// Exceptions of functions, which every function and the next fetch are told.
  struct Raised {
    int32_t code;
    uint64_t context;
    const void *by;
    std::string text;
  };
  bool catches = false;
  std::vector<Raised> raised;
  size_t fetched = 0;  // of them

  /// Threads that wait go on and end.
  void Stop() noexcept {
    std::lock_guard lock(mutex);
    stopping = true;
    feed.notify_all();
    fetch.notify_all();
    for (std::condition_variable *wait : waits) wait->notify_all();
  }

  /// Waits until `ready`, an end of the flow, or the deadline (null: none). False when the time is over; throws
  /// GE_BAD_STATE when the flow ends.
  template <class Ready>
  bool Wait(std::unique_lock<std::mutex> &lock, std::condition_variable &wake, const FlowTime *deadline,
            Ready &&ready) {
    auto done = [&] { return stopping || ready(); };
    if (deadline == nullptr) wake.wait(lock, done);
    else if (!wake.wait_until(lock, *deadline, done)) return false;
    if (stopping) Fail(GE_BAD_STATE, "the data-flow graph has been stopped");
    return true;
  }
  static void Send(const FlowSource &source, const FlowMessage &message) noexcept {
    for (FlowQueue *queue : source.targets) {
      queue->Push(message);
      if (queue->consumer != nullptr) queue->consumer->notify_all();
    }
  }
  static FlowMessage Receive(FlowQueue &queue) noexcept {
    FlowMessage message = queue.Pop();
    if (queue.producer != nullptr) queue.producer->notify_all();
    return message;
  }
};

/// When a call that started now has waited long enough; for -1 there is no such time.
inline const FlowTime *FlowDeadline(const char *call, int32_t timeout_ms, FlowTime *at) {
  if (timeout_ms < -1) Fail(GE_PARAM_INVALID, call, ": the timeout is ", timeout_ms, " ms, expected -1 or more");
  if (timeout_ms == -1) return nullptr;
  *at = FlowClock::now() + std::chrono::milliseconds(timeout_ms);
  return at;
}

}  // namespace gec
