#include "core/support/warnings.h"

#include "capi/src/model_handles.h"
#include "ge/log.h"

using namespace gec;
using namespace gec::api;

extern "C" GeStatus GeWarningAdd(const char *line) {
  return Guard([&] { Warn(line ? line : ""); });
}

extern "C" GeStatus GeWarningsTake(GeTextFn write, void *user) {
  return Guard([&] {
    GE_CHECK_ARG(GeWarningsTake, write);
    Write(write, user, TakeWarnings());
  });
}
