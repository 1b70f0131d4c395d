// Nodes that nothing reads.
#include "core/passes/builtin.h"
#include "core/passes/fold.h"

namespace gec {

bool DeadCode(Graph &graph, PassContext &ctx) {
  const size_t removed = RemoveDeadNodes(graph);
  for (size_t i = 0; i < removed; ++i) {
    ctx.Tried("DeadCode");
    ctx.Applied("DeadCode");
  }
  return removed != 0;
}

}  // namespace gec
