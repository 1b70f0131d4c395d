// Our code allocates nothing in a warm run, whichever engine computes.
#include "runtime/kept_state.h"
#include "tests/allocation_counter.h"
#include "tests/runtime/allocations.h"

namespace gec {
namespace {

Net Layers(int64_t batch) {
  Net net;
  Endpoint x = net.Input({batch, 64});
  std::vector<float> w(64 * 64, 0.01f);
  Endpoint y = x;
  for (int i = 0; i < 4; ++i) {
    y = net.Out("MatMulV2", {y, net.Const(Array::F({64, 64}, w))});
    y = net.Out("Add", {net.Out("Tanh", {y}), x});
  }
  Endpoint both = net.Out("ConcatV2", {y, x, net.Const(Array::I64({}, {1}))});
  net.Outputs({net.Out("SoftmaxV2", {both}), y});
  return net;
}

Array Feed(int64_t rows) { return Array::F({rows, 64}, std::vector<float>(static_cast<size_t>(rows) * 64, 0.5f)); }

TEST_P(Warm, StaticRunsAllocateNothing) {
  Net net = Layers(8);
  RunContext context(Compile(net));
  EXPECT_EQ(Allocations(context, {{Feed(8)}}, true), 0);
  EXPECT_EQ(Allocations(context, {{Feed(8)}}, false), 0);
}

TEST_P(Warm, DynamicRunsOfSeenShapesAllocateNothing) {
  Net net = Layers(-1);
  RunContext context(Compile(net));
  EXPECT_EQ(Allocations(context, {{Feed(8)}}, true), 0);
  EXPECT_EQ(Allocations(context, {{Feed(3)}, {Feed(8)}, {Feed(5)}}, true), 0);
  EXPECT_EQ(Allocations(context, {{Feed(3)}, {Feed(8)}, {Feed(5)}}, false), 0);
}

TEST_P(Warm, RunsThatAssignVariablesAllocateNothing) {
  Net net;
  Node *w = net.Op("Variable", {}, 0, "w");
  net.graph->SetOutputDesc(w, 0, TensorDesc(C_DT_FLOAT, Shape{8, 64}));
  net.Outputs({net.Out("Tanh", {net.Out("AssignAdd", {{w, 0}, net.Input({8, 64})})})});
  RunContext context(Compile(net));
  for (int i = 0; i < 2; ++i) RunAll(context, {Feed(8)});  // the value, and the one before it
  EXPECT_EQ(Allocations(context, {{Feed(8)}}, true), 0);
  EXPECT_EQ(Allocations(context, {{Feed(8)}}, false), 0);
}

// A query against a cache that the step appends to, as a decoder's.
TEST_P(Warm, StepsThatGrowAStateAllocateNothing) {
  constexpr int64_t kHeads = 3, kSize = 16;
  Net net;
  Endpoint query = net.Input({1, kHeads, 1, kSize}), next = net.Input({1, kHeads, 1, kSize});
  Endpoint cache = net.Out("ConcatV2", {net.Input({1, kHeads, -1, kSize}), next, net.Const(Array::I64({}, {2}))});
  Node *scores = net.Op("BatchMatMul", {query, cache});
  net.graph->SetAttr(scores, "adj_x2", true);
  Endpoint mixed = net.Out("BatchMatMul", {net.Out("SoftmaxV2", {{scores, 0}}), cache});
  net.Outputs({mixed, cache});
  ModelPtr model = Compile(net);
  RunContext context(model);
  StateOptions options;
  options.capacity = 128;
  auto state = std::make_shared<KeptState>(
      model, std::vector<StatePair>{{model->inputs()[2].name, model->outputs()[1].name}}, options);
  context.SetState(state);
  Array row = Filled({1, kHeads, 1, kSize}, 0.1f);
  std::vector<GeTensorData> in = {row.View(), row.View(), GeTensorData{}}, out(2, GeTensorData{});
  const auto step = [&] {
    for (GeTensorData &o : out) o = GeTensorData{};
    context.Run(in.data(), in.size(), out.data(), out.size(), nullptr);
  };
  for (int i = 0; i < 6; ++i) step();
  if (!model->NewestPlan()->sizes) GTEST_SKIP() << "each size has a plan: " << model->SizeClassesJson();
  ASSERT_EQ(model->NewestPlan()->growths.size(), 1u);
  const size_t plans = model->plan_count();
  const char *const memory = state->slots()[0].memory->base();
  test::BeginCounting();
  for (int i = 0; i < 40; ++i) step();
  EXPECT_EQ(test::EndCounting().ours, 0);
  EXPECT_EQ(model->plan_count(), plans);
  EXPECT_EQ(state->slots()[0].memory->base(), memory);  // nothing moved: only rows were written
  EXPECT_EQ(state->length(), 46);
  std::vector<float> all(kHeads * 46 * kSize);
  state->Read(0, all.data(), all.size() * sizeof(float));
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t head = i / (46 * kSize);
    ASSERT_EQ(all[i], row.Floats()[head * kSize + i % kSize]) << i;
  }
}

// A convolution of every kind: pointwise, 3x3 with stride, depthwise, grouped, Winograd's; with bias, residual,
// activation and odd channel counts; pooling of every kind between them.
Net Convolutions(int64_t batch) {
  Net net;
  Endpoint x = net.Input({batch, 3, 32, 32});
  auto conv = [&](Endpoint in, int64_t from, int64_t to, int64_t k, int64_t stride, int64_t groups) {
    Node *node =
        net.Op("Conv2D", {in, net.Const(Filled({to, from / groups, k, k}, 0.01f)), net.Const(Filled({to}, 0.5f))});
    net.graph->SetAttr(node, "strides", std::vector<int64_t>{1, 1, stride, stride});
    net.graph->SetAttr(node, "pads", std::vector<int64_t>{k / 2, k / 2, k / 2, k / 2});
    net.graph->SetAttr(node, "dilations", std::vector<int64_t>{1, 1, 1, 1});
    net.graph->SetAttr(node, "groups", groups);
    net.graph->SetAttr(node, "data_format", std::string("NCHW"));
    return Endpoint{node, 0};
  };
  auto pool = [&](const char *type, Endpoint in) {
    Node *node = net.Op(type, {in});
    net.graph->SetAttr(node, "ksize", std::vector<int64_t>{1, 1, 2, 2});
    net.graph->SetAttr(node, "strides", std::vector<int64_t>{1, 1, 2, 2});
    net.graph->SetAttr(node, "padding_mode", std::string("CALCULATED"));
    net.graph->SetAttr(node, "pads", std::vector<int64_t>{0, 0, 0, 0});
    net.graph->SetAttr(node, "data_format", std::string("NCHW"));
    return Endpoint{node, 0};
  };
  Endpoint y = net.Out("Relu", {conv(x, 3, 64, 3, 1, 1)});
  y = net.Out("Relu", {net.Out("Add", {conv(y, 64, 64, 3, 1, 1), y})});
  y = pool("MaxPoolV3", y);
  y = net.Out("Sigmoid", {conv(y, 64, 64, 3, 2, 64)});
  y = conv(y, 64, 64, 1, 1, 1);
  y = pool("AvgPoolV2", y);
  y = net.Out("Tanh", {conv(y, 64, 32, 3, 1, 4)});
  y = conv(y, 32, 13, 1, 1, 1);
  net.Outputs({net.Out("GlobalAveragePool", {y}), y});
  return net;
}

TEST_P(Warm, ConvolutionsAndPoolingAllocateNothing) {
  Net net = Convolutions(2);
  RunContext context(Compile(net));
  EXPECT_EQ(Allocations(context, {{Filled({2, 3, 32, 32}, 0.1f)}}, true), 0);
}

TEST_P(Warm, ConvolutionsOfSeenShapesAllocateNothing) {
  Net net = Convolutions(-1);
  RunContext context(Compile(net));
  EXPECT_EQ(Allocations(context, {{Filled({2, 3, 32, 32}, 0.1f)}, {Filled({1, 3, 32, 32}, 0.1f)}}, false), 0);
}

TEST_P(Warm, RecurrencesAllocateNothing) {
  for (const char *type : {"CommonLSTM", "CommonGRU"}) {
    SCOPED_TRACE(type);
    const int64_t gates = type == std::string("CommonLSTM") ? 4 : 3;
    Net net;
    Endpoint x = net.Input({5, 2, 12});
    Node *node =
        net.Op(type, {x, net.Const(Filled({2, gates * 24, 12}, 0.01f)), net.Const(Filled({2, gates * 24, 24}, 0.01f)),
                      net.Const(Filled({2, gates * 48}, 0.1f))});
    net.graph->SetAttr(node, "direction", std::string("bidirectional"));
    net.graph->SetAttr(node, "hidden_size", int64_t{24});
    net.Outputs({{node, 0}, {node, 1}});
    RunContext context(Compile(net));
    EXPECT_EQ(Allocations(context, {{Filled({5, 2, 12}, 0.1f)}}, true), 0);
  }
}

Net Branches(int64_t rows) {  // one branch is planned, the other one's shapes depend on values
  Net net;
  Endpoint cond = net.Input({}, C_DT_BOOL), x = net.Input({rows});
  Node *node = net.Op("If", {cond, x}, 1);
  net.graph->AttachSubgraph(node, "then_branch", Sub("then", {{{rows}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Neg", {in[0]})};
                            }));
  net.graph->AttachSubgraph(node, "else_branch", Sub("else", {{{rows}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                              Endpoint at = n.Out("NonZero", {in[0]});
                              return std::vector<Endpoint>{n.Out("Cast", {n.Out("Shape", {at})})};
                            }));
  net.Outputs({net.Out("Add", {{node, 0}, {node, 0}})});
  Node *cast = net.graph->FindSubgraph("else")->Outputs()[0].node;
  net.graph->FindSubgraph("else")->SetAttr(cast, "dst_type", int64_t{C_DT_FLOAT});
  return net;
}

TEST_P(Warm, BothBranchesAllocateNothing) {
  for (int64_t rows : {int64_t{6}, int64_t{-1}}) {
    Net net = Branches(rows);
    RunContext context(Compile(net));
    Array x = Array::F({6}, {1, 0, 2, 0, 0, 3});
    EXPECT_EQ(Allocations(context, {{Array::Bool(true), x}}, true), 0);
    EXPECT_EQ(Allocations(context, {{Array::Bool(true), x}, {Array::Bool(false), x}}, true), 0);
    EXPECT_EQ(Allocations(context, {{Array::Bool(true), x}, {Array::Bool(false), x}}, false), 0);
  }
}

// while (i < limit) { i += 1; v += scale(i); }: the body is planned, or interpreted because of NonZero.
Net Loop(bool interpreted) {
  Net net;
  Endpoint i = net.Input({}, C_DT_INT64), limit = net.Input({}, C_DT_INT64), v = net.Input({3});
  Node *node = net.Op("While", {i, limit, v}, 3);
  std::vector<std::pair<std::vector<int64_t>, int32_t>> types = {{{}, C_DT_INT64}, {{}, C_DT_INT64}, {{3}, C_DT_FLOAT}};
  net.graph->AttachSubgraph(node, "cond", Sub("cond", types, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Less", {in[0], in[1]})};
                            }));
  net.graph->AttachSubgraph(
      node, "body", Sub("body", types, [&](Net &n, auto &in) {
        Endpoint next = n.Out("Add", {in[0], n.Const(Array::I64({}, {1}))}), sum = n.Out("Add", {in[2], in[2]});
        if (interpreted) {
          Node *cast = n.Op("Cast", {n.Out("Shape", {n.Out("NonZero", {in[2]})})});
          n.graph->SetAttr(cast, "dst_type", int64_t{C_DT_FLOAT});
          sum = n.Out("Add", {sum, n.Out("ReduceSum", {Endpoint{cast, 0}, n.Const(Array::I64({1}, {0}))})});
        }
        return std::vector<Endpoint>{next, in[1], sum};
      }));
  net.Outputs({{node, 0}, {node, 2}});
  return net;
}

TEST_P(Warm, LoopsAllocateNothing) {
  for (bool interpreted : {false, true}) {
    SCOPED_TRACE(interpreted);
    Net net = Loop(interpreted);
    RunContext context(Compile(net));
    const Array zero = Array::I64({}, {0}), v = Array::F({3}, {1, 0, 3});
    EXPECT_EQ(Allocations(context, {{zero, Array::I64({}, {4}), v}}, true), 0);
    EXPECT_EQ(Allocations(context, {{zero, Array::I64({}, {7}), v}, {zero, Array::I64({}, {0}), v}}, false), 0);
  }
}

// Outputs whose sizes depend on data, and what reads them.
TEST_P(Warm, SizesThatDependOnDataAllocateNothing) {
  Net net;
  Endpoint x = net.Input({-1});
  Endpoint where = net.Out("NonZero", {x});
  Node *unique = net.Op("Unique", {net.Input({-1}, C_DT_INT64)});
  Endpoint twice = net.Out("Add", {where, where});
  net.Outputs({twice,
               net.Out("ConcatV2", {twice, where, net.Const(Array::I64({}, {0}))}),
               net.Out("Where", {x}),
               {unique, 0},
               {unique, 1}});
  RunContext context(Compile(net));
  auto feed = [](std::vector<float> values, std::vector<int64_t> keys) {
    const int64_t n = static_cast<int64_t>(values.size()), m = static_cast<int64_t>(keys.size());
    return std::vector<Array>{Array::F({n}, values), Array::I64({m}, keys)};
  };
  EXPECT_EQ(Allocations(context, {feed({1, 0, 2, 0}, {3, 1, 3, 5})}, true), 0);
  EXPECT_EQ(Allocations(
                context,
                {feed({1, 0, 2, 0}, {3, 1, 3, 5}), feed({0, 0, 0, 7}, {2, 2, 2, 2}), feed({1, 2, 3}, {9, 8, 7, 6, 5})},
                false),
            0);
}

// A small value that shapes could depend on is new in every run; the shapes are not.
TEST_P(Warm, NewValuesOfSeenShapesAllocateNothing) {
  Net net;
  Endpoint x = net.Input({-1}), y = net.Input({2});
  Endpoint where = net.Out("NonZero", {x});  // so that nodes run one by one
  Endpoint begin = net.Input({1}, C_DT_INT64), end = net.Input({1}, C_DT_INT64);
  Endpoint slice = net.Out("StridedSliceV2", {y, begin, end, net.Const(Array::I64({1}, {0}))});
  net.Outputs({where, net.Out("Add", {net.Out("Mul", {y, y}), y}), slice});
  RunContext context(Compile(net));
  std::vector<std::vector<Array>> feeds;
  const Array x_values = Array::F({3}, {1, 0, 2});
  for (int i = 0; i < 40; ++i) {
    feeds.push_back({x_values, Array::F({2}, {1.f + static_cast<float>(i), 2}), Array::I64({1}, {i % 2}),
                     Array::I64({1}, {i % 2 + 1})});
  }
  EXPECT_EQ(Allocations(context, feeds, false), 0);
}

INSTANTIATE_TEST_SUITE_P(Settings, Warm,
                         ::testing::Values(WarmParam{"1", "0"}, WarmParam{"1", "3"}, WarmParam{"2", "3"}));

}  // namespace
}  // namespace gec
