#include "core/support/log.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace gec {
namespace {

constexpr const char *kNames[] = {"debug", "info", "warning", "error", "off"};

int32_t LevelFromEnvironment() {
  if (const char *text = std::getenv("GE_LOG_LEVEL")) {
    for (int32_t i = 0; i < 5; ++i) {
      if (std::strcmp(text, kNames[i]) == 0) return i;
    }
  }
  return GE_LOG_WARNING;
}

std::atomic<int32_t> &Level() {
  static std::atomic<int32_t> level(LevelFromEnvironment());
  return level;
}

struct Sink {
  std::recursive_mutex mutex;  // a sink may call functions that log
  GeLogFn fn = nullptr;
  void *user = nullptr;
};
Sink &TheSink() {
  static Sink *sink = new Sink;
  return *sink;
}

}  // namespace

// Any number may come through the C ABI: what lies outside counts as the nearest level. No message is GE_LOG_OFF, so
// that one sees none.
static int32_t OfMessage(int32_t level) { return std::clamp<int32_t>(level, GE_LOG_DEBUG, GE_LOG_ERROR); }

bool LogEnabled(int32_t level) noexcept { return OfMessage(level) >= Level().load(std::memory_order_relaxed); }

void LogText(int32_t level, const char *message) noexcept {
  if (!LogEnabled(level)) return;
  level = OfMessage(level);
  Sink &sink = TheSink();
  std::lock_guard lock(sink.mutex);
  if (sink.fn) sink.fn(sink.user, level, message ? message : "");
  else std::fprintf(stderr, "[ge %s] %s\n", kNames[level], message ? message : "");
}

void SetLogSink(GeLogFn fn, void *user, int32_t min_level) noexcept {
  Sink &sink = TheSink();
  std::lock_guard lock(sink.mutex);
  sink.fn = fn;
  sink.user = user;
  Level().store(std::clamp<int32_t>(min_level, GE_LOG_DEBUG, GE_LOG_OFF), std::memory_order_relaxed);
}

}  // namespace gec
