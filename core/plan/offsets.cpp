// Offset assignment for blocks with known lifetimes.
//
// A sweep over time with a best-fit free list is near-linear and good; placing the largest blocks first packs better
// but is quadratic. Small plans try both and keep the smaller arena.
#include "core/plan/offsets.h"

#include <algorithm>
#include <numeric>

namespace gec {
namespace {

constexpr size_t kQuadraticLimit = 2048;

}  // namespace

uint64_t FreeList::Take(uint64_t bytes) {
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

void FreeList::Give(uint64_t offset, uint64_t bytes) {
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

void FreeList::Insert(uint64_t offset, uint64_t bytes) {
  by_offset_[offset] = bytes;
  by_size_.insert({bytes, offset});
}

void FreeList::Remove(uint64_t offset, uint64_t bytes) {
  by_offset_.erase(offset);
  by_size_.erase({bytes, offset});
}

void FreeList::Clear() {
  by_offset_.clear();
  by_size_.clear();
  top_ = 0;
}

void FreeList::Reserve(size_t parts) {
  for (uint64_t k = 0; k < parts; ++k) Insert(top_ + k, 1);  // their nodes stay at hand
  Clear();
}

uint64_t OffsetAssigner::Sweep(std::vector<MemoryBlock> *blocks, uint64_t *live_peak) {
  starts_.resize(blocks->size());
  ends_.resize(blocks->size());
  std::iota(starts_.begin(), starts_.end(), 0u);
  std::iota(ends_.begin(), ends_.end(), 0u);
  std::sort(starts_.begin(), starts_.end(), [&](uint32_t a, uint32_t b) {
    const MemoryBlock &x = (*blocks)[a], &y = (*blocks)[b];
    return x.begin != y.begin ? x.begin < y.begin : x.bytes != y.bytes ? x.bytes > y.bytes : a < b;
  });
  std::sort(ends_.begin(), ends_.end(), [&](uint32_t a, uint32_t b) {
    return (*blocks)[a].end != (*blocks)[b].end ? (*blocks)[a].end < (*blocks)[b].end : a < b;
  });
  free_.Clear();
  uint64_t live = 0;
  size_t ended = 0;
  for (uint32_t id : starts_) {
    MemoryBlock &block = (*blocks)[id];
    for (; ended < ends_.size() && (*blocks)[ends_[ended]].end < block.begin; ++ended) {
      const MemoryBlock &old = (*blocks)[ends_[ended]];
      free_.Give(old.offset, old.bytes);
      live -= old.bytes;
    }
    block.offset = free_.Take(block.bytes);
    live += block.bytes;
    *live_peak = std::max(*live_peak, live);
  }
  return free_.top();
}

uint64_t OffsetAssigner::LargestFirst(std::vector<MemoryBlock> *blocks) {
  std::vector<uint32_t> &order = starts_, &placed = placed_;  // placed: by offset
  order.resize(blocks->size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const MemoryBlock &x = (*blocks)[a], &y = (*blocks)[b];
    return x.bytes != y.bytes ? x.bytes > y.bytes : x.begin != y.begin ? x.begin < y.begin : a < b;
  });
  placed.clear();
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

uint64_t OffsetAssigner::Assign(std::vector<MemoryBlock> *blocks, bool reuse, uint64_t *live_peak) {
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
  other_ = *blocks;
  const uint64_t packed = LargestFirst(&other_);
  if (packed >= swept) return swept;
  blocks->swap(other_);
  return packed;
}

void OffsetAssigner::Reserve(size_t blocks) {
  starts_.reserve(blocks);
  ends_.reserve(blocks);
  placed_.reserve(blocks);
  other_.reserve(blocks);
  free_.Reserve(blocks + 1);
}

uint64_t AssignOffsets(std::vector<MemoryBlock> *blocks, bool reuse, uint64_t *live_peak) {
  return OffsetAssigner().Assign(blocks, reuse, live_peak);
}

}  // namespace gec
