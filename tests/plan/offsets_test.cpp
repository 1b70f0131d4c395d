#include "core/plan/offsets.h"

#include <gtest/gtest.h>

#include <random>

namespace gec {
namespace {

std::vector<MemoryBlock> Random(unsigned seed, int count, int life) {
  std::mt19937 rng(seed);
  std::vector<MemoryBlock> blocks;
  for (int i = 0; i < count; ++i) {
    int begin = static_cast<int>(rng() % static_cast<unsigned>(count));
    blocks.push_back(
        {i, begin, begin + static_cast<int>(rng() % static_cast<unsigned>(life)), 0, 64 * (1 + rng() % 100)});
  }
  return blocks;
}

void ExpectDisjoint(const std::vector<MemoryBlock> &blocks, uint64_t arena) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    const MemoryBlock &a = blocks[i];
    ASSERT_LE(a.offset + a.bytes, arena);
    for (size_t k = i + 1; k < blocks.size(); ++k) {
      const MemoryBlock &b = blocks[k];
      if (a.end < b.begin || b.end < a.begin) continue;
      ASSERT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset) << i << " and " << k;
    }
  }
}

TEST(Offsets, LiveBlocksNeverOverlap) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::vector<MemoryBlock> blocks = Random(seed, 200, 1 + static_cast<int>(seed) * 3);
    uint64_t peak = 0, arena = AssignOffsets(&blocks, true, &peak);
    EXPECT_GE(arena, peak);
    ExpectDisjoint(blocks, arena);
  }
}

TEST(Offsets, LargeSetsStayDisjointAndDense) {
  std::vector<MemoryBlock> blocks = Random(7, 3000, 40);  // above the limit of the quadratic method
  uint64_t peak = 0, arena = AssignOffsets(&blocks, true, &peak);
  ExpectDisjoint(blocks, arena);
  EXPECT_LT(static_cast<double>(arena), 1.3 * static_cast<double>(peak));
}

TEST(Offsets, EqualBlocksInTurnShareOnePlace) {
  std::vector<MemoryBlock> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back({i, 2 * i, 2 * i + 1, 0, 640});
  uint64_t peak = 0;
  EXPECT_EQ(AssignOffsets(&blocks, true, &peak), 640u);
  EXPECT_EQ(peak, 640u);
}

}  // namespace
}  // namespace gec
