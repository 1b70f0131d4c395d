// Rules with symbolic extents beside the same rules with numbers: a class of sizes serves no size that the rule
// refuses, and what it says of an extent is so at every size that it serves.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/ops/symbolic_dims.h"
#include "tests/protos/infer_case.h"

namespace gec {
namespace {

struct SymbolicCase {
  const char *name;
  std::function<InferCase(const Ints &)> make;  // of the extents of the inputs
};

InferCase On(const char *type, Ints x) { return InferCase(type).F(std::move(x)); }

const SymbolicCase kCases[] = {
    {"add",
     [](const Ints &s) {
       return On("Add", {s[0], s[1]}).F({s[0], 4});
     }},
    {"add_both",
     [](const Ints &s) {
       return On("Add", {s[0], s[1]}).F({s[2], s[1]});
     }},
    {"spread",
     [](const Ints &s) {
       return On("BroadcastTo", {s[0], 6}).P({3, s[1], s[2]});
     }},
    {"expand",
     [](const Ints &s) {
       return On("Expand", {s[0], 1}).P({s[1], s[2]});
     }},
    {"matmul",
     [](const Ints &s) {
       return On("MatMul", {s[0], s[1]}).F({6, s[2]});
     }},
    {"batch",
     [](const Ints &s) {
       return On("BatchMatMulV2", {s[0], 5, s[1]}).F({s[2], s[1], 3});
     }},
    {"gemm",
     [](const Ints &s) {
       return On("GEMM", {s[0], s[1]}).F({s[1], 4}).F({s[2], 4}).SF(1).SF(1);
     }},
    {"einsum",
     [](const Ints &s) {
       return On("Einsum", {s[0], s[1]}).F({s[2], 5}).Count(2).A("equation", "ab,bc->ac");
     }},
    {"concat",
     [](const Ints &s) {
       return On("ConcatD", {s[0], s[1]}).F({s[2], 4}).Count(2).A("concat_dim", 0);
     }},
    {"pack",
     [](const Ints &s) {
       return On("Pack", {s[0], s[1]}).F({s[2], s[1]}).Count(2).A("axis", 1);
     }},
    {"unpack",
     [](const Ints &s) {
       return On("Unpack", {s[0], s[1]}).A("axis", 0).A("num", 3).Outputs(3);
     }},
    {"split",
     [](const Ints &s) {
       return On("SplitD", {s[0], s[1]}).A("split_dim", 0).A("num_split", 3).Outputs(3);
     }},
    {"reshape",
     [](const Ints &s) {
       return On("Reshape", {s[0], s[1]}).P({-1, 3});
     }},
    {"reshape_all",
     [](const Ints &s) {
       return On("Reshape", {s[0], s[1]}).P({s[1], 2, 3});
     }},
    {"reshape_part",
     [](const Ints &s) {
       return On("Reshape", {s[0], s[1], 2}).P({s[2], -1});
     }},
    {"squeeze",
     [](const Ints &s) {
       return On("Squeeze", {s[0], 1}).A("axis", Ints{1});
     }},
    {"conv",
     [](const Ints &s) {
       return On("Conv2D", {1, s[0], s[1], s[2]})
           .Format(C_FORMAT_NCHW)
           .F({8, 4, 5, 3})
           .Format(C_FORMAT_NCHW)
           .A("data_format", "NCHW")
           .A("strides", Ints{1, 1, 2, 1})
           .A("pads", Ints{0, 0, 1, 0});
     }},
    {"bias",
     [](const Ints &s) {
       return On("BiasAdd", {s[0], s[1]}).F({s[2]});
     }},
    {"to_depth",
     [](const Ints &s) {
       return On("SpaceToDepth", {2, s[0], s[1], s[2]}).A("block_size", 2);
     }},
    {"to_space",
     [](const Ints &s) {
       return On("DepthToSpace", {2, s[0], s[1], s[2]}).A("block_size", 2);
     }},
    {"swiglu",
     [](const Ints &s) {
       return On("SwiGlu", {s[0], s[1]}).A("dim", -1);
     }},
    {"to_batch",
     [](const Ints &s) {
       return On("SpaceToBatchD", {s[0], s[1], s[2], 3}).A("block_size", 2).A("paddings", Ints{0, 0, 1, 1});
     }},
    {"from_batch",
     [](const Ints &s) {
       return On("BatchToSpaceD", {s[0], s[1], s[2], 3}).A("block_size", 2).A("crops", Ints{0, 1, 2, 3});
     }},
    {"unpad",
     [](const Ints &s) {
       return On("PadV3Grad", {s[0], s[1]}).V({1, 2, 3, 0});
     }},
    {"pad",
     [](const Ints &s) {
       return On("Pad", {s[0], s[1]}).V({1, 2, -3, 0});
     }},
    {"pool_same",
     [](const Ints &s) {
       return On("MaxPool", {1, s[0], s[1], s[2]})
           .Format(C_FORMAT_NHWC)
           .A("ksize", Ints{1, 3, 3, 1})
           .A("strides", Ints{1, 2, 2, 1})
           .A("padding", "SAME")
           .A("data_format", "NHWC");
     }},
    {"pool_valid",
     [](const Ints &s) {
       return On("MaxPool", {1, s[0], s[1], s[2]})
           .Format(C_FORMAT_NHWC)
           .A("ksize", Ints{1, 5, 3, 1})
           .A("strides", Ints{1, 2, 2, 1})
           .A("padding", "VALID")
           .A("data_format", "NHWC");
     }},
    {"layer_norm",
     [](const Ints &s) {
       return On("LayerNormV4", {s[0], s[1]}).V({6}).F({s[2]}).F({s[2]});
     }},
    {"group_norm",
     [](const Ints &s) {
       return On("GroupNorm", {2, s[0], s[1]}).F({s[2]}).F({s[2]}).A("num_groups", 2);
     }},
    {"select",
     [](const Ints &s) {
       return InferCase("SelectV2").T(C_DT_BOOL, {s[0], 1}).F({s[1], 4}).F({s[2]});
     }},
    {"flatten",
     [](const Ints &s) {
       return On("Flatten", {s[0], s[1], s[2]}).A("axis", 1);
     }},
    {"ends",
     [](const Ints &s) {
       return On("StridedSliceV2", {s[0], s[1]}).V({1, -5}).P({s[2], -1}).V({0, 1}).V({1, 1});
     }},
    {"tile",
     [](const Ints &s) {
       return On("TileWithAxis", {s[0], s[1]}).A("axis", 1).A("tiles", 3);
     }},
    {"slice",
     [](const Ints &s) {
       return On("Slice", {s[0], s[1]}).P({2, 0}).P({s[2], -1});
     }},
    {"topk",
     [](const Ints &s) {
       return On("TopKV2", {s[0], s[1]}).S(5, C_DT_INT32);
     }},
    {"updates",
     [](const Ints &s) {
       return On("ScatterElements", {9, 9}).T(C_DT_INT32, {s[0], s[1]}).F({s[2], 4});
     }},
    {"scatter",
     [](const Ints &s) {
       return On("TensorScatterUpdate", {s[0], 5}).T(C_DT_INT32, {s[1], 1}).F({s[2], 5});
     }},
    {"gather",
     [](const Ints &s) {
       return On("GatherV2", {s[0], s[1]}).T(C_DT_INT32, {s[2]}).S(1).A("batch_dims", 0);
     }},
};

class InferSymbolic : public ::testing::TestWithParam<SymbolicCase> {
 protected:
  Ints RandomSizes() {
    Ints sizes(3);
    for (int64_t &size : sizes) size = 2 + static_cast<int64_t>(random_() % 11);
    return sizes;
  }
  /// The extents of all outputs in the class of the first sizes.
  Ints ClassOf(const Ints &first, SymbolicDims *symbolic) {
    Ints inputs, extents;
    for (int64_t extent : first) inputs.push_back(symbolic->Input(extent));
    const SymbolicScope scope(symbolic);
    const Inferred result = GetParam().make(inputs).Run();
    EXPECT_EQ(result.status, GE_SUCCESS) << result.message;
    for (const Ints &dims : result.dims)
      for (int64_t dim : dims) extents.push_back(symbolic->Has(dim) ? symbolic->Extent(dim) : dim);
    EXPECT_TRUE(symbolic->Fits(first));
    return extents;
  }
  std::mt19937 random_{3};
};

/// At these sizes, which the class serves.
void ExpectExtent(const SymbolicDims &symbolic, int64_t extent, int64_t number, const Ints &sizes) {
  if (extent == -1) return;  // it says nothing
  if (!symbolic.Has(extent)) {
    EXPECT_EQ(extent, number);
    return;
  }
  SymbolicDims more = symbolic;
  const std::optional<bool> same = more.Equal(extent, number);
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(*same, more.Fits(sizes)) << symbolic.Text(extent) << " is " << number;
}

TEST_P(InferSymbolic, AgreesWithNumbers) {
  size_t classes = 0, served = 0;
  for (int round = 0; classes < 40 && round < 4000; ++round) {
    const Ints first = RandomSizes();
    if (GetParam().make(first).Run().status != GE_SUCCESS) continue;
    ++classes;
    SymbolicDims symbolic;
    const Ints extents = ClassOf(first, &symbolic);
    for (int k = 0; k < 60; ++k) {
      Ints sizes = RandomSizes();
      for (size_t i = 0; i < sizes.size(); ++i)  // near to the first ones, where rare conditions hold
        if (random_() % 2) sizes[i] = first[i];
      const Inferred numbers = GetParam().make(sizes).Run();
      const bool fits = symbolic.Fits(sizes);
      if (numbers.status != GE_SUCCESS) {
        ASSERT_FALSE(fits) << numbers.message;
        continue;
      }
      if (!fits) continue;
      ++served;
      Ints exact;
      for (const Ints &dims : numbers.dims) exact.insert(exact.end(), dims.begin(), dims.end());
      ASSERT_EQ(exact.size(), extents.size());
      for (size_t i = 0; i < exact.size(); ++i) ExpectExtent(symbolic, extents[i], exact[i], sizes);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(classes, 2u);
  EXPECT_GT(served, 20u);
}

INSTANTIATE_TEST_SUITE_P(Rules, InferSymbolic, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gec
