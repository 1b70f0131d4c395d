// Movement of data and operators on shapes, with the values that flow through them.
#include <gtest/gtest.h>

#include "tests/protos/infer_case.h"

namespace gec {
namespace {

TEST(InferReshape, ZeroAndMinusOne) {
  auto reshape = [](Ints x, Ints shape) { return InferCase("Reshape").F(std::move(x)).V(std::move(shape)).Shape(); };
  EXPECT_EQ(reshape({2, 3, 4}, {6, 4}), "[6, 4]");
  EXPECT_EQ(reshape({2, 3, 4}, {-1, 4}), "[6, 4]");
  EXPECT_EQ(reshape({2, 3, 4}, {0, -1}), "[2, 12]");
  EXPECT_EQ(reshape({2, 3, 4}, {}), "refused: shape [] has 1 elements, expected 24 as x of shape [2, 3, 4]");
  EXPECT_EQ(reshape({2, 3}, {7}), "refused: shape [7] has 7 elements, expected 6 as x of shape [2, 3]");
  EXPECT_EQ(reshape({2, 3}, {-1, -1}), "refused: shape has more than one -1");
  EXPECT_EQ(reshape({2, 3}, {-1, 4}), "refused: shape asks for a multiple of 4 elements, but x of shape [2, 3] has 6");
  EXPECT_EQ(reshape({2, 3}, {-2, 4}), "refused: shape[0] is -2, expected -1 or more");
  EXPECT_EQ(reshape({2}, {2, 0}), "refused: shape[1] is 0, but x of shape [2] has no axis 1 to copy");
  EXPECT_EQ(reshape({0, 3}, {0, 3}), "[0, 3]");
  EXPECT_EQ(reshape({1}, {}), "[]");
  EXPECT_EQ(reshape({-1, 3, 4}, {-1, 12}), "[-1, 12]");
  EXPECT_EQ(reshape({-1, 3, 4}, {0, -1}), "[-1, 12]");
  EXPECT_EQ(InferCase("Reshape").F({0, 3}).V({3, 0}).A("allowzero", 1).Shape(), "[3, 0]");
  EXPECT_EQ(InferCase("Reshape").F({2, 3, 4}).P({kAny, 4}).Shape(), "[6, 4]");
  EXPECT_EQ(InferCase("Reshape").F({2, 3, 4}).P({kAny, kAny, 4}).Shape(), "[-1, -1, 4]");
  EXPECT_EQ(InferCase("Reshape").F({2, 3, 4}).T(C_DT_INT64, {3}).Shape(), "[-1, -1, -1]");
  EXPECT_EQ(InferCase("Reshape").F({2, 3, 4}).V({12}).A("axis", 1).Shape(), "[2, 12]");
  EXPECT_EQ(InferCase("Reshape").F({2, 3, 4}).V({6}).A("num_axes", 2).Shape(), "[6, 4]");
  EXPECT_EQ(InferCase("Reshape").V({5, 6}).V({2, 1}).Values(), (Ints{5, 6}));
}

TEST(InferReshape, FlattenSqueezeUnsqueeze) {
  EXPECT_EQ(InferCase("Flatten").F({2, 3, 4}).Shape(), "[2, 12]");
  EXPECT_EQ(InferCase("Flatten").F({2, 3, 4}).A("axis", 0).Shape(), "[1, 24]");
  EXPECT_EQ(InferCase("Flatten").F({2, 3, 4}).A("axis", -1).Shape(), "[6, 4]");
  EXPECT_EQ(InferCase("Flatten").F({-1, 3, 4}).Shape(), "[-1, 12]");
  EXPECT_EQ(InferCase("FlattenV2").F({2, 3, 4, 5}).A("end_axis", 2).Shape(), "[2, 12, 5]");
  EXPECT_EQ(InferCase("Squeeze").F({1, 3, 1}).Shape(), "[3]");
  EXPECT_EQ(InferCase("Squeeze").F({1, 3, 1}).A("axis", Ints{-1}).Shape(), "[1, 3]");
  EXPECT_EQ(InferCase("SqueezeV3").F({1, 3, 1}).V({1}).Shape(),
            "refused: axes names axis 1 of extent 3, expected extent 1");
  EXPECT_EQ(InferCase("SqueezeV3").F({1, 3, 1}).None().Shape(), "[3]");
  EXPECT_EQ(InferCase("Unsqueeze").F({3, 4}).A("axes", Ints{0, -1}).Shape(), "[1, 3, 4, 1]");
  EXPECT_EQ(InferCase("UnsqueezeV3").F({3, 4}).V({1, 1}).Shape(), "refused: axes names axis 1 twice");
  EXPECT_EQ(InferCase("UnsqueezeV3").S(7).V({0}).Values(), (Ints{7}));
  EXPECT_EQ(InferCase("ExpandDims").F({3, 4}).S(-2, C_DT_INT32).Shape(), "[3, 1, 4]");
}

TEST(InferReshape, Broadcasting) {
  EXPECT_EQ(InferCase("Expand").F({3, 1}).V({2, 1, 4}).Shape(), "[2, 3, 4]");
  EXPECT_EQ(InferCase("Expand").F({3, 4}).V({1}).Shape(), "[3, 4]");
  EXPECT_EQ(InferCase("Expand").F({3}).V({4}).Shape().rfind("refused: ", 0), 0u);
  EXPECT_EQ(InferCase("Expand").F({1, 3}).P({kAny, 3}).Shape(), "[-1, 3]");
  EXPECT_EQ(InferCase("BroadcastTo").F({3, 1}).V({2, 3, 4}).Shape(), "[2, 3, 4]");
  EXPECT_EQ(InferCase("BroadcastTo").F({3, 4}).V({3, 1}).Shape(),
            "refused: x of shape [3, 4] cannot be broadcast to [3, 1]");
  EXPECT_EQ(InferCase("BroadcastTo").F({3, 4}).V({4}).Shape(),
            "refused: shape has 1 values, expected at least 2 for x of shape [3, 4]");
  EXPECT_EQ(InferCase("EnsureShape").F({-1, 4}).A("shape", Ints{3, -1}).Shape(), "[3, 4]");
}

TEST(InferTransData, Blocks) {
  EXPECT_EQ(InferCase("TransData").F({1, 35, 7, 7}).A("src_format", "NCHW").A("dst_format", "NC1HWC0").Shape(),
            "[1, 3, 7, 7, 16]");
  EXPECT_EQ(InferCase("TransData")
                .F({1, 35, 7, 7})
                .A("src_format", "NCHW")
                .A("dst_format", "NC1HWC0")
                .A("dst_subformat", 8)
                .Shape(),
            "[1, 5, 7, 7, 8]");
  EXPECT_EQ(InferCase("TransData")
                .F({1, 3, 7, 7, 16})
                .Origin({1, 35, 7, 7})
                .A("src_format", "NC1HWC0")
                .A("dst_format", "NCHW")
                .Shape(),
            "[1, 35, 7, 7]");
  EXPECT_EQ(InferCase("TransData")
                .F({1, 3, 7, 7, 16})
                .Origin({1, 60, 7, 7})
                .A("src_format", "NC1HWC0")
                .A("dst_format", "NCHW")
                .Shape(),
            "refused: src of shape [1, 3, 7, 7, 16] cannot hold 60 channels");
  EXPECT_EQ(InferCase("TransData").F({1, 3, 8, 9}).A("src_format", "NCHW").A("dst_format", "NHWC").Shape(),
            "[1, 8, 9, 3]");
  EXPECT_EQ(InferCase("TransData")
                .F({1, 3, 8, 9})
                .A("src_format", "NCHW")
                .A("dst_format", "FRACTAL_Z")
                .Shape()
                .rfind("refused: ", 0),
            0u);
}

TEST(InferSlice, Ranges) {
  auto v2 = [](Ints x, Ints begin, Ints end, Ints axes, Ints strides) {
    return InferCase("StridedSliceV2")
        .F(std::move(x))
        .V(std::move(begin))
        .V(std::move(end))
        .V(std::move(axes))
        .V(std::move(strides))
        .Shape();
  };
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(v2({10, 20}, {2}, {8}, {0}, {1}), "[6, 20]");
  EXPECT_EQ(v2({10, 20}, {0, 1}, {10, kMax}, {0, 1}, {3, 2}), "[4, 10]");
  EXPECT_EQ(v2({10}, {-1}, {-11}, {0}, {-1}), "[10]");
  EXPECT_EQ(v2({10}, {-1}, {-kMax}, {0}, {-3}), "[4]");
  EXPECT_EQ(v2({10}, {8}, {2}, {0}, {1}), "[0]");
  EXPECT_EQ(v2({10}, {-100}, {100}, {-1}, {1}), "[10]");
  EXPECT_EQ(v2({10}, {0}, {5}, {0}, {0}), "refused: a stride is 0, expected another number");
  EXPECT_EQ(v2({10}, {0}, {5}, {1}, {1}), "refused: axes is 1, expected a value from -1 to 0");
  EXPECT_EQ(v2({-1, 20}, {0, 1}, {5, 3}, {0, 1}, {1, 1}), "[-1, 2]");
  EXPECT_EQ(InferCase("StridedSliceV2").F({10, 20}).V({1, 2}).V({3, 4}).Shape(), "[2, 2]");
  constexpr int64_t kHuge = int64_t{1} << 43;  // a size is no reason to allocate as much
  EXPECT_EQ(InferCase("StridedSlice").F({10}).T(C_DT_INT64, {kHuge}).T(C_DT_INT64, {kHuge}).Shape(),
            "refused: begin has 8796093022208 values, expected at most 63");
  EXPECT_EQ(InferCase("StridedSliceV2").P({4, kAny, 6, 7}).V({1}).V({4}).Values(), (Ints{kAny, 6, 7}));
  EXPECT_EQ(InferCase("StridedSliceV2").V({4, 5, 6, 7}).V({-1}).V({-5}).V({0}).V({-2}).Values(), (Ints{7, 5}));
}

TEST(InferSlice, Masks) {
  auto v1 = [](Ints begin, Ints end, Ints strides) {
    return InferCase("StridedSlice").F({4, 5, 6}).V(std::move(begin)).V(std::move(end)).V(std::move(strides));
  };
  EXPECT_EQ(v1({1}, {3}, {1}).Shape(), "[2, 5, 6]");
  EXPECT_EQ(v1({1}, {2}, {1}).A("shrink_axis_mask", 1).Shape(), "[5, 6]");
  EXPECT_EQ(v1({0, 0}, {0, 2}, {1, 1}).A("new_axis_mask", 1).Shape(), "[1, 2, 5, 6]");
  EXPECT_EQ(v1({0, 1}, {0, 3}, {1, 1}).A("ellipsis_mask", 1).Shape(), "[4, 5, 2]");
  EXPECT_EQ(v1({2}, {3}, {1}).A("begin_mask", 1).A("end_mask", 1).Shape(), "[4, 5, 6]");
  EXPECT_EQ(v1({4}, {5}, {1}).A("shrink_axis_mask", 1).Shape(),
            "refused: begin[0] is 4, expected a value from -4 to 3");
  EXPECT_EQ(InferCase("StridedSlice").V({4, 5, 6}).V({1}).V({2}).V({1}).A("shrink_axis_mask", 1).Values(), (Ints{5}));
  EXPECT_EQ(InferCase("StridedSlice").V({4, 5, 6}).V({1}).V({2}).V({1}).A("shrink_axis_mask", 1).Shape(), "[]");
}

TEST(InferSlice, MasksWithoutAxes) {
  auto v2 = [](Ints begin, Ints end) {
    return InferCase("StridedSliceV2").F({4, 5, 6}).V(std::move(begin)).V(std::move(end));
  };
  EXPECT_EQ(v2({0, 1}, {0, 3}).A("ellipsis_mask", 1).Shape(), "[4, 5, 2]");
  EXPECT_EQ(v2({0, 1}, {0, 3}).None().V({1, 2}).A("ellipsis_mask", 1).Shape(), "[4, 5, 1]");
  EXPECT_EQ(v2({0, 0, 1}, {0, 2, 2}).A("new_axis_mask", 1).A("shrink_axis_mask", 4).Shape(), "[1, 2, 6]");
  EXPECT_EQ(v2({0, 1}, {0, 3}).V({0, 1}).A("ellipsis_mask", 1).Shape(),
            "refused: ellipsis_mask and new_axis_mask go with begin in the order of x, expected no input axes");
}

TEST(InferSlice, Boxes) {
  EXPECT_EQ(InferCase("Slice").F({4, 5}).V({1, 0}).V({-1, 3}).Shape(), "[3, 3]");
  EXPECT_EQ(InferCase("Slice").F({4, 5}).V({1, 3}).V({2, 3}).Shape(),
            "refused: size for axis 1 is 3, expected at most 2");
  EXPECT_EQ(InferCase("Slice").V({7, 8, 9}).V({1}).V({2}).Values(), (Ints{8, 9}));
  EXPECT_EQ(InferCase("SliceWithAxes").F({4, 5, 6}).V({1}).V({2}).A("axes", Ints{-1}).Shape(), "[4, 5, 2]");
}

TEST(InferJoin, Concat) {
  EXPECT_EQ(InferCase("ConcatV2").F({2, 3}).F({2, 4}).Count(2).S(1, C_DT_INT32).A("N", 2).Shape(), "[2, 7]");
  EXPECT_EQ(InferCase("ConcatV2").F({2, 3}).F({-1, 4}).Count(2).S(-1).Shape(), "[2, 7]");
  EXPECT_EQ(InferCase("ConcatV2").F({2, 3}).F({3, 4}).Count(2).S(1).Shape(),
            "refused: x1 has extent 3 along axis 0, expected 2 as the others");
  EXPECT_EQ(InferCase("ConcatV2").F({2, 3}).F({2}).Count(2).S(1).Shape(),
            "refused: x1 has shape [2], expected 2 dimensions as the others");
  EXPECT_EQ(InferCase("ConcatV2").F({2, 3}).F({2, 4}).Count(2).S(2).Shape(),
            "refused: concat_dim is 2, expected a value from -2 to 1");
  EXPECT_EQ(InferCase("ConcatV2").F({2, 3}).F({2, 4}).Count(2).T(C_DT_INT32, {}).Shape(), "[-1, -1]");
  EXPECT_EQ(InferCase("Concat").S(0).F({2, 3}).F({4, 3}).Count(2).Shape(), "[6, 3]");
  EXPECT_EQ(InferCase("ConcatD").F({2, 3}).F({4, 3}).Count(2).A("concat_dim", 0).A("N", 3).Shape(),
            "refused: N is 3, but x has 2 tensors");
  EXPECT_EQ(InferCase("ConcatV2").V({1}).P({kAny, 3}).Count(2).S(0).Values(), (Ints{1, kAny, 3}));
  EXPECT_EQ(InferCase("Pack").F({2, 3}).F({2, 3}).Count(2).A("axis", -1).Shape(), "[2, 3, 2]");
  EXPECT_EQ(InferCase("Pack").S(4).T(C_DT_INT64, {}).Count(2).Values(), (Ints{4, kAny}));
}

TEST(InferJoin, Split) {
  EXPECT_EQ(InferCase("Split").S(1, C_DT_INT32).F({2, 6}).A("num_split", 3).Outputs(3).Shapes(),
            "[2, 2] [2, 2] [2, 2]");
  EXPECT_EQ(InferCase("Split").S(1, C_DT_INT32).F({2, 5}).A("num_split", 2).Outputs(2).Shape(),
            "refused: x has extent 5 along axis 1, expected a multiple of 2");
  EXPECT_EQ(InferCase("Split").S(1, C_DT_INT32).T(C_DT_BOOL, {2, 6}).A("num_split", 2).Outputs(2).Type(), C_DT_BOOL);
  EXPECT_EQ(InferCase("SplitD").F({4, 6}).A("split_dim", 0).A("num_split", 2).Outputs(2).Shapes(), "[2, 6] [2, 6]");
  EXPECT_EQ(InferCase("SplitV").F({2, 6}).V({1, 5}).S(1).A("num_split", 2).Outputs(2).Shapes(), "[2, 1] [2, 5]");
  EXPECT_EQ(InferCase("SplitV").F({2, 6}).V({1, -1}).S(-1).A("num_split", 2).Outputs(2).Shapes(), "[2, 1] [2, 5]");
  EXPECT_EQ(InferCase("SplitV").F({2, 6}).V({1, 4}).S(1).A("num_split", 2).Outputs(2).Shape(),
            "refused: size_splits adds up to 5, expected 6 as the extent of x along axis 1");
  EXPECT_EQ(InferCase("Unpack").F({2, 3}).A("num", 3).A("axis", 1).Outputs(3).Shapes(), "[2] [2] [2]");
}

TEST(InferJoin, SplitPassesValuesOn) {
  Inferred even = InferCase("Split").S(0, C_DT_INT32).P({4, kAny, 6, 7}).A("num_split", 2).Outputs(2).Run();
  EXPECT_EQ(even.partials[0], (Ints{4, kAny}));
  EXPECT_EQ(even.partials[1], (Ints{6, 7}));
  Inferred parts = InferCase("SplitV").V({4, 5, 6}).V({1, -1}).S(0).A("num_split", 2).Outputs(2).Run();
  EXPECT_EQ(parts.partials[0], (Ints{4}));
  EXPECT_EQ(parts.partials[1], (Ints{5, 6}));
  EXPECT_EQ(InferCase("Tile").V({4, 5}).V({2}).Values(), (Ints{4, 5, 4, 5}));
}

TEST(InferMovement, PadTileTranspose) {
  EXPECT_EQ(InferCase("Pad").F({2, 3}).V({1, 2, 0, 4}).Shape(), "[5, 7]");
  EXPECT_EQ(InferCase("PadV3").F({2, 3}).V({1, 2, 0, 4}).None().B("paddings_contiguous", false).Shape(), "[3, 9]");
  EXPECT_EQ(InferCase("PadV3").F({4, 3}).V({-1, 0, -1, 0}).None().B("paddings_contiguous", false).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("PadV3").F({2, 3}).V({1, 2, 0}).Shape(),
            "refused: paddings has 3 values, expected 4 for x of shape [2, 3]");
  EXPECT_EQ(InferCase("MirrorPad").F({2, 3}).V({1, 1, 0, 0}).A("mode", "odd").Shape(),
            "refused: mode is 'odd', expected REFLECT or SYMMETRIC");
  EXPECT_EQ(InferCase("Tile").F({2, 3}).V({2, 1}).Shape(), "[4, 3]");
  EXPECT_EQ(InferCase("Transpose").F({2, 3, 4}).V({2, 0, 1}).Shape(), "[4, 2, 3]");
  EXPECT_EQ(InferCase("Transpose").F({2, 3, 4}).V({2, 0, 0}).Shape(), "refused: perm names axis 0 twice");
  EXPECT_EQ(InferCase("Transpose").F({2, 3, 4}).V({1, 0}).Shape(),
            "refused: perm has 2 values, expected 3 for x of shape [2, 3, 4]");
  EXPECT_EQ(InferCase("TransposeD").F({2, 3}).A("perm", Ints{1, 0}).Shape(), "[3, 2]");
  EXPECT_EQ(InferCase("Permute").F({2, 3, 4}).A("order", Ints{2}).Shape(), "[4, 2, 3]");
  EXPECT_EQ(InferCase("Roll").F({2, 3}).A("shifts", Ints{1, 2}).A("dims", Ints{0}).Shape(),
            "refused: dims has 1 values, expected 2 as shifts");
  EXPECT_EQ(InferCase("RepeatInterleave").F({2, 3}).V({2}).A("axis", 1).Shape(), "[2, 6]");
  EXPECT_EQ(InferCase("RepeatInterleave").F({2, 3}).V({1, 2, 3}).A("axis", 1).Shape(), "[2, 6]");
  EXPECT_EQ(InferCase("RepeatInterleave").F({2, 3}).V({2}).Shape(), "[12]");
  EXPECT_EQ(InferCase("ReverseSequence").F({5, 2, 3}).V({1, 2}).A("seq_dim", 0).A("batch_dim", 1).Shape(), "[5, 2, 3]");
}

TEST(InferGather, Positions) {
  EXPECT_EQ(InferCase("GatherV2").F({5, 6, 7}).T(C_DT_INT64, {2, 3}).S(1).Shape(), "[5, 2, 3, 7]");
  EXPECT_EQ(InferCase("GatherV2").F({5, 6}).T(C_DT_INT64, {}).S(0).Shape(), "[6]");
  EXPECT_EQ(InferCase("GatherV2").F({5, 6}).T(C_DT_INT64, {5, 2}).S(1).A("batch_dims", 1).Shape(), "[5, 2]");
  EXPECT_EQ(InferCase("GatherV2").P({7, kAny, 9}).V({2, 1, -3}).S(0).Values(), (Ints{9, kAny, 7}));
  EXPECT_EQ(InferCase("GatherV2").V({7, 8}).S(2).S(0).Shape(),
            "refused: indices[0] is 2, expected a value from -2 to 1");
  EXPECT_EQ(InferCase("Gather").F({5, 6}).T(C_DT_INT32, {2}).Shape(), "[2, 6]");
  EXPECT_EQ(InferCase("GatherNd").F({5, 6, 7}).T(C_DT_INT64, {4, 2}).Shape(), "[4, 7]");
  EXPECT_EQ(InferCase("GatherElements").F({5, 6}).T(C_DT_INT64, {2, 6}).A("dim", 0).Shape(), "[2, 6]");
  EXPECT_EQ(InferCase("ScatterElements").F({5, 6}).T(C_DT_INT64, {2, 6}).F({2, 5}).Shape(),
            "refused: updates has shape [2, 5], expected [2, 6] as indices");
  EXPECT_EQ(InferCase("ScatterNd").T(C_DT_INT64, {4, 1}).F({4, 3}).V({8, 3}).Shape(), "[8, 3]");
  EXPECT_EQ(InferCase("ScatterNd").T(C_DT_INT64, {4, 1}).F({4, 3}).V({8, 3}).Type(), C_DT_FLOAT);
  EXPECT_EQ(InferCase("TensorScatterUpdate").F({8, 3}).T(C_DT_INT64, {4, 1}).F({4, 2}).Shape(),
            "refused: updates has shape [4, 2], expected [4, 3]");
}

TEST(InferDataTypes, PositionsAreIntegersAndConditionsBooleans) {
  EXPECT_EQ(InferCase("GatherV2").F({5, 6}).F({2}).S(0).Shape(),
            "refused: indices has data type DT_FLOAT, expected integers");
  EXPECT_EQ(InferCase("Reshape").F({6}).VF({2, 3}).Shape(),
            "refused: input 1 has data type DT_FLOAT, expected integers");
  EXPECT_EQ(InferCase("SelectV2").F({2}).F({2}).F({2}).Shape(),
            "refused: condition has data type DT_FLOAT, expected DT_BOOL");
  EXPECT_EQ(InferCase("MaskedFill").F({2}).F({2}).F({}).Shape(),
            "refused: mask has data type DT_FLOAT, expected DT_BOOL");
}

TEST(InferSelection, SortedAndEncoded) {
  EXPECT_EQ(InferCase("OneHot").T(C_DT_INT64, {2, 3}).S(10).F({}).F({}).Shape(), "[2, 3, 10]");
  EXPECT_EQ(InferCase("OneHot").T(C_DT_INT64, {2, 3}).S(10).F({}).F({}).Type(), C_DT_FLOAT);
  EXPECT_EQ(InferCase("TopKV2").F({2, 9}).S(4).Shapes(), "[2, 4] [2, 4]");
  EXPECT_EQ(InferCase("TopKV2").F({2, 9}).S(10).Shape(),
            "refused: k is 10, expected at most 9, the extent of x along axis 1");
  EXPECT_EQ(InferCase("TopKV2").F({2, 9}).S(4).A("indices_dtype", C_DT_INT64).Run().types[1], C_DT_INT64);
  EXPECT_EQ(InferCase("TopK").F({2, 9}).S(4, C_DT_INT32).Run().types[1], C_DT_INT32);
  EXPECT_EQ(InferCase("NonZero").F({2, 9}).Shape(), "[-1, 2]");
  EXPECT_EQ(InferCase("NonZero").F({2, 9}).B("transpose", true).Shape(), "[2, -1]");
  EXPECT_EQ(InferCase("Where").F({2, 9, 3}).Shape(), "[-1, 3]");
  EXPECT_EQ(InferCase("Unique").F({9}).Shapes(), "[-1] [9]");
  EXPECT_EQ(InferCase("Sort").F({2, 9}).Shapes(), "[2, 9] [2, 9]");
}

TEST(InferGenerators, ShapesAndRanges) {
  Inferred shape = InferCase("Shape").F({2, -1, 4}).A("dtype", C_DT_INT64).Run();
  EXPECT_EQ(shape.shapes[0], "[3]");
  EXPECT_EQ(shape.types[0], C_DT_INT64);
  EXPECT_EQ(shape.partials[0], (Ints{2, kAny, 4}));
  EXPECT_EQ(InferCase("ShapeN").F({2}).F({3, 4}).Count(2).Outputs(2).Run().partials[1], (Ints{3, 4}));
  EXPECT_EQ(InferCase("Size").F({2, 3}).Values(), (Ints{6}));
  EXPECT_EQ(InferCase("Rank").F({2, -1}).Values(), (Ints{2}));
  EXPECT_EQ(InferCase("Range").S(2).S(11).S(3).Values(), (Ints{2, 5, 8}));
  EXPECT_EQ(InferCase("Range").S(5).S(0).S(-2).Shape(), "[3]");
  EXPECT_EQ(InferCase("Range").S(5).S(5).S(1).Shape(), "[0]");
  EXPECT_EQ(InferCase("Range").SF(0).SF(1).SF(0.25f).Shape(), "[4]");
  EXPECT_EQ(InferCase("Range").S(0).S(5).S(0).Shape(), "refused: step is 0, expected another number");
  EXPECT_EQ(InferCase("Range").S(0).T(C_DT_INT64, {}).S(1).Shape(), "[-1]");
  EXPECT_EQ(InferCase("Fill").V({2, 3}).F({}).Shape(), "[2, 3]");
  EXPECT_EQ(InferCase("Fill").V({3}).S(1).Values(), (Ints{1, 1, 1}));
  EXPECT_EQ(InferCase("Fill").V({-2}).F({}).Shape(), "refused: dims[0] is -2, expected no negative value");
  EXPECT_EQ(InferCase("LinSpace").F({}).F({}).S(7).Shape(), "[7]");
  EXPECT_EQ(InferCase("Eye").A("num_rows", 3).A("batch_shape", Ints{2}).Shape(), "[2, 3, 3]");
  EXPECT_EQ(InferCase("RandomUniform").V({2, 3}).D("dtype", C_DT_DOUBLE).Type(), C_DT_DOUBLE);
}

}  // namespace
}  // namespace gec
