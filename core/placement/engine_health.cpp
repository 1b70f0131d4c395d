#include "core/placement/engine_health.h"

#include <mutex>

#include "core/support/error.h"

namespace gec {

constinit std::atomic<bool> EngineHealth::any_hung_{false};

namespace {
constinit std::mutex marking;
}  // namespace

std::string Hang::What() const {
  return Str(function, subject.empty() ? "" : " of ", subject, " did not return within ", limit_ms,
             " ms (option engine_time_limit)");
}

void EngineHealth::Mark(const Hang &hang) {
  std::lock_guard lock(marking);
  if (first_) return;
  first_ = std::make_unique<const Hang>(hang);
  hang_.store(first_.get(), std::memory_order_release);
  any_hung_.store(true, std::memory_order_relaxed);
}

std::string EngineHealth::Refusal() const {
  const Hang *hung = hang();
  return hung ? "it is not asked any more: " + hung->What() : "";
}

}  // namespace gec
