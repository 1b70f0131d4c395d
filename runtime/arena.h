// Memory of one run context.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace gec {

/// One growing block, 64-byte aligned; huge pages for large ones. Growing moves it.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  /// True when the base moved. Throws GE_OUT_OF_MEMORY and keeps the old block.
  bool Ensure(uint64_t bytes);
  char *base() const { return base_; }
  uint64_t bytes() const { return bytes_; }

 private:
  char *base_ = nullptr;
  uint64_t bytes_ = 0;
};

/// Blocks for values whose sizes are only known while running: freed ones are kept and reused by size.
class BlockPool {
 public:
  BlockPool() = default;
  ~BlockPool();
  BlockPool(const BlockPool &) = delete;
  BlockPool &operator=(const BlockPool &) = delete;
  /// 64-byte aligned, at least `bytes`; *capacity tells how much, to be given back to Release.
  void *Acquire(uint64_t bytes, uint64_t *capacity);
  void Release(void *block, uint64_t capacity);
  uint64_t held_bytes() const { return held_; }

 private:
  static constexpr int kClasses = 48;
  std::vector<void *> free_[kClasses];  // class c: blocks of 64 << (c / 2) bytes, odd ones half as much again
  uint64_t held_ = 0;
};

}  // namespace gec
