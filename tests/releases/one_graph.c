/* Builds the graph of Make over an input x of 2 x 2 floats, compiles it and runs it with 1 2 3 4.
 *   PROGRAM [FILE]          also writes the graph before it compiles it
 *   PROGRAM --load FILE     a graph from a file instead
 * Exit status 1 with the library's message on refusal. */
#include "one_graph.h"

#include <stdio.h>
#include <string.h>

#include "ge/es_node.h"
#include "ge/graph.h"
#include "ge/model.h"

#define CHECK(call)                                    \
  do {                                                 \
    if ((call) != GE_SUCCESS) {                        \
      printf("%s: %s\n", #call, GeLastErrorMessage()); \
      return 1;                                        \
    }                                                  \
  } while (0)

int main(int argc, char **argv) {
  const int64_t shape[] = {2, 2};
  EsCGraph *built = NULL;
  GeGraph *graph = NULL;
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  if (argc == 3 && strcmp(argv[1], "--load") == 0) {
    CHECK(GeGraphCreate("loaded", &graph));
    CHECK(GeGraphLoad(graph, argv[2]));
  } else {
    EsCGraphBuilder *builder = EsCreateGraphBuilder(kName);
    EsCTensorHolder *x = EsCreateGraphInputWithDetails(builder, 0, "x", NULL, C_DT_FLOAT, C_FORMAT_ND, shape, 2);
    EsCTensorHolder *y = Make(builder, x);
    if (y == NULL) {
      printf("make: %s\n", GeLastErrorMessage());
      return 1;
    }
    EsSetGraphOutput(y, 0);
    built = EsBuildGraphAndReset(builder);
    EsDestroyGraphBuilder(builder);
    CHECK(GeEsGraphRetainGraph(built, &graph));
    if (argc == 2) CHECK(GeGraphSave(graph, argv[1]));
  }
  GeModel *model = NULL;
  GeRunContext *context = NULL;
  CHECK(GeCompile(graph, NULL, &model));
  CHECK(GeRunContextCreate(model, &context));
  float in[] = {1, 2, 3, 4}, out[4] = {0};
  GeTensorData input, output;
  memset(&input, 0, sizeof input);
  memset(&output, 0, sizeof output);
  input.format = input.origin_format = C_FORMAT_ND;
  input.rank = input.origin_rank = 2;
  input.dims = input.origin_dims = shape;
  input.data = in;
  input.size = sizeof in;
  output.data = out;
  output.size = sizeof out;
  CHECK(GeRun(context, &input, 1, &output, 1));
  printf("ran: %g %g %g %g\n", out[0], out[1], out[2], out[3]);
  return 0;
}
