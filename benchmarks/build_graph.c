/* Time per node of building a graph in C, and of sorting, verifying and inferring it.
 *
 *   build_graph [nodes] [rounds]      default 100000 nodes, 7 rounds; prints the best round
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "chain.h"
#include "ge/graph.h"

int main(int argc, char **argv) {
  int64_t nodes = argc > 1 ? atoll(argv[1]) : 100000;
  int rounds = argc > 2 ? atoi(argv[2]) : 7;
  double best[4] = {1e30, 1e30, 1e30, 1e30};
  for (int r = 0; r < rounds; ++r) {
    double start = Now();
    EsCGraphBuilder *builder = Chain(nodes);
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
