#include "float_types.h"

#include "kernels.h"

namespace onednn {
namespace {

bool IsBf16(const Tensor &t) { return t.present() && t.type() == C_DT_BF16; }

}  // namespace

FloatTypes ReadFloatTypes(const Node &node, const char *x, const char *weights, int residual) {
  FloatTypes types;
  types.bf16 = IsBf16(node.in(0)) && IsBf16(node.in(1));
  if (!types.bf16) {
    RequireFloat(node.in(0), x);
    RequireFloat(node.in(1), weights);
  } else if (!node.in(1).constant()) {
    Refuse(weights, " of DT_BF16 is not a constant");
  }
  types.y_bf16 = types.bf16 && IsBf16(node.out(0));
  if (node.out(0).present() && !types.y_bf16) RequireFloat(node.out(0), "y");
  if (residual < 0 || !node.in(residual).present()) return types;
  if (!types.y_bf16) RequireFloat(node.in(residual), "residual");
  else if (!IsBf16(node.in(residual))) Refuse("residual is ", node.in(residual).type_name(), " and y DT_BF16");
  return types;
}

void CheckArithmetic(const GeOpDesc &op, uint64_t features) {
  if ((features & GE_CPU_AVX512_BF16) && HasAvx512(features)) return;
  bool bf16 = GeOpAttrInt(&op, kComputeType, C_DT_FLOAT) == C_DT_BF16;
  for (size_t i = 0; i < op.input_count; ++i) bf16 |= op.inputs[i].data_type == C_DT_BF16;
  if (bf16) Refuse("the processor, or what GE_MAX_ISA leaves of it, does not compute in bf16 (AVX512-BF16)");
}

}  // namespace onednn
