#include "core/support/cancel.h"

#include <algorithm>
#include <ctime>

#include "core/support/error.h"

namespace gec {
namespace {

/// Milliseconds of a clock that costs a few nanoseconds to read and moves every few milliseconds.
int64_t CoarseNow() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

// Of the default model, as all thread-local storage of the library that is no pointer to an object of its own.
__thread CancelState t_state;

}  // namespace

constinit const CancelRequest CancelState::kNever{false};

bool CancelLook::LookAround(CancelState *state) noexcept { return state->LookAround(); }

CancelState &CancelState::Here() noexcept { return t_state; }

void CancelState::Refresh() noexcept {
  if (scope_ && !scope_->outer_) {  // by far the usual case: a run
    request_ = scope_->request_;
    timed_ = check_ != nullptr || stopped_ || scope_->deadline_ != 0;
    return;
  }
  request_ = nullptr;
  timed_ = check_ != nullptr || stopped_;
  for (const CancelScope *scope = scope_; scope; scope = scope->outer_) {
    timed_ |= scope->deadline_ != 0;
    if (!scope->request_) continue;
    if (!request_) request_ = scope->request_;
    else timed_ = true;
  }
}

bool CancelState::LookAround() noexcept {
  const int64_t now = CoarseNow();
  if (check_ && now >= next_check_ && !stopped_) {
    const GeInterruptFn check = check_;
    const uint32_t checks = checks_;
    check_ = nullptr;  // work that the check does is not checked
    SetStopped(check(user_) != 0);
    if (checks == checks_) {  // it has left no other one
      check_ = check;
      // One that waits long, for an interpreter that is busy on other threads, is asked less often.
      constexpr int64_t kTimesItsOwn = 20;
      const int64_t end = CoarseNow();
      next_check_ = end + kCheckMilliseconds + kTimesItsOwn * (end - now);
    }
    Refresh();
  }
  if (stopped_) return true;
  for (const CancelScope *scope = scope_; scope; scope = scope->outer_) {
    if (scope->deadline_ && now >= scope->deadline_) return true;
    if (scope->request_ && scope->request_->load(std::memory_order_relaxed)) return true;
  }
  return false;
}

void CancelState::Throw(const std::string &where) {
  if (stopped_) {
    throw Cancelled(GE_CANCELLED, Str("ended by the interrupt check of its thread, ", where));
  }
  const int64_t now = CoarseNow();
  for (const CancelScope *scope = scope_; scope; scope = scope->outer_) {
    if (scope->request_ && scope->request_->load(std::memory_order_relaxed))
      throw Cancelled(GE_CANCELLED, Str("cancelled, ", where));
    if (scope->deadline_ && now >= scope->deadline_)
      throw Cancelled(GE_TIMEOUT, Str("it takes longer than ", scope->limit_.milliseconds, " ms (", scope->limit_.name,
                                      "), ended ", where));
  }
  throw Cancelled(GE_CANCELLED, Str("cancelled, ", where));
}

CancelScope::CancelScope(const CancelRequest *request, TimeLimit limit) noexcept
    : state_(CancelState::Here()), request_(request), limit_(limit) {
  constexpr int64_t kForEver = int64_t{1} << 60;
  if (limit.milliseconds > 0) deadline_ = CoarseNow() + std::min(limit.milliseconds, kForEver);
  outer_ = state_.scope_;
  state_.scope_ = this;
  state_.Refresh();
}

CancelScope::~CancelScope() {
  state_.scope_ = outer_;
  state_.Refresh();
}

constinit std::atomic<uint32_t> CancelState::stopped_threads{0};

void CancelState::SetStopped(bool stopped) noexcept {
  if (stopped == stopped_) return;
  stopped_ = stopped;
  if (stopped) ++stopped_threads;
  else --stopped_threads;
}

void CancelState::EndStop() noexcept {
  t_state.SetStopped(false);
  t_state.Refresh();
}

void SetInterruptCheck(GeInterruptFn check, void *user) noexcept {
  CancelState &state = CancelState::Here();
  state.check_ = check;
  state.user_ = user;
  state.SetStopped(false);
  state.next_check_ = 0;
  ++state.checks_;
  state.Refresh();
}

}  // namespace gec
