#include "core/support/log.h"

#include "ge/log.h"

extern "C" void GeSetLogCallback(GeLogFn fn, void *user, int32_t min_level) { gec::SetLogSink(fn, user, min_level); }

extern "C" void GeLogMessage(int32_t level, const char *message) {
  if (gec::LogEnabled(level)) gec::LogText(level, message ? message : "");
}
