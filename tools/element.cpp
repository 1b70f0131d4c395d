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

}  // namespace

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
