#include "element.h"

#include <cmath>
#include <cstring>

#include "ge/data.h"

namespace tool {
namespace {

template <typename T>
double At(const char *data, size_t i) {
  T v;
  std::memcpy(&v, data + i * sizeof(T), sizeof v);
  return static_cast<double>(v);
}

double HalfAt(const char *data, size_t i) {
  uint16_t h;
  std::memcpy(&h, data + i * 2, 2);
  const int exponent = h >> 10 & 31;
  const double fraction = h & 1023, sign = h & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

double BrainFloatAt(const char *data, size_t i) {
  uint32_t bits = 0;
  std::memcpy(reinterpret_cast<char *>(&bits) + 2, data + i * 2, 2);
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

// As float: what is left out sets the last bit, so that rounding once more gives what rounding once would.
uint32_t FloatBits(double value) {
  const float nearest = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest)) return bits;
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) --bits;
  return bits | 1;
}

// The 32 bits shortened to the upper ones: to nearest, a tie to even.
uint32_t Rounded(uint32_t bits, int dropped) {
  const uint32_t half = uint32_t{1} << (dropped - 1);
  return (bits + half - 1 + (bits >> dropped & 1)) >> dropped;
}

}  // namespace

uint16_t HalfBits(double value) {
  const uint32_t bits = FloatBits(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7c00);  // infinite, or rounded to it
  const int exponent = static_cast<int>(magnitude >> 23) - 127 + 15;
  const uint32_t fraction = (magnitude & 0x7fffff) | 0x800000;
  if (exponent < -10) return static_cast<uint16_t>(sign);
  if (exponent <= 0) return static_cast<uint16_t>(sign | Rounded(fraction, 14 - exponent));
  return static_cast<uint16_t>(sign | Rounded((static_cast<uint32_t>(exponent) << 23) | (magnitude & 0x7fffff), 13));
}

uint16_t BrainFloatBits(double value) {
  const uint32_t bits = FloatBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>(Rounded(bits, 16));
}

bool IsReal(int32_t type) {
  return type == C_DT_FLOAT || type == C_DT_DOUBLE || type == C_DT_FLOAT16 || type == C_DT_BF16;
}

ElementReader ReaderOf(int32_t type) {
  switch (type) {
    case C_DT_FLOAT:
      return At<float>;
    case C_DT_DOUBLE:
      return At<double>;
    case C_DT_FLOAT16:
      return HalfAt;
    case C_DT_BF16:
      return BrainFloatAt;
    case C_DT_INT8:
      return At<int8_t>;
    case C_DT_INT16:
      return At<int16_t>;
    case C_DT_INT32:
      return At<int32_t>;
    case C_DT_INT64:
      return At<int64_t>;
    case C_DT_UINT8:
    case C_DT_BOOL:
      return At<uint8_t>;
    case C_DT_UINT16:
      return At<uint16_t>;
    case C_DT_UINT32:
      return At<uint32_t>;
    case C_DT_UINT64:
      return At<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace tool
