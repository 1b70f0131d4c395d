#include "capi/src/model_handles.h"
#include "runtime/profiler.h"

using namespace gec;
using namespace gec::api;

namespace {

void CheckArrays(const char *function, const void *context, const void *inputs, size_t input_count, const void *outputs,
                 size_t output_count) {
  if (!context) NullArgument(function, "context");
  if (!inputs && input_count) NullArgument(function, "inputs");
  if (!outputs && output_count) NullArgument(function, "outputs");
}

}  // namespace

extern "C" GeStatus GeRunContextCreate(GeModel *model, GeRunContext **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeRunContextCreate, out);
    *out = nullptr;
    GE_CHECK_ARG(GeRunContextCreate, model);
    *out = new GeRunContext(model->model);
  });
}

extern "C" void GeRunContextDestroy(GeRunContext *context) { delete context; }

extern "C" GeStatus GeRunContextPrepare(GeRunContext *context, const GeTensorData *inputs, size_t input_count,
                                        GeTensorData *out_descs, size_t output_count) {
  return Guard([&] {
    CheckArrays("GeRunContextPrepare", context, inputs, input_count, out_descs, output_count);
    context->context.Prepare(inputs, input_count, out_descs, output_count);
  });
}

extern "C" GeStatus GeRun(GeRunContext *context, const GeTensorData *inputs, size_t input_count, GeTensorData *outputs,
                          size_t output_count) {
  return Guard([&] {
    CheckArrays("GeRun", context, inputs, input_count, outputs, output_count);
    context->context.Run(inputs, input_count, outputs, output_count, nullptr);
  });
}

extern "C" GeStatus GeRunProfiled(GeRunContext *context, const GeTensorData *inputs, size_t input_count,
                                  GeTensorData *outputs, size_t output_count, GeTextFn trace, void *user) {
  return Guard([&] {
    CheckArrays("GeRunProfiled", context, inputs, input_count, outputs, output_count);
    GE_CHECK_ARG(GeRunProfiled, trace);
    Profiler profiler;
    const uint64_t begin = Profiler::Now();
    context->context.Run(inputs, input_count, outputs, output_count, &profiler);
    profiler.Span("run", begin, Profiler::Now());
    Write(trace, user, profiler.Json());
  });
}
