// What the elementwise operators compute: one function object a row of ge/elementwise.def, named after the operator,
// and one for each instruction of fused programs that is no operator. They serve operators, fused programs and folding.
#pragma once

#include "elementwise/elementwise.h"
#include "elementwise/scalar_math.h"

namespace reference {

// Numbers read from attributes (formula_params.cpp).
Params ReadAlpha(const Node &node);
Params ReadCelu(const Node &node);
Params ReadCeluV2(const Node &node);
Params ReadExpLog(const Node &node);
Params ReadGelu(const Node &node);
Params ReadIsBool(const Node &node);
Params ReadLambda(const Node &node);
Params ReadPower(const Node &node);
Params ReadRound(const Node &node);
Params ReadRow(const Node &node);  // those of the operator's PARAM and FIXED rows in ge/elementwise.def
Params ReadSwish(const Node &node);
Params ReadThreshold(const Node &node);
Params ReadTolerance(const Node &node);
Params ReadValue(const Node &node);
Params ReadWidth(const Node &node);

/// What a formula has unless it says otherwise: no attributes, any divisor.
struct Formula {
  static constexpr Params (*kRead)(const Node &) = nullptr;
  static constexpr bool kDivides = false;  // a zero among the integers of input 1 is an error
};

#define UNARY(Name, ...)                                 \
  struct Name##Op : Formula {                            \
    template <class C>                                   \
    static C Do(C x, [[maybe_unused]] const Params &p) { \
      (void)x;                                           \
      __VA_ARGS__                                        \
    }                                                    \
  };
#define BINARY(Name, ...)                                     \
  struct Name##Op : Formula {                                 \
    template <class C>                                        \
    static C Do(C a, C b, [[maybe_unused]] const Params &p) { \
      __VA_ARGS__                                             \
    }                                                         \
  };
#define TERNARY(Name, ...)                                         \
  struct Name##Op : Formula {                                      \
    template <class C>                                             \
    static C Do(C a, C b, C c, [[maybe_unused]] const Params &p) { \
      __VA_ARGS__                                                  \
    }                                                              \
  };
// Another operator with the same formula, with other attributes.
#define READS(Name, Base, read)          \
  struct Name##Op : Base##Op {           \
    static constexpr auto kRead = &read; \
  };
// Integers have no quotient by zero.
#define DIVISION(Name, Base)               \
  struct Name##Op : Base##Op {             \
    static constexpr bool kDivides = true; \
  };

// ---- one input

UNARY(Abs, if constexpr (std::is_unsigned_v<C>) return x;
      else if constexpr (kIsInt<C>) return x < 0 ? WrapSub<C>(0, x) : x; else return std::abs(x);)
UNARY(Acos, return std::acos(x);)
UNARY(Acosh, return std::acosh(x);)
UNARY(Asin, return std::asin(x);)
UNARY(Asinh, return std::asinh(x);)
UNARY(Atan, return std::atan(x);)
UNARY(Atanh, return std::atanh(x);)
UNARY(Ceil, return std::ceil(x);)
UNARY(Cos, return std::cos(x);)
UNARY(Cosh, return std::cosh(x);)
UNARY(Erf, return std::erf(x);)
UNARY(Erfc, return std::erfc(x);)
UNARY(ExpFormula, return p.flag ? std::exp(x) : C(std::exp((double(x) * p.b + p.c) * p.a));)
READS(Exp, ExpFormula, ReadExpLog)
UNARY(Expm1, return std::expm1(x);)
UNARY(Floor, return std::floor(x);)
UNARY(LogFormula, return p.flag ? std::log(x) : C(std::log(double(x) * p.b + p.c) / p.a);)
READS(Log, LogFormula, ReadExpLog)
UNARY(Log1p, return std::log1p(x);)
UNARY(Neg, if constexpr (kIsInt<C>) return WrapSub<C>(0, x); else return -x;)
UNARY(Reciprocal, return Divide(C(1), x);)
UNARY(Rint, return std::rint(x);)
UNARY(RoundFormula, if (p.a == 1) return kIsInt<C> ? x : C(std::nearbyint(double(x)));
      return p.a > 1 && kIsInt<C> ? x : C(std::nearbyint(double(x) * p.a) / p.a);)
