// The families of operators. Each returns its table; registry.cpp searches them.
#pragma once

#include "common/node.h"

namespace host_cpu {

OpTable UnaryOps();
OpTable CastOps();
OpTable BinaryOps();
OpTable SelectOps();
OpTable FusedElementwiseOps();
OpTable ReduceOps();
OpTable ArgReduceOps();
OpTable CumulativeOps();
OpTable SoftmaxOps();
OpTable BatchNormOps();
OpTable LayerNormOps();
OpTable ConvOps();
OpTable PoolOps();
OpTable MatMulOps();
OpTable ViewOps();
OpTable TransposeOps();
OpTable ConcatSplitOps();
OpTable GatherOps();
OpTable SliceOps();
OpTable PadOps();
OpTable ShapeOps();

// The entry of an operator type, or null.
const OpEntry *FindOp(const char *type);
// All tables, in a fixed order.
const std::vector<OpTable> &AllOps();

}  // namespace host_cpu
