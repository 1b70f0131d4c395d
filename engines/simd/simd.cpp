// Compiled once per instruction set by Highway; SelectTable picks one at run time. Highway 1.0.3 has no target below
// SSSE3 that GCC 12 compiles, so this engine starts at AVX2; below it the reference engine takes its nodes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd.cpp"
#define HWY_BASELINE_TARGETS HWY_AVX2
#ifdef GE_EMULATE_AVX512
#define HWY_DISABLED_TARGETS (HWY_AVX3 | HWY_AVX3_DL)
#else
#define HWY_DISABLED_TARGETS HWY_AVX3_DL
#endif
#include <hwy/foreach_target.h>  // must come before the others

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <limits>

#include "bytes-inl.h"
#include "formula_tags.h"
#include "ge/engine.h"
#include "ge/fused_program.h"
#include "simd.h"

HWY_BEFORE_NAMESPACE();
namespace vec {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D d;

// ---- functions of one vector ----

/// The vectors that Formulas works with.
struct Lanes {
  using V = vec::HWY_NAMESPACE::V;
  using M = hn::Mask<D>;
  using DI = hn::RebindToSigned<D>;
  using I = hn::Vec<DI>;
  static HWY_INLINE V Set(float x) { return hn::Set(d, x); }
  static HWY_INLINE V Add(V x, V y) { return hn::Add(x, y); }
  static HWY_INLINE V Sub(V x, V y) { return hn::Sub(x, y); }
  static HWY_INLINE V Mul(V x, V y) { return hn::Mul(x, y); }
  static HWY_INLINE V Div(V x, V y) { return hn::Div(x, y); }
  static HWY_INLINE V MulAdd(V x, V y, V z) { return hn::MulAdd(x, y, z); }
  static HWY_INLINE V NegMulAdd(V x, V y, V z) { return hn::NegMulAdd(x, y, z); }
  static HWY_INLINE V Max(V x, V y) { return hn::Max(x, y); }
  static HWY_INLINE V Min(V x, V y) { return hn::Min(x, y); }
  static HWY_INLINE V Abs(V x) { return hn::Abs(x); }
  static HWY_INLINE V Neg(V x) { return hn::Neg(x); }
  static HWY_INLINE V CopySign(V size, V sign) { return hn::CopySign(size, sign); }
  static HWY_INLINE V Sqrt(V x) { return hn::Sqrt(x); }
  static HWY_INLINE V Floor(V x) { return hn::Floor(x); }
  static HWY_INLINE V Ceil(V x) { return hn::Ceil(x); }
  static HWY_INLINE V Round(V x) { return hn::Round(x); }
  static HWY_INLINE M Eq(V x, V y) { return hn::Eq(x, y); }
  static HWY_INLINE M Ne(V x, V y) { return hn::Ne(x, y); }
  static HWY_INLINE M Lt(V x, V y) { return hn::Lt(x, y); }
  static HWY_INLINE M Le(V x, V y) { return hn::Le(x, y); }
  static HWY_INLINE M Gt(V x, V y) { return hn::Gt(x, y); }
  static HWY_INLINE M Ge(V x, V y) { return hn::Ge(x, y); }
  static HWY_INLINE M IsNaN(V x) { return hn::IsNaN(x); }
  static HWY_INLINE V IfThenElse(M m, V x, V y) { return hn::IfThenElse(m, x, y); }
  static HWY_INLINE V IfThenElseZero(M m, V x) { return hn::IfThenElseZero(m, x); }
  static HWY_INLINE V IfThenZeroElse(M m, V x) { return hn::IfThenZeroElse(m, x); }
  static HWY_INLINE I BitsOf(V x) { return hn::BitCast(DI(), x); }
  static HWY_INLINE V FloatOf(I x) { return hn::BitCast(d, x); }
  static HWY_INLINE I SetBits(int32_t x) { return hn::Set(DI(), x); }
  static HWY_INLINE I Add(I x, I y) { return hn::Add(x, y); }
  static HWY_INLINE I Sub(I x, I y) { return hn::Sub(x, y); }
  template <int kBits>
  static HWY_INLINE I ShiftLeft(Bits<kBits>, I x) {
    return hn::ShiftLeft<kBits>(x);
  }
  template <int kBits>
  static HWY_INLINE I ShiftRight(Bits<kBits>, I x) {
    return hn::ShiftRight<kBits>(x);
  }
};

#define FORMULA HWY_INLINE
#include "formulas-inl.h"
#undef FORMULA
constexpr Formulas<Lanes> formulas;

HWY_INLINE V Exp(V x) { return formulas.Exp(x); }
HWY_INLINE V MaxNan(V x, V y) { return formulas.MaxNan(x, y); }
HWY_INLINE V MinNan(V x, V y) { return formulas.MinNan(x, y); }

// log(1 + exp(x)) without overflow.
HWY_INLINE V Softplus(V x) {
  const V y = hn::Add(hn::Max(x, hn::Zero(d)), hn::Log1p(d, Exp(hn::Neg(hn::Abs(x)))));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}
// Finite positive normal numbers take the fast path's answer; the rest is put right here.
HWY_INLINE V Log(V x) {
  const V zero = hn::Zero(d), infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  V y = hn::Log(d, x);
  y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), y);
  y = hn::IfThenElse(hn::Eq(x, infinity), infinity, y);
  y = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, std::numeric_limits<float>::quiet_NaN()), y);
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}
// Sines and cosines of up to 39,000 by Highway, within 3 units in the last place; of what lies beyond, which is rare,
// by the C library.
template <class F>
HWY_INLINE V InRange(V x, V y, F beyond) {
  if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, 39000.0f))))) return y;
  HWY_ALIGN float from[hn::MaxLanes(d)], to[hn::MaxLanes(d)];
  hn::Store(x, d, from);
  hn::Store(y, d, to);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    if (!(std::fabs(from[i]) < 39000.0f)) to[i] = beyond(from[i]);
  return hn::Load(d, to);
}
HWY_INLINE V Sin(V x) {
  const V y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, hn::Sin(d, x));
  return InRange(x, y, [](float v) { return std::sin(v); });
}
HWY_INLINE V Cos(V x) {
  return InRange(x, hn::Cos(d, x), [](float v) { return std::cos(v); });
}

