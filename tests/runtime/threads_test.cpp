// Several threads, one model.
#include "runtime/threads.h"
#include "ge/engine_kit/shares.hpp"

#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "core/placement/registry.h"
#include "tests/runtime/net.h"

extern "C" int omp_get_max_threads(void);

namespace gec {
namespace {

Net Mixed() {
  Net net;
  Endpoint x = net.Input({-1, 32});
  std::vector<float> w(32 * 32);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 7) * 0.01f;
  Endpoint y = net.Out("MatMulV2", {x, net.Const(Array::F({32, 32}, w))});
  net.Outputs({net.Out("SoftmaxV2", {net.Out("Add", {net.Out("Relu", {y}), x})})});
  return net;
}

Array Feed(int64_t rows, int seed) {
  std::vector<float> v(static_cast<size_t>(rows) * 32);
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>((static_cast<int>(i) * 31 + seed) % 17) * 0.1f;
  return Array::F({rows, 32}, v);
}

TEST(Concurrency, ContextsOfOneModelRunTogether) {
  Net net = Mixed();
  ModelPtr model = Model::Compile(*net.graph, Opts({{"max_plans", "4"}}));
  std::vector<std::vector<float>> want;
  {
    RunContext context(model);
    for (int64_t rows = 1; rows <= 8; ++rows) want.push_back(RunAll(context, {Feed(rows, 3)})[0].Floats());
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      RunContext context(model);
      for (int i = 0; i < 40; ++i) {
        int64_t rows = 1 + (i * (t + 1)) % 8;  // more shapes than plans: they come and go under the threads
        ASSERT_EQ(RunAll(context, {Feed(rows, 3)})[0].Floats(), want[static_cast<size_t>(rows - 1)]);
      }
    });
  }
  for (std::thread &t : threads) t.join();
}

/// An engine that takes Tanh. Making a kernel waits until so many are being made at once.
class MeetingEngine {
 public:
  explicit MeetingEngine(int expected) : expected_(expected) {
    GeEngineTable table{};
    table.abi_version = GE_ENGINE_ABI_VERSION;
    table.struct_size = sizeof table;
    table.name = "TestMeeting";
    table.check = [](void *, const GeOpDesc *op, char *, size_t) {
      return GeStatus(std::strcmp(op->type, "Tanh") == 0 ? GE_SUCCESS : GE_UNSUPPORTED);
    };
    table.create_kernel = [](void *, const GeOpDesc *op, const GeKernelEnv *, GeKernel *out) {
      self_->Arrive();
      out->state = reinterpret_cast<void *>(static_cast<intptr_t>(op->inputs[0].dims[0]));
      out->run = [](void *rows, const GeKernelArgs *args) {
        const intptr_t n = reinterpret_cast<intptr_t>(rows);
        for (intptr_t i = 0; i < n; ++i)
          static_cast<float *>(args->outputs[0])[i] = std::tanh(static_cast<const float *>(args->inputs[0])[i]);
        return GeStatus(GE_SUCCESS);
      };
      return GeStatus(GE_SUCCESS);
    };
    self_ = this;
    EngineRegistry::Instance().Register(&table, "");
  }
  ~MeetingEngine() { EngineRegistry::Instance().Unload("TestMeeting"); }
  int made() const { return made_; }
  int met() const { return met_; }

 private:
  void Arrive() {
    std::unique_lock lock(mutex_);
    ++made_;
    met_ = std::max(met_, ++here_);
    arrived_.notify_all();
    arrived_.wait_for(lock, std::chrono::seconds(60), [&] { return met_ >= expected_; });
    --here_;
  }
  static inline MeetingEngine *self_ = nullptr;
  const int expected_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  int made_ = 0, here_ = 0, met_ = 0;
};

/// Feeds [rows] to as many contexts of one model at once, in threads of their own.
void RunTogether(const ModelPtr &model, const std::vector<int64_t> &rows) {
  std::vector<std::thread> threads;
  for (int64_t n : rows) {
    threads.emplace_back([&model, n] {
      RunContext context(model);
      const std::vector<float> x(static_cast<size_t>(n), 0.5f);
      const std::vector<float> y = RunAll(context, {Array::F({n}, x)})[0].Floats();
      ASSERT_EQ(y, std::vector<float>(static_cast<size_t>(n), std::tanh(0.5f)));
    });
  }
  for (std::thread &t : threads) t.join();
}

