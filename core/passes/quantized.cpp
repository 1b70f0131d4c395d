#include "core/passes/quantized.h"

#include <cmath>
#include <cstring>

namespace gec {
namespace {

bool IsByte(int32_t type) { return type == C_DT_INT8 || type == C_DT_UINT8; }

/// Reads scale, zero point and axis of a node of either operator.
bool ReadScales(const Node &node, int32_t numbers, QuantizedForm *out) {
  static const Symbol axis("axis"), block_size("block_size");
  if (Editor::HasControl(node) || node.pinned() || node.input_count() < 2 || !node.input(0) || !node.input(1) ||
      node.Int(block_size, 0) != 0 || !IsByte(numbers))
    return false;
  *out = {node.input(0), node.input(1), node.input_count() > 2 ? node.input(2) : Endpoint(), -1, numbers};
  if (!IsFloat32(out->scale) || (out->zero && DescOf(out->zero).dtype != numbers)) return false;
  if (IsOneNumber(out->scale)) return !out->zero || IsOneNumber(out->zero);
  const Shape &x = DescOf(out->x).shape, &scale = DescOf(out->scale).shape;
  if (!x.has_rank() || !scale.has_rank() || scale.rank() != 1) return false;
  out->axis = node.Int(axis, 1);
  if (out->axis < 0) out->axis += x.rank();
  return out->axis >= 0 && out->axis < x.rank();
}

bool SameConstant(Endpoint a, Endpoint b) {
  if (a == b) return true;
  const TensorPtr x = a ? ConstantOf(a) : nullptr, y = b ? ConstantOf(b) : nullptr;
  return x && y && x->desc.dtype == y->desc.dtype && x->bytes() == y->bytes() &&
         std::memcmp(x->data(), y->data(), x->bytes()) == 0;
}

bool IsZero(Endpoint e) {
  if (!e) return true;
  const TensorPtr t = ConstantOf(e);
  return t && t->bytes() == 1 && *t->as<uint8_t>() == 0;
}

}  // namespace

bool IsOneNumber(Endpoint e) {
  const Shape &s = DescOf(e).shape;
  return s.known() && s.elements() == 1;
}

bool ReadDequantize(Endpoint value, QuantizedForm *out) {
  static const Symbol dequantize("DequantizeLinear");
  if (!value || value.node->known_type() != dequantize || !IsFloat32(value) || !value.node->input(0)) return false;
  return ReadScales(*value.node, DescOf(value.node->input(0)).dtype, out);
}

bool ReadQuantize(const Node &node, QuantizedForm *out) {
  static const Symbol quantize("QuantizeLinear");
  if (node.known_type() != quantize || node.input_count() == 0 || !node.input(0) || !IsFloat32(node.input(0)))
    return false;
  return ReadScales(node, node.output_desc(0).dtype, out) && out->axis < 0;
}

bool SameForm(const QuantizedForm &a, const QuantizedForm &b) {
  if (a.axis >= 0 || b.axis >= 0 || a.dtype != b.dtype || !SameConstant(a.scale, b.scale)) return false;
  if (!SameConstant(a.zero, b.zero) && !(IsZero(a.zero) && IsZero(b.zero))) return false;
  // n * scale / scale is n for every 8-bit n as long as nothing overflows or loses bits.
  double scale;
  return ScalarOf(a.scale, &scale) && scale >= 1e-30 && scale <= 1e30;
}

}  // namespace gec
