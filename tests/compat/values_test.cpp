// Values of headers that the library does not read.
#include <gtest/gtest.h>

#include <cstdint>

#include "graph/arg_desc_info.h"
#include "utils/extern_math_util.h"

namespace {

using ge::IntegerChecker;

TEST(IntegerChecker, KnowsEveryEdge) {
  EXPECT_TRUE(IntegerChecker<int32_t>::Compat(int64_t{2147483647}));
  EXPECT_FALSE(IntegerChecker<int32_t>::Compat(int64_t{2147483648}));
  EXPECT_FALSE(IntegerChecker<uint32_t>::Compat(int64_t{-1}));
  EXPECT_TRUE(IntegerChecker<int64_t>::Compat(int32_t{-1}));
  EXPECT_FALSE(IntegerChecker<int64_t>::Compat(UINT64_MAX));
}

TEST(ArgDescInfo, KnowsWhatASlotHolds) {
  ge::ArgDescInfo input(ge::ArgDescType::kIrInput, 2, true);
  EXPECT_EQ(input.GetType(), ge::ArgDescType::kIrInput);
  EXPECT_EQ(input.GetIrIndex(), 2);
  EXPECT_TRUE(input.IsFolded());
  EXPECT_EQ(input.GetCustomValue(), UINT64_MAX);
  EXPECT_EQ(input.SetCustomValue(1), ge::GRAPH_FAILED);
  EXPECT_EQ(input.GetHiddenInputSubType(), ge::HiddenInputSubType::kEnd);
  EXPECT_EQ(input.SetHiddenInputSubType(ge::HiddenInputSubType::kHcom), ge::GRAPH_FAILED);

  ge::ArgDescInfo all(ge::ArgDescType::kWorkspace), copy = all;
  EXPECT_EQ(all.GetIrIndex(), -1);
  EXPECT_FALSE(all.IsFolded());
  copy.SetIrIndex(0);
  copy.SetFolded(true);
  EXPECT_EQ(copy.GetIrIndex(), 0);
  EXPECT_TRUE(copy.IsFolded());
  EXPECT_EQ(all.GetIrIndex(), -1);

  ge::ArgDescInfo value = ge::ArgDescInfo::CreateCustomValue(5);
  EXPECT_EQ(value.GetType(), ge::ArgDescType::kCustomValue);
  EXPECT_EQ(value.GetCustomValue(), 5u);
  EXPECT_EQ(value.SetCustomValue(1ull << 63), ge::GRAPH_SUCCESS);
  EXPECT_EQ(value.GetCustomValue(), 1ull << 63);

  ge::ArgDescInfo hidden = ge::ArgDescInfo::CreateHiddenInput(ge::HiddenInputSubType::kHcom);
  EXPECT_EQ(hidden.GetType(), ge::ArgDescType::kHiddenInput);
  EXPECT_EQ(hidden.GetHiddenInputSubType(), ge::HiddenInputSubType::kHcom);
  EXPECT_EQ(hidden.SetHiddenInputSubType(ge::HiddenInputSubType::kEnd), ge::GRAPH_SUCCESS);
  EXPECT_EQ(hidden.GetHiddenInputSubType(), ge::HiddenInputSubType::kEnd);
  EXPECT_EQ(static_cast<int>(ge::ArgDescType::kEnd), 10);
  EXPECT_EQ(static_cast<int>(ge::ArgDescType::kInputInstance), 8);
}

}  // namespace