// ---- spans ----

struct Reader {
  explicit Reader(const Operand &o) : data(o.data), value(hn::Set(d, o.value)) {}
  HWY_INLINE V operator()(size_t i) const { return data ? hn::LoadU(d, data + i) : value; }
  HWY_INLINE V Tail(size_t i, size_t n) const {
    return data ? hn::MaskedLoad(hn::FirstN(d, n - i), d, data + i) : value;
  }
  const float *data;
  V value;
};

template <class F>
HWY_INLINE void Loop1(float *out, const Operand &a, size_t n, F f) {
  const Reader ra(a);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(ra(i)), d, out + i);
  if (i < n) hn::BlendedStore(f(ra.Tail(i, n)), hn::FirstN(d, n - i), d, out + i);
}
template <class F>
HWY_INLINE void Loop2(float *out, const Operand &a, const Operand &b, size_t n, F f) {
  const Reader ra(a), rb(b);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(ra(i), rb(i)), d, out + i);
  if (i < n) hn::BlendedStore(f(ra.Tail(i, n), rb.Tail(i, n)), hn::FirstN(d, n - i), d, out + i);
}
template <class F>
HWY_INLINE void Loop3(float *out, const Operand &a, const Operand &b, const Operand &c, size_t n, F f) {
  const Reader ra(a), rb(b), rc(c);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(ra(i), rb(i), rc(i)), d, out + i);
  if (i < n) hn::BlendedStore(f(ra.Tail(i, n), rb.Tail(i, n), rc.Tail(i, n)), hn::FirstN(d, n - i), d, out + i);
}
// Functions that are rare enough to leave to the C library.
template <class F>
void Scalar2(float *out, const Operand &a, const Operand &b, size_t n, F f) {
  for (size_t i = 0; i < n; ++i) out[i] = f(a.data ? a.data[i] : a.value, b.data ? b.data[i] : b.value);
}

void Power(float *out, const Operand &a, const Operand &b, size_t n) {
  const float e = b.value;
  if (!b.data && formulas.IsPlainPower(e)) return Loop1(out, a, n, [e](V x) { return formulas.PlainPower(x, e); });
  Scalar2(out, a, b, n, [](float x, float y) { return std::pow(x, y); });
}

/// All instructions but powers.
struct Functions : Formulas<Lanes> {
  using Formulas<Lanes>::Do;
  static HWY_INLINE V Do(Opcode<GE_FUSED_LOG>, V x) { return Log(x); }
  static HWY_INLINE V Do(Opcode<GE_FUSED_SOFTPLUS>, V x) { return Softplus(x); }
  static HWY_INLINE V Do(Opcode<GE_FUSED_SIN>, V x) { return Sin(x); }
  static HWY_INLINE V Do(Opcode<GE_FUSED_COS>, V x) { return Cos(x); }
};
constexpr Functions functions;

