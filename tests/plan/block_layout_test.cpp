// Layouts of a plan's blocks for other sizes than its own: no two that live together share bytes, and what was there
// before moves only where it has to.
#include "core/plan/block_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gec {
namespace {

MemoryPlan PlanOf(std::vector<MemoryBlock> blocks, bool reuse = true) {
  MemoryPlan plan;
  plan.reuse = reuse;
  plan.blocks = std::move(blocks);
  plan.arena_bytes = AssignOffsets(&plan.blocks, reuse, &plan.live_peak);
  return plan;
}

MemoryPlan Random(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::vector<MemoryBlock> blocks;
  for (int i = 0; i < count; ++i) {
    const int begin = static_cast<int>(random() % static_cast<unsigned>(count));
    blocks.push_back({i, begin, begin + static_cast<int>(random() % 9), 0, 64 * (1 + random() % 400)});
  }
  return PlanOf(std::move(blocks));
}

std::vector<uint64_t> SizesOf(const MemoryPlan &plan, double by) {
  std::vector<uint64_t> sizes;
  for (const MemoryBlock &b : plan.blocks) sizes.push_back(static_cast<uint64_t>(static_cast<double>(b.bytes) * by));
  return sizes;
}

void ExpectRoom(const MemoryPlan &plan, const BlockLayout &layout, const std::vector<uint64_t> &sizes) {
  for (int32_t i = 0; i < static_cast<int32_t>(sizes.size()); ++i) {
    const MemoryBlock &a = plan.blocks[static_cast<size_t>(i)];
    const uint64_t from = layout.OffsetOf(i), to = from + sizes[static_cast<size_t>(i)];
    ASSERT_EQ(from % kBufferAlignment, 0u);
    ASSERT_LE(to, layout.arena_bytes());
    for (int32_t k = i + 1; k < static_cast<int32_t>(sizes.size()); ++k) {
      const MemoryBlock &b = plan.blocks[static_cast<size_t>(k)];
      if (a.end < b.begin || b.end < a.begin) continue;
      const uint64_t other = layout.OffsetOf(k);
      ASSERT_TRUE(to <= other || other + sizes[static_cast<size_t>(k)] <= from) << i << " and " << k;
    }
  }
}

TEST(BlockLayout, BeginsAsThePlanLies) {
  const MemoryPlan plan = Random(1, 60);
  BlockLayout layout(plan);
  EXPECT_EQ(layout.arena_bytes(), plan.arena_bytes);
  for (int32_t i = 0; i < 60; ++i) EXPECT_EQ(layout.OffsetOf(i), plan.blocks[static_cast<size_t>(i)].offset);
  const Location inside{Storage::kArena, 0, plan.blocks[7].offset + 40, 7};
  EXPECT_EQ(layout.OffsetOf(inside), inside.offset);
  EXPECT_FALSE(layout.Fit(SizesOf(plan, 1)));
}

TEST(BlockLayout, HasRoomForSizesThatGrowAndShrink) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const MemoryPlan plan = Random(seed, 100);
    BlockLayout layout(plan);
    for (double by : {1.2, 0.3, 1.21, 4.0, 3.9, 17.0, 0.1, 17.1}) {
      const std::vector<uint64_t> sizes = SizesOf(plan, by);
      layout.Fit(sizes);
      ExpectRoom(plan, layout, sizes);
    }
  }
}

/// Blocks that do not all grow by the same factor: other ones are the largest, and places change.
TEST(BlockLayout, EachBlockHasASizeOfItsOwn) {
  std::mt19937 random(5);
  const MemoryPlan plan = Random(5, 100);
  BlockLayout layout(plan);
  for (int turn = 0; turn < 50; ++turn) {
    std::vector<uint64_t> sizes;
    for (size_t i = 0; i < plan.blocks.size(); ++i) sizes.push_back(1 + random() % (1u << random() % 20));
    layout.Fit(sizes);
    ExpectRoom(plan, layout, sizes);
  }
}

TEST(BlockLayout, StaysWhereItIsForSmallerSizesAndForAnotherStep) {
  const MemoryPlan plan = Random(2, 80);
  BlockLayout layout(plan);
  EXPECT_TRUE(layout.Fit(SizesOf(plan, 2)));
  const uint64_t arena = layout.arena_bytes();
  for (double by : {1.0, 0.5, 2.0, 2.05, 0.01}) EXPECT_FALSE(layout.Fit(SizesOf(plan, by))) << by;
  EXPECT_EQ(layout.arena_bytes(), arena);
}

/// Many short ones and few long ones in turn: where room for both costs little, the second round moves nothing.
TEST(BlockLayout, SizesThatTakeTurnsBothHaveRoom) {
  const MemoryPlan plan = PlanOf({{0, 0, 3, 0, 64000}, {1, 1, 4, 0, 64000}, {2, 2, 5, 0, 64000}, {3, 3, 6, 0, 64000}});
  BlockLayout layout(plan);
  const std::vector<uint64_t> many = {80000, 120000, 100000, 90000}, few = {120000, 80000, 100000, 90000};
  EXPECT_TRUE(layout.Fit(many));
  EXPECT_TRUE(layout.Fit(few));
  EXPECT_FALSE(layout.Fit(many));
  EXPECT_FALSE(layout.Fit(few));
  // Where it costs much, the room of the size before goes.
  EXPECT_TRUE(layout.Fit({10000000, 1000, 1000, 1000}));
  EXPECT_TRUE(layout.Fit({1000, 10000000, 1000, 1000}));
  EXPECT_LT(layout.arena_bytes(), 12000000u);
}

TEST(BlockLayout, KeepsBlocksApartWhereThePlanDoes) {
  const MemoryPlan plan = PlanOf({{0, 0, 0, 0, 640}, {1, 1, 1, 0, 640}, {2, 2, 2, 0, 640}}, false);
  BlockLayout layout(plan);
  EXPECT_TRUE(layout.Fit({1000, 2000, 3000}));
  EXPECT_GE(layout.arena_bytes(), 6000u);
  std::vector<uint64_t> offsets = {layout.OffsetOf(0), layout.OffsetOf(1), layout.OffsetOf(2)};
  EXPECT_EQ(std::unique(offsets.begin(), offsets.end()), offsets.end());
}

}  // namespace
}  // namespace gec
