// Elementary functions as straight-line code that compilers vectorise. Everything is static: each instruction set has
// its own.
#pragma once

#include <stdint.h>

#include "activation.h"

namespace {

inline float AsFloat(int32_t bits) { return __builtin_bit_cast(float, bits); }

inline float Clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

// e^x as 2^n times a number near 1; error below 2 units in the last place.
inline float ExpParts(float x, float *power) {
  float n = *power = __builtin_rintf(x * 1.44269504f);
  float r = x - n * 0.693145752f;
  r = r - n * 1.42860677e-6f;
  float p = 1.f / 5040;
  p = p * r + 1.f / 720;
  p = p * r + 1.f / 120;
  p = p * r + 1.f / 24;
  p = p * r + 1.f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.f;
  return p * r + 1.f;
}

// e^x for x up to 88.37, from where on it stays (2.4e38); from 1.2e-38 on below.
inline float Exp(float x) {
  float n, p = ExpParts(Clamp(x, -87.33f, 88.37f), &n);
  return p * AsFloat(((int32_t)n + 127) << 23);
}

// The same for x <= 0, which takes fewer steps.
inline float ExpNegative(float x) {
  float n, p = ExpParts(x < -87.33f ? -87.33f : x, &n);
  return p * AsFloat(((int32_t)n + 127) << 23);
}

inline float Sigmoid(float x) { return 1.f / (1.f + Exp(-x)); }

// Rational approximation, relative error about 1e-7.
inline float Tanh(float x) {
  x = Clamp(x, -7.90531110763549805f, 7.90531110763549805f);
  float s = x * x;
  float p = -2.76076847742355e-16f;
  p = p * s + 2.00018790482477e-13f;
  p = p * s + -8.60467152213735e-11f;
  p = p * s + 5.12229709037114e-08f;
  p = p * s + 1.48572235717979e-05f;
  p = p * s + 6.37261928875436e-04f;
  p = p * s + 4.89352455891786e-03f;
  float q = 1.19825839466702e-06f;
  q = q * s + 1.18534705686654e-04f;
  q = q * s + 2.26843463243900e-03f;
  q = q * s + 4.89352518554385e-03f;
  return x * p / q;
}

// Abramowitz and Stegun 7.1.26, absolute error below 2e-7.
inline float Erf(float x) {
  float a = __builtin_fabsf(x);
  float t = 1.f / (1.f + 0.3275911f * a);
  float p = 1.061405429f;
  p = p * t + -1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t + -0.284496736f;
  p = p * t + 0.254829592f;
  float y = 1.f - p * t * ExpNegative(-a * a);
  return __builtin_copysignf(y, x);
}

// Calls `loop` with the function of one value that the activation is: each has a loop of its own to vectorise.
template <class Loop>
inline void WithActivation(onednn::Act kind, float alpha, float beta, const Loop &loop) {
  using onednn::Act;
  switch (kind) {
    case Act::kNone:
      return loop([](float v) { return v; });
    case Act::kRelu:
      return loop([](float v) { return v < 0 ? 0 : v; });
    case Act::kLeakyRelu:
      return loop([=](float v) { return v > 0 ? v : alpha * v; });
    case Act::kClip:
      return loop([=](float v) { return Clamp(v, alpha, beta); });
    case Act::kSigmoid:
      return loop([](float v) { return Sigmoid(v); });
    case Act::kTanh:
      return loop([](float v) { return Tanh(v); });
    case Act::kSwish:
      return loop([](float v) {
        const float u = v < -88.37f ? -88.37f : v;  // from there on it is 0 but for 1e-36
        return u / (1.f + Exp(-u));
      });
    case Act::kGeluErf:
      return loop([](float v) { return 0.5f * v * (1.f + Erf(v * 0.70710678f)); });
    case Act::kGeluTanh:
      return loop([](float v) { return 0.5f * v * (1.f + Tanh(0.79788456f * (v + 0.044715f * v * v * v))); });
    case Act::kHardSwish:
      return loop([](float v) { return v * Clamp(v / 6.f + 0.5f, 0.f, 1.f); });
    case Act::kHardSigmoid:
      return loop([=](float v) { return Clamp(alpha * v + beta, 0.f, 1.f); });
    case Act::kElu:
      return loop([=](float v) {
        const float e = alpha * (Exp(v) - 1.f);
        return v > 0 ? v : e;
      });
  }
}

inline void ActivateRow(int64_t n, float *__restrict x, onednn::Act kind, float alpha, float beta) {
  if (kind == onednn::Act::kNone) return;
  WithActivation(kind, alpha, beta, [=](const auto &function) {
    for (int64_t i = 0; i < n; ++i) x[i] = function(x[i]);
  });
}

}  // namespace
