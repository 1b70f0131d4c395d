#include "capi/src/model_handles.h"
#include "core/support/cancel.h"
#include "ge/cancel.h"
#include "runtime/page/report_page.h"
#include "runtime/profiler.h"

using namespace gec;
using namespace gec::api;

namespace {

RunContext &ContextOf(GeRunContext *context, const char *function, const void *inputs, size_t input_count,
                      const void *outputs, size_t output_count) {
  RunContext &result = ValidOf(context, function, "context").context;
  if (!inputs && input_count) NullArgument(function, "inputs");
  if (!outputs && output_count) NullArgument(function, "outputs");
  return result;
}

/// Runs with a profiler, and writes what `text` makes of it.
template <class Text>
void RunAndWrite(RunContext &target, const GeTensorData *inputs, size_t input_count, GeTensorData *outputs,
                 size_t output_count, GeTextFn write, void *user, const Text &text) {
  Profiler profiler;
  const uint64_t begin = Profiler::Now();
  target.Run(inputs, input_count, outputs, output_count, &profiler);
  profiler.Span("run", begin, Profiler::Now());
  profiler.Finish();
  Write(write, user, text(profiler));
}

}  // namespace

extern "C" GeStatus GeRunContextCreate(GeModel *model, GeRunContext **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeRunContextCreate, out);
    *out = nullptr;
    *out = new GeRunContext(ValidOf(model, "GeRunContextCreate", "model").model);
  });
}

extern "C" void GeRunContextDestroy(GeRunContext *context) {
  if (IsValid(context)) Invalidate(context);
}

// Nothing here may take a lock or memory: a signal handler may have interrupted anything.
extern "C" void GeRunContextCancel(GeRunContext *context) {
  if (IsValid(context)) context->context.Cancel();
}

extern "C" GeStatus GeRunContextSetTimeLimit(GeRunContext *context, int64_t milliseconds) {
  return Guard([&] {
    RunContext &target = ValidOf(context, "GeRunContextSetTimeLimit", "context").context;
    if (milliseconds < 0)
      Fail(GE_PARAM_INVALID, "GeRunContextSetTimeLimit: milliseconds is ", milliseconds, ", expected 0 or more");
    target.SetTimeLimit(milliseconds);
  });
}

extern "C" void GeSetInterruptCheck(GeInterruptFn check, void *user) { SetInterruptCheck(check, user); }

extern "C" GeStatus GeRunContextSetMemory(GeRunContext *context, void *memory, uint64_t size) {
  return Guard([&] { ValidOf(context, "GeRunContextSetMemory", "context").context.SetMemory(memory, size); });
}

extern "C" GeStatus GeRunContextPrepare(GeRunContext *context, const GeTensorData *inputs, size_t input_count,
                                        GeTensorData *out_descs, size_t output_count) {
  return Guard([&] {
    ContextOf(context, "GeRunContextPrepare", inputs, input_count, out_descs, output_count)
        .Prepare(inputs, input_count, out_descs, output_count);
  });
}

extern "C" GeStatus GeRun(GeRunContext *context, const GeTensorData *inputs, size_t input_count, GeTensorData *outputs,
                          size_t output_count) {
  return Guard([&] {
    ContextOf(context, "GeRun", inputs, input_count, outputs, output_count)
        .Run(inputs, input_count, outputs, output_count, nullptr);
  });
}

extern "C" GeStatus GeRunProfiled(GeRunContext *context, const GeTensorData *inputs, size_t input_count,
                                  GeTensorData *outputs, size_t output_count, GeTextFn trace, void *user) {
  return Guard([&] {
    RunContext &target = ContextOf(context, "GeRunProfiled", inputs, input_count, outputs, output_count);
    GE_CHECK_ARG(GeRunProfiled, trace);
    RunAndWrite(target, inputs, input_count, outputs, output_count, trace, user,
                [&](const Profiler &profiler) { return profiler.Json(target.model().graph().name()); });
  });
}

extern "C" GeStatus GeRunReport(GeRunContext *context, const GeTensorData *inputs, size_t input_count,
                                GeTensorData *outputs, size_t output_count, GeTextFn html, void *user) {
  return Guard([&] {
    RunContext &target = ContextOf(context, "GeRunReport", inputs, input_count, outputs, output_count);
    GE_CHECK_ARG(GeRunReport, html);
    RunAndWrite(target, inputs, input_count, outputs, output_count, html, user,
                [&](const Profiler &profiler) { return ReportPage(target.model(), profiler); });
  });
}
