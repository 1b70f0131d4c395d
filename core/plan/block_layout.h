// Where the blocks of a plan's arena lie when values have other sizes than those that the plan was made for. Which
// values share a block, and when each block lives, does not depend on sizes; offsets do.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/offsets.h"

namespace gec {

class BlockLayout {
 public:
  /// Lies as the plan does, which has to outlive it.
  explicit BlockLayout(const MemoryPlan &plan);
  /// Makes room for these bytes, by block of the plan; true where blocks moved. Sizes that had room before have it
  /// again, mostly: then nothing moves. Allocates nothing.
  bool Fit(const std::vector<uint64_t> &bytes);
  /// Lies as the plan does again.
  void Reset();
  /// Of a place in the plan's arena.
  uint64_t OffsetOf(const Location &at) const {
    return OffsetOf(at.block) + (at.offset - plan_.blocks[static_cast<size_t>(at.block)].offset);
  }
  uint64_t OffsetOf(int32_t block) const { return blocks_[static_cast<size_t>(block)].offset; }
  uint64_t arena_bytes() const { return arena_bytes_; }

 private:
  const MemoryPlan &plan_;
  OffsetAssigner assigner_;
  std::vector<MemoryBlock> blocks_;  // their bytes are the room that they have
  uint64_t arena_bytes_;
};

}  // namespace gec