template <int32_t kOpcode, int kOperands>
HWY_INLINE void Run(float *out, const Operand &a, const Operand &b, const Operand &c, size_t n) {
  if constexpr (kOpcode == GE_FUSED_POW) Power(out, a, b, n);
  else if constexpr (kOperands == 1) Loop1(out, a, n, [](V x) { return functions.Do(Opcode<kOpcode>(), x); });
  else if constexpr (kOperands == 2)
    Loop2(out, a, b, n, [](V x, V y) { return functions.Do(Opcode<kOpcode>(), x, y); });
  else Loop3(out, a, b, c, n, [](V x, V y, V z) { return functions.Do(Opcode<kOpcode>(), x, y, z); });
}

void Apply(int32_t opcode, float *out, const Operand &a, const Operand &b, const Operand &c, size_t n) {
  switch (opcode) {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula, cost, zeros, activation) \
  case number:                                                                          \
    return Run<number, operands>(out, a, b, c, n);
#include "ge/elementwise.def"
    default:
      return;
  }
}

// ---- rows ----

// Largest (or smallest) value; NaN when there is one.
template <bool kLargest>
float Extreme(const float *x, size_t n) {
  const size_t lanes = hn::Lanes(d);
  const float edge = kLargest ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  V a = hn::Set(d, edge), b = a;
  auto nan = hn::FirstN(d, 0);
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const V u = hn::LoadU(d, x + i), v = hn::LoadU(d, x + i + lanes);
    nan = hn::Or(nan, hn::Or(hn::IsNaN(u), hn::IsNaN(v)));
    a = kLargest ? hn::Max(a, u) : hn::Min(a, u);
    b = kLargest ? hn::Max(b, v) : hn::Min(b, v);
  }
  for (; i < n; i += lanes) {
    const auto mask = hn::FirstN(d, n - i < lanes ? n - i : lanes);
    const V u = hn::IfThenElse(mask, hn::MaskedLoad(mask, d, x + i), hn::Set(d, edge));
    nan = hn::Or(nan, hn::IsNaN(u));
    a = kLargest ? hn::Max(a, u) : hn::Min(a, u);
  }
  if (!hn::AllFalse(d, nan)) return std::numeric_limits<float>::quiet_NaN();
  return kLargest ? hn::GetLane(hn::MaxOfLanes(d, hn::Max(a, b))) : hn::GetLane(hn::MinOfLanes(d, hn::Min(a, b)));
}

// Without the care for NaN: the exponentials that follow carry it on.
float RowMax(const float *x, size_t n) {
  const size_t lanes = hn::Lanes(d);
  V m = hn::Set(d, -std::numeric_limits<float>::infinity());
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) m = hn::Max(m, hn::LoadU(d, x + i));
  if (i < n) {
    const auto mask = hn::FirstN(d, n - i);
    m = hn::Max(m, hn::IfThenElse(mask, hn::MaskedLoad(mask, d, x + i), m));
  }
  return hn::GetLane(hn::MaxOfLanes(d, m));
}

void Softmax(const float *x, float *y, size_t n, bool log) {
  const size_t lanes = hn::Lanes(d);
  const float top = RowMax(x, n);
  const V shift = hn::Set(d, top);
  V sum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V e = Exp(hn::Sub(hn::LoadU(d, x + i), shift));
    if (!log) hn::StoreU(e, d, y + i);
    sum = hn::Add(sum, e);
  }
  if (i < n) {
    const auto mask = hn::FirstN(d, n - i);
    const V e = hn::IfThenElseZero(mask, Exp(hn::Sub(hn::MaskedLoad(mask, d, x + i), shift)));
    if (!log) hn::BlendedStore(e, mask, d, y + i);
    sum = hn::Add(sum, e);
  }
  const float total = hn::GetLane(hn::SumOfLanes(d, sum));
  Operand in;
  in.data = log ? x : y;
  if (log) {
    const V off = hn::Set(d, top + std::log(total));
    Loop1(y, in, n, [=](V v) { return hn::Sub(v, off); });
  } else {
    const V scale = hn::Set(d, 1.0f / total);
    Loop1(y, in, n, [=](V v) { return hn::Mul(v, scale); });
  }
}

