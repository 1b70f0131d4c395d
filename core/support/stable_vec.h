// A growing sequence whose elements never move: blocks of N elements, found by index in constant time.
#pragma once

#include <cstddef>
#include <memory>
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
    for (T *block : blocks_) std::allocator<T>().deallocate(block, N);
  }
  size_t size() const noexcept { return size_; }
  T &operator[](size_t i) noexcept { return blocks_[i / N][i % N]; }
  const T &operator[](size_t i) const noexcept { return blocks_[i / N][i % N]; }
  template <class... Args>
  T &emplace_back(Args &&...args) {
    if (size_ == blocks_.size() * N) {
      if (blocks_.size() == blocks_.capacity()) blocks_.reserve(blocks_.size() * 2 + 4);
      blocks_.push_back(std::allocator<T>().allocate(N));
    }
    T *made = std::construct_at(&blocks_[size_ / N][size_ % N], std::forward<Args>(args)...);
    ++size_;
    return *made;
  }

 private:
  std::vector<T *> blocks_;
  size_t size_ = 0;
};

}  // namespace gec