READS(Round, RoundFormula, ReadRound)
UNARY(Rsqrt, return C(1) / std::sqrt(x);)
UNARY(Sigmoid, return Sigmoid(x);)
UNARY(Sign, return Sign(x);)
UNARY(Sin, return std::sin(x);)
UNARY(Sinh, return std::sinh(x);)
UNARY(Softplus, return Softplus(x);)
UNARY(Softsign, return x / (C(1) + std::abs(x));)
UNARY(Sqrt, return std::sqrt(x);)
UNARY(Square, return WrapMul(x, x);)
UNARY(Tan, return std::tan(x);)
UNARY(Tanh, return std::tanh(x);)
UNARY(Trunc, if constexpr (kIsInt<C>) return x; else return std::trunc(x);)
UNARY(Relu, return Max(x, C(0));)
UNARY(Relu6, return Clip(x, C(0), C(6));)
UNARY(LeakyReluFormula, return x > 0 ? x : x * C(p.a);)
READS(LeakyRelu, LeakyReluFormula, ReadRow)
UNARY(EluFormula, return x > 0 ? C(p.b) * x : C(p.b * p.a) * std::expm1(C(p.c) * x);)
READS(Elu, EluFormula, ReadRow)
UNARY(CeluFormula, return C(p.c) * Max(x, C(0)) + Min(C(0), C(p.a) * std::expm1(x / C(p.b)));)
READS(Celu, CeluFormula, ReadCelu)
UNARY(Selu, constexpr double kScale = 1.05070098735548049342; constexpr double kAlpha = 1.67326324235437728482;
      return C(x > C(0) ? kScale * double(x) : kScale * kAlpha * std::expm1(double(x)));)
UNARY(HardSigmoidFormula, return C(Clip(double(x) * p.a + p.b, 0.0, 1.0));)
READS(HardSigmoid, HardSigmoidFormula, ReadRow)
UNARY(GeluV2Formula, return p.flag ? GeluTanh(x) : GeluErf(x);)
READS(GeluV2, GeluV2Formula, ReadGelu)
UNARY(FastGelu, return x * Sigmoid(C(1.702) * x);)
UNARY(SwishFormula, return x * Sigmoid(C(p.a) * x);)
READS(Swish, SwishFormula, ReadSwish)
UNARY(Mish, return Mish(x);)
UNARY(LogSigmoid, return -Softplus(-x);)
UNARY(HardShrinkFormula, return x >= C(-p.a) && x <= C(p.a) ? C(0) : x;)
READS(HardShrink, HardShrinkFormula, ReadLambda)
UNARY(SoftShrinkFormula, return x > C(p.a) ? x - C(p.a) : x < C(-p.a) ? x + C(p.a) : x != x ? x : C(0);)
READS(SoftShrink, SoftShrinkFormula, ReadLambda)
UNARY(ThresholdFormula, return C(x > C(p.a));)
READS(Threshold, ThresholdFormula, ReadThreshold)
UNARY(LogicalNot, return C(x == C(0));)
UNARY(IsNan, return C(std::isnan(x));)
UNARY(IsInf, return C(std::isinf(x));)
UNARY(IsFinite, if constexpr (kIsInt<C>) return 1; else return C(std::isfinite(x));)
UNARY(BitwiseNotFormula, return p.flag ? C(x == 0) : C(~x);)
READS(BitwiseNot, BitwiseNotFormula, ReadIsBool)
UNARY(PowerFormula, return C(std::pow(double(x) * p.b + p.c, p.a));)
READS(Power, PowerFormula, ReadPower)
UNARY(MulsFormula, return C(double(x) * p.a);)
READS(Muls, MulsFormula, ReadValue)
UNARY(AddsFormula, return C(double(x) + p.a);)
READS(Adds, AddsFormula, ReadValue)
UNARY(FillsFormula, return C(p.a);)
READS(Fills, FillsFormula, ReadValue)
using InvOp = ReciprocalOp;
READS(CeluV2, CeluFormula, ReadCeluV2)
UNARY(HardSwish, return HardSwish(x);)
using HardSwishV2Op = HardSwishOp;
UNARY(GeluTanh, return GeluTanh(x);)
using GeluOp = GeluTanhOp;
READS(Invert, BitwiseNotFormula, ReadIsBool)
UNARY(Ones, return C(1);)
using OnesLikeOp = OnesOp;

// ---- two inputs

