// The health of an engine: one that did not come back from a call in time is not called again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace gec {

/// A call that took longer than the limit allows.
struct Hang {
  std::string engine, function;
  std::string subject;  // what the call was about: "Conv2D 'conv1'"; may be empty
  int64_t limit_ms = 0;
  /// "create_kernel of Conv2D 'conv1' did not return within 50 ms (option engine_time_limit)"
  std::string What() const;
};

/// Lives as long as its engine.
class EngineHealth {
 public:
  explicit EngineHealth(std::string name) : name_(std::move(name)) {}
  EngineHealth(const EngineHealth &) = delete;
  EngineHealth &operator=(const EngineHealth &) = delete;
  const std::string &name() const { return name_; }

  /// The first call that did not return, or null. What it points to lives as long as this.
  const Hang *hang() const noexcept { return hang_.load(std::memory_order_acquire); }
  void Mark(const Hang &hang);
  /// Why the engine takes nothing any more; empty while it answers.
  std::string Refusal() const;
  /// True where any engine of this process hung. One load.
  static bool AnyHung() noexcept { return any_hung_.load(std::memory_order_relaxed); }

 private:
  static std::atomic<bool> any_hung_;
  const std::string name_;
  std::atomic<const Hang *> hang_{nullptr};
  std::unique_ptr<const Hang> first_;  // owns it; written once
};

}  // namespace gec
