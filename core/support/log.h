// Messages to the log sink that the user chose (GeSetLogCallback), standard error by default.
#pragma once

#include "core/support/error.h"
#include "ge/status.h"

namespace gec {

bool LogEnabled(int32_t level) noexcept;
void LogText(int32_t level, const char *message) noexcept;
void SetLogSink(GeLogFn fn, void *user, int32_t min_level) noexcept;

/// Joins its arguments when the level is enabled.
template <class... Args>
void Log(int32_t level, const Args &...args) noexcept {
  if (!LogEnabled(level)) return;
  try {
    LogText(level, Str(args...).c_str());
  } catch (...) {
    LogText(level, "a message was lost: out of memory");
  }
}

}  // namespace gec
