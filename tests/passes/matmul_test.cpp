// Matrix products: scale, bias, residual, activation and transposed operands.
#include "core/ops/make_node.h"
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

TEST(FuseMatMul, ScaleBiasResidualActivation) {
  for (int parts = 1; parts < 16; ++parts) {
    for (bool batch : {false, true}) {
      Builder b;
      Endpoint x = batch ? b.Input({2, 3, 4}) : b.Input({3, 4});
      Endpoint r = batch ? b.Input({2, 3, 5}) : b.Input({3, 5});
      Endpoint y = b(batch ? "BatchMatMulV2" : "MatMulV2", {x, b.Random({4, 5})});
      if (parts & 1) y = batch ? b("RealDiv", {y, b.Scalar(8)}) : b("Mul", {b.Scalar(0.125f), y});
      if (parts & 2) y = batch ? b("Add", {b.Random({1, 1, 5}), y}) : b("Add", {y, b.Random({5})});
      if (parts & 4) y = b("Add", {r, y});
      if (parts & 8) y = b("GeluV2", {y});
      b.Outputs({y});
      EXPECT_TRUE(Differential(b, {"FuseMatMul"}));
      Node *fused = Only(*b.graph, "FusedMatMulV2");
      EXPECT_FLOAT_EQ(fused->Float("scale"), parts & 1 ? 0.125f : 1);
      EXPECT_EQ(static_cast<bool>(fused->input(2)), (parts & 2) != 0);
      EXPECT_EQ(static_cast<bool>(fused->input(3)), (parts & 4) != 0);
      EXPECT_EQ(fused->String("activation"), parts & 8 ? "gelu_erf" : "");
      EXPECT_EQ(Count(*b.graph, "Add") + Count(*b.graph, "Mul") + Count(*b.graph, "RealDiv"), 0u);
    }
  }
}

/// x * w in one of three forms, with an epilogue whose parts the bits of `parts` choose.
Node *FusedOf(Builder &b, const char *type, int parts, int side) {
  Endpoint x = b.Input(side & 1 ? Shape{4, 3} : Shape{3, 4}), r = b.Input({3, 5});
  Endpoint w = b.Random(side & 2 ? Shape{5, 4} : Shape{4, 5});
  if (side & 1) x = b("Transpose", {x, b.Ints({1, 0})});
  if (side & 2) w = b("Transpose", {w, b.Ints({1, 0})});
  Endpoint y = b(type, {x, w});
  if (parts & 1) y = b("Mul", {y, b.Scalar(0.125f)});
  if (parts & 2) y = b(parts & 4 ? "Add" : "BiasAdd", {y, b.Random({5})});
  if (parts & 4) y = b("Add", {y, r});
  y = b("Relu", {y});
  b.Outputs({y});
  EXPECT_TRUE(Differential(b, {"FuseMatMul"}));
  return Only(*b.graph, "FusedMatMulV2");
}

TEST(FuseMatMul, AProductOfTwoMatricesIsTheSameUnderEveryName) {
  for (int parts = 0; parts < 8; ++parts) {
    for (int side = 0; side < 4; ++side) {
      Builder first, second;
      const Node *flat = FusedOf(first, "MatMulV2", parts, side),
                 *batch = FusedOf(second, "BatchMatMulV2", parts, side);
      EXPECT_EQ(first.graph->node_count(), second.graph->node_count());
      for (const char *attr : {"adj_x1", "adj_x2"}) EXPECT_EQ(flat->Bool(attr), batch->Bool(attr)) << attr;
      EXPECT_EQ(batch->Bool("adj_x1"), (side & 1) != 0);
      EXPECT_EQ(flat->Float("scale"), batch->Float("scale"));
      EXPECT_EQ(batch->String("activation"), "relu");
      for (size_t i : {size_t{2}, size_t{3}})
        EXPECT_EQ(static_cast<bool>(flat->input(i)), static_cast<bool>(batch->input(i))) << i;
    }
  }
}

TEST(FuseMatMul, ABiasOfMoreDimensionsIsSeenAsARow) {
  Builder b;
  Endpoint q = b.Input({1, 2, 3, 4}), k = b.Input({1, 2, 4, 5}), mask = b.Input({1, 1, 1, 5});
  b.Outputs({b("Add", {b("Mul", {b("BatchMatMulV2", {q, k}), b.Scalar(0.5f)}), mask})});
  EXPECT_TRUE(Differential(b, {"FuseMatMul"}));
  EXPECT_EQ(Count(*b.graph, "Add") + Count(*b.graph, "Mul"), 0u);
}

