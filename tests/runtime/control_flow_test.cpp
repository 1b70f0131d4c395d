#include "tests/runtime/net.h"

namespace gec {
namespace {

TEST(ControlFlow, IfTakesOneBranch) {
  Net net;
  Endpoint cond = net.Input({}, C_DT_BOOL), x = net.Input({2});
  Node *node = net.Op("If", {cond, x}, 1);
  net.graph->AttachSubgraph(node, "then_branch", Sub("then", {{{2}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Neg", {in[0]})};
                            }));
  net.graph->AttachSubgraph(node, "else_branch", Sub("else", {{{2}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Mul", {in[0], in[0]})};
                            }));
  net.Outputs({net.Out("Add", {{node, 0}, x})});
  RunContext context(Model::Compile(*net.graph, Opts()));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(RunAll(context, {Array::Bool(true), Array::F({2}, {3, 4})})[0].Floats(), (std::vector<float>{0, 0}));
    EXPECT_EQ(RunAll(context, {Array::Bool(false), Array::F({2}, {3, 4})})[0].Floats(), (std::vector<float>{12, 20}));
  }
}

Net Counting() {  // while (i < limit) { i += 1; v = v * 2; }, limit is handed through
  Net net;
  Endpoint i = net.Input({}, C_DT_INT64), limit = net.Input({}, C_DT_INT64), v = net.Input({3});
  Node *node = net.Op("While", {i, limit, v}, 3);
  std::vector<std::pair<std::vector<int64_t>, int32_t>> types = {{{}, C_DT_INT64}, {{}, C_DT_INT64}, {{3}, C_DT_FLOAT}};
  net.graph->AttachSubgraph(node, "cond", Sub("cond", types, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Less", {in[0], in[1]})};
                            }));
  net.graph->AttachSubgraph(node, "body", Sub("body", types, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Add", {in[0], n.Const(Array::I64({}, {1}))}), in[1],
                                                           n.Out("Add", {in[2], in[2]})};
                            }));
  net.Outputs({{node, 0}, {node, 2}});
  return net;
}

TEST(ControlFlow, WhileLoopsUntilItsConditionFails) {
  Net net = Counting();
  RunContext context(Model::Compile(*net.graph, Opts()));
  for (int64_t n : {0, 1, 5, 10}) {
    std::vector<Array> out = RunAll(context, {Array::I64({}, {0}), Array::I64({}, {n}), Array::F({3}, {1, 2, 3})});
    EXPECT_EQ(out[0].As<int64_t>()[0], n);
    float f = static_cast<float>(1 << n);
    EXPECT_EQ(out[1].Floats(), (std::vector<float>{f, 2 * f, 3 * f}));
  }
}

TEST(ControlFlow, ABodyIsPlannedOnce) {
  Net net = Counting();
  ModelPtr model = Model::Compile(*net.graph, Opts());
  RunContext context(model);
  RunAll(context, {Array::I64({}, {0}), Array::I64({}, {50}), Array::F({3}, {1, 2, 3})});
  size_t plans = model->plan_count();
  RunAll(context, {Array::I64({}, {0}), Array::I64({}, {500}), Array::F({3}, {0, 0, 0})});
  EXPECT_EQ(model->plan_count(), plans);
  EXPECT_LE(plans, 3u);  // the root's verdict, condition and body
}

TEST(ControlFlow, ALoopMayGrowItsTensors) {  // v = concat(v, v) three times
  Net net;
  Endpoint i = net.Input({}, C_DT_INT64), v = net.Input({-1});
  Node *node = net.Op("While", {i, v}, 2);
  std::vector<std::pair<std::vector<int64_t>, int32_t>> types = {{{}, C_DT_INT64}, {{-1}, C_DT_FLOAT}};
  net.graph->AttachSubgraph(node, "cond", Sub("cond", types, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Less", {in[0], n.Const(Array::I64({}, {3}))})};
                            }));
  net.graph->AttachSubgraph(node, "body", Sub("body", types, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{
                                  n.Out("Add", {in[0], n.Const(Array::I64({}, {1}))}),
                                  n.Out("ConcatV2", {in[1], in[1], n.Const(Array::I64({}, {0}))})};
                            }));
  net.Outputs({{node, 1}});
  std::vector<Array> out = CompileAndRun(*net.graph, {Array::I64({}, {0}), Array::F({2}, {1, 2})});
  ASSERT_EQ(out[0].dims, (std::vector<int64_t>{16}));
  for (int k = 0; k < 16; ++k) EXPECT_EQ(out[0].Floats()[k], k % 2 ? 2 : 1);
}

