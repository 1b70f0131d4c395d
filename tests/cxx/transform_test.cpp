// ge::transform and ge::instrument as a program uses them.
#include "ge/transform.h"

#include <gtest/gtest.h>

#include <thread>

#include "es_all_ops.h"
#include "ge/instrument.h"

using namespace ge;
using namespace ge::transform;
using ge::instrument::PassInstrument;

namespace {

using Trace = std::vector<std::string>;

/// Data -> Identity -> Relu
Graph SmallGraph() {
  es::EsGraphBuilder builder("net");
  auto x = builder.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2, 3});
  return std::move(*builder.BuildAndReset({es::Relu(es::Identity(x))}));
}

size_t Count(const Graph &graph, const char *type) {
  size_t count = 0;
  for (const GNode &node : graph.GetDirectNode()) {
    AscendString found;
    (void)node.GetType(found);
    count += found == AscendString(type) ? 1 : 0;
  }
  return count;
}

Pass Noting(Trace *trace, const std::string &name, int level = 0) {
  return CreateModulePass([trace, name](Graph &) { return trace->push_back(name), false; }, level, name);
}

TEST(Transform, ASequenceGivesANewGraph) {
  const Graph graph = SmallGraph();
  ASSERT_EQ(Count(graph, "Identity"), 1u);
  const Pass pass = Sequential({GetPass("InferShape"), GetPass("RemoveIdentity")});
  const Graph out = pass(graph);
  EXPECT_EQ(Count(out, "Identity"), 0u);
  EXPECT_EQ(Count(graph, "Identity"), 1u);
  Graph in_place = SmallGraph();
  EXPECT_TRUE(pass.Apply(in_place));
  EXPECT_EQ(Count(in_place, "Identity"), 0u);
}

TEST(Transform, PassesSayWhatTheyAre) {
  Trace trace;
  const Pass pass = CreateFunctionPass([](Graph &) { return false; }, 3, "mine", {"DeadCode"}, true);
  const PassInfo info = pass.Info();
  EXPECT_EQ(info.name, "mine");
  EXPECT_EQ(info.opt_level, 3);
  EXPECT_EQ(info.required, std::vector<std::string>({"DeadCode"}));
  EXPECT_TRUE(info.traceable);
  EXPECT_EQ(Sequential({pass}).Info().name, "sequential");
  EXPECT_EQ(GetPass("FuseGelu").Info().opt_level, 2);
}

TEST(Transform, AnUnknownNameIsAnErrorWithNearNames) {
  try {
    GetPass("FuseGelo");
    FAIL() << "found";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), GE_NOT_FOUND);
    EXPECT_NE(std::string(e.what()).find("FuseGelu"), std::string::npos) << e.what();
  }
}

TEST(Transform, TheContextOfTheThreadDecides) {
  Trace trace;
  const Graph graph = SmallGraph();
  const Pass pass = Sequential({Noting(&trace, "low", 1), Noting(&trace, "high", 3)});
  (void)pass(graph);
  EXPECT_EQ(trace, Trace({"low"}));
  trace.clear();
  auto context = PassContext::Create();
  context->opt_level = 3;
  context->disabled_pass = {"low"};
  {
    const With<PassContext> scope(context);
    (void)pass(graph);
    EXPECT_EQ(trace, Trace({"high"}));
    trace.clear();
    auto inner = PassContext::Create();
    inner->opt_level = 0;
    inner->required_pass = {"low"};
    {
      const With<PassContext> nested(inner);
      (void)pass(graph);
      EXPECT_EQ(trace, Trace({"low"}));
    }
    trace.clear();
    std::thread([&] { (void)pass(graph); }).join();  // another thread has contexts of its own
    EXPECT_EQ(trace, Trace({"low"}));
  }
  trace.clear();
  (void)pass(graph);
  EXPECT_EQ(trace, Trace({"low"}));
}

TEST(Transform, APassThatRunsItselfIsAnError) {
  int runs = 0;
  Pass self = Noting(nullptr, "none");
  self = CreateModulePass(
      [&](Graph &graph) {
        ++runs;
        return self.Apply(graph);
      },
      0, "itself");
  Graph graph = SmallGraph();
  try {
    (void)self.Apply(graph);
    FAIL() << "it ended";
  } catch (const Error &e) {
    EXPECT_NE(std::string(e.what()).find("run inside one another"), std::string::npos) << e.what();
  }
  EXPECT_GT(runs, 8);
  EXPECT_EQ(Count(graph, "Identity"), 1u);
  EXPECT_TRUE(Sequential({GetPass("InferShape"), GetPass("RemoveIdentity")}).Apply(graph));  // the count is back
}

