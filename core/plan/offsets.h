// Offsets of blocks with given lives and sizes in one arena.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <set>
#include <utility>
#include <vector>

#include "core/plan/memory_plan.h"

namespace gec {

/// The free parts of an arena that grows at its end.
class FreeList {
 public:
  explicit FreeList(std::pmr::memory_resource *nodes) : by_offset_(nodes), by_size_(nodes) {}
  /// The smallest part that these bytes fit in, or the end of the arena.
  uint64_t Take(uint64_t bytes);
  void Give(uint64_t offset, uint64_t bytes);
  uint64_t top() const { return top_; }
  /// As it was made.
  void Clear();
  /// So many parts from here on allocate nothing.
  void Reserve(size_t parts);

 private:
  void Insert(uint64_t offset, uint64_t bytes);
  void Remove(uint64_t offset, uint64_t bytes);
  std::pmr::map<uint64_t, uint64_t> by_offset_;
  std::pmr::set<std::pair<uint64_t, uint64_t>> by_size_;
  uint64_t top_ = 0;
};

/// Keeps what it works with from one call to the next. Not thread-safe.
class OffsetAssigner {
 public:
  OffsetAssigner() = default;
  OffsetAssigner(const OffsetAssigner &) = delete;
  OffsetAssigner &operator=(const OffsetAssigner &) = delete;

  /// Assigning so many blocks allocates nothing from here on.
  void Reserve(size_t blocks);
  /// Fills in the offsets; returns the arena's size. reuse false keeps every block apart.
  uint64_t Assign(std::vector<MemoryBlock> *blocks, bool reuse, uint64_t *live_peak);

 private:
  uint64_t Sweep(std::vector<MemoryBlock> *blocks, uint64_t *live_peak);
  uint64_t LargestFirst(std::vector<MemoryBlock> *blocks);

  std::pmr::unsynchronized_pool_resource nodes_;  // outlives the list
  FreeList free_{&nodes_};
  std::vector<uint32_t> starts_, ends_, placed_;
  std::vector<MemoryBlock> other_;
};

/// Offsets for blocks with given lives and sizes (offset is filled in); returns the arena's size.
uint64_t AssignOffsets(std::vector<MemoryBlock> *blocks, bool reuse, uint64_t *live_peak);

}  // namespace gec
