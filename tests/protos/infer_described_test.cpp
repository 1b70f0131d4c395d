// Operators whose inference is a line of text: each form of the text on a real operator, with shapes worked out by
// hand.
#include <gtest/gtest.h>

#include "protos/infer/described.h"
#include "protos/table/prototypes.h"
#include "tests/protos/infer_case.h"

namespace gec {
namespace {

TEST(InferDescribed, LikeAnInput) {
  EXPECT_EQ(InferCase("AbsGrad").F({2, 3}).F({2, 3}).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("IsNegInf").F({4}).Type(), C_DT_BOOL);
  // var, m and v are written in place; lr and the like are scalars
  InferCase adam("ApplyAdamD");
  adam.F({3, 4}).F({3, 4}).F({3, 4});
  for (int i = 0; i < 6; ++i) adam.F({});
  EXPECT_EQ(adam.F({3, 4}).Shapes(), "[3, 4] [3, 4] [3, 4]");
  EXPECT_EQ(InferCase("FusedMulApplyMomentumExtern").F({1}).F({2}).F({3}).F({4}).F({5}).F({6}).F({7}).Shapes(),
            "[1] [7] [2]");
  EXPECT_EQ(InferCase("ReluGrad").Unranked().Unranked().Shape(), "[?]");
}

TEST(InferDescribed, LikeEachOfManyInputs) {
  Inferred r = InferCase("ForeachExp").F({2}).T(C_DT_FLOAT16, {3, 4}).Count(2).Outputs(2).Run();
  ASSERT_EQ(r.status, GE_SUCCESS) << r.message;
  EXPECT_EQ(r.shapes, (std::vector<std::string>{"[2]", "[3, 4]"}));
  EXPECT_EQ(r.types, (std::vector<int32_t>{C_DT_FLOAT, C_DT_FLOAT16}));
  EXPECT_EQ(InferCase("ForeachNorm").F({2}).F({3, 4}).Count(2).S(2).Outputs(2).Shapes(), "[] []");
  EXPECT_EQ(InferCase("ForeachPowScalarAndTensor").S(2).F({5}).F({6}).Count(2).Outputs(2).Shapes(), "[5] [6]");
  EXPECT_EQ(InferCase("SwitchN").F({7, 1}).S(0).Outputs(3).Shapes(), "[7, 1] [7, 1] [7, 1]");
}

TEST(InferDescribed, Broadcast) {
  EXPECT_EQ(InferCase("AxpyV2").F({2, 1}).F({3}).F({}).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("FusedMulAdd").F({2, 1, 1}).F({3, 1}).F({4}).Shape(), "[2, 3, 4]");
  EXPECT_EQ(InferCase("IsClose").F({2}).F({1}).Type(), C_DT_BOOL);
  EXPECT_NE(InferCase("MulV2").F({2}).F({3}).Shape().find("refused: "), std::string::npos);
}

TEST(InferDescribed, ShapesGivenAsValues) {
  EXPECT_EQ(InferCase("RandomUniformInt").V({2, 5}).S(0).S(9).Shape(), "[2, 5]");
  EXPECT_EQ(InferCase("Empty").P({kAny, 4}).D("dtype", C_DT_INT8).Shape(), "[-1, 4]");
  EXPECT_EQ(InferCase("Empty").V({3}).D("dtype", C_DT_INT8).Type(), C_DT_INT8);
  EXPECT_EQ(InferCase("FileConstant").A("shape", Ints{6, 2}).D("dtype", C_DT_FLOAT16).Shape(), "[6, 2]");
  EXPECT_EQ(InferCase("FileConstant").A("shape", Ints{6, 2}).A("dtype", 99).Shape(),
            "refused: dtype is 99, expected a data type from 0 to 42");
  EXPECT_EQ(InferCase("Empty").V({-3}).D("dtype", C_DT_INT8).Shape(),
            "refused: dimension 0 of the shape is -3, expected no negative value");
}

TEST(InferDescribed, HalvedAndReduced) {
  EXPECT_EQ(InferCase("GLU").F({2, 6}).A("dim", -1).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("GLU").F({2, 6}).A("dim", 0).Shape(), "[1, 6]");
  EXPECT_EQ(InferCase("GLU").F({3, 6}).A("dim", 0).Shape(),
            "refused: x has 3 values along axis 0, expected an even number");
  EXPECT_EQ(InferCase("GeluMul").F({5, 8}).Shape(), "[5, 4]");
  EXPECT_EQ(InferCase("SquareSumV1").F({2, 3, 4}).A("axis", Ints{1}).B("keep_dims", true).Shape(), "[2, 1, 4]");
  EXPECT_EQ(InferCase("ArgMaxWithValue").F({2, 3}).A("dimension", 1).Shapes(), "[2] [2]");
}

TEST(InferDescribed, LossesByTheirReduction) {
  EXPECT_EQ(InferCase("MseLoss").F({2, 3}).F({2, 3}).A("reduction", "none").Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("MseLoss").F({2, 3}).F({2, 3}).A("reduction", "mean").Shape(), "[]");
  EXPECT_EQ(InferCase("MseLoss").F({2, 3}).F({2, 3}).Shape(), "[]");  // the default is mean
}

TEST(InferDescribed, ListsOfDimensions) {
  EXPECT_EQ(InferCase("Ger").F({3}).F({4}).Shape(), "[3, 4]");
  EXPECT_EQ(InferCase("MatrixDiag").F({2, 5}).Shape(), "[2, 5, 5]");
  EXPECT_EQ(InferCase("GemmaRmsNorm").F({2, 3, 8}).F({8}).Shapes(), "[2, 3, 8] [2, 3, 1]");
  EXPECT_EQ(InferCase("SegmentSum").F({4, 6}).V({0, 0, 1, 1}).Shape(), "[2, 6]");
  EXPECT_EQ(InferCase("SegmentSum").F({4, 6}).T(C_DT_INT32, {4}).Shape(), "[-1, 6]");
  EXPECT_EQ(InferCase("ConfusionMatrix").V({1, 2}).V({1, 2}).A("num_classes", 7).D("dtype", C_DT_FLOAT).Shape(),
            "[7, 7]");
  EXPECT_EQ(InferCase("ROIAlign").F({1, 16, 30, 40}).F({9, 5}).A("pooled_height", 7).A("pooled_width", 5).Shape(),
            "[9, 16, 7, 5]");
  EXPECT_EQ(InferCase("Ger").F({}).F({4}).Shape(), "refused: x1 has shape [], expected 1 dimension");
}

TEST(InferDescribed, TypesFromAttributes) {
  EXPECT_EQ(InferCase("AscendQuant").F({4}).Type(), C_DT_INT8);  // the default of dst_type
  EXPECT_EQ(InferCase("AscendQuant").F({4}).A("dst_type", C_DT_INT4).Type(), C_DT_INT4);
  EXPECT_EQ(InferCase("RmsNormDynamicQuant").F({2, 8}).F({8}).Run().types[1], C_DT_FLOAT);
}

TEST(InferDescribed, EveryTextIsReadable) {
  size_t described = 0;
  ForEachBuiltinPrototype([&](const GeOpSchema &schema) {
    if (!infer::DescriptionOf(schema.type)) return;
    ++described;
    InferCase c(schema.type);
    for (size_t i = 0; i < schema.input_count; ++i) c.T(C_DT_FLOAT, {2, 2, 2, 2});
    Inferred r = c.Outputs(schema.output_count).Run();
    EXPECT_EQ(r.message.find("internal error"), std::string::npos) << schema.type << ": " << r.message;
  });
  EXPECT_GT(described, 600u);
  for (const auto &table :
       {infer::DescribedArrays(), infer::DescribedMath(), infer::DescribedNetworks(), infer::DescribedTraining()})
    for (const infer::Described &row : table)
      EXPECT_NE(OpRegistry::Instance().Find(Symbol(row.type)), nullptr) << row.type;
}

TEST(InferVolume, ConvolutionAndPooling) {
  auto conv = [](const char *type, const char *format, Ints x, Ints strides) {
    return InferCase(type)
        .F(std::move(x))
        .F({8, 3, 3, 3, 3})
        .None()
        .None()
        .A("data_format", format)
        .A("strides", strides)
        .A("pads", Ints{1, 1, 1, 1, 1, 1})
        .A("dilations", Ints{1, 1, 1, 1, 1})
        .Shape();
  };
  EXPECT_EQ(conv("Conv3D", "NCDHW", {2, 3, 10, 11, 12}, {1, 1, 1, 2, 2}), "[2, 8, 10, 6, 6]");
  EXPECT_EQ(conv("Conv3D", "NDHWC", {2, 10, 11, 12, 3}, {1, 1, 2, 2, 1}), "[2, 10, 6, 6, 8]");
  EXPECT_NE(conv("Conv3D", "NCDHW", {2, 4, 10, 11, 12}, {1, 1, 1, 1, 1}).find("4 channels"), std::string::npos);
  auto pool = [](const char *padding) {
    return InferCase("MaxPool3D")
        .F({1, 4, 7, 7, 7})
        .A("data_format", "NCDHW")
        .A("ksize", Ints{1, 1, 2, 2, 2})
        .A("strides", Ints{1, 1, 2, 2, 2})
        .A("padding", padding)
        .Shape();
  };
  EXPECT_EQ(pool("VALID"), "[1, 4, 3, 3, 3]");
  EXPECT_EQ(pool("SAME"), "[1, 4, 4, 4, 4]");
  EXPECT_NE(pool("OTHER").find("OTHER"), std::string::npos);
  EXPECT_EQ(InferCase("AdaptiveAvgPool3d")
                .F({2, 3, 9, 9, 9})
                .A("data_format", "NCDHW")
                .A("output_size", Ints{1, 2, -1})
                .Shape(),
            "[2, 3, 1, 2, 9]");
  EXPECT_EQ(InferCase("AdaptiveMaxPool2d").F({2, 3, 9, 9}).A("output_size", Ints{4, 5}).Shapes(),
            "[2, 3, 4, 5] [2, 3, 4, 5]");
}

TEST(InferProducts, QuantisedAndSegmented) {
  EXPECT_EQ(InferCase("QuantBatchMatmulV3")
                .T(C_DT_INT8, {2, 3, 4})
                .T(C_DT_INT8, {5, 4})
                .F({5})
                .A("dtype", C_DT_FLOAT16)
                .B("transpose_x2", true)
                .Shape(),
            "[2, 3, 5]");
  EXPECT_EQ(InferCase("WeightQuantBatchMatmulV2").T(C_DT_FLOAT16, {3, 4}).T(C_DT_INT8, {4, 6}).F({6}).Type(),
            C_DT_FLOAT16);
  EXPECT_EQ(InferCase("WeightQuantBatchMatmulV2").T(C_DT_FLOAT16, {3, 4}).T(C_DT_INT32, {4, 1}).F({6}).Shape(),
            "[3, 8]");
  EXPECT_EQ(InferCase("UnsortedSegmentSum").F({4, 6}).V({0, 2, 0, 1}).S(3).Shape(), "[3, 6]");
  EXPECT_NE(InferCase("UnsortedSegmentMax").F({4, 6}).V({0, 2, 0}).S(3).Shape().find("refused"), std::string::npos);
}

TEST(InferBlocks, SpaceAndBatch) {
  EXPECT_EQ(InferCase("SpaceToBatchND").F({2, 5, 6, 3}).V({2, 3}).V({0, 1, 0, 0}).Shape(), "[12, 3, 2, 3]");
  EXPECT_EQ(InferCase("BatchToSpaceND").F({12, 3, 2, 3}).V({2, 3}).V({0, 1, 0, 0}).Shape(), "[2, 5, 6, 3]");
  EXPECT_EQ(InferCase("BatchToSpaceNDD").F({4, 2, 2}).A("block_shape", Ints{2}).A("crops", Ints{1, 1}).Shape(),
            "[2, 2, 2]");
  EXPECT_NE(InferCase("SpaceToBatchND").F({2, 5, 6, 3}).V({2, 2}).V({0, 0, 0, 0}).Shape().find("multiple of 2"),
            std::string::npos);
  EXPECT_EQ(InferCase("SpaceToBatchND").F({2, 5, 6, 3}).T(C_DT_INT64, {2}).T(C_DT_INT64, {2, 2}).Shape(),
            "[-1, -1, -1, -1]");
  EXPECT_EQ(InferCase("DynamicPartition").F({4, 6}).V({0, 1, 1, 0}).Outputs(2).Shapes(), "[-1, 6] [-1, 6]");
  EXPECT_EQ(InferCase("TileWithAxis").F({2, 3}).A("axis", -1).A("tiles", 4).Shape(), "[2, 12]");
  EXPECT_EQ(InferCase("OneHotD").T(C_DT_INT32, {2, 3}).F({}).F({}).A("depth", 5).Shape(), "[2, 3, 5]");
}

TEST(InferDescribed, OfNarrowUse) {
  auto types = [](InferCase &c) {
    Inferred r = c.Run();
    EXPECT_EQ(r.status, GE_SUCCESS) << r.message;
    return r.types;
  };
  using Types = std::vector<int32_t>;
  InferCase best("CombinedNonMaxSuppression");
  best.F({2, 50, 1, 4}).F({2, 50, 3}).S(5, C_DT_INT32).S(9, C_DT_INT32).SF(0.5f).SF(0.1f);
  EXPECT_EQ(best.Shapes(), "[2, 9, 4] [2, 9] [2, 9] [2]");
  EXPECT_EQ(types(best), (Types{C_DT_FLOAT, C_DT_FLOAT, C_DT_FLOAT, C_DT_INT32}));
  InferCase sample("TopKTopPSample");
  sample.T(C_DT_FLOAT16, {4, 100}).T(C_DT_INT32, {4}).T(C_DT_FLOAT16, {4}).None();
  EXPECT_EQ(sample.Shapes(), "[4] [4, 100]");
  EXPECT_EQ(types(sample), (Types{C_DT_INT64, C_DT_FLOAT}));
  InferCase signs("SignBitsUnpack");
  signs.T(C_DT_UINT8, {16}).A("size", 2).D("dtype", C_DT_FLOAT16);
  EXPECT_EQ(signs.Shapes(), "[2, 64]");
  EXPECT_EQ(types(signs), (Types{C_DT_FLOAT16}));
  InferCase cache("RopeQuantKvcache");
  cache.T(C_DT_FLOAT16, {2, 1, 768}).T(C_DT_FLOAT16, {2, 1, 1, 64}).T(C_DT_FLOAT16, {2, 1, 1, 64}).F({64});
  cache.T(C_DT_INT32, {64}).T(C_DT_INT8, {2, 9, 1, 64}).T(C_DT_INT8, {2, 9, 1, 64}).T(C_DT_INT32, {2});
  EXPECT_EQ(cache.Shapes(), "[2, 1, -1, 64] [2, 1, -1, 64] [2, 1, -1, 64] [2, 9, 1, 64] [2, 9, 1, 64]");
  EXPECT_EQ(InferCase("TransformBiasRescaleQkv").F({2, 7, 96}).F({96}).A("num_heads", 4).Shapes(),
            "[2, 4, 7, 8] [2, 4, 7, 8] [2, 4, 7, 8]");
  EXPECT_EQ(InferCase("TabulateFusion").F({9, 9}).F({6}).F({5, 3}).F({5, 3, 4}).A("last_layer_size", 16).Shape(),
            "[5, 4, 16]");
}

TEST(InferPool, Volumes) {
  InferCase pool("MaxPoolWithArgmaxV3");
  pool.F({2, 3, 9, 8}).A("ksize", Ints{3, 2}).A("strides", Ints{2, 1}).A("pads", Ints{1, 0}).A("dilation", Ints{2, 3});
  EXPECT_EQ(pool.A("dtype", C_DT_INT64).Shapes(), "[2, 3, 4, 5] [2, 3, 4, 5]");
  EXPECT_EQ(pool.Run().types[1], C_DT_INT64);
  InferCase deep("MaxPool3DWithArgmaxV2");
  deep.F({1, 2, 6, 7, 8}).A("ksize", Ints{2, 2, 2}).A("strides", Ints{2, 2, 2}).A("pads", Ints{0, 0, 0});
  EXPECT_EQ(deep.A("data_format", "NCDHW").Shapes(), "[1, 2, 3, 3, 4] [1, 2, 3, 3, 4]");
  auto transposed = [](Ints size) {
    InferCase c("Conv3DTranspose");
    c.V(std::move(size)).F({1, 3, 4, 5, 6}).F({3, 2, 3, 3, 3}).A("strides", Ints{1, 1, 2, 2, 2}).A("groups", 2);
    return c.A("pads", Ints{1, 1, 0, 0, 0, 1}).A("data_format", "NCDHW").Shape();
  };
  EXPECT_EQ(transposed({0, 0, 0, 0, 0}), "[1, 4, 7, 11, 12]");
  EXPECT_EQ(transposed({1, 4, 8, 11, 12}), "[1, 4, 8, 11, 12]");
  EXPECT_EQ(transposed({1, 4}), "refused: input_size has 2 values, expected 5");
  EXPECT_EQ(InferCase("GridSample").F({2, 3, 4, 5, 6}).F({2, 7, 8, 9, 3}).Shape(), "[2, 3, 7, 8, 9]");
  EXPECT_EQ(InferCase("GridSample").F({2, 3, 4, 5, 6}).F({2, 7, 8, 9, 2}).Shape(),
            "refused: grid has extent 2 along axis 4, expected 3");
}

TEST(InferPool, FourValuesOfAWindowOfUnknownOrderDecideNothing) {
  InferCase pool("MaxPoolWithArgmaxV3");
  pool.F({2, 3, 8, 8}).A("ksize", Ints{1, 2, 2, 1}).A("strides", Ints{1, 2, 2, 1}).A("pads", Ints{1, 0, 0, 1});
  EXPECT_EQ(pool.Shapes(), "[2, 3, -1, -1] [2, 3, -1, -1]");
}

TEST(InferDescribed, StatisticsOverAllAxesOfGamma) {
  EXPECT_EQ(InferCase("GemmaRmsNorm").F({2, 3, 4}).F({3, 4}).Shapes(), "[2, 3, 4] [2, 1, 1]");
  EXPECT_EQ(InferCase("InplaceAddRmsNorm").F({2, 3, 4}).F({2, 3, 4}).F({3, 4}).Shapes(),
            "[2, 3, 4] [2, 1, 1] [2, 3, 4]");
  EXPECT_EQ(InferCase("FusedAddRmsNorm").F({2, 3, 4}).F({2, 3, 4}).F({3, 4}).Shapes(), "[2, 3, 4] [2, 1, 1] [2, 3, 4]");
  EXPECT_EQ(InferCase("AddRmsNormCast").F({2, 3, 4}).F({2, 3, 4}).F({3, 4}).Shapes(),
            "[2, 3, 4] [2, 3, 4] [2, 1, 1] [2, 3, 4]");
  EXPECT_EQ(InferCase("InplaceAddLayerNorm").F({2, 3, 4}).F({2, 3, 4}).F({3, 4}).F({3, 4}).Shapes(),
            "[2, 3, 4] [2, 1, 1] [2, 1, 1] [2, 3, 4]");
  EXPECT_EQ(InferCase("DeepNorm").F({2, 3, 4}).F({2, 3, 4}).F({3, 4}).F({3, 4}).Shapes(),
            "[2, 1, 1] [2, 1, 1] [2, 3, 4]");
  EXPECT_EQ(InferCase("GemmaRmsNorm").F({2, 3, 4}).Unranked().Shapes(), "[2, 3, 4] [?]");
  EXPECT_EQ(InferCase("GemmaRmsNorm").F({4}).F({3, 4}).Shape(),
            "refused: gamma has shape [3, 4], expected at most 1 dimensions");
}

TEST(InferDescribed, NothingThatAnAttributeOrAnotherInputChanges) {
  EXPECT_EQ(InferCase("TransQuantParamV2").F({1}).F({16}).Shape(), "[16]");
  EXPECT_EQ(InferCase("TransQuantParamV2").F({16}).F({1}).Shape(), "[16]");
  EXPECT_EQ(InferCase("TransQuantParamV2").F({16}).None().Shape(), "[16]");
  EXPECT_EQ(InferCase("SoftmaxCrossEntropyWithLogits").F({1, 5}).F({4, 5}).Shapes(), "[4] [4, 5]");
  EXPECT_EQ(InferCase("SoftmaxCrossEntropyWithLogits").F({4, 5}).F({4, 5}).Shapes(), "[4] [4, 5]");
  InferCase boxes("BatchMultiClassNonMaxSuppression");
  boxes.F({2, 10, 3, 4}).F({2, 10, 3}).None().None().A("max_total_size", 20);
  EXPECT_EQ(boxes.Shapes(), "[2, 20, 4] [2, 20] [2, 20] [2]");
  EXPECT_EQ(boxes.B("transpose_box", true).Shapes(), "[?] [2, 20] [2, 20] [2]");
  InferCase loss("CrossEntropyLoss");
  loss.F({4, 5}).T(C_DT_INT64, {4}).None();
  EXPECT_EQ(loss.Shapes(), "[] [4, 5] [] [?]");
  EXPECT_EQ(loss.A("reduction", "none").Shapes(), "[4] [4, 5] [?] [?]");
}

TEST(InferMerge, WhatAllBranchesAgreeOn) {
  EXPECT_EQ(InferCase("Merge").F({2, 3}).F({2, 3}).Count(2).Shapes(), "[2, 3] []");
  EXPECT_EQ(InferCase("Merge").F({2, 3}).F({2, 5}).Count(2).Shapes(), "[2, -1] []");
  EXPECT_EQ(InferCase("RefMerge").F({2, 3}).F({6}).Count(2).Shapes(), "[?] []");
  EXPECT_EQ(InferCase("Merge").F({2, 3}).Unranked().Count(2).Shapes(), "[?] []");
}

TEST(InferRecurrent, OneDirection) {
  auto rnn = [](const char *direction, int64_t projection) {
    InferCase c("DynamicRNN");
    c.F({5, 2, 8}).F({16, 32}).F({32}).A("direction", direction).A("num_proj", projection);
    return c.Run().shapes[0];
  };
  EXPECT_EQ(rnn("UNIDIRECTIONAL", 0), "[5, 2, 8]");
  EXPECT_EQ(rnn("BIDIRECTIONAL", 0), "[?]");
  EXPECT_EQ(rnn("UNIDIRECTIONAL", 3), "[?]");
  EXPECT_EQ(InferCase("DynamicRNN").F({5, 2, 8}).F({16, 33}).F({32}).Shape(),
            "refused: w has 33 columns, expected a multiple of 4");
  EXPECT_EQ(InferCase("DynamicRNNV2").F({5, 2, 8}).F({8, 24}).F({6, 24}).Run().shapes[7], "[5, 2, 6]");
  EXPECT_EQ(InferCase("DynamicGRUV2").F({5, 2, 8}).F({8, 18}).F({6, 18}).Run().shapes[5], "[5, 2, 6]");
}

TEST(InferUnique, Slices) {
  EXPECT_EQ(InferCase("UniqueWithCountsExt2").F({4, 6}).V({1}).Shapes(), "[4, -1] [-1] [-1] [6]");
  EXPECT_EQ(InferCase("UniqueWithCountsExt2").F({4, 6}).V({}).Shapes(), "[-1] [-1] [-1] [24]");
}

TEST(InferPool, WithPositions) {
  InferCase pool("MaxPoolWithArgmax");
  pool.F({1, 8, 8, 3}).A("ksize", Ints{1, 2, 2, 1}).A("strides", Ints{1, 2, 2, 1}).A("padding", "VALID");
  Inferred r = pool.A("Targmax", C_DT_INT32).Run();
  ASSERT_EQ(r.status, GE_SUCCESS) << r.message;
  EXPECT_EQ(r.shapes, (std::vector<std::string>{"[1, 4, 4, 3]", "[1, 4, 4, 3]"}));
  EXPECT_EQ(r.types[1], C_DT_INT32);
}

}  // namespace
}  // namespace gec
