// Values of the C++ facade: strings, shapes, descriptions, tensors, attribute values.
#include <gtest/gtest.h>

#include <cstring>

#include "ge_common/ge_common_api_types.h"
#include "graph/attr_value.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {
namespace {

TEST(AscendString, NullDiffersFromEmptyAndSortsFirst) {
  AscendString null, empty(""), text("b"), with_zero("a\0b", 3);
  EXPECT_STREQ(null.GetString(), "");
  EXPECT_NE(null, empty);
  EXPECT_LT(null, empty);
  EXPECT_EQ(null, AscendString(nullptr));
  EXPECT_EQ(with_zero.GetLength(), 3u);
  EXPECT_EQ(text.Find(AscendString("x")), std::string::npos);
  EXPECT_EQ(text.Hash(), AscendString("b").Hash());
}

TEST(Types, SizesFollowTheTable) {
  EXPECT_EQ(GetSizeByDataType(DT_FLOAT), 4);
  EXPECT_EQ(GetSizeByDataType(DT_BF16), 2);
  EXPECT_EQ(GetSizeByDataType(DT_INT4), 1004);
  EXPECT_EQ(GetSizeByDataType(DT_COMPLEX128), 16);
  EXPECT_EQ(GetSizeByDataType(DT_STRING), -1);
  EXPECT_EQ(GetSizeInBytes(3, DT_INT4), 2);
  EXPECT_LT(GetSizeInBytes(std::numeric_limits<int64_t>::max(), DT_FLOAT), 0);
}

TEST(Shape, ScalarUnknownAndOverflow) {
  EXPECT_EQ(Shape().GetShapeSize(), 0);
  EXPECT_EQ(Shape({2, 3}).GetShapeSize(), 6);
  EXPECT_EQ(Shape({2, -1}).GetShapeSize(), -1);
  EXPECT_EQ(Shape({-2}).GetDimNum(), 0u);
  EXPECT_EQ(Shape({int64_t{1} << 40, int64_t{1} << 40}).GetShapeSize(), 0);
  Shape shape({4});
  EXPECT_EQ(shape.SetDim(1, 2), GRAPH_FAILED);
  EXPECT_EQ(shape.GetDim(5), 0);
}

TEST(Tensor, CopiesShareAndCloneDoesNot) {
  std::vector<float> values = {1, 2, 3};
  TensorDesc desc(Shape({3}), FORMAT_ND, DT_FLOAT);
  Tensor a(desc, reinterpret_cast<const uint8_t *>(values.data()), 12);
  Tensor b = a, c = a.Clone();
  EXPECT_EQ(a.IsValid(), GRAPH_SUCCESS);
  std::vector<float> other = {7, 8, 9};
  ASSERT_EQ(a.SetData(reinterpret_cast<const uint8_t *>(other.data()), 12), GRAPH_SUCCESS);
  EXPECT_EQ(reinterpret_cast<const float *>(b.GetData())[0], 7);
  EXPECT_EQ(reinterpret_cast<const float *>(c.GetData())[0], 1);
  EXPECT_EQ(a.GetTensorDesc().GetShape().GetDims(), std::vector<int64_t>{3});
}

TEST(Tensor, WrongSizeIsSeenByIsValid) {
  Tensor tensor(TensorDesc(Shape({4}), FORMAT_ND, DT_FLOAT), std::vector<uint8_t>(12));
  EXPECT_EQ(tensor.IsValid(), GRAPH_FAILED);
  EXPECT_EQ(tensor.GetSize(), 12u);
}

TEST(Tensor, AdoptedMemoryIsReleasedOnce) {
  int released = 0;
  std::vector<uint8_t> memory(8, 5);
  {
    Tensor tensor(TensorDesc(Shape({8}), FORMAT_ND, DT_UINT8));
    ASSERT_EQ(tensor.SetData(memory.data(), memory.size(), [&](uint8_t *p) { released += p == memory.data(); }),
              GRAPH_SUCCESS);
    Tensor copy = tensor;
    EXPECT_EQ(copy.GetData(), memory.data());
  }
  EXPECT_EQ(released, 1);
}

TEST(Tensor, StringsHaveAHeadPerElement) {
  Tensor tensor(TensorDesc(Shape({2}), FORMAT_ND, DT_STRING));
  ASSERT_EQ(tensor.SetData(std::vector<std::string>{"ab", "c"}), GRAPH_SUCCESS);
  StringHead heads[2];
  std::memcpy(heads, tensor.GetData(), sizeof heads);
  EXPECT_EQ(heads[0].addr, 32);
  EXPECT_EQ(heads[0].len, 2);
  EXPECT_EQ(tensor.GetData()[heads[1].addr], 'c');
  EXPECT_EQ(tensor.SetData(static_cast<const char *>(nullptr)), GRAPH_FAILED);
}

TEST(AttrValue, WrongTypeFailsAndLeavesTheValue) {
  AttrValue value;
  ASSERT_EQ(value.SetAttrValue(int64_t{3}), GRAPH_SUCCESS);
  float wrong = 7;
  EXPECT_EQ(value.GetAttrValue(wrong), GRAPH_FAILED);
  EXPECT_EQ(wrong, 7);
  int64_t right = 0;
  EXPECT_EQ(value.GetAttrValue(right), GRAPH_SUCCESS);
  EXPECT_EQ(right, 3);
}

TEST(Options, NamesAreGEs) {
  EXPECT_STREQ(OPTION_GRAPH_RUN_MODE, "ge.graphRunMode");
  EXPECT_EQ(PRECISION_MODE, "ge.exec.precision_mode");
  EXPECT_STREQ(configure_option::INPUT_BATCH_CPY, "ge.inputBatchCpy");
}

}  // namespace
}  // namespace ge
