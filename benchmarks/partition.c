/* Measures what it costs to divide a graph between engines, and to call a region.
 *
 *   partition [nodes] [run]      default 100000 nodes, claimed by three engines in turn, `run` (10) neighbours each
 *
 * Prints milliseconds of the stage "partition" (claims, regions and their kernels), and microseconds that a run takes
 * for each region, whose kernels do nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "ge/engine.h"
#include "ge/model.h"

static int64_t run_length = 10;

static GeStatus Nothing(void *state, const GeKernelArgs *args) {
  (void)state, (void)args;
  return GE_SUCCESS;
}
static GeStatus CreateRegion(void *engine, const GeRegion *region, const GeKernelEnv *env, GeKernel *out) {
  (void)engine, (void)region, (void)env;
  out->run = Nothing;
  return GE_SUCCESS;
}
static GeStatus Claim(const GeGraphView *graph, const GeClaims *claims, int64_t turn) {
  int32_t *nodes = malloc(graph->node_count * sizeof *nodes);
  size_t count = 0;
  for (size_t i = 0; i < graph->node_count; ++i)
    if ((int64_t)i / run_length % 3 == turn) nodes[count++] = (int32_t)i;
  const GeStatus status = claims->take(claims->host, nodes, count);
  free(nodes);
  return status;
}
static GeStatus ClaimA(void *engine, const GeGraphView *g, const GeClaims *c) { return (void)engine, Claim(g, c, 0); }
static GeStatus ClaimB(void *engine, const GeGraphView *g, const GeClaims *c) { return (void)engine, Claim(g, c, 1); }
static GeStatus ClaimC(void *engine, const GeGraphView *g, const GeClaims *c) { return (void)engine, Claim(g, c, 2); }

static void Append(void *user, const char *text, size_t size) {
  char **all = user;
  const size_t had = *all ? strlen(*all) : 0;
  *all = realloc(*all, had + size + 1);
  memcpy(*all + had, text, size);
  (*all)[had + size] = 0;
}

int main(int argc, char **argv) {
  const int64_t nodes = argc > 1 ? atoll(argv[1]) : 100000;
  if (argc > 2) run_length = atoll(argv[2]);
  static const char *const kNames[] = {"BenchA", "BenchB", "BenchC"};
  GeStatus (*const claims[])(void *, const GeGraphView *, const GeClaims *) = {ClaimA, ClaimB, ClaimC};
  static GeEngineTable tables[3];
  for (int i = 0; i < 3; ++i) {
    tables[i] =
        (GeEngineTable){.abi_version = GE_ENGINE_ABI_VERSION, .struct_size = sizeof(GeEngineTable), .name = kNames[i]};
    tables[i].version = "1";
    tables[i].cost = i;
    tables[i].claim = claims[i];
    tables[i].create_region = CreateRegion;
    Check(GeEngineRegister(&tables[i], ""));
  }
  EsCGraphBuilder *builder = Chain(nodes);
  EsCGraph *built = EsBuildGraphAndReset(builder);
  GeGraph *graph = NULL;
  Check(GeEsGraphRetainGraph(built, &graph));
  GeModel *model = NULL;
  Check(GeCompile(graph, NULL, &model));
  char *report = NULL;
  Check(GeModelDescribe(model, GE_MODEL_REPORT, Append, &report));
  const char *stage = strstr(report, "{\"name\":\"partition\",\"seconds\":");
  double seconds = 0;
  long regions = 0;
  if (!stage || sscanf(stage, "{\"name\":\"partition\",\"seconds\":%lf,\"changes\":%ld", &seconds, &regions) != 2) {
    fprintf(stderr, "the report has no stage 'partition'\n");
    return 1;
  }
  GeRunContext *context = NULL;
  Check(GeRunContextCreate(model, &context));
  float values[kChainValues] = {0};
  const GeTensorData in = {.data_type = C_DT_FLOAT,
                           .format = C_FORMAT_ND,
                           .rank = 2,
                           .dims = kChainDims,
                           .data = values,
                           .size = sizeof values};
  double best = 1e30;
  for (int k = 0; k < 50; ++k) {
    GeTensorData out = {0};
    const double begin = Now();
    Check(GeRun(context, &in, 1, &out, 1));
    if (Now() - begin < best) best = Now() - begin;
  }
  printf("%lld nodes, %ld regions: partition %.1f ms, a region call %.3f us\n", (long long)nodes, regions,
         seconds * 1e3, best / (double)regions);
  free(report);
  GeRunContextDestroy(context);
  GeModelDestroy(model);
  GeGraphDestroy(graph);
  GeEsGraphDestroy(built);
  EsDestroyGraphBuilder(builder);
  return 0;
}
