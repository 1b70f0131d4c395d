// A value while a graph is interpreted: what it looks like, where it lies, and what keeps it there.
#pragma once

#include <utility>

#include "core/ir/tensor.h"
#include "runtime/arena.h"

namespace gec {

/// A counted block of a pool. One thread.
class BlockRef {
 public:
  BlockRef() = default;
  static BlockRef Acquire(BlockPool &pool, uint64_t bytes) {
    BlockRef ref;
    ref.block_ = pool.Acquire(bytes);
    return ref;
  }
  BlockRef(const BlockRef &other) : block_(other.block_) {
    if (block_) ++block_->uses;
  }
  BlockRef(BlockRef &&other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  BlockRef &operator=(BlockRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockRef() {
    if (block_ && --block_->uses == 0) block_->pool->Release(block_);
  }
  void *data() const { return block_ ? block_->data : nullptr; }
  bool only() const { return block_ && block_->uses == 1; }
  explicit operator bool() const { return block_ != nullptr; }

 private:
  BlockPool::Block *block_ = nullptr;
};

struct RunValue {
  TensorDesc desc;
  const void *data = nullptr;
  uint64_t bytes = 0;
  BlockRef block;      // owner of data, or empty:
  TensorPtr constant;  // a constant, or else the caller's memory
  bool present = false;
};

}  // namespace gec
