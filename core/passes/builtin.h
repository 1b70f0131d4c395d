// The built-in passes. Each is true when it changed the graph.
#pragma once

#include "core/passes/pass.h"

namespace gec {

struct BuiltinPass {
  const char *name;
  int32_t stage;
  int32_t level;
  bool (*run)(Graph &, PassContext &);
};
/// In the order they run.
const std::vector<BuiltinPass> &BuiltinPasses();

bool InlineCalls(Graph &graph, PassContext &ctx);
bool RemoveIdentity(Graph &graph, PassContext &ctx);
bool ConstantFolding(Graph &graph, PassContext &ctx);
bool CommonSubexpression(Graph &graph, PassContext &ctx);
bool DeadCode(Graph &graph, PassContext &ctx);
bool AlgebraicSimplify(Graph &graph, PassContext &ctx);
bool OneHotMatMul(Graph &graph, PassContext &ctx);
bool FuseLayerNorm(Graph &graph, PassContext &ctx);
bool FuseSoftmax(Graph &graph, PassContext &ctx);
bool FuseGelu(Graph &graph, PassContext &ctx);
bool FuseSwish(Graph &graph, PassContext &ctx);
bool ExplicitPads(Graph &graph, PassContext &ctx);
bool SplitBatchNorm(Graph &graph, PassContext &ctx);
bool PadConv(Graph &graph, PassContext &ctx);
bool FuseConvBatchNorm(Graph &graph, PassContext &ctx);
bool FuseConv(Graph &graph, PassContext &ctx);
bool FuseMatMul(Graph &graph, PassContext &ctx);
bool LayoutPropagation(Graph &graph, PassContext &ctx);
bool FuseElementwise(Graph &graph, PassContext &ctx);

}  // namespace gec
