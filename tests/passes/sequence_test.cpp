// Which passes of a sequence run, what they require, and what instruments see of it.
#include "core/compile/find_instrument.h"
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

using Trace = std::vector<std::string>;

PassEntryPtr Noting(const char *name, int32_t level, Trace *trace, std::vector<std::string> required = {}) {
  auto entry = std::make_shared<PassEntry>();
  entry->info.name = name;
  entry->info.level = level;
  entry->info.stage = GE_STAGE_NONE;
  entry->info.required = std::move(required);
  entry->info.whole_tree = true;
  entry->run = [trace, name](Graph &, PassContext &) { return trace->push_back(name), false; };
  return entry;
}

/// Registered while it lives, so that others can require it.
class Registered {
 public:
  explicit Registered(const PassEntryPtr &entry) : token_(PassRegistry::Instance().Register(*entry)) {}
  ~Registered() { PassRegistry::Instance().Unregister(token_); }

 private:
  uint64_t token_;
};

struct Net : Builder {
  Net() { Outputs({(*this)("Identity", {(*this)("Relu", {Input({2})})})}); }
};

Trace RunNet(const std::vector<PassEntryPtr> &passes, Trace *trace,
             const std::function<void(PassScope &)> &change = {}) {
  Net net;
  PassContext ctx = Context();
  if (change) change(*ctx.scope);
  trace->clear();
  RunSequence(passes, *net.graph, ctx);
  return *trace;
}

TEST(Sequence, TheGate) {
  Trace trace;
  const std::vector<PassEntryPtr> passes{Noting("low", 1, &trace), Noting("high", 3, &trace)};
  EXPECT_EQ(RunNet(passes, &trace), Trace({"low"}));
  EXPECT_EQ(RunNet(passes, &trace, [](PassScope &s) { s.opt_level = 3; }), Trace({"low", "high"}));
  EXPECT_EQ(RunNet(passes, &trace, [](PassScope &s) { s.opt_level = 0; }), Trace());
  EXPECT_EQ(RunNet(passes, &trace, [](PassScope &s) { s.required = {"high"}; }), Trace({"low", "high"}));
  EXPECT_EQ(RunNet(passes, &trace, [](PassScope &s) { s.disabled = s.required = {"low"}; }), Trace());
  EXPECT_EQ(RunNet(passes, &trace, [](PassScope &s) { s.switches.option["high"] = true; }), Trace({"low", "high"}));
  EXPECT_EQ(RunNet(passes, &trace,
                   [](PassScope &s) {
                     s.switches.file["low"] = false;
                     s.required = {"low"};  // off by a switch is stronger
                   }),
            Trace());
  EXPECT_EQ(RunNet(passes, &trace,
                   [](PassScope &s) {
                     s.switches.file["low"] = false;
                     s.switches.option["low"] = true;  // and the option stronger than the file
                   }),
            Trace({"low"}));
}

TEST(Sequence, RequiredPassesRunFirstWhateverTheirLevel) {
  Trace trace;
  const PassEntryPtr first = Noting("first", 9, &trace), second = Noting("second", 9, &trace, {"first"});
  const Registered one(first), two(second);
  const std::vector<PassEntryPtr> passes{Noting("third", 1, &trace, {"second"})};
  EXPECT_EQ(RunNet(passes, &trace), Trace({"first", "second", "third"}));
  auto diagnostics = std::make_shared<Diagnostics>();
  EXPECT_EQ(RunNet(passes, &trace,
                   [&](PassScope &s) {
                     s.disabled = {"first"};
                     s.diagnostics = diagnostics;
                   }),
            Trace({"second", "third"}));
  ASSERT_EQ(diagnostics->All().size(), 1u);
  EXPECT_EQ(diagnostics->All()[0].text, "pass 'second' requires pass 'first', which is disabled");
}

