#include "core/placement/call_watch.h"

#include <algorithm>
#include <new>

#include "core/placement/turn.h"
#include "core/support/error.h"

namespace gec {
namespace {

// Of the default model, as all thread-local storage of the library that is no pointer to an object of its own.
__thread CallWatch *t_watch = nullptr;
__thread const CallSubject *t_subject = nullptr;

}  // namespace

CallSubject SubjectOf(const Node &node) {
  return {[](const void *of) {
            const Node &subject = *static_cast<const Node *>(of);
            return Str(subject.type().view(), " '", subject.OriginText(), "'");
          },
          &node};
}

CallSubject SubjectOf(const GeOpDesc &op) {
  return {[](const void *of) {
            const GeOpDesc &subject = *static_cast<const GeOpDesc *>(of);
            return Str(subject.type, " '", subject.name, "'");
          },
          &op};
}

CallSubject SubjectOf(const char *const &text) {
  return {[](const void *of) { return std::string(*static_cast<const char *const *>(of)); }, &text};
}

CallWatch::~CallWatch() = default;

CallWatch *CallWatch::Current() noexcept { return t_watch; }

CallWatch::Clock::time_point CallWatch::NextLook() const {
  if (limit_.count() == 0) return Clock::time_point::max();
  Clock::time_point first = Clock::now();
  std::lock_guard lock(mutex_);
  for (const EngineCall *call = calls_; call; call = call->next_) first = std::min(first, call->begin_);
  return first + limit_;
}

bool CallWatch::GiveUp(Hang *hang) noexcept {
  const Clock::time_point now = Clock::now();
  std::lock_guard lock(mutex_);
  const EngineCall *late = nullptr;
  for (const EngineCall *call = calls_; call; call = call->next_)
    if (now - call->begin_ >= limit_ && (!late || call->begin_ < late->begin_)) late = call;
  if (!late || limit_.count() == 0) return false;
  abandoned_ = true;
  try {  // the call has not returned, so what its note refers to is there
    hang->limit_ms = limit_.count();
    hang->function = late->function_;
    hang->engine = late->engine_.name();
    if (late->subject_.text) hang->subject = late->subject_.text(late->subject_.of);
    late->engine_.Mark(*hang);
  } catch (const std::bad_alloc &) {
  }
  while (locks_) locks_->Lose();  // who gets one of them next knows that the engine hangs
  return true;
}

bool CallWatch::abandoned() const {
  std::lock_guard lock(mutex_);
  return abandoned_;
}

void CallWatch::ThrowIfAbandoned() const {
  if (abandoned()) throw Abandoned();
}

CallWatch::Scope::Scope(CallWatch *watch) noexcept : before_(t_watch) { t_watch = watch; }
CallWatch::Scope::~Scope() { t_watch = before_; }

CallWatch::About::About(const Node &node) noexcept : subject_(SubjectOf(node)), before_(t_subject) {
  t_subject = &subject_;
}
CallWatch::About::~About() { t_subject = before_; }

EngineCall::EngineCall(CallWatch *watch, EngineHealth &engine, const char *function, CallSubject subject) noexcept
    : watch_(watch), engine_(engine), function_(function), subject_(subject) {
  if (!watch_) return;
  if (!subject_.text && t_subject) subject_ = *t_subject;
  begin_ = CallWatch::Clock::now();
  std::lock_guard lock(watch_->mutex_);
  next_ = watch_->calls_;
  link_ = &watch_->calls_;
  if (next_) next_->link_ = &next_;
  watch_->calls_ = this;
}

EngineCall::~EngineCall() {
  if (!watch_) return;
  std::lock_guard lock(watch_->mutex_);
  *link_ = next_;
  if (next_) next_->link_ = link_;
}

}  // namespace gec
