// A growing sequence whose elements never move: blocks of N elements, found by index in constant time. What is large
// lies in huge pages: walks over it then miss the processor's table of pages much less.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace gec {

template <class T, size_t N = 64>
class StableVec {
 public:
  StableVec() = default;
  StableVec(const StableVec &) = delete;
  StableVec &operator=(const StableVec &) = delete;
  ~StableVec() {
    for (size_t i = size_; i-- > 0;) std::destroy_at(&(*this)[i]);
    for (size_t b = 0; b < blocks_.size() && b < kSmallBlocks; ++b) std::allocator<T>().deallocate(blocks_[b], N);
    for (void *slab : slabs_) std::free(slab);
  }
  size_t size() const noexcept { return size_; }
  T &operator[](size_t i) noexcept { return blocks_[i / N][i % N]; }
  const T &operator[](size_t i) const noexcept { return blocks_[i / N][i % N]; }
  template <class... Args>
  T &emplace_back(Args &&...args) {
    if (size_ == blocks_.size() * N) {
      if (blocks_.size() == blocks_.capacity()) blocks_.reserve(blocks_.size() * 2 + 4);
      blocks_.push_back(NewBlock());
    }
    T *made = std::construct_at(&blocks_[size_ / N][size_ % N], std::forward<Args>(args)...);
    ++size_;
    return *made;
  }

 private:
  static constexpr size_t kSlabBytes = size_t{2} << 20;  // a huge page
  static constexpr size_t kSmallBlocks = 32;             // these have memory of their own

  T *NewBlock() {
    // Here, not beside the others: T may be incomplete where a class has such a member.
    constexpr size_t kBlocksPerSlab = kSlabBytes / (N * sizeof(T));
    static_assert(kBlocksPerSlab >= 1 && alignof(T) <= 64 && N * sizeof(T) % alignof(T) == 0);
    if (blocks_.size() < kSmallBlocks) return std::allocator<T>().allocate(N);
    const size_t at = (blocks_.size() - kSmallBlocks) % kBlocksPerSlab;
    // A block that could not be entered is found again by the next call.
    if ((blocks_.size() - kSmallBlocks) / kBlocksPerSlab == slabs_.size()) {
      if (slabs_.size() == slabs_.capacity()) slabs_.reserve(slabs_.size() * 2 + 4);
      void *slab = std::aligned_alloc(kSlabBytes, kSlabBytes);
      if (!slab) throw std::bad_alloc();
      madvise(slab, kSlabBytes, MADV_HUGEPAGE);  // a hint: failing is fine
      slabs_.push_back(slab);
    }
    return reinterpret_cast<T *>(static_cast<char *>(slabs_.back()) + at * N * sizeof(T));
  }

  std::vector<T *> blocks_;
  std::vector<void *> slabs_;
  size_t size_ = 0;
};

}  // namespace gec
