// A graph with an operator of the program's own, and a function of libc_sec.so.
#include <cstdio>

#include "es_graph_builder.h"
#include "es_math_ops.h"
#include "graph/graph.h"
#include "securec.h"

int RunProgram() {
  ge::es::EsGraphBuilder builder("program");
  const auto x = builder.CreateInput(0);
  builder.SetOutput(ge::es::ProgramScale(x, 3.0f), 0);
  const auto graph = builder.BuildAndReset();
  char text[32];
  if (graph == nullptr || sprintf_s(text, sizeof text, "%zu nodes", graph->GetAllNodes().size()) < 0) return 1;
  std::puts(text);
  return 0;
}
