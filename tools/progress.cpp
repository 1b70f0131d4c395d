#include "progress.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "ge/status.h"

namespace tool {

Progress::Progress(bool wanted)
    : active_(wanted && isatty(2)), start_(std::chrono::steady_clock::now()), last_(start_) {
  if (active_) GeSetLogCallback(OnLog, this, GE_LOG_INFO);
}

Progress::~Progress() {
  if (!active_) return;
  GeSetLogCallback(nullptr, nullptr, GE_LOG_WARNING);
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::OnLog(void *user, int32_t level, const char *message) {
  auto *self = static_cast<Progress *>(user);
  if (level >= GE_LOG_WARNING) {
    if (self->drawn_) std::fputs("\r\033[K", stderr);
    self->drawn_ = false;
    std::fprintf(stderr, "%s\n", message);
    return;
  }
  self->Show(message);
}

// A stage is reported as "[k/n] what"; the bar shows k of n.
void Progress::Show(const std::string &message) {
  auto now = std::chrono::steady_clock::now();
  if (now - start_ < std::chrono::milliseconds(300)) return;  // short compiles show nothing
  if (drawn_ && now - last_ < std::chrono::milliseconds(30)) return;
  last_ = now;
  int done = 0, total = 0, used = 0;
  std::string bar, what = message;
  if (std::sscanf(message.c_str(), "[%d/%d]%n", &done, &total, &used) == 2 && used > 0 && total > 0) {
    what = message.substr(static_cast<size_t>(used));
    int full = done >= total ? 24 : 24 * done / total;
    bar = "[" + std::string(static_cast<size_t>(full), '#') + std::string(static_cast<size_t>(24 - full), '.') + "]";
  }
  if (what.size() > 50) what.resize(50);
  std::fprintf(stderr, "\r\033[K%s %s  %.1f s", bar.c_str(), what.c_str(),
               std::chrono::duration<double>(now - start_).count());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace tool
