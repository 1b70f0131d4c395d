#include "core/support/log.h"

extern "C" void GeSetLogCallback(GeLogFn fn, void *user, int32_t min_level) { gec::SetLogSink(fn, user, min_level); }