TEST(ControlFlow, CaseChoosesAndClampsToTheLast) {
  Net net;
  Endpoint index = net.Input({}, C_DT_INT32), x = net.Input({1});
  Node *node = net.Op("Case", {index, x}, 1);
  for (int b = 0; b < 3; ++b) {
    std::string name = "branch" + std::to_string(b);
    net.graph->AttachSubgraph(node, "branches" + std::to_string(b),
                              Sub(name.c_str(), {{{1}, C_DT_FLOAT}}, [b](Net &n, auto &in) {
                                return std::vector<Endpoint>{n.Out("Add", {in[0], n.Const(Array::F({1}, {10.f * b}))})};
                              }));
  }
  net.Outputs({{node, 0}});
  RunContext context(Model::Compile(*net.graph, Opts()));
  for (auto [which, want] : std::vector<std::pair<int, float>>{{0, 1}, {1, 11}, {2, 21}, {7, 21}, {-1, 21}}) {
    EXPECT_EQ(RunAll(context, {Array::I32({}, {which}), Array::F({1}, {1})})[0].Floats()[0], want) << which;
  }
}

TEST(ControlFlow, ForPassesItsCounter) {  // sum of 2, 4, 6, 8
  Net net;
  Endpoint start = net.Input({}, C_DT_INT32), limit = net.Input({}, C_DT_INT32), delta = net.Input({}, C_DT_INT32),
           sum = net.Input({}, C_DT_INT32);
  Node *node = net.Op("For", {start, limit, delta, sum}, 1);
  net.graph->AttachSubgraph(node, "body", Sub("body", {{{}, C_DT_INT32}, {{}, C_DT_INT32}}, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Add", {in[0], in[1]})};
                            }));
  net.Outputs({{node, 0}});
  std::vector<Array> out =
      CompileAndRun(*net.graph, {Array::I32({}, {2}), Array::I32({}, {10}), Array::I32({}, {2}), Array::I32({}, {0})});
  EXPECT_EQ(out[0].As<int32_t>()[0], 20);
}

