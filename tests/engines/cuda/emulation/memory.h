// Memory of the emulated device: the host knows addresses at which nothing may be read or written (the process dies of
// a stray access); the device works as far behind them as `delta` says.
#pragma once

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>

namespace emulated {

class Memory {
 public:
  Memory() {
    host_ = Reserve();
    device_ = Reserve();
  }
  ~Memory() {
    munmap(host_, kBytes);
    munmap(device_, kBytes);
  }

  /// Null: there is no memory.
  void *Allocate(uint64_t bytes) {
    std::lock_guard lock(mutex_);
    if (!host_ || !device_ || bytes > kBytes) return nullptr;
    // The end of the block is the end of a page, as near as the alignment allows.
    const uint64_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const uint64_t size = (padded + kPage - 1) / kPage * kPage;
    uint64_t at = 0;
    for (const auto &[begin, block] : blocks_) {
      if (begin - at > size) break;  // a page stays free between two blocks
      at = begin + block.size + kPage;
    }
    if (at + size > kBytes || mprotect(device_ + at, size, PROT_READ | PROT_WRITE) != 0) return nullptr;
    std::memset(device_ + at, 0xff, size);
    blocks_[at] = {size, size - padded, bytes};
    return host_ + at + size - padded;
  }
  bool Release(void *memory) {
    std::lock_guard lock(mutex_);
    const auto at = Find(memory);
    if (at == blocks_.end() || host_ + at->first + at->second.first != memory) return false;
    // Not only made unreadable, but given back.
    madvise(device_ + at->first, at->second.size, MADV_DONTNEED);
    mprotect(device_ + at->first, at->second.size, PROT_NONE);
    blocks_.erase(at);
    return true;
  }

  bool Owns(const void *address) const { return address >= host_ && address < host_ + kBytes; }
  char *Device(const void *address) const { return device_ + (static_cast<const char *>(address) - host_); }
  /// All of the bytes lie in one block.
  bool Holds(const void *address, uint64_t bytes) const {
    std::lock_guard lock(mutex_);
    const auto at = Find(address);
    if (at == blocks_.end()) return false;
    const int64_t offset = static_cast<const char *>(address) - (host_ + at->first + at->second.first);
    return offset >= 0 && static_cast<uint64_t>(offset) + bytes <= at->second.bytes;
  }
  size_t live() const {
    std::lock_guard lock(mutex_);
    return blocks_.size();
  }

 private:
  static constexpr uint64_t kBytes = 16ull << 30, kPage = 4096, kAlignment = 256;
  struct Block {
    uint64_t size, first, bytes;  // of its pages; where in them it begins; that were asked for
  };
  static char *Reserve() {
    void *at = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? nullptr : static_cast<char *>(at);
  }
  std::map<uint64_t, Block>::const_iterator Find(const void *address) const {
    if (!Owns(address)) return blocks_.end();
    auto at = blocks_.upper_bound(static_cast<uint64_t>(static_cast<const char *>(address) - host_));
    return at == blocks_.begin() ? blocks_.end() : --at;
  }
  mutable std::mutex mutex_;
  char *host_ = nullptr, *device_ = nullptr;
  std::map<uint64_t, Block> blocks_;  // by offset of their pages
};

}  // namespace emulated
