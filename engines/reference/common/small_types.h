// Numbers of 8 bits and less: floating point as OCP and ONNX define it, and integers of which several share a byte.
#pragma once

#include <algorithm>

#include "common/types.h"

namespace reference {

// Sign, exponent and fraction in `bits` bits; arithmetic is done in float.
struct SmallFormat {
  int bits, fraction_bits, bias;
  float largest;
  uint8_t nan;       // code of NaN; that of zero with a sign where there is none
  uint8_t infinity;  // code that stands for what is too large where a cast does not saturate
  bool signed_zero, signed_nan;
};
constexpr SmallFormat kE5M2 = {8, 2, 15, 57344.0f, 0x7f, 0x7c, true, true};
constexpr SmallFormat kE4M3FN = {8, 3, 7, 448.0f, 0x7f, 0x7f, true, true};
constexpr SmallFormat kE5M2FNUZ = {8, 2, 16, 57344.0f, 0x80, 0x80, false, false};
constexpr SmallFormat kE4M3FNUZ = {8, 3, 8, 240.0f, 0x80, 0x80, false, false};
constexpr SmallFormat kE2M1 = {4, 1, 1, 6.0f, 0x8, 0x7, true, false};

// The format of a type of 8-bit floating point with a sign; of any other type E4M3FNUZ's.
inline SmallFormat FormatOf(int32_t type) {
  return type == C_DT_FLOAT8_E5M2       ? kE5M2
         : type == C_DT_FLOAT8_E4M3FN   ? kE4M3FN
         : type == C_DT_FLOAT8_E5M2FNUZ ? kE5M2FNUZ
                                        : kE4M3FNUZ;
}

inline float FromSmall(const SmallFormat &s, uint8_t code) {
  const uint8_t sign_bit = uint8_t(1 << (s.bits - 1)), magnitude = code & uint8_t(sign_bit - 1);
  const int exponent = magnitude >> s.fraction_bits, one = 1 << s.fraction_bits, fraction = magnitude & (one - 1);
  const float nan = std::bit_cast<float>(0x7fc00000u);
  if (!s.signed_zero && code == s.nan) return nan;
  float f = exponent ? std::ldexp(float(one + fraction), exponent - s.bias - s.fraction_bits)
                     : std::ldexp(float(fraction), 1 - s.bias - s.fraction_bits);
  if (f > s.largest) f = magnitude == s.infinity && s.infinity != s.nan ? std::bit_cast<float>(0x7f800000u) : nan;
  return code & sign_bit ? -f : f;
}

// To nearest, ties to even. What is too large, infinity included, becomes the largest finite value, or, without
// saturation, infinity or NaN.
inline uint8_t ToSmall(const SmallFormat &s, float f, bool saturate = true) {
  const uint8_t sign = std::signbit(f) ? uint8_t(1 << (s.bits - 1)) : 0;
  if (f != f) return s.signed_nan ? uint8_t(sign | s.nan) : s.nan;
  // Twice the largest is beyond it however it is rounded.
  const float a = std::fmin(std::fabs(f), saturate ? s.largest : 2 * s.largest);
  int exponent;
  std::frexp(a, &exponent);
  exponent = a == 0 || exponent - 1 < 1 - s.bias ? 1 - s.bias : exponent - 1;
  const int steps = int(std::nearbyint(std::ldexp(a, s.fraction_bits - exponent)));
  // Below 2^fraction_bits the number is subnormal; rounding up carries into the exponent by itself.
  const int code = steps + ((exponent + s.bias - 1) << s.fraction_bits);
  if (!saturate && (code >= 1 << (s.bits - 1) || !(FromSmall(s, uint8_t(code)) <= s.largest)))
    return s.signed_nan ? uint8_t(sign | s.infinity) : s.infinity;
  return code == 0 && !s.signed_zero ? uint8_t(0) : uint8_t(sign | code);
}

// Powers of two from 2^-127 to 2^127, no zero, no sign.
inline float FromE8M0(uint8_t code) {
  return code == 0xff ? std::bit_cast<float>(0x7fc00000u) : std::ldexp(1.0f, int(code) - 127);
}

enum class PowerRounding { kUp, kDown, kNearest };  // kNearest: ties up

// A number outside the range becomes its end, or NaN without saturation; negative numbers become NaN.
inline uint8_t ToE8M0(float f, bool saturate, PowerRounding rounding) {
  if (f != f || f < 0) return 0xff;
  if (f < 0x1p-127f) return saturate ? 0 : 0xff;
  if (std::isinf(f)) return saturate ? 254 : 0xff;
  int exponent;
  const float fraction = std::frexp(f, &exponent);  // in [0.5, 1)
  const bool up =
      fraction > 0.5f && (rounding == PowerRounding::kUp || (rounding == PowerRounding::kNearest && fraction >= 0.75f));
  const int code = exponent - 1 + 127 + up;
  return code > 254 ? (saturate ? 254 : 0xff) : uint8_t(code);
}

// Element i of a tensor of which several share a byte: low bits first.
inline uint8_t PackedCode(const void *base, int64_t i, int bits) {
  const int64_t at = i * bits;
  return uint8_t(static_cast<const uint8_t *>(base)[at / 8] >> (at % 8) & ((1 << bits) - 1));
}
// Writes it. Elements are written in ascending order: the first of a byte sets the rest of it to zero.
inline void SetPackedCode(void *base, int64_t i, int bits, uint8_t code) {
  const int64_t at = i * bits;
  uint8_t &byte = static_cast<uint8_t *>(base)[at / 8];
  const int shift = int(at % 8), mask = ((1 << bits) - 1) << shift;
  byte = shift == 0 ? code : uint8_t((byte & ~mask) | code << shift);
}
// As many elements start at a byte's first bit, whatever their type.
constexpr int64_t kByteElements = 8;

}  // namespace reference
