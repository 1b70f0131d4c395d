/* Builds y = relu(x * 2 - 3) with the functional builder, compiles it and runs it. */
#include <stdio.h>

#include "es_all_ops_c.h"
#include "ge/es_node.h"
#include "ge/model.h"

#define CHECK(call)                                             \
  do {                                                          \
    if ((call) != GE_SUCCESS) {                                 \
      fprintf(stderr, "%s: %s\n", #call, GeLastErrorMessage()); \
      return 1;                                                 \
    }                                                           \
  } while (0)

int main(void) {
  const int64_t shape[] = {4};
  EsCGraphBuilder *builder = EsCreateGraphBuilder("affine");
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(builder, 0, "x", NULL, C_DT_FLOAT, C_FORMAT_ND, shape, 1);
  EsCTensorHolder *y = EsRelu(EsSub(EsMul(x, EsCreateScalarFloat(builder, 2)), EsCreateScalarFloat(builder, 3)));
  EsSetGraphOutput(y, 0);
  EsCGraph *built = EsBuildGraphAndReset(builder);
  if (built == NULL) {
    fprintf(stderr, "%s\n", GeLastErrorMessage());
    return 1;
  }
  GeGraph *graph = NULL;
  GeModel *model = NULL;
  GeRunContext *context = NULL;
  CHECK(GeEsGraphRetainGraph(built, &graph));
  CHECK(GeCompile(graph, NULL, &model));
  CHECK(GeRunContextCreate(model, &context));

  float in[] = {0, 1, 2, 3}, out[4];
  GeTensorData input = {.data_type = C_DT_FLOAT,
                        .format = C_FORMAT_ND,
                        .origin_format = C_FORMAT_ND,
                        .rank = 1,
                        .origin_rank = 1,
                        .dims = shape,
                        .origin_dims = shape,
                        .data = in,
                        .size = sizeof in};
  GeTensorData output = {.data = out, .size = sizeof out};
  CHECK(GeRun(context, &input, 1, &output, 1));
  for (int i = 0; i < 4; ++i) printf("%g ", out[i]);
  printf("\n");

  GeRunContextDestroy(context);
  GeModelDestroy(model);
  GeGraphDestroy(graph);
  GeEsGraphDestroy(built);
  EsDestroyGraphBuilder(builder);
  return 0;
}
