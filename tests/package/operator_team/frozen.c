/* A C program that freezes the builder and the team's wrappers: cc frozen.c libes_team.a -lesb -lm -lpthread -ldl */
#include <stdio.h>

#include "es_team_ops_c.h"
#include "esb.h"

int main(void) {
  EsCGraphBuilder *builder = EsCreateGraphBuilder("frozen team");
  EsCTensorHolder *x = EsCreateGraphInput(builder, 0);
  void *data = NULL;
  size_t size = 0;
  EsCGraph *graph;
  (void)EsSetGraphOutput(EsTeamScale(EsTeamScale(x, NULL, 3.0f), x, 2.0f), 0);
  graph = EsBuildGraphAndReset(builder);
  if (!graph || esb_graph_to_bytes(graph, &data, &size) != 0) {
    fprintf(stderr, "%s\n", esb_last_error());
    return 1;
  }
  printf("%s\n", size > 0 ? "frozen team" : "nothing");
  esb_bytes_destroy(data);
  esb_graph_destroy(graph);
  EsDestroyGraphBuilder(builder);
  return 0;
}
