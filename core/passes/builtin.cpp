#include "core/passes/builtin.h"

namespace gec {

const std::vector<BuiltinPass> &BuiltinPasses() {
  constexpr int32_t kFirst = GE_STAGE_BEFORE_INFER_SHAPE;
  constexpr int32_t kEarly = GE_STAGE_AFTER_INFER_SHAPE, kLate = GE_STAGE_AFTER_BUILTIN_FUSION_PASS;
  static const std::vector<BuiltinPass> *passes = new std::vector<BuiltinPass>{
      {"InlineCalls", kFirst, 1, InlineCalls},
      {"RemoveIdentity", kEarly, 1, RemoveIdentity},
      {"ConstantFolding", kEarly, 1, ConstantFolding},
      {"CommonSubexpression", kEarly, 1, CommonSubexpression},
      {"DeadCode", kEarly, 1, DeadCode},
      {"AlgebraicSimplify", kEarly, 1, AlgebraicSimplify},
      {"OneHotMatMul", kEarly, 2, OneHotMatMul},
      {"FuseLayerNorm", kEarly, 2, FuseLayerNorm},
      {"FuseSoftmax", kEarly, 2, FuseSoftmax},
      {"FuseGelu", kEarly, 2, FuseGelu},
      {"FuseSwish", kEarly, 2, FuseSwish},
      {"ExplicitPads", kEarly, 2, ExplicitPads},
      {"SplitBatchNorm", kEarly, 2, SplitBatchNorm},
      {"PadConv", kEarly, 2, PadConv},
      {"FuseConvBatchNorm", kEarly, 2, FuseConvBatchNorm},
      {"FuseConv", kEarly, 2, FuseConv},
      {"FuseMatMul", kEarly, 2, FuseMatMul},
      {"LayoutPropagation", kLate, 2, LayoutPropagation},
      {"FuseElementwise", kLate, 2, FuseElementwise},
      {"FinalCleanup", kLate, 1, DeadCode},
  };
  return *passes;
}

}  // namespace gec
