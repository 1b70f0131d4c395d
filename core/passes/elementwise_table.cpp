#include "core/passes/elementwise_table.h"

#include "ge/fused_program.h"

namespace gec {
namespace {

struct Simple {
  int opcode;
  int count;
};
const std::unordered_map<Symbol, Simple> &Table() {
  static const auto *table = new std::unordered_map<Symbol, Simple>{
      {"Add", {GE_FUSED_ADD, 2}},
      {"Sub", {GE_FUSED_SUB, 2}},
      {"Mul", {GE_FUSED_MUL, 2}},
      {"RealDiv", {GE_FUSED_DIV, 2}},
      {"Div", {GE_FUSED_DIV, 2}},
      {"Maximum", {GE_FUSED_MAX, 2}},
      {"Minimum", {GE_FUSED_MIN, 2}},
      {"Pow", {GE_FUSED_POW, 2}},
      {"SquaredDifference", {GE_FUSED_SQUARED_DIFFERENCE, 2}},
      {"Neg", {GE_FUSED_NEG, 1}},
      {"Abs", {GE_FUSED_ABS, 1}},
      {"Exp", {GE_FUSED_EXP, 1}},
      {"Log", {GE_FUSED_LOG, 1}},
      {"Sqrt", {GE_FUSED_SQRT, 1}},
      {"Rsqrt", {GE_FUSED_RSQRT, 1}},
      {"Reciprocal", {GE_FUSED_RECIPROCAL, 1}},
      {"Square", {GE_FUSED_SQUARE, 1}},
      {"Tanh", {GE_FUSED_TANH, 1}},
      {"Sigmoid", {GE_FUSED_SIGMOID, 1}},
      {"Erf", {GE_FUSED_ERF, 1}},
      {"Relu", {GE_FUSED_RELU, 1}},
      {"Relu6", {GE_FUSED_RELU6, 1}},
      {"Gelu", {GE_FUSED_GELU_TANH, 1}},
      {"HardSwishV2", {GE_FUSED_HARD_SWISH, 1}},
      {"Softplus", {GE_FUSED_SOFTPLUS, 1}},
      {"Floor", {GE_FUSED_FLOOR, 1}},
      {"Ceil", {GE_FUSED_CEIL, 1}},
      {"Rint", {GE_FUSED_ROUND, 1}},
      {"Round", {GE_FUSED_ROUND, 1}},
      {"Sign", {GE_FUSED_SIGN, 1}},
      {"Mish", {GE_FUSED_MISH, 1}},
      {"Sin", {GE_FUSED_SIN, 1}},
      {"Cos", {GE_FUSED_COS, 1}},
      {"Softsign", {GE_FUSED_SOFTSIGN, 1}},
      {"ClipByValueV2", {GE_FUSED_CLIP, 3}},
      {"ClipByValue", {GE_FUSED_CLIP, 3}},
      {"Swish", {GE_FUSED_SWISH, 1}},
      {"GeluV2", {GE_FUSED_GELU_ERF, 1}},
      {"LeakyRelu", {GE_FUSED_LEAKY_RELU, 1}},
      {"Elu", {GE_FUSED_ELU, 1}},
      {"HardSigmoid", {GE_FUSED_HARD_SIGMOID, 1}},
  };
  return *table;
}

}  // namespace

bool ElementwiseOf(const Node &node, ElementwiseOp *op) {
  static const Symbol base("base"), scale("scale"), shift("shift"), decimals("decimals"), approximate("approximate"),
      slope("negative_slope"), alpha("alpha"), beta("beta"), input_scale("input_scale");
  auto at = Table().find(node.type());
  if (at == Table().end() || node.output_count() != 1 || node.output_desc(0).dtype != C_DT_FLOAT) return false;
  const int count = at->second.count;
  if (node.input_count() != static_cast<size_t>(count)) return false;
  for (int i = 0; i < count; ++i) {
    Endpoint e = node.input(static_cast<size_t>(i));
    if (!e || !IsFloat32(e)) return false;
  }
  *op = ElementwiseOp();
  op->opcode = at->second.opcode;
  for (int i = 0; i < count; ++i) op->operands[i] = i;
  switch (op->opcode) {
    case GE_FUSED_EXP:
    case GE_FUSED_LOG:
      return node.Float(base, -1) == -1 && node.Float(scale, 1) == 1 && node.Float(shift, 0) == 0;
    case GE_FUSED_ROUND:
      return node.Int(decimals, 0) == 0;
    case GE_FUSED_SWISH:
      return node.Float(scale, 1) == 1;
    case GE_FUSED_GELU_ERF:
      if (node.String(approximate, "none") == "tanh") op->opcode = GE_FUSED_GELU_TANH;
      return true;
    case GE_FUSED_LEAKY_RELU:
      op->operands[1] = kOperandAttr0;
      op->attrs[0] = node.Float(slope);
      return true;
    case GE_FUSED_ELU:
      op->operands[1] = kOperandAttr0;
      op->attrs[0] = node.Float(alpha, 1);
      return node.Float(scale, 1) == 1 && node.Float(input_scale, 1) == 1;
    case GE_FUSED_HARD_SIGMOID:
      op->operands[1] = kOperandAttr0;
      op->operands[2] = kOperandAttr1;
      op->attrs[0] = node.Float(alpha);
      op->attrs[1] = node.Float(beta);
      return true;
    default:
      return true;
  }
}

}  // namespace gec
