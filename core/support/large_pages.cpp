#include "core/support/large_pages.h"

#include <sys/mman.h>

#include <ctime>

namespace gec {
namespace {

// The thread's own time: that another program runs meanwhile says nothing about memory.
int64_t ThreadTimeNs() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

// A hint: where it fails, the memory comes as it does. Only pages that lie within the memory wholly.
void Advise(void *memory, size_t bytes, int advice) noexcept {
  const uintptr_t first = reinterpret_cast<uintptr_t>(memory), size = LargePages::kBytes;
  const uintptr_t begin = (first + size - 1) / size * size, end = (first + bytes) / size * size;
  if (begin < end) madvise(reinterpret_cast<void *>(begin), end - begin, advice);
}

}  // namespace

void LargePages::Take(void *memory, size_t bytes, size_t room) noexcept {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  uintptr_t page = (begin + kBytes - 1) / kBytes * kBytes;
  const auto is_within = [&](uintptr_t at) { return at < begin + bytes && at + kBytes <= begin + room; };
  for (; is_within(page) && !slow(); page += kBytes) {
    auto *at = reinterpret_cast<volatile char *>(page);
    Advise(reinterpret_cast<void *>(page), kBytes, MADV_HUGEPAGE);
    const int64_t before = ThreadTimeNs();
    *at = 0;
    if (ThreadTimeNs() - before > slow_ns_) slow_.store(true, std::memory_order_relaxed);
  }
  if (!slow() || page >= begin + room) return;
  Advise(reinterpret_cast<void *>(page), begin + room - page, MADV_NOHUGEPAGE);
}

void LargePages::Ask(void *memory, size_t bytes) noexcept {
  Take(memory, kBytes, bytes);
  if (bytes > kBytes && !slow()) Advise(memory, bytes, MADV_HUGEPAGE);
}

LargePages &LargePages::Process() {
  static LargePages pages;
  return pages;
}

}  // namespace gec
