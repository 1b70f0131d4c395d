// Operators that work element by element, as instructions of FusedElementwise.
#pragma once

#include "core/passes/editor.h"

namespace gec {

/// How operands of a node become one instruction: k >= 0 is input k, or one of these.
inline constexpr int kOperandNone = -1, kOperandAttr0 = -2, kOperandAttr1 = -3;

struct ElementwiseOp {
  /// Quantising and dequantising are several instructions on x, the scale and the zero point (inputs 0 to 2).
  enum class Form : uint8_t { kInstruction, kQuantize, kDequantize };
  Form form = Form::kInstruction;
  int opcode = -1;
  int operands[3] = {kOperandNone, kOperandNone, kOperandNone};
  float attrs[2] = {0, 0};  // values of attributes that operands refer to
  bool negate = false;      // followed by GE_FUSED_NOT
};
/// One instruction for a float32 node; false when the node is none or its attributes are unusual. AddN, Swish with a
/// scale and powers with a constant take more than one instruction and are handled by the pass itself.
bool ElementwiseOf(const Node &node, ElementwiseOp *op);
/// The same for comparisons, logic, selections and casts between float32 and bool.
bool TruthOf(const Node &node, ElementwiseOp *op);
/// The same for QuantizeLinear and DequantizeLinear between float32 and 8-bit integers, with scales that spread over x
/// as they are.
bool QuantizedOf(const Node &node, ElementwiseOp *op);

}  // namespace gec
