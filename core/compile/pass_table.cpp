// The one table of what a compile does to a graph, in the order of the compile (pipeline.cpp says what follows what).
#include "core/compile/compile_passes.h"
#include "core/passes/builtin.h"

namespace gec {

const std::vector<BuiltinPass> &BuiltinPasses() {
  constexpr int32_t kNone = GE_STAGE_NONE;
  constexpr int32_t kFirst = GE_STAGE_BEFORE_INFER_SHAPE, kEarly = GE_STAGE_AFTER_INFER_SHAPE;
  constexpr int32_t kLate = GE_STAGE_AFTER_BUILTIN_FUSION_PASS, kEnd = GE_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE;
  constexpr uint32_t kCompile = kEssential | kWholeTree | kRebuildable;
  constexpr uint32_t kStage = kEssential | kWholeTree | kSequenceOfStage;
  static const std::vector<BuiltinPass> *passes = new std::vector<BuiltinPass>{
      {"VerifyGraph", kNone, 0, VerifyGraph, kCompile},
      {"RecoverPrototypes", kNone, 0, RecoverPrototypes, kCompile},
      {"SetInputShapes", kNone, 0, SetInputShapes, kCompile},
      {"Stage.BeforeInferShape", kFirst, 0, ProgramStage<kFirst>, kStage},
      {"FindOwnKernels", kNone, 0, FindOwnKernels, kCompile},
      {"VariablesToPorts", kNone, 0, VariablesToPorts, kCompile},
      {"InlineCalls", kFirst, 1, InlineCalls, 0, "Inline"},
      {"InferShape", kNone, 0, InferShapes, kCompile, "InferType"},
      {"Stage.AfterInferShape", kEarly, 0, ProgramStage<kEarly>, kStage},
      {"WriteOutTypes", kNone, 0, WriteOutTypes, kCompile},
      {"FindOpenShapes", kNone, 0, FindOpenShapes, kCompile},
      {"Engines.BeforeOptimization", kNone, 0, EnginesBefore, kCompile},
      {"PartitionGraph", kNone, 0, PartitionGraph, kCompile},
      {"EinsumToMatMul", kEarly, 1, EinsumToMatMul},
      {"RemoveIdentity", kEarly, 1, RemoveIdentity},
      {"ConstantFolding", kEarly, 1, ConstantFolding, 0, "FoldConstant"},
      {"CommonSubexpression", kEarly, 1, CommonSubexpression, 0, "EliminateCommonSubexpr"},
      {"DeadCode", kEarly, 1, DeadCode, 0, "DeadCodeElimination"},
      {"AlgebraicSimplify", kEarly, 1, AlgebraicSimplify, 0, "SimplifyExpr"},
      {"OneHotMatMul", kEarly, 2, OneHotMatMul},
      {"FuseLayerNorm", kEarly, 2, FuseLayerNorm},
      {"FuseSoftmax", kEarly, 2, FuseSoftmax},
      {"FuseAttention", kEarly, 2, FuseAttention},
      {"FuseGelu", kEarly, 2, FuseGelu},
      {"FuseSwish", kEarly, 2, FuseSwish},
      {"FuseQuantized", kEarly, 2, FuseQuantized},
      {"PackWeights", kEarly, 2, PackWeights},
      {"FoldDequantized", kEarly, 2, FoldDequantized},
      {"ExplicitPads", kEarly, 2, ExplicitPads},
      {"SinkSqueeze", kEarly, 2, SinkSqueeze},
      {"PoolPixels", kEarly, 2, PoolPixels},
      {"SplitBatchNorm", kEarly, 2, SplitBatchNorm},
      {"PadConv", kEarly, 2, PadConv},
      {"FuseConvBatchNorm", kEarly, 2, FuseConvBatchNorm},
      {"FuseConv", kEarly, 2, FuseConv},
      {"PoolBeforeConv", kEarly, 2, PoolBeforeConv},
      {"FuseMatMul", kEarly, 2, FuseMatMul},
      {"LowerPrecision", kNone, 0, LowerPrecision, kWholeTree | kRebuildable},
      {"LowerAttention", kNone, 0, LowerAttention, kWholeTree | kRebuildable},
      {"Stage.AfterBuiltinFusionPass", kLate, 0, ProgramStage<kLate>, kStage},
      {"QuantizedLayout", kLate, 2, QuantizedLayout, kNeedsShapes},
      {"LayoutPropagation", kLate, 2, LayoutPropagation, kNeedsShapes, "AlterOpLayout"},
      {"FuseSeparableConv", kLate, 2, FuseSeparableConv, kNeedsShapes},
      {"FuseConvPool", kLate, 2, FuseConvPool, kNeedsShapes},
      {"FuseDenseLayers", kLate, 2, FuseDenseLayers, kNeedsShapes},
      {"FuseElementwise", kLate, 2, FuseElementwise, kNeedsShapes, "FuseOps"},
      {"FinalCleanup", kLate, 1, DeadCode, kNeedsShapes},
      {"Stage.AfterOriginGraphOptimize", kEnd, 0, ProgramStage<kEnd>, kStage},
      {"Stage.AfterAssignLogicStream", GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM, 0, StreamStage, kStage},
      {"Engines.AfterOptimization", kNone, 0, EnginesAfter, kCompile},
  };
  return *passes;
}

}  // namespace gec
