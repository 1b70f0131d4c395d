// A product of a one-hot matrix with a table is a lookup of rows.
#include "core/passes/builtin.h"
#include "core/passes/editor.h"

namespace gec {

bool OneHotMatMul(Graph &graph, PassContext &ctx) {
  (void)graph;
  (void)ctx;
  return false;
}

}  // namespace gec
