// What the instructions of ge/elementwise.def compute. For *.cu only. An instruction of the table that has no formula
// here does not compile.
#pragma once

#include <cmath>

#include "device.h"
#include "ge/fused_program.h"

namespace cuda_engine {
namespace formula {

// NaN wins, as in NumPy.
__device__ inline float Max(float a, float b) { return a > b || a != a ? a : b; }
__device__ inline float Min(float a, float b) { return a < b || a != a ? a : b; }
__device__ inline float Clip(float a, float low, float high) { return Min(Max(a, low), high); }
// exp never overflows in these.
__device__ inline float Sigmoid(float a) {
  const float e = expf(-fabsf(a));
  return (a >= 0 ? 1.0f : e) / (1.0f + e);
}
__device__ inline float Softplus(float a) { return Max(a, 0.0f) + log1pf(expf(-fabsf(a))); }

#define GE_CUDA_FORMULA(name, ...)                                                                                  \
  __device__ inline float Do_##name([[maybe_unused]] float a, [[maybe_unused]] float b, [[maybe_unused]] float c) { \
    return __VA_ARGS__;                                                                                             \
  }
GE_CUDA_FORMULA(SUB, a - b)
GE_CUDA_FORMULA(MUL, a *b)
GE_CUDA_FORMULA(DIV, a / b)
GE_CUDA_FORMULA(MAX, Max(a, b))
GE_CUDA_FORMULA(MIN, Min(a, b))
GE_CUDA_FORMULA(POW, powf(a, b))
GE_CUDA_FORMULA(SQUARED_DIFFERENCE, (a - b) * (a - b))
GE_CUDA_FORMULA(EQUAL, a == b)
GE_CUDA_FORMULA(LESS, a < b)
GE_CUDA_FORMULA(LESS_EQUAL, a <= b)
GE_CUDA_FORMULA(PRELU, a > 0 ? a : a * b)
GE_CUDA_FORMULA(ADD, a + b)
GE_CUDA_FORMULA(NEG, -a)
GE_CUDA_FORMULA(ABS, fabsf(a))
GE_CUDA_FORMULA(EXP, expf(a))
GE_CUDA_FORMULA(LOG, logf(a))
GE_CUDA_FORMULA(SQRT, sqrtf(a))
GE_CUDA_FORMULA(RSQRT, 1.0f / sqrtf(a))
GE_CUDA_FORMULA(RECIPROCAL, 1.0f / a)
GE_CUDA_FORMULA(SQUARE, a *a)
GE_CUDA_FORMULA(TANH, tanhf(a))
GE_CUDA_FORMULA(SIGMOID, Sigmoid(a))
GE_CUDA_FORMULA(ERF, erff(a))
GE_CUDA_FORMULA(RELU, Max(a, 0.0f))
GE_CUDA_FORMULA(RELU6, Clip(a, 0.0f, 6.0f))
GE_CUDA_FORMULA(SWISH, a *Sigmoid(a))
GE_CUDA_FORMULA(GELU_ERF, 0.5f * a * (1.0f + erff(a * 0.70710678f)))
GE_CUDA_FORMULA(GELU_TANH, 0.5f * a * (1.0f + tanhf(0.79788456f * (a + 0.044715f * a * a * a))))
GE_CUDA_FORMULA(HARD_SWISH, a *(Clip(a + 3.0f, 0.0f, 6.0f) / 6.0f))
GE_CUDA_FORMULA(SOFTPLUS, Softplus(a))
GE_CUDA_FORMULA(FLOOR, floorf(a))
GE_CUDA_FORMULA(CEIL, ceilf(a))
GE_CUDA_FORMULA(ROUND, rintf(a))
GE_CUDA_FORMULA(SIGN, a != a ? a : static_cast<float>(a > 0) - static_cast<float>(a < 0))
GE_CUDA_FORMULA(NOT, a == 0)
GE_CUDA_FORMULA(MISH, a *tanhf(Softplus(a)))
GE_CUDA_FORMULA(SIN, sinf(a))
GE_CUDA_FORMULA(COS, cosf(a))
GE_CUDA_FORMULA(SOFTSIGN, a / (1.0f + fabsf(a)))
GE_CUDA_FORMULA(CLIP, Clip(a, b, c))
GE_CUDA_FORMULA(SELECT, a != 0 ? b : c)
GE_CUDA_FORMULA(FMA, a *b + c)
GE_CUDA_FORMULA(LEAKY_RELU, a > 0 ? a : a * b)
GE_CUDA_FORMULA(ELU, a > 0 ? a : b * expm1f(a))
GE_CUDA_FORMULA(HARD_SIGMOID, Clip(a *b + c, 0.0f, 1.0f))
#undef GE_CUDA_FORMULA

}  // namespace formula

__device__ inline float Compute(int32_t opcode, float a, float b, float c) {
  switch (opcode) {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula_name, cost, zeros, activation) \
  case number:                                                                               \
    return formula::Do_##name(a, b, c);
#include "ge/elementwise.def"
    default:
      return a;
  }
}

}  // namespace cuda_engine
