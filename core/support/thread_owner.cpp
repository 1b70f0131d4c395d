#include "core/support/thread_owner.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>

#include "core/support/error.h"

namespace gec {
namespace detail {

__thread uint32_t thread_number = 0;

// A forked child keeps its parent's number: what the thread was inside of when it forked, it is inside of still.
uint32_t AskThreadNumber() noexcept { return thread_number = static_cast<uint32_t>(syscall(SYS_gettid)); }

}  // namespace detail

__thread Visit *Visit::current_ = nullptr;

namespace {

// Usable before and after every static object's life, and made without memory.
constinit struct {
  std::mutex mutex;
  BusyHandler handler = nullptr;
  void *user = nullptr;
} busy;

bool ShallWait(uint32_t attempt) {
  BusyHandler handler;
  void *user;
  {
    std::lock_guard lock(busy.mutex);
    handler = busy.handler;
    user = busy.user;
  }
  return handler && handler(user, attempt) != 0;
}

bool Lives(uint32_t thread) noexcept { return syscall(SYS_tgkill, getpid(), thread, 0) == 0; }

}  // namespace

std::string ThreadLabel(uint32_t number) {
  std::string label = "thread " + std::to_string(number);
  char path[64], name[32];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/comm", number);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return label;
  ssize_t length = read(file, name, sizeof name);
  close(file);
  if (length > 0 && name[length - 1] == '\n') --length;
  if (length > 0) label += " '" + std::string(name, static_cast<size_t>(length)) + "'";
  return label;
}

void SetBusyHandler(BusyHandler handler, void *user) {
  std::lock_guard lock(busy.mutex);
  busy.handler = handler;
  busy.user = user;
}

// The object ends while its thread is inside, as in a function that destroys it: nobody leaves it any more.
void ThreadOwner::Forget() noexcept {
  for (Visit *visit = Visit::current_; visit; visit = visit->outer_) {
    for (size_t i = visit->entered_.size(); i-- > 0;) {
      if (visit->entered_[i] == this) visit->entered_.erase(visit->entered_.begin() + i);
    }
  }
}

void Visit::Wait(ThreadOwner &owner, const char *function, const std::string &what) {
  const uint32_t thread = ThreadNumber();
  for (uint32_t attempt = 0;; ++attempt) {
    const uint32_t other = owner.Enter(thread);
    if (other == 0) return;
    // A forked child has one thread only: what another one was inside of stays as that left it.
    const bool gone = !Lives(other) && owner.inside() == other;
    if (!gone && ShallWait(attempt)) continue;
    Fail(GE_BAD_STATE, function, ": ", ThreadLabel(thread), " cannot use ", what, " while ", ThreadLabel(other),
         gone ? ", which has ended," : "", " is inside a call with it: one thread at a time");
  }
}

}  // namespace gec
