#include "interrupt.h"

#include <unistd.h>

#include <csignal>

#include "ge/cancel.h"

namespace tool {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void OnInterrupt(int) {
  constexpr int kStatus = 128 + SIGINT;
  if (interrupted) _exit(kStatus);
  interrupted = 1;
}

}  // namespace

void CatchInterrupts() {
  struct sigaction action {
  }, before{};
  if (sigaction(SIGINT, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;  // as of `nohup ge … &`
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  GeSetInterruptCheck([](void *) -> int32_t { return interrupted; }, nullptr);
}

bool Interrupted() { return interrupted != 0; }

void EndByInterrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
  _exit(128 + SIGINT);
}

}  // namespace tool
