// The device of the simulated accelerator: memory that the host cannot touch, and streams that work later.
//
// Every allocation is mapped twice: the host knows an address at which nothing may be read or written (the process dies
// of a stray access), streams work at the other one.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "ge/engine_kit.hpp"

namespace simulated {

using ge::kit::Fail;

class Memory {
 public:
  static constexpr uint64_t kAlignment = 4096;

  ~Memory() {
    for (auto &[host, block] : blocks_) Unmap(host, block);
  }

  void *Allocate(uint64_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const int file = memfd_create("simulated", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
      if (file >= 0) close(file);
      Fail(GE_OUT_OF_MEMORY, "no file for ", bytes, " bytes");
    }
    void *host = mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0);
    void *device = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (host == MAP_FAILED || device == MAP_FAILED) Fail(GE_OUT_OF_MEMORY, "no mapping for ", bytes, " bytes");
    std::lock_guard lock(mutex_);
    blocks_[static_cast<char *>(host)] = {static_cast<char *>(device), bytes};
    ++live;
    return host;
  }

  void Release(void *memory) {
    std::lock_guard lock(mutex_);
    const auto at = blocks_.find(static_cast<char *>(memory));
    if (at == blocks_.end()) Fail(GE_PARAM_INVALID, "memory is given back that was not allocated");
    Unmap(at->first, at->second);
    blocks_.erase(at);
    --live;
  }

  /// The address at which streams work. Fails unless all of the bytes lie in one allocation.
  char *Device(const void *host, uint64_t bytes) const {
    std::lock_guard lock(mutex_);
    const char *address = static_cast<const char *>(host);
    auto at = blocks_.upper_bound(const_cast<char *>(address));
    if (at != blocks_.begin()) {
      --at;
      const uint64_t offset = static_cast<uint64_t>(address - at->first);
      if (offset <= at->second.bytes && bytes <= at->second.bytes - offset) return at->second.device + offset;
    }
    Fail(GE_FAILED, "a buffer of ", bytes, " bytes is not in the accelerator's memory");
  }

  static inline std::atomic<size_t> live{0};  // allocations of all devices

 private:
  struct Block {
    char *device;
    uint64_t bytes;
  };
  static void Unmap(char *host, const Block &block) {
    munmap(host, block.bytes);
    munmap(block.device, block.bytes);
  }
  mutable std::mutex mutex_;
  std::map<char *, Block> blocks_;
};

/// A mark that a stream passes. The host and other streams wait for the last time it was set; how the work before it
/// ended is told to them.
class Event {
 public:
  void Set() {
    std::lock_guard lock(mutex_);
    ++set_;
  }
  void Reach(GeStatus status, const std::string &text) {
    {
      std::lock_guard lock(mutex_);
      ++reached_;
      status_ = status;
      text_ = text;
    }
    changed_.notify_all();
  }
  /// The moment that was set last.
  size_t Moment() const {
    std::lock_guard lock(mutex_);
    return set_;
  }
  GeStatus Wait(size_t moment, std::string *text) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reached_ >= moment; });
    *text = text_;
    return status_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  size_t set_ = 0, reached_ = 0;
  GeStatus status_ = GE_SUCCESS;
  std::string text_;
};

/// Jobs one after the other on a thread of its own, each after a delay. After a failure the others are passed over
/// until somebody synchronizes.
class Stream {
 public:
  explicit Stream(std::chrono::microseconds delay) : delay_(delay), thread_([this] { Work(); }) {}
  ~Stream() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// A job answers its status and, where that is no success, leaves a text.
  using Job = std::function<GeStatus(std::string *text)>;
  void Add(Job job) {
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back({std::move(job), nullptr});
    }
    changed_.notify_all();
  }
  void Record(Event *event) {
    event->Set();
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back({nullptr, event});
    }
    changed_.notify_all();
  }

  void Synchronize() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return jobs_.empty() && !busy_; });
    if (status_ == GE_SUCCESS) return;
    const GeStatus status = std::exchange(status_, static_cast<GeStatus>(GE_SUCCESS));
    throw ge::kit::Failure{status, std::exchange(text_, {})};
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const Entry entry = std::move(jobs_.front());
      const Job &job = entry.job;
      jobs_.pop_front();
      busy_ = true;
      if (entry.event) {
        entry.event->Reach(status_, text_);
      } else if (status_ == GE_SUCCESS) {
        lock.unlock();
        std::this_thread::sleep_for(delay_);
        std::string text;
        const GeStatus status = job(&text);
        lock.lock();
        if (status != GE_SUCCESS) {
          status_ = status;
          text_ = std::move(text);
        }
      }
      busy_ = false;
      changed_.notify_all();
    }
  }

  const std::chrono::microseconds delay_;
  std::mutex mutex_;
  std::condition_variable changed_;
  struct Entry {
    Job job;
    Event *event;  // reached in place of a job, also after failures
  };
  std::deque<Entry> jobs_;
  bool busy_ = false, stop_ = false;
  GeStatus status_ = GE_SUCCESS;
  std::string text_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace simulated
