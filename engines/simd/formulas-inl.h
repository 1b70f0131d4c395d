// The formulas of instructions of fused programs, written once for two kinds of vectors: those of Highway, whose loops
// this engine compiles (simd.cpp), and those of a recorder, of which code is generated at run time (record.cpp). No
// include guard: Highway compiles it once per instruction set. The includer defines FORMULA, what functions begin with.

/// `Vectors` has the types V (floats), M (masks) and I (integers), and the functions that are named first.
template <class Vectors>
struct Formulas : Vectors {
  using V = typename Vectors::V;
  using M = typename Vectors::M;
  using I = typename Vectors::I;
  using Vectors::Abs, Vectors::Add, Vectors::Ceil, Vectors::CopySign, Vectors::Div, Vectors::Floor, Vectors::Max;
  using Vectors::BitsOf, Vectors::FloatOf, Vectors::SetBits, Vectors::ShiftLeft, Vectors::ShiftRight;
  using Vectors::Eq, Vectors::Ge, Vectors::Gt, Vectors::IsNaN, Vectors::Le, Vectors::Lt, Vectors::Ne, Vectors::Set;
  using Vectors::IfThenElse, Vectors::IfThenElseZero, Vectors::IfThenZeroElse, Vectors::Sub;
  using Vectors::Min, Vectors::Mul, Vectors::MulAdd, Vectors::Neg, Vectors::NegMulAdd, Vectors::Round, Vectors::Sqrt;

  FORMULA V Zero() const { return Set(0.0f); }
  FORMULA V One() const { return Set(1.0f); }
  FORMULA V Bool(M m) const { return IfThenElseZero(m, One()); }

  /// A polynomial of x by Horner's rule, the coefficient of the highest power first.
  template <class... Rest>
  FORMULA V Polynomial(V x, float first, Rest... rest) const {
    V p = Set(first);
    ((p = MulAdd(p, x, Set(rest))), ...);
    return p;
  }

  // exp(x) = 2^n * p(r): n is the nearest integer to x / ln 2, r what is left (Cody-Waite), p a polynomial of degree 7
  // (Cephes expf). The sum with 1.5 * 2^23 rounds, and leaves n in the low bits.
  struct Reduced {
    V p;
    I n;
  };
  FORMULA Reduced ReduceExp(V x) const {
    const V magic = Set(12582912.0f);
    const V shifted = MulAdd(x, Set(1.44269504088896341f), magic);
    const V n = Sub(shifted, magic);
    V r = NegMulAdd(n, Set(0.693359375f), x);
    r = NegMulAdd(n, Set(-2.12194440e-4f), r);
    V p = Polynomial(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f,
                     5.0000001201e-1f);
    p = MulAdd(Mul(p, r), r, Add(r, One()));
    return {p, BitsOf(shifted)};
  }

  // Relative error below 2e-7 on [-87.3, 88.3]; 0 below, exp(88.3) above: for sums and quotients of exponentials. NaN
  // stays NaN: Min and Max give their second operand then.
  FORMULA V Exp(V x) const {
    const M under = Lt(x, Set(-87.3365478515625f));
    x = Max(Set(-87.3365478515625f), Min(Set(88.3762626647949f), x));
    const Reduced e = ReduceExp(x);
    const V y = FloatOf(Add(BitsOf(e.p), ShiftLeft(Bits<23>(), e.n)));
    return IfThenZeroElse(under, IfThenElse(IsNaN(x), x, y));
  }

  // The whole range, with denormal results and infinity: 2^n in two factors.
  FORMULA V ExpFull(V x) const {
    const V c = Max(Set(-104.0f), Min(Set(89.0f), x));
    const Reduced e = ReduceExp(c);
    const I n = ShiftRight(Bits<9>(), ShiftLeft(Bits<9>(), e.n));  // sign-extends the low bits
    const I half = ShiftRight(Bits<1>(), n), bias = SetBits(127);
    const V f = FloatOf(ShiftLeft(Bits<23>(), Add(half, bias)));
    const V g = FloatOf(ShiftLeft(Bits<23>(), Add(Sub(n, half), bias)));
    return IfThenElse(IsNaN(x), x, Mul(Mul(e.p, f), g));
  }

