// Arithmetic, comparison and logic on two or more broadcast inputs.
#include "elementwise/elementwise.h"
#include "elementwise/scalar_math.h"
#include "registry.h"

namespace reference {
namespace {

#define BINARY(Name, ...)                    \
  struct Name##Op {                          \
    template <class C>                       \
    static C Do(C a, C b, const Params &p) { \
      (void)p;                               \
      __VA_ARGS__                            \
    }                                        \
  };

BINARY(Add, return WrapAdd(a, b);)
BINARY(Sub, return WrapSub(a, b);)
BINARY(Mul, return WrapMul(a, b);)
BINARY(Div, return Divide(a, b);)
BINARY(DivNoNan, return b == C(0) ? C(0) : Divide(a, b);)
BINARY(FloorDiv, return FloorDivide(a, b);)
BINARY(FloorMod, return FloorModulo(a, b);)
BINARY(TruncateDiv, if constexpr (kIsInt<C>) return Divide(a, b); else return std::trunc(a / b);)
BINARY(TruncateMod, return TruncateModulo(a, b);)
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
BINARY(LeftShift, return uint64_t(b) >= uint64_t(p.a) ? C(0) : C(uint64_t(a) << b);)
BINARY(RightShift, return uint64_t(b) >= uint64_t(p.a) ? C(a < C(0) ? C(-1) : C(0)) : C(a >> b);)
BINARY(Equal, return C(a == b);)
BINARY(NotEqual, return C(a != b);)
BINARY(Greater, return C(a > b);)
BINARY(GreaterEqual, return C(a >= b);)
BINARY(Less, return C(a < b);)
BINARY(LessEqual, return C(a <= b);)
BINARY(ApproximateEqual, return C(double(a > b ? WrapSub(a, b) : WrapSub(b, a)) < p.a);)
BINARY(Axpy, return C(a + b * p.a);)

Params ReadTolerance(const Node &node) { return {node.Float("tolerance", 1e-5f)}; }
Params ReadAlpha(const Node &node) { return {node.Float("alpha", 1.0)}; }
// Bits of an element: a shift by as many or more leaves nothing but the sign.
Params ReadWidth(const Node &node) { return {double(8 * ElementSize(node.in_type(0)))}; }

// Sum of any number of inputs; floating point sums are taken in double.
template <class C>
Kernel CreateSum(const Node &node) {
  std::vector<Dims> shapes;
  std::vector<LoadFn<C>> load;
  for (int i = 0; i < node.inputs(); ++i) {
    shapes.push_back(node.in_dims(i));
    load.push_back(Loader<C>(node.in_type(i)));
  }
  BroadcastPlan plan = PlanBroadcast(node.label(), node.out_dims(0), shapes);
  StoreFn<C> store = Storer<C>(node.out_type(0));
  Kernel kernel;
  kernel.flops = double(plan.total) * double(load.size());
  AddInPlace(node, &kernel, node.inputs());
  kernel.run = [plan, load, store](const Call &call) {
    call.Parallel(plan.total, 1 << 13, [&](int64_t begin, int64_t end) {
      C value[kBlock], sum[kBlock];
      ForEachRun(plan, begin, end, [&](const int64_t *offsets, int64_t at, int64_t length) {
        for (int64_t done = 0; done < length; done += kBlock) {
          int64_t n = std::min(kBlock, length - done);
          std::fill(sum, sum + n, C(0));
          for (size_t k = 0; k < load.size(); ++k) {
            int64_t stride = plan.strides[k][plan.dims.n - 1];
            load[k](call.in(k), offsets[k] + done * stride, stride, n, value);
            for (int64_t i = 0; i < n; ++i) sum[i] = WrapAdd(sum[i], value[i]);
          }
          store(sum, n, call.out(0), at + done, 1);
        }
      });
    });
  };
  return kernel;
}

Kernel CreateAddN(const Node &node, const OpEntry &) {
  Compute compute = CommonCompute(node, node.inputs());
  if (compute == Compute::kFloat) compute = Compute::kDouble;
  if (compute == Compute::kDouble) return CreateSum<double>(node);
  return compute == Compute::kUInt ? CreateSum<uint64_t>(node) : CreateSum<int64_t>(node);
}

void CheckAddN(const Node &node) {
  if (node.inputs() == 0) Fail(GE_PARAM_INVALID, "%s: there are no inputs", node.label().c_str());
}

#define OP2(name, types, fns) \
  { name, types, &CreateElementwise, &CheckElementwise, &fns }

const OpEntry kBinary[] = {
    OP2("Add", kReal, (kAllFns<AddOp, 2>)),
    OP2("AddV2", kReal, (kAllFns<AddOp, 2>)),
    OP2("Sub", kReal, (kAllFns<SubOp, 2>)),
    OP2("Mul", kReal, (kAllFns<MulOp, 2>)),
    OP2("Div", kReal, kDivisionFns<DivOp>),
    OP2("RealDiv", kReal, kDivisionFns<DivOp>),
    OP2("DivNoNan", kNumbers, (kAllFns<DivNoNanOp, 2>)),
    OP2("FloorDiv", kNumbers, kDivisionFns<FloorDivOp>),
    OP2("FloorMod", kNumbers, kDivisionFns<FloorModOp>),
    OP2("Mod", kNumbers, kDivisionFns<TruncateModOp>),
    OP2("TruncateDiv", kNumbers, kDivisionFns<TruncateDivOp>),
    OP2("TruncateMod", kNumbers, kDivisionFns<TruncateModOp>),
    OP2("Pow", kNumbers, (kAllFns<PowOp, 2>)),
    OP2("Maximum", kReal, (kAllFns<MaximumOp, 2>)),
    OP2("Minimum", kReal, (kAllFns<MinimumOp, 2>)),
    OP2("SquaredDifference", kNumbers, (kAllFns<SquaredDifferenceOp, 2>)),
    OP2("Atan2", kFloats, (kFloatFns<Atan2Op, 2>)),
    OP2("Xlogy", kFloats, (kFloatFns<XlogyOp, 2>)),
    OP2("Xdivy", kFloats, (kFloatFns<XdivyOp, 2>)),
    OP2("LogicalAnd", kReal, (kAllFns<LogicalAndOp, 2>)),
    OP2("LogicalOr", kReal, (kAllFns<LogicalOrOp, 2>)),
    OP2("LogicalXor", kReal, (kAllFns<LogicalXorOp, 2>)),
    OP2("BitwiseAnd", kInts | kBool, (kIntFns<BitwiseAndOp, 2>)),
    OP2("BitwiseOr", kInts | kBool, (kIntFns<BitwiseOrOp, 2>)),
    OP2("BitwiseXor", kInts | kBool, (kIntFns<BitwiseXorOp, 2>)),
    OP2("LeftShift", kInts, (kIntFns<LeftShiftOp, 2, ReadWidth>)),
    OP2("RightShift", kInts, (kIntFns<RightShiftOp, 2, ReadWidth>)),
    OP2("Equal", kReal, (kAllFns<EqualOp, 2>)),
    OP2("NotEqual", kReal, (kAllFns<NotEqualOp, 2>)),
    OP2("Greater", kReal, (kAllFns<GreaterOp, 2>)),
    OP2("GreaterEqual", kReal, (kAllFns<GreaterEqualOp, 2>)),
    OP2("Less", kReal, (kAllFns<LessOp, 2>)),
    OP2("LessEqual", kReal, (kAllFns<LessEqualOp, 2>)),
    OP2("ApproximateEqual", kNumbers, (kAllFns<ApproximateEqualOp, 2, ReadTolerance>)),
    OP2("Axpy", kNumbers, (kAllFns<AxpyOp, 2, ReadAlpha>)),
    {"AddN", kReal, &CreateAddN, &CheckAddN},
};

}  // namespace

OpTable BinaryOps() { return TableOf(kBinary); }

}  // namespace reference
