// Operators with one input and as many outputs as inputs: y = f(x).
#include <string>

#include "elementwise/elementwise.h"
#include "elementwise/scalar_math.h"
#include "registry.h"

namespace reference {
namespace {

#define UNARY(Name, ...)                \
  struct Name##Op {                     \
    template <class C>                  \
    static C Do(C x, const Params &p) { \
      (void)p, (void)x;                 \
      __VA_ARGS__                       \
    }                                   \
  };

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
UNARY(Exp, return p.flag ? std::exp(x) : C(std::exp((double(x) * p.b + p.c) * p.a));)
UNARY(Expm1, return std::expm1(x);)
UNARY(Floor, return std::floor(x);)
UNARY(Log, return p.flag ? std::log(x) : C(std::log(double(x) * p.b + p.c) / p.a);)
UNARY(Log1p, return std::log1p(x);)
UNARY(Neg, if constexpr (kIsInt<C>) return WrapSub<C>(0, x); else return -x;)
UNARY(Reciprocal, return Divide(C(1), x);)
UNARY(Rint, return std::rint(x);)
UNARY(Round, if (p.a == 1) return kIsInt<C> ? x : C(std::nearbyint(double(x)));
      return p.a > 1 && kIsInt<C> ? x : C(std::nearbyint(double(x) * p.a) / p.a);)
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
UNARY(LeakyRelu, return x > 0 ? x : x * C(p.a);)
UNARY(Elu, return x > 0 ? C(p.b) * x : C(p.b * p.a) * std::expm1(C(p.c) * x);)
UNARY(Celu, return C(p.c) * Max(x, C(0)) + Min(C(0), C(p.a) * std::expm1(x / C(p.b)));)
UNARY(Selu, constexpr double kScale = 1.05070098735548049342; constexpr double kAlpha = 1.67326324235437728482;
      return C(x > C(0) ? kScale * double(x) : kScale * kAlpha * std::expm1(double(x)));)
UNARY(HardSigmoid, return C(Clip(double(x) * p.a + p.b, 0.0, 1.0));)
UNARY(HardSwish, return HardSwish(x);)
UNARY(GeluTanh, return GeluTanh(x);)
UNARY(GeluV2, return p.flag ? GeluTanh(x) : GeluErf(x);)
UNARY(FastGelu, return x * Sigmoid(C(1.702) * x);)
UNARY(Swish, return x * Sigmoid(C(p.a) * x);)
UNARY(Mish, return Mish(x);)
UNARY(LogSigmoid, return -Softplus(-x);)
UNARY(HardShrink, return x >= C(-p.a) && x <= C(p.a) ? C(0) : x;)
UNARY(SoftShrink, return x > C(p.a) ? x - C(p.a) : x < C(-p.a) ? x + C(p.a) : x != x ? x : C(0);)
UNARY(Threshold, return C(x > C(p.a));)
UNARY(LogicalNot, return C(x == C(0));)
UNARY(IsNan, return C(std::isnan(x));)
UNARY(IsInf, return C(std::isinf(x));)
UNARY(IsFinite, if constexpr (kIsInt<C>) return 1; else return C(std::isfinite(x));)
UNARY(BitwiseNot, return p.flag ? C(x == 0) : C(~x);)
UNARY(Power, return C(std::pow(double(x) * p.b + p.c, p.a));)
UNARY(Muls, return C(double(x) * p.a);)
UNARY(Adds, return C(double(x) + p.a);)
UNARY(Fills, return C(p.a);)
UNARY(Ones, return C(1);)

// a: logarithm of the base, b: scale, c: shift; flag: plain e^x or ln(x).
Params ReadExpLog(const Node &node) {
  double base = node.Float("base", -1.0), scale = node.Float("scale", 1.0), shift = node.Float("shift", 0.0);
  if (base != -1.0 && base <= 0)
    Fail(GE_PARAM_INVALID, "%s: base is %g, expected a positive number or -1", node.label().c_str(), base);
  Params p;
  p.a = base == -1.0 ? 1.0 : std::log(base);
  p.b = scale;
  p.c = shift;
  p.flag = base == -1.0 && scale == 1.0 && shift == 0.0;
  return p;
}
Params ReadRound(const Node &node) { return {std::pow(10.0, double(node.Int("decimals", 0)))}; }
Params ReadSlope(const Node &node) { return {node.Float("negative_slope", 0.0)}; }
Params ReadElu(const Node &node) {
  return {node.Float("alpha", 1.0), node.Float("scale", 1.0), node.Float("input_scale", 1.0)};
}
Params ReadCelu(const Node &node) {
  return {node.Float("alpha1", 1.0), node.Float("alpha2", 1.0), node.Float("alpha3", 1.0)};
}
Params ReadCeluV2(const Node &node) {
  double alpha = node.Float("alpha", 1.0);
  if (alpha == 0) Fail(GE_PARAM_INVALID, "%s: alpha is 0, expected another number", node.label().c_str());
  return {alpha, alpha, 1.0};
}
Params ReadHardSigmoid(const Node &node) { return {node.Float("alpha", 0.16666666f), node.Float("beta", 0.5)}; }
Params ReadGelu(const Node &node) {
  std::string mode = node.Text("approximate", "none");
  if (mode != "none" && mode != "tanh")
    Fail(GE_PARAM_INVALID, "%s: approximate is '%s', expected none or tanh", node.label().c_str(), mode.c_str());
  Params p;
  p.flag = mode == "tanh";
  return p;
}
Params ReadSwish(const Node &node) { return {node.Float("scale", 1.0)}; }
Params ReadLambda(const Node &node) { return {node.Float("lambd", 0.5)}; }
Params ReadThreshold(const Node &node) { return {node.Float("threshold", 0.0)}; }
Params ReadPower(const Node &node) {
  return {node.Float("power", 1.0), node.Float("scale", 1.0), node.Float("shift", 0.0)};
}
Params ReadValue(const Node &node) { return {node.Float("value", 0.0)}; }
Params ReadIsBool(const Node &node) {
  Params p;
  p.flag = node.in_type(0) == C_DT_BOOL;
  return p;
}

#define FLOAT_OP(name, Op) \
  { name, kFloats, &CreateElementwise, &CheckElementwise, &kFloatFns<Op, 1> }
#define FLOAT_OP_P(name, Op, read) \
  { name, kFloats, &CreateElementwise, &CheckElementwise, &kFloatFns<Op, 1, read> }
#define ANY_OP(name, types, Op) \
  { name, types, &CreateElementwise, &CheckElementwise, &kAllFns<Op, 1> }
#define ANY_OP_P(name, types, Op, read) \
  { name, types, &CreateElementwise, &CheckElementwise, &kAllFns<Op, 1, read> }
#define INT_OP_P(name, types, Op, read) \
  { name, types, &CreateElementwise, &CheckElementwise, &kIntFns<Op, 1, read> }

const OpEntry kUnary[] = {
    ANY_OP("Abs", kReal, AbsOp),
    FLOAT_OP("Acos", AcosOp),
    FLOAT_OP("Acosh", AcoshOp),
    FLOAT_OP("Asin", AsinOp),
    FLOAT_OP("Asinh", AsinhOp),
    FLOAT_OP("Atan", AtanOp),
    FLOAT_OP("Atanh", AtanhOp),
    FLOAT_OP("Ceil", CeilOp),
    FLOAT_OP("Cos", CosOp),
    FLOAT_OP("Cosh", CoshOp),
    FLOAT_OP("Erf", ErfOp),
    FLOAT_OP("Erfc", ErfcOp),
    FLOAT_OP_P("Exp", ExpOp, ReadExpLog),
    FLOAT_OP("Expm1", Expm1Op),
    FLOAT_OP("Floor", FloorOp),
    ANY_OP("Inv", kNumbers, ReciprocalOp),
    FLOAT_OP_P("Log", LogOp, ReadExpLog),
    FLOAT_OP("Log1p", Log1pOp),
    ANY_OP("Neg", kNumbers, NegOp),
    FLOAT_OP("Reciprocal", ReciprocalOp),
    FLOAT_OP("Rint", RintOp),
    ANY_OP_P("Round", kNumbers, RoundOp, ReadRound),
    FLOAT_OP("Rsqrt", RsqrtOp),
    FLOAT_OP("Sigmoid", SigmoidOp),
    ANY_OP("Sign", kNumbers, SignOp),
    FLOAT_OP("Sin", SinOp),
    FLOAT_OP("Sinh", SinhOp),
    FLOAT_OP("Softplus", SoftplusOp),
    FLOAT_OP("Softsign", SoftsignOp),
    FLOAT_OP("Sqrt", SqrtOp),
    ANY_OP("Square", kNumbers, SquareOp),
    FLOAT_OP("Tan", TanOp),
    FLOAT_OP("Tanh", TanhOp),
    ANY_OP("Trunc", kNumbers, TruncOp),
    ANY_OP("Relu", kNumbers, ReluOp),
    ANY_OP("Relu6", kNumbers, Relu6Op),
    FLOAT_OP_P("LeakyRelu", LeakyReluOp, ReadSlope),
    FLOAT_OP_P("Elu", EluOp, ReadElu),
    FLOAT_OP_P("Celu", CeluOp, ReadCelu),
    FLOAT_OP_P("CeluV2", CeluOp, ReadCeluV2),
    ANY_OP("Selu", kNumbers, SeluOp),
    ANY_OP_P("HardSigmoid", kNumbers, HardSigmoidOp, ReadHardSigmoid),
    FLOAT_OP("HardSwishV2", HardSwishOp),
    FLOAT_OP("Gelu", GeluTanhOp),
    FLOAT_OP_P("GeluV2", GeluV2Op, ReadGelu),
    FLOAT_OP("FastGelu", FastGeluOp),
    FLOAT_OP_P("Swish", SwishOp, ReadSwish),
    FLOAT_OP("Mish", MishOp),
    FLOAT_OP("LogSigmoid", LogSigmoidOp),
    FLOAT_OP_P("HardShrink", HardShrinkOp, ReadLambda),
    FLOAT_OP_P("SoftShrink", SoftShrinkOp, ReadLambda),
    FLOAT_OP_P("Threshold", ThresholdOp, ReadThreshold),
    ANY_OP("LogicalNot", kReal, LogicalNotOp),
    FLOAT_OP("IsNan", IsNanOp),
    FLOAT_OP("IsInf", IsInfOp),
    ANY_OP("IsFinite", kReal, IsFiniteOp),
    INT_OP_P("BitwiseNot", kInts | kBool, BitwiseNotOp, ReadIsBool),
    INT_OP_P("Invert", kInts, BitwiseNotOp, ReadIsBool),
    FLOAT_OP_P("Power", PowerOp, ReadPower),
    ANY_OP_P("Muls", kNumbers, MulsOp, ReadValue),
    ANY_OP_P("Adds", kNumbers, AddsOp, ReadValue),
    ANY_OP_P("Fills", kReal, FillsOp, ReadValue),
    ANY_OP("OnesLike", kReal, OnesOp),
};

}  // namespace

OpTable UnaryOps() { return TableOf(kUnary); }

}  // namespace reference
