#include "core/passes/elementwise_table.h"

#include <algorithm>
#include <iterator>

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

bool TruthOf(const Node &node, ElementwiseOp *op) {
  struct Row {
    int opcode;
    int operands[3];
    bool negate;
    bool logic;  // of truth values only
  };
  constexpr int kNone = kOperandNone, kZero = kOperandAttr0;
  static const auto *table = new std::unordered_map<Symbol, Row>{
      {"Equal", {GE_FUSED_EQUAL, {0, 1, kNone}, false, false}},
      {"NotEqual", {GE_FUSED_EQUAL, {0, 1, kNone}, true, false}},
      {"Less", {GE_FUSED_LESS, {0, 1, kNone}, false, false}},
      {"LessEqual", {GE_FUSED_LESS_EQUAL, {0, 1, kNone}, false, false}},
      {"Greater", {GE_FUSED_LESS, {1, 0, kNone}, false, false}},
      {"GreaterEqual", {GE_FUSED_LESS_EQUAL, {1, 0, kNone}, false, false}},
      {"IsNan", {GE_FUSED_EQUAL, {0, 0, kNone}, true, false}},
      {"LogicalAnd", {GE_FUSED_MIN, {0, 1, kNone}, false, true}},
      {"LogicalOr", {GE_FUSED_MAX, {0, 1, kNone}, false, true}},
      {"LogicalXor", {GE_FUSED_EQUAL, {0, 1, kNone}, true, true}},
      {"LogicalNot", {GE_FUSED_NOT, {0, kNone, kNone}, false, true}},
      {"SelectV2", {GE_FUSED_SELECT, {0, 1, 2}, false, false}},
      {"Cast", {GE_FUSED_EQUAL, {0, kZero, kNone}, true, false}},
  };
  auto at = table->find(node.type());
  if (at == table->end() || node.output_count() != 1) return false;
  const Row &row = at->second;
  auto truth = [&](int32_t type) { return type == C_DT_BOOL; };
  auto fits = [&](int32_t type) { return type == C_DT_BOOL || (type == C_DT_FLOAT && !row.logic); };
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (!node.input(i) || !fits(DescOf(node.input(i)).dtype)) return false;
  }
  const int32_t from = DescOf(node.input(0)).dtype, to = node.output_desc(0).dtype;
  *op = ElementwiseOp();
  op->opcode = row.opcode;
  op->negate = row.negate;
  std::copy(std::begin(row.operands), std::end(row.operands), op->operands);
  if (row.opcode == GE_FUSED_SELECT) {
    const int32_t branch = DescOf(node.input(1)).dtype;
    return node.input_count() == 3 && truth(from) && fits(to) && branch == to && DescOf(node.input(2)).dtype == to;
  }
  if (node.type().view() == "Cast") {
    if (node.input_count() != 1 || from == to) return false;
    if (!truth(from)) return truth(to);
    op->opcode = GE_FUSED_MAX;  // of the value with itself: what is true is 1 already
    op->operands[1] = 0;
    op->negate = false;
    return to == C_DT_FLOAT;
  }
  const size_t operands = row.operands[1] == kNone || node.type().view() == "IsNan" ? 1 : 2;
  return node.input_count() == operands && truth(to) && (operands == 1 || DescOf(node.input(1)).dtype == from);
}

}  // namespace gec