  // Rational approximation on [-7.905, 7.905], relative error below 3e-7; the identity near zero.
  FORMULA V Tanh(V x) const {
    const V limit = Set(7.90531110763549805f);
    const V c = Max(Min(x, limit), Neg(limit));
    const V s = Mul(c, c);
    const V p =
        Mul(Polynomial(s, -2.76076847742355e-16f, 2.00018790482477e-13f, -8.60467152213735e-11f, 5.12229709037114e-08f,
                       1.48572235717979e-05f, 6.37261928875436e-04f, 4.89352455891786e-03f),
            c);
    const V q =
        Polynomial(s, 1.19825839466702e-06f, 1.18534705686654e-04f, 2.26843463243900e-03f, 4.89352518554385e-03f);
    V y = IfThenElse(Lt(Abs(x), Set(0.0004f)), x, Div(p, q));
    y = IfThenElse(Ge(Abs(x), Set(9.02f)), CopySign(One(), x), y);
    return IfThenElse(IsNaN(x), x, y);
  }

  // Rational approximation on [-4, 4], absolute error below 2e-7.
  FORMULA V Erf(V x) const {
    const V limit = Set(4.0f);
    const V c = Max(Min(x, limit), Neg(limit));
    const V s = Mul(c, c);
    const V p =
        Mul(Polynomial(s, -2.72614225801306e-10f, 2.77068142495902e-08f, -2.10102402082508e-06f, -5.69250639462346e-05f,
                       -7.34990630326855e-04f, -2.95459980854025e-03f, -1.60960333262415e-02f),
            c);
    const V q = Polynomial(s, -1.45660718464996e-05f, -2.13374055278905e-04f, -1.68282697438203e-03f,
                           -7.37332916720468e-03f, -1.42647390514189e-02f);
    // From 3.92 on the nearest float is 1: exactly that, so that GELU of a large negative value is 0.
    const V y = IfThenElse(Ge(Abs(x), Set(3.9192059f)), CopySign(One(), x), Div(p, q));
    return IfThenElse(IsNaN(x), x, y);
  }

  FORMULA V Sigmoid(V x) const {
    const V y = Div(One(), Add(One(), Exp(Neg(x))));
    return IfThenZeroElse(Lt(x, Set(-88.3762626647949f)), y);
  }
  // x * tanh(softplus(x)) = x * n / (n + 2) with n = e^x (e^x + 2).
  FORMULA V Mish(V x) const {
    const V e = Exp(Min(Set(20.0f), x));
    const V n = Mul(e, Add(e, Set(2.0f)));
    return Mul(x, Div(n, Add(n, Set(2.0f))));
  }
  // NaN in either operand gives NaN: Max and Min give their second operand when one of them is NaN.
  FORMULA V MaxNan(V x, V y) const { return IfThenElse(IsNaN(x), x, Max(x, y)); }
  FORMULA V MinNan(V x, V y) const { return IfThenElse(IsNaN(x), x, Min(x, y)); }
  FORMULA V GeluErf(V x) const {
    const V half = Mul(Set(0.5f), x);
    return MulAdd(half, Erf(Mul(x, Set(0.70710678118654752f))), half);
  }
  FORMULA V GeluTanh(V x) const {
    const V cube = Mul(Mul(x, x), x);
    const V inner = Mul(Set(0.79788456080286536f), MulAdd(Set(0.044715f), cube, x));
    const V half = Mul(Set(0.5f), x);
    return MulAdd(half, Tanh(inner), half);
  }
  FORMULA V HardSwish(V x) const {
    const V clipped = Min(Set(6.0f), Max(Zero(), Add(x, Set(3.0f))));
    return Mul(x, Mul(clipped, Set(1.0f / 6.0f)));  // x times 6 could overflow
  }
  FORMULA V SignOf(V x) const {
    const V y = Sub(Bool(Gt(x, Zero())), Bool(Lt(x, Zero())));
    return IfThenElse(IsNaN(x), x, y);
  }
  FORMULA V SquareOf(V x) const { return Mul(x, x); }

