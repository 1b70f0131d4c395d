#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pass_graph.h"

#include "core/ops/make_node.h"
#include "ge/pass.h"

using namespace gec;
using namespace gec::test;

namespace {

TEST(Registry, BuiltinPassesRunInTheirOrder) {
  std::vector<std::string> names;
  for (const PassEntryPtr &pass : PassRegistry::Instance().All()) names.push_back(pass->info.name);
  auto at = [&](const char *name) { return std::find(names.begin(), names.end(), name) - names.begin(); };
  EXPECT_LT(at("RemoveIdentity"), at("ConstantFolding"));
  EXPECT_LT(at("FuseConvBatchNorm"), at("FuseConv"));
  EXPECT_LT(at("FuseConv"), at("LayoutPropagation"));
  EXPECT_LT(at("LayoutPropagation"), at("FuseElementwise"));
  EXPECT_LT(at("FuseElementwise"), at("FinalCleanup"));
  EXPECT_LT(at("FinalCleanup"), static_cast<ptrdiff_t>(names.size()));
}

TEST(Registry, UnknownDisabledNameIsRefusedWithNearNames) {
  Builder b;
  b.Outputs({b("Relu", {b.Input({2})})});
  PassContext ctx = Context();
  ctx.scope->disabled = {"FuseGelo"};
  try {
    CheckPassName(*ctx.scope->disabled.begin(), "option passes.disable", true);
    FAIL() << "accepted";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), GE_OPTION_INVALID);
    EXPECT_NE(std::string(e.what()).find("FuseGelu"), std::string::npos) << e.what();
  }
}

TEST(Registry, DisabledAndLeveledPassesStayOut) {
  auto identities = [](std::set<std::string> disabled, int level) {
    Builder b;
    b.Outputs({b("Identity", {b("Relu", {b.Input({2})})})});
    PassContext ctx = Context();
    ctx.scope->disabled = std::move(disabled);
    ctx.scope->opt_level = level;
    RunSequence(PassRegistry::Instance().OfLibrary(GE_STAGE_AFTER_INFER_SHAPE), *b.graph, ctx);
    return Count(*b.graph, "Identity");
  };
  EXPECT_EQ(identities({}, 2), 0u);
  EXPECT_EQ(identities({"RemoveIdentity"}, 2), 1u);
  EXPECT_EQ(identities({}, 0), 1u);
}

