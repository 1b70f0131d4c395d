// Scalar functions that several operators share. Integer arithmetic wraps. Division of an integer by zero gives 0
// here; operators refuse it before (BlockFns::divides).
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace reference {

template <class C>
constexpr bool kIsInt = std::is_integral_v<C>;

template <class C>
C WrapAdd(C a, C b) {
  if constexpr (kIsInt<C>) return C(uint64_t(a) + uint64_t(b));
  else return a + b;
}
template <class C>
C WrapSub(C a, C b) {
  if constexpr (kIsInt<C>) return C(uint64_t(a) - uint64_t(b));
  else return a - b;
}
template <class C>
C WrapMul(C a, C b) {
  if constexpr (kIsInt<C>) return C(uint64_t(a) * uint64_t(b));
  else return a * b;
}
// Towards zero for integers.
template <class C>
C Divide(C a, C b) {
  if constexpr (kIsInt<C>) {
    if (b == 0) return 0;
    if (std::is_signed_v<C> && b == C(-1)) return WrapSub<C>(0, a);
    return a / b;
  } else {
    return a / b;
  }
}
template <class C>
C FloorDivide(C a, C b) {
  if constexpr (kIsInt<C>) {
    C q = Divide(a, b);
    if (b != 0 && WrapMul(q, b) != a && std::is_signed_v<C> && ((a < 0) != (b < 0))) --q;
    return q;
  } else {
    return std::floor(a / b);
  }
}
// Sign of the dividend.
template <class C>
C TruncateModulo(C a, C b) {
  if constexpr (kIsInt<C>) return b == 0 || (std::is_signed_v<C> && b == C(-1)) ? C(0) : C(a % b);
  else return std::fmod(a, b);
}
// Sign of the divisor.
template <class C>
C FloorModulo(C a, C b) {
  C r = TruncateModulo(a, b);
  if (r != C(0) && (r < C(0)) != (b < C(0))) r += b;
  return r;
}
template <class C>
C IntegerPower(C base, C exponent) {
  if constexpr (std::is_signed_v<C>) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? ((exponent & 1) ? -1 : 1) : 0;
  }
  C result = 1;
  for (uint64_t e = uint64_t(exponent); e; e >>= 1) {
    if (e & 1) result = WrapMul(result, base);
    base = WrapMul(base, base);
  }
  return result;
}
template <class C>
C Power(C base, C exponent) {
  if constexpr (kIsInt<C>) return IntegerPower(base, exponent);
  else return std::pow(base, exponent);
}
// NaN wins, as in NumPy.
template <class C>
C Max(C a, C b) {
  return a > b || a != a ? a : b;
}
template <class C>
C Min(C a, C b) {
  return a < b || a != a ? a : b;
}

template <class C>
C Sigmoid(C x) {
  if (x >= 0) return C(1) / (C(1) + std::exp(-x));
  C e = std::exp(x);
  return e / (C(1) + e);
}
template <class C>
C Softplus(C x) {
  return Max(x, C(0)) + std::log1p(std::exp(-std::abs(x)));
}
template <class C>
C GeluErf(C x) {
  return C(0.5) * x * (C(1) + std::erf(x * C(0.70710678118654752440)));
}
template <class C>
C GeluTanh(C x) {
  return C(0.5) * x * (C(1) + std::tanh(C(0.79788456080286535588) * (x + C(0.044715) * x * x * x)));
}
template <class C>
C Clip(C x, C low, C high) {
  return Min(Max(x, low), high);
}
template <class C>
C HardSwish(C x) {
  return x * (Clip(x + C(3), C(0), C(6)) / C(6));  // x times 6 could overflow
}
template <class C>
C Mish(C x) {
  return x * std::tanh(Softplus(x));
}
template <class C>
C Sign(C x) {
  if (x != x) return x;
  return C(x > C(0)) - C(std::is_signed_v<C> && x < C(0));
}

}  // namespace reference
