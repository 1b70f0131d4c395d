// The thread that runs a session's queued jobs.
#include "runtime/session/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace gec {
namespace {

TEST(Executor, RunsJobsInOrderOnAThreadOfItsOwn) {
  std::vector<int> order;
  std::thread::id where;
  {
    Executor executor;
    for (int i = 0; i < 100; ++i) executor.Submit([&order, i] { order.push_back(i); });
    executor.Submit([&where] { where = std::this_thread::get_id(); });
  }  // waits for what is queued
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST(Executor, EndsWithoutAJob) { Executor executor; }

TEST(Executor, AJobMaySubmitAnother) {
  Executor executor;
  std::promise<int> done;
  executor.Submit([&] { executor.Submit([&] { done.set_value(7); }); });
  EXPECT_EQ(done.get_future().get(), 7);
}

TEST(Executor, AJobMayEndItAndThoseBehindStillRun) {
  auto executor = std::make_unique<Executor>();
  std::promise<void> go, done;
  std::atomic<int> ran{0};
  std::shared_future<void> started = go.get_future().share();
  executor->Submit([&, started] {
    started.wait();
    executor.reset();
    done.set_value();
  });
  for (int i = 0; i < 3; ++i) executor->Submit([&ran] { ++ran; });
  go.set_value();
  done.get_future().wait();
  EXPECT_EQ(ran, 3);
}

}  // namespace
}  // namespace gec
