// A warm run allocates nothing: every malloc of the process is counted while it runs.
#include <atomic>
#include <cstdlib>

#include "tests/runtime/net.h"

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
namespace {

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

Net Layers(int64_t batch) {
  Net net;
  Endpoint x = net.Input({batch, 64});
  std::vector<float> w(64 * 64, 0.01f);
  Endpoint y = x;
  for (int i = 0; i < 4; ++i) {
    y = net.Out("MatMulV2", {y, net.Const(Array::F({64, 64}, w))});
    y = net.Out("Add", {net.Out("Tanh", {y}), x});
  }
  Endpoint both = net.Out("ConcatV2", {y, x, net.Const(Array::I64({}, {1}))});
  net.Outputs({net.Out("SoftmaxV2", {both}), y});
  return net;
}

Array Feed(int64_t rows) { return Array::F({rows, 64}, std::vector<float>(static_cast<size_t>(rows) * 64, 0.5f)); }

TEST(Allocation, HookCounts) {
  g_allocations = 0;
  g_counting = true;
  void *volatile p = std::malloc(10);
  g_counting = false;
  std::free(p);
  EXPECT_EQ(g_allocations, 1);
}

class Warm : public ::testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(Warm, StaticRunsAllocateNothing) {
  auto [threads, level] = GetParam();
  Net net = Layers(8);
  RunContext context(Model::Compile(*net.graph, Opts({{"threads", threads}, {"opt_level", level}})));
  EXPECT_EQ(Allocations(context, {{Feed(8)}}, true), 0);
  EXPECT_EQ(Allocations(context, {{Feed(8)}}, false), 0);
}

TEST_P(Warm, DynamicRunsOfSeenShapesAllocateNothing) {
  auto [threads, level] = GetParam();
  Net net = Layers(-1);
  RunContext context(Model::Compile(*net.graph, Opts({{"threads", threads}, {"opt_level", level}})));
  EXPECT_EQ(Allocations(context, {{Feed(8)}}, true), 0);
  EXPECT_EQ(Allocations(context, {{Feed(3)}, {Feed(8)}, {Feed(5)}}, true), 0);
  EXPECT_EQ(Allocations(context, {{Feed(3)}, {Feed(8)}, {Feed(5)}}, false), 0);
}

INSTANTIATE_TEST_SUITE_P(Settings, Warm,
                         ::testing::Values(std::pair{"1", "0"}, std::pair{"1", "3"}, std::pair{"2", "3"}));

}  // namespace
}  // namespace gec
