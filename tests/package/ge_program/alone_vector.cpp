// What continuous_vector.h brings alone: vectors, and the status of their functions.
#include "exe_graph/runtime/continuous_vector.h"

size_t Vector() {
  const auto block = gert::ContinuousVector::Create<int64_t>(4);
  auto *vector = reinterpret_cast<gert::ContinuousVector *>(block.get());
  if (vector->SetSize(5) != ge::GRAPH_FAILED || vector->SetSize(3) != ge::GRAPH_SUCCESS) return 0;
  return vector->GetSize() + vector->GetCapacity();
}
