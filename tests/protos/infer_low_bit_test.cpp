// Products with packed weights, slices of packed tables: shapes, and what does not go together.
#include <gtest/gtest.h>

#include "tests/protos/infer_case.h"

namespace gec {
namespace {

/// 6 columns of 80 values in blocks of 32, 4 bits each; x is [2, 5, 80].
struct PackedProduct {
  Ints x = {2, 5, 80}, weight = {6, 3, 16}, scale = {6, 3}, zero = {6, 2}, residual;
  int32_t zero_type = C_DT_UINT8;
  int64_t k = 80, block = 32, bits = 4;

  std::string Text() const {
    InferCase c("WeightOnlyQuantizedMatMul");
    c.F(x).T(C_DT_UINT8, weight).F(scale).T(zero_type, zero).None().None();
    if (residual.empty()) c.None();
    else c.F(residual);
    return c.A("k", k).A("block_size", block).A("bits", bits).Shape();
  }
};

TEST(InferLowBit, ProductsHaveAColumnForEachRowOfTheWeights) {
  PackedProduct p;
  EXPECT_EQ(p.Text(), "[2, 5, 6]");
  p.x = {80};
  EXPECT_EQ(p.Text(), "[6]");
  p.x = {-1, 80};
  EXPECT_EQ(p.Text(), "[-1, 6]");
  p.residual = {7, 6};
  EXPECT_EQ(p.Text(), "[7, 6]");
  p.zero_type = C_DT_FLOAT, p.zero = {6, 3};
  EXPECT_EQ(p.Text(), "[7, 6]");
}

TEST(InferLowBit, ProductsThatDoNotFit) {
  const auto refused = [](auto change) {
    PackedProduct p;
    change(p);
    return p.Text();
  };
  using P = PackedProduct;
  EXPECT_EQ(refused([](P &p) { p.bits = 3; }), "refused: bits is 3, expected 2, 4, 8 or 16");
  EXPECT_EQ(refused([](P &p) {
              p.bits = 16, p.weight = {6, 3, 64};
            }),
            "refused: zero_point is given, numbers of 16 bits have none");
  EXPECT_EQ(refused([](P &p) { p.block = 48; }), "refused: block_size is 48, expected a power of two from 16");
  EXPECT_EQ(refused([](P &p) { p.k = 0; }), "refused: k is 0, expected 1 or more");
  EXPECT_EQ(refused([](P &p) { p.weight = {6, 3, 8}; }), "refused: weight has shape [6, 3, 8], expected [6, 3, 16]");
  EXPECT_EQ(refused([](P &p) { p.scale = {6, 2}; }), "refused: scale has shape [6, 2], expected [6, 3]");
  EXPECT_EQ(refused([](P &p) { p.zero = {6, 3}; }), "refused: zero_point has shape [6, 3], expected [6, 2]");
  EXPECT_EQ(refused([](P &p) {
              p.x = {2, 81};
            }),
            "refused: x has shape [2, 81], its last extent must be k, which is 80");
}

TEST(InferLowBit, SlicesOfATable) {
  const auto slices = [](const Ints &data, const Ints &scale, int64_t bits, int32_t type = C_DT_UINT8) {
    return InferCase("GatherBlockQuantized")
        .T(type, data)
        .T(C_DT_INT64, {4, 2})
        .F(scale)
        .None()
        .A("bits", bits)
        .A("block_size", int64_t{16})
        .Shape();
  };
  EXPECT_EQ(slices({9, 32}, {9, 4}, 4), "[4, 2, 64]");
  EXPECT_EQ(slices({9, 32}, {9, 2}, 8), "[4, 2, 32]");
  EXPECT_EQ(slices({9, 32}, {9, 2}, 4, C_DT_FLOAT16), "[4, 2, 32]");
  EXPECT_EQ(slices({9, 32}, {9, 2}, 16), "refused: bits is 16, expected 2, 4 or 8");
  EXPECT_EQ(slices({9, 32}, {9, 3}, 4), "refused: scale has shape [9, 3], expected [9, 4]");
}

}  // namespace
}  // namespace gec