void SoftmaxColumns(const float *x, float *y, size_t n, size_t stride, size_t columns, float *scratch) {
  float *top = scratch, *sum = scratch + columns;
  for (size_t k = 0; k < columns; ++k) {
    top[k] = x[k];
    sum[k] = 0;
  }
  Operand t, s;
  t.data = top;
  s.data = sum;
  for (size_t r = 1; r < n; ++r) {
    Operand row;
    row.data = x + r * stride;
    Loop2(top, t, row, columns, [](V a, V b) { return hn::Max(a, b); });
  }
  for (size_t r = 0; r < n; ++r) {
    Operand row, e;
    row.data = x + r * stride;
    e.data = y + r * stride;
    Loop2(y + r * stride, row, t, columns, [](V a, V b) { return Exp(hn::Sub(a, b)); });
    Loop2(sum, s, e, columns, [](V a, V b) { return hn::Add(a, b); });
  }
  for (size_t r = 0; r < n; ++r) {
    Operand e;
    e.data = y + r * stride;
    Loop2(y + r * stride, e, s, columns, [](V a, V b) { return hn::Div(a, b); });
  }
}

float Reduce(int kind, const float *x, size_t n) {
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  if (kind == kMax) return Extreme<true>(x, n);
  if (kind == kMin) return Extreme<false>(x, n);
  if (kind == kProd) {
    float product = 1;
    for (; i < n; ++i) product *= x[i];
    return product;
  }
  V a = hn::Zero(d), b = hn::Zero(d);  // two chains hide the latency of the addition
  if (kind == kSum) {
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      a = hn::Add(a, hn::LoadU(d, x + i));
      b = hn::Add(b, hn::LoadU(d, x + i + lanes));
    }
  } else {
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      const V u = hn::LoadU(d, x + i), v = hn::LoadU(d, x + i + lanes);
      a = hn::MulAdd(u, u, a);
      b = hn::MulAdd(v, v, b);
    }
  }
  float total = hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
  for (; i < n; ++i) total += kind == kSum ? x[i] : x[i] * x[i];
  return total;
}

void ReduceStep(int kind, float *acc, const float *x, size_t n) {
  Operand a, b;
  a.data = acc;
  b.data = x;
  switch (kind) {
    case kMax:
      return Loop2(acc, a, b, n, [](V u, V v) { return MaxNan(u, v); });
    case kMin:
      return Loop2(acc, a, b, n, [](V u, V v) { return MinNan(u, v); });
    case kProd:
      return Loop2(acc, a, b, n, [](V u, V v) { return hn::Mul(u, v); });
    case kSumSquare:
      return Loop2(acc, a, b, n, [](V u, V v) { return hn::MulAdd(v, v, u); });
    default:
      return Loop2(acc, a, b, n, [](V u, V v) { return hn::Add(u, v); });
  }
}

// Two passes, the second corrected (Chan, Golub, LeVeque: Algorithms for computing the sample variance, 1983): x - mean
// is exact where x hardly varies, so the mean of these differences tells how far the rounded mean is off. Without it
// the rounding of the mean, times 1 / sqrt(epsilon), is what a constant row gives.
void LayerNorm(const float *x, const float *gamma, const float *beta, float *y, size_t n, float epsilon,
               float *mean_out, float *rstd_out) {
  const float count = static_cast<float>(n), mean = Reduce(kSum, x, n) / count;
  const size_t lanes = hn::Lanes(d);
  const V m = hn::Set(d, mean);
  V squares = hn::Zero(d), rest = hn::Zero(d), squares2 = hn::Zero(d), rest2 = hn::Zero(d);  // two chains, as in Reduce
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const V t = hn::Sub(hn::LoadU(d, x + i), m), u = hn::Sub(hn::LoadU(d, x + i + lanes), m);
    squares = hn::MulAdd(t, t, squares);
    squares2 = hn::MulAdd(u, u, squares2);
    rest = hn::Add(rest, t);
    rest2 = hn::Add(rest2, u);
  }
  for (; i < n; i += lanes) {
    const auto mask = hn::FirstN(d, n - i < lanes ? n - i : lanes);
    const V t = hn::IfThenElseZero(mask, hn::Sub(hn::MaskedLoad(mask, d, x + i), m));
    squares = hn::MulAdd(t, t, squares);
    rest = hn::Add(rest, t);
  }
  const float square_sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(squares, squares2)));
  const float rest_sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(rest, rest2)));
  const float off = rest_sum / count;
  float variance = square_sum / count - off * off;
  if (variance < 0) variance = 0;  // NaN stays
  const float rstd = 1.0f / std::sqrt(variance + epsilon);
  if (mean_out) *mean_out = mean + off;
  if (rstd_out) *rstd_out = rstd;
  const V r = hn::Set(d, rstd), o = hn::Set(d, off);
  Operand in, g, b;
  in.data = x;
  g.data = gamma;
  g.value = 1.0f;
  b.data = beta;
  Loop3(y, in, g, b, n,
        [=](V v, V scale, V offset) { return hn::MulAdd(hn::Mul(hn::Sub(hn::Sub(v, m), o), r), scale, offset); });
}