BINARY(Add, return WrapAdd(a, b);)
BINARY(Sub, return WrapSub(a, b);)
BINARY(Mul, return WrapMul(a, b);)
BINARY(DivNoNan, return b == C(0) ? C(0) : Divide(a, b);)
BINARY(Pow, return Power(a, b);)
BINARY(Maximum, return Max(a, b);)
BINARY(Minimum, return Min(a, b);)
BINARY(SquaredDifference, C d = WrapSub(a, b); return WrapMul(d, d);)
BINARY(Atan2, return std::atan2(a, b);)
BINARY(Xlogy, return a == 0 && b == b ? C(0) : a * std::log(b);)
BINARY(Xdivy, return a == 0 && b == b ? C(0) : a / b;)
BINARY(LogicalAnd, return C(a != C(0) && b != C(0));)
BINARY(LogicalOr, return C(a != C(0) || b != C(0));)
BINARY(LogicalXor, return C((a != C(0)) != (b != C(0)));)
BINARY(BitwiseAnd, return C(a & b);)
BINARY(BitwiseOr, return C(a | b);)
BINARY(BitwiseXor, return C(a ^ b);)
BINARY(Equal, return C(a == b);)
BINARY(NotEqual, return C(a != b);)
BINARY(Greater, return C(a > b);)
BINARY(GreaterEqual, return C(a >= b);)
BINARY(Less, return C(a < b);)
BINARY(LessEqual, return C(a <= b);)
using AddV2Op = AddOp;
BINARY(DivFormula, return Divide(a, b);)
DIVISION(Div, DivFormula)
DIVISION(RealDiv, DivFormula)
BINARY(FloorDivFormula, return FloorDivide(a, b);)
DIVISION(FloorDiv, FloorDivFormula)
BINARY(FloorModFormula, return FloorModulo(a, b);)
DIVISION(FloorMod, FloorModFormula)
BINARY(TruncateModFormula, return TruncateModulo(a, b);)
DIVISION(Mod, TruncateModFormula)
BINARY(TruncateDivFormula, if constexpr (kIsInt<C>) return Divide(a, b); else return std::trunc(a / b);)
DIVISION(TruncateDiv, TruncateDivFormula)
DIVISION(TruncateMod, TruncateModFormula)
BINARY(LeftShiftFormula, return uint64_t(b) >= uint64_t(p.a) ? C(0) : C(uint64_t(a) << b);)
READS(LeftShift, LeftShiftFormula, ReadWidth)
BINARY(RightShiftFormula, return uint64_t(b) >= uint64_t(p.a) ? C(a < C(0) ? C(-1) : C(0)) : C(a >> b);)
READS(RightShift, RightShiftFormula, ReadWidth)
BINARY(ApproximateEqualFormula, return C(double(a > b ? WrapSub(a, b) : WrapSub(b, a)) < p.a);)
READS(ApproximateEqual, ApproximateEqualFormula, ReadTolerance)
BINARY(AxpyFormula, return C(a + b * p.a);)
READS(Axpy, AxpyFormula, ReadAlpha)
BINARY(PRelu, return a > 0 ? a : a * b;)

// ---- three and four inputs

TERNARY(Clip, return Clip(a, b, c);)
TERNARY(AxpyV2, return WrapAdd(a, WrapMul(b, c));)
TERNARY(Lerp, return a + c * (b - a);)
struct AddcmulOp : Formula {
  template <class C>
  static C Do(C x, C a, C b, C value, const Params &) {
    return WrapAdd(x, WrapMul(value, WrapMul(a, b)));
  }
};
struct AddcdivOp : Formula {
  template <class C>
  static C Do(C x, C a, C b, C value, const Params &) {
    return WrapAdd(x, WrapMul(value, Divide(a, b)));
  }
};

// ---- instructions that are no operators, or operators with the attributes as operands

UNARY(GeluErf, return GeluErf(x);)
UNARY(Silu, return x * Sigmoid(x);)
BINARY(ScaledNegative, return a > 0 ? a : a * b;)
BINARY(ScaledElu, return a > 0 ? a : b * std::expm1(a);)
TERNARY(Choose, return a != 0 ? b : c;)
TERNARY(MulAdd, return a * b + c;)
TERNARY(ClippedLine, return Clip(a * b + c, C(0), C(1));)

#undef UNARY
#undef BINARY
#undef TERNARY
#undef READS
#undef DIVISION

}  // namespace reference
