// Called graphs take the place of their calls: values are written out by hand, structure is read off the compiled
// graph.
#include "net.h"

#include "core/passes/builtin.h"

namespace gec {
namespace {

using Floats = std::vector<float>;

size_t CountType(const Graph &graph, const char *type) { return graph.CountOf(Symbol(type)); }

/// f(x) = exp(-x), with x of any length.
GraphPtr ExpNeg(const char *name) {
  return Sub(name, {{{-1}, C_DT_FLOAT}}, [](Net &n, auto &in) {
    return std::vector<Endpoint>{n.Out("Exp", {n.Out("Neg", {in[0]}, "neg")}, "exp")};
  });
}

Node *Call(Net &net, GraphPtr graph, std::vector<Endpoint> arguments, int outputs, const char *name = "call") {
  Node *call = net.Op("PartitionedCall", std::move(arguments), outputs, name);
  net.graph->AttachSubgraph(call, "f", std::move(graph));
  return call;
}

TEST(InlineCalls, TheRootRunsFromOnePlanAndFusesAcrossTheBorder) {
  Net net;
  Node *call = Call(net, ExpNeg("f"), {net.Out("Abs", {net.Input({3})})}, 1);
  net.Outputs({net.Out("Sqrt", {{call, 0}})});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  ASSERT_NE(model->NewestPlan(), nullptr);
  EXPECT_TRUE(model->NewestPlan()->is_static());
  EXPECT_EQ(model->NewestPlan()->steps.size(), 1u);
  EXPECT_TRUE(model->graph().subgraphs().empty());
  RunContext context(model);
  const Floats got = RunAll(context, {Array::F({3}, {0, -2, 4})})[0].Floats();
  const Floats want{1, 0.36787944f, 0.13533528f};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << i;
}

TEST(InlineCalls, OneGraphCalledWithTwoShapes) {
  Net net;
  GraphPtr f = ExpNeg("f");
  Node *first = Call(net, f, {net.Input({2})}, 1, "first"), *second = Call(net, f, {net.Input({3})}, 1, "second");
  net.Outputs({{first, 0}, {second, 0}});
  for (const char *disabled : {"", "InlineCalls,FuseElementwise", "FuseElementwise"}) {
    SCOPED_TRACE(disabled);
    ModelPtr model = Model::Compile(*net.graph, Opts({{"passes.disable", disabled}}));
    const bool calls = std::string(disabled).find("Inline") != std::string::npos;
    EXPECT_EQ(CountType(model->graph(), "PartitionedCall"), calls ? 2u : 0u);
    if (std::string(disabled) == "FuseElementwise") {
      Node *node = model->graph().Find("second/neg");
      ASSERT_NE(node, nullptr);
      EXPECT_EQ(node->OriginText(), "neg");
    }
    RunContext context(model);
    auto got = RunAll(context, {Array::F({2}, {0, 0}), Array::F({3}, {0, 0, -1})});
    EXPECT_EQ(got[0].Floats(), (Floats{1, 1}));
    EXPECT_NEAR(got[1].Floats().at(2), 2.7182817f, 1e-6);
  }
}

TEST(InlineCalls, ArgumentsMayBeHandedThroughSwappedAndUnused) {
  Net net;
  GraphPtr f = Sub("f", {{{1}, C_DT_FLOAT}, {{2}, C_DT_FLOAT}, {{3}, C_DT_FLOAT}}, [](Net &, auto &in) {
    return std::vector<Endpoint>{in[2], in[0], in[2]};
  });
  Node *call = Call(net, f, {net.Input({1}), net.Input({2}), net.Input({3})}, 3);
  net.Outputs({{call, 0}, {call, 1}, net.Out("Neg", {{call, 2}})});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  EXPECT_EQ(CountType(model->graph(), "PartitionedCall"), 0u);
  RunContext context(model);
  auto got = RunAll(context, {Array::F({1}, {1}), Array::F({2}, {2, 2}), Array::F({3}, {3, 4, 5})});
  EXPECT_EQ(got[0].Floats(), (Floats{3, 4, 5}));
  EXPECT_EQ(got[1].Floats(), (Floats{1}));
  EXPECT_EQ(got[2].Floats(), (Floats{-3, -4, -5}));
}

TEST(InlineCalls, CallsInsideBranchesAndBranchesInsideCalls) {
  Net net;
  Endpoint condition = net.Input({}, C_DT_BOOL), x = net.Input({2});
  // f(c, x) = if c then g(x) else x, g(x) = exp(-x)
  Net f("f");
  Endpoint c = f.Input({}, C_DT_BOOL), fx = f.Input({2});
  Node *branch = f.Op("If", {c, fx}, 1);
  Net then("then");
  Node *inner = then.Op("PartitionedCall", {then.Input({2})}, 1);
  then.Outputs({{inner, 0}});
  f.Outputs({{branch, 0}});
  Node *call = net.Op("PartitionedCall", {condition, x}, 1);
  net.graph->AttachSubgraph(call, "f", f.graph);
  f.graph->AttachSubgraph(branch, "then_branch", then.graph);
  f.graph->AttachSubgraph(branch, "else_branch", Sub("else", {{{2}, C_DT_FLOAT}}, [](Net &, auto &in) { return in; }));
  then.graph->AttachSubgraph(inner, "f", ExpNeg("g"));
  net.Outputs({{call, 0}});
  ModelPtr model = Model::Compile(*net.graph, Opts({{"verify", "1"}}));
  EXPECT_EQ(CountType(model->graph(), "If"), 1u);
  EXPECT_EQ(model->graph().subgraphs().size(), 2u);  // the branches
  RunContext context(model);
  EXPECT_EQ(RunAll(context, {Array::Bool(true), Array::F({2}, {0, 0})})[0].Floats(), (Floats{1, 1}));
  EXPECT_EQ(RunAll(context, {Array::Bool(false), Array::F({2}, {5, 6})})[0].Floats(), (Floats{5, 6}));
}

TEST(InlineCalls, OrderAndChoicesOfTheCallHoldForItsBody) {
  Net net;
  Node *before = net.Op("Neg", {net.Input({2})}, 1, "before");
  Node *call = Call(net, ExpNeg("f"), {net.Input({2})}, 1);
  Node *after = net.Op("Abs", {net.Input({2})}, 1, "after");
  net.graph->AddControl(before, call);
  net.graph->AddControl(call, after);
  net.graph->SetAttr(call, "_engine", AttrValue(std::string("DNN_VM_HOST_CPU")));
  net.Outputs({{before, 0}, {call, 0}, {after, 0}});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  std::vector<std::string> order;
  for (const ExecPlan::Placed &placed : model->NewestPlan()->placed) {
    order.push_back(placed.node->name());
    const bool inner = placed.node->name().rfind("call/", 0) == 0;
    EXPECT_EQ(placed.kernel->engine().name() == "DNN_VM_HOST_CPU", inner) << placed.node->name();
  }
  EXPECT_EQ(order, (std::vector<std::string>{"before", "call/neg", "call/exp", "after"}));
}

TEST(InlineCalls, WhatTheBodyDoesComesBeforeReadersOfItsResults) {
  Net net;
  GraphPtr f = Sub("f", {{{}, C_DT_BOOL}, {{2}, C_DT_FLOAT}}, [](Net &n, auto &in) {
    n.Op("Assert", {in[0], in[1]}, 0, "assert");
    return std::vector<Endpoint>{in[1]};
  });
  Node *call = Call(net, f, {net.Input({}, C_DT_BOOL), net.Out("Neg", {net.Input({2})}, "neg")}, 1);
  Node *reader = net.Op("Abs", {{call, 0}}, 1, "abs");
  net.Outputs({{reader, 0}});
  PassContext ctx;
  PassRun run;
  ctx.CountIn(&run);
  ASSERT_TRUE(InlineCalls(*net.graph, ctx));
  net.graph->Verify();
  std::vector<std::string> order;
  for (const Node *node : net.graph->TopologicalOrder()) {
    if (!IsDataType(node->type()) && node->type().view() != "NoOp") order.push_back(node->name());
  }
  EXPECT_EQ(order, (std::vector<std::string>{"neg", "call/assert", "abs"}));
  EXPECT_EQ(reader->control_inputs().size(), 1u);
}

TEST(InlineCalls, AFunctionWithABranchMayBeCalledAThousandTimes) {
  Net net;
  Endpoint condition = net.Input({}, C_DT_BOOL), x = net.Input({1});
  Net f("f");
  Endpoint c = f.Input({}, C_DT_BOOL), fx = f.Input({1});
  Node *branch = f.Op("If", {c, fx}, 1);
  f.Outputs({{branch, 0}});
  constexpr int kCalls = 1000;
  for (int i = 0; i < kCalls; ++i) {
    Node *call = net.Op("PartitionedCall", {condition, x}, 1);
    net.graph->AttachSubgraph(call, "f", f.graph);
    if (i == 0) {
      f.graph->AttachSubgraph(branch, "then_branch", ExpNeg("then"));
      f.graph->AttachSubgraph(branch, "else_branch",
                              Sub("else", {{{1}, C_DT_FLOAT}}, [](Net &, auto &in) { return in; }));
    }
    x = {call, 0};
  }
  net.Outputs({x});
  PassContext ctx;
  PassRun run;
  ctx.CountIn(&run);
  ASSERT_TRUE(InlineCalls(*net.graph, ctx));
  net.graph->Verify();
  EXPECT_EQ(net.graph->CountOf(Symbol("If")), size_t{kCalls});
  EXPECT_EQ(net.graph->subgraphs().size(), size_t{2 * kCalls});
}

TEST(InlineCalls, WhatMustStayACallStaysAndRuns) {
  Net net;
  GraphPtr f = ExpNeg("f");
  f->SetGraphAttr("SkipOptimization", AttrValue(true));
  Node *call = Call(net, f, {net.Input({2})}, 1);
  net.Outputs({{call, 0}});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  EXPECT_EQ(CountType(model->graph(), "PartitionedCall"), 1u);
  RunContext context(model);
  EXPECT_EQ(RunAll(context, {Array::F({2}, {0, 0})})[0].Floats(), (Floats{1, 1}));
}

TEST(InlineCalls, CopiesThatDoubleAtEveryLevelStopAtALimit) {
  // f0 calls f1 twice, f1 calls f2 twice, …: 2^30 nodes
  constexpr int kLevels = 30;
  Net net;
  Node *call = net.Op("PartitionedCall", {net.Input({1})}, 1);
  net.Outputs({{call, 0}});
  GraphPtr last =
      Sub("leaf", {{{1}, C_DT_FLOAT}}, [](Net &n, auto &in) { return std::vector<Endpoint>{n.Out("Neg", {in[0]})}; });
  for (int level = kLevels; level > 0; --level) {
    Net f(("f" + std::to_string(level)).c_str());
    Node *a = f.Op("PartitionedCall", {f.Input({1})}, 1), *b = f.Op("PartitionedCall", {{a, 0}}, 1);
    f.graph->AttachSubgraph(a, "f", last);
    f.graph->AttachSubgraph(b, "f", last);
    f.Outputs({{b, 0}});
    last = f.graph;
  }
  net.graph->AttachSubgraph(call, "f", last);
  PassContext ctx;
  PassRun run;
  ctx.CountIn(&run);
  EXPECT_TRUE(InlineCalls(*net.graph, ctx));
  net.graph->Verify();
  size_t nodes = net.graph->node_count();
  for (const GraphPtr &graph : net.graph->subgraphs()) nodes += graph->node_count();
  EXPECT_LT(nodes, 500'000u);
  EXPECT_NE(run.rules.at("InlineCalls").last_refusal.find("would let the graph grow by more than 200000 nodes"),
            std::string::npos);
}

TEST(InlineCalls, ArgumentsThatAreMissingAreNamed) {
  Net net;
  Node *call = Call(net,
                    Sub("f", {{{2}, C_DT_FLOAT}, {{2}, C_DT_FLOAT}},
                        [](Net &n, auto &in) {
                          return std::vector<Endpoint>{n.Out("Add", {in[0], in[1]})};
                        }),
                    {net.Input({2})}, 1);
  net.Outputs({{call, 0}});
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts()), GE_GRAPH_INVALID, "has index 1, the node passes 1 inputs");
}

}  // namespace
}  // namespace gec
