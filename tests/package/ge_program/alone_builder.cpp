// What es_c_graph_builder.h brings alone: tensors of the builder.
#include "es_c_graph_builder.h"

#include <cstdio>

size_t Range();
size_t Vector();

int main() {
  EsCGraphBuilder builder("alone");
  EsCTensorHolder *x = builder.AppendGraphInput();
  if (x == nullptr || x->GetOutIndex() != 0 || &x->GetOwnerBuilder() != &builder) return 1;
  std::printf("%zu %zu\n", Range(), Vector());
  return 0;
}