std::vector<TensorPtr> Indices(const Shape &shape, int32_t dtype, std::vector<int64_t> values) {
  if (dtype == C_DT_INT64) return {Tensor::Of(dtype, shape, values)};
  return {Tensor::Of(dtype, shape, std::vector<int32_t>(values.begin(), values.end()))};
}

TEST(OneHotMatMul, RowsAreLookedUpAndIndicesOutsideGiveZeros) {
  for (int32_t dtype : {C_DT_INT32, C_DT_INT64}) {
    for (bool compare : {true, false}) {
      Builder b;
      Shape shape = compare ? Shape{2, 4, 1} : Shape{2, 4};
      Endpoint x = b.Input(shape, dtype), hot;
      if (compare) {
        std::vector<int64_t> n{0, 1, 2, 3, 4};
        Endpoint iota{MakeConst(*b.graph, Indices({1, 1, 5}, dtype, n)[0], "iota"), 0};
        hot = b("Cast", {b("Equal", {x, iota})}, {{"dst_type", int64_t{C_DT_FLOAT}}});
      } else {
        hot = b("OneHot", {x, b.Int(5), b.Scalar(1), b.Scalar(0)}, {{"axis", int64_t{-1}}});
      }
      b.Outputs({b("BatchMatMulV2", {hot, b.Random({5, 3})})});
      auto feeds = Indices(shape, dtype, {0, 4, 2, 2, -1, 5, 1000, -1000});
      std::vector<TensorPtr> before = Execute(*b.graph, feeds, Reference());
      EXPECT_TRUE(RunOne(*b.graph, "OneHotMatMul"));
      EXPECT_EQ(Count(*b.graph, "BatchMatMulV2"), 0u);
      ExpectSame(before, Execute(*b.graph, feeds, Reference()), 0);
    }
  }
}

TEST(OneHotMatMul, RowsOfAMatrixUnderEitherName) {
  for (const char *type : {"MatMulV2", "BatchMatMulV2"}) {
    Builder b;
    Endpoint x = b.Input({4}, C_DT_INT64);
    Endpoint hot = b("OneHot", {x, b.Int(5), b.Scalar(1), b.Scalar(0)}, {{"axis", int64_t{-1}}});
    b.Outputs({b(type, {hot, b.Random({5, 3})})});
    EXPECT_TRUE(RunOne(*b.graph, "OneHotMatMul")) << type;
    EXPECT_EQ(Count(*b.graph, type), 0u);
  }
}

TEST(OneHotMatMul, MustNotMatch) {
  for (int how = 0; how < 4; ++how) {
    Builder b;
    Endpoint x = b.Input(how == 0 ? Shape{2, 5} : Shape{2, 1}, C_DT_INT64);  // 0: an index per element, not per row
    Endpoint iota = how == 1 ? b.Ints({0, 1, 2, 3, 5}) : b.Ints({0, 1, 2, 3, 4});
    Endpoint hot = b("Cast", {b("Equal", {x, iota})}, {{"dst_type", int64_t{C_DT_FLOAT}}});
    Endpoint table = how == 2 ? b.Input({5, 3}) : how == 3 ? b("Neg", {b.Random({5, 3})}) : b.Random({5, 3});
    b.Outputs({b("MatMulV2", {hot, table})});
    EXPECT_FALSE(RunOne(*b.graph, "OneHotMatMul")) << how;
  }
}

TEST(FuseMatMul, ResidualBeforeBias) {
  Builder b;
  Endpoint x = b.Input({3, 4}), r = b.Input({3, 5});
  b.Outputs({b("Add", {b("Add", {b("MatMulV2", {x, b.Random({4, 5})}), r}), b.Random({5})})});
  EXPECT_TRUE(Differential(b, {"FuseMatMul"}));
  EXPECT_EQ(Count(*b.graph, "Add"), 0u);
}

TEST(FuseMatMul, TransposedOperands) {
  for (int side = 0; side < 2; ++side) {
    Builder b;
    Endpoint p = b.Input(side ? Shape{2, 3, 4} : Shape{2, 4, 3}), q = b.Input(side ? Shape{2, 5, 4} : Shape{2, 4, 5});
    Endpoint t = b("Transpose", {side ? q : p, b.Ints({0, 2, 1})});
    b.Outputs({side ? b("BatchMatMulV2", {p, t}) : b("BatchMatMulV2", {t, q})});
    EXPECT_TRUE(Differential(b, {"FuseMatMul"}));
    EXPECT_EQ(Count(*b.graph, "Transpose"), 0u);
    EXPECT_TRUE(Only(*b.graph, "BatchMatMulV2")->Bool(side ? "adj_x2" : "adj_x1"));
  }
}

