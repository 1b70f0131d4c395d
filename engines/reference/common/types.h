// Element types: 16-bit floating point conversions, sizes, sets of types.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "ge/engine_kit/data_types.hpp"
#include "graph/c_types.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace reference {

// IEEE binary16 and bfloat16 as stored; arithmetic is done in float.
struct Half {
  uint16_t bits;
};
struct Bf16 {
  uint16_t bits;
};
struct Bool {
  uint8_t value;
};

inline float ToFloat(Half h) {
#ifdef __F16C__
  return _cvtsh_ss(h.bits);
#else
  uint32_t sign = uint32_t(h.bits & 0x8000u) << 16, exponent = (h.bits >> 10) & 31u, mantissa = h.bits & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float subnormal = float(mantissa) * 0x1p-24f;
  return sign ? -subnormal : subnormal;
#endif
}

// Round to nearest, ties to even.
inline Half ToHalf(float f) {
#ifdef __F16C__
  return {uint16_t(_cvtss_sh(f, _MM_FROUND_TO_NEAREST_INT))};
#else
  uint32_t u = std::bit_cast<uint32_t>(f), sign = (u >> 16) & 0x8000u, magnitude = u & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return {uint16_t(sign | 0x7E00u | ((magnitude >> 13) & 0x1FFu))};
  if (magnitude >= 0x477FF000u) return {uint16_t(sign | 0x7C00u)};
  if (magnitude < 0x38800000u) {  // subnormal: let float addition do the rounding
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return {uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000u))};
  }
  return {uint16_t(sign | ((magnitude - 0x38000000u + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13))};
#endif
}

inline float ToFloat(Bf16 b) { return std::bit_cast<float>(uint32_t(b.bits) << 16); }

inline Bf16 ToBf16(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f);
  if ((u & 0x7FFFFFFFu) > 0x7F800000u) return {uint16_t((u >> 16) | 0x40u)};
  return {uint16_t((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16)};
}

// double to float so that a second rounding to 16 bits gives the correctly rounded result (round to odd).
inline float ToFloatOdd(double d) {
  float f = float(d);
  if (double(f) == d || f != f) return f;
  uint32_t u = std::bit_cast<uint32_t>(f);
  if (u & 1u) return f;
  bool away = (double(f) > d) == (d > 0);  // rounded away from zero: step back towards it
  return std::bit_cast<float>(away ? u - 1 : u + 1);
}

using TypeSet = uint64_t;
constexpr TypeSet TypeBit(int32_t type) { return type >= 0 && type < 64 ? TypeSet(1) << type : 0; }
constexpr TypeSet kFloat16s = TypeBit(C_DT_FLOAT16) | TypeBit(C_DT_BF16);
constexpr TypeSet kFloats32 = TypeBit(C_DT_FLOAT) | kFloat16s;  // what float arithmetic serves
constexpr TypeSet kFloats = kFloats32 | TypeBit(C_DT_DOUBLE);
constexpr TypeSet kSigned = TypeBit(C_DT_INT8) | TypeBit(C_DT_INT16) | TypeBit(C_DT_INT32) | TypeBit(C_DT_INT64);
constexpr TypeSet kUnsigned = TypeBit(C_DT_UINT8) | TypeBit(C_DT_UINT16) | TypeBit(C_DT_UINT32) | TypeBit(C_DT_UINT64);
constexpr TypeSet kInts = kSigned | kUnsigned;
constexpr TypeSet kNumbers = kFloats | kInts;
// Types that are only converted: 8-bit floating point and types of which several share a byte.
constexpr TypeSet kFp8 = TypeBit(C_DT_FLOAT8_E5M2) | TypeBit(C_DT_FLOAT8_E4M3FN) | TypeBit(C_DT_FLOAT8_E5M2FNUZ) |
                         TypeBit(C_DT_FLOAT8_E4M3FNUZ);
constexpr TypeSet kPackedInts = TypeBit(C_DT_INT4) | TypeBit(C_DT_UINT4) | TypeBit(C_DT_INT2) | TypeBit(C_DT_UINT2);
constexpr TypeSet kPacked = kPackedInts | TypeBit(C_DT_FLOAT4_E2M1);
constexpr TypeSet kSmall = kFp8 | TypeBit(C_DT_FLOAT8_E8M0) | kPacked;
constexpr TypeSet kBool = TypeBit(C_DT_BOOL);
constexpr TypeSet kReal = kNumbers | kBool;
constexpr TypeSet kIndex = TypeBit(C_DT_INT32) | TypeBit(C_DT_INT64);
// Everything whose elements fill whole bytes: what operators that only move data accept.
constexpr TypeSet kMovable = kReal | TypeBit(C_DT_COMPLEX32) | TypeBit(C_DT_COMPLEX64) | TypeBit(C_DT_COMPLEX128) |
                             TypeBit(C_DT_QINT8) | TypeBit(C_DT_QINT16) | TypeBit(C_DT_QINT32) | TypeBit(C_DT_QUINT8) |
                             TypeBit(C_DT_QUINT16) | TypeBit(C_DT_HIFLOAT8) | kFp8 | TypeBit(C_DT_FLOAT8_E8M0);

// Largest and smallest value of an integer type; of int64_t and uint64_t for the types that are none.
struct IntRange {
  int64_t lowest = INT64_MIN;
  uint64_t highest = INT64_MAX;
};
inline IntRange RangeOf(int32_t type) {
  const bool known = ((kInts | kPackedInts) & TypeBit(type)) != 0;
  const int bits = known ? int(ge::kit::DataTypeBits(type)) : 64;
  if ((kUnsigned | TypeBit(C_DT_UINT4) | TypeBit(C_DT_UINT2)) & TypeBit(type))
    return {0, bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1};
  return bits == 64 ? IntRange{} : IntRange{-(int64_t{1} << (bits - 1)), (uint64_t{1} << (bits - 1)) - 1};
}

// Bytes of one element; 0 for types that do not fill whole bytes.
inline size_t ElementSize(int32_t type) { return size_t(ge::kit::ElementBytes(type)); }
using ge::kit::DataTypeName;

}  // namespace reference
