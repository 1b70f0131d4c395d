// Models split between the processor and a simulated accelerator: memory that the host cannot touch (a stray access
// ends the process), work that is done later. The library's engines without it are the oracle.
#include <dlfcn.h>

#include <thread>

#include "ge/engine.h"
#include "runtime/profiler.h"
#include "tests/runtime/random_graph.h"

namespace gec {
namespace {

/// The accelerator while this lives.
class Accelerator {
 public:
  explicit Accelerator(const std::string &options) {
    const GeStatus status = GeEngineLoad(GE_TEST_SIMULATED, ("kernels=" GE_TEST_KERNELS "\n" + options).c_str());
    if (status != GE_SUCCESS) throw std::runtime_error(GeLastErrorMessage());
  }
  ~Accelerator() { GeEngineUnload("SimulatedEngine"); }
};

std::string Options(int seed, int share, bool others, bool regions) {
  return Str("seed=", seed, "\nshare=", share, "\nothers=", others ? 1 : 0, "\nregions=", regions ? 1 : 0);
}

size_t CountOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class Split : public ::testing::TestWithParam<int> {
 protected:
  static void TearDownTestSuite() {
    EXPECT_GT(nodes_there, 100u);
    EXPECT_GT(regions_there, 20u);
    EXPECT_GT(nodes_here, 100u);
  }
  static void Count(const Model &model) {
    for (const PlacementInfo &p : model.Placement()) {
      if (p.engine != "SimulatedEngine") ++nodes_here;
      else ++(p.implementation == "simulated:region" ? regions_there : nodes_there);
    }
  }
  static inline size_t nodes_there = 0, regions_there = 0, nodes_here = 0;
};

std::string MemoryOf(const Node &node) {
  const AttrValue *value = node.attrs().Find("_memory");
  return value ? *value->get_if<std::string>() : "host";
}

/// In a placed graph values go from one memory to another through a TensorMove only.
size_t CheckBorders(const Graph &graph) {
  graph.Verify();
  size_t moves = 0;
  for (const Node *node : graph.Nodes()) {
    const std::string implementation = node->String("_implementation");
    if (implementation.rfind("copy:", 0) == 0) {
      EXPECT_EQ(node->type().view(), "TensorMove");
      EXPECT_NE(MemoryOf(*node), MemoryOf(*node->input(0).node)) << node->name();
      ++moves;
      continue;
    }
    for (size_t i = 0; i < node->input_count(); ++i) {
      const Node *from = node->input(i).node;
      if (!from || IsConstType(from->type())) continue;
      EXPECT_EQ(MemoryOf(*from), MemoryOf(*node)) << from->name() << ' ' << node->name();
    }
  }
  for (Endpoint e : graph.Outputs()) EXPECT_EQ(MemoryOf(*e.node), "host") << e.node->name();
  return moves;
}

// Both orders: a part of the nodes on the accelerator, and exactly the others.
TEST_P(Split, AnySplitGivesTheSameResults) {
  const int seed = GetParam();
  RandomGraph random(static_cast<unsigned>(seed), seed % 3 == 0);
  Net net = random.Build();
  const std::vector<Array> feed = random.Feed();
  const std::vector<Array> want = CompileAndRun(*net.graph, feed, Opts({{"opt_level", "0"}}));
  for (bool others : {false, true}) {
    Accelerator accelerator(Options(seed, 20 + 12 * (seed % 6), others, seed % 2 != 0));
    ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", seed % 4 ? "2" : "0"}}));
    RunContext context(model);
    ExpectClose(RunAll(context, feed), want);
    ExpectClose(RunAll(context, feed), want);
    CheckBorders(*model->PlacedGraph());
    Count(*model);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, Split, ::testing::Range(0, 60));

/// y = Tanh(x · W) - 1, of which the accelerator gets the product alone.
Net Dense() {
  Net net;
  Endpoint x = net.Input({4, 8});
  std::vector<float> w(8 * 8);
  for (size_t i = 0; i < w.size(); ++i) w[i] = 0.01f * static_cast<float>(i) - 0.3f;
  Endpoint y = net.Out("MatMulV2", {x, net.Const(Array::F({8, 8}, w))}, "product");
  net.Outputs({net.Out("Sub", {net.Out("Tanh", {y}), net.Const(Array::F({}, {1}))})});
  return net;
}
const Array kRows = Array::F({4, 8}, std::vector<float>(32, 0.5f));

TEST(Accelerator, CopiesAreNodesOfThePlacedGraph) {
  Net net = Dense();
  Accelerator accelerator("share=100");
  ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}}));
  const GraphPtr placed = model->PlacedGraph();
  EXPECT_EQ(CheckBorders(*placed), 2u);
  size_t there = 0;
  for (const Node *node : placed->Nodes()) there += MemoryOf(*node) == "simulated";
  EXPECT_EQ(there, model->Placement().size() + 1);                          // what x becomes there
  EXPECT_EQ(model->PlacedGraph()->Nodes().size(), placed->Nodes().size());  // the plan stays as it is
}

