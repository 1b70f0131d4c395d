// A graph of the team's operators, from C++.
#include <cstdio>

#include "es_graph_builder.h"
#include "es_team_ops.h"

int main() {
  ge::es::EsGraphBuilder builder("team");
  auto x = builder.CreateInput(0);
  auto parts = ge::es::TeamSplit(ge::es::TeamScale(x, nullptr, 3.0f), 1);
  auto graph = builder.BuildAndReset({ge::es::TeamScale(parts.head, parts.tail)});
  if (graph == nullptr) return 1;
  int own = 0;
  for (const ge::GNode &node : graph->GetDirectNode()) {
    ge::AscendString type;
    if (node.GetType(type) != ge::GRAPH_SUCCESS) return 2;
    own += std::string(type.GetString()).rfind("Team", 0) == 0;
  }
  std::printf("%d operators of the team\n", own);
  return 0;
}
