// The allocator of the program: the C library's (or the sanitizer's) with a fault for the thread under test, and a
// count of the blocks that live.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "tests/capi/every/fault.h"

#ifdef FAULT_SANITIZED
#define REAL(name) __interceptor_##name
#else
#define REAL(name) __libc_##name
#endif

extern "C" {
void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t count, size_t size);
void *REAL(realloc)(void *block, size_t size);
void *REAL(memalign)(size_t alignment, size_t size);
void REAL(free)(void *block);
}

namespace {

thread_local int armed, persistent;
thread_local long left, made, failed;
std::atomic<long> live;

bool Fault() {
  if (!armed) return false;
  ++made;
  --left;
  if (left > 0 || (left < 0 && !persistent)) return false;
  ++failed;
  errno = ENOMEM;
  return true;
}

void *Counted(void *block) {
  if (block) live.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void *Aligned(size_t alignment, size_t size) {
  return Fault() ? nullptr : Counted(REAL(memalign)(alignment, size ? size : 1));
}

void *New(size_t size) {
  void *block = std::malloc(size ? size : 1);
  if (!block) throw std::bad_alloc();
  return block;
}
void *New(size_t size, std::align_val_t alignment) {
  void *block = Aligned(static_cast<size_t>(alignment), size);
  if (!block) throw std::bad_alloc();
  return block;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
void *malloc(size_t size) { return Fault() ? nullptr : Counted(REAL(malloc)(size)); }
void *calloc(size_t count, size_t size) { return Fault() ? nullptr : Counted(REAL(calloc)(count, size)); }
void *realloc(void *block, size_t size) {
  if (Fault()) return nullptr;
  void *result = REAL(realloc)(block, size);
  return block ? result : Counted(result);
}
void *aligned_alloc(size_t alignment, size_t size) { return Aligned(alignment, size); }
void *memalign(size_t alignment, size_t size) { return Aligned(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
  void *block = Aligned(alignment, size);
  if (!block) return ENOMEM;
  *out = block;
  return 0;
}
void free(void *block) {
  if (block) live.fetch_sub(1, std::memory_order_relaxed);
  REAL(free)(block);
}
}
// A sanitizer's own operators would not pass through malloc.
void *operator new(size_t size) { return New(size); }
void *operator new[](size_t size) { return New(size); }
void *operator new(size_t size, std::align_val_t a) { return New(size, a); }
void *operator new[](size_t size, std::align_val_t a) { return New(size, a); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return std::malloc(size ? size : 1); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return std::malloc(size ? size : 1); }
void *operator new(size_t size, std::align_val_t a, const std::nothrow_t &) noexcept {
  return Aligned(static_cast<size_t>(a), size);
}
void *operator new[](size_t size, std::align_val_t a, const std::nothrow_t &) noexcept {
  return Aligned(static_cast<size_t>(a), size);
}
void operator delete(void *block) noexcept { std::free(block); }
void operator delete[](void *block) noexcept { std::free(block); }
void operator delete(void *block, size_t) noexcept { std::free(block); }
void operator delete[](void *block, size_t) noexcept { std::free(block); }
void operator delete(void *block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void *block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void *block, size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void *block, size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete(void *block, const std::nothrow_t &) noexcept { std::free(block); }
void operator delete[](void *block, const std::nothrow_t &) noexcept { std::free(block); }
#pragma GCC visibility pop

extern "C" {

void FaultArm(long n, int keep_failing) {
  left = n;
  made = failed = 0;
  persistent = keep_failing;
  armed = 1;
}

long FaultDisarm(long *allocations) {
  armed = 0;
  if (allocations) *allocations = made;
  return failed;
}

int FaultPause(void) {
  int was = armed;
  armed = 0;
  return was;
}
void FaultResume(int was_armed) { armed = was_armed; }

long FaultLive(void) { return live.load(std::memory_order_relaxed); }

}  // extern "C"