TEST(Concurrency, PlansForDifferentShapesAreMadeAtTheSameTime) {
  MeetingEngine engine(3);
  Net net;
  net.Outputs({net.Out("Tanh", {net.Input({-1})})});
  RunTogether(Model::Compile(*net.graph, Opts({{"opt_level", "0"}})), {2, 3, 4});
  EXPECT_EQ(engine.met(), 3);
  EXPECT_EQ(engine.made(), 3);
}

TEST(Concurrency, OneShapeIsMadeOnceForAllThreads) {
  MeetingEngine engine(1);
  Net net;
  net.Outputs({net.Out("Tanh", {net.Input({-1})})});
  RunTogether(Model::Compile(*net.graph, Opts({{"opt_level", "0"}})), std::vector<int64_t>(6, 5));
  EXPECT_EQ(engine.made(), 1);
}

TEST(Concurrency, APlanThatCannotBeMadeMayBeAskedForAgain) {
  Net net;
  const Endpoint x = net.Input({-1}), y = net.Input({-1});
  net.Outputs({net.Out("Add", {x, y})});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  RunContext context(model);
  for (int k = 0; k < 2; ++k) EXPECT_ANY_THROW(RunAll(context, {Array::F({2}, {1, 2}), Array::F({3}, {1, 2, 3})}));
  EXPECT_EQ(RunAll(context, {Array::F({2}, {1, 2}), Array::F({2}, {1, 2})})[0].Floats(), (std::vector<float>{2, 4}));
}

/// Its row count is that of the values that are not 0; before and behind are islands.
Net WithIslands() {
  Net net;
  const Endpoint x = net.Input({-1, 4});
  Endpoint y = x;
  const auto mix = [&](Endpoint from) {
    std::vector<float> w(16);
    for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(static_cast<int>(i * 7 % 5) - 2) / 4;
    return net.Out("Relu", {net.Out("MatMulV2", {from, net.Const(Array::F({4, 4}, w))})});
  };
  for (int k = 0; k < 4; ++k) y = mix(y);
  const Endpoint axis = net.Const(Array::I64({1}, {1}));
  const Endpoint rows = net.Out("ReduceSum", {x, axis});
  Endpoint found = net.Out("NonZero", {rows});
  Endpoint z = net.Out("GatherV2", {y, found, net.Const(Array::I64({}, {0}))});
  for (int k = 0; k < 9; ++k) z = mix(net.Out("Reshape", {z, net.Const(Array::I64({2}, {-1, 4}))}));
  net.Outputs({y, z});
  return net;
}

TEST(Concurrency, IslandsAreMadeOnceWhoeverComesFirst) {
  std::map<int64_t, std::vector<std::vector<float>>> want;
  const auto feed = [](int64_t rows) {
    std::vector<float> values(static_cast<size_t>(4 * rows));
    for (size_t i = 0; i < values.size(); ++i) values[i] = i / 4 % 3 == 0 ? 0 : static_cast<float>(i % 9) - 2;
    return Array::F({rows, 4}, values);
  };
  {
    RunContext alone(Model::Compile(*WithIslands().graph, Opts({{"islands", "0"}})));
    for (int64_t rows = 2; rows < 10; ++rows)
      for (const Array &out : RunAll(alone, {feed(rows)})) want[rows].push_back(out.Floats());
  }
  for (int round = 0; round < 4; ++round) {
    ModelPtr model = Model::Compile(*WithIslands().graph, Opts());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        RunContext context(model);
        for (int64_t rows = 2; rows < 10; ++rows) {
          const int64_t mine = 2 + (rows + 3 * t) % 8;
          const std::vector<Array> got = RunAll(context, {feed(mine)});
          for (size_t o = 0; o < got.size(); ++o) {
            const std::vector<float> values = got[o].Floats();
            ASSERT_EQ(values.size(), want[mine][o].size());
            for (size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], want[mine][o][i], 1e-4);
          }
        }
      });
    }
    for (std::thread &t : threads) t.join();
    const std::string islands = model->IslandsJson();
    EXPECT_EQ(std::count(islands.begin(), islands.end(), '{'), 2);
  }
}

TEST(Concurrency, GraphsCompileTogether) {
  std::vector<float> want;
  {
    Net net = Mixed();
    RunContext context(Model::Compile(*net.graph, Opts()));
    want = RunAll(context, {Feed(5, 3)})[0].Floats();
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        Net net = Mixed();
        RunContext context(Model::Compile(*net.graph, Opts()));
        ASSERT_EQ(RunAll(context, {Feed(5, 3)})[0].Floats(), want);
      }
    });
  }
  for (std::thread &t : threads) t.join();
}