TEST(Accelerator, CopiesAtTheBordersShowInReportAndProfile) {
  Net net = Dense();
  const std::vector<Array> want = CompileAndRun(*net.graph, {kRows});
  Accelerator accelerator("share=100");
  ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}, {"engines.exclude", ""}}));
  RunContext context(model);
  ExpectClose(RunAll(context, {kRows}), want);
  // x goes there and the result comes back; what lies between stays there, and constants were copied when the model was
  // made.
  const std::string report = model->ReportJson();
  EXPECT_EQ(CountOf(report, "\"copy\":\"copy:host->simulated\""), 1u) << report;
  EXPECT_EQ(CountOf(report, "\"copy\":\"copy:simulated->host\""), 1u) << report;
  EXPECT_NE(report.find("{\"name\":\"simulated\",\"engine\":\"SimulatedEngine\",\"arena_bytes\":"), std::string::npos);
  GeTensorData in = kRows.View(), out{};
  Profiler profiler;
  context.Run(&in, 1, &out, 1, &profiler);
  profiler.Finish();
  const std::string profile = profiler.Json("g");
  EXPECT_EQ(CountOf(profile, "\"cat\":\"copy\""), 2u) << profile;
  EXPECT_EQ(CountOf(profile, "\"name\":\"copy of x0\""), 1u) << profile;
}

TEST(Accelerator, WorksLaterAndForSeveralThreads) {
  Net net = Dense();
  const std::vector<Array> want = CompileAndRun(*net.graph, {kRows});
  Accelerator accelerator("share=100\ndelay=300");
  ModelPtr model = Model::Compile(*net.graph, Opts());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      RunContext context(model);
      for (int k = 0; k < 5; ++k) ExpectClose(RunAll(context, {kRows}), want);
    });
  for (std::thread &t : threads) t.join();
}