// Bodies that ES builds have as many inputs as there are variables: no counter then.
TEST(ControlFlow, ForWithoutItsCounter) {  // (1, 10) -> (11, 10) -> (21, 10) -> (31, 10)
  Net net;
  Endpoint start = net.Input({}, C_DT_INT32), limit = net.Input({}, C_DT_INT32), delta = net.Input({}, C_DT_INT32),
           sum = net.Input({2}), step = net.Input({2});
  Node *node = net.Op("For", {start, limit, delta, sum, step}, 2);
  net.graph->AttachSubgraph(node, "body", Sub("body", {{{2}, C_DT_FLOAT}, {{2}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Add", {in[0], in[1]}), in[1]};
                            }));
  net.Outputs({{node, 0}, {node, 1}});
  std::vector<Array> out = CompileAndRun(*net.graph, {Array::I32({}, {0}), Array::I32({}, {3}), Array::I32({}, {1}),
                                                      Array::F({2}, {1, 2}), Array::F({2}, {10, 20})});
  EXPECT_EQ(out[0].Floats(), (std::vector<float>{31, 62}));
  EXPECT_EQ(out[1].Floats(), (std::vector<float>{10, 20}));
}

TEST(ControlFlow, CallsNest) {  // f(x) = g(x) + g(x), g(x) = -x
  Net net;
  Endpoint x = net.Input({2});
  Node *call = net.Op("PartitionedCall", {x}, 1);
  Net f("f");
  Endpoint fx = f.Input({2});
  Node *inner = f.Op("PartitionedCall", {fx}, 1);
  f.Outputs({f.Out("Add", {{inner, 0}, {inner, 0}})});
  net.graph->AttachSubgraph(call, "f", f.graph);
  f.graph->AttachSubgraph(inner, "f", Sub("g", {{{2}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                            return std::vector<Endpoint>{n.Out("Neg", {in[0]})};
                          }));
  net.Outputs({{call, 0}});
  EXPECT_EQ(CompileAndRun(*net.graph, {Array::F({2}, {1, 2})})[0].Floats(), (std::vector<float>{-2, -4}));
}

// ---- bodies whose shapes do not fit ----

GraphPtr Times(const char *name, const std::vector<int64_t> &x, int64_t rows) {  // x @ [rows, 2] of ones
  return Sub(name, {{x, C_DT_FLOAT}}, [rows](Net &n, auto &in) {
    const Endpoint w = n.Const(Array::F({rows, 2}, std::vector<float>(static_cast<size_t>(rows) * 2, 1)));
    return std::vector<Endpoint>{n.Out("MatMul", {in[0], w})};
  });
}

TEST(ControlFlow, ACaseFailsWhenABranchThatDoesNotFitIsEntered) {
  for (const std::vector<int64_t> &dims : {std::vector<int64_t>{1, 3}, {-1, -1}}) {
    Net net;
    Endpoint index = net.Input({}, C_DT_INT32), x = net.Input(dims);
    Node *node = net.Op("Case", {index, x}, 1);
    for (int64_t rows : {2, 3, 4}) {
      net.graph->AttachSubgraph(node, "branches" + std::to_string(rows - 2),
                                Times(("rows" + std::to_string(rows)).c_str(), dims, rows));
    }
    net.Outputs({net.Out("Neg", {{node, 0}})});
    const Options options = Opts({{"verify", "1"}});
    RunContext plain(Model::Compile(*net.graph, options));
    RunContext saved(Model::Compile(*Model::OptimizeOffline(*net.graph, options, nullptr), options));
    const Array three = Array::F({1, 3}, {1, 2, 3});
    for (RunContext *at : {&plain, &plain, &saved}) {
      RunContext &context = *at;
      EXPECT_EQ(RunAll(context, {Array::I32({}, {1}), three})[0].Floats(), (std::vector<float>{-6, -6}));
      EXPECT_GE_ERROR(RunAll(context, {Array::I32({}, {0}), three}), GE_INFER_FAILED, "in branches0 'rows2': MatMul");
      EXPECT_GE_ERROR(RunAll(context, {Array::I32({}, {2}), three}), GE_INFER_FAILED, "in branches2 'rows4': MatMul");
    }
  }
}

TEST(ControlFlow, ABodyThatDoesNotFitNeedNotRun) {  // for (i = 0; i < limit; ++i) x = x @ w
  Net net;
  Endpoint limit = net.Input({}, C_DT_INT32), x = net.Input({1, 3});
  Node *node = net.Op("For", {net.Const(Array::I32({}, {0})), limit, net.Const(Array::I32({}, {1})), x}, 1);
  net.graph->AttachSubgraph(node, "body", Times("body", {1, 3}, 4));
  net.Outputs({{node, 0}});
  RunContext context(Model::Compile(*net.graph, Opts()));
  const Array three = Array::F({1, 3}, {1, 2, 3});
  EXPECT_EQ(RunAll(context, {Array::I32({}, {0}), three})[0].Floats(), three.Floats());
  EXPECT_GE_ERROR(RunAll(context, {Array::I32({}, {1}), three}), GE_INFER_FAILED, "in body 'body': MatMul");
}

TEST(ControlFlow, ABodyThatIsCertainToFailIsRefused) {
  auto loop = [](int32_t limit) {
    Net net;
    Endpoint x = net.Input({1, 3});
    Node *node = net.Op(
        "For", {net.Const(Array::I32({}, {0})), net.Const(Array::I32({}, {limit})), net.Const(Array::I32({}, {1})), x},
        1);
    net.graph->AttachSubgraph(node, "body", Times("body", {1, 3}, 4));
    net.Outputs({{node, 0}});
    return net;
  };
  const Array three = Array::F({1, 3}, {1, 2, 3});
  EXPECT_EQ(CompileAndRun(*loop(0).graph, {three})[0].Floats(), three.Floats());
  EXPECT_GE_ERROR(Model::Compile(*loop(2).graph, Opts()), GE_INFER_FAILED, "in body 'body': MatMul");
  Net net;
  Node *call = net.Op("PartitionedCall", {net.Input({1, 3})}, 1);
  net.graph->AttachSubgraph(call, "f", Times("f", {1, 3}, 4));
  net.Outputs({{call, 0}});
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts()), GE_INFER_FAILED, "MatMul 'PartitionedCall/MatMul'");
}

TEST(ControlFlow, OnlyBranchesThatFitDecideTheShape) {
  Net net;
  Endpoint cond = net.Input({}, C_DT_BOOL), x = net.Input({1, 3});
  Node *node = net.Op("If", {cond, x}, 1);
  net.graph->AttachSubgraph(node, "then_branch", Times("then", {1, 3}, 4));
  net.graph->AttachSubgraph(node, "else_branch", Times("else", {1, 3}, 3));
  net.Outputs({{node, 0}});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  EXPECT_EQ(model->outputs()[0].desc.shape.str(), "[1, 2]");
  RunContext context(model);
  EXPECT_EQ(RunAll(context, {Array::Bool(false), Array::F({1, 3}, {1, 2, 3})})[0].Floats(), (std::vector<float>{6, 6}));
}

}  // namespace
}  // namespace gec
