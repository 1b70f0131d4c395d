// What range.h brings alone: ranges of shapes, and the status of the functions that give them.
#include "exe_graph/runtime/range.h"

namespace {
ge::graphStatus Bounds(const gert::Range<gert::Shape> &range, size_t &ranks) {
  if (range.GetMin() == nullptr || range.GetMax() == nullptr) return ge::GRAPH_FAILED;
  ranks = range.GetMin()->GetDimNum() + range.GetMax()->GetDimNum();
  return ge::GRAPH_SUCCESS;
}
}  // namespace

size_t Range() {
  gert::Shape low{1, 2}, high{3, 4, 5};
  size_t ranks = 0;
  return Bounds(gert::Range<gert::Shape>(&low, &high), ranks) == ge::GRAPH_SUCCESS ? ranks : 0;
}
