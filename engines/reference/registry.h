// The families of operators. Each returns its table; registry.cpp searches them.
#pragma once

#include "common/node.h"

namespace reference {

OpTable UnaryOps();
OpTable CastOps();
OpTable BinaryOps();
OpTable SelectOps();
OpTable FusedElementwiseOps();
OpTable ReduceOps();
OpTable ArgReduceOps();
OpTable CumulativeOps();
OpTable SegmentOps();
OpTable SoftmaxOps();
OpTable BatchNormOps();
OpTable LayerNormOps();
OpTable GroupNormOps();
OpTable ConvOps();
OpTable ConvTransposeOps();
OpTable ConvPoolOps();
OpTable SeparableConvOps();
OpTable QuantizedConvOps();
OpTable PoolOps();
OpTable ResizeOps();
OpTable GridSampleOps();
OpTable BoxOps();
OpTable SpaceDepthOps();
OpTable MatMulOps();
OpTable DenseLayersOps();
OpTable QuantizedMatMulOps();
OpTable LowBitOps();
OpTable EinsumOps();
OpTable AttentionOps();
OpTable ViewOps();
OpTable TransposeOps();
OpTable ConcatSplitOps();
OpTable GatherOps();
OpTable GatherQuantizedOps();
OpTable ScatterOps();
OpTable SliceOps();
OpTable PadOps();
OpTable RearrangeOps();
OpTable TransDataOps();
OpTable TopKOps();
OpTable DataDependentOps();
OpTable ShapeOps();
OpTable RandomOps();
OpTable EncodeOps();
OpTable RecurrentOps();
OpTable QuantizeLinearOps();
OpTable SequenceOps();
OpTable LinearAttentionOps();
OpTable TreeOps();
OpTable LookupOps();
OpTable DeterminantOps();
OpTable TextOps();
OpTable TextMatchOps();

// The entry of operators that are views of their first input.
const OpEntry *AnyView();
// The entry of an operator, or null.
const OpEntry *FindOp(const GeOpDesc &op);
// All tables, in a fixed order.
const std::vector<OpTable> &AllOps();

}  // namespace reference
