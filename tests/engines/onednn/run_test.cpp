// What every kernel promises about run(): allocations, threads, concurrent contexts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "engine_runner.h"
#include "tests/allocation_counter.h"

// Sanitizers bring their own allocator; there is nothing to count then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_UNLESS_COUNTED GTEST_SKIP()
namespace test {
void BeginCounting() {}
Allocations EndCounting() { return {}; }
}  // namespace test
#else
#define SKIP_UNLESS_COUNTED
#endif

using namespace engine_test;

namespace {

test::Allocations TenRuns(Op &op, int threads) {
  Model model(threads);
  op.Create(model);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(op.RunOnce(), GE_SUCCESS);
  test::BeginCounting();
  for (int i = 0; i < 10; ++i) op.RunOnce();
  return test::EndCounting();
}
/// Of a kernel without oneDNN: nobody allocates.
int64_t Allocations(Op &op, int threads) {
  const test::Allocations counted = TenRuns(op, threads);
  return counted.ours + counted.libraries;
}

Op MatMul(int64_t m, int64_t n, int64_t k, bool constant) {
  Op op("FusedMatMulV2");
  Tensor b = Random({k, n}, 2);
  b.constant = constant;
  op.In(Random({m, k}, 1)).In(b).In(Absent()).In(Absent()).Out({m, n}).Float("scale", 1).String("activation", "tanh");
  return op;
}

/// oneDNN computes it; with stride 1, and with more channels, own kernels do.
Op Conv(int64_t stride = 2, int64_t channels = 3) {
  Op op("Conv2D");
  op.In(Random({1, channels, 20, 20}, 1))
      .In(Constant(Random({32, channels, 3, 3}, 2)))
      .In(Constant(Random({32}, 3)))
      .In(Absent())
      .Out({1, 32, 20 / stride, 20 / stride});
  op.Ints("strides", {1, 1, stride, stride}).Ints("pads", {1, 1, 1, 1}).String("data_format", "NCHW");
  return op;
}

TEST(Run, CountsAllocations) {
  SKIP_UNLESS_COUNTED;
  test::BeginCounting();
  void *volatile p = malloc(32);
  const test::Allocations counted = test::EndCounting();
  free(p);
  EXPECT_EQ(counted.ours, 1);
  EXPECT_EQ(counted.libraries, 0);
}

TEST(Run, OwnKernelsAllocateNothing) {
  SKIP_UNLESS_COUNTED;
  for (int threads : {1, 2}) {
    Op skinny = MatMul(1, 64, 64, true), stream = MatMul(3, 1000, 600, true), tiled = MatMul(100, 100, 100, false);
    EXPECT_EQ(Allocations(skinny, threads), 0);
    EXPECT_EQ(Allocations(stream, threads), 0);
    EXPECT_EQ(Allocations(tiled, threads), 0);
    Op winograd = Conv(1, 32);
    EXPECT_EQ(Allocations(winograd, threads), 0);
    EXPECT_EQ(winograd.implementation.substr(0, 8), "winograd");
    Op lstm("CommonLSTM");
    lstm.In(Random({4, 1, 16}, 1)).In(Constant(Random({2, 128, 16}, 2))).In(Constant(Random({2, 128, 32}, 3)));
    for (int i = 0; i < 5; ++i) lstm.In(Absent());
    lstm.Out({4, 2, 1, 32}).Out({2, 1, 32}).Out({2, 1, 32}).String("direction", "bidirectional").Int("hidden_size", 32);
    EXPECT_EQ(Allocations(lstm, threads), 0);
    Op average("GlobalAveragePool");
    average.In(Random({1, 32, 20, 20}, 1)).Out({1, 32, 1, 1});
    EXPECT_EQ(Allocations(average, threads), 0);
  }
}

// oneDNN builds small tables per call. They are counted apart, and are the only ones.
TEST(Run, LibraryKernelsAddNothingToWhatTheLibraryAllocates) {
  SKIP_UNLESS_COUNTED;
  for (int threads : {1, 2}) {
    Op conv = Conv(), dense = MatMul(128, 256, 256, true), pool("MaxPoolV3");
    pool.In(Random({1, 32, 20, 20}, 1)).Out({1, 32, 10, 10});
    pool.Ints("ksize", {1, 1, 2, 2}).Ints("strides", {1, 1, 2, 2}).Ints("pads", {0, 0, 0, 0});
    pool.String("padding_mode", "CALCULATED").String("data_format", "NCHW");
    for (Op *op : {&conv, &dense, &pool}) {
      const test::Allocations counted = TenRuns(*op, threads);
      EXPECT_EQ(counted.ours, 0);
      if (op == &conv && op->implementation.find("jit:") != std::string::npos) {  // the generated one does
        EXPECT_GT(counted.libraries, 0);
      }
      EXPECT_LE(counted.libraries, 10 * 30);
    }
  }
}

class ConcurrentContexts : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Run, ConcurrentContexts, testing::Values(1, 2));
TEST_P(ConcurrentContexts, GiveTheSameResult) {
  Op op = Conv(GetParam(), GetParam() == 1 ? 32 : 3);
  Model model(1);
  op.Create(model);
  ASSERT_EQ(op.RunOnce(), GE_SUCCESS);
  const float *want = static_cast<const float *>(op.out_pointer(0));
  size_t count = op.outputs[0].data.size();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      omp_set_num_threads(1);
      std::unique_ptr<char, void (*)(void *)> workspace(
          static_cast<char *>(aligned_alloc(64, op.kernel.workspace_bytes + 64)), &free);
      std::vector<float> y(count + 16);
      for (int i = 0; i < 50; ++i) {
        const void *inputs[] = {op.in_pointer(0), op.in_pointer(1), op.in_pointer(2), nullptr};
        void *outputs[] = {y.data()};
        GeKernelArgs args{};
        args.struct_size = sizeof args;
        args.inputs = inputs;
        args.outputs = outputs;
        args.workspace = workspace.get();
        if (op.kernel.run(op.kernel.state, &args) != GE_SUCCESS || memcmp(y.data(), want, count * sizeof(float)))
          ++wrong;
      }
    });
  for (std::thread &t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Run, ThreadsDoNotChangeShapesOfWork) {
  for (int threads : {1, 2, 3}) {
    Op a = MatMul(3, 1000, 300, true), b = MatMul(3, 1000, 300, true);
    a.Run(1);
    b.Run(threads);
    for (size_t i = 0; i < a.outputs[0].data.size(); ++i) ASSERT_NEAR(a.outputs[0].data[i], b.outputs[0].data[i], 1e-6);
  }
}

}  // namespace
