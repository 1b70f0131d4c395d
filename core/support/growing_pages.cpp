#include "core/support/growing_pages.h"

#include <sys/mman.h>

#include "core/support/large_pages.h"

namespace gec {
namespace {

constexpr uint64_t kPage = LargePages::kBytes;

/// A new mapping that begins with a large page; null where there is none.
char *MapAligned(uint64_t bytes) noexcept {
  void *all = mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  char *const first = static_cast<char *>(all);
  const uint64_t before = (kPage - reinterpret_cast<uintptr_t>(first) % kPage) % kPage;
  if (before) munmap(first, before);
  munmap(first + before + bytes, kPage - before);
  return first + before;
}

}  // namespace

bool GrowingPages::Grow(uint64_t bytes) noexcept {
  if (bytes <= bytes_) return true;
  if (bytes > UINT64_MAX / 2) return false;
  const uint64_t wanted = (bytes + kPage - 1) / kPage * kPage;
  LargePages &large = LargePages::Process();
  uint64_t kept = bytes_;
  void *grown = MAP_FAILED;
  if (data_) {
    // A mapping whose parts were advised differently is several ones to the system, which moves only one.
    madvise(data_, bytes_, large.slow() ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    grown = mremap(data_, bytes_, wanted, MREMAP_MAYMOVE);
  }
  if (grown == MAP_FAILED) {  // nothing was there, or they are several ones all the same
    grown = MapAligned(wanted);
    if (!grown) return false;
    if (data_) munmap(data_, bytes_);
    kept = 0;
  }
  data_ = static_cast<char *>(grown);
  bytes_ = wanted;
  // How much will be written nobody knows; less than half of a large page is not worth one.
  const uint64_t asked = (bytes - kept + kPage / 2) / kPage * kPage;
  large.Ask(data_ + kept, asked);
  if (kept + asked < wanted) madvise(data_ + kept + asked, wanted - kept - asked, MADV_NOHUGEPAGE);
  return true;
}

void GrowingPages::Release() noexcept {
  if (data_) munmap(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace gec
