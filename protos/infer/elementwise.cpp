// Operators whose output has the broadcast shape of their inputs.
#include <algorithm>

#include "ge/own_data_types.h"
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

// ---- one input

void SameRule(Context &c) { c.Out(0, c.Type(0), c.Dims(0)); }

void IdentityRule(Context &c) {
  SameRule(c);
  if (auto values = c.Partial(0)) c.OutPartial(0, *values);
}

void TruthRule(Context &c) { c.Out(0, C_DT_BOOL, c.Dims(0)); }

void BucketizeRule(Context &c) { c.Out(0, c.BoolAttr("out_int32") ? C_DT_INT32 : C_DT_INT64, c.Dims(0)); }

void NegRule(Context &c) {
  SameRule(c);
  if (auto values = c.Partial(0)) {
    for (int64_t &v : *values) {
      if (IsSymbolic(v)) v = kUnknown;
      else if (v != kUnknown) v = static_cast<int64_t>(0 - static_cast<uint64_t>(v));
    }
    c.OutPartial(0, *values);
  }
}

/// Rows of features and of labels, one of which may serve all.
void SoftmaxCrossEntropyRule(Context &c) {
  Shape y = c.Broadcast(c.Dims(0), c.Dims(1), "features", "labels"), loss{-1};
  if (y.has_rank()) {
    if (y.rank() < 1) c.Fail("features is a scalar, expected at least 1 dimension");
    loss[0] = y[0];
  }
  c.Out(0, c.Type(0), loss);
  c.Out(1, c.Type(0), y);
}

void IdentityNRule(Context &c) {
  for (size_t k = 0; k < c.Instances(0); ++k) {
    c.Out(k, c.Type(0, k), c.Dims(0, k));
    if (auto values = c.Partial(0, k)) c.OutPartial(k, *values);
  }
}

/// Wraps a value as a conversion to a narrower integer does.
int64_t Wrap(int64_t value, int32_t type) {
  if (value == kUnknown) return value;
  // SymbolicDims are extents, which all but the small types hold.
  if (IsSymbolic(value)) return GeDataTypeBits(type) >= 32 ? value : kUnknown;
  switch (type) {
    case C_DT_INT32:
      return static_cast<int32_t>(value);
    case C_DT_INT16:
      return static_cast<int16_t>(value);
    case C_DT_INT8:
      return static_cast<int8_t>(value);
    case C_DT_UINT32:
      return static_cast<uint32_t>(value);
    case C_DT_UINT16:
      return static_cast<uint16_t>(value);
    case C_DT_UINT8:
      return static_cast<uint8_t>(value);
    case C_DT_BOOL:
      return value != 0;
    default:
      return value;
  }
}

void CastTo(Context &c, int64_t type) {
  if (type < 0 || type >= GE_DATA_TYPE_END)
    c.Fail("dst_type is ", type, ", expected a data type from 0 to ", C_DT_MAX - 1);
  c.Out(0, static_cast<int32_t>(type), c.Dims(0));
  if (!IsInteger(static_cast<int32_t>(type))) return;
  if (auto values = c.Partial(0)) {
    for (int64_t &v : *values) v = Wrap(v, static_cast<int32_t>(type));
    c.OutPartial(0, *values);
  }
}

void CastRule(Context &c) { CastTo(c, c.IntAttr("dst_type", -1)); }
void SmallFloatCastRule(Context &c) { c.Out(0, c.TypeAttr("dst_type", C_DT_UNDEFINED), c.Dims(0)); }
void CastLikeRule(Context &c) { CastTo(c, c.Type(1)); }

void BitcastRule(Context &c) {
  int32_t type = static_cast<int32_t>(c.IntAttr("type", C_DT_UNDEFINED));
  int64_t from = GeDataTypeBits(c.Type(0)), to = GeDataTypeBits(type);
  Shape shape = c.Dims(0);
  if (!shape.has_rank() || from == 0 || to == 0) return c.Out(0, type, Shape::Unknown());
  if (from > to && from % to == 0) {
    shape.dims().push_back(from / to);
  } else if (from < to && to % from == 0) {
    if (shape.rank() == 0 || c.Differ(shape[shape.rank() - 1], to / from))
      c.Fail("x has shape ", shape.str(), ", expected a last dimension of ", to / from, " to form ",
             GeDataTypeName(type));
    shape.dims().pop_back();
  } else if (from != to) {
    c.Fail("cannot read ", GeDataTypeName(c.Type(0)), " as ", GeDataTypeName(type));
  }
  c.Out(0, type, shape);
}

