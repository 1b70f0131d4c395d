/* A graph of the team's operators, from C. */
#include <stdio.h>

#include "es_team_ops_c.h"
#include "ge/es_node.h"
#include "ge/graph.h"

int main(void) {
  EsCGraphBuilder *builder = EsCreateGraphBuilder("team");
  EsCTensorHolder *x = EsCreateGraphInput(builder, 0);
  EsCTensorHolder *y = EsTeamScale(EsTeamScale(x, NULL, 3.0f), x, 2.0f);
  EsSetGraphOutput(y, 0);
  EsCGraph *built = EsBuildGraphAndReset(builder);
  GeGraph *graph = NULL;
  if (!built || GeEsGraphRetainGraph(built, &graph)) {
    fprintf(stderr, "%s\n", GeLastErrorMessage());
    return 1;
  }
  printf("%zu nodes of the team\n", GeGraphNodeCount(graph));
  GeGraphDestroy(graph);
  GeEsGraphDestroy(built);
  EsDestroyGraphBuilder(builder);
  return 0;
}
