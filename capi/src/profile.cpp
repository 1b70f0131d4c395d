#include "ge/profile.h"

#include <optional>

#include "capi/src/guard.h"
#include "core/support/abi_sizes.h"
#include "runtime/page/machine_rates.h"
#include "runtime/run_recorder.h"
#include "runtime/threads.h"

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
extern "C" GeStatus GeMeasureMachine(int32_t threads, GeMachineRates *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeMeasureMachine, out);
    WriteStruct(GeMachineRates{}, out, "GeMeasureMachine");
    constexpr int32_t kMost = 1024;
    if (threads < 1 || threads > kMost)
      Fail(GE_PARAM_INVALID, "GeMeasureMachine: threads is ", threads, ", expected 1 to ", kMost);
    std::optional<UseThreads> scope;  // one thread needs no pool
    if (threads > 1) scope.emplace(threads);
    const MachineRates &rates = RatesOf(threads);
    const GeArithmeticRate &fp32 = rates.types.front();
    WriteStruct(GeMachineRates{0, fp32.flops, rates.bytes_per_second, fp32.how, rates.how_bytes.c_str(),
                               rates.types.data(), rates.types.size()},
                out, "GeMeasureMachine");
  });
}
