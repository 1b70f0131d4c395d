#include "elementwise/fused_run.h"

#include "elementwise/scalar_math.h"
#include "ge/fused_program.h"

namespace reference {

void RunFusedInstruction(int opcode, const float *a, const float *b, const float *c, float *out, int64_t n) {
#define EACH(op, expression)                               \
  case op:                                                 \
    for (int64_t i = 0; i < n; ++i) out[i] = (expression); \
    break;
  switch (GeFusedOpcode(opcode)) {
    EACH(GE_FUSED_ADD, a[i] + b[i])
    EACH(GE_FUSED_SUB, a[i] - b[i])
    EACH(GE_FUSED_MUL, a[i] * b[i])
    EACH(GE_FUSED_DIV, a[i] / b[i])
    EACH(GE_FUSED_MAX, Max(a[i], b[i]))
    EACH(GE_FUSED_MIN, Min(a[i], b[i]))
    EACH(GE_FUSED_POW, std::pow(a[i], b[i]))
    EACH(GE_FUSED_SQUARED_DIFFERENCE, (a[i] - b[i]) * (a[i] - b[i]))
    EACH(GE_FUSED_EQUAL, a[i] == b[i] ? 1.0f : 0.0f)
    EACH(GE_FUSED_LESS, a[i] < b[i] ? 1.0f : 0.0f)
    EACH(GE_FUSED_LESS_EQUAL, a[i] <= b[i] ? 1.0f : 0.0f)
    EACH(GE_FUSED_PRELU, a[i] > 0 ? a[i] : a[i] * b[i])
    EACH(GE_FUSED_NEG, -a[i])
    EACH(GE_FUSED_ABS, std::abs(a[i]))
    EACH(GE_FUSED_EXP, std::exp(a[i]))
    EACH(GE_FUSED_LOG, std::log(a[i]))
    EACH(GE_FUSED_SQRT, std::sqrt(a[i]))
    EACH(GE_FUSED_RSQRT, 1.0f / std::sqrt(a[i]))
    EACH(GE_FUSED_RECIPROCAL, 1.0f / a[i])
    EACH(GE_FUSED_SQUARE, a[i] * a[i])
    EACH(GE_FUSED_TANH, std::tanh(a[i]))
    EACH(GE_FUSED_SIGMOID, Sigmoid(a[i]))
    EACH(GE_FUSED_ERF, std::erf(a[i]))
    EACH(GE_FUSED_RELU, Max(a[i], 0.0f))
    EACH(GE_FUSED_RELU6, Clip(a[i], 0.0f, 6.0f))
    EACH(GE_FUSED_SWISH, a[i] * Sigmoid(a[i]))
    EACH(GE_FUSED_GELU_ERF, GeluErf(a[i]))
    EACH(GE_FUSED_GELU_TANH, GeluTanh(a[i]))
    EACH(GE_FUSED_HARD_SWISH, HardSwish(a[i]))
    EACH(GE_FUSED_SOFTPLUS, Softplus(a[i]))
    EACH(GE_FUSED_FLOOR, std::floor(a[i]))
    EACH(GE_FUSED_CEIL, std::ceil(a[i]))
    EACH(GE_FUSED_ROUND, std::nearbyint(a[i]))
    EACH(GE_FUSED_SIGN, Sign(a[i]))
    EACH(GE_FUSED_NOT, a[i] == 0 ? 1.0f : 0.0f)
    EACH(GE_FUSED_MISH, Mish(a[i]))
    EACH(GE_FUSED_SIN, std::sin(a[i]))
    EACH(GE_FUSED_COS, std::cos(a[i]))
    EACH(GE_FUSED_SOFTSIGN, a[i] / (1.0f + std::abs(a[i])))
    EACH(GE_FUSED_CLIP, Clip(a[i], b[i], c[i]))
    EACH(GE_FUSED_SELECT, a[i] != 0 ? b[i] : c[i])
    EACH(GE_FUSED_FMA, a[i] * b[i] + c[i])
    EACH(GE_FUSED_LEAKY_RELU, a[i] > 0 ? a[i] : a[i] * b[i])
    EACH(GE_FUSED_ELU, a[i] > 0 ? a[i] : b[i] * std::expm1(a[i]))
    EACH(GE_FUSED_HARD_SIGMOID, Clip(a[i] * b[i] + c[i], 0.0f, 1.0f))
  }
#undef EACH
}

}  // namespace reference