  // pow(x, 0.5) is not sqrt(x) everywhere: it is +0 for -0 and +inf for -inf.
  FORMULA V RootAsPower(V x) const {
    const V infinity = Set(std::numeric_limits<float>::infinity());
    return IfThenElse(Eq(Abs(x), infinity), infinity, Sqrt(Add(x, Zero())));
  }
  /// Small whole exponents and quarters of them are what models use.
  static constexpr bool IsPlainPower(float e) {
    return e == 2.0f || e == 3.0f || e == 0.5f || e == 0.75f || e == -0.5f || e == -1.0f || e == 1.0f;
  }
  FORMULA V PlainPower(V x, float e) const {
    if (e == 2.0f) return Mul(x, x);
    if (e == 3.0f) return Mul(Mul(x, x), x);
    if (e == 0.5f) return RootAsPower(x);
    if (e == -0.5f) return Div(One(), RootAsPower(x));
    if (e == -1.0f) return Div(One(), x);
    if (e == 1.0f) return x;
    const V root = RootAsPower(x);  // 0.75, of local response normalisations
    return Mul(root, Sqrt(root));
  }

  // ---- instructions: one line each; those of other functions are loops of simd.cpp alone ----

#define UNARY(name, ...) \
  FORMULA V Do(Opcode<GE_FUSED_##name>, V x) const { return __VA_ARGS__; }
#define BINARY(name, ...) \
  FORMULA V Do(Opcode<GE_FUSED_##name>, V x, V y) const { return __VA_ARGS__; }
#define TERNARY(name, ...) \
  FORMULA V Do(Opcode<GE_FUSED_##name>, V x, V y, V z) const { return __VA_ARGS__; }
  BINARY(ADD, Add(x, y))
  BINARY(SUB, Sub(x, y))
  BINARY(MUL, Mul(x, y))
  BINARY(DIV, Div(x, y))
  // NaN in either operand gives NaN, as in NumPy.
  BINARY(MAX, MaxNan(x, y))
  BINARY(MIN, MinNan(x, y))
  BINARY(SQUARED_DIFFERENCE, SquareOf(Sub(x, y)))
  BINARY(EQUAL, Bool(Eq(x, y)))
  BINARY(LESS, Bool(Lt(x, y)))
  BINARY(LESS_EQUAL, Bool(Le(x, y)))
  BINARY(PRELU, IfThenElse(Gt(x, Zero()), x, Mul(x, y)))
  UNARY(NEG, Neg(x))
  UNARY(ABS, Abs(x))
  UNARY(EXP, ExpFull(x))
  UNARY(SQRT, Sqrt(x))
  UNARY(RSQRT, Div(One(), Sqrt(x)))
  UNARY(RECIPROCAL, Div(One(), x))
  UNARY(SQUARE, Mul(x, x))
  UNARY(TANH, Tanh(x))
  UNARY(SIGMOID, Sigmoid(x))
  UNARY(ERF, Erf(x))
  UNARY(RELU, IfThenElse(Lt(x, Zero()), Zero(), x))
  UNARY(RELU6, Min(Set(6.0f), Max(Zero(), x)))
  UNARY(SWISH, Mul(x, Sigmoid(x)))
  UNARY(GELU_ERF, GeluErf(x))
  UNARY(GELU_TANH, GeluTanh(x))
  UNARY(HARD_SWISH, HardSwish(x))
  UNARY(FLOOR, Floor(x))
  UNARY(CEIL, Ceil(x))
  UNARY(ROUND, Round(x))
  UNARY(SIGN, SignOf(x))
  UNARY(NOT, Bool(Eq(x, Zero())))
  UNARY(MISH, Mish(x))
  UNARY(SOFTSIGN, Div(x, Add(One(), Abs(x))))
  TERNARY(CLIP, IfThenElse(IsNaN(x), x, Min(Max(x, y), z)))
  TERNARY(SELECT, IfThenElse(Ne(x, Zero()), y, z))
  TERNARY(FMA, MulAdd(x, y, z))
  BINARY(LEAKY_RELU, IfThenElse(Gt(x, Zero()), x, Mul(x, y)))
  BINARY(ELU, IfThenElse(Gt(x, Zero()), x, Mul(y, Sub(Exp(x), One()))))
  TERNARY(HARD_SIGMOID, Min(One(), Max(Zero(), MulAdd(x, y, z))))
#undef UNARY
#undef BINARY
#undef TERNARY
};
