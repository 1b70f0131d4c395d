#include "elementwise/fused_run.h"

#include "elementwise/formulas.h"
#include "ge/fused_program.h"

namespace reference {
namespace {

// Attributes at their defaults.
constexpr Params kDefaults = {1, 1, 0, true};

template <class Op, int kOperands>
void Run(const float *a, const float *b, const float *c, float *out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (kOperands == 1) out[i] = Op::template Do<float>(a[i], kDefaults);
    else if constexpr (kOperands == 2) out[i] = Op::template Do<float>(a[i], b[i], kDefaults);
    else out[i] = Op::template Do<float>(a[i], b[i], c[i], kDefaults);
  }
}

}  // namespace

void RunFusedInstruction(int opcode, const float *a, const float *b, const float *c, float *out, int64_t n) {
  switch (opcode) {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula, cost, zeros, activation) \
  case number:                                                                          \
    return Run<formula##Op, operands>(a, b, c, out, n);
#include "ge/elementwise.def"
    default:
      return;
  }
}

}  // namespace reference
