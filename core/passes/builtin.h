// The built-in passes. Each is true when it changed the graph.
#pragma once

#include "core/passes/pass.h"

namespace gec {

enum BuiltinFlags : uint32_t {
  kEssential = 1,        // PassInfo::essential
  kNeedsShapes = 2,      // PassInfo::needs_shapes
  kWholeTree = 4,        // PassInfo::whole_tree
  kRebuildable = 8,      // PassEntry::rebuildable
  kSequenceOfStage = 16  // runs what programs registered for its stage
};
struct BuiltinPass {
  const char *name;
  int32_t stage;
  int32_t level;
  bool (*run)(Graph &, PassContext &);
  uint32_t flags = 0;
  const char *tvm_name = "";  // PassInfo::other_name
};
/// All that a compile does to a graph, in the order of the compile. Defined in core/compile/pass_table.cpp, since some
/// of them ask engines.
const std::vector<BuiltinPass> &BuiltinPasses();

bool InlineCalls(Graph &graph, PassContext &ctx);
bool RemoveIdentity(Graph &graph, PassContext &ctx);
bool ConstantFolding(Graph &graph, PassContext &ctx);
bool CommonSubexpression(Graph &graph, PassContext &ctx);
bool DeadCode(Graph &graph, PassContext &ctx);
bool AlgebraicSimplify(Graph &graph, PassContext &ctx);
bool EinsumToMatMul(Graph &graph, PassContext &ctx);
bool OneHotMatMul(Graph &graph, PassContext &ctx);
bool FuseLayerNorm(Graph &graph, PassContext &ctx);
bool FuseSoftmax(Graph &graph, PassContext &ctx);
bool FuseAttention(Graph &graph, PassContext &ctx);
bool FuseGelu(Graph &graph, PassContext &ctx);
bool FuseSwish(Graph &graph, PassContext &ctx);
bool FuseQuantized(Graph &graph, PassContext &ctx);
bool FoldDequantized(Graph &graph, PassContext &ctx);
bool PackWeights(Graph &graph, PassContext &ctx);
bool ExplicitPads(Graph &graph, PassContext &ctx);
bool SinkSqueeze(Graph &graph, PassContext &ctx);
bool PoolPixels(Graph &graph, PassContext &ctx);
bool SplitBatchNorm(Graph &graph, PassContext &ctx);
bool PadConv(Graph &graph, PassContext &ctx);
bool FuseConvBatchNorm(Graph &graph, PassContext &ctx);
bool FuseConv(Graph &graph, PassContext &ctx);
bool PoolBeforeConv(Graph &graph, PassContext &ctx);
bool FuseMatMul(Graph &graph, PassContext &ctx);
bool QuantizedLayout(Graph &graph, PassContext &ctx);
bool LayoutPropagation(Graph &graph, PassContext &ctx);
bool FuseSeparableConv(Graph &graph, PassContext &ctx);
bool FuseConvPool(Graph &graph, PassContext &ctx);
bool FuseDenseLayers(Graph &graph, PassContext &ctx);
bool FuseElementwise(Graph &graph, PassContext &ctx);

}  // namespace gec
