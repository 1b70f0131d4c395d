// Memory of one run context.
#pragma once

#include <cstdint>

#include "core/support/growing_pages.h"

namespace gec {

/// One growing block, 64-byte aligned, in large pages where it is large. Growing may move it, and what was in it is
/// lost. Or memory from outside, which does not grow.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  /// Where there is less than `bytes`, grows to that and, if it can, to at least `least`. True when the base moved.
  /// Throws GE_OUT_OF_MEMORY and keeps the old block.
  bool Ensure(uint64_t bytes, uint64_t least = 0);
  /// Null: back to a block of its own. Throws GE_PARAM_INVALID for memory that is not aligned.
  void Use(void *memory, uint64_t bytes);
  char *base() const { return base_; }
  uint64_t bytes() const { return bytes_; }

 private:
  void Grow(uint64_t bytes);
  void Free();

  char *base_ = nullptr;
  uint64_t bytes_ = 0;
  bool outside_ = false;
  GrowingPages pages_;  // of a large one
};

/// Blocks for values whose sizes are only known while running: freed ones are kept, with their headers, and reused by
/// size. One thread.
class BlockPool {
 public:
  struct Block {
    void *data;  // 64-byte aligned
    uint64_t capacity;
    int uses;
    int size_class;
    BlockPool *pool;
    Block *next;  // in the free list
  };
  BlockPool() = default;
  ~BlockPool();
  BlockPool(const BlockPool &) = delete;
  BlockPool &operator=(const BlockPool &) = delete;
  /// At least `bytes`; used once.
  Block *Acquire(uint64_t bytes);
  void Release(Block *block) noexcept;
  uint64_t held_bytes() const { return held_; }

 private:
  static constexpr int kClasses = 48;
  Block *free_[kClasses] = {};  // class c: blocks of 64 << (c / 2) bytes, odd ones half as much again
  uint64_t held_ = 0;
};

}  // namespace gec
