// Elementary functions of vectors, written once over a vector type V that the including file defines. Left to itself
// the compiler turns the bounds of such functions, behind which NaNs have to stay NaNs, into masks and blends, which
// take as long as all the rest.
#pragma once

#include <stdint.h>

#include "activation.h"

namespace {

using F = V::T;
typedef int32_t Bits __attribute__((vector_size(sizeof(F))));

inline F Clamp(F x, float low, float high) { return V::Min(V::Set(high), V::Max(V::Set(low), x)); }

// e^x for x of -87.33 to 88.37, as 2^n times a number near 1, which is 1 + r + r^2 q(r) with the polynomial q of degree
// 4 that has the least relative error (3.1e-8); error below 2 units in the last place.
inline F ExpInside(F x) {
  const V::Nearest n = V::NearestOf(x * 1.44269504f);
  F r = x - n.whole * 0.693145752f;
  r = r - n.whole * 1.42860677e-6f;
  F p = V::Set(1.322706095672164e-3f);
  p = p * r + 8.357018339781499e-3f;
  p = p * r + 4.16751265652342e-2f;
  p = p * r + 0.16666616534639922f;
  p = p * r + 0.4999998007580895f;
  p = p * r + 1.f;
  return V::TimesPower(p * r + 1.f, n);
}

// e^x for x up to 88.37, from where on it stays (2.4e38); from 1.2e-38 on below.
inline F Exp(F x) { return ExpInside(Clamp(x, -87.33f, 88.37f)); }

// The same for x <= 0, which takes fewer steps.
inline F ExpNegative(F x) { return ExpInside(V::Max(V::Set(-87.33f), x)); }

inline F Sigmoid(F x) { return 1.f / (1.f + Exp(-x)); }

// Rational approximation, relative error about 1e-7; exactly 1 and -1 from its limits on, since GELU multiplies what is
// left of 1 by its argument.
inline F Tanh(F x) {
  constexpr float kLimit = 7.90531110763549805f;
  x = Clamp(x, -kLimit, kLimit);
  F s = x * x;
  F p = V::Set(-2.76076847742355e-16f);
  p = p * s + 2.00018790482477e-13f;
  p = p * s + -8.60467152213735e-11f;
  p = p * s + 5.12229709037114e-08f;
  p = p * s + 1.48572235717979e-05f;
  p = p * s + 6.37261928875436e-04f;
  p = p * s + 4.89352455891786e-03f;
  F q = V::Set(1.19825839466702e-06f);
  q = q * s + 1.18534705686654e-04f;
  q = q * s + 2.26843463243900e-03f;
  q = q * s + 4.89352518554385e-03f;
  F y = x * p / q;
  y = x >= V::Set(kLimit) ? V::Set(1) : y;
  return x <= V::Set(-kLimit) ? V::Set(-1) : y;
}

// Rational approximation of the error function, error below 5e-7, from 1e-30 on also relative to the value. At its
// limits, where the function is 1 to the last place, it has risen to 1 and 7e-7, so 1 is exact from there on.
inline F Erf(F x) {
  constexpr float kLimit = 4.1f;
  x = Clamp(x, -kLimit, kLimit);
  F s = x * x;
  F p = V::Set(-2.72614225801306e-10f);
  p = p * s + 2.77068142495902e-08f;
  p = p * s + -2.10102402082508e-06f;
  p = p * s + -5.69250639462346e-05f;
  p = p * s + -7.34990630326855e-04f;
  p = p * s + -2.95459980854025e-03f;
  p = p * s + -1.60960333262415e-02f;
  F q = V::Set(-1.45660718464996e-05f);
  q = q * s + -2.13374055278905e-04f;
  q = q * s + -1.68282697438203e-03f;
  q = q * s + -7.37332916720468e-03f;
  q = q * s + -1.42647390514189e-02f;
  return Clamp(x * p / q, -1, 1);
}

// Some values of an array: a vector of them, or what the last vector has.
struct WholeVector {
  int64_t at;
  F Load(const float *p) const { return V::Load(p + at); }
  void Store(float *p, F v) const { V::Store(p + at, v); }
};
struct PartOfVector {
  int64_t at;
  V::Mask mask;
  F Load(const float *p) const { return V::LoadPart(p + at, mask); }
  void Store(float *p, F v) const { V::StorePart(p + at, v, mask); }
};

// Calls `body` with all places of n values in turn.
template <class Body>
inline void ForVectors(int64_t n, const Body &body) {
  int64_t at = 0;
  for (; at + V::kWidth <= n; at += V::kWidth) body(WholeVector{at});
  if (at < n) body(PartOfVector{at, V::MaskOf(int(n - at))});
}

// Calls `use` with the function of a vector that the activation is: each has its own code where it is used.
template <class Use>
inline void WithActivation(onednn::Act kind, float alpha, float beta, const Use &use) {
  using onednn::Act;
  switch (kind) {
    case Act::kNone:
      return use([](F v) { return v; });
    case Act::kRelu:
      return use([](F v) { return V::Max(V::Zero(), v); });
    case Act::kLeakyRelu:
      return use([=](F v) { return v > V::Zero() ? v : alpha * v; });
    case Act::kClip:
      return use([=](F v) { return Clamp(v, alpha, beta); });
    case Act::kSigmoid:
      return use([](F v) { return Sigmoid(v); });
    case Act::kTanh:
      return use([](F v) { return Tanh(v); });
    case Act::kSwish:
      return use([](F v) {
        const F u = V::Max(V::Set(-88.37f), v);  // from there on it is 0 but for 1e-36
        return u / (1.f + ExpInside(-V::Min(V::Set(87.33f), u)));
      });
    case Act::kGeluErf:
      return use([](F v) { return 0.5f * v * (1.f + Erf(v * 0.70710678f)); });
    case Act::kGeluTanh:
      return use([](F v) { return 0.5f * v * (1.f + Tanh(0.79788456f * (v + 0.044715f * v * v * v))); });
    case Act::kHardSwish:
      return use([](F v) { return v * Clamp(v / 6.f + 0.5f, 0.f, 1.f); });
    case Act::kHardSigmoid:
      return use([=](F v) { return Clamp(alpha * v + beta, 0.f, 1.f); });
    case Act::kElu:
      return use([=](F v) { return v > V::Zero() ? v : alpha * (Exp(v) - 1.f); });
  }
}

inline void ActivateRow(int64_t n, float *x, onednn::Act kind, float alpha, float beta) {
  if (kind == onednn::Act::kNone) return;
  WithActivation(kind, alpha, beta, [=](const auto &function) {
    ForVectors(n, [=](const auto &at) { at.Store(x, function(at.Load(x))); });
  });
}

}  // namespace
