// Work that is ended before it is done: runs by other threads, by signal handlers and by time limits; compiles and
// imports by a check; loops by their limits. Afterwards everything works as before.
#include <sys/time.h>
#include <csignal>

#include <atomic>
#include <thread>

#include "capi/src/handles.h"
#include "ge/cancel.h"
#include "ge/model.h"
#include "ge/pass.h"
#include "ge/session.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

using std::chrono::milliseconds;

struct Deleter {
  void operator()(GeModel *model) const { GeModelDestroy(model); }
  void operator()(GeRunContext *context) const { GeRunContextDestroy(context); }
  void operator()(GeGraph *graph) const { GeGraphDestroy(graph); }
  void operator()(GeOptions *options) const { GeOptionsDestroy(options); }
  void operator()(GeSessionHandle *session) const { GeSessionDestroy(session); }
};
template <class T>
using Handle = std::unique_ptr<T, Deleter>;
using OptionList = std::vector<std::pair<const char *, const char *>>;

Handle<GeOptions> OptionsOf(const OptionList &list) {
  GeOptions *options = nullptr;
  EXPECT_EQ(GeOptionsCreate(&options), GE_SUCCESS);
  EXPECT_EQ(GeOptionsSet(options, "threads", "1"), GE_SUCCESS);
  for (auto [key, value] : list) EXPECT_EQ(GeOptionsSet(options, key, value), GE_SUCCESS) << GeLastErrorMessage();
  return Handle<GeOptions>(options);
}

struct Compiled {
  explicit Compiled(const Net &net, const OptionList &list = {}) {
    const Handle<GeGraph> graph(api::NewHandle(net.graph));
    GeModel *made = nullptr;
    EXPECT_EQ(GeCompile(graph.get(), OptionsOf(list).get(), &made), GE_SUCCESS) << GeLastErrorMessage();
    model.reset(made);
    GeRunContext *fresh = nullptr;
    EXPECT_EQ(GeRunContextCreate(made, &fresh), GE_SUCCESS);
    context.reset(fresh);
  }
  GeStatus Run(const std::vector<Array> &inputs, std::vector<float> *result) {
    std::vector<GeTensorData> views;
    for (const Array &input : inputs) views.push_back(input.View());
    GeTensorData out{};
    const GeStatus status = GeRun(context.get(), views.data(), views.size(), &out, 1);
    if (status == GE_SUCCESS)
      result->assign(static_cast<float *>(out.data), static_cast<float *>(out.data) + out.size / sizeof(float));
    return status;
  }
  Handle<GeModel> model;
  Handle<GeRunContext> context;
};

void ExpectError(GeStatus status, GeStatus expected, const std::string &text) {
  EXPECT_EQ(status, expected) << GeLastErrorMessage();
  EXPECT_NE(std::string(GeLastErrorMessage()).find(text), std::string::npos)
      << GeLastErrorMessage() << "\n has no: " << text;
}

