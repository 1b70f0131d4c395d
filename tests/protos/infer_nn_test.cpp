// Convolution, pooling, normalisation, images, recurrent cells. Extents by floor((in + pads - window) / stride) + 1.
#include <gtest/gtest.h>

#include "tests/protos/infer_case.h"

namespace gec {
namespace {

InferCase Conv(Ints x, Ints filter, Ints strides, Ints pads) {
  return InferCase("Conv2D")
      .F(std::move(x))
      .F(std::move(filter))
      .A("strides", std::move(strides))
      .A("pads", std::move(pads))
      .A("data_format", "NCHW");
}

TEST(InferConv, Extents) {
  EXPECT_EQ(Conv({1, 3, 224, 224}, {64, 3, 7, 7}, {1, 1, 2, 2}, {3, 3, 3, 3}).Shape(), "[1, 64, 112, 112]");
  EXPECT_EQ(Conv({1, 3, 10, 12}, {8, 3, 3, 3}, {1, 1, 1, 1}, {0, 1, 2, 0}).Shape(), "[1, 8, 9, 12]");
  EXPECT_EQ(Conv({2, 8, 9, 9}, {8, 1, 3, 3}, {1, 1, 1, 1}, {1, 1, 1, 1}).A("groups", 8).Shape(), "[2, 8, 9, 9]");
  EXPECT_EQ(Conv({1, 3, 16, 16}, {4, 3, 3, 3}, {1, 1, 1, 1}, {0, 0, 0, 0}).A("dilations", Ints{1, 1, 2, 3}).Shape(),
            "[1, 4, 12, 10]");
  EXPECT_EQ(Conv({-1, 3, -1, 16}, {4, 3, 3, 3}, {1, 1, 1, 1}, {0, 0, 0, 0}).Shape(), "[-1, 4, -1, 14]");
  EXPECT_EQ(InferCase("Conv2D")
                .F({1, 16, 20, 3})
                .F({3, 3, 3, 8})
                .Format(C_FORMAT_HWCN)
                .A("strides", Ints{1, 2, 2, 1})
                .A("pads", Ints{1, 1, 1, 1})
                .A("data_format", "NHWC")
                .Shape(),
            "[1, 8, 10, 8]");
  EXPECT_EQ(InferCase("Conv2D")
                .Unranked()
                .F({4, 3, 3, 3})
                .A("strides", Ints{1, 1, 1, 1})
                .A("pads", Ints{0, 0, 0, 0})
                .A("data_format", "NCHW")
                .Shape(),
            "[-1, 4, -1, -1]");
  EXPECT_EQ(InferCase("FusedConv2D")
                .F({1, 3, 8, 8})
                .F({4, 3, 1, 1})
                .F({4})
                .F({1, 4, 8, 8})
                .A("strides", Ints{1, 1, 1, 1})
                .A("pads", Ints{0, 0, 0, 0})
                .Shape(),
            "[1, 4, 8, 8]");
  const auto pooled = [](const Ints &x, const Ints &window, const char *mode) {
    InferCase c("FusedConvPool2D");
    c.F(x).F({4, 3, 3, 3}).F({4}).A("strides", Ints{1, 1, 1, 1}).A("pads", Ints{1, 1, 0, 0});
    return c.A("window", window).A("mode", mode).Run();
  };
  EXPECT_EQ(pooled({2, 3, 8, 9}, {2, 3}, "max").shapes, std::vector<std::string>{"[2, 4, 4, 2]"});
  EXPECT_EQ(pooled({2, 3, 8, 9}, {1, 2}, "average").shapes, std::vector<std::string>{"[2, 4, 8, 3]"});
  EXPECT_EQ(pooled({-1, 3, -1, 9}, {2, 2}, "max").shapes, std::vector<std::string>{"[-1, 4, -1, 3]"});
  EXPECT_NE(pooled({2, 3, 8, 9}, {9, 2}, "max").status, GE_SUCCESS) << "a window is higher than the image";
  EXPECT_NE(pooled({2, 3, 8, 9}, {2, 0}, "max").status, GE_SUCCESS) << "no pixel wide";
  EXPECT_NE(pooled({2, 3, 8, 9}, {2}, "max").status, GE_SUCCESS) << "one side";
  EXPECT_NE(pooled({2, 3, 8, 9}, {2, 2}, "median").status, GE_SUCCESS) << "no such mode";
  EXPECT_NE(pooled({2, 5, 8, 9}, {2, 2}, "max").status, GE_SUCCESS) << "the filter reads other channels";
  const auto separable = [](const Ints &depthwise, const Ints &expand) {
    InferCase c("FusedSeparableConv2D");
    c.F({1, 3, 8, 9}).F(depthwise).F({5, 6, 1, 1});
    if (expand.empty()) c.None();
    else c.F(expand);
    return c.A("strides", Ints{1, 1, 2, 1}).A("pads", Ints{1, 1, 0, 1}).Run();
  };
  EXPECT_EQ(separable({6, 1, 3, 3}, {6, 3, 1, 1}).shapes, std::vector<std::string>{"[1, 5, 4, 8]"});
  EXPECT_NE(separable({6, 1, 3, 3}, {}).status, GE_SUCCESS) << "without expansion the filters want 6 channels of 3";
  EXPECT_NE(separable({6, 2, 3, 3}, {6, 3, 1, 1}).status, GE_SUCCESS) << "not a depthwise filter";
  EXPECT_NE(separable({6, 1, 3, 3}, {6, 3, 1, 3}).status, GE_SUCCESS) << "not 1 x 1";
  EXPECT_NE(separable({6, 1, 3, 3}, {7, 3, 1, 1}).status, GE_SUCCESS) << "the depthwise filter has other channels";
  const auto excited = [](const Ints &squeeze, const Ints &excite) {
    InferCase c("FusedSeparableConv2D");
    c.F({1, 6, 8, 9}).F({6, 1, 3, 3}).F({5, 6, 1, 1}).None().None().None().None().None();
    if (squeeze.empty()) c.None();
    else c.F(squeeze);
    c.F({2});
    if (!excite.empty()) c.F(excite);
    return c.A("strides", Ints{1, 1, 1, 1}).A("pads", Ints{1, 1, 1, 1}).Run();
  };
  EXPECT_EQ(excited({2, 6, 1, 1}, {6, 2, 1, 1}).shapes, std::vector<std::string>{"[1, 5, 8, 9]"});
  EXPECT_NE(excited({2, 6, 1, 1}, {}).status, GE_SUCCESS) << "nothing excites";
  EXPECT_NE(excited({}, {}).status, GE_SUCCESS) << "a bias without a filter";
  EXPECT_NE(excited({2, 5, 1, 1}, {6, 2, 1, 1}).status, GE_SUCCESS) << "squeezes other channels";
  EXPECT_NE(excited({2, 6, 1, 1}, {5, 2, 1, 1}).status, GE_SUCCESS) << "excites other channels";
  EXPECT_NE(excited({3, 6, 1, 1}, {6, 3, 1, 1}).status, GE_SUCCESS) << "the bias is of two channels";
  EXPECT_EQ(InferCase("FusedConv3D")
                .F({1, 3, 8, 9, 10})
                .F({4, 3, 3, 1, 1})
                .F({4})
                .F({1, 4, 8, 9, 10})
                .A("strides", Ints{1, 1, 1, 1, 1})
                .A("pads", Ints{1, 1, 0, 0, 0, 0})
                .Shape(),
            "[1, 4, 8, 9, 10]");
  EXPECT_EQ(InferCase("FusedConvTranspose")
                .V({0, 0, 0, 0})
                .F({1, 8, 5, 5})
                .F({8, 4, 3, 3})
                .A("strides", Ints{1, 1, 2, 2})
                .A("pads", Ints{1, 1, 1, 1})
                .A("output_padding", Ints{0, 0, 1, 1})
                .Shape(),
            "[1, 4, 10, 10]");
  EXPECT_EQ(InferCase("FusedConvTranspose")
                .V({0, 0, 0, 0, 0})
                .F({1, 8, 5, 5, 5})
                .F({8, 2, 2, 2, 2})
                .A("strides", Ints{1, 1, 2, 2, 2})
                .A("pads", Ints{0, 0, 0, 0, 0, 0})
                .A("groups", 2)
                .A("data_format", "NCDHW")
                .Shape(),
            "[1, 4, 10, 10, 10]");
  EXPECT_EQ(InferCase("Conv2DV2")
                .F({1, 3, 9, 9})
                .F({4, 3, 3, 3})
                .A("strides", Ints{1, 1, 2, 2})
                .A("pad_mode", "SAME")
                .Shape(),
            "[1, 4, 5, 5]");
  EXPECT_EQ(InferCase("Conv2DTranspose")
                .V({0, 0, 0, 0})
                .F({1, 8, 5, 5})
                .F({8, 4, 3, 3})
                .A("strides", Ints{1, 1, 2, 2})
                .A("pads", Ints{1, 1, 1, 1})
                .A("data_format", "NCHW")
                .A("output_padding", Ints{0, 0, 1, 1})
                .Shape(),
            "[1, 4, 10, 10]");
  EXPECT_EQ(InferCase("Conv2DTranspose")
                .V({1, 4, 9, 9})
                .F({1, 8, 5, 5})
                .F({8, 4, 3, 3})
                .A("strides", Ints{1, 1, 2, 2})
                .A("pads", Ints{1, 1, 1, 1})
                .A("data_format", "NCHW")
                .Shape(),
            "[1, 4, 9, 9]");
}

TEST(InferConv, Refusals) {
  EXPECT_EQ(Conv({1, 3, 8, 8}, {4, 3, 3, 3}, {1, 1, 1}, {0, 0, 0, 0}).Shape(),
            "refused: strides has 3 values, expected 4");
  EXPECT_EQ(Conv({1, 3, 8, 8}, {4, 2, 3, 3}, {1, 1, 1, 1}, {0, 0, 0, 0}).Shape(),
            "refused: x has 3 channels, expected 2 (filter) * 1 (groups)");
  EXPECT_EQ(Conv({1, 3, 2, 8}, {4, 3, 3, 3}, {1, 1, 1, 1}, {0, 0, 0, 0}).Shape(),
            "refused: the window reaches over 3 positions along the height, but the padded input has only 2");
  EXPECT_EQ(Conv({1, 3, 8, 8}, {4, 3, 3, 3}, {1, 1, 0, 1}, {0, 0, 0, 0}).Shape(),
            "refused: the stride along the height is 0, expected at least 1");
  EXPECT_EQ(Conv({3, 8, 8}, {4, 3, 3, 3}, {1, 1, 1, 1}, {0, 0, 0, 0}).Shape(),
            "refused: x has shape [3, 8, 8], expected 4 dimensions");
  EXPECT_EQ(Conv({1, 3, 8, 8}, {4, 3, 3, 3}, {1, 1, 1, 1}, {0, 0, 0, 0}).A("data_format", "NCDHW").Shape(),
            "refused: data_format is 'NCDHW', expected NCHW or NHWC");
  EXPECT_EQ(Conv({1, 3, 8, 8}, {4, 3, 3, 3}, {1, 1, 1, 1}, {-1, 0, 0, 0}).Shape(),
            "refused: the padding along the height is -1 and 0, expected no negative values");
}

TEST(InferPool, Extents) {
  auto pool = [](int64_t size, Ints window, Ints strides, Ints pads, bool ceil) {
    return InferCase("MaxPoolV3")
        .F({1, 2, size, size})
        .A("ksize", std::move(window))
        .A("strides", std::move(strides))
        .A("pads", std::move(pads))
        .B("ceil_mode", ceil)
        .Shape();
  };
  EXPECT_EQ(pool(112, {1, 1, 3, 3}, {1, 1, 2, 2}, {1, 1, 1, 1}, false), "[1, 2, 56, 56]");
  EXPECT_EQ(pool(6, {1, 1, 3, 3}, {1, 1, 2, 2}, {0, 0, 0, 0}, false), "[1, 2, 2, 2]");
  EXPECT_EQ(pool(6, {1, 1, 3, 3}, {1, 1, 2, 2}, {0, 0, 0, 0}, true), "[1, 2, 3, 3]");
  // A third window would start behind input and leading padding: it does not count.
  EXPECT_EQ(pool(3, {1, 1, 1, 1}, {1, 1, 2, 2}, {0, 0, 0, 0}, true), "[1, 2, 2, 2]");
  EXPECT_EQ(pool(2, {1, 1, 1, 1}, {1, 1, 2, 2}, {0, 0, 0, 0}, true), "[1, 2, 1, 1]");
  EXPECT_EQ(pool(8, {1, 2, 2, 2}, {1, 1, 2, 2}, {0, 0, 0, 0}, false),
            "refused: ksize[1] is 2 and strides[1] is 1, expected 1 and 1");
  EXPECT_EQ(InferCase("AvgPool")
                .F({1, 7, 7, 3})
                .A("ksize", Ints{1, 2, 2, 1})
                .A("strides", Ints{1, 2, 2, 1})
                .A("padding", "SAME")
                .Shape(),
            "[1, 4, 4, 3]");
  EXPECT_EQ(InferCase("AvgPool")
                .F({1, 7, 7, 3})
                .A("ksize", Ints{1, 2, 2, 1})
                .A("strides", Ints{1, 2, 2, 1})
                .A("padding", "VALID")
                .Shape(),
            "[1, 3, 3, 3]");
  EXPECT_EQ(InferCase("AvgPoolV2").F({1, 3, 8, 8}).A("ksize", Ints{1, 1, 2, 2}).A("strides", Ints{1, 1, 2, 2}).Shape(),
            "[1, 3, 4, 4]");
  EXPECT_EQ(InferCase("Pooling").F({1, 3, 6, 6}).A("window", Ints{3, 3}).A("stride", Ints{2, 2}).Shape(),
            "[1, 3, 3, 3]");
  EXPECT_EQ(InferCase("GlobalAveragePool").F({2, 3, 5, 6}).Shape(), "[2, 3, 1, 1]");
  EXPECT_EQ(InferCase("AdaptiveAvgPool2d").F({2, 3, 5, 6}).A("output_size", Ints{-1, 2}).Shape(), "[2, 3, 5, 2]");
}

TEST(InferNorm, Statistics) {
  EXPECT_EQ(InferCase("BNInfer").F({2, 3, 4, 4}).F({3}).F({3}).F({3}).F({3}).Shape(), "[2, 3, 4, 4]");
  EXPECT_EQ(InferCase("BNInfer").F({2, 3, 4, 4}).F({3}).F({4}).F({3}).F({3}).Shape(),
            "refused: offset has 4 values, expected one for each of 3 channels");
  EXPECT_EQ(InferCase("BatchNorm").F({2, 3, 4, 4}).F({3}).F({3}).A("data_format", "NCHW").Shapes(),
            "[2, 3, 4, 4] [3] [3] [3] [3] [0]");
  EXPECT_EQ(
      InferCase("LayerNorm").F({2, 3, 4}).F({4}).F({4}).A("begin_norm_axis", -1).A("begin_params_axis", -1).Shapes(),
      "[2, 3, 4] [2, 3, 1] [2, 3, 1]");
  EXPECT_EQ(InferCase("LayerNormV4").F({2, 3, 4}).V({3, 4}).F({3, 4}).None().Shapes(), "[2, 3, 4] [2, 1, 1] [2, 1, 1]");
  EXPECT_EQ(InferCase("LayerNormV4").F({2, 3, 4}).V({5}).Shape(),
            "refused: normalized_shape[0] is 5, expected 4 as in x of shape [2, 3, 4]");
  EXPECT_EQ(InferCase("RmsNorm").F({2, 3, 4}).F({4}).Shapes(), "[2, 3, 4] [2, 3, 1]");
  EXPECT_EQ(InferCase("AddRmsNorm").F({2, 4}).F({2, 4}).F({4}).Shapes(), "[2, 4] [2, 1] [2, 4]");
  EXPECT_EQ(InferCase("AddLayerNorm").F({2, 4}).F({2, 4}).F({4}).F({4}).Shapes(), "[2, 4] [2, 1] [2, 1] [2, 4]");
  EXPECT_EQ(InferCase("GroupNorm").F({2, 6, 4}).F({6}).F({6}).A("num_groups", 3).Shapes(), "[2, 6, 4] [2, 3] [2, 3]");
  EXPECT_EQ(InferCase("GroupNorm").F({2, 6, 4}).A("num_groups", 4).Shape(),
            "refused: x has 6 channels, expected a multiple of num_groups 4");
  EXPECT_EQ(InferCase("InstanceNorm").F({2, 3, 4, 5}).F({3}).F({3}).A("data_format", "NCHW").Shapes(),
            "[2, 3, 4, 5] [2, 3, 1, 1] [2, 3, 1, 1]");
  EXPECT_EQ(InferCase("DynamicQuant").T(C_DT_FLOAT16, {2, 3, 4}).Shapes(), "[2, 3, 4] [2, 3]");
}

TEST(InferImage, Resizing) {
  EXPECT_EQ(InferCase("Resize").F({1, 3, 8, 9}).None().VF({1, 1, 2, 1.5}).Shape(), "[1, 3, 16, 13]");
  EXPECT_EQ(InferCase("Resize").F({1, 3, 8, 9}).None().None().V({1, 3, 20, 30}).Shape(), "[1, 3, 20, 30]");
  EXPECT_EQ(InferCase("Resize").F({1, 3, 8, 9}).Shape(),
            "refused: neither scales nor sizes is given, expected one of them");
  EXPECT_EQ(InferCase("Resize").F({1, 3, 8, 9}).None().F({4}).Shape(), "[-1, -1, -1, -1]");
  EXPECT_EQ(InferCase("Resize").F({1, 3, 8, 9}).None().VF({1, 1, -2, 1}).Shape().rfind("refused: a scale is -2", 0),
            0u);
  EXPECT_EQ(InferCase("ResizeD").F({1, 3, 8, 9}).A("sizes", Ints{4, 5}).Shape(), "[1, 3, 4, 5]");
  EXPECT_EQ(InferCase("ResizeNearestNeighborV2").F({1, 3, 8, 9}).Format(C_FORMAT_NCHW).V({4, 5}, C_DT_INT32).Shape(),
            "[1, 3, 4, 5]");
  EXPECT_EQ(
      InferCase("ResizeBilinearV2").T(C_DT_UINT8, {1, 8, 9, 3}).Format(C_FORMAT_NHWC).V({4, 5}, C_DT_INT32).Shape(),
      "[1, 4, 5, 3]");
  EXPECT_EQ(InferCase("GridSample").F({2, 3, 8, 8}).F({2, 4, 5, 2}).Shape(), "[2, 3, 4, 5]");
  EXPECT_EQ(InferCase("DepthToSpace").F({1, 8, 2, 3}).A("block_size", 2).A("data_format", "NCHW").Shape(),
            "[1, 2, 4, 6]");
  EXPECT_EQ(InferCase("SpaceToDepth").F({1, 2, 4, 6}).A("block_size", 2).A("data_format", "NCHW").Shape(),
            "[1, 8, 2, 3]");
}

TEST(InferRnn, States) {
  auto lstm = [](Ints w) {
    return InferCase("CommonLSTM")
        .F({5, 2, 3})
        .F(std::move(w))
        .F({2, 16, 4})
        .F({2, 32})
        .None()
        .F({2, 2, 4})
        .F({2, 2, 4})
        .A("hidden_size", 4)
        .A("direction", "bidirectional")
        .Shapes();
  };
  EXPECT_EQ(lstm({2, 16, 3}), "[5, 2, 2, 4] [2, 2, 4] [2, 2, 4]");
  EXPECT_EQ(lstm({1, 16, 3}), "refused: w has shape [1, 16, 3], expected [2, 16, 3]");
  EXPECT_EQ(InferCase("CommonGRU").F({-1, 2, 3}).F({1, 12, 3}).F({1, 12, 4}).A("hidden_size", 4).Shapes(),
            "[-1, 1, 2, 4] [1, 2, 4]");
}

TEST(InferNn, LimitsOfSize) {
  // Products that do not fit and tensors beyond the limit are refused, not wrapped.
  int64_t big = int64_t{1} << 40;
  EXPECT_NE(InferCase("Add").F({big, big}).F({1}).Shape().find("is larger than the limit"), std::string::npos);
  EXPECT_EQ(Conv({1, 3, std::numeric_limits<int64_t>::max(), 8}, {4, 3, 3, 3}, {1, 1, 1, 1}, {1, 1, 0, 0})
                .Shape()
                .rfind("refused: ", 0),
            0u);
  EXPECT_EQ(InferCase("Tile").F({4}).V({std::numeric_limits<int64_t>::max()}).Shape(),
            "refused: the extent of a tiled axis overflows: 4 * 9223372036854775807");
}

}  // namespace
}  // namespace gec
