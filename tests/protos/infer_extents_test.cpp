// Operators whose extents need arithmetic, values or attributes: shapes worked out by hand from what TensorFlow, ONNX,
// Caffe, PyTorch and GE document of them.
#include <gtest/gtest.h>

#include "tests/protos/infer_case.h"

namespace gec {
namespace {

TEST(InferDiagonal, FromAndToMatrices) {
  EXPECT_EQ(InferCase("Diag").F({2, 3}).Shape(), "[2, 3, 2, 3]");
  EXPECT_EQ(InferCase("DiagPart").F({2, 3, 2, -1}).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("DiagPart").F({2, 3, 2}).Shape(),
            "refused: x has shape [2, 3, 2], expected an even number of dimensions");
  EXPECT_NE(InferCase("DiagPart").F({2, 3, 2, 4}).Shape().find("3 and 4"), std::string::npos);
  EXPECT_EQ(InferCase("DiagFlat").F({2, 3}).A("diagonal", -2).Shape(), "[8, 8]");
  EXPECT_EQ(InferCase("DiagV2").F({4}).A("diagonal", 1).Shape(), "[5, 5]");
  EXPECT_EQ(InferCase("DiagV2").F({4, 6}).A("diagonal", 3).Shape(), "[3]");
  EXPECT_EQ(InferCase("DiagV2").F({4, 6}).A("diagonal", -1).Shape(), "[3]");
  EXPECT_EQ(InferCase("DiagV2").F({4, 6}).A("diagonal", 9).Shape(), "[0]");
  EXPECT_EQ(InferCase("MatrixDiagPart").F({5, 4, 3}).Shape(), "[5, 3]");
  EXPECT_EQ(InferCase("Trace").T(C_DT_INT8, {3, 3}).Type(), C_DT_INT64);
  EXPECT_EQ(InferCase("Trace").T(C_DT_UINT16, {3, 3}).Type(), C_DT_UINT64);
  EXPECT_EQ(InferCase("Pdist").F({5, 3}).Shape(), "[10]");
  EXPECT_EQ(InferCase("Cdist").F({2, 5, 3}).F({2, 7, 3}).Shape(), "[2, 5, 7]");
  EXPECT_EQ(InferCase("Cdist").F({5, 3}).F({7, 4}).Shape().find("refused"), 0u);
}

// The examples of tf.linalg.diag_part and tf.linalg.diag.
TEST(InferDiagonal, Bands) {
  auto part = [](Ints x, Ints k) {
    return InferCase("MatrixDiagPartV3").F(std::move(x)).V(std::move(k), C_DT_INT32).SF(0).Shape();
  };
  EXPECT_EQ(part({2, 3, 4}, {0}), "[2, 3]");
  EXPECT_EQ(part({2, 3, 4}, {1}), "[2, 3]");
  EXPECT_EQ(part({2, 3, 4}, {-1, 2}), "[2, 4, 3]");
  EXPECT_EQ(part({2, 3, 4}, {1, 3}), "[2, 3, 3]");
  EXPECT_EQ(part({2, 3, 4}, {4}), "refused: k is 4, expected a value from -2 to 3");
  EXPECT_EQ(part({2, 3, 4}, {2, 1}), "refused: k is from 2 to 1, expected the lower diagonal first");
  auto diag = [](Ints x, Ints k, int64_t rows, int64_t columns) {
    InferCase c("MatrixDiagV3");
    return c.F(std::move(x)).V(std::move(k), C_DT_INT32).S(rows, C_DT_INT32).S(columns, C_DT_INT32).SF(0).Shape();
  };
  EXPECT_EQ(diag({2, 4}, {0}, -1, -1), "[2, 4, 4]");
  EXPECT_EQ(diag({2, 3}, {1}, -1, -1), "[2, 4, 4]");
  EXPECT_EQ(diag({2, 3, 3}, {-1, 1}, -1, -1), "[2, 3, 3]");
  EXPECT_EQ(diag({2}, {-1}, 3, 4), "[3, 4]");
  EXPECT_EQ(diag({2}, {-1}, 2, 4), "refused: num_rows is 2, expected at least 3");
  EXPECT_EQ(diag({2, 3, 3}, {0, 1}, -1, -1), "refused: there are 3 diagonals, expected 2 for k from 0 to 1");
}

TEST(InferShapeValues, ShapesOfShapes) {
  EXPECT_EQ(InferCase("BroadcastArgs").V({2, 1, 3}).V({4, 1}).Values(), (Ints{2, 4, 3}));
  EXPECT_EQ(InferCase("BroadcastArgs").V({2, 3}).V({4}).Shape(),
            "refused: x1 and x2 are shapes that cannot be broadcast: 3 and 4 at axis 1");
  // tf.raw_ops.BroadcastGradientArgs: axes to sum over
  Inferred r = InferCase("BroadcastGradientArgs").V({2, 3, 1}).V({3, 4}).Outputs(2).Run();
  EXPECT_EQ(r.shapes, (std::vector<std::string>{"[1]", "[1]"}));
  EXPECT_EQ(r.partials, (std::vector<Ints>{{2}, {0}}));
  EXPECT_EQ(InferCase("GetShape").F({2, -1}).F({5}).Count(2).Shape(), "[3]");
  EXPECT_EQ(InferCase("GetShape").F({2, -1}).F({5}).Count(2).Values(), (Ints{2, kAny, 5}));
  EXPECT_EQ(InferCase("GetDynamicDims").F({2}).Count(1).A("shape_info", Ints{2, 4, -1, 2, -1, 6}).Shape(), "[2]");
  InferCase gather("GatherShapes");
  gather.F({2, 3}).F({5}).Count(2).A("axes", std::vector<Ints>{{1, 0}, {0, -1}});
  EXPECT_EQ(gather.Values(), (Ints{5, 3}));
  EXPECT_EQ(gather.A("axes", std::vector<Ints>{{2, 0}}).Shape(),
            "refused: axes[0] names input 2, expected a value from 0 to 1");
  EXPECT_EQ(InferCase("InvertPermutation").V({3, 4, 0, 2, 1}).Values(), (Ints{2, 4, 3, 0, 1}));
  EXPECT_EQ(InferCase("InvertPermutation").V({0, 0}).Shape(), "refused: x contains 0 twice");
  InferCase offsets("ConcatOffset");
  offsets.S(1).V({2, 2, 7}).V({2, 3, 7}).V({2, 9, 7}).Count(3);
  EXPECT_EQ(offsets.Outputs(3).Run().partials, (std::vector<Ints>{{0, 0, 0}, {0, 2, 0}, {0, 5, 0}}));
  InferCase reshape("SparseReshape");
  reshape.T(C_DT_INT64, {5, 3}).V({2, 3, 6}).V({9, -1});
  EXPECT_EQ(reshape.Shapes(), "[5, 2] [2]");
  EXPECT_EQ(reshape.Outputs(2).Run().partials[1], (Ints{9, 4}));
  EXPECT_EQ(InferCase("StatelessDropOutGenMask").V({3, 50}).SF(1).S(0).S(0).Shape(), "[32]");  // 150 bits: 2 * 128
}

TEST(InferBlocks, Images) {
  EXPECT_EQ(InferCase("SpaceToBatch").F({1, 4, 6, 3}).V({0, 0, 1, 1}).A("block_size", 2).Shape(), "[4, 2, 4, 3]");
  EXPECT_EQ(InferCase("BatchToSpaceD").F({4, 2, 4, 3}).A("block_size", 2).A("crops", Ints{0, 0, 1, 1}).Shape(),
            "[1, 4, 6, 3]");
  EXPECT_EQ(InferCase("SpaceToBatchD")
                .F({1, 3, 4, 6})
                .Format(C_FORMAT_NCHW)
                .A("block_size", 2)
                .A("paddings", Ints{0, 0, 1, 1})
                .Shape(),
            "[4, 3, 2, 4]");
  EXPECT_EQ(InferCase("BatchToSpace").F({4, 2, 4, 3}).V({0, 0, 9, 0}).A("block_size", 2).Shape(),
            "refused: the crops of axis 2 are 9, expected at most 8");
  EXPECT_EQ(InferCase("SpaceToBatch").F({1, 4, 6}).V({0, 0, 0, 0}).A("block_size", 2).Shape(),
            "refused: x has shape [1, 4, 6], expected 4 dimensions");
}

// tf.image.extract_patches: images of 10 by 10, sizes [1, 3, 3, 1], strides [1, 5, 5, 1].
TEST(InferPatches, ImagesAndVolumes) {
  InferCase patches("ExtractImagePatches");
  patches.F({1, 10, 10, 1}).A("ksizes", Ints{1, 3, 3, 1}).A("strides", Ints{1, 5, 5, 1}).A("rates", Ints{1, 1, 1, 1});
  EXPECT_EQ(patches.A("padding", "VALID").Shape(), "[1, 2, 2, 9]");
  EXPECT_EQ(patches.A("strides", Ints{1, 7, 7, 1}).Shape(), "[1, 2, 2, 9]");
  EXPECT_EQ(patches.A("rates", Ints{1, 4, 4, 1}).Shape(), "[1, 1, 1, 9]");
  EXPECT_EQ(patches.A("padding", "FULL").Shape(), "refused: padding is 'FULL', expected SAME or VALID");
  InferCase volume("ExtractVolumePatches");
  volume.F({2, 5, 6, 7, 3}).A("ksizes", Ints{1, 2, 2, 2, 1}).A("strides", Ints{1, 2, 2, 2, 1}).A("padding", "SAME");
  EXPECT_EQ(volume.Shape(), "[2, 3, 3, 4, 24]");
  // tf.nn.dilation2d: (7 - (2 - 1) * 2 - 1) / 2 + 1
  InferCase dilation("Dilation2D");
  dilation.F({2, 7, 8, 3}).F({2, 3, 3}).A("strides", Ints{1, 2, 1, 1}).A("rates", Ints{1, 2, 1, 1});
  EXPECT_EQ(dilation.A("padding_mode", "VALID").Shape(), "[2, 3, 6, 3]");
  EXPECT_EQ(dilation.A("padding_mode", "SAME").Shape(), "[2, 4, 8, 3]");
  EXPECT_EQ(InferCase("MaxPoolV2").F({1, 9, 9, 4}).V({1, 3, 3, 1}).V({1, 2, 2, 1}).A("padding", "VALID").Shape(),
            "[1, 4, 4, 4]");
  EXPECT_EQ(InferCase("MaxPoolV2").F({1, 9, 9, 4}).T(C_DT_INT32, {4}).V({1, 2, 2, 1}).A("padding", "SAME").Shape(),
            "[1, 5, 5, 4]");
  EXPECT_EQ(InferCase("AvgPool1D").F({2, 3, 1, 10}).A("ksize", 4).A("strides", 3).A("pads", Ints{1, 1}).Shape(),
            "[2, 3, 1, 3]");
  InferCase mask("MaxPoolWithArgmaxV1");
  mask.T(C_DT_FLOAT16, {2, 3, 8, 8}).A("ksize", Ints{1, 2, 2, 1}).A("strides", Ints{1, 2, 2, 1});
  EXPECT_EQ(mask.A("pads", Ints{1, 0, 0, 1}).Shapes(), "[2, 3, 4, 4] [2, 3, 4, 2]");  // 16 windows: one row, and one
  InferCase offsets("DeformableOffsets");
  offsets.F({2, 8, 9, 16}).F({2, 8, 9, 27}).A("ksize", Ints{3, 3}).A("strides", Ints{1, 1, 1, 1});
  EXPECT_EQ(offsets.A("pads", Ints{1, 1, 1, 1}).Shape(), "[2, 24, 27, 16]");
  InferCase deformed("DeformableConv2D");
  deformed.F({2, 8, 9, 4}).F({6, 4, 3, 3}).F({2, 8, 9, 27}).None().A("strides", Ints{1, 1, 1, 1});
  EXPECT_EQ(deformed.A("pads", Ints{1, 1, 1, 1}).Shape(), "[2, 8, 9, 6]");
  InferCase both("ExtendConv2D");
  both.F({2, 4, 8, 9}).F({6, 4, 3, 3}).A("strides", Ints{1, 1, 2, 2}).A("pads", Ints{1, 1, 1, 1});
  EXPECT_EQ(both.Shapes(), "[2, 6, 4, 5] [?]");
  EXPECT_EQ(both.B("dual_output", true).A("dtype1", C_DT_INT8).Shapes(), "[2, 6, 4, 5] [2, 6, 4, 5]");
  EXPECT_EQ(both.Run().types, (std::vector<int32_t>{C_DT_FLOAT, C_DT_INT8}));
  EXPECT_EQ(both.A("pad_mode", "VALID").Shape(), "[2, 6, 3, 4]");
  EXPECT_EQ(InferCase("DepthwiseWeight4DTo6D").F({3, 3, 20, 1}).Shape(), "[2, 3, 3, 1, 16, 16]");
  EXPECT_EQ(InferCase("DepthwiseWeight6DTo4D").F({2, 3, 3, 1, 16, 16}).A("channel_size", 20).Shape(), "[3, 3, 20, 1]");
  EXPECT_EQ(InferCase("Col2im").F({1, 3, 4, 9}).V({4, 5}, C_DT_INT32).Shape(), "[1, 3, 4, 5]");
  // ONNX Col2Im's example: 5 channels, 1x5 blocks, image 5x5
  EXPECT_EQ(InferCase("Col2ImV2").F({1, 5, 5}).V({5, 5}).V({1, 5}).Shape(), "[1, 1, 5, 5]");
  EXPECT_EQ(InferCase("Col2ImV2").F({1, 7, 5}).V({5, 5}).V({1, 5}).Shape(),
            "refused: dimension 1 of x leads to 7 values, expected a multiple of 5");
}

TEST(InferImages, SizesAsValues) {
  EXPECT_EQ(InferCase("CropAndResize").F({2, 30, 40, 3}).F({9, 4}).T(C_DT_INT32, {9}).V({7, 5}).Shape(),
            "[9, 7, 5, 3]");
  EXPECT_EQ(InferCase("CropAndResize").F({2, 30, 40}).F({9, 4}).T(C_DT_INT32, {9}).V({7, 5}).Shape(),
            "refused: x has shape [2, 30, 40], expected 4 dimensions");
  EXPECT_EQ(InferCase("ScaleAndTranslate").F({2, 30, 40, 3}).V({7, 5}, C_DT_INT32).F({2}).F({2}).Shape(),
            "[2, 7, 5, 3]");
  EXPECT_EQ(InferCase("ScaleAndTranslate").F({2, 30, 40, 3}).V({7}, C_DT_INT32).F({2}).F({2}).Shape(),
            "refused: size has 1 values, expected at least 2");
  EXPECT_EQ(InferCase("ResizeTrilinear").F({1, 2, 3, 4, 5}).P({6, kAny, 10}).Shape(), "[1, 2, 6, -1, 10]");
  EXPECT_EQ(InferCase("UpsampleNearest3d").F({1, 2, 3, 4, 5}).A("output_size", Ints{6, 8, 9}).Shape(),
            "[1, 2, 6, 8, 9]");
  EXPECT_EQ(InferCase("UpsampleNearestExact3d").F({1, 2, 3, 4, 5}).A("output_size", Ints{6, 8, 9}).Shape(),
            "[1, 2, 6, 8, 9]");
  EXPECT_EQ(InferCase("AffineGrid").F({2, 2, 3}).V({2, 3, 8, 10}, C_DT_INT32).Shape(), "[2, 80, 2]");
  EXPECT_EQ(InferCase("AffineGrid").F({2, 3, 4}).V({2, 3, 4, 8, 10}, C_DT_INT32).Shape(), "[2, 320, 3]");
  EXPECT_EQ(InferCase("Crop").F({2, 3, 20, 30}).F({1, 1, 10, 11}).A("offsets", Ints{2}).Shape(), "[2, 3, 10, 11]");
  EXPECT_EQ(InferCase("Crop").F({2, 3, 20, 30}).F({1, 1, 10, 31}).Shape(),
            "refused: x has extent 30 along axis 3, too small for 31 from 0 on");
  EXPECT_EQ(InferCase("SpatialTransformer").F({2, 3, 20, 30}).None().A("output_size", Ints{10, -1}).Shape(),
            "[2, 3, 10, 30]");
}

TEST(InferImages, Detection) {
  InferCase best("CombinedNonMaxSuppression");
  best.F({2, 50, 1, 4}).F({2, 50, 3}).S(5, C_DT_INT32).S(20, C_DT_INT32).SF(0.5f).SF(0.1f);
  EXPECT_EQ(best.Shapes(), "[2, 20, 4] [2, 20] [2, 20] [2]");
  EXPECT_EQ(best.B("pad_per_class", true).Shapes(), "[2, 15, 4] [2, 15] [2, 15] [2]");
  EXPECT_EQ(InferCase("GIoU").F({4, 7}).F({4, 9}).Shape(), "[9, 7]");
  EXPECT_EQ(InferCase("GIoU").F({4, 7}).F({4, 7}).B("is_cross", false).Shape(), "[1, 7]");
  EXPECT_EQ(InferCase("RotatedOverlaps").F({2, 5, 7}).F({2, 5, 9}).Shape(), "[2, 7, 9]");
  EXPECT_EQ(
      InferCase("NonMaxSuppressionV4").F({9, 4}).F({9}).S(6).SF(0).SF(0).B("pad_to_max_output_size", true).Shapes(),
      "[6] []");
  EXPECT_EQ(InferCase("NonMaxSuppressionV3").F({9, 4}).F({8}).S(6).SF(0).SF(0).Shape(),
            "refused: dimension 0 of scores is 8, expected 9 like dimension 0 of boxes");
  EXPECT_EQ(InferCase("AnchorResponseFlags")
                .F({5, 4})
                .A("featmap_size", Ints{6, 7})
                .A("strides", Ints{8, 8})
                .A("num_base_anchors", 3)
                .Shape(),
            "[126]");
  // 13 * 13 positions: 2 * 169 + 32 rounded up to 384, half of it; three boxes: 3 * 338 + 32 to 1056
  EXPECT_EQ(InferCase("Yolo").F({1, 255, 13, 13}).Shapes(), "[1, 12, 192] [1, 528] [1, 80, 528]");
  EXPECT_EQ(InferCase("YoloV3DetectionOutputV2").F({2, 12, 192}).Count(1).A("post_nms_topn", 100).Shapes(),
            "[2, 6, 100] [2, 8, 1]");
  EXPECT_EQ(InferCase("PSROIPoolingV2").F({1, 98, 20, 20}).F({2, 5, 8}).A("output_dim", 2).A("group_size", 7).Shape(),
            "[16, 2, 7, 7]");
}

TEST(InferIndexing, TensorsAsIndices) {
  auto by_tensor = [](Ints mask, Ints a, Ints b) {
    InferCase c("IndexByTensor");
    c.F({4, 5, 6, 7}).T(C_DT_INT64, std::move(a)).T(C_DT_INT64, std::move(b)).Count(2);
    return c.A("indices_mask", std::move(mask)).Shape();
  };
  // NumPy: x[:, a, b, :], x[a, :, b, :], x[a, b]
  EXPECT_EQ(by_tensor({0, 1, 1, 0}, {2, 1}, {3}), "[4, 2, 3, 7]");
  EXPECT_EQ(by_tensor({1, 0, 1, 0}, {2, 1}, {3}), "[2, 3, 5, 7]");
  EXPECT_EQ(by_tensor({}, {2, 1}, {3}), "[2, 3, 6, 7]");
  EXPECT_EQ(by_tensor({1, 1, 1, 0}, {2}, {2}), "refused: indices has 2 tensors, expected 3 as axes are indexed");
  EXPECT_EQ(InferCase("Index").F({4, 5}).V({0, 1}).V({1}).T(C_DT_INT64, {3}).Count(1).Shape(), "[4, 3]");
  // tf.dynamic_stitch's example
  InferCase stitch("DynamicStitch");
  stitch.S(6, C_DT_INT32).V({4, 1}, C_DT_INT32).V({5, 2, 0, 3}, C_DT_INT32).Count(3);
  EXPECT_EQ(stitch.F({2}).F({2, 2}).F({4, 2}).Count(3).Shape(), "[7, 2]");
  EXPECT_EQ(InferCase("SparseSegmentSum").F({5, 6}).V({0, 1, 4}).V({0, 0, 2}).Shape(), "[3, 6]");
  EXPECT_EQ(InferCase("SegmentSum").F({3, 6}).V({0, 2, 1}).Shape(),
            "refused: segment_ids[2] is 1, expected at least 2");
  EXPECT_EQ(InferCase("SegmentSum").F({4, 6}).V({0, 1, 2}).Shape().find("refused"), 0u);
  // torch._chunk_cat: (4 x 3 and 5 x 2 rows in 3 chunks): 2 * 3 + 2 * 2
  EXPECT_EQ(InferCase("ChunkCat").F({4, 3}).F({5, 2}).Count(2).A("dim", 0).A("num_chunks", 3).Shape(), "[3, 10]");
  EXPECT_EQ(InferCase("EmbeddingBag").F({100, 16}).T(C_DT_INT32, {20}).T(C_DT_INT32, {5}).A("mode", "max").Shapes(),
            "[5, 16] [-1] [5] [5, 16]");
  EXPECT_EQ(InferCase("EmbeddingBag").F({100, 16}).T(C_DT_INT32, {4, 3}).Shape(), "[4, 16]");
  EXPECT_EQ(InferCase("DynSeqOuter").F({7, 3}).F({5, 3}).V({3, 4}).V({2, 3}).Shape(), "[18, 3]");
  // ONNX TfIdfVectorizer's examples: 7 n-grams
  InferCase tfidf("TfIdfVectorizer");
  tfidf.T(C_DT_INT32, {2, 6}).A("ngram_indexes", Ints{0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(tfidf.Shape(), "[2, 7]");
  EXPECT_EQ(InferCase("UnravelIndex").V({22, 41, 37}).V({7, 6}).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("UnravelIndex").S(22).V({7, 6}).Shape(), "[2]");
  EXPECT_EQ(InferCase("UniqueConsecutive").F({2, 3}).B("return_idx", true).Shapes(), "[-1] [2, 3] [-1]");
  EXPECT_EQ(InferCase("UniqueConsecutive").F({2, 3}).B("return_idx", true).A("axis", 1).Shapes(), "[2, -1] [3] [-1]");
  EXPECT_EQ(InferCase("UniqueExt2").F({2, 3}).V({0}).Shapes(), "[-1, 3] [2]");
  EXPECT_EQ(InferCase("ArgMaxWithK").F({2, 9}).A("axis", 1).A("topk", 4).Shapes(), "[2, 4] [2, 4]");
}

TEST(InferCounts, BinsAndSamples) {
  EXPECT_EQ(InferCase("Bincount").T(C_DT_INT32, {9}).S(5).F({0}).Shape(), "[5]");
  EXPECT_EQ(InferCase("Bincount").T(C_DT_INT32, {9}).S(-5).F({0}).Shape(),
            "refused: size is -5, expected no negative value");
  EXPECT_EQ(InferCase("DenseBincount").T(C_DT_INT32, {3, 9}).S(5).F({0}).Shape(), "[3, 5]");
  EXPECT_EQ(InferCase("RaggedBinCount").T(C_DT_INT64, {4}).T(C_DT_INT32, {9}).S(5).F({0}).Shape(), "[3, 5]");
  EXPECT_EQ(InferCase("SparseBincount").T(C_DT_INT64, {9, 2}).T(C_DT_INT32, {9}).V({3, 8}).S(5).F({0}).Shape(),
            "[3, 5]");
  EXPECT_EQ(InferCase("Multinomial").F({3, 10}).S(6, C_DT_INT32).Shape(), "[3, 6]");
  EXPECT_EQ(InferCase("HistogramFixedWidth").F({9}).F({2}).S(5, C_DT_INT32).Shape(), "[5]");
  EXPECT_EQ(InferCase("StatelessRandperm").S(12).S(0).S(0).Shape(), "[12]");
  EXPECT_EQ(InferCase("RandomChoiceWithMask").T(C_DT_BOOL, {4, 5, 6}).A("count", 7).Shapes(), "[7, 3] [7]");
  EXPECT_EQ(InferCase("DropOutV3").F({3, 50}).None().SF(0.5f).S(0).S(0).Shapes(), "[3, 50] [32]");
  EXPECT_EQ(InferCase("CompareAndBitpack").F({3, 16}).SF(0).Shape(), "[3, 2]");
  EXPECT_EQ(InferCase("CompareAndBitpack").F({3, 15}).SF(0).Shape(),
            "refused: dimension -1 of x leads to 15 values, expected a multiple of 8");
  EXPECT_EQ(InferCase("SignBitsPack").F({100}).A("size", 4).Shape(), "[4, 4]");  // 13 bytes in 4 rows
  EXPECT_EQ(InferCase("EditDistance")
                .T(C_DT_INT64, {3, 3})
                .F({3})
                .V({2, 2, 5})
                .T(C_DT_INT64, {4, 3})
                .F({4})
                .V({2, 3, 4})
                .Shape(),
            "[2, 3]");
}

TEST(InferPadding, AndItsGradient) {
  EXPECT_EQ(InferCase("MirrorPadGrad").F({4, 9}).V({1, 1, 2, 2}).A("mode", "REFLECT").Shape(), "[2, 5]");
  EXPECT_EQ(InferCase("PadV3Grad").F({4, 9}).V({1, 2, 1, 2}).B("paddings_contiguous", false).Shape(), "[2, 5]");
  EXPECT_EQ(InferCase("MirrorPadGrad").F({4, 9}).V({3, 3, 2, 2}).A("mode", "REFLECT").Shape(),
            "refused: paddings along axis 0 are 3 and 3, expected 0 to 4 in all");
  EXPECT_EQ(InferCase("CircularPad").F({2, 9}).V({0, 0, 2, 1}).Shape(), "[2, 12]");
  EXPECT_EQ(InferCase("RepeatInterleaveGrad").F({2, 12}).V({3}).A("axis", 1).Shape(), "[2, 4]");
  EXPECT_EQ(InferCase("RepeatInterleaveGrad").F({2, 12}).V({3, 4, 5}).A("axis", 1).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("SliceLastDim").F({2, 12}).A("start", 1).A("end", 10).A("stride", 4).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("ExpandD").F({3, 1}).A("shape", Ints{2, 1, 6}).Shape(), "[2, 3, 6]");
  EXPECT_EQ(InferCase("InplaceSubD").F({3, 1}).F({2, 1}).A("indices", Ints{2, 0}).Shape(), "[3, 1]");
  EXPECT_EQ(InferCase("HistogramFixedWidthD").F({9, 3}).F({2}).A("nbins", 5).Shape(), "[5]");
  EXPECT_EQ(InferCase("DiagD").F({2, 3}).F({2, 3, 2, 3}).Shape(), "[2, 3, 2, 3]");
  EXPECT_EQ(InferCase("DiagPartD").F({4, 4}).F({4, 4}).Shape(), "[4]");
  EXPECT_EQ(InferCase("MatrixDiagD").F({2, 3}).F({2, 3, 3}).Shape(), "[2, 3, 3]");
  EXPECT_EQ(InferCase("MatrixDiagPartD").F({2, 3, 4}).F({2, 3, 4}).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("MatrixSetDiagD").F({2, 3, 3}).F({2, 3}).F({2, 3, 3}).Shape(), "[2, 3, 3]");
  InferCase pool("AvgPoolGradD");
  pool.F({1, 2, 3, 3}).A("orig_input_shape", Ints{1, 4, 6, 3}).A("ksize", Ints{1, 2, 2, 1});
  pool.A("strides", Ints{1, 2, 2, 1}).A("padding", "VALID");
  EXPECT_EQ(pool.Shape(), "[1, 4, 6, 3]");
  InferCase confusion("ConfusionTransposeD");
  confusion.F({4, 64, 96}).A("perm", Ints{0, 2, 1, 3}).A("shape", Ints{4, 64, 8, 12}).B("transpose_first", false);
  EXPECT_EQ(confusion.Shape(), "[4, 8, 64, 12]");
  EXPECT_EQ(InferCase("ConfusionTranspose")
                .F({4, 8, 64, 12})
                .V({4, 64, -1})
                .A("perm", Ints{0, 2, 1, 3})
                .B("transpose_first", true)
                .Shape(),
            "[4, 64, 96]");
}

TEST(InferMatrixRanks, Products) {
  InferCase transposed("TransposeBatchMatMul");
  transposed.F({5, 3, 4}).F({3, 4, 6}).A("perm_x1", Ints{1, 0, 2}).A("perm_y", Ints{1, 0, 2});
  EXPECT_EQ(transposed.Shape(), "[5, 3, 6]");
  EXPECT_EQ(transposed.A("batch_split_factor", 3).Shape(), "[3, 5, 6]");
  EXPECT_EQ(InferCase("AllGatherMatmul").F({5, 4}).F({4, 6}).A("rank_size", 8).Shapes(), "[40, 6] [40, 4]");
  EXPECT_EQ(InferCase("MatmulReduceScatter").F({16, 4}).F({6, 4}).B("is_trans_b", true).A("rank_size", 8).Shape(),
            "[2, 6]");
  EXPECT_EQ(InferCase("MatmulReduceScatter").F({15, 4}).F({4, 6}).A("rank_size", 8).Shape(),
            "refused: the product has 15 values, expected a multiple of rank_size 8");
  InferCase experts("AlltoAllAllGatherBatchMatMul");
  experts.F({8, 10, 16}).F({2, 32, 6}).A("ep_world_size", 4).A("tp_world_size", 2);
  experts.B("output_y2_flag", true).B("output_y3_flag", true);
  EXPECT_EQ(experts.Shapes(), "[2, 40, 6] [2, 40, 32] [2, 40, 6]");
  InferCase back("BatchMatMulReduceScatterAlltoAll");
  back.F({2, 40, 6}).F({2, 6, 32}).A("ep_world_size", 4).A("tp_world_size", 2);
  EXPECT_EQ(back.Shape(), "[8, 10, 16]");
  EXPECT_EQ(back.A("y_shard_type", 1).Shape(), "[8, 5, 32]");
  InferCase grouped("GroupedMatMulAlltoAllv");
  grouped.F({9, 4}).F({3, 4, 6}).None().None().F({7, 4}).F({4, 5}).A("send_counts", Ints{4, 5});
  EXPECT_EQ(grouped.A("recv_counts", Ints{6, 7}).Shapes(), "[13, 6] [7, 5]");
  EXPECT_EQ(grouped.A("send_counts", Ints{4, 4}).Shape(),
            "refused: the rows of gmm_x and the sum of send_counts differs: 9 and 8");
  InferCase permuted("AlltoAllvGroupedMatMul");
  permuted.F({9, 4}).F({3, 4, 6}).None().None().F({7, 4}).F({4, 5}).A("send_counts", Ints{4, 5});
  permuted.A("recv_counts", Ints{6, 7}).B("permute_out_flag", true);
  EXPECT_EQ(permuted.Shapes(), "[13, 6] [7, 5] [13, 4]");
  EXPECT_EQ(InferCase("QuantMatmulReduceSum").T(C_DT_INT8, {3, 4, 5}).T(C_DT_INT8, {3, 5, 6}).V({0}).Shape(), "[4, 6]");
  EXPECT_EQ(InferCase("SparseTensorDenseMatMul")
                .T(C_DT_INT64, {9, 2})
                .F({9})
                .V({5, 7})
                .F({5, 3})
                .B("adjoint_a", true)
                .Shape(),
            "[7, 3]");
  EXPECT_EQ(InferCase("FullyConnection").T(C_DT_INT8, {2, 3, 4}).T(C_DT_INT8, {10, 12}).A("num_output", 10).Shape(),
            "[2, 10]");
}

TEST(InferRouting, WhatRanksSend) {
  InferCase all("HcomAllToAllV");
  all.F({9}).V({4, 5}).V({0, 4}).V({3, 6});
  EXPECT_EQ(InferCase(all).V({6, 0}).Shape(), "[9]");
  EXPECT_EQ(InferCase(all).T(C_DT_INT64, {2}).Shape(), "[-1]");
  EXPECT_EQ(InferCase(all).V({6}).Shape(), "refused: recv_displacements has 1 values, expected 2 as recv_counts");
}

TEST(InferRouting, Experts) {
  auto routed = [](const char *type) {
    InferCase c(type);
    return c.T(C_DT_FLOAT16, {10, 64}).T(C_DT_INT32, {10, 4}).None().None();
  };
  EXPECT_EQ(routed("MoeInitRoutingV3").A("expert_num", 8).Shapes(), "[40, 64] [40] [8] [40]");
  EXPECT_EQ(routed("MoeInitRoutingV3").A("expert_num", 8).A("active_num", 30).Shapes(), "[30, 64] [40] [8] [30]");
  EXPECT_EQ(routed("MoeInitRoutingV3").A("expert_num", 8).A("drop_pad_mode", 1).A("expert_capacity", 5).Shapes(),
            "[8, 5, 64] [40] [8] [40]");
  EXPECT_EQ(routed("MoeInitRoutingV3").A("drop_pad_mode", 1).Shape(),
            "refused: expert_num is -1, expected at least 1 with drop_pad_mode 1");
  EXPECT_EQ(routed("MoeInitRoutingQuantV2").A("expert_num", 8).Shapes(), "[40, 64] [40] [8] [8] [40]");
  InferCase first("MoeInitRouting");
  first.F({10, 64}).T(C_DT_INT32, {10, 4}).T(C_DT_INT32, {10, 4});
  EXPECT_EQ(first.A("active_num", 6).Shapes(), "[24, 64] [40] [24]");
  EXPECT_EQ(InferCase("MoeFinalizeRoutingV2").F({40, 64}).T(C_DT_INT32, {40}).None().None().None().F({10, 4}).Shape(),
            "[10, 64]");
  EXPECT_EQ(InferCase("MoeReRouting").F({40, 64}).T(C_DT_INT32, {2, 8}).F({40}).Shapes(), "[40, 64] [40] [40] [8]");
  // 4 ranks, one for a shared expert; the 12 others on 3: 4 each, of which a row may use 4. 10 rows a rank.
  InferCase dispatch("MoeDistributeDispatch");
  dispatch.T(C_DT_BF16, {10, 64}).T(C_DT_INT32, {10, 8}).A("ep_world_size", 4).A("moe_expert_num", 12);
  dispatch.A("shared_expert_rank_num", 1).A("ep_rank_id", 2);
  EXPECT_EQ(dispatch.Shapes(), "[160, 64] [-1] [80] [4] [-1] [-1] [-1]");
  EXPECT_EQ(dispatch.Type(), C_DT_BF16);
  EXPECT_EQ(dispatch.A("ep_rank_id", 0).Shapes(), "[40, 64] [-1] [80] [1] [-1] [-1] [-1]");
  EXPECT_EQ(dispatch.A("moe_expert_num", 13).Shape(),
            "refused: moe_expert_num is 13, expected a multiple of the 3 ranks with experts");
  EXPECT_EQ(InferCase("EmbeddingHashTableExport").V({1}).V({1}).V({1}).V({1}).Outputs(8).Run().types[3], C_DT_UINT64);
}

TEST(InferScales, OfBlocksAndRows) {
  EXPECT_EQ(InferCase("DynamicMxQuant").F({4, 100}).Shapes(), "[4, 100] [4, 2, 2]");  // 4 blocks of 32: 2 pairs
  EXPECT_EQ(InferCase("DynamicMxQuant").F({100, 6}).A("axis", 0).Shapes(), "[100, 6] [2, 6, 2]");
  EXPECT_EQ(InferCase("DynamicMxQuantWithDualAxis").F({100, 6}).Shapes(), "[100, 6] [100, 1, 2] [100, 6] [2, 6, 2]");
  EXPECT_EQ(InferCase("DynamicBlockQuant").F({100, 300}).A("row_block_size", 128).Shapes(), "[100, 300] [1, 3]");
  EXPECT_EQ(InferCase("DynamicQuantV2").F({4, 5, 6}).None().None().Shapes(), "[4, 5, 6] [4, 5] [4, 5]");
  EXPECT_EQ(InferCase("DynamicQuantV2").F({4, 5, 6}).None().None().A("quant_mode", "perchannel").Shapes(),
            "[4, 5, 6] [4, 6] [4, 6]");
  EXPECT_EQ(InferCase("GroupedDynamicMxQuant").F({128, 6}).V({64, 128}).Shapes(), "[128, 6] [4, 6, 2]");
  EXPECT_EQ(InferCase("SwigluMxQuant").F({4, 256}).None().Shapes(), "[4, 128] [4, 2, 2]");
  EXPECT_EQ(InferCase("FlatQuant").F({3, 16, 8}).F({16, 16}).F({8, 8}).Shapes(), "[3, 16, 8] [3]");
  EXPECT_EQ(InferCase("FlatQuant").F({3, 16, 8}).F({16, 16}).F({8, 8}).A("dst_dtype", C_DT_FLOAT4_E2M1).Shapes(),
            "[3, 128] [3, 2, 2]");
  EXPECT_EQ(InferCase("Quantize").F({4, 5}).F({5}).A("dtype", "torch.quint8").Type(), C_DT_UINT8);
  EXPECT_EQ(InferCase("Quantize").F({4, 5}).F({5}).A("dtype", "int8").Shape(),
            "refused: dtype is 'int8', expected torch.qint8, torch.quint8 or torch.qint32");
}

TEST(InferSignal, SimilarityAndSpectra) {
  EXPECT_EQ(InferCase("CosineSimilarity").F({4, 5, 6}).F({5, 1}).A("dim", 1).Shape(), "[4, 6]");
  EXPECT_EQ(InferCase("CosineEmbeddingLoss").F({4, 5}).F({4, 5}).F({4}).A("reduction", "none").Shape(), "[4]");
  EXPECT_EQ(InferCase("CosineEmbeddingLoss").F({4, 5}).F({4, 5}).F({4}).Shape(), "[]");
  // torch.stft: 1 + (400 - 64) / 16 frames
  Inferred r = InferCase("STFT").F({2, 400}).None().A("n_fft", 64).Run();
  EXPECT_EQ(r.shapes[0], "[2, 33, 22]");
  EXPECT_EQ(r.types[0], C_DT_COMPLEX64);
  EXPECT_EQ(InferCase("STFT").F({400}).None().A("n_fft", 64).B("return_complex", false).B("onesided", false).Shape(),
            "[64, 22, 2]");
}

TEST(InferChecks, WhatDocumentsFix) {
  EXPECT_EQ(InferCase("MseLoss").F({2}).F({2}).A("reduction", "average").Shape(),
            "refused: reduction is 'average', expected none, mean or sum");
  EXPECT_EQ(InferCase("NonMaxSuppressionV3").F({9, 5}).F({9}).S(6).SF(0).SF(0).Shape(),
            "refused: dimension 1 of boxes is 5, expected 4");
  EXPECT_EQ(InferCase("Dot").F({3}).F({4}).Shape(),
            "refused: dimension 0 of input_y is 4, expected 3 like dimension 0 of input_x");
  EXPECT_EQ(InferCase("Cholesky").F({2, 3, 4}).Shape(),
            "refused: dimension -1 of x is 4, expected 3 like dimension -2 of x");
  EXPECT_EQ(InferCase("SparseSoftmaxCrossEntropyWithLogits").F({8, 10}).T(C_DT_INT32, {8, 10}).Shape(),
            "refused: labels has shape [8, 10], expected 1 dimension");
  EXPECT_EQ(InferCase("SwiGluGrad").F({2, 4}).T(C_DT_FLOAT16, {2, 8}).Shape(),
            "refused: x has data type DT_FLOAT16, expected DT_FLOAT like y_grad");
  InferCase adam("ApplyMomentum");
  EXPECT_EQ(adam.F({3, 4}).F({3, 4}).SF(0.1f).F({4, 3}).SF(0.9f).Shape(),
            "refused: grad has shape [4, 3], expected [3, 4] like var");
  EXPECT_EQ(InferCase("ApplyMomentum").F({3, -1}).F({-1, 4}).SF(0.1f).Unranked().SF(0.9f).Shape(), "[3, -1]");
}

}  // namespace
}  // namespace gec
