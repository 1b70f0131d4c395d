// Engines that do not come back (option engine_time_limit): the caller gets an error that names engine, function and
// node, and the process goes on: the graph, other contexts and models, and what the hung call refers to.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "capi/src/handles.h"
#include "core/placement/engine_health.h"
#include "ge/engine.h"
#include "ge/model.h"
#include "tests/runtime/hanging_engine.h"
#include "tests/runtime/net.h"

extern char **environ;

namespace gec {
namespace {

using H = HangingEngine;
using Floats = std::vector<float>;

// The first is long enough for calls that do not hang, on a slow machine too: an engine of the test answers within
// microseconds, and the others are left out where it counts.
constexpr const char *kShort = "500", *kLong = "600000";

struct Deleter {
  void operator()(GeModel *model) const { GeModelDestroy(model); }
  void operator()(GeRunContext *context) const { GeRunContextDestroy(context); }
  void operator()(GeGraph *graph) const { GeGraphDestroy(graph); }
};
using ModelHandle = std::unique_ptr<GeModel, Deleter>;
using ContextHandle = std::unique_ptr<GeRunContext, Deleter>;

GeStatus CompileWith(const GeGraph *graph, const char *limit, ModelHandle *model) {
  GeOptions *options = nullptr;
  EXPECT_EQ(GeOptionsCreate(&options), GE_SUCCESS);
  for (auto [key, value] : {std::pair{"threads", "1"}, std::pair{"engines.exclude", "AIcoreEngine,VectorEngine"},
                            std::pair{"engine_time_limit", limit}})
    EXPECT_EQ(GeOptionsSet(options, key, value), GE_SUCCESS) << GeLastErrorMessage();
  GeModel *made = nullptr;
  const GeStatus status = GeCompile(graph, options, &made);
  GeOptionsDestroy(options);
  model->reset(made);
  return status;
}
ContextHandle ContextOf(const ModelHandle &model) {
  GeRunContext *context = nullptr;
  EXPECT_EQ(GeRunContextCreate(model.get(), &context), GE_SUCCESS) << GeLastErrorMessage();
  return ContextHandle(context);
}
/// Runs with rows of two numbers into the first output, which holds what it held before where the run fails.
GeStatus RunWith(const ContextHandle &context, const Floats &x, Floats *y, size_t outputs = 1) {
  const Array input = Array::F({static_cast<int64_t>(x.size() / 2), 2}, x);
  const GeTensorData in = input.View();
  std::vector<GeTensorData> out(outputs);
  out[0].data = y->data();
  out[0].size = y->size() * sizeof(float);
  return GeRun(context.get(), &in, 1, out.data(), out.size());
}
void ExpectRight(const ContextHandle &context, const Floats &x, size_t outputs = 1) {
  Floats y(x.size(), 0), want;
  for (size_t i = 0; i < x.size(); ++i) want.push_back(-x[i] * (i % 2 ? 3.0f : 2.0f));
  ASSERT_EQ(RunWith(context, x, &y, outputs), GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(y, want);
}
void ExpectError(GeStatus status, GeStatus expected, const std::string &text) {
  EXPECT_EQ(status, expected) << GeLastErrorMessage();
  EXPECT_NE(std::string(GeLastErrorMessage()).find(text), std::string::npos)
      << GeLastErrorMessage() << "\n has no: " << text;
}

/// -x times (2, 3) by rows. Rows may be open, or the graph such that it runs node by node.
enum class Kind { kStatic, kOpen, kInterpreted };
struct Example {
  explicit Example(Kind kind) : outputs(kind == Kind::kInterpreted ? 2 : 1) {
    Endpoint x = net.Input({kind == Kind::kStatic ? 2 : -1, 2});
    Endpoint negative = net.Out("Neg", {x}, "neg");
    std::vector<Endpoint> results = {net.Out("Mul", {negative, net.Const(Array::F({2, 2}, {2, 3, 2, 3}))}, "mul")};
    if (kind == Kind::kOpen) results = {net.Out("Mul", {negative, net.Const(Array::F({1, 2}, {2, 3}))}, "mul")};
    if (kind == Kind::kInterpreted) results.push_back(net.Out("NonZero", {x}));
    net.Outputs(results);
    graph.reset(api::NewHandle(net.graph));
  }
  Net net;
  size_t outputs;
  std::unique_ptr<GeGraph, Deleter> graph;
};

void ExpectEngineIsRefused(const ModelHandle &model, const std::string &function) {
  const size_t count = GeModelPlacementCount(model.get());
  bool told = false;
  for (size_t i = 0; i < count; ++i) {
    GePlacement placed{};
    placed.struct_size = sizeof placed;
    ASSERT_EQ(GeModelGetPlacement(model.get(), i, &placed), GE_SUCCESS);
    EXPECT_STRNE(placed.engine, H::kName);
    told |= std::string(placed.refusals).find("Hanging: it is not asked any more: " + function) != std::string::npos;
  }
  EXPECT_TRUE(told);
  for (size_t i = 0; i < GeEngineCount(); ++i) {
    GeEngineInfo info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(GeEngineAt(i, &info), GE_SUCCESS);
    if (std::string(info.name) != H::kName) continue;
    EXPECT_NE(std::string(info.error).find("engine Hanging hangs: " + function), std::string::npos) << info.error;
  }
}

// ---- nothing hangs; first, since an engine that hung changes the process ----

TEST(AATimeLimit, ChangesNoResult) {
  for (Kind kind : {Kind::kStatic, Kind::kOpen, Kind::kInterpreted}) {
    for (uint32_t extras : {H::kPlain, H::kMemory, H::kStreams, H::kOpen, H::kPacks}) {
      H engine(extras);
      Example example(kind);
      ModelHandle model;
      ASSERT_EQ(CompileWith(example.graph.get(), kLong, &model), GE_SUCCESS) << GeLastErrorMessage();
      ContextHandle context = ContextOf(model);
      const int before = H::runs;
      ExpectRight(context, {1, 2, 3, 4}, example.outputs);
      ExpectRight(context, {5, -6, 0.5f, 8}, example.outputs);
      if (kind == Kind::kOpen) ExpectRight(context, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, example.outputs);
      EXPECT_GE(H::runs, before + 4);
      context.reset();
      model.reset();
      EXPECT_EQ(H::kernels, 0);
    }
    EXPECT_TRUE(H::NothingIsLeft());
  }
}

TEST(AATimeLimit, VariablesAndInputsThatTheGraphChanges) {
  const Options limit = Opts({{"engine_time_limit", kLong}});
  Net net;
  Node *cache = MakeNode(*net.graph, "RefData", "cache");
  net.graph->SetAttr(cache, "index", int64_t{0});
  net.graph->SetOutputDesc(cache, 0, TensorDesc(C_DT_FLOAT, Shape{2}));
  Node *variable = net.Op("Variable", {}, 0, "variable");
  net.graph->SetAttr(
      variable, "value",
      AttrValue(std::make_shared<Tensor>(TensorDesc(C_DT_FLOAT, Shape{2}), Buffer::Copy("\0\0\0\0\0\0\0\0", 8))));
  Endpoint one = net.Const(Array::F({2}, {1, 2}));
  net.Outputs({net.Out("Neg", {net.Out("AssignAdd", {{cache, 0}, one})}), net.Out("AssignAdd", {{variable, 0}, one})});
  RunContext context(Model::Compile(*net.graph, limit));
  Array mine = Array::F({2}, {10, 20});
  GeTensorData in = mine.View();
  for (float run = 1; run <= 3; ++run) {
    float total[2];
    GeTensorData out[2] = {};
    out[1].data = total;
    out[1].size = sizeof total;
    context.Run(&in, 1, out, 2, nullptr);
    EXPECT_EQ(mine.Floats(), (Floats{10 + run, 20 + 2 * run}));
    EXPECT_EQ(static_cast<const float *>(out[0].data)[0], -10 - run);
    EXPECT_EQ(total[1], 2 * run);
  }
}

TEST(AATimeLimit, ErrorsAreTheSame) {
  Example example(Kind::kStatic);
  std::vector<std::string> texts;
  for (const char *limit : {"0", kLong}) {
    ModelHandle model;
    ASSERT_EQ(CompileWith(example.graph.get(), limit, &model), GE_SUCCESS);
    ContextHandle context = ContextOf(model);
    Floats y(3);
    ExpectError(RunWith(context, {1, 2, 3, 4}, &y), GE_DATA_MISMATCH, "has a buffer of 12 bytes");
    texts.push_back(GeLastErrorMessage());
    y.resize(4);
    ExpectError(RunWith(context, {1, 2}, &y), GE_DATA_MISMATCH, "has shape [1, 2]");
    texts.push_back(GeLastErrorMessage());
    Net net("unplaced");  // compiles nowhere
    net.Outputs({net.Out("HcomBroadcast", {net.Input({2})}, "collective")});
    std::unique_ptr<GeGraph, Deleter> graph(api::NewHandle(net.graph));
    EXPECT_NE(CompileWith(graph.get(), limit, &model), GE_SUCCESS);
    texts.push_back(GeLastErrorMessage());
    texts.push_back(std::to_string(GeLastErrorCode()) + " " + std::to_string(GeLastErrorContextCount()));
    for (size_t i = 0; i < GeLastErrorContextCount(); ++i) texts.push_back(GeLastErrorContext(i));
  }
  const auto half = texts.begin() + static_cast<ptrdiff_t>(texts.size() / 2);
  EXPECT_EQ(std::vector<std::string>(texts.begin(), half), std::vector<std::string>(half, texts.end()));
}

TEST(AATimeLimit, MemoryOfTheProgramIsRefused) {
  Example example(Kind::kStatic);
  ModelHandle model;
  ASSERT_EQ(CompileWith(example.graph.get(), kLong, &model), GE_SUCCESS);
  ContextHandle context = ContextOf(model);
  alignas(64) char memory[4096];
  ExpectError(GeRunContextSetMemory(context.get(), memory, sizeof memory), GE_UNSUPPORTED, "engine_time_limit");
  EXPECT_EQ(GeRunContextSetMemory(context.get(), nullptr, 0), GE_SUCCESS);
  ExpectRight(context, {1, 2, 3, 4});
}

#ifndef __SANITIZE_THREAD__  // which allows no threads in a child
TEST(AATimeLimit, AForkedChildStartsAThreadOfItsOwn) {
  Example example(Kind::kStatic);
  ModelHandle model;
  ASSERT_EQ(CompileWith(example.graph.get(), kLong, &model), GE_SUCCESS);
  ContextHandle context = ContextOf(model);
  ExpectRight(context, {1, 2, 3, 4});
  const pid_t child = fork();
  if (child == 0) {
    ExpectRight(context, {5, 6, 7, 8});
    ContextHandle another = ContextOf(model);
    ExpectRight(another, {5, 6, 7, 8});
    context.reset();
    another.reset();
    model.reset();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ExpectRight(context, {1, 2, 3, 4});
}
#endif

TEST(AATimeLimit, CountsWhereSomethingIsGivenBack) {
  {
    H engine(H::kStreams);
    Example example(Kind::kStatic);
    ModelHandle model;
    ASSERT_EQ(CompileWith(example.graph.get(), kShort, &model), GE_SUCCESS) << GeLastErrorMessage();
    ContextHandle context = ContextOf(model);
    ExpectRight(context, {1, 2, 3, 4});
    EXPECT_FALSE(EngineHealth::AnyHung());
    engine.HangIn("destroy_stream");
    context.reset();
    EXPECT_TRUE(EngineHealth::AnyHung());  // so it was waited for as long as that
    model.reset();
    engine.LetGo();
    engine.WaitForThreads();
  }
  EXPECT_TRUE(H::NothingIsLeft());
}

// ---- a function hangs ----

struct HangCase {
  const char *name, *function;
  uint32_t extras;
  Kind kind;
  const char *told;
};
void PrintTo(const HangCase &c, std::ostream *out) { *out << c.name; }
std::string NameOf(const testing::TestParamInfo<HangCase> &info) { return info.param.name; }

class HangsInCompile : public testing::TestWithParam<HangCase> {};

TEST_P(HangsInCompile, TheCallerGoesOn) {
  {
    const HangCase &c = GetParam();
    H engine(c.extras);
    Example example(c.kind);
    const std::string told = std::string(c.told) + " did not return within 500 ms (option engine_time_limit)";
    engine.HangIn(c.function);
    ModelHandle model;
    ExpectError(CompileWith(example.graph.get(), kShort, &model), GE_FAILED,
                "compiling graph 'net': engine Hanging hangs: " + told);
    EXPECT_EQ(GeLastErrorContextCount(), 1u);
    EXPECT_EQ(model, nullptr);
    // It hangs still. The program's graph is as it was, and other engines take its nodes.
    EXPECT_EQ(example.net.graph->CountOf(Symbol("Neg")), 1u);
    for (const char *limit : {kLong, "0"}) {
      ASSERT_EQ(CompileWith(example.graph.get(), limit, &model), GE_SUCCESS) << GeLastErrorMessage();
      ExpectRight(ContextOf(model), {1, 2, 3, 4}, example.outputs);
      ExpectEngineIsRefused(model, told);
    }
    model.reset();
    engine.LetGo();
    engine.WaitForThreads();
  }
  EXPECT_TRUE(H::NothingIsLeft());
}

INSTANTIATE_TEST_SUITE_P(
    TimeLimit, HangsInCompile,
    testing::Values(
        HangCase{"check", "check", H::kPlain, Kind::kStatic, "check of Neg 'neg'"},
        HangCase{"check_open", "check", H::kPlain, Kind::kOpen, "check of Neg 'neg'"},
        HangCase{"create_kernel", "create_kernel", H::kPlain, Kind::kStatic, "create_kernel of Neg 'neg'"},
        HangCase{"pack", "pack", H::kPacks, Kind::kStatic, "create_kernel of Mul 'mul'"},
        HangCase{"claim", "claim", H::kClaims, Kind::kStatic, "claim of graph 'net'"},
        HangCase{"create_region", "create_region", H::kClaims, Kind::kStatic,
                 "create_region of region 'Hanging_region_0'"},
        HangCase{"optimize_before", "optimize before", H::kHooks, Kind::kStatic,
                 "optimize of a graph before optimization"},
        HangCase{"optimize_after", "optimize after", H::kHooks, Kind::kStatic,
                 "optimize of a graph after optimization"},
        HangCase{"channel_block", "channel_block", H::kBlocks, Kind::kStatic, "channel_block of a processor"},
        HangCase{"create_of_one_with_blocks", "create_kernel", H::kBlocks, Kind::kStatic, "create_kernel of Neg 'neg'"},
        HangCase{"allocate", "allocate", H::kMemory, Kind::kStatic, "allocate of Const 'c'"},
        HangCase{"copy", "copy", H::kMemory, Kind::kStatic, "copy of Const 'c'"}),
    NameOf);

class HangsInRun : public testing::TestWithParam<HangCase> {};

TEST_P(HangsInRun, TheCallerGoesOn) {
  {
    const HangCase &c = GetParam();
    H engine(c.extras);
    Example example(c.kind);
    const std::string told = std::string(c.told) + " did not return within 500 ms (option engine_time_limit)";
    ModelHandle model, another;
    ASSERT_EQ(CompileWith(example.graph.get(), kShort, &model), GE_SUCCESS) << GeLastErrorMessage();
    ContextHandle context = ContextOf(model);
    if (c.kind != Kind::kStatic) ExpectRight(context, {1, 2, 3, 4}, example.outputs);  // plans, and makes the class
    const bool plan = c.extras == H::kOpen;                                            // what hangs makes a plan
    engine.HangIn(c.function);
    const Floats x = plan ? Floats{1, 2, 3, 4, 5, 6} : Floats{1, 2, 3, 4};
    Floats y(x.size(), 777);
    ExpectError(RunWith(context, x, &y, example.outputs), GE_FAILED, "engine Hanging hangs: " + told);
    EXPECT_EQ(y, Floats(x.size(), 777));
    ExpectError(
        RunWith(context, x, &y, example.outputs), GE_BAD_STATE,
        "an earlier run of this context was given up, so it runs no more; make a new one (engine Hanging hangs: " +
            told);
    // Another context of the model meets the engine again where its kernels are in a plan that the model has. New
    // plans, and graphs that run node by node, have kernels of other engines.
    if (plan || c.kind == Kind::kInterpreted) ExpectRight(ContextOf(model), x, example.outputs);
    if (c.kind != Kind::kInterpreted) {
      ExpectError(RunWith(ContextOf(model), {1, 2, 3, 4}, &y), GE_BAD_STATE, "not called any more: " + told);
      EXPECT_NE(std::string(GeLastErrorMessage()).find("compile the graph again"), std::string::npos);
    }
    ASSERT_EQ(CompileWith(example.graph.get(), kLong, &another), GE_SUCCESS) << GeLastErrorMessage();
    ExpectRight(ContextOf(another), {1, 2, 3, 4}, example.outputs);
    ExpectEngineIsRefused(another, told);
    context.reset();  // while it hangs
    model.reset();
    engine.LetGo();
    engine.WaitForThreads();
    EXPECT_EQ(y, Floats(x.size(), 777));  // what the hung kernel wrote then was its own
    another.reset();
  }
  EXPECT_TRUE(H::NothingIsLeft());
}

INSTANTIATE_TEST_SUITE_P(
    TimeLimit, HangsInRun,
    testing::Values(HangCase{"run", "run", H::kPlain, Kind::kStatic, "run of Neg 'neg'"},
                    HangCase{"run_open", "run", H::kPlain, Kind::kOpen, "run of Neg 'neg'"},
                    HangCase{"region", "run", H::kClaims, Kind::kStatic, "run of PartitionedCall 'neg'"},
                    HangCase{"run_in_memory", "run", H::kStreams, Kind::kStatic, "run of Neg 'neg'"},
                    HangCase{"copy", "copy", H::kMemory, Kind::kStatic, "copy of Data 'x0'"},
                    HangCase{"allocate", "allocate", H::kMemory, Kind::kStatic, "allocate"},
                    HangCase{"create_stream", "create_stream", H::kStreams, Kind::kStatic, "create_stream"},
                    HangCase{"create_event", "create_event", H::kStreams, Kind::kStatic, "create_event"},
                    HangCase{"synchronize", "synchronize", H::kStreams, Kind::kStatic, "synchronize"},
                    HangCase{"record_event", "record_event", H::kStreams, Kind::kStatic, "record_event of Mul 'mul'"},
                    HangCase{"stream_wait_event", "stream_wait_event", H::kStreams, Kind::kStatic,
                             "stream_wait_event of Mul 'mul'"},
                    HangCase{"wait_event", "wait_event", H::kStreams, Kind::kStatic, "wait_event of Mul 'mul'"},
                    HangCase{"interpreted", "run", H::kPlain, Kind::kInterpreted, "run of Neg 'neg'"},
                    HangCase{"interpreted_in_memory", "run", H::kMemory, Kind::kInterpreted, "run of Neg 'neg'"},
                    HangCase{"interpreted_copy", "copy", H::kMemory, Kind::kInterpreted, "copy of Neg 'neg'"},
                    HangCase{"create_open_kernel", "create_open_kernel", H::kOpen, Kind::kOpen,
                             "create_open_kernel of Neg 'neg'"},
                    HangCase{"workspace_for", "workspace_for", H::kOpen, Kind::kOpen, "workspace_for of Neg 'neg'"}),
    NameOf);

class HangsInTheEnd : public testing::TestWithParam<HangCase> {};

/// Functions that give something back: nobody is told, and nobody waits for ever.
TEST_P(HangsInTheEnd, TheCallerGoesOn) {
  {
    const HangCase &c = GetParam();
    H engine(c.extras);
    Example example(c.kind);
    ModelHandle model;
    ASSERT_EQ(CompileWith(example.graph.get(), kShort, &model), GE_SUCCESS) << GeLastErrorMessage();
    ContextHandle context = ContextOf(model);
    ExpectRight(context, {1, 2, 3, 4});
    engine.HangIn(c.function);
    context.reset();
    model.reset();
    engine.WaitUntilItHangs();
    engine.LetGo();
    engine.WaitForThreads();
  }
  EXPECT_TRUE(H::NothingIsLeft());
}

INSTANTIATE_TEST_SUITE_P(TimeLimit, HangsInTheEnd,
                         testing::Values(HangCase{"destroy", "destroy", H::kPlain, Kind::kStatic, ""},
                                         HangCase{"release", "release", H::kMemory, Kind::kStatic, ""},
                                         HangCase{"destroy_stream", "destroy_stream", H::kStreams, Kind::kStatic, ""},
                                         HangCase{"destroy_event", "destroy_event", H::kStreams, Kind::kStatic, ""}),
                         NameOf);

// ---- others meanwhile ----

TEST(TimeLimit, OthersDoNotWaitForAHungThreadsLocks) {
  {
    H engine(H::kOpen);
    Example example(Kind::kOpen);
    ModelHandle model;
    ASSERT_EQ(CompileWith(example.graph.get(), kShort, &model), GE_SUCCESS) << GeLastErrorMessage();
    ContextHandle context = ContextOf(model);
    ExpectRight(context, {1, 2, 3, 4});
    engine.HangIn("create_open_kernel");
    const Floats x = {1, 2, 3, 4, 5, 6};
    std::thread hanging([&] {
      Floats y(x.size());
      ExpectError(RunWith(context, x, &y), GE_FAILED, "create_open_kernel of Neg 'neg'");
    });
    engine.WaitUntilItHangs();
    ExpectRight(ContextOf(model), x);  // the same plan, which the other thread was making
    hanging.join();
  }
  EXPECT_TRUE(H::NothingIsLeft());
}

TEST(TimeLimit, ARunThatIsGivenUpChangesNoVariable) {
  {
    H engine(H::kPlain);
    Net net;
    Node *variable = net.Op("Variable", {}, 0, "variable");
    net.graph->RenameNode(variable, "w");
    net.graph->SetAttr(
        variable, "value",
        AttrValue(std::make_shared<Tensor>(TensorDesc(C_DT_FLOAT, Shape{2}), Buffer::Copy("\0\0\0\0\0\0\0\0", 8))));
    Endpoint x = net.Input({2});
    net.Outputs({net.Out("AssignAdd", {{variable, 0}, net.Out("Neg", {x}, "neg")})});
    auto store = std::make_shared<VariableStore>();
    auto options = [](const char *limit) {
      return Opts({{"engine_time_limit", limit}, {"engines.exclude", "AIcoreEngine,VectorEngine"}});
    };
    RunContext first(Model::Compile(*net.graph, options(kShort), store));
    EXPECT_EQ(RunAll(first, {Array::F({2}, {1, 2})})[0].Floats(), (Floats{-1, -2}));
    engine.HangIn("run");
    EXPECT_GE_ERROR(RunAll(first, {Array::F({2}, {1, 2})}), GE_FAILED, "run of Neg 'neg'");
    // Runs that assign wait for one another, but not for that one.
    RunContext second(Model::Compile(*net.graph, options(kLong), store));
    EXPECT_EQ(RunAll(second, {Array::F({2}, {10, 20})})[0].Floats(), (Floats{-11, -22}));
    engine.LetGo();
    engine.WaitForThreads();
    EXPECT_EQ(RunAll(second, {Array::F({2}, {0, 0})})[0].Floats(), (Floats{-11, -22}));
  }
  EXPECT_TRUE(H::NothingIsLeft());
}

TEST(TimeLimit, AnEngineThatIsLoadedAnewIsAskedAgain) {
  Example example(Kind::kStatic);
  ModelHandle model;
  {
    H engine(H::kPlain);
    engine.HangIn("check");
    ExpectError(CompileWith(example.graph.get(), kShort, &model), GE_FAILED, "check of Neg 'neg'");
  }
  {
    H engine(H::kPlain);
    ASSERT_EQ(CompileWith(example.graph.get(), kLong, &model), GE_SUCCESS);
    const int before = H::runs;
    ExpectRight(ContextOf(model), {1, 2, 3, 4});
    EXPECT_EQ(H::runs, before + 2);
    model.reset();
  }
  EXPECT_TRUE(H::NothingIsLeft());
}

TEST(TimeLimit, UnloadingAnEngineThatHangsWaitsForNobody) {
  Example example(Kind::kStatic);
  ModelHandle model;
  H engine(H::kPlain);
  engine.HangIn("run");
  ASSERT_EQ(CompileWith(example.graph.get(), kShort, &model), GE_SUCCESS);
  Floats y(4);
  ExpectError(RunWith(ContextOf(model), {1, 2, 3, 4}, &y), GE_FAILED, "run of Neg 'neg'");
  model.reset();
  ASSERT_EQ(GeEngineUnload(H::kName), GE_SUCCESS);
  EXPECT_EQ(H::engines, 1);  // the thread is still in it
  engine.LetGo();
  engine.WaitForThreads();
  EXPECT_TRUE(H::NothingIsLeft());
}

// ---- the process ends ----

TEST(TimeLimitChild, DISABLED_EndsWhileAnEngineHangs) {
  auto *engine = new H(H::kPlain);
  Example example(Kind::kStatic);
  auto *model = new ModelHandle;
  ASSERT_EQ(CompileWith(example.graph.get(), kShort, model), GE_SUCCESS);
  engine->HangIn("run");
  Floats y(4);
  auto *context = new ContextHandle(ContextOf(*model));
  ExpectError(RunWith(*context, {1, 2, 3, 4}, &y), GE_FAILED, "run of Neg 'neg'");
  std::exit(HasFailure() ? 1 : 7);
}

TEST(TimeLimit, TheProcessEndsWhileAnEngineHangs) {
  char self[] = "/proc/self/exe", also[] = "--gtest_also_run_disabled_tests",
       which[] = "--gtest_filter=TimeLimitChild.DISABLED_EndsWhileAnEngineHangs";
  char *arguments[] = {self, also, which, nullptr};
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, self, nullptr, nullptr, arguments, environ), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);  // the hang has no end, so a child that waits for it has none either
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

}  // namespace
}  // namespace gec
