// Operators that have attributes where a sibling has constant inputs, as ReduceSumD has `axes` of ReduceSum.
#pragma once

#include <vector>

#include "core/ir/ir_def.h"
#include "core/ir/tensor.h"

namespace gec {

/// How an operator becomes its sibling. Names decide: an input of the sibling is the input, or the attribute, that has
/// its name here.
struct AttributeForm {
  struct Input {
    int own = -1;                        // IR input that feeds it
    Symbol attr;                         // or the attribute that holds its value; empty with own -1: not connected
    int32_t data_type = C_DT_UNDEFINED;  // of the attribute as a tensor; C_DT_UNDEFINED: that of the first input
  };
  const IrDef *own = nullptr, *sibling = nullptr;
  GeInferFn infer = nullptr;  // the sibling's
  std::vector<Input> inputs;  // one for each IR input of the sibling
};

/// Null for an operator without a sibling of this kind.
const AttributeForm *FindAttributeForm(Symbol type);

/// The value of an attribute as a tensor: a number, a list or a matrix. Throws GE_INFER_FAILED for what is none, and
/// for numbers that the type does not hold.
TensorPtr AttributeTensor(const GeAttrData &attr, int32_t data_type);

}  // namespace gec
