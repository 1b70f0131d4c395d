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

}  // namespace

void LargePages::Take(void *memory, size_t bytes, size_t room) noexcept {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  uintptr_t page = (begin + kBytes - 1) / kBytes * kBytes;
  const auto is_within = [&](uintptr_t at) { return at < begin + bytes && at + kBytes <= begin + room; };
  // Advice is a hint: where it fails, the memory comes as it does.
  for (; is_within(page) && !slow(); page += kBytes) {
    auto *at = reinterpret_cast<volatile char *>(page);
    madvise(reinterpret_cast<void *>(page), kBytes, MADV_HUGEPAGE);
    const int64_t before = ThreadTimeNs();
    *at = 0;
    if (ThreadTimeNs() - before > slow_ns_) slow_.store(true, std::memory_order_relaxed);
  }
  uintptr_t end = page;
  while (is_within(end)) end += kBytes;
  if (end > page) madvise(reinterpret_cast<void *>(page), end - page, MADV_NOHUGEPAGE);
}

LargePages &LargePages::Process() {
  static LargePages pages;
  return pages;
}

}  // namespace gec
