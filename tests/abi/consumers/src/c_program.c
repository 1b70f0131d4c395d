/* A C program as a user wrote it against this release: wrappers, attributes, control edge, errors, compile, run,
 * session. c_program ENGINE.so      prints what it sees; the last line is "done" */
#include <stdio.h>
#include <string.h>

#include "es_all_ops_c.h"
#include "ge/engine.h"
#include "ge/es_node.h"
#include "ge/graph.h"
#include "ge/model.h"
#include "ge/version.h"

#define CHECK(call)                                                \
  do {                                                             \
    GeStatus status_ = (call);                                     \
    if (status_ != GE_SUCCESS) {                                   \
      printf("%s: %u %s\n", #call, status_, GeLastErrorMessage()); \
      return 1;                                                    \
    }                                                              \
  } while (0)

static GeTensorData Floats(float *data, const int64_t *dims, int32_t rank, size_t count) {
  GeTensorData t;
  memset(&t, 0, sizeof t);
  t.data_type = C_DT_FLOAT;
  t.format = t.origin_format = C_FORMAT_ND;
  t.rank = t.origin_rank = rank;
  t.dims = t.origin_dims = dims;
  t.data = data;
  t.size = count * sizeof(float);
  return t;
}

/* y0 = softmax(x @ w + 1), y1 = concat(x, x) along the columns, after a node that a control edge puts first. */
static EsCGraph *Build(void) {
  const int64_t shape[] = {2, 3}, weights_shape[] = {3, 3};
  const float weights[] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
  EsCGraphBuilder *builder = EsCreateGraphBuilder("stored");
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(builder, 0, "x", NULL, C_DT_FLOAT, C_FORMAT_ND, shape, 2);
  EsCTensorHolder *w = EsCreateConstFloat(builder, weights, weights_shape, 2);
  EsCTensorHolder *sum = EsAdd(EsMatMul(x, w, NULL, false, false), EsCreateScalarFloat(builder, 1));
  const int64_t axes[] = {-1};
  EsCTensorHolder *y = EsSoftmaxV2(sum, axes, 1, false);
  EsCTensorHolder *both[] = {x, x};
  EsCTensorHolder *wide = EsConcatD(both, 2, 1, 2);
  EsCTensorHolder *first[] = {sum};
  EsAddControlEdge(wide, first, 1);
  EsSetInt64AttrForTensor(wide, "_stored_mark", 41);
  EsSetStringAttrForNode(wide, "_stored_text", "text");
  EsSetGraphOutput(y, 0);
  EsSetGraphOutput(wide, 1);
  EsCGraph *built = EsBuildGraphAndReset(builder);
  EsDestroyGraphBuilder(builder);
  return built;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  EsCGraph *built = Build();
  if (built == NULL) {
    printf("build: %s\n", GeLastErrorMessage());
    return 1;
  }
  GeGraph *graph = NULL;
  CHECK(GeEsGraphRetainGraph(built, &graph));

  GeOptions *options = NULL;
  CHECK(GeOptionsCreate(&options));
  printf("unknown option: %s\n", GeOptionsSet(options, "no_such_option", "1") == GE_SUCCESS ? "taken" : "refused");
  CHECK(GeOptionsSet(options, "threads", "1"));
  GeModel *model = NULL;
  CHECK(GeCompile(graph, options, &model));
  printf("inputs %zu outputs %zu\n", GeModelInputCount(model), GeModelOutputCount(model));

  float in[] = {0, 0, 0, 1, 1, 1}, y[6], wide[12];
  const int64_t shape[] = {2, 3};
  GeTensorData input = Floats(in, shape, 2, 6);
  GeTensorData outputs[2];
  memset(outputs, 0, sizeof outputs);
  outputs[0].data = y, outputs[0].size = sizeof y;
  outputs[1].data = wide, outputs[1].size = sizeof wide;
  GeRunContext *context = NULL;
  CHECK(GeRunContextCreate(model, &context));
  CHECK(GeRun(context, &input, 1, outputs, 2));
  for (int i = 0; i < 6; ++i) printf("%.4f ", y[i]);
  printf("\n");
  for (int i = 0; i < 12; ++i) printf("%g ", wide[i]);
  printf("\n");
  input.data_type = C_DT_INT32;
  printf("wrong type: %s\n", GeRun(context, &input, 1, outputs, 2) == GE_SUCCESS ? "taken" : "refused");
  GeRunContextDestroy(context);
  GeModelDestroy(model);

  /* The stored engine plug-in takes Relu. */
  CHECK(GeEngineLoad(argv[1], NULL));
  GeGraph *small = NULL;
  CHECK(GeGraphCreate("small", &small));
  GeNodeSpec spec;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  GeNode *data = NULL, *relu = NULL;
  spec.type = "Data", spec.name = "x";
  CHECK(GeGraphAddNode(small, &spec, &data));
  spec.type = "Relu", spec.name = "r";
  CHECK(GeGraphAddNode(small, &spec, &relu));
  CHECK(GeGraphAddDataEdge(small, data, 0, relu, 0));
  input.data_type = C_DT_FLOAT;
  GeTensorData desc = input;
  desc.data = NULL, desc.size = 0;
  CHECK(GeNodeSetOutputDesc(data, 0, &desc));
  const int32_t port = 0;
  CHECK(GeGraphSetOutputs(small, &relu, &port, 1));
  CHECK(GeOptionsSet(options, "opt_level", "0"));
  CHECK(GeCompile(small, options, &model));
  for (size_t i = 0; i < GeModelPlacementCount(model); ++i) {
    GePlacement place = {.struct_size = sizeof place};
    CHECK(GeModelGetPlacement(model, i, &place));
    printf("%s on %s\n", place.type, place.engine);
  }
  in[0] = -5;
  CHECK(GeRunContextCreate(model, &context));
  CHECK(GeRun(context, &input, 1, outputs, 1));
  printf("%g %g\n", y[0], y[5]);
  GeRunContextDestroy(context);
  GeModelDestroy(model);
  GeOptionsDestroy(options);
  GeGraphDestroy(small);
  GeGraphDestroy(graph);
  GeEsGraphDestroy(built);
  CHECK(GeEngineUnload("StoredEngine"));
  printf("done\n");
  return 0;
}
