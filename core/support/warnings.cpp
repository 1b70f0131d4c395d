#include "core/support/warnings.h"

#include <mutex>
#include <set>

#include "core/support/log.h"

namespace gec {
namespace {

// A program that never asks must not pay for each warning of a long life.
constexpr size_t kMostBytes = 64 << 10;
// A program that makes ever new lines must not fill the memory with those that were said.
constexpr size_t kMostSaid = 1024;

struct Pending {
  std::mutex mutex;
  std::string lines = "\n";  // each line is between two line ends, the first of which belongs to the line before
};
Pending &ThePending() {
  static auto *pending = new Pending;  // never destroyed: any thread, any time
  return *pending;
}

}  // namespace

void Warn(const std::string &line) {
  Log(GE_LOG_WARNING, line);
  Pending &pending = ThePending();
  std::lock_guard lock(pending.mutex);
  if (pending.lines.size() + line.size() > kMostBytes) return;
  if (pending.lines.find("\n" + line + "\n") == std::string::npos) pending.lines += line + "\n";
}

void WarnOnce(const std::string &line) {
  struct Said {
    std::mutex mutex;
    std::set<std::string> lines;
  };
  static auto *said = new Said;  // never destroyed: any thread, any time
  {
    std::lock_guard lock(said->mutex);
    if (said->lines.size() >= kMostSaid || !said->lines.insert(line).second) return;
  }
  Warn(line);
}

std::string TakeWarnings() {
  Pending &pending = ThePending();
  std::lock_guard lock(pending.mutex);
  std::string taken = pending.lines.substr(1);
  pending.lines = "\n";
  return taken;
}

}  // namespace gec
