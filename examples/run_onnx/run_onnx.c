/* Imports an ONNX file, compiles it, feeds every input with 0.5 and prints the first values of each output.
 *   run_onnx MODEL.onnx */
#include <stdio.h>
#include <stdlib.h>

#include "ge/model.h"

static int Fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, GeLastErrorMessage());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: run_onnx MODEL.onnx\n");
    return 2;
  }
  GeOptions *options = NULL;
  GeModel *model = NULL;
  GeRunContext *context = NULL;
  if (GeOptionsCreate(&options) || GeOptionsSet(options, "threads", "1")) return Fail("options");
  if (GeCompileFile(argv[1], options, &model)) return Fail("compile");
  GeOptionsDestroy(options);
  if (GeRunContextCreate(model, &context)) return Fail("context");

  size_t inputs = GeModelInputCount(model), outputs = GeModelOutputCount(model);
  GeTensorData *in = calloc(inputs + 1, sizeof *in), *out = calloc(outputs + 1, sizeof *out);
  for (size_t i = 0; i < inputs; ++i) {
    const char *name = NULL;
    if (GeModelGetInput(model, i, &name, &in[i])) return Fail("input");
    size_t count = 1;
    for (int d = 0; d < in[i].rank; ++d) count *= (size_t)(in[i].dims[d] > 0 ? in[i].dims[d] : 1);
    float *values = malloc(count * sizeof *values);
    for (size_t k = 0; k < count; ++k) values[k] = 0.5f;
    in[i].data = values;
    in[i].size = count * sizeof *values;
    printf("input %s: %zu values\n", name, count);
  }
  /* data stays null: the context lends its own memory, valid until its next run. */
  if (GeRun(context, in, inputs, out, outputs)) return Fail("run");
  for (size_t i = 0; i < outputs; ++i) {
    const char *name = NULL;
    GeTensorData desc;
    if (GeModelGetOutput(model, i, &name, &desc)) return Fail("output");
    printf("output %s:", name);
    for (size_t k = 0; k < 4 && k < out[i].size / sizeof(float); ++k) printf(" %g", ((float *)out[i].data)[k]);
    printf("\n");
  }
  for (size_t i = 0; i < inputs; ++i) free(in[i].data);
  free(in);
  free(out);
  GeRunContextDestroy(context);
  GeModelDestroy(model);
  return 0;
}
