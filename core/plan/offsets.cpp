// Offset assignment for blocks with known lifetimes.
//
// A sweep over time with a best-fit free list is near-linear and good; placing the largest blocks first packs better
// but is quadratic. Small plans try both and keep the smaller arena.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/plan/memory_plan.h"

namespace gec {
namespace {

constexpr size_t kQuadraticLimit = 2048;

class FreeList {
 public:
  uint64_t Take(uint64_t bytes) {
    auto fit = by_size_.lower_bound({bytes, 0});
    if (fit != by_size_.end()) {
      auto [size, offset] = *fit;
      Remove(offset, size);
      if (size > bytes) Insert(offset + bytes, size - bytes);
      return offset;
    }
    uint64_t offset = top_;
    if (!by_offset_.empty()) {  // grow the free block at the top instead of leaving it as a hole
      auto [start, size] = *by_offset_.rbegin();
      if (start + size == top_) {
        Remove(start, size);
        offset = start;
      }
    }
    top_ = offset + bytes;
    return offset;
  }
  void Give(uint64_t offset, uint64_t bytes) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && offset + bytes == next->first) {
      uint64_t size = next->second;
      Remove(next->first, size);
      bytes += size;
    }
    auto previous = by_offset_.lower_bound(offset);
    if (previous != by_offset_.begin()) {
      --previous;
      if (previous->first + previous->second == offset) {
        auto [start, size] = *previous;
        Remove(start, size);
        offset = start;
        bytes += size;
      }
    }
    Insert(offset, bytes);
  }
  uint64_t top() const { return top_; }

 private:
  void Insert(uint64_t offset, uint64_t bytes) {
    by_offset_[offset] = bytes;
    by_size_.insert({bytes, offset});
  }
  void Remove(uint64_t offset, uint64_t bytes) {
    by_offset_.erase(offset);
    by_size_.erase({bytes, offset});
  }
  std::map<uint64_t, uint64_t> by_offset_;
  std::set<std::pair<uint64_t, uint64_t>> by_size_;
  uint64_t top_ = 0;
};

uint64_t Sweep(std::vector<MemoryBlock> *blocks, uint64_t *live_peak) {
  std::vector<uint32_t> starts(blocks->size()), ends(blocks->size());
  std::iota(starts.begin(), starts.end(), 0u);
  std::iota(ends.begin(), ends.end(), 0u);
  std::sort(starts.begin(), starts.end(), [&](uint32_t a, uint32_t b) {
    const MemoryBlock &x = (*blocks)[a], &y = (*blocks)[b];
    return x.begin != y.begin ? x.begin < y.begin : x.bytes != y.bytes ? x.bytes > y.bytes : a < b;
  });
  std::sort(ends.begin(), ends.end(), [&](uint32_t a, uint32_t b) {
    return (*blocks)[a].end != (*blocks)[b].end ? (*blocks)[a].end < (*blocks)[b].end : a < b;
  });
  FreeList free;
  uint64_t live = 0;
  size_t ended = 0;
  for (uint32_t id : starts) {
    MemoryBlock &block = (*blocks)[id];
    for (; ended < ends.size() && (*blocks)[ends[ended]].end < block.begin; ++ended) {
      const MemoryBlock &old = (*blocks)[ends[ended]];
      free.Give(old.offset, old.bytes);
      live -= old.bytes;
    }
    block.offset = free.Take(block.bytes);
    live += block.bytes;
    *live_peak = std::max(*live_peak, live);
  }
  return free.top();
}

uint64_t LargestFirst(std::vector<MemoryBlock> *blocks) {
  std::vector<uint32_t> order(blocks->size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const MemoryBlock &x = (*blocks)[a], &y = (*blocks)[b];
    return x.bytes != y.bytes ? x.bytes > y.bytes : x.begin != y.begin ? x.begin < y.begin : a < b;
  });
  std::vector<uint32_t> placed;  // by offset
  placed.reserve(order.size());
  uint64_t top = 0;
  for (uint32_t id : order) {
    MemoryBlock &block = (*blocks)[id];
    uint64_t cursor = 0, best = UINT64_MAX, best_gap = UINT64_MAX;
    for (uint32_t other_id : placed) {
      const MemoryBlock &other = (*blocks)[other_id];
      if (other.end < block.begin || block.end < other.begin) continue;
      if (other.offset > cursor) {
        uint64_t gap = other.offset - cursor;
        if (gap >= block.bytes && gap < best_gap) {
          best = cursor;
          best_gap = gap;
        }
      }
      cursor = std::max(cursor, other.offset + other.bytes);
    }
    block.offset = best != UINT64_MAX ? best : cursor;
    top = std::max(top, block.offset + block.bytes);
    auto at = std::upper_bound(placed.begin(), placed.end(), block.offset,
                               [&](uint64_t offset, uint32_t p) { return offset < (*blocks)[p].offset; });
    placed.insert(at, id);
  }
  return top;
}

}  // namespace

uint64_t AssignOffsets(std::vector<MemoryBlock> *blocks, bool reuse, uint64_t *live_peak) {
  *live_peak = 0;
  if (!reuse) {
    uint64_t top = 0;
    for (MemoryBlock &b : *blocks) {
      b.offset = top;
      top += b.bytes;
    }
    *live_peak = top;
    return top;
  }
  uint64_t swept = Sweep(blocks, live_peak);
  if (swept == *live_peak || blocks->size() > kQuadraticLimit) return swept;
  std::vector<MemoryBlock> other = *blocks;
  uint64_t packed = LargestFirst(&other);
  if (packed >= swept) return swept;
  *blocks = std::move(other);
  return packed;
}

}  // namespace gec
