#include <cstdio>

#include "es_graph_builder.h"

int main() {
  ge::es::EsGraphBuilder builder("sum");
  auto [x, y] = builder.CreateInputs<2>();
  ge::es::EsTensorHolder z = x + y;
  ge::AscendString type;
  if (!z.GetProducer() || z.GetProducer()->GetType(type) != ge::GRAPH_SUCCESS) return 1;
  std::printf("%s\n", type.GetString());
  return 0;
}
