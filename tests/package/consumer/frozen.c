/* A C program that freezes the builder: it needs nothing of ours when it runs. */
#include <stdio.h>

#include "es_Relu_c.h"
#include "esb.h"

int main(void) {
  EsCGraphBuilder *builder = EsCreateGraphBuilder("frozen");
  EsSetGraphOutput(EsRelu(EsCreateGraphInput(builder, 0)), 0);
  EsCGraph *graph = EsBuildGraphAndReset(builder);
  void *bytes = NULL;
  size_t size = 0;
  if (graph == NULL || esb_graph_to_bytes(graph, &bytes, &size) != 0) {
    fprintf(stderr, "%s\n", esb_last_error());
    return 1;
  }
  printf("%s graph\n", size > 100 ? "frozen" : "empty");
  esb_bytes_destroy(bytes);
  esb_graph_destroy(graph);
  EsDestroyGraphBuilder(builder);
  return 0;
}
