// Elements that never move and end together: blocks that grow up to N elements. What is large lies in large pages:
// walks over it then miss the processor's table of pages much less.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/support/fetch_pages.h"
#include "core/support/large_pages.h"

namespace gec {

template <class T, size_t N = 64>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;
  ~Pool() {
    for (const Block &block : blocks_) std::destroy_n(block.data, block.used);
    for (size_t b = 0; b < blocks_.size() && b < kSmallBlocks; ++b)
      std::allocator<T>().deallocate(blocks_[b].data, blocks_[b].size);
    for (void *slab : slabs_) std::free(slab);
  }
  template <class... Args>
  T &Make(Args &&...args) {
    if (blocks_.empty() || blocks_.back().used == blocks_.back().size) AddBlock();
    Block &block = blocks_.back();
    T *made = std::construct_at(block.data + block.used, std::forward<Args>(args)...);
    ++block.used;
    return *made;
  }

 private:
  struct Block {
    T *data;
    size_t size, used;
  };
  static constexpr size_t kSlabBytes = LargePages::kBytes;
  // A small graph is two inputs, an operator and the end. Two pieces of two are each small enough for the C library's
  // quick lists, which one of four would not be.
  static constexpr size_t kFirst = std::min<size_t>(N, 2);
  static constexpr size_t kSmallBlocks = 32;  // these have memory of their own

  void AddBlock() {
    // Here, not beside the others: T may be incomplete where a class has such a member.
    constexpr size_t kBlocksPerSlab = kSlabBytes / (N * sizeof(T));
    static_assert(kBlocksPerSlab >= 1 && alignof(T) <= 64 && N * sizeof(T) % alignof(T) == 0);
    if (blocks_.size() == blocks_.capacity()) blocks_.reserve(blocks_.size() * 2 + 4);
    if (blocks_.size() < kSmallBlocks) {
      const size_t size = blocks_.size() < 2 ? kFirst : std::min(N, 2 * blocks_.back().size);
      blocks_.push_back({std::allocator<T>().allocate(size), size, 0});
      if (size == N) FetchPages(blocks_.back().data, size * sizeof(T));
      return;
    }
    const size_t at = (blocks_.size() - kSmallBlocks) % kBlocksPerSlab;
    // A block that could not be entered is found again by the next call.
    if ((blocks_.size() - kSmallBlocks) / kBlocksPerSlab == slabs_.size()) {
      if (slabs_.size() == slabs_.capacity()) slabs_.reserve(slabs_.size() * 2 + 4);
      void *slab = std::aligned_alloc(kSlabBytes, kSlabBytes);
      if (!slab) throw std::bad_alloc();
      LargePages::Process().Take(slab, kSlabBytes, kSlabBytes);
      slabs_.push_back(slab);
    }
    T *data = reinterpret_cast<T *>(static_cast<char *>(slabs_.back()) + at * N * sizeof(T));
    blocks_.push_back({data, N, 0});
  }

  std::vector<Block> blocks_;
  std::vector<void *> slabs_;
};

}  // namespace gec