TEST(Accelerator, AFailureNamesTheEngineAndLeavesTheContextUsable) {
  Net net = Dense();
  const std::vector<Array> want = CompileAndRun(*net.graph, {kRows});
  Accelerator accelerator("share=100\nfail=7");
  RunContext context(Model::Compile(*net.graph, Opts({{"opt_level", "0"}})));
  size_t failed = 0, good = 0;
  for (int k = 0; k < 20; ++k) {
    try {
      ExpectClose(RunAll(context, {kRows}), want);
      ++good;
    } catch (const Error &e) {
      ++failed;
      EXPECT_NE(std::string(e.what()).find("SimulatedEngine"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("failed as option fail asks"), std::string::npos) << e.what();
    }
  }
  EXPECT_GT(failed, 0u);
  EXPECT_GT(good, 0u);
}

TEST(Accelerator, GraphsThatAreInterpretedRunThereToo) {
  Net net;
  Endpoint x = net.Input({4});
  Endpoint where = net.Out("NonZero", {net.Out("Relu", {x})});  // its shape depends on data
  Endpoint y = net.Out("Neg", {net.Out("Cast", {where})});
  net.graph->SetAttr(y.node->input(0).node, "dst_type", static_cast<int64_t>(C_DT_FLOAT));
  net.Outputs({y, net.Out("Tanh", {x})});
  const Array feed = Array::F({4}, {-1, 2, 0, 3});
  const std::vector<Array> want = CompileAndRun(*net.graph, {feed});
  Accelerator accelerator("share=100");
  RunContext context(Model::Compile(*net.graph, Opts()));
  ExpectClose(RunAll(context, {feed}), want);
  ExpectClose(RunAll(context, {feed}), want);
}

/// a = Neg(x) and b = Tanh(a) on the accelerator, Abs(a) and the sum of both on the processor.
Net Forked() {
  Net net;
  const auto on = [&](const char *engine, Endpoint e) {
    net.graph->SetAttr(e.node, EngineAttr(), AttrValue(std::string(engine)));
    return e;
  };
  Endpoint a = on("SimulatedEngine", net.Out("Neg", {net.Input({64})}, "a"));
  Endpoint b = on("SimulatedEngine", net.Out("Tanh", {a}, "b"));
  Endpoint here = on("VectorEngine", net.Out("Abs", {a}, "here"));
  net.Outputs({on("VectorEngine", net.Out("Add", {b, here}, "sum"))});
  return net;
}
const Array kLine = Array::F({64}, std::vector<float>(64, 0.75f));

struct Device {
  Device() : library(dlopen(GE_TEST_SIMULATED, RTLD_NOW)) {}
  ~Device() { dlclose(library); }
  size_t Count(const char *name) const { return reinterpret_cast<size_t (*)()>(dlsym(library, name))(); }
  void *library;
};

TEST(Accelerator, GoesOnWhileACopyToTheHostIsUnderWay) {
  Net net = Forked();
  const Device device;
  {
    Accelerator accelerator("share=100\ndelay=200");
    ModelPtr model = Model::Compile(*net.graph, Opts());
    std::vector<std::string> steps;
    for (const ExecPlan::Step &step : model->NewestPlan()->steps)
      steps.push_back((step.wait ? "wait for " : step.copy ? "copy " : "") + step.node->name());
    EXPECT_EQ(steps, (std::vector<std::string>{"copy x0", "a", "copy a", "b", "copy b", "wait for a", "here",
                                               "wait for b", "sum"}));
    RunContext context(model);
    const size_t synchronized = device.Count("SimulatedSynchronizeCalls"),
                 waits = device.Count("SimulatedWaitEventCalls");
    const float want = 0.75f - std::tanh(0.75f);
    for (int run = 1; run <= 3; ++run) {
      for (float y : RunAll(context, {kLine})[0].Floats()) EXPECT_NEAR(y, want, 1e-6f);
      EXPECT_EQ(device.Count("SimulatedWaitEventCalls") - waits, 2u * static_cast<size_t>(run));
      EXPECT_EQ(device.Count("SimulatedSynchronizeCalls") - synchronized,
                2u * static_cast<size_t>(run));  // two streams
    }
    EXPECT_EQ(device.Count("SimulatedLiveEvents"), 4u);
    Profiler profiler;
    GeTensorData in = kLine.View(), out{};
    context.Run(&in, 1, &out, 1, &profiler);
    profiler.Finish();
    EXPECT_EQ(CountOf(profiler.Json("g"), "\"cat\":\"copy\""), 3u) << profiler.Json("g");
    EXPECT_EQ(CheckBorders(*model->PlacedGraph()), 3u);
  }
  EXPECT_EQ(device.Count("SimulatedLiveEvents"), 0u);
}

TEST(Accelerator, WithoutEventsEachCopyIsWaitedFor) {
  Net net = Forked();
  const Device device;
  const auto query = reinterpret_cast<GeEngineQueryFn>(dlsym(device.library, GE_ENGINE_QUERY_SYMBOL));
  GeMemorySpace memory = *query(GE_ENGINE_ABI_VERSION)->memory;
  memory.create_event = nullptr;
  memory.destroy_event = nullptr;
  memory.record_event = memory.stream_wait_event = nullptr;
  memory.wait_event = nullptr;
  GeEngineTable table = *query(GE_ENGINE_ABI_VERSION);
  table.memory = &memory;
  ASSERT_EQ(GeEngineRegister(&table, "kernels=" GE_TEST_KERNELS "\nshare=100\ndelay=200"), GE_SUCCESS);
  {
    RunContext context(Model::Compile(*net.graph, Opts()));
    const size_t waits = device.Count("SimulatedWaitEventCalls");
    for (float y : RunAll(context, {kLine})[0].Floats()) EXPECT_NEAR(y, 0.75f - std::tanh(0.75f), 1e-6f);
    EXPECT_EQ(device.Count("SimulatedWaitEventCalls"), waits);
  }
  GeEngineUnload("SimulatedEngine");
}

TEST(Accelerator, GetsItsMemoryBack) {
  Net net = Dense();
  void *library = dlopen(GE_TEST_SIMULATED, RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto blocks = reinterpret_cast<size_t (*)()>(dlsym(library, "SimulatedLiveBlocks"));
  ASSERT_NE(blocks, nullptr);
  EXPECT_EQ(blocks(), 0u);
  {
    Accelerator accelerator("share=100");
    ModelPtr model = Model::Compile(*net.graph, Opts());
    const size_t constants = blocks();
    EXPECT_GT(constants, 0u);
    RunContext one(model), two(model);
    RunAll(one, {kRows});
    const size_t once = blocks();
    RunAll(two, {kRows});
    RunAll(one, {kRows});
    EXPECT_EQ(blocks() - once, once - constants);  // an arena for each context, constants for all
  }
  EXPECT_EQ(blocks(), 0u);
  dlclose(library);
}

}  // namespace
}  // namespace gec