TEST(Sequence, ACircleIsNamed) {
  Trace trace;
  const Registered one(Noting("hen", 1, &trace, {"egg"})), two(Noting("egg", 1, &trace, {"hen"}));
  try {
    RunNet({PassRegistry::Instance().Get("hen")}, &trace);
    FAIL() << "ran";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), GE_BAD_STATE);
    EXPECT_NE(std::string(e.what()).find("'hen' requires 'egg' requires 'hen'"), std::string::npos) << e.what();
  }
  EXPECT_EQ(trace, Trace());
}

TEST(Sequence, ACircleThroughASequenceThatHoldsThePass) {
  Trace trace;
  const PassEntryPtr member = Noting("member", 0, &trace, {"holder"});
  const Registered holder(MakeSequence("holder", 0, {member}));
  try {
    RunNet({MakeSequence("outer", 0, {member})}, &trace);
    FAIL() << "ran";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), GE_BAD_STATE);
    EXPECT_NE(std::string(e.what()).find("'member' requires 'holder' holds 'member'"), std::string::npos) << e.what();
  }
  // Names alone make no circle.
  const PassEntryPtr same = MakeSequence("s", 0, {MakeSequence("s", 0, {Noting("x", 0, &trace)})});
  EXPECT_EQ(RunNet({same}, &trace), Trace({"x"}));
}

TEST(Sequence, OtherNamesOfPasses) {
  EXPECT_EQ(PassRegistry::Instance().Get("FoldConstant")->info.name, "ConstantFolding");
  EXPECT_EQ(PassRegistry::Instance().NameOf("InferType"), "InferShape");
  EXPECT_EQ(PassRegistry::Instance().NameOf("mine"), "mine");
}

TEST(Sequence, EssentialPassesRunInCompilesOnly) {
  Trace trace;
  auto essential = std::make_shared<PassEntry>(*Noting("essential", 0, &trace));
  essential->info.essential = true;
  EXPECT_EQ(RunNet({essential}, &trace, [](PassScope &s) { s.disabled = {"essential"}; }), Trace());
  Net net;
  PassContext ctx = Context();
  ctx.owns_graph = true;
  ctx.scope->disabled = {"essential"};
  RunSequence({essential}, *net.graph, ctx);
  EXPECT_EQ(trace, Trace({"essential"}));
}

TEST(Sequence, ARequiredPassThatThereIsNot) {
  Trace trace;
  try {
    RunNet({Noting("x", 1, &trace, {"DeadCod"})}, &trace);
    FAIL() << "ran";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), GE_NOT_FOUND);
    EXPECT_NE(std::string(e.what()).find("DeadCode"), std::string::npos) << e.what();
  }
}

TEST(Sequence, AFailureLeavesTheGraphAsBeforeTheWholeSequence) {
  Trace trace;
  auto fails = std::make_shared<PassEntry>(*Noting("fails", 0, &trace));
  fails->run = [](Graph &, PassContext &) -> bool { Fail(GE_UNSUPPORTED, "no"); };
  const PassEntryPtr both = MakeSequence("both", 0, {PassRegistry::Instance().Get("RemoveIdentity"), fails});
  Net net;
  PassContext ctx = Context();
  EXPECT_THROW(RunPass(*both, *net.graph, ctx), Error);
  EXPECT_EQ(Count(*net.graph, "Identity"), 1u);
  const PassEntryPtr one = MakeSequence("one", 0, {PassRegistry::Instance().Get("RemoveIdentity")});
  EXPECT_TRUE(RunPass(*one, *net.graph, ctx));
  EXPECT_EQ(Count(*net.graph, "Identity"), 0u);
}

TEST(Sequence, AFunctionPassMayNeitherAddNorRemoveGraphs) {
  PassEntry adds;
  adds.info.name = "adds";
  adds.run = [](Graph &graph, PassContext &) {
    if (!graph.parent()) graph.AddSubgraph(Graph::Create("more"));
    return true;
  };
  Net net;
  PassContext ctx = Context();
  EXPECT_THROW(RunPass(adds, *net.graph, ctx), Error);
  EXPECT_TRUE(net.graph->subgraphs().empty());
}

