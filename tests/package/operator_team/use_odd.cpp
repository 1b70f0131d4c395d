// A package whose name is no identifier: its headers, in both languages, and its library.
#include <cstdio>
#include <memory>

#include "es_my-mod_ops.h"
#include "es_my-mod_ops_c.h"

#if !defined(AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_my_mod_OPS_H_) || \
    !defined(AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_my_mod_OPS_CPP_H)
#error "include guards"
#endif

int main() {
  ge::es::EsGraphBuilder builder("odd");
  std::unique_ptr<ge::Graph> graph = builder.BuildAndReset({ge::es::TeamScale(builder.CreateInput(0))});
  std::printf("%zu nodes\n", graph ? graph->GetAllNodes().size() : 0);
  return graph ? 0 : 1;
}