TEST(Transform, ConfigIsTypedAndKnown) {
  auto context = PassContext::Create();
  context->config.emplace("team.limit", 5);
  EXPECT_THROW(With<PassContext>{context}, Error);
  RegisterConfigOption("team.limit", GE_CONFIG_INT, "how many");
  { const With<PassContext> scope(context); }
  context->config.clear();
  context->config.emplace("team.limit", "five");
  EXPECT_THROW(With<PassContext>{context}, Error);
  context->config.clear();
  context->opt_level = -1;
  EXPECT_THROW(With<PassContext>{context}, Error);
}

GE_REGISTER_PASS_CONFIG_OPTION("team.ratio", double, "how much");
TEST(Transform, TheMacroRegistersAKey) {
  auto context = PassContext::Create();
  context->config.emplace("team.ratio", 2);
  EXPECT_EQ(PassContext::GetConfig("team.ratio", 0.5), 0.5);
  const With<PassContext> scope(context);
  EXPECT_EQ(PassContext::GetConfig("team.ratio", 0.5), 2.0);
  EXPECT_THROW(PassContext::GetConfig("team.ratio", int64_t{1}), Error);
  EXPECT_THROW(PassContext::GetConfig("team.rati", 0.5), Error);
  EXPECT_EQ(PassContext::CurrentLevel(), 2);
}

TEST(Transform, WhatAPassThrowsComesOutAndTheGraphIsAsBefore) {
  struct Mine : std::runtime_error {
    Mine() : std::runtime_error("mine") {}
  };
  const Pass fails = CreateModulePass([](Graph &) -> bool { throw Mine(); }, 0, "fails");
  Graph graph = SmallGraph();
  EXPECT_THROW(Sequential({GetPass("RemoveIdentity"), fails}).Apply(graph), Mine);
  EXPECT_EQ(Count(graph, "Identity"), 1u);
}

class Tracer : public PassInstrument {
 public:
  Tracer(std::string name, Trace *trace) : name_(std::move(name)), trace_(trace) {}
  std::string fails;
  void EnterPassContext() override { Note("enter"); }
  void ExitPassContext() override { Note("exit"); }
  bool ShouldRun(const GraphPtr &, const PassInfo &info) override { return Note("should " + info.name), true; }
  void RunBeforePass(const GraphPtr &, const PassInfo &info) override { Note("before " + info.name); }
  void RunAfterPass(const GraphPtr &, const PassInfo &info) override { Note("after " + info.name); }

 private:
  void Note(const std::string &what) {
    trace_->push_back(name_ + ": " + what);
    if (what == fails) throw std::logic_error(what);
  }
  const std::string name_;
  Trace *trace_;
};

TEST(Instrument, CallsInOrder) {
  Trace trace;
  auto context = PassContext::Create();
  context->instruments = {std::make_shared<Tracer>("a", &trace), std::make_shared<Tracer>("b", &trace)};
  {
    const With<PassContext> scope(context);
    (void)Sequential({Noting(&trace, "x")})(SmallGraph());
  }
  EXPECT_EQ(trace,
            Trace({"a: enter", "b: enter", "a: should sequential", "b: should sequential", "a: before sequential",
                   "b: before sequential", "a: should x", "b: should x", "a: before x", "b: before x", "x",
                   "a: after x", "b: after x", "a: after sequential", "b: after sequential", "a: exit", "b: exit"}));
}

TEST(Instrument, FailuresInEachOfTheFiveCalls) {
  for (const char *at : {"enter", "exit", "should x", "before x", "after x"}) {
    Trace trace;
    auto context = PassContext::Create();
    auto tracer = std::make_shared<Tracer>("a", &trace);
    tracer->fails = at;
    context->instruments = {tracer};
    const auto run = [&] {
      const With<PassContext> scope(context);
      (void)Noting(&trace, "x")(SmallGraph());
    };
    EXPECT_THROW(run(), std::logic_error) << at;
    const bool lost = std::string(at) == "enter" || std::string(at) == "exit";
    EXPECT_EQ(context->instruments.empty(), lost) << at;
    if (std::string(at) != "enter") {
      EXPECT_EQ(trace.back(), "a: exit") << at;
    }
    trace.clear();
    (void)Noting(&trace, "x")(SmallGraph());  // nothing of it is left
    EXPECT_EQ(trace, Trace({"x"})) << at;
  }
}