/// v + 1, as often as the first input says.
Net Counting() {
  Net net;
  Endpoint rounds = net.Input({}, C_DT_INT32), v = net.Input({2});
  Node *node =
      net.Op("For", {net.Const(Array::I32({}, {0})), rounds, net.Const(Array::I32({}, {1})), v}, 1, "counting");
  net.graph->AttachSubgraph(node, "body", Sub("body", {{{2}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Add", {in[0], n.Const(Array::F({1}, {1}))})};
                            }));
  net.Outputs({{node, 0}});
  return net;
}
std::vector<Array> Rounds(int32_t n) { return {Array::I32({}, {n}), Array::F({2}, {0, 10})}; }
constexpr int32_t kForEver = INT32_MAX;  // rounds: some minutes, and more than the limit

/// A static plan of many steps: x times the identity matrix, over and over.
constexpr int64_t kSize = 64;
#ifdef __SANITIZE_THREAD__
constexpr int kSteps = 1000;  // each takes a hundred times as long
#else
constexpr int kSteps = 20000;
#endif
Net Products(int count) {
  Net net;
  std::vector<float> identity(kSize * kSize, 0.0f);
  for (int64_t i = 0; i < kSize; ++i) identity[static_cast<size_t>(i * kSize + i)] = 1;
  Endpoint x = net.Input({kSize, kSize});
  const Endpoint matrix = net.Const(Array::F({kSize, kSize}, identity));
  for (int i = 0; i < count; ++i) x = net.Out("MatMul", {x, matrix});
  net.Outputs({x});
  return net;
}
std::vector<Array> Square() { return {Array::F({kSize, kSize}, std::vector<float>(kSize * kSize, 2.5f))}; }

/// Ends runs of the context as long as it lives: a cancel that comes before the run has begun is not meant for it.
class Canceller {
 public:
  explicit Canceller(GeRunContext *context)
      : thread_([this, context] {
          while (!over_) {
            std::this_thread::sleep_for(milliseconds(5));
            GeRunContextCancel(context);
          }
        }) {}
  ~Canceller() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

void ExpectCounts(Compiled &counting) {
  std::vector<float> y;
  ASSERT_EQ(counting.Run(Rounds(3), &y), GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(y, (std::vector<float>{3, 13}));
}

TEST(Cancel, EndsALoopAndLeavesTheContextUsable) {
  for (const char *engine_limit : {"0", "600000"}) {
    Compiled counting(Counting(), {{"loop_limit", "0"}, {"engine_time_limit", engine_limit}});
    for (int round = 0; round < 3; ++round) {
      std::vector<float> y;
      {
        const Canceller canceller(counting.context.get());
        ExpectError(counting.Run(Rounds(kForEver), &y), GE_CANCELLED, "counting");
      }
      ExpectCounts(counting);
    }
  }
}

TEST(Cancel, EndsAPlanBetweenItsSteps) {
  Compiled products(Products(kSteps));
  std::vector<float> y;
  {
    const Canceller canceller(products.context.get());
    ExpectError(products.Run(Square(), &y), GE_CANCELLED, Str("of ", kSteps, " steps of a run, before MatMul 'MatMul"));
  }
  ASSERT_EQ(products.Run(Square(), &y), GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(y, std::vector<float>(kSize * kSize, 2.5f));
}

TEST(Cancel, WithoutARunDoesNothing) {
  GeRunContextCancel(nullptr);
  Compiled counting(Counting());
  GeRunContextCancel(counting.context.get());
  ExpectCounts(counting);
}

std::atomic<GeRunContext *> g_interrupted{nullptr};

TEST(Cancel, WorksFromASignalHandler) {
  Compiled counting(Counting(), {{"loop_limit", "0"}});
  g_interrupted = counting.context.get();
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) { GeRunContextCancel(g_interrupted); };
  ASSERT_EQ(sigaction(SIGALRM, &action, &before), 0);
  const itimerval often{{0, 5000}, {0, 5000}}, never{};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  std::vector<float> y;
  const GeStatus status = counting.Run(Rounds(kForEver), &y);
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  ExpectError(status, GE_CANCELLED, "counting");
  ExpectCounts(counting);
}

TEST(Cancel, ARunHasATimeLimit) {
  for (const char *option : {"run_time_limit", "stream_sync_timeout", "event_sync_timeout", "ge.exec.graphExecTimeout",
                             "ge.exec.opWaitTimeout"}) {
    Compiled counting(Counting(), {{"loop_limit", "0"}, {option, "30"}});
    std::vector<float> y;
    ExpectError(counting.Run(Rounds(kForEver), &y), GE_TIMEOUT, std::string("30 ms (") + option + ")");
    ExpectCounts(counting);
  }
  Compiled products(Products(kSteps), {{"run_time_limit", "20"}});
  std::vector<float> y;
  ExpectError(products.Run(Square(), &y), GE_TIMEOUT, "before MatMul");
}

TEST(Cancel, AContextHasATimeLimitOfItsOwn) {
  Compiled counting(Counting(), {{"loop_limit", "0"}, {"run_time_limit", "100000"}});
  std::vector<float> y;
  ASSERT_EQ(GeRunContextSetTimeLimit(counting.context.get(), 20), GE_SUCCESS);
  ExpectError(counting.Run(Rounds(kForEver), &y), GE_TIMEOUT, "20 ms (the context's time limit)");
  ExpectCounts(counting);
  ExpectError(GeRunContextSetTimeLimit(counting.context.get(), -1), GE_PARAM_INVALID, "milliseconds is -1");
  ASSERT_EQ(GeRunContextSetTimeLimit(counting.context.get(), 200000), GE_SUCCESS);  // the model's is shorter
  ASSERT_EQ(GeRunContextSetTimeLimit(counting.context.get(), 0), GE_SUCCESS);
  ExpectCounts(counting);
}

TEST(Cancel, ASessionLimitsItsRuns) {
  GeSessionHandle *made = nullptr;
  ASSERT_EQ(GeSessionCreate(OptionsOf({{"stream_sync_timeout", "30"}, {"loop_limit", "0"}}).get(), &made), GE_SUCCESS)
      << GeLastErrorMessage();
  const Handle<GeSessionHandle> session(made);
  const Net net = Counting();
  const Handle<GeGraph> graph(api::NewHandle(net.graph));
  ASSERT_EQ(GeSessionAddGraph(session.get(), 1, graph.get(), nullptr), GE_SUCCESS) << GeLastErrorMessage();
  std::vector<GeTensor *> inputs;
  for (const Array &array : Rounds(kForEver)) {
    GeTensor *tensor = nullptr;
    const GeTensorData view = array.View();
    ASSERT_EQ(GeTensorCreate(&view, &tensor), GE_SUCCESS) << GeLastErrorMessage();
    inputs.push_back(tensor);
  }
  GeTensor *output = nullptr;
  size_t outputs = 1;
  ExpectError(GeSessionRunGraph(session.get(), 1, inputs.data(), inputs.size(), &output, &outputs), GE_TIMEOUT,
              "stream_sync_timeout");
  for (GeTensor *tensor : inputs) GeTensorDestroy(tensor);
}

// ---- a check of the thread ----

struct Check {
  explicit Check(int answers) : left(answers) {
    GeSetInterruptCheck(
        [](void *user) -> int32_t {
          Check &self = *static_cast<Check *>(user);
          ++self.asked;
          return self.left-- <= 0;
        },
        this);
  }
  ~Check() { GeSetInterruptCheck(nullptr, nullptr); }
  int left, asked = 0;
};

TEST(Cancel, ACheckEndsARun) {
  for (const char *engine_limit : {"0", "600000"}) {
    Compiled counting(Counting(), {{"loop_limit", "0"}, {"engine_time_limit", engine_limit}});
    std::vector<float> y;
    {
      Check check(3);
      ExpectError(counting.Run(Rounds(kForEver), &y), GE_CANCELLED, "interrupt check");
      EXPECT_EQ(check.asked, 4);
    }
    ExpectCounts(counting);
  }
}

TEST(Cancel, ACheckThatGoesOnChangesNothing) {
  Compiled products(Products(1000));
  std::vector<float> y;
  Check check(1 << 30);
  ASSERT_EQ(products.Run(Square(), &y), GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(y, std::vector<float>(kSize * kSize, 2.5f));
  EXPECT_GT(check.asked, 0);
}

TEST(Cancel, ACheckOfAnotherThreadIsNotAsked) {
  Compiled counting(Counting());
  Check check(0);
  std::thread([&] { ExpectCounts(counting); }).join();
  EXPECT_EQ(check.asked, 0);
}

TEST(Cancel, ACheckMayRunModels) {
  Compiled counting(Counting(), {{"loop_limit", "0"}}), inner(Counting());
  struct Work {
    Compiled &inner;
    int asked;
  } work{inner, 0};
  GeSetInterruptCheck(
      [](void *user) -> int32_t {
        Work &self = *static_cast<Work *>(user);
        ExpectCounts(self.inner);
        return ++self.asked == 2;
      },
      &work);
  std::vector<float> y;
  ExpectError(counting.Run(Rounds(kForEver), &y), GE_CANCELLED, "counting");
  GeSetInterruptCheck(nullptr, nullptr);
  EXPECT_EQ(work.asked, 2);
}

TEST(Cancel, ACheckEndsACompile) {
  const Net net = Products(2000);
  const Handle<GeGraph> graph(api::NewHandle(net.graph));
  const size_t nodes = net.graph->Nodes().size();
  for (int round = 0; round < 2; ++round) {
    Check check(0);
    GeModel *model = nullptr;
    ExpectError(GeCompile(graph.get(), OptionsOf({}).get(), &model), GE_CANCELLED, "interrupt check");
    EXPECT_EQ(model, nullptr);
  }
  EXPECT_EQ(net.graph->Nodes().size(), nodes);
  Compiled again(net);
  std::vector<float> y;
  ASSERT_EQ(again.Run(Square(), &y), GE_SUCCESS) << GeLastErrorMessage();
}

// Whoever goes on after a call that was ended is ended, too; and no later call is.
TEST(Cancel, AStopReachesTheOutermostCallAndNoLaterOne) {
  Compiled inner(Counting(), {{"loop_limit", "0"}});
  GePassTable pass{};
  pass.struct_size = sizeof pass;
  pass.name = "RunsAModel";
  pass.stage = GE_STAGE_AFTER_INFER_SHAPE;
  pass.level = 1;
  pass.run = [](void *user, GeGraph *) -> GeStatus {
    std::vector<float> y;
    EXPECT_EQ(static_cast<Compiled *>(user)->Run(Rounds(kForEver), &y), GE_CANCELLED);
    return GE_NOT_CHANGED;
  };
  pass.user = &inner;
  ASSERT_EQ(GePassRegister(&pass), GE_SUCCESS) << GeLastErrorMessage();
  const Net net = Products(10);
  const Handle<GeGraph> graph(api::NewHandle(net.graph));
  GeModel *model = nullptr;
  {
    Check check(2);  // the first is asked by the compile
    ExpectError(GeCompile(graph.get(), OptionsOf({}).get(), &model), GE_CANCELLED, "interrupt check");
    EXPECT_EQ(model, nullptr);
    check.left = 1 << 30;
    ExpectCounts(inner);
  }
  ASSERT_EQ(GePassUnregister("RunsAModel"), GE_SUCCESS);
}

// The kernel fails for a reason of its own after the check has ended the run: the reason is told, the stop is over.
TEST(Cancel, AStopIsOverWithItsCallWhateverThatTells) {
  Net net;
  Endpoint rounds = net.Input({}, C_DT_INT32), v = net.Input({2}), at = net.Input({}, C_DT_INT32);
  Node *node =
      net.Op("For", {net.Const(Array::I32({}, {0})), rounds, net.Const(Array::I32({}, {1})), v}, 1, "counting");
  net.graph->AttachSubgraph(node, "body", Sub("body", {{{2}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Add", {in[0], n.Const(Array::F({1}, {1}))})};
                            }));
  net.Outputs({net.Out("GatherV2", {{node, 0}, at, net.Const(Array::I32({}, {0}))})});
  Compiled gather(net, {{"loop_limit", "0"}, {"engine_time_limit", "600000"}});
  const auto inputs = [](int32_t n) {
    return std::vector<Array>{Array::I32({}, {n}), Array::F({2}, {0, 10}), Array::I32({}, {7})};
  };
  Compiled counting(Counting());
  for (int32_t n : {1000, 20000, 40000, 60000}) {
    Check check(0);
    std::vector<float> y;
    EXPECT_NE(gather.Run(inputs(n), &y), GE_SUCCESS);  // ended, or out of range
    check.left = 1 << 30;
    ExpectCounts(counting);
  }
}

TEST(Cancel, ACheckThatRemovesItselfIsGone) {
  Compiled counting(Counting(), {{"loop_limit", "0"}, {"run_time_limit", "150"}});
  int asked = 0;
  GeSetInterruptCheck(
      [](void *user) -> int32_t {
        ++*static_cast<int *>(user);
        GeSetInterruptCheck(nullptr, nullptr);
        return 0;
      },
      &asked);
  std::vector<float> y;
  ExpectError(counting.Run(Rounds(kForEver), &y), GE_TIMEOUT, "150 ms");
  EXPECT_EQ(asked, 1);
}

TEST(Cancel, ACheckIsRefusedWhatItsThreadIsMaking) {
  Net net;
  net.Outputs({net.Out("Neg", {net.Input({-1, 2})})});
  Compiled open(net);
  struct Work {
    GeRunContext *context;
    GeStatus status = GE_SUCCESS;
    std::string text;
  } work{nullptr, GE_SUCCESS, ""};
  ASSERT_EQ(GeRunContextCreate(open.model.get(), &work.context), GE_SUCCESS);
  const Handle<GeRunContext> other(work.context);
  static const Array input = Array::F({3, 2}, {1, 2, 3, 4, 5, 6});
  GeSetInterruptCheck(
      [](void *user) -> int32_t {
        Work &self = *static_cast<Work *>(user);
        const GeTensorData in = input.View();
        GeTensorData out{};
        self.status = GeRun(self.context, &in, 1, &out, 1);
        self.text = GeLastErrorMessage();
        return 0;
      },
      &work);
  std::vector<float> y;
  EXPECT_EQ(open.Run({input}, &y), GE_SUCCESS) << GeLastErrorMessage();
  GeSetInterruptCheck(nullptr, nullptr);
  EXPECT_EQ(work.status, GE_BAD_STATE);
  EXPECT_NE(work.text.find("in the middle of making"), std::string::npos) << work.text;
  EXPECT_EQ(y, (std::vector<float>{-1, -2, -3, -4, -5, -6}));
}

TEST(Cancel, TheLongestTimeLimitIsNone) {
  Compiled counting(Counting());
  ASSERT_EQ(GeRunContextSetTimeLimit(counting.context.get(), INT64_MAX), GE_SUCCESS);
  ExpectCounts(counting);
}

// ---- loops ----

TEST(Cancel, ALoopHasALimitOfRounds) {
  Compiled counting(Counting(), {{"loop_limit", "3"}});
  ExpectCounts(counting);
  std::vector<float> y;
  ExpectError(counting.Run(Rounds(4), &y), GE_FAILED,
              "counting': it has made 3 rounds and goes on; option loop_limit allows more");
  ExpectCounts(counting);
}

TEST(Cancel, ALoopHasALimitOfMemory) {
  Net net;  // v = concat(v, v)
  Endpoint rounds = net.Input({}, C_DT_INT32), v = net.Input({-1});
  Node *node = net.Op("For", {net.Const(Array::I32({}, {0})), rounds, net.Const(Array::I32({}, {1})), v}, 1, "growing");
  net.graph->AttachSubgraph(
      node, "body", Sub("body", {{{-1}, C_DT_FLOAT}}, [](Net &n, auto &in) {
        return std::vector<Endpoint>{n.Out("ConcatV2", {in[0], in[0], n.Const(Array::I64({}, {0}))})};
      }));
  net.Outputs({{node, 0}});
  const auto inputs = [](int32_t n) { return std::vector<Array>{Array::I32({}, {n}), Array::F({2}, {1, 2})}; };
  Compiled growing(net, {{"loop_memory_limit", "1"}});
  std::vector<float> y;
  ExpectError(growing.Run(inputs(100), &y), GE_OUT_OF_MEMORY,
              "growing': its values have 2097152 bytes before round 19 of For 'growing', 1048576 are allowed");
  ASSERT_EQ(growing.Run(inputs(3), &y), GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(y.size(), 16u);
}

}  // namespace
}  // namespace gec
