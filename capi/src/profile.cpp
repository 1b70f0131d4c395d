#include "ge/profile.h"

#include "capi/src/guard.h"
#include "runtime/run_recorder.h"

using namespace gec;
using namespace gec::api;

extern "C" GeStatus GeProfilerOpen(const char *folder) {
  return Guard([&] {
    GE_CHECK_ARG(GeProfilerOpen, folder);
    RunRecorder::Open(folder);
  });
}
extern "C" GeStatus GeProfilerStart(uint32_t what) {
  return Guard([&] { RunRecorder::Start(what); });
}
extern "C" GeStatus GeProfilerStop(void) {
  return Guard([] { RunRecorder::Stop(); });
}
extern "C" GeStatus GeProfilerClose(void) {
  return Guard([] { RunRecorder::Close(); });
}
