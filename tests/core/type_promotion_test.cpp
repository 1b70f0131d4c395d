// The type in which values of two types are computed. The table is PyTorch's (the result of torch.promote_types for
// every pair); the pairs with DT_UINT16 and DT_UINT32 are NumPy's.
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <string>

#include "ge/data.h"

namespace {

const char *const kNames[] = {"u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c2", "c4", "c8", "b1", "bf"};
const std::map<std::string, int32_t> kTypes = {
    {"u1", C_DT_UINT8},     {"i1", C_DT_INT8},      {"i2", C_DT_INT16},      {"i4", C_DT_INT32},  {"i8", C_DT_INT64},
    {"f2", C_DT_FLOAT16},   {"f4", C_DT_FLOAT},     {"f8", C_DT_DOUBLE},     {"b1", C_DT_BOOL},   {"bf", C_DT_BF16},
    {"c2", C_DT_COMPLEX32}, {"c4", C_DT_COMPLEX64}, {"c8", C_DT_COMPLEX128}, {"u2", C_DT_UINT16}, {"u4", C_DT_UINT32},
    {"u8", C_DT_UINT64},    {"--", C_DT_UNDEFINED}, {"st", C_DT_STRING}};
const char *const kTable[][std::size(kNames)] = {
    {"u1", "i2", "i2", "i4", "i8", "f2", "f4", "f8", "c2", "c4", "c8", "u1", "bf"},
    {"i2", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c2", "c4", "c8", "i1", "bf"},
    {"i2", "i2", "i2", "i4", "i8", "f2", "f4", "f8", "c2", "c4", "c8", "i2", "bf"},
    {"i4", "i4", "i4", "i4", "i8", "f2", "f4", "f8", "c2", "c4", "c8", "i4", "bf"},
    {"i8", "i8", "i8", "i8", "i8", "f2", "f4", "f8", "c2", "c4", "c8", "i8", "bf"},
    {"f2", "f2", "f2", "f2", "f2", "f2", "f4", "f8", "c2", "c4", "c8", "f2", "f4"},
    {"f4", "f4", "f4", "f4", "f4", "f4", "f4", "f8", "c4", "c4", "c8", "f4", "f4"},
    {"f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "c8", "c8", "c8", "f8", "f8"},
    {"c2", "c2", "c2", "c2", "c2", "c2", "c4", "c8", "c2", "c4", "c8", "c2", "c4"},
    {"c4", "c4", "c4", "c4", "c4", "c4", "c4", "c8", "c4", "c4", "c8", "c4", "c4"},
    {"c8", "c8", "c8", "c8", "c8", "c8", "c8", "c8", "c8", "c8", "c8", "c8", "c8"},
    {"u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c2", "c4", "c8", "b1", "bf"},
    {"bf", "bf", "bf", "bf", "bf", "f4", "f4", "f8", "c4", "c4", "c8", "bf", "bf"},
};

TEST(TypePromotion, IsThatOfPyTorch) {
  for (size_t a = 0; a < std::size(kNames); ++a) {
    for (size_t b = 0; b < std::size(kNames); ++b)
      EXPECT_EQ(GePromoteDataTypes(kTypes.at(kNames[a]), kTypes.at(kNames[b])), kTypes.at(kTable[a][b]))
          << kNames[a] << " with " << kNames[b];
  }
}

TEST(TypePromotion, TakesUnsignedTypesAsNumPyDoes) {
  const struct {
    const char *a, *b, *both;
  } kCases[] = {{"u2", "i1", "i4"}, {"u2", "i2", "i4"}, {"u2", "i4", "i4"}, {"u2", "i8", "i8"}, {"u2", "u1", "u2"},
                {"u4", "i1", "i8"}, {"u4", "i4", "i8"}, {"u4", "i8", "i8"}, {"u4", "u2", "u4"}, {"u8", "u4", "u8"},
                {"u2", "f2", "f2"}, {"u4", "bf", "bf"}, {"u8", "f4", "f4"}, {"u8", "b1", "u8"}, {"u8", "c2", "c2"}};
  for (const auto &[a, b, both] : kCases) {
    EXPECT_EQ(GePromoteDataTypes(kTypes.at(a), kTypes.at(b)), kTypes.at(both)) << a << " with " << b;
    EXPECT_EQ(GePromoteDataTypes(kTypes.at(b), kTypes.at(a)), kTypes.at(both)) << b << " with " << a;
  }
}

TEST(TypePromotion, HasNoAnswerWhereNoTypeHoldsBoth) {
  for (const char *other : {"i1", "i2", "i4", "i8", "st"})
    EXPECT_EQ(GePromoteDataTypes(C_DT_UINT64, kTypes.at(other)), C_DT_UNDEFINED) << other;
  EXPECT_EQ(GePromoteDataTypes(C_DT_STRING, C_DT_FLOAT), C_DT_UNDEFINED);
  EXPECT_EQ(GePromoteDataTypes(C_DT_INT4, C_DT_INT8), C_DT_UNDEFINED);
  EXPECT_EQ(GePromoteDataTypes(C_DT_STRING, C_DT_STRING), C_DT_STRING);
  EXPECT_EQ(GePromoteDataTypes(C_DT_UNDEFINED, C_DT_INT8), C_DT_INT8);
  EXPECT_EQ(GePromoteDataTypes(C_DT_INT8, C_DT_UNDEFINED), C_DT_INT8);
  EXPECT_EQ(GePromoteDataTypes(9999, C_DT_INT8), C_DT_UNDEFINED);
  EXPECT_EQ(GePromoteDataTypes(-5, -7), C_DT_UNDEFINED);
}

}  // namespace
