// Memory in whole pages that grows without touching again what it had.
//
// A block that is freed and taken anew comes back as pages that the system clears one by one, which takes as long as
// reading them ten times. Pages of a mapping move with it: only what is added is cleared when it is written to.
#pragma once

#include <cstdint>

namespace gec {

/// One mapping, which begins with a large page until it moves. Not for several threads at once.
class GrowingPages {
 public:
  GrowingPages() = default;
  ~GrowingPages() { Release(); }
  GrowingPages(const GrowingPages &) = delete;
  GrowingPages &operator=(const GrowingPages &) = delete;

  /// At least so many bytes, in large pages where they come quickly (large_pages.h). Moves where it has to. False where
  /// the system has none, and then all is as before.
  bool Grow(uint64_t bytes) noexcept;
  void Release() noexcept;

  /// Null where there is none.
  char *data() const { return data_; }
  uint64_t bytes() const { return bytes_; }

 private:
  char *data_ = nullptr;
  uint64_t bytes_ = 0;  // a multiple of a large page
};

}  // namespace gec
