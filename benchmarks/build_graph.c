/* Time per node of building a graph in C, and of sorting, verifying and inferring it.
 *
 *   build_graph [nodes] [rounds]      default 100000 nodes, 7 rounds; prints the best round
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "esb_funcs.h"
#include "ge/es_node.h"
#include "ge/graph.h"

static const GeIrPort kInputs[] = {{"x1", GE_IR_REQUIRED, 0, "T"}, {"x2", GE_IR_REQUIRED, 0, "T"}};
static const GeIrPort kOutputs[] = {{"y", GE_IR_REQUIRED, 0, "T"}};
static const GeOpSchema kAdd = {.struct_size = sizeof(GeOpSchema),
                                .type = "Add",
                                .inputs = kInputs,
                                .input_count = 2,
                                .outputs = kOutputs,
                                .output_count = 1};

static double Now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static EsCTensorHolder *Add(EsCTensorHolder *a, EsCTensorHolder *b) {
  const GeEsInput inputs[] = {{a, NULL, 0}, {b, NULL, 0}};
  const GeEsCall call = {.struct_size = sizeof(GeEsCall), .schema = &kAdd, .inputs = inputs};
  EsCTensorHolder *out = NULL;
  GeEsAddNode(&call, &out, NULL);
  return out;
}

static void Check(GeStatus status) {
  if (status == GE_SUCCESS) return;
  fprintf(stderr, "%s\n", GeLastErrorMessage());
  exit(1);
}

int main(int argc, char **argv) {
  int64_t nodes = argc > 1 ? atoll(argv[1]) : 100000;
  int rounds = argc > 2 ? atoi(argv[2]) : 7;
  double best[4] = {1e30, 1e30, 1e30, 1e30};
  for (int r = 0; r < rounds; ++r) {
    int64_t dims[] = {2, 3};
    double start = Now();
    EsCGraphBuilder *builder = EsCreateGraphBuilder("chain");
    EsCTensorHolder *x = EsCreateGraphInputWithDetails(builder, 0, "x", NULL, C_DT_FLOAT, C_FORMAT_ND, dims, 2);
    EsCTensorHolder *y = x;
    for (int64_t i = 0; i < nodes; ++i) y = Add(y, x);
    EsSetGraphOutput(y, 0);
    EsCGraph *built = EsBuildGraphAndReset(builder);
    double done = Now();
    GeGraph *graph = NULL;
    Check(GeEsGraphRetainGraph(built, &graph));
    double verify = Now();
    Check(GeGraphVerify(graph));
    double infer = Now();
    Check(GeGraphInfer(graph, NULL, 0));
    double end = Now();
    GeGraphDestroy(graph);
    GeEsGraphDestroy(built);
    EsDestroyGraphBuilder(builder);
    double freed = Now();
    double us[] = {done - start, infer - verify, end - infer, freed - end};
    for (int k = 0; k < 4; ++k) {
      double each = us[k] / (double)nodes;
      if (each < best[k]) best[k] = each;
    }
  }
  printf("%" PRId64 " nodes, us per node: build %.3f, sort and verify %.3f, infer %.3f, free %.3f\n", nodes, best[0],
         best[1], best[2], best[3]);
  return 0;
}
