// Elementwise operators, reductions, matrix products: shapes by the broadcasting and contraction rules, worked out by
// hand.
#include <gtest/gtest.h>

#include "tests/protos/infer_case.h"

namespace gec {
namespace {

TEST(InferElementwise, UnaryKeepsShapeAndType) {
  for (const char *type : {"Abs", "Exp", "Relu", "Sigmoid", "Tanh", "Erf", "GeluV2", "Tril", "OnesLike", "Identity"}) {
    Inferred r = InferCase(type).T(C_DT_FLOAT16, {2, -1, 3}).Run();
    EXPECT_EQ(r.status, GE_SUCCESS) << type << r.message;
    EXPECT_EQ(r.shapes[0], "[2, -1, 3]") << type;
    EXPECT_EQ(r.types[0], C_DT_FLOAT16) << type;
    EXPECT_EQ(InferCase(type).Unranked().Shape(), "[?]") << type;
  }
}

struct BroadcastCase {
  Ints a, b;
  const char *want;
};

TEST(InferElementwise, Broadcast) {
  const BroadcastCase cases[] = {
      {{2, 3}, {2, 3}, "[2, 3]"},
      {{2, 3}, {3}, "[2, 3]"},
      {{3}, {2, 3}, "[2, 3]"},
      {{}, {2, 3}, "[2, 3]"},
      {{}, {}, "[]"},
      {{1, 4, 1}, {3, 1, 5}, "[3, 4, 5]"},
      {{0, 3}, {1, 3}, "[0, 3]"},
      {{0}, {1}, "[0]"},
      {{-1, 3}, {1, 3}, "[-1, 3]"},
      {{-1, 3}, {5, 3}, "[5, 3]"},
      {{-1}, {-1}, "[-1]"},
      {{2, 3}, {2, 4}, "refused: x1 of shape [2, 3] and x2 of shape [2, 4] cannot be broadcast"},
      {{0}, {2}, "refused: x1 of shape [0] and x2 of shape [2] cannot be broadcast"},
  };
  for (const auto &c : cases) {
    for (const char *type : {"Add", "Sub", "Mul", "RealDiv", "Maximum", "SquaredDifference", "Less"})
      EXPECT_EQ(InferCase(type).F(c.a).F(c.b).Shape(), c.want) << type;
  }
  EXPECT_EQ(InferCase("Add").F({2}).Unranked().Shape(), "[?]");
  EXPECT_EQ(InferCase("Pow").F({2, 1}).F({4}).Shape(), "[2, 4]");
}

TEST(InferElementwise, DataTypes) {
  EXPECT_EQ(InferCase("Equal").F({2}).F({2}).Type(), C_DT_BOOL);
  EXPECT_EQ(InferCase("IsNan").F({2}).Type(), C_DT_BOOL);
  EXPECT_EQ(InferCase("LogicalAnd").T(C_DT_BOOL, {2}).T(C_DT_BOOL, {}).Type(), C_DT_BOOL);
  EXPECT_EQ(InferCase("Cast").F({2}).A("dst_type", C_DT_INT8).Type(), C_DT_INT8);
  EXPECT_EQ(InferCase("CastLike").F({2}).T(C_DT_INT64, {7}).Type(), C_DT_INT64);
  EXPECT_EQ(InferCase("Mul").F({2}).T(C_DT_INT32, {2}).Type(), C_DT_FLOAT);
  EXPECT_EQ(InferCase("Add").F({2}).T(C_DT_INT32, {2}).Type(), C_DT_FLOAT);
  EXPECT_EQ(InferCase("Sub").F({2}).T(C_DT_INT32, {2}).Shape(),
            "refused: x2 has data type DT_INT32, expected DT_FLOAT like x1");
  EXPECT_EQ(InferCase("Cast").F({2}).A("dst_type", 999).Shape(),
            "refused: dst_type is 999, expected a data type from 0 to 42");
  EXPECT_EQ(InferCase("SelectV2").T(C_DT_BOOL, {2, 1}).F({3}).F({}).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("SelectV2").T(C_DT_BOOL, {2, 1}).F({3}).F({}).Type(), C_DT_FLOAT);
  EXPECT_EQ(InferCase("Bitcast").F({2, 3}).D("type", C_DT_INT8).Shape(), "[2, 3, 4]");
  EXPECT_EQ(InferCase("Bitcast").T(C_DT_INT8, {2, 4}).D("type", C_DT_FLOAT).Shape(), "[2]");
}

TEST(InferElementwise, SeveralInputs) {
  EXPECT_EQ(InferCase("AddN").F({2, 3}).F({2, 3}).F({2, 3}).Count(3).A("N", 3).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("ClipByValueV2").F({2, 3}).F({}).F({}).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("BiasAdd").F({2, 3, 4}).F({3}).A("data_format", "NCHW").Shape(), "[2, 3, 4]");
  EXPECT_EQ(InferCase("BiasAdd").F({2, 3, 4}).F({3}).Shape(),
            "refused: the number of channels of x and bias differs: 4 and 3");
  EXPECT_EQ(InferCase("PRelu").F({2, 3, 4, 4}).F({3}).Shape(), "[2, 3, 4, 4]");
  EXPECT_EQ(InferCase("Lerp").F({2, 1}).F({3}).F({}).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("Addcmul").F({2, 1}).F({3}).F({1}).F({}).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("IdentityN").F({2}).T(C_DT_INT32, {3}).Count(2).Outputs(2).Shapes(), "[2] [3]");
  EXPECT_EQ(InferCase("SwiGlu").F({2, 8}).Shape(), "[2, 4]");
  EXPECT_EQ(InferCase("FusedElementwise")
                .F({2, 1})
                .F({3})
                .Count(2)
                .Outputs(2)
                .A("program", Ints{})
                .A("outputs", Ints{2, 3})
                .Shapes(),
            "[2, 3] [2, 3]");
}

TEST(InferElementwise, IntegerValuesPassThrough) {
  EXPECT_EQ(InferCase("Add").P({2, kAny, 4}).S(1).Values(), (Ints{3, kAny, 5}));
  EXPECT_EQ(InferCase("Mul").V({2, 3}).V({4, 5}).Values(), (Ints{8, 15}));
  EXPECT_EQ(InferCase("FloorDiv").V({-7}).V({2}).Values(), (Ints{-4}));
  EXPECT_EQ(InferCase("Div").V({7}).V({2}).Values(), (Ints{3}));
  EXPECT_EQ(InferCase("Div").V({7}).V({0}).Values(), (Ints{kAny}));
  EXPECT_EQ(InferCase("FloorMod").V({-7}).V({3}).Values(), (Ints{2}));
  EXPECT_EQ(InferCase("Maximum").V({1, 9}).S(4).Values(), (Ints{4, 9}));
  EXPECT_EQ(InferCase("Cast").V({1, 300}).A("dst_type", C_DT_UINT8).Values(), (Ints{1, 44}));
  EXPECT_EQ(InferCase("Equal").V({-1, 2}).S(-1).Values(), (Ints{1, 0}));
  EXPECT_EQ(InferCase("SelectV2").P({1, 0, kAny}, C_DT_BOOL).V({5, 6, 7}).V({8, 9, 10}).Values(), (Ints{5, 9, kAny}));
  EXPECT_EQ(InferCase("Add").V({std::numeric_limits<int64_t>::max()}).V({1}).Values(), (Ints{kAny}));
}

TEST(InferReduce, Axes) {
  auto reduce = [](Ints axes, bool keep) {
    return InferCase("ReduceSum").F({2, 3, 4}).V(std::move(axes)).B("keep_dims", keep).Shape();
  };
  EXPECT_EQ(reduce({1}, false), "[2, 4]");
  EXPECT_EQ(reduce({1}, true), "[2, 1, 4]");
  EXPECT_EQ(reduce({-1, 0}, false), "[3]");
  EXPECT_EQ(reduce({0, 1, 2}, false), "[]");
  EXPECT_EQ(reduce({}, false), "[2, 3, 4]");  // noop_with_empty_axes is true by default
  EXPECT_EQ(InferCase("ReduceSum").F({2, 3}).V({}).B("noop_with_empty_axes", false).Shape(), "[]");
  EXPECT_EQ(reduce({3}, false), "refused: axes is 3, expected a value from -3 to 2");
  EXPECT_EQ(InferCase("ReduceAll").T(C_DT_BOOL, {2, 3}).V({0}).Type(), C_DT_BOOL);
  EXPECT_EQ(InferCase("ReduceMean").F({2, 3}).T(C_DT_INT64, {1}).B("keep_dims", true).Shape(), "[-1, -1]");
  EXPECT_EQ(InferCase("ReduceMean").F({2, 3}).T(C_DT_INT64, {1}).Shape(), "[?]");
  EXPECT_EQ(InferCase("ReduceProd").V({2, 3, 4}).V({0}).Values(), (Ints{24}));
  EXPECT_EQ(InferCase("ReduceVar").F({2, 3}).A("dim", Ints{1}).Shapes(), "[2] [2]");
  EXPECT_EQ(InferCase("LpNormV2").F({2, 3}).A("axes", Ints{1}).B("keepdim", true).Shape(), "[2, 1]");
}

TEST(InferReduce, PositionsAndRunningSums) {
  EXPECT_EQ(InferCase("ArgMaxV2").F({2, 3, 4}).S(1, C_DT_INT32).Shape(), "[2, 4]");
  EXPECT_EQ(InferCase("ArgMaxV2").F({2, 3, 4}).S(1).Type(), C_DT_INT64);
  EXPECT_EQ(InferCase("ArgMin").F({2, 3}).S(-1).D("dtype", C_DT_INT32).Type(), C_DT_INT32);
  EXPECT_EQ(InferCase("ArgMaxD").F({2, 3}).A("dimension", 0).Shape(), "[3]");
  EXPECT_EQ(InferCase("ArgMaxV2").F({2, 3}).S(2).Shape(), "refused: dimension is 2, expected a value from -2 to 1");
  EXPECT_EQ(InferCase("Cumsum").F({2, 3}).S(-1).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("Cumprod").F({2, 3}).S(5).Shape(), "refused: axis is 5, expected a value from -2 to 1");
  EXPECT_EQ(InferCase("SoftmaxV2").F({2, 3}).A("axes", Ints{2}).Shape(),
            "refused: axes is 2, expected a value from -2 to 1");
}

TEST(InferMatrix, Products) {
  EXPECT_EQ(InferCase("MatMulV2").F({2, 3}).F({3, 5}).Shape(), "[2, 5]");
  EXPECT_EQ(InferCase("MatMul").F({3, 2}).F({5, 3}).None().B("transpose_x1", true).B("transpose_x2", true).Shape(),
            "[2, 5]");
  EXPECT_EQ(InferCase("MatMulV2").F({2, 3}).F({3, 5}).F({5}).Shape(), "[2, 5]");
  EXPECT_EQ(InferCase("MatMulV2").F({2, 3}).F({3, 5}).F({4}).Shape().rfind("refused: ", 0), 0u);
  EXPECT_EQ(InferCase("MatMulV2").F({2, 3}).F({4, 5}).Shape(),
            "refused: the inner extents differ: x1 has 3, x2 has 4 (shapes as multiplied [2, 3] and [4, 5])");
  EXPECT_EQ(InferCase("MatMulV2").F({2, 3, 4}).F({4, 5}).Shape(),
            "refused: x1 has shape [2, 3, 4], expected 2 dimensions");
  EXPECT_EQ(InferCase("BatchMatMulV2").F({7, 1, 2, 3}).F({6, 3, 5}).Shape(), "[7, 6, 2, 5]");
  EXPECT_EQ(InferCase("BatchMatMulV2").F({2, 3}).F({6, 5, 3}).None().None().B("adj_x2", true).Shape(), "[6, 2, 5]");
  EXPECT_EQ(InferCase("BatchMatMulV2").F({3}).F({6, 3, 5}).Shape(), "[6, 5]");
  EXPECT_EQ(InferCase("BatchMatMulV2").F({6, 2, 3}).F({3}).Shape(), "[6, 2]");
  EXPECT_EQ(InferCase("BatchMatMulV2").F({3}).F({3}).Shape(), "[]");
  EXPECT_EQ(InferCase("BatchMatMulV2").F({-1, 2, -1}).F({8, 4}).Shape(), "[-1, 2, 4]");
  EXPECT_EQ(InferCase("MatMulV2").T(C_DT_INT8, {2, 3}).T(C_DT_INT8, {3, 5}).Type(), C_DT_INT32);
  EXPECT_EQ(InferCase("GEMM").F({2, 3}).F({5, 3}).F({5}).F({}).F({1}).B("transpose_b", true).Shape(), "[2, 5]");
  EXPECT_EQ(InferCase("GEMM").F({2, 3}).F({3, 5}).F({4}).F({}).F({}).Shape().rfind("refused: ", 0), 0u);
  EXPECT_EQ(InferCase("FusedMatMulV2").F({4, 2, 3}).F({3, 5}).F({5}).F({4, 2, 5}).Shape(), "[4, 2, 5]");
}

TEST(InferMatrix, DenseLayers) {
  const auto layers = [](const std::vector<Ints> &parameters, Ints biased, Ints residuals) {
    InferCase c("FusedDenseLayers");
    c.F({2, 3, 4});
    for (const Ints &p : parameters) c.F(p);
    const std::vector<float> ones(biased.size(), 1.f);
    for (const char *name : {"alphas", "betas", "factors"}) c.A(name, ones);
    return c.Count(static_cast<int32_t>(parameters.size())).A("biased", biased).A("residuals", residuals).Shape();
  };
  EXPECT_EQ(layers({{4, 5}, {5}, {5, 7}}, {1, 0}, {0, 0}), "[2, 3, 7]");
  EXPECT_EQ(layers({{4, -1}, {6, 6}}, {0, 0}, {0, 1}), "[2, 3, 6]");
  EXPECT_EQ(layers({{4, 5}, {5}, {6, 7}}, {1, 0}, {0, 0}).rfind("refused: the inner extents differ", 0), 0u);
  EXPECT_EQ(layers({{4, 5}, {6}}, {1}, {0}), "refused: bias 0 does not broadcast to [2, 3, 5]");
  EXPECT_EQ(layers({{4, 5}}, {0}, {2}).rfind("refused: ", 0), 0u) << "adds x of another extent";
  EXPECT_EQ(layers({{4, 5}}, {1}, {0}), "refused: parameters are 1, layer 0 needs 2");
  EXPECT_EQ(layers({{4, 5}, {5, 5}}, {0}, {0}), "refused: parameters are 2, the layers take 1");
  EXPECT_EQ(layers({{4, 5}}, {0}, {0, 0}), "refused: residuals has 2 entries, biased has 1");
  EXPECT_EQ(layers({}, {}, {}).rfind("refused: ", 0), 0u);
}

TEST(InferMatrix, Einsum) {
  auto einsum = [](const char *equation, Ints a, Ints b) {
    return InferCase("Einsum").F(std::move(a)).F(std::move(b)).Count(2).A("equation", equation).A("N", 2).Shape();
  };
  EXPECT_EQ(einsum("ij,jk->ik", {2, 3}, {3, 4}), "[2, 4]");
  EXPECT_EQ(einsum("bhqd, bhkd -> bhqk", {1, 2, 3, 4}, {1, 2, 5, 4}), "[1, 2, 3, 5]");
  EXPECT_EQ(einsum("...ij,...jk->...ik", {7, 2, 3}, {3, 4}), "[7, 2, 4]");
  EXPECT_EQ(einsum("ij,jk", {2, 3}, {3, 4}), "[2, 4]");
  EXPECT_EQ(einsum("ij,ij->", {2, 3}, {2, 3}), "[]");
  EXPECT_EQ(einsum("ij,jk->ik", {2, 3}, {4, 4}), "refused: 'j' in equation 'ij,jk->ik' stands for 3 and 4");
  EXPECT_EQ(einsum("ijk,jk->ik", {2, 3}, {4, 4}).rfind("refused: ", 0), 0u);
}

}  // namespace
}  // namespace gec