TEST(Registry, AFailingPassLeavesTheGraphAsItWas) {
  Builder b;
  Endpoint x = b.Input({2});
  Endpoint relu = b("Relu", {x});
  b.Outputs({relu});
  PassEntry entry;
  entry.info.name = "HalfDone";
  entry.run = [](Graph &graph, PassContext &ctx) -> bool {
    Node *relu = Only(graph, "Relu");
    Node *neg = MakeNode(graph, "Neg", "extra");
    graph.Connect(relu->input(0), neg, 0);
    graph.ReplaceUses({relu, 0}, {neg, 0});
    graph.RemoveNode(relu);
    ctx.At("the rule", neg);
    Fail(GE_UNSUPPORTED, "does not go on");
  };
  PassContext ctx = Context();
  try {
    RunPass(entry, *b.graph, ctx);
    FAIL() << "did not fail";
  } catch (const Error &e) {
    std::string text = e.what();
    EXPECT_EQ(e.code(), GE_UNSUPPORTED);
    for (const char *part : {"HalfDone", "the rule", "Neg 'extra'", "does not go on"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(b.graph->node_count(), 2u);
  EXPECT_EQ(b.graph->Outputs()[0], relu);
  b.graph->Verify();
}

TEST(Registry, VerifyNamesThePassThatBreaksTheGraph) {
  Builder b;
  b.Outputs({b("Relu", {b.Input({2})})});
  PassEntry entry;
  entry.info.name = "Cutter";
  entry.run = [](Graph &graph, PassContext &) {
    graph.Disconnect(Only(graph, "Relu"), 0);
    return true;
  };
  PassContext ctx = Context();
  try {
    RunPass(entry, *b.graph, ctx);
    FAIL() << "accepted a broken graph";
  } catch (const Error &e) {
    EXPECT_NE(std::string(e.what()).find("Cutter"), std::string::npos);
  }
  b.graph->Verify();
}

TEST(Registry, TheReportIsData) {
  Builder b;
  b.Outputs({b("Identity", {b("Relu", {b.Input({2})})})});
  PassContext ctx = Context();
  RunSequence(PassRegistry::Instance().OfLibrary(GE_STAGE_AFTER_INFER_SHAPE), *b.graph, ctx);
  const auto run =
      std::find_if(ctx.report.begin(), ctx.report.end(), [](const PassRun &r) { return r.name == "RemoveIdentity"; });
  ASSERT_NE(run, ctx.report.end());
  EXPECT_TRUE(run->changed);
  EXPECT_EQ(run->Total().applied, 1);
  EXPECT_NE(PassReportJson(ctx.report).find("\"name\":\"RemoveIdentity\""), std::string::npos);
}

TEST(Registry, SubgraphsAreRewrittenUnlessTheySaySkip) {
  for (bool skip : {false, true}) {
    Builder b, sub;
    b.Outputs({b("Relu", {b.Input({2})})});
    sub.graph->set_name("sub");
    sub.Outputs({sub("Identity", {sub("Relu", {sub.Input({2})})})});
    if (skip) sub.graph->SetGraphAttr("SkipOptimization", true);
    b.graph->AddSubgraph(sub.graph);
    EXPECT_EQ(RunOne(*b.graph, "RemoveIdentity"), !skip);
    EXPECT_EQ(Count(*sub.graph, "Identity"), skip ? 1u : 0u);
  }
}

PassEntry Idle(const char *name, PassKind kind) {
  PassEntry entry;
  entry.info.name = name;
  entry.info.stage = GE_STAGE_AFTER_INFER_SHAPE;
  entry.info.kind = kind;
  entry.run = [](Graph &, PassContext &) { return false; };
  return entry;
}

std::vector<std::string> Names(const std::vector<PassEntryPtr> &passes) {
  std::vector<std::string> names;
  for (const PassEntryPtr &pass : passes) names.push_back(pass->info.name);
  return names;
}

TEST(Registry, PassesOfAScopeStandBesideTheRegisteredOnes) {
  PassRegistry &registry = PassRegistry::Instance();
  const uint64_t registered = registry.Register(Idle("M", PassKind::kFusion));
  auto scope = std::make_shared<PassScope>();
  {
    CollectPasses collected;
    EXPECT_EQ(registry.Register(Idle("M", PassKind::kFusion)), 0u);  // the name is taken
    for (const char *name : {"Z", "A"}) EXPECT_NE(registry.Register(Idle(name, PassKind::kFusion)), 0u);
    EXPECT_NE(registry.Register(Idle("F", PassKind::kFunction)), 0u);
    EXPECT_EQ(registry.Register(Idle("S", PassKind::kStream)), 0u);  // not in this stage
    scope->own_passes = collected.found;
  }
  const std::vector<std::string> alone{"M"}, all{"F", "A", "M", "Z"};
  EXPECT_EQ(Names(registry.OfProgram(GE_STAGE_AFTER_INFER_SHAPE)), alone);
  EXPECT_EQ(registry.Find("A"), nullptr);
  {
    const AdoptScope adopted(scope);
    EXPECT_EQ(Names(registry.OfProgram(GE_STAGE_AFTER_INFER_SHAPE)), all);
    EXPECT_EQ(registry.OfProgram(GE_STAGE_AFTER_INFER_SHAPE)[2]->token, registered);
    EXPECT_TRUE(registry.OfProgram(GE_STAGE_BEFORE_INFER_SHAPE).empty());
    ASSERT_NE(registry.Find("A"), nullptr);
    std::thread([&] { EXPECT_EQ(registry.Find("A"), nullptr); }).join();
  }
  EXPECT_EQ(Names(registry.OfProgram(GE_STAGE_AFTER_INFER_SHAPE)), alone);
  registry.Unregister(registered);
}

TEST(Registry, OfCollectedFusionPassesWithOneNameTheFirstStays) {
  PassRegistry &registry = PassRegistry::Instance();
  std::vector<PassEntryPtr> first, second;
  for (auto *of : {&first, &second}) {  // two files that are loaded at once: neither is there yet for the other
    CollectPasses collected;
    for (PassKind kind : {PassKind::kFusion, PassKind::kFunction}) registry.Register(Idle("N", kind));
    of->swap(collected.found);
    ASSERT_EQ(of->size(), 2u);
  }
  for (const auto *of : {&first, &second})
    for (const PassEntryPtr &pass : *of) registry.Add(pass);
  const std::vector<PassEntryPtr> expected{first[1], second[1], first[0]};  // names of functions may repeat
  EXPECT_EQ(registry.OfProgram(GE_STAGE_AFTER_INFER_SHAPE), expected);
  for (const auto *of : {&first, &second})
    for (const PassEntryPtr &pass : *of) registry.Unregister(pass->token);
  EXPECT_TRUE(registry.OfProgram(GE_STAGE_AFTER_INFER_SHAPE).empty());
}

}  // namespace
