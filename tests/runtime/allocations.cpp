#include "tests/runtime/allocations.h"

#include <atomic>
#include <cstdlib>

namespace {
std::atomic<bool> g_counting{false};
std::atomic<long> g_allocations{0};
void Count() {
  if (g_counting.load(std::memory_order_relaxed)) ++g_allocations;
}
}  // namespace

// glibc's allocator under its internal names; the program's own definitions take the public ones.
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
void *malloc(size_t n) {
  Count();
  return __libc_malloc(n);
}
void *calloc(size_t n, size_t m) {
  Count();
  return __libc_calloc(n, m);
}
void *realloc(void *p, size_t n) {
  Count();
  return __libc_realloc(p, n);
}
void *memalign(size_t a, size_t n) {
  Count();
  return __libc_memalign(a, n);
}
void *aligned_alloc(size_t a, size_t n) {
  Count();
  return __libc_memalign(a, n);
}
int posix_memalign(void **out, size_t a, size_t n) {
  Count();
  *out = __libc_memalign(a, n);
  return *out ? 0 : 12;
}
void free(void *p) { __libc_free(p); }
}

namespace gec {

long Allocations(RunContext &context, const std::vector<std::vector<Array>> &feeds, bool own_buffers) {
  std::vector<std::vector<GeTensorData>> in;
  for (const auto &feed : feeds) {
    in.emplace_back();
    for (const Array &a : feed) in.back().push_back(a.View());
  }
  const size_t outputs = context.model().outputs().size();
  std::vector<GeTensorData> out(outputs);
  std::vector<std::vector<char>> buffers(outputs, std::vector<char>(1 << 20));
  auto run = [&] {
    for (auto &one : in) {
      for (size_t j = 0; j < outputs; ++j) {
        out[j] = GeTensorData{};
        if (own_buffers) {
          out[j].data = buffers[j].data();
          out[j].size = buffers[j].size();
        }
      }
      context.Run(one.data(), one.size(), out.data(), outputs, nullptr);
    }
  };
  for (int warm = 0; warm < 2; ++warm) run();
  g_allocations = 0;
  g_counting = true;
  for (int i = 0; i < 20; ++i) run();
  g_counting = false;
  return g_allocations;
}

namespace {

TEST(Allocation, HookCounts) {
  g_allocations = 0;
  g_counting = true;
  void *volatile p = std::malloc(10);
  g_counting = false;
  std::free(p);
  EXPECT_EQ(g_allocations, 1);
}

}  // namespace
}  // namespace gec
