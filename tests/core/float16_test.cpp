// Conversions to 16 bits against the definition of the formats: every number of 16 bits stands for itself, and what
// lies between two neighbours goes to the nearer one, from the middle to the even one.
#include "core/support/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gec {
namespace {

/// The value of bits with a sign, `exponent_bits` and `fraction_bits` (IEEE 754-2019, section 3.4).
double Value(uint16_t bits, int exponent_bits, int fraction_bits) {
  const int fraction = bits & ((1 << fraction_bits) - 1), exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double size = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                    : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return bits & 0x8000 ? -size : size;
}

template <class Convert>
void EveryNumberAndWhatLiesBetween(int exponent_bits, int fraction_bits, const Convert &convert) {
  const int infinity = ((1 << exponent_bits) - 1) << fraction_bits;
  for (int sign : {0, 0x8000}) {
    for (int code = 0; code < infinity; ++code) {
      const auto bits = static_cast<uint16_t>(sign | code), next = static_cast<uint16_t>(bits + 1);
      const double here = Value(bits, exponent_bits, fraction_bits), there = Value(next, exponent_bits, fraction_bits);
      ASSERT_EQ(convert(static_cast<float>(here)), bits);
      const auto middle = static_cast<float>((here + there) / 2);
      ASSERT_EQ(convert(middle), code % 2 ? next : bits) << middle;
      ASSERT_EQ(convert(std::nextafter(middle, static_cast<float>(here))), bits) << middle;
      ASSERT_EQ(convert(std::nextafter(middle, static_cast<float>(sign ? -HUGE_VAL : HUGE_VAL))), next) << middle;
    }
    const float endless = std::numeric_limits<float>::infinity();
    EXPECT_EQ(convert(sign ? -endless : endless), sign | infinity);
  }
  EXPECT_GT(convert(std::numeric_limits<float>::quiet_NaN()) & 0x7fff, infinity);
}

TEST(Float16, Binary16) { EveryNumberAndWhatLiesBetween(5, 10, ToHalfBits); }
TEST(Float16, Bfloat16) {
  // The smallest bfloat16s are subnormal floats, whose halves exist as well: float has 16 more bits everywhere.
  EveryNumberAndWhatLiesBetween(8, 7, ToBf16Bits);
}

}  // namespace
}  // namespace gec
