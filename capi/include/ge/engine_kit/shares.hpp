// Work that threads divide among themselves: each begins with a share of its own, and one that has ended takes from
// what the others have left.
//
// A thread takes a third of what is left of a share, so that the pieces are few at first and small at the end: threads
// of equal speed keep to their shares, whose memory their caches hold from run to run, and a thread that is slowed down
// (another program on its core, a core that shares its units) holds the others up by one small piece at most.
#ifndef GE_ENGINE_KIT_SHARES_HPP_
#define GE_ENGINE_KIT_SHARES_HPP_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "ge/engine_kit/namespace.hpp"

GE_ENGINE_KIT_BEGIN

/// Hands out [0, n) in ranges. Any thread.
class Shares {
 public:
  /// A range is one or several of about `parts` parts, at most `n`, all of about the same size. `threads` is 1 at
  /// least.
  Shares(int64_t n, int64_t parts, int64_t threads)
      : n_(n), parts_(std::clamp<int64_t>(parts, 1, kMostParts)), shares_(std::clamp<int64_t>(threads, 1, kMost)) {
    for (int64_t i = 0; i < shares_; ++i)
      share_[i].left = Pack(uint64_t(parts_ * i / shares_), uint64_t(parts_ * (i + 1) / shares_));
  }

  /// The next range for thread `thread`, of its own share or else of another one; false: nothing is left.
  bool Next(int64_t thread, int64_t *begin, int64_t *end) noexcept {
    const int64_t own = thread % shares_;
    bool found = Take(share_[own], true, begin, end);
    for (int64_t i = 1; i < shares_ && !found; ++i) found = Take(share_[(own + i) % shares_], false, begin, end);
    if (found) *begin = BeginOf(*begin), *end = BeginOf(*end);
    return found;
  }

 private:
  // Few, since a small kernel would notice to set them all: more threads than that have some of them in common.
  static constexpr int64_t kMost = 16;
  struct alignas(64) Share {  // a line of the cache each
    std::atomic<uint64_t> left{0};
  };
  static constexpr int64_t kMostParts = int64_t{1} << 31;
  static uint64_t Pack(uint64_t begin, uint64_t end) { return begin << 32 | end; }

  // From the begin for its own thread, from the end for the others, which stays out of the owner's way.
  static bool Take(Share &share, bool front, int64_t *begin, int64_t *end) noexcept {
    uint64_t left = share.left.load(std::memory_order_relaxed);
    for (;;) {
      const uint64_t first = left >> 32, last = left & 0xffffffff;
      if (first >= last) return false;
      const uint64_t parts = (last - first + 2) / 3;
      const uint64_t rest = front ? Pack(first + parts, last) : Pack(first, last - parts);
      if (!share.left.compare_exchange_weak(left, rest, std::memory_order_relaxed)) continue;
      *begin = int64_t(front ? first : last - parts), *end = int64_t(front ? first + parts : last);
      return true;
    }
  }

  int64_t BeginOf(int64_t part) const { return n_ / parts_ * part + std::min(part, n_ % parts_); }

  const int64_t n_, parts_, shares_;
  std::array<Share, kMost> share_;
};

GE_ENGINE_KIT_END

#endif