TEST(Sequence, AStreamPassMayNotEditTheGraph) {
  PassEntry edits;
  edits.info.name = "edits";
  edits.info.stage = GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM;
  edits.info.kind = PassKind::kStream;
  edits.info.whole_tree = true;
  edits.run = [](Graph &graph, PassContext &) {
    graph.SetGraphAttr("mark", int64_t{1});
    return true;
  };
  Net net;
  PassContext ctx = Context();
  EXPECT_THROW(RunPass(edits, *net.graph, ctx), Error);
  EXPECT_FALSE(net.graph->attrs().Has("mark"));
}

class Tracer : public PassInstrument {
 public:
  Tracer(std::string name, Trace *trace) : name_(std::move(name)), trace_(trace) {}
  std::string name() const override { return name_; }
  std::string fails;  // what throws
  std::string skips;  // a pass
  void EnterScope() override { Note("enter"); }
  void ExitScope() override { Note("exit"); }
  bool ShouldRun(Graph &, const PassInfo &info) override { return Note("should " + info.name), info.name != skips; }
  void RunBefore(Graph &, const PassInfo &info) override { Note("before " + info.name); }
  void RunAfter(Graph &, const PassInfo &info, const PassRun &) override { Note("after " + info.name); }

 private:
  void Note(const std::string &what) {
    trace_->push_back(name_ + ": " + what);
    if (what == fails) Fail(GE_FAILED, name_, " fails: ", what);
  }
  const std::string name_;
  Trace *trace_;
};

struct Watched {
  Trace trace;
  std::shared_ptr<Tracer> a = std::make_shared<Tracer>("a", &trace), b = std::make_shared<Tracer>("b", &trace);
  PassScopePtr scope = std::make_shared<PassScope>();
  Watched() { scope->instruments = {a, b}; }
  /// A sequence "all" of x, under the scope.
  void Run() {
    Net net;
    const PassEntryPtr all = MakeSequence("all", 0, {Noting("x", 0, &trace)});
    PassScope::Enter(scope);
    try {
      PassContext ctx;  // takes the thread's scope
      RunPass(*all, *net.graph, ctx);
    } catch (...) {
      PassScope::Exit(scope);
      throw;
    }
    PassScope::Exit(scope);
  }
};

TEST(Instruments, TheirOrder) {
  Watched w;
  w.Run();
  EXPECT_EQ(w.trace, Trace({"a: enter", "b: enter", "a: should all", "b: should all", "a: before all", "b: before all",
                            "a: should x", "b: should x", "a: before x", "b: before x", "x", "a: after x", "b: after x",
                            "a: after all", "b: after all", "a: exit", "b: exit"}));
}

TEST(Instruments, AnyMaySkipAPassThatIsNotRequired) {
  Watched w;
  w.b->skips = "x";
  w.Run();
  EXPECT_EQ(std::count(w.trace.begin(), w.trace.end(), "x"), 0);
  EXPECT_EQ(std::count(w.trace.begin(), w.trace.end(), "a: before x"), 0);
  EXPECT_EQ(std::count(w.trace.begin(), w.trace.end(), "a: should x"), 1);
  w.trace.clear();
  w.scope->required = {"x"};
  w.Run();
  EXPECT_EQ(std::count(w.trace.begin(), w.trace.end(), "x"), 1);
  EXPECT_EQ(std::count(w.trace.begin(), w.trace.end(), "b: should x"), 0);
}

TEST(Instruments, OneThatFailsWhileEnteringClearsThem) {
  Watched w;
  w.b->fails = "enter";
  EXPECT_THROW(w.Run(), Error);
  EXPECT_EQ(w.trace, Trace({"a: enter", "b: enter", "a: exit"}));
  EXPECT_TRUE(w.scope->instruments.empty());
  EXPECT_NE(PassScope::Current(), w.scope);
}

TEST(Instruments, OneThatFailsWhileLeavingClearsThemAndStopsTheRest) {
  Watched w;
  w.a->fails = "exit";
  EXPECT_THROW(w.Run(), Error);
  EXPECT_EQ(w.trace.back(), "a: exit");
  EXPECT_TRUE(w.scope->instruments.empty());
  EXPECT_NE(PassScope::Current(), w.scope);
}

