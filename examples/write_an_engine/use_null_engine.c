/* Loads an engine, compiles a graph, and shows which engine each node runs on.
 *   use_null_engine ENGINE.so */
#include <stdio.h>

#include "ge/engine.h"
#include "ge/graph.h"
#include "ge/model.h"

static int Fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, GeLastErrorMessage());
  return 1;
}

static GeNode *Add(GeGraph *graph, const char *type, const char *name, GeNode *from) {
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = type, .name = name};
  GeNode *node = NULL;
  if (GeGraphAddNode(graph, &spec, &node)) return NULL;
  if (from && GeGraphAddDataEdge(graph, from, 0, node, 0)) return NULL;
  return node;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: use_null_engine ENGINE.so\n");
    return 2;
  }
  if (GeEngineLoad(argv[1], NULL)) return Fail("load the engine");

  /* y = Neg(Relu(x)): the engine takes Relu only, so Neg goes to another one. */
  GeGraph *graph = NULL;
  if (GeGraphCreate("two_nodes", &graph)) return Fail("graph");
  const int64_t dims[] = {4};
  GeTensorData desc = {.data_type = C_DT_FLOAT,
                       .format = C_FORMAT_ND,
                       .origin_format = C_FORMAT_ND,
                       .rank = 1,
                       .origin_rank = 1,
                       .dims = dims,
                       .origin_dims = dims};
  GeNode *x = Add(graph, "Data", "x", NULL), *relu = Add(graph, "Relu", "relu", x), *y = Add(graph, "Neg", "y", relu);
  const int32_t port = 0;
  if (!y || GeNodeSetOutputDesc(x, 0, &desc) || GeGraphSetOutputs(graph, &y, &port, 1)) return Fail("nodes");

  GeModel *model = NULL;
  if (GeCompile(graph, NULL, &model)) return Fail("compile");
  for (size_t i = 0; i < GeModelPlacementCount(model); ++i) {
    GePlacement p = {.struct_size = sizeof p};
    if (GeModelGetPlacement(model, i, &p)) return Fail("placement");
    printf("%s (%s) runs on %s: %s\n", p.node, p.type, p.engine, p.implementation);
    if (p.refusals[0]) printf("  refused: %s\n", p.refusals);
  }

  GeRunContext *context = NULL;
  if (GeRunContextCreate(model, &context)) return Fail("context");
  float in[] = {-2, -1, 1, 2};
  GeTensorData out = {0};
  desc.data = in;
  desc.size = sizeof in;
  if (GeRun(context, &desc, 1, &out, 1)) return Fail("run");
  const float *values = out.data;
  printf("result %g %g %g %g\n", values[0], values[1], values[2], values[3]);

  GeRunContextDestroy(context);
  GeModelDestroy(model);
  GeGraphDestroy(graph);
  return 0;
}