void RmsNorm(const float *x, const float *gamma, float *y, size_t n, float epsilon, float *rstd_out) {
  const float rstd = 1.0f / std::sqrt(Reduce(kSumSquare, x, n) / static_cast<float>(n) + epsilon);
  if (rstd_out) *rstd_out = rstd;
  const V r = hn::Set(d, rstd);
  Operand in, g;
  in.data = x;
  g.data = gamma;
  g.value = 1.0f;
  Loop2(y, in, g, n, [=](V v, V scale) { return hn::Mul(hn::Mul(v, r), scale); });
}

void ArgMaxStep(float *best, int32_t *where, const float *x, int32_t k, size_t n) {
  const hn::RebindToSigned<D> di;
  const size_t lanes = hn::Lanes(d);
  const auto position = hn::Set(di, k);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V v = hn::LoadU(d, x + i), b = hn::LoadU(d, best + i);
    const auto better = hn::Or(hn::Gt(v, b), hn::AndNot(hn::IsNaN(b), hn::IsNaN(v)));
    hn::StoreU(hn::IfThenElse(better, v, b), d, best + i);
    hn::StoreU(hn::IfThenElse(hn::RebindMask(di, better), position, hn::LoadU(di, where + i)), di, where + i);
  }
  for (; i < n; ++i) {
    if (!(x[i] > best[i] || (x[i] != x[i] && best[i] == best[i]))) continue;
    best[i] = x[i];
    where[i] = k;
  }
}

bool Overlaps(const Boxes &kept, size_t n, const Boxes &boxes, size_t at, float threshold) {
  const V top = hn::Set(d, boxes.top[at]), left = hn::Set(d, boxes.left[at]), bottom = hn::Set(d, boxes.bottom[at]),
          right = hn::Set(d, boxes.right[at]), least = hn::Set(d, threshold), none = hn::Zero(d);
  const V area = hn::Mul(hn::Sub(bottom, top), hn::Sub(right, left));
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < n; i += lanes) {
    const auto inside = hn::FirstN(d, n - i < lanes ? n - i : lanes);
    const V t = hn::MaskedLoad(inside, d, kept.top + i), l = hn::MaskedLoad(inside, d, kept.left + i),
            b = hn::MaskedLoad(inside, d, kept.bottom + i), r = hn::MaskedLoad(inside, d, kept.right + i);
    const V height = hn::Sub(hn::Min(bottom, b), hn::Max(top, t)), width = hn::Sub(hn::Min(right, r), hn::Max(left, l));
    const V other = hn::Mul(hn::Sub(b, t), hn::Sub(r, l)), common = hn::Mul(height, width);
    const V share = hn::Div(common, hn::Sub(hn::Add(other, area), common));
    const auto both =
        hn::And(hn::And(hn::Gt(height, none), hn::Gt(width, none)), hn::And(hn::Gt(other, none), hn::Gt(area, none)));
    if (!hn::AllFalse(d, hn::And(hn::And(inside, both), hn::Gt(share, least)))) return true;
  }
  return false;
}

size_t PassOver(const float *x, size_t i, size_t n, float limit, bool least) {
  const V bound = hn::Set(d, limit);
  const size_t lanes = hn::Lanes(d);
  for (; i + lanes <= n; i += lanes) {
    const V v = hn::LoadU(d, x + i);
    if (!hn::AllTrue(d, least ? hn::Gt(v, bound) : hn::Lt(v, bound))) break;  // a NaN is neither
  }
  return i;
}

// ---- transposition in 8 x 8 blocks of 32-bit elements ----