TEST(Concurrency, ContextsKeepTheModelAlive) {
  Net net = Mixed();
  ModelPtr model = Model::Compile(*net.graph, Opts());
  std::weak_ptr<Model> watch = model;
  auto context = std::make_unique<RunContext>(std::move(model));
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(RunAll(*context, {Feed(2, 1)})[0].dims[0], 2);
  context.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Concurrency, ContextsShareWeightsAndPlans) {
  Net net = Mixed();
  ModelPtr model = Model::Compile(*net.graph, Opts());
  RunContext a(model), b(model);
  RunAll(a, {Feed(40, 1)});
  uint64_t packed = model->env().packed_bytes();
  size_t plans = model->plan_count();
  RunAll(b, {Feed(40, 2)});
  EXPECT_EQ(model->env().packed_bytes(), packed);
  EXPECT_EQ(model->plan_count(), plans);
}

TEST(Concurrency, TheProgramsOwnThreadCountIsLeftAlone) {
  UseThreads mine(3);
  Net net = Mixed();
  RunContext context(Model::Compile(*net.graph, Opts({{"threads", kTwoThreads}})));
  RunAll(context, {Feed(40, 1)});
  EXPECT_EQ(omp_get_max_threads(), 3);
}

/// A folder that stands for / while a limit is read.
class FakeRoot {
 public:
  FakeRoot() {
    char name[] = "/tmp/ge_cgroup_XXXXXX";
    path_ = mkdtemp(name);
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot &File(const std::string &at, const std::string &text) {
    std::filesystem::create_directories(std::filesystem::path(path_ + at).parent_path());
    std::ofstream(path_ + at) << text << '\n';
    return *this;
  }
  double Limit() const { return CgroupLimit(path_); }

 private:
  std::string path_;
};

TEST(CgroupLimit, TheTightestFolderOfVersion2Counts) {
  FakeRoot root;
  root.File("/proc/self/cgroup", "0::/team/job");
  EXPECT_EQ(root.Limit(), 0);
  root.File("/sys/fs/cgroup/team/job/cpu.max", "max 100000");
  EXPECT_EQ(root.Limit(), 0);
  root.File("/sys/fs/cgroup/team/job/cpu.max", "250000 100000");
  EXPECT_EQ(root.Limit(), 2.5);
  root.File("/sys/fs/cgroup/team/cpu.max", "150000 100000");
  EXPECT_EQ(root.Limit(), 1.5);
  root.File("/sys/fs/cgroup/cpu.max", "400000 100000");
  EXPECT_EQ(root.Limit(), 1.5);
}

TEST(CgroupLimit, TheMountCountsWhereTheOwnFolderIsNotVisible) {
  FakeRoot root;
  root.File("/proc/self/cgroup", "0::/outside/of/the/container").File("/sys/fs/cgroup/cpu.max", "50000 100000");
  EXPECT_EQ(root.Limit(), 0.5);
}

TEST(CgroupLimit, Version1) {
  FakeRoot root;
  root.File("/proc/self/cgroup", "5:memory:/m\n3:cpu,cpuacct:/team/job\n1:name=systemd:/s");
  const std::string job = "/sys/fs/cgroup/cpu,cpuacct/team/job/";
  root.File(job + "cpu.cfs_quota_us", "-1").File(job + "cpu.cfs_period_us", "100000");
  EXPECT_EQ(root.Limit(), 0);
  root.File(job + "cpu.cfs_quota_us", "300000");
  EXPECT_EQ(root.Limit(), 3);
  root.File("/sys/fs/cgroup/memory/m/cpu.cfs_quota_us", "100").File("/sys/fs/cgroup/memory/m/cpu.cfs_period_us", "100");
  EXPECT_EQ(root.Limit(), 3);
  root.File("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "120000").File("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(root.Limit(), 1.2);
}

TEST(CgroupLimit, WhatMakesNoSenseIsNoLimit) {
  for (const char *text : {"", "max", "100000", "100000 0", "x y"}) {
    FakeRoot root;
    root.File("/proc/self/cgroup", "0::/").File("/sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(root.Limit(), 0) << text;
  }
}

TEST(Shares, EveryNumberIsHandedOutOnce) {
  for (int64_t threads : {1, 2, 3, 7, 70}) {
    for (int64_t count : {1, 2, 5, 100, 4001}) {
      ge::kit::Shares shares(count, count, threads);
      std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
      std::vector<std::thread> team;
      for (int64_t thread = 0; thread < threads; ++thread)
        team.emplace_back([&, thread] {
          for (int64_t begin, end; shares.Next(thread, &begin, &end);)
            for (int64_t k = begin; k < end; ++k) ++seen.at(static_cast<size_t>(k));
        });
      for (std::thread &thread : team) thread.join();
      for (const std::atomic<int> &times : seen) ASSERT_EQ(times, 1) << threads << ' ' << count;
    }
  }
}

TEST(Shares, AThreadBeginsWithItsOwnShareAndEndsWithWhatOthersLeft) {
  ge::kit::Shares shares(100, 100, 2);
  int64_t begin = 0, end = 0;
  ASSERT_TRUE(shares.Next(0, &begin, &end));
  EXPECT_EQ(begin, 0);
  EXPECT_EQ(end, 17);
  ASSERT_TRUE(shares.Next(1, &begin, &end));
  EXPECT_EQ(begin, 50);
  EXPECT_EQ(end, 67);
  int64_t last = 17;
  for (; shares.Next(0, &begin, &end) && begin < 50; last = end) EXPECT_EQ(begin, last);
  EXPECT_EQ(last, 50);
  EXPECT_EQ(begin, 89) << "from the end of the other one's";
  EXPECT_EQ(end, 100);
}

TEST(Shares, MoreThanPartsCanBeCounted) {
  constexpr int64_t kCount = (int64_t{1} << 33) + 5;
  ge::kit::Shares shares(kCount, kCount, 3);
  int64_t sum = 0, last = 0;
  for (int64_t begin, end; shares.Next(0, &begin, &end); sum += end - begin) {
    ASSERT_LT(begin, end);
    last = std::max(last, end);
  }
  EXPECT_EQ(sum, kCount);
  EXPECT_EQ(last, kCount);
}

struct Visits {
  std::atomic<int> count[1000] = {};
  std::atomic<int> smallest{1 << 30};
};

TEST(ParallelFor, VisitsEveryIndexOnce) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "libgomp's barriers are unknown to the sanitizer";
#endif
  for (int32_t threads : {1, 2, 3, 8}) {
    for (int64_t n : {0, 1, 7, 64, 999}) {
      for (int64_t grain : {1, 10, 500, 5000}) {
        Visits visits;
        ParallelFor(
            threads, n, grain,
            [](void *arg, int64_t begin, int64_t end) {
              auto *v = static_cast<Visits *>(arg);
              for (int64_t i = begin; i < end; ++i) ++v->count[i];
              int size = static_cast<int>(end - begin), seen = v->smallest;
              while (size < seen && !v->smallest.compare_exchange_weak(seen, size)) {
              }
            },
            &visits);
        for (int64_t i = 0; i < 1000; ++i)
          ASSERT_EQ(visits.count[i], i < n ? 1 : 0) << threads << ' ' << n << ' ' << grain;
        if (n > grain) {
          EXPECT_GE(visits.smallest, grain);
        }
      }
    }
  }
}

// A thread that is held up keeps the piece it has begun; the others run all the rest meanwhile.
TEST(ParallelFor, NobodyWaitsForASlowThread) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "libgomp's barriers are unknown to the sanitizer";
#endif
  if (DefaultThreads() < 2) GTEST_SKIP() << "one processor";
  constexpr int64_t kCount = 300;
  struct State {
    std::atomic<int64_t> done{0};
    std::atomic<int64_t> held{0};
  } state;
  ParallelFor(
      2, kCount, 1,
      [](void *arg, int64_t begin, int64_t end) {
        State &s = *static_cast<State *>(arg);
        if (begin == 0) {
          s.held = end;
          const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (s.done < kCount - end && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
          EXPECT_EQ(s.done, kCount - end);
        }
        s.done += end - begin;
      },
      &state);
  EXPECT_EQ(state.done, kCount);
  EXPECT_LE(state.held, kCount / 2 / 3 + 1) << "a third of a share";
}

TEST(ParallelFor, NestedCallsRunOnTheCallingThread) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "libgomp's barriers are unknown to the sanitizer";
#endif
  std::atomic<int> total{0};
  ParallelFor(
      2, 4, 1,
      [](void *arg, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          std::thread::id outer = std::this_thread::get_id();
          std::pair<std::atomic<int> *, std::thread::id> inner{static_cast<std::atomic<int> *>(arg), outer};
          ParallelFor(
              2, 8, 1,
              [](void *p, int64_t b, int64_t e) {
                auto *data = static_cast<std::pair<std::atomic<int> *, std::thread::id> *>(p);
                EXPECT_EQ(data->second, std::this_thread::get_id());
                *data->first += static_cast<int>(e - b);
              },
              &inner);
        }
      },
      &total);
  EXPECT_EQ(total, 32);
}

}  // namespace
}  // namespace gec