TEST(Instruments, FailuresAroundAPassGoOnAtOnceAndTheScopeStillExits) {
  for (const char *at : {"should x", "before x", "after x"}) {
    Watched w;
    w.a->fails = at;
    EXPECT_THROW(w.Run(), Error) << at;
    EXPECT_EQ(std::count(w.trace.begin(), w.trace.end(), std::string("b: ") + at), 0) << at;
    EXPECT_EQ(w.trace[w.trace.size() - 2], "a: exit") << at;
    EXPECT_EQ(w.trace.back(), "b: exit") << at;
    EXPECT_EQ(w.scope->instruments.size(), 2u);
  }
}

TEST(Instruments, OneThatFailsAfterAPassUndoesIt) {
  Net net;
  Trace trace;
  auto tracer = std::make_shared<Tracer>("a", &trace);
  tracer->fails = "after RemoveIdentity";
  PassContext ctx = Context();
  ctx.scope->instruments = {tracer};
  EXPECT_THROW(RunOne(*net.graph, "RemoveIdentity", ctx), Error);
  EXPECT_EQ(Count(*net.graph, "Identity"), 1u);
}

TEST(Instruments, EachIsToldTheEndOfAPassOnce) {
  struct Counting : PassInstrument {
    int open = 0;
    std::string name() const override { return "counting"; }
    void RunBefore(Graph &, const PassInfo &) override { ++open; }
    void RunAfter(Graph &, const PassInfo &, const PassRun &) override { --open; }
    void RunFailed(const PassInfo &) noexcept override { --open; }
  };
  Net net;
  Trace trace;
  auto first = std::make_shared<Counting>(), last = std::make_shared<Counting>();
  auto fails = std::make_shared<Tracer>("a", &trace);
  fails->fails = "after RemoveIdentity";
  PassContext ctx = Context();
  ctx.scope->instruments = {first, fails, last};
  EXPECT_THROW(RunOne(*net.graph, "RemoveIdentity", ctx), Error);
  EXPECT_EQ(first->open, 0);
  EXPECT_EQ(last->open, 0);
}

TEST(Scopes, NestAndAreLeftInOrder) {
  const PassScopePtr base = PassScope::Current();
  auto outer = std::make_shared<PassScope>(), inner = std::make_shared<PassScope>();
  PassScope::Enter(outer);
  PassScope::Enter(inner);
  EXPECT_EQ(PassScope::Current(), inner);
  EXPECT_THROW(PassScope::Exit(outer), Error);
  PassScope::Exit(inner);
  EXPECT_EQ(PassScope::Current(), outer);
  PassScope::Exit(outer);
  EXPECT_THROW(PassScope::Exit(outer), Error);
  EXPECT_EQ(PassScope::Current(), base);
}

TEST(Scopes, APassCanNeitherLeaveNorKeepOneOverTheWorkThatGoesOn) {
  const PassScopePtr base = PassScope::Current();
  auto outer = std::make_shared<PassScope>(), inner = std::make_shared<PassScope>();
  PassScope::Enter(outer);
  PassEntry pass;
  pass.info.name = "Leaves";
  pass.info.whole_tree = true;
  pass.run = [&](Graph &, PassContext &) {
    EXPECT_THROW(PassScope::Exit(outer), Error);
    PassScope::Enter(inner);
    return false;
  };
  Net net;
  PassContext ctx = Context();
  RunPass(pass, *net.graph, ctx);
  EXPECT_EQ(PassScope::Current(), outer);
  PassScope::Exit(outer);
  EXPECT_EQ(PassScope::Current(), base);
}

