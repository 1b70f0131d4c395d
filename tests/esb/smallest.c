/* The smallest program that builds and saves a graph: its size is what freezing the builder costs. */
#include "es_Relu_c.h"
#include "esb.h"

int main(int argc, char **argv) {
  EsCGraphBuilder *b = EsCreateGraphBuilder("smallest");
  EsCGraph *graph;
  uint32_t status;
  EsSetGraphOutput(EsRelu(EsCreateGraphInput(b, 0)), 0);
  graph = EsBuildGraphAndReset(b);
  status = esb_graph_save(graph, argc > 1 ? argv[1] : "smallest.air");
  esb_graph_destroy(graph);
  EsDestroyGraphBuilder(b);
  return status == 0 ? 0 : 1;
}
