// The bits of 16-bit floating point numbers (IEEE 754 binary16, bfloat16), rounded to nearest, ties to even. Written
// with integers: not every x86-64 processor has instructions for them.
#pragma once

#include <cstdint>
#include <cstring>

namespace gec {

inline uint16_t ToHalfBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  constexpr uint32_t kInfinity = 0x7f800000u, kOverflow = 0x477ff000u, kSmallestNormal = 0x38800000u;
  if (magnitude > kInfinity) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= kOverflow) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < kSmallestNormal) {  // a subnormal: the addition of 0.5 shifts it into place and rounds
    float shifted;
    std::memcpy(&shifted, &magnitude, sizeof shifted);
    shifted += 0.5f;
    std::memcpy(&bits, &shifted, sizeof bits);
    return static_cast<uint16_t>(sign | (bits - 0x3f000000u));
  }
  // The exponent's bias goes from 127 to 15; 13 bits of the fraction are rounded away.
  return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13));
}

inline uint16_t ToBf16Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float FromBf16Bits(uint16_t half) {
  const uint32_t bits = uint32_t{half} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float FromHalfBits(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16, exponent = (half >> 10) & 0x1fu, fraction = half & 0x3ffu;
  uint32_t bits = sign | ((exponent + 112) << 23) | (fraction << 13);
  if (exponent == 0x1f) bits = sign | 0x7f800000u | (fraction << 13);
  float value;
  if (exponent == 0) {  // zero or a subnormal: a multiple of 2^-24
    value = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -value : value;
  }
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace gec