TEST(Scopes, OneThatIsBeingLeftIsLeftOnce) {
  struct Leaves : PassInstrument {
    PassScopePtr scope;
    std::string name() const override { return "leaves"; }
    void ExitScope() override {
      EXPECT_THROW(PassScope::Exit(scope), Error);
      EXPECT_THROW(PassScope::Enter(scope), Error);
    }
  };
  const PassScopePtr base = PassScope::Current();
  auto leaves = std::make_shared<Leaves>();
  auto scope = leaves->scope = std::make_shared<PassScope>();
  scope->instruments = {leaves};
  PassScope::Enter(scope);
  PassScope::Exit(scope);
  EXPECT_EQ(PassScope::Current(), base);
  leaves->scope.reset();
}

TEST(Scopes, ConfigIsTyped) {
  EXPECT_EQ(CheckedConfig("passes.max_rewrites", int64_t{5}), ConfigValue(int64_t{5}));
  const auto refused = [](const char *key, const ConfigValue &value, const char *part) {
    try {
      CheckedConfig(key, value);
      ADD_FAILURE() << "accepted";
    } catch (const Error &e) {
      EXPECT_EQ(e.code(), GE_OPTION_INVALID);
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  refused("passes.max_rewrite", int64_t{5}, "passes.max_rewrites");
  refused("passes.max_rewrites", std::string("5"), "a text (5)");
  refused("passes.max_rewrites", int64_t{0}, "1 or more");
  EXPECT_EQ(CheckedConfig("passes.verify", true), ConfigValue(true));
}

TEST(Instruments, TimesNestAndCountCalls) {
  Net net;
  const PassInstrumentPtr timing = FindInstrument("timing", ""), counter = FindInstrument("counter", ""),
                          memory = FindInstrument("memory", "");
  PassContext ctx = Context();
  ctx.scope->instruments = {timing, counter, memory};
  const PassEntryPtr dead = PassRegistry::Instance().Get("DeadCode");
  const PassEntryPtr all = MakeSequence("all", 0, {PassRegistry::Instance().Get("RemoveIdentity"), dead, dead});
  RunPass(*all, *net.graph, ctx);
  const std::string json = timing->Json(), text = timing->Text();
  EXPECT_NE(json.find("{\"name\":\"all\",\"calls\":1,"), std::string::npos) << json;
  EXPECT_NE(json.find("{\"name\":\"DeadCode\",\"calls\":2,"), std::string::npos) << json;
  EXPECT_NE(text.find("\nall "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  RemoveIdentity "), std::string::npos) << text;
  EXPECT_NE(counter->Json().find("{\"name\":\"RemoveIdentity\",\"tried\":1,\"matched\":1,\"applied\":1,\"declined\":0"),
            std::string::npos)
      << counter->Json();
  EXPECT_NE(memory->Json().find("\"peak_bytes\":"), std::string::npos);
  EXPECT_THROW(FindInstrument("timings", ""), Error);
  EXPECT_THROW(FindInstrument("dump", ""), Error);
}

TEST(TakeContent, IsUndoneAsAWhole) {
  Net net;
  Builder other;
  Builder sub;
  sub.graph->set_name("body");
  sub.Outputs({sub("Neg", {sub.Input({2})})});
  other.Outputs({other("Abs", {other.Input({3})})});
  other.graph->AddSubgraph(sub.graph);
  other.graph->SetGraphAttr("mark", int64_t{1});
  {
    Transaction all(*net.graph);
    net.graph->TakeContent(*other.graph);
    net.graph->Verify();
    EXPECT_EQ(Count(*net.graph, "Abs"), 1u);
    EXPECT_EQ(net.graph->subgraphs().size(), 1u);
    EXPECT_TRUE(net.graph->attrs().Has("mark"));
  }
  net.graph->Verify();
  EXPECT_EQ(Count(*net.graph, "Abs"), 0u);
  EXPECT_EQ(Count(*net.graph, "Identity"), 1u);
  EXPECT_TRUE(net.graph->subgraphs().empty());
  EXPECT_FALSE(net.graph->attrs().Has("mark"));
  net.graph->TakeContent(*other.graph);
  net.graph->Verify();
  EXPECT_EQ(Count(*net.graph, "Abs"), 1u);
  EXPECT_EQ(net.graph->Outputs().size(), 1u);
  other.graph->Verify();
}

}  // namespace