HWY_INLINE void Transpose8x8(const uint32_t *p, size_t step, uint32_t *q, size_t out_step) {
  const hn::FixedTag<uint32_t, 8> d8;
  const hn::Repartition<uint64_t, decltype(d8)> d4;
  using V4 = hn::Vec<decltype(d4)>;
  V4 pairs[8];  // row pairs interleaved, within halves of 128 bits
  for (size_t k = 0; k < 4; ++k) {
    const auto a = hn::LoadU(d8, p + 2 * k * step), b = hn::LoadU(d8, p + (2 * k + 1) * step);
    pairs[2 * k] = hn::BitCast(d4, hn::InterleaveLower(d8, a, b));
    pairs[2 * k + 1] = hn::BitCast(d4, hn::InterleaveUpper(d8, a, b));
  }
  for (size_t k = 0; k < 2; ++k) {  // columns 0, 1 (and 4, 5), then 2, 3 (and 6, 7)
    const V4 a0 = hn::InterleaveLower(d4, pairs[k], pairs[k + 2]), a1 = hn::InterleaveUpper(d4, pairs[k], pairs[k + 2]);
    const V4 b0 = hn::InterleaveLower(d4, pairs[k + 4], pairs[k + 6]);
    const V4 b1 = hn::InterleaveUpper(d4, pairs[k + 4], pairs[k + 6]);
    uint32_t *low = q + 2 * k * out_step, *high = low + 4 * out_step;
    hn::StoreU(hn::BitCast(d8, hn::ConcatLowerLower(d4, b0, a0)), d8, low);
    hn::StoreU(hn::BitCast(d8, hn::ConcatLowerLower(d4, b1, a1)), d8, low + out_step);
    hn::StoreU(hn::BitCast(d8, hn::ConcatUpperUpper(d4, b0, a0)), d8, high);
    hn::StoreU(hn::BitCast(d8, hn::ConcatUpperUpper(d4, b1, a1)), d8, high + out_step);
  }
}

// Two rows become one of pairs.
void Interleave(const uint32_t *a, const uint32_t *b, uint32_t *to, size_t n) {
  const hn::FixedTag<uint32_t, 8> d8;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const auto v = hn::LoadU(d8, a + i), w = hn::LoadU(d8, b + i);
    const auto low = hn::InterleaveLower(d8, v, w), high = hn::InterleaveUpper(d8, v, w);
    hn::StoreU(hn::ConcatLowerLower(d8, high, low), d8, to + 2 * i);
    hn::StoreU(hn::ConcatUpperUpper(d8, high, low), d8, to + 2 * i + 8);
  }
  for (; i < n; ++i) to[2 * i] = a[i], to[2 * i + 1] = b[i];
}

void Transpose4(const uint32_t *src, size_t src_stride, uint32_t *dst, size_t dst_stride, size_t rows, size_t cols) {
  if (rows == 2 && dst_stride == 2) return Interleave(src, src + src_stride, dst, cols);
  size_t r = 0;
  for (; r + 8 <= rows; r += 8) {
    size_t c = 0;
    for (; c + 8 <= cols; c += 8)
      Transpose8x8(src + r * src_stride + c, src_stride, dst + c * dst_stride + r, dst_stride);
    for (; c < cols; ++c)
      for (size_t k = 0; k < 8; ++k) dst[c * dst_stride + r + k] = src[(r + k) * src_stride + c];
  }
  for (; r < rows; ++r)
    for (size_t c = 0; c < cols; ++c) dst[c * dst_stride + r] = src[r * src_stride + c];
}

const Table *GetTable() {
  static const Table table = {hwy::TargetName(HWY_TARGET),
                              hn::MaxLanes(d),
                              Apply,
                              Softmax,
                              SoftmaxColumns,
                              LayerNorm,
                              RmsNorm,
                              Reduce,
                              ReduceStep,
                              ArgMaxStep,
                              PassOver,
                              Overlaps,
                              Transpose4,
                              FromBytes,
                              ToBytes,
                              QuantizeBytes,
                              DequantizeBytes,
                              AffineBytes};
  return &table;
}

}  // namespace HWY_NAMESPACE
}  // namespace vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vec {
// Chosen by what the host offers, not by Highway's own detection: another user of Highway in the process is left alone.
const Table *SelectTable(uint64_t features) {
#if HWY_TARGETS & HWY_AVX3
  if ((features & GE_CPU_X86_64_V4) == GE_CPU_X86_64_V4) return N_AVX3::GetTable();
#endif
  return (features & GE_CPU_X86_64_V3) == GE_CPU_X86_64_V3 ? N_AVX2::GetTable() : nullptr;
}

}  // namespace vec
#endif
