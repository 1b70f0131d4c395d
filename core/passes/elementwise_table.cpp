#include "core/passes/elementwise_table.h"

#include <algorithm>
#include <iterator>

#include "core/ops/traits.h"
#include "core/passes/quantized.h"
#include "ge/fused_program.h"

namespace gec {
namespace {

enum class Reads { kOperand, kFloat, kInt, kMode };
/// An attribute that is an operand of the instruction, or must have one value, or chooses another opcode.
struct AttributeRow {
  const char *type;
  Symbol attr;
  Reads reads;
  int number;        // operand or opcode
  double value;      // the default, or the only value
  const char *text;  // of a mode
};
const std::vector<AttributeRow> *AttributesOf(Symbol type) {
  static const auto *table = [] {
    const AttributeRow rows[] = {
#define GE_ELEMENTWISE_PARAM(type, operand, attr, value, onnx, onnx_value) \
  {#type, #attr, Reads::kOperand, operand, value, ""},
#define GE_ELEMENTWISE_FIXED(type, attr, kind, value) {#type, #attr, Reads::k##kind, 0, value, ""},
#define GE_ELEMENTWISE_MODE(type, attr, text, opcode) {#type, #attr, Reads::kMode, GE_FUSED_##opcode, 0, text},
#include "ge/elementwise.def"
    };
    auto *map = new std::unordered_map<Symbol, std::vector<AttributeRow>>;
    for (const AttributeRow &row : rows) (*map)[row.type].push_back(row);
    return map;
  }();
  auto at = table->find(type);
  return at == table->end() ? nullptr : &at->second;
}

/// Adds the attributes of a built-in operator to the instruction: operands, or another opcode. False where they ask
/// for another formula.
bool ReadAttributes(const Node &node, ElementwiseOp *op) {
  const std::vector<AttributeRow> *rows = AttributesOf(node.known_type());
  if (!rows) return true;
  for (const AttributeRow &row : *rows) {
    const float value = static_cast<float>(row.value);
    switch (row.reads) {
      case Reads::kOperand:
        op->operands[row.number] = row.number == 1 ? kOperandAttr0 : kOperandAttr1;
        op->attrs[row.number - 1] = node.Float(row.attr, value);
        break;
      case Reads::kFloat:
        if (node.Float(row.attr, value) != value) return false;
        break;
      case Reads::kInt:
        if (node.Int(row.attr, static_cast<int64_t>(row.value)) != static_cast<int64_t>(row.value)) return false;
        break;
      case Reads::kMode:
        if (node.String(row.attr) == row.text) op->opcode = row.number;
    }
  }
  return true;
}

struct Truth {
  const char *type;
  int opcode;
  int operands[3];
  bool negate;
  bool of_truth;  // of truth values only
};
constexpr Truth kTruth[] = {
#define GE_ELEMENTWISE_TRUTH(type, opcode, a, b, negate, of_truth) \
  {#type, GE_FUSED_##opcode, {a, b, kOperandNone}, negate != 0, of_truth != 0},
#include "ge/elementwise.def"
};
const Truth *FindTruth(Symbol type) {
  static const auto *table = [] {
    auto *map = new std::unordered_map<Symbol, const Truth *>;
    for (const Truth &row : kTruth) map->emplace(row.type, &row);
    return map;
  }();
  auto at = table->find(type);
  return at == table->end() ? nullptr : at->second;
}

bool IsTruth(int32_t type) { return type == C_DT_BOOL; }
bool IsTruthOrFloat(int32_t type) { return type == C_DT_BOOL || type == C_DT_FLOAT; }

/// From float32 to bool: different from 0. From bool to float32: the value, which is 0 or 1.
bool CastOf(const Node &node, int32_t from, int32_t to, ElementwiseOp *op) {
  if (node.input_count() != 1 || from == to) return false;
  op->operands[0] = 0;
  if (!IsTruth(from)) {
    op->opcode = GE_FUSED_EQUAL;
    op->operands[1] = kOperandAttr0;
    op->negate = true;
    return IsTruth(to);
  }
  op->opcode = GE_FUSED_MAX;  // of the value with itself: what is true is 1 already
  op->operands[1] = 0;
  return to == C_DT_FLOAT;
}

bool SelectOf(const Node &node, int32_t condition, int32_t to, ElementwiseOp *op) {
  op->opcode = GE_FUSED_SELECT;
  for (int i = 0; i < 3; ++i) op->operands[i] = i;
  return node.input_count() == 3 && IsTruth(condition) && IsTruthOrFloat(to) && DescOf(node.input(1)).dtype == to &&
         DescOf(node.input(2)).dtype == to;
}

}  // namespace

bool ElementwiseOf(const Node &node, ElementwiseOp *op) {
  const GeOpTraits &traits = TraitsOf(node);
  if (!(traits.flags & GE_TRAIT_FUSED) || node.output_count() != 1 || node.output_desc(0).dtype != C_DT_FLOAT)
    return false;
  const int count = static_cast<int>(node.input_count());
  if (count > GeFusedOperands(traits.fused_opcode)) return false;
  *op = ElementwiseOp();
  op->opcode = traits.fused_opcode;
  for (int i = 0; i < count; ++i) {
    Endpoint e = node.input(static_cast<size_t>(i));
    if (!e || !IsFloat32(e)) return false;
    op->operands[i] = i;
  }
  // A program's own operator computes its opcode of its inputs: what its attributes mean is not known.
  if (node.pinned()) return false;
  if (HasBuiltinTraits(node) && !ReadAttributes(node, op)) return false;
  const auto none = std::count(std::begin(op->operands), std::end(op->operands), kOperandNone);
  return 3 - none == GeFusedOperands(op->opcode);
}

bool TruthOf(const Node &node, ElementwiseOp *op) {
  static const Symbol select("SelectV2"), cast("Cast");
  const Symbol type = node.known_type();
  const Truth *row = FindTruth(type);
  if ((!row && type != select && type != cast) || node.output_count() != 1 || node.input_count() == 0) return false;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (!node.input(i)) return false;
    const int32_t from = DescOf(node.input(i)).dtype;
    if (row && row->of_truth ? !IsTruth(from) : !IsTruthOrFloat(from)) return false;
  }
  const int32_t from = DescOf(node.input(0)).dtype, to = node.output_desc(0).dtype;
  *op = ElementwiseOp();
  if (type == cast) return CastOf(node, from, to, op);
  if (type == select) return SelectOf(node, from, to, op);
  op->opcode = row->opcode;
  op->negate = row->negate;
  std::copy(std::begin(row->operands), std::end(row->operands), op->operands);
  const size_t operands = static_cast<size_t>(std::max(row->operands[0], row->operands[1])) + 1;
  return node.input_count() == operands && IsTruth(to) && (operands == 1 || DescOf(node.input(1)).dtype == from);
}

bool QuantizedOf(const Node &node, ElementwiseOp *op) {
  if (node.output_count() != 1) return false;
  QuantizedForm form;
  *op = ElementwiseOp();
  if (ReadQuantize(node, &form)) op->form = ElementwiseOp::Form::kQuantize;
  else if (ReadDequantize({const_cast<Node *>(&node), 0}, &form)) op->form = ElementwiseOp::Form::kDequantize;
  else return false;
  return form.axis < 0 || form.axis == DescOf(form.x).shape.rank() - 1;
}

}  // namespace gec