void SwiGluRule(Context &c) {
  Shape shape = c.Dims(0);
  if (shape.has_rank()) {
    int64_t axis = c.Axis(c.IntAttr("dim", -1), shape.rank(), "dim");
    if (c.NoMultiple(shape[axis], 2))
      c.Fail("x has ", shape[axis], " values along dim ", axis, ", expected an even number");
    shape[axis] = c.ExtentOf(c.Quotient(c.ValueOf(shape[axis]), 2));
  }
  c.Out(0, c.Type(0), shape);
}

// ---- several inputs

/// Value of a scalar operation; nullopt when undefined or not representable.
using Fold = std::optional<int64_t> (*)(int64_t, int64_t);

template <class F>
std::optional<int64_t> Fit(int64_t a, int64_t b, F f) {
  int64_t r;
  if (f(a, b, &r) || r == kUnknown) return std::nullopt;
  return r;
}
std::optional<int64_t> FoldAdd(int64_t a, int64_t b) {
  return Fit(a, b, [](int64_t x, int64_t y, int64_t *r) { return __builtin_add_overflow(x, y, r); });
}
std::optional<int64_t> FoldSub(int64_t a, int64_t b) {
  return Fit(a, b, [](int64_t x, int64_t y, int64_t *r) { return __builtin_sub_overflow(x, y, r); });
}
std::optional<int64_t> FoldMul(int64_t a, int64_t b) {
  return Fit(a, b, [](int64_t x, int64_t y, int64_t *r) { return __builtin_mul_overflow(x, y, r); });
}
std::optional<int64_t> FoldFloorDiv(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return b == 0 ? std::nullopt : FoldSub(0, a);
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
/// Only where rounding down and rounding toward zero agree.
std::optional<int64_t> FoldDiv(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return FoldSub(0, a);
  if (a % b != 0 && (a < 0) != (b < 0)) return std::nullopt;
  return a / b;
}
std::optional<int64_t> FoldTruncateDiv(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  return b == -1 ? FoldSub(0, a) : a / b;
}
std::optional<int64_t> FoldFloorMod(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
std::optional<int64_t> FoldMax(int64_t a, int64_t b) { return std::max(a, b); }
std::optional<int64_t> FoldMin(int64_t a, int64_t b) { return std::min(a, b); }
std::optional<int64_t> FoldEqual(int64_t a, int64_t b) { return a == b; }
std::optional<int64_t> FoldNotEqual(int64_t a, int64_t b) { return a != b; }
std::optional<int64_t> FoldLess(int64_t a, int64_t b) { return a < b; }
std::optional<int64_t> FoldLessEqual(int64_t a, int64_t b) { return a <= b; }
std::optional<int64_t> FoldGreater(int64_t a, int64_t b) { return a > b; }
std::optional<int64_t> FoldGreaterEqual(int64_t a, int64_t b) { return a >= b; }
std::optional<int64_t> FoldAnd(int64_t a, int64_t b) { return a && b; }
std::optional<int64_t> FoldOr(int64_t a, int64_t b) { return a || b; }

/// What rounds down and what rounds toward zero agree on extents divided by positive numbers.
int64_t FoldSymbolic(Context &c, Fold fold, int64_t x, int64_t y) {
  if (fold == FoldAdd) return c.Sum(x, y);
  if (fold == FoldSub) return c.Difference(x, y);
  if (fold == FoldMul) return c.Product(x, y);
  if (fold == FoldFloorDiv) return c.Quotient(x, y);
  if ((fold == FoldDiv || fold == FoldTruncateDiv) && c.AtMost(0, x).value_or(false)) return c.Quotient(x, y);
  if (fold == FoldMax || fold == FoldMin) {
    const std::optional<bool> less = c.AtMost(x, y);
    return !less ? kUnknown : (fold == FoldMin) == *less ? x : y;
  }
  return kUnknown;
}

/// Integer values are propagated between a vector and a vector of the same length or a single value.
void PropagateBinary(Context &c, Fold fold, int32_t type) {
  if (!c.WantsPartial(0)) return;
  auto a = c.Partial(0), b = c.Partial(1);
  if (!a || !b) return;
  if (c.Dims(0).rank() > 1 || c.Dims(1).rank() > 1) return;
  if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return;
  size_t count = a->size() == 1 ? b->size() : a->size();
  Values out(count, kUnknown);
  for (size_t i = 0; i < count; ++i) {
    int64_t x = (*a)[a->size() == 1 ? 0 : i], y = (*b)[b->size() == 1 ? 0 : i];
    if (x == kUnknown || y == kUnknown) continue;
    if (IsSymbolic(x) || IsSymbolic(y)) out[i] = Wrap(FoldSymbolic(c, fold, x, y), type);
    else if (auto value = fold(x, y)) out[i] = Wrap(*value, type);
  }
  c.OutPartial(0, out);
}

Shape BroadcastPair(Context &c, const char *a = "x1", const char *b = "x2") {
  return c.Broadcast(c.Dims(0), c.Dims(1), a, b);
}

void BinaryRule(Context &c) { c.Out(0, c.SameType({0, 1}, {"x1", "x2"}), BroadcastPair(c)); }
void PowRule(Context &c) { c.Out(0, c.CommonType({0, 1}, {"x", "exponent"}), BroadcastPair(c, "x", "exponent")); }
void ShiftRule(Context &c) { c.Out(0, c.SameType({0, 1}, {"x", "y"}), BroadcastPair(c, "x", "y")); }

template <Fold fold>
void ArithmeticRule(Context &c) {
  BinaryRule(c);
  PropagateBinary(c, fold, c.Type(0));
}

void CompareRule(Context &c) {
  c.SameType({0, 1}, {"x1", "x2"});
  c.Out(0, C_DT_BOOL, BroadcastPair(c));
}
template <Fold fold>
void CompareValuesRule(Context &c) {
  CompareRule(c);
  PropagateBinary(c, fold, C_DT_BOOL);
}

template <Fold fold>
void PromotingRule(Context &c) {
  const int32_t type = c.CommonType({0, 1}, {"x1", "x2"});
  c.Out(0, type, BroadcastPair(c));
  PropagateBinary(c, fold, type);
}

void AddNRule(Context &c) {
  size_t count = c.Instances(0);
  if (count == 0) c.Fail("x has no tensors, expected at least 1");
  Shape shape = c.Dims(0, 0);
  for (size_t k = 1; k < count; ++k) {
    shape = c.Broadcast(shape, c.Dims(0, k), "the sum", "the next tensor");
    if (c.Type(0, k) != C_DT_UNDEFINED && c.Type(0, 0) != C_DT_UNDEFINED && c.Type(0, k) != c.Type(0, 0))
      c.Fail("x", k, " has data type ", GeDataTypeName(c.Type(0, k)), ", expected ", GeDataTypeName(c.Type(0, 0)),
             " like x0");
  }
  c.Out(0, c.Type(0, 0), shape);
}

void SelectV2Rule(Context &c) {
  c.NeedBool(0, "condition");
  Shape shape = c.Broadcast(c.Dims(1), c.Dims(2), "the value for true", "the value for false");
  shape = c.Broadcast(c.Dims(0), shape, "condition", "the values");
  c.Out(0, c.SameType({1, 2}, {"the value for true", "the value for false"}), shape);
  auto cond = c.Partial(0), yes = c.Partial(1), no = c.Partial(2);
  if (!cond || (!yes && !no)) return;
  if (!shape.has_rank() || shape.rank() > 1 || c.Dims(0).rank() > 1) return;
  int64_t count = shape.elements();
  if (count < 0 || static_cast<size_t>(count) > kMaxValues) return;
  auto at = [](const std::optional<Values> &v, size_t i) {
    if (!v || v->empty()) return kUnknown;
    return v->size() == 1 ? (*v)[0] : i < v->size() ? (*v)[i] : kUnknown;
  };
  Values out(static_cast<size_t>(count), kUnknown);
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t which = at(cond, i);
    if (which != kUnknown && !IsSymbolic(which)) out[i] = which ? at(yes, i) : at(no, i);
  }
  c.OutPartial(0, out);
}

/// The older form also takes one condition per row.
void SelectRule(Context &c) {
  c.NeedBool(0, "condition");
  Shape condition = c.Dims(0), x = c.Dims(1);
  if (condition.has_rank() && x.has_rank() && condition.rank() == 1 && x.rank() > 1) {
    c.SameDim(condition[0], x[0], "the number of rows of condition and x1");
    return c.Out(0, c.SameType({1, 2}, {"x1", "x2"}), c.Broadcast(x, c.Dims(2), "x1", "x2"));
  }
  SelectV2Rule(c);
}

void ClipRule(Context &c) {
  Shape shape = c.Broadcast(c.Dims(0), c.Dims(1), "x", "clip_value_min");
  shape = c.Broadcast(shape, c.Dims(2), "x", "clip_value_max");
  c.Out(0, c.SameType({0, 1, 2}, {"x", "clip_value_min", "clip_value_max"}), shape);
}

void MaskedFillRule(Context &c) {
  c.NeedBool(1, "mask");
  c.SameType({0, 2}, {"x", "value"});
  c.Out(0, c.Type(0), c.Broadcast(c.Dims(0), c.Dims(1), "x", "mask"));
}

void LerpRule(Context &c) {
  Shape shape = c.Broadcast(c.Dims(0), c.Dims(1), "start", "end");
  c.Out(0, c.SameType({0, 1, 2}, {"start", "end", "weight"}), c.Broadcast(shape, c.Dims(2), "start", "weight"));
}

void AddcRule(Context &c) {
  Shape shape = c.Broadcast(c.Dims(1), c.Dims(2), "x1", "x2");
  shape = c.Broadcast(c.Dims(0), shape, "input_data", "the product");
  c.Out(0, c.SameType({0, 1, 2}, {"input_data", "x1", "x2"}), c.Broadcast(shape, c.Dims(3), "the product", "value"));
}

void PReluRule(Context &c) {
  Shape x = c.Dims(0), weight = c.Dims(1);
  if (x.has_rank() && weight.has_rank()) {
    int64_t count = weight.elements();
    bool per_channel = weight.rank() == 1 && x.rank() > 1 && (x[1] < 0 || count < 0 || count == x[1]);
    if (!per_channel && count != 1 && c.Broadcast(x, weight, "x", "weight") != x && x.known())
      c.Fail("weight has shape ", weight.str(), ", expected 1 value, one per channel, or a shape that broadcasts to ",
             x.str());
  }
  c.Out(0, c.SameType({0, 1}, {"x", "weight"}), x);
}

void BiasAddRule(Context &c) {
  Shape x = c.Dims(0), bias = c.DimsOfRank(1, 1, "bias");
  if (x.has_rank()) {
    if (x.rank() < 2) c.Fail("x has shape ", x.str(), ", expected at least 2 dimensions");
    bool last = c.StringAttr("data_format", "NHWC") == "NHWC";
    c.SameDim(x[last ? x.rank() - 1 : 1], bias[0], "the number of channels of x and bias");
  }
  c.Out(0, c.SameType({0, 1}, {"x", "bias"}), x);
}

void FusedElementwiseRule(Context &c) {
  size_t count = c.Instances(0);
  Shape shape = count ? c.Dims(0, 0) : Shape();
  for (size_t k = 1; k < count; ++k) shape = c.Broadcast(shape, c.Dims(0, k), "the inputs so far", "the next input");
  if (c.IntsAttr("outputs").size() != c.OutCount())
    c.Fail("outputs has ", c.IntsAttr("outputs").size(), " values, expected ", c.OutCount());
  const auto types = c.IntsAttr("output_types");
  if (!types.empty() && types.size() != c.OutCount())
    c.Fail("output_types has ", types.size(), " values, expected none or ", c.OutCount());
  for (size_t k = 0; k < c.OutCount(); ++k)
    c.Out(k, types.empty() ? C_DT_FLOAT : static_cast<int32_t>(types[k]), shape);
}

#define SAME(type) \
  { type, Guarded<SameRule> }
// The rules of ge/elementwise.def that also compute known values.
constexpr auto ArithmeticAddRule = ArithmeticRule<FoldAdd>;
constexpr auto PromotingAddRule = PromotingRule<FoldAdd>;
constexpr auto PromotingMulRule = PromotingRule<FoldMul>;
constexpr auto ArithmeticSubRule = ArithmeticRule<FoldSub>;
constexpr auto ArithmeticDivRule = ArithmeticRule<FoldDiv>;
constexpr auto ArithmeticFloorDivRule = ArithmeticRule<FoldFloorDiv>;
constexpr auto ArithmeticTruncateDivRule = ArithmeticRule<FoldTruncateDiv>;
constexpr auto ArithmeticFloorModRule = ArithmeticRule<FoldFloorMod>;
constexpr auto ArithmeticMaxRule = ArithmeticRule<FoldMax>;
constexpr auto ArithmeticMinRule = ArithmeticRule<FoldMin>;
constexpr auto CompareAndRule = CompareValuesRule<FoldAnd>;
constexpr auto CompareOrRule = CompareValuesRule<FoldOr>;
constexpr auto CompareEqualRule = CompareValuesRule<FoldEqual>;
constexpr auto CompareNotEqualRule = CompareValuesRule<FoldNotEqual>;
constexpr auto CompareLessRule = CompareValuesRule<FoldLess>;
constexpr auto CompareLessEqualRule = CompareValuesRule<FoldLessEqual>;
constexpr auto CompareGreaterRule = CompareValuesRule<FoldGreater>;
constexpr auto CompareGreaterEqualRule = CompareValuesRule<FoldGreaterEqual>;

constexpr Entry kElementwiseRules[] = {
#define GE_ELEMENTWISE_UNARY(type, rule, types, place, opcode, onnx, since) {#type, Guarded<rule##Rule>},
#define GE_ELEMENTWISE_BINARY(type, rule, types, place, opcode, order, onnx, since) {#type, Guarded<rule##Rule>},
#include "ge/elementwise.def"
    SAME("ZerosLike"),
    SAME("Tril"),
    SAME("Triu"),
    SAME("HcomAllReduce"),
    {"BucketizeV2", Guarded<BucketizeRule>},
    {"Identity", Guarded<IdentityRule>},
    {"TensorMove", Guarded<IdentityRule>},
    {"StopGradient", Guarded<IdentityRule>},
    {"SoftmaxCrossEntropyWithLogits", Guarded<SoftmaxCrossEntropyRule>},
    {"IdentityN", Guarded<IdentityNRule>},
    {"Cast", Guarded<CastRule>},
    {"SmallFloatCast", Guarded<SmallFloatCastRule>},
    {"CastLike", Guarded<CastLikeRule>},
    {"Bitcast", Guarded<BitcastRule>},
    {"SwiGlu", Guarded<SwiGluRule>},
    {"AddN", Guarded<AddNRule>},
    {"Select", Guarded<SelectRule>},
    {"SelectV2", Guarded<SelectV2Rule>},
    {"ClipByValue", Guarded<ClipRule>},
    {"ClipByValueV2", Guarded<ClipRule>},
    {"MaskedFill", Guarded<MaskedFillRule>},
    {"Lerp", Guarded<LerpRule>},
    {"Addcmul", Guarded<AddcRule>},
    {"Addcdiv", Guarded<AddcRule>},
    {"PRelu", Guarded<PReluRule>},
    {"BiasAdd", Guarded<BiasAddRule>},
    {"FusedElementwise", Guarded<FusedElementwiseRule>},
};
#undef SAME

}  // namespace

std::span<const Entry> ElementwiseRules() { return kElementwiseRules; }

}  // namespace gec::infer