TEST(Instrument, WhatIsNoExceptionIsSaidOfTheInstrument) {
  struct Thrower : PassInstrument {
    void RunBeforePass(const GraphPtr &, const PassInfo &) override { throw 5; }
  };
  Trace trace;
  auto context = PassContext::Create();
  context->instruments = {std::make_shared<Thrower>()};
  const With<PassContext> scope(context);
  EXPECT_THROW((void)Noting(&trace, "x")(SmallGraph()), int);
  const std::string text = GeLastErrorMessage();
  EXPECT_NE(text.find("the instrument threw something that is no std::exception"), std::string::npos) << text;
  EXPECT_EQ(text.find("the pass threw"), std::string::npos) << text;
  EXPECT_TRUE(trace.empty());
}

TEST(Transform, KindsOfPasses) {
  Trace trace;
  EXPECT_EQ(Noting(&trace, "x").Info().kind, uint32_t{GE_PASS_KIND_MODULE});
  EXPECT_EQ(Sequential({Noting(&trace, "x")}).Info().kind, uint32_t{GE_PASS_KIND_SEQUENCE});
  EXPECT_EQ(CreateFunctionPass([](Graph &) { return false; }, 1, "f").Info().kind, uint32_t{GE_PASS_KIND_PER_GRAPH});
  EXPECT_EQ(GetPass("FuseGelu").Info().kind, uint32_t{GE_PASS_KIND_PER_GRAPH});
}

TEST(Instrument, TheFirstOfTwoErrorsComesOut) {
  Trace trace;
  auto a = std::make_shared<Tracer>("a", &trace), b = std::make_shared<Tracer>("b", &trace);
  a->fails = "exit";
  b->fails = "enter";
  auto context = PassContext::Create();
  context->instruments = {a, b};
  try {
    const With<PassContext> scope(context);
    FAIL() << "entered";
  } catch (const std::logic_error &e) {
    EXPECT_STREQ(e.what(), "enter");
  }
  // An error that nobody asked for is not that of a later call.
  const Pass fails = CreateModulePass([](Graph &) -> bool { throw std::logic_error("old"); }, 0, "fails");
  Graph graph = SmallGraph();
  EXPECT_NE(GePassApply(fails.handle(), graph.handle()), GE_SUCCESS);
  EXPECT_THROW(GetPass("nope"), Error);
}

TEST(Instrument, BuiltInOnesTellWhatTheySaw) {
  auto timing = std::make_shared<instrument::PassTimingInstrument>();
  auto counter = std::make_shared<instrument::PassCounterInstrument>();
  auto context = PassContext::Create();
  context->instruments = {timing, counter};
  {
    const With<PassContext> scope(context);
    (void)Sequential({GetPass("RemoveIdentity")})(SmallGraph());
  }
  EXPECT_NE(timing->Render().find("\n  RemoveIdentity"), std::string::npos) << timing->Render();
  EXPECT_NE(counter->Json().find("\"name\":\"RemoveIdentity\",\"tried\":1,\"matched\":1,\"applied\":1"),
            std::string::npos)
      << counter->Json();
}

TEST(Instrument, OthersTakeTheirPlace) {
  Trace trace;
  auto context = PassContext::Create();
  context->instruments = {std::make_shared<Tracer>("a", &trace)};
  {
    const With<PassContext> scope(context);
    context->OverrideInstruments({std::make_shared<Tracer>("b", &trace)});
  }
  EXPECT_EQ(trace, Trace({"a: enter", "a: exit", "b: enter", "b: exit"}));
}

TEST(Transform, WhyARuleDoesNotMatch) {
  es::EsGraphBuilder builder("net");
  auto x = builder.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2, 2});
  auto product = es::MatMulV2(x, x);
  const Graph graph = std::move(*builder.BuildAndReset({es::Relu(product), es::Sigmoid(product)}));
  const std::string text = GetPass("FuseMatMul").WhyNot(graph);
  EXPECT_NE(text.find("\"misses\":["), std::string::npos) << text;
  EXPECT_THROW(GetPass("FuseMatMul").WhyNot(graph, "nobody"), Error);
}

TEST(Transform, RemarksAreCollected) {
  auto context = PassContext::Create();
  context->collect_diagnostics = true;
  {
    const With<PassContext> scope(context);
    PassContext::Report(GE_LOG_WARNING, "relu", "is alone");
  }
  ASSERT_EQ(context->Diagnostics().size(), 1u);
  EXPECT_EQ(context->Diagnostics()[0].node, "relu");
  EXPECT_EQ(context->Diagnostics()[0].text, "is alone");
}

}  // namespace
