/* A program that carries the library and its engines inside itself: no libge.so, no engine files, nothing to install.
 *
 *   cc embed_statically.c -I<prefix>/include -L<prefix>/lib -l:libge.a -lstdc++ -lpthread -ldl -lm
 *
 * oneDNN and the OpenMP run time are shared libraries: they are used when the machine has them, else slower kernels
 * run. */
#include <stdio.h>
#include <string.h>

#include "ge/engine.h"
#include "ge/graph.h"
#include "ge/model.h"

static int Fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, GeLastErrorMessage());
  return 1;
}

int main(void) {
  size_t inside = 0;
  for (size_t i = 0; i < GeEngineCount(); ++i) {
    GeEngineInfo engine = {.struct_size = sizeof engine};
    if (GeEngineAt(i, &engine)) return Fail("engine");
    printf("engine %s, cost %d: %s\n", engine.name, engine.cost, engine.error[0] ? engine.error : "ready");
    inside += engine.path[0] == '\0';
  }
  printf("%zu engines inside the program\n", inside);

  /* y = x + x */
  GeGraph *graph = NULL;
  if (GeGraphCreate("double", &graph)) return Fail("graph");
  GeNodeSpec data = {.struct_size = sizeof data, .type = "Data", .name = "x"};
  GeNodeSpec add = {.struct_size = sizeof add, .type = "Add", .name = "y"};
  const int64_t dims[] = {3};
  GeTensorData desc = {.data_type = C_DT_FLOAT,
                       .format = C_FORMAT_ND,
                       .origin_format = C_FORMAT_ND,
                       .rank = 1,
                       .origin_rank = 1,
                       .dims = dims,
                       .origin_dims = dims};
  GeNode *x = NULL, *y = NULL;
  const int32_t port = 0;
  if (GeGraphAddNode(graph, &data, &x) || GeNodeSetOutputDesc(x, 0, &desc) || GeGraphAddNode(graph, &add, &y) ||
      GeGraphAddDataEdge(graph, x, 0, y, 0) || GeGraphAddDataEdge(graph, x, 0, y, 1) ||
      GeGraphSetOutputs(graph, &y, &port, 1)) {
    return Fail("nodes");
  }

  GeModel *model = NULL;
  GeRunContext *context = NULL;
  if (GeCompile(graph, NULL, &model)) return Fail("compile");
  if (GeRunContextCreate(model, &context)) return Fail("context");
  float in[] = {1, 2, 3}, out[3];
  GeTensorData result = {.data = out, .size = sizeof out};
  desc.data = in;
  desc.size = sizeof in;
  if (GeRun(context, &desc, 1, &result, 1)) return Fail("run");
  printf("result %g %g %g\n", out[0], out[1], out[2]);

  GeRunContextDestroy(context);
  GeModelDestroy(model);
  GeGraphDestroy(graph);
  return 0;
}
