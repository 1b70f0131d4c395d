#include "runtime/arena.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/support/error.h"
#include "core/support/large_pages.h"
#include "core/support/memory.h"

namespace gec {
namespace {

constexpr uint64_t kHugePage = LargePages::kBytes;
constexpr uint64_t kMapped = 128 << 10;  // from here on an arena is a mapping

constexpr char kWhat[] = "the tensors of a run";

char *AllocateAligned(uint64_t bytes) {
  CheckMemory(bytes, kWhat);
  const bool huge = bytes >= kHugePage;
  const uint64_t alignment = huge ? kHugePage : 64;
  void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) FailMemory(bytes, kWhat);
  const uint64_t pages = (bytes + kHugePage / 2) / kHugePage;  // the last one where it is used by half
  if (huge) LargePages::Process().Ask(memory, pages * kHugePage);
  TookMemory(malloc_usable_size(memory));
  return static_cast<char *>(memory);
}

void FreeCounted(void *memory) {
  GaveMemory(malloc_usable_size(memory));  // 0 for null
  std::free(memory);
}

uint64_t ClassBytes(int c) {
  uint64_t base = uint64_t{64} << (c / 2);
  return c % 2 ? base + base / 2 : base;
}

}  // namespace

Arena::~Arena() { Free(); }

void Arena::Use(void *memory, uint64_t bytes) {
  constexpr uint64_t kAlignment = 64;
  if (reinterpret_cast<uintptr_t>(memory) % kAlignment != 0)
    Fail(GE_PARAM_INVALID, "memory for a run has to be aligned to ", kAlignment, " bytes");
  if (memory == nullptr && bytes != 0) Fail(GE_PARAM_INVALID, "memory for a run is null, its size ", bytes);
  Free();
  base_ = static_cast<char *>(memory);
  bytes_ = bytes;
  outside_ = memory != nullptr;
}

bool Arena::Ensure(uint64_t bytes, uint64_t least) {
  if (bytes <= bytes_) return false;
  if (outside_) Fail(GE_OUT_OF_MEMORY, "the memory given for runs has ", bytes_, " bytes, this run needs ", bytes);
  // A context whose inputs keep growing would else move in every run.
  const uint64_t roomy = std::max({bytes, least, base_ ? bytes_ + bytes_ / 2 : 0});
  char *const before = base_;
  if (roomy > bytes) {
    try {
      Grow(roomy);
      return base_ != before;
    } catch (const Error &) {  // then no more than it needs
    }
  }
  Grow(bytes);
  return base_ != before;
}

void Arena::Grow(uint64_t bytes) {
  if (bytes < kMapped) {
    char *fresh = AllocateAligned(bytes);
    FreeCounted(base_);
    base_ = fresh;
  } else {
    GaveMemory(pages_.bytes());  // all of it together has to fit
    try {
      CheckMemory(bytes, kWhat);
      if (!pages_.Grow(bytes)) FailMemory(bytes, kWhat);
    } catch (const Error &) {
      TookMemory(pages_.bytes());
      throw;
    }
    TookMemory(pages_.bytes());
    if (bytes_ < kMapped) FreeCounted(base_);
    base_ = pages_.data();
  }
  bytes_ = bytes;
}

void Arena::Free() {
  if (outside_) return;
  GaveMemory(pages_.bytes());
  if (pages_.data()) pages_.Release();
  else FreeCounted(base_);
}

BlockPool::~BlockPool() {
  for (Block *block : free_) {
    while (block) {
      Block *next = block->next;
      FreeCounted(block->data);
      delete block;
      block = next;
    }
  }
}

BlockPool::Block *BlockPool::Acquire(uint64_t bytes) {
  int c = 0;
  while (c < kClasses && ClassBytes(c) < bytes) ++c;
  if (c < kClasses && free_[c]) {
    Block *block = free_[c];
    free_[c] = block->next;
    block->uses = 1;
    return block;
  }
  const uint64_t capacity = c < kClasses ? ClassBytes(c) : bytes;
  auto block = std::make_unique<Block>(Block{nullptr, capacity, 1, c, this, nullptr});
  block->data = AllocateAligned(capacity);
  held_ += capacity;
  return block.release();
}

void BlockPool::Release(Block *block) noexcept {
  if (block->size_class < kClasses) {
    block->next = free_[block->size_class];
    free_[block->size_class] = block;
    return;
  }
  held_ -= block->capacity;
  FreeCounted(block->data);
  delete block;
}

}  // namespace gec