TEST(FuseMatMul, AHeadTransposeKeepsItsRowsTogether) {
  Builder b;
  Endpoint q = b.Input({1, 2, 3, 4}), k = b.Input({1, 5, 2, 4});
  b.Outputs({b("BatchMatMulV2", {q, b("Transpose", {k, b.Ints({0, 2, 3, 1})})})});
  EXPECT_TRUE(Differential(b, {"FuseMatMul"}));
  std::vector<int64_t> perm = ConstantInput(*Only(*b.graph, "Transpose"), 1)->Ints();
  EXPECT_EQ(perm, (std::vector<int64_t>{0, 2, 1, 3}));
  EXPECT_TRUE(Only(*b.graph, "BatchMatMulV2")->Bool("adj_x2"));
}

TEST(FuseMatMul, ActivationsWithFactorsStay) {
  const std::pair<const char *, Builder::Attrs> cases[] = {
      {"Swish", {{"scale", 2.f}}}, {"Elu", {{"scale", 1.5f}}}, {"Elu", {{"input_scale", 0.5f}}}};
  for (const auto &[type, attrs] : cases) {
    Builder b;
    b.Outputs({b(type, {b("MatMulV2", {b.Input({3, 4}), b.Random({4, 5})})}, attrs)});
    EXPECT_FALSE(Differential(b, {"FuseMatMul"})) << type;
  }
}

TEST(FuseMatMul, FactorsBeyondTheRangeOfFloatsStay) {
  for (bool zero : {false, true}) {
    Builder b;
    Endpoint y = b("MatMulV2", {b.Input({3, 4}), b.Random({4, 5}, -1e-3f, 1e-3f)});
    y = b("RealDiv", {y, b.Scalar(zero ? 0 : 1e-20f)});
    b.Outputs({zero ? y : b("RealDiv", {y, b.Scalar(1e-20f)})});  // finite, but 1e40 is no float
    EXPECT_EQ(Differential(b, {"FuseMatMul"}), !zero);
    EXPECT_EQ(Count(*b.graph, "RealDiv"), 1u);
  }
}

TEST(FuseMatMul, MustNotMatch) {
  for (int how = 0; how < 5; ++how) {
    Builder b;
    Endpoint x = b.Input({5, 4});
    Endpoint y = b("MatMulV2", {x, b.Random({4, 5})});
    std::vector<Endpoint> outputs;
    if (how == 0) outputs = {b("Add", {y, b.Random({5, 1})})};     // a value per row
    if (how == 1) outputs = {b("Add", {y, b.Random({2, 5, 5})})};  // the result grows
    if (how == 2) outputs = {b("Relu", {y}), y};                   // an output
    if (how == 3) outputs = {b("RealDiv", {b.Scalar(2), y})};      // the other way round
    if (how == 4) outputs = {b("MatMulV2", {x, b("Transpose", {b.Input({4, 5}), b.Ints({0, 1})})})};  // no transpose
    b.Outputs(outputs);
    EXPECT_FALSE(Differential(b, {"FuseMatMul"})) << how;
  }
}

TEST(FuseMatMul, UnknownRowsTakeABiasButNoResidual) {
  Builder b;
  Endpoint x = b.Input({-1, 4}), r = b.Input({-1, 5});
  b.Outputs({b("Add", {b("Add", {b("MatMulV2", {x, b.Random({4, 5})}), b.Random({5})}), r})});
  EXPECT_TRUE(RunOne(*b.graph, "FuseMatMul"));
  EXPECT_TRUE(Only(*b.graph, "FusedMatMulV2")->input(2));
  EXPECT_FALSE(Only(*b.graph, "FusedMatMulV2")->input(3));
}

TEST(FuseMatMul, AFusedProductGrowsWhenShapesBecomeKnown) {
  Builder b;
  Endpoint x = b.Input({3, 4}), r = b.Input({3, 5});
  Endpoint y = b("FusedMatMulV2", {x, b.Random({4, 5}), b.Random({5})}, {{"scale", 0.5f}});
  b.Outputs({b("Relu", {b("Add", {y, r})})});
  EXPECT_TRUE(Differential(b, {"FuseMatMul"}));
  Node *fused = Only(*b.graph, "FusedMatMulV2");
  EXPECT_EQ(fused->Float("scale"), 0.5f);
  EXPECT_TRUE(fused->input(3));
  EXPECT_EQ(fused->String("activation"), "relu");
}

}  // namespace
