// Static models: results, caller's buffers, memory of the context, overlaps.
#include "tests/runtime/net.h"

namespace gec {
namespace {

Net Affine() {  // y = x * 2 + 1
  Net net;
  Endpoint x = net.Input({4}, C_DT_FLOAT, "x");
  Endpoint y = net.Out("Add", {net.Out("Mul", {x, net.Const(Array::F({}, {2}))}), net.Const(Array::F({}, {1}))}, "y");
  net.Outputs({y});
  return net;
}

TEST(Context, ComputesAndNamesPorts) {
  Net net = Affine();
  ModelPtr model = Model::Compile(*net.graph, Opts());
  ASSERT_EQ(model->inputs().size(), 1u);
  EXPECT_EQ(model->inputs()[0].name, "x");
  EXPECT_EQ(model->outputs()[0].name, "y");
  EXPECT_EQ(model->outputs()[0].desc.shape, (Shape{4}));
  RunContext context(model);
  EXPECT_EQ(RunAll(context, {Array::F({4}, {1, 2, 3, 4})})[0].Floats(), (std::vector<float>{3, 5, 7, 9}));
  EXPECT_EQ(RunAll(context, {Array::F({4}, {0, 0, -1, 10})})[0].Floats(), (std::vector<float>{1, 1, -1, 21}));
}

TEST(Context, WritesIntoTheCallersBuffer) {
  Net net = Affine();
  RunContext context(Model::Compile(*net.graph, Opts()));
  Array x = Array::F({4}, {1, 2, 3, 4});
  float y[4] = {};
  GeTensorData in = x.View(), out{};
  out.data = y;
  out.size = sizeof y;
  context.Run(&in, 1, &out, 1, nullptr);
  EXPECT_EQ(out.data, y);
  EXPECT_EQ(out.rank, 1);
  EXPECT_EQ(out.dims[0], 4);
  EXPECT_EQ(y[3], 9);
}

TEST(Context, OutputMayOverlapTheInput) {
  // The output is written before the second use of x.
  Net net;
  Endpoint x = net.Input({4});
  Endpoint a = net.Out("Neg", {x});
  Endpoint b = net.Out("Add", {net.Out("Exp", {a}), x});
  net.Outputs({b, a});
  RunContext context(Model::Compile(*net.graph, Opts()));
  std::vector<Array> want = RunAll(context, {Array::F({4}, {0, 1, 2, 3})});
  float memory[8] = {0, 1, 2, 3};
  Array shape = Array::F({4}, {0, 0, 0, 0});
  GeTensorData in = shape.View(), out[2] = {};
  in.data = memory;
  out[0].data = memory + 2;
  out[0].size = 16;
  out[1].data = nullptr;
  context.Run(&in, 1, out, 2, nullptr);
  EXPECT_EQ(std::vector<float>(memory + 2, memory + 6), want[0].Floats());
}

TEST(Context, InputsConstantsAndRepeatedValuesCanBeOutputs) {
  Net net;
  Endpoint x = net.Input({2});
  Endpoint c = net.Const(Array::F({3}, {7, 8, 9}));
  Endpoint r = net.Out("Relu", {x});
  Endpoint flat = net.Out("Reshape", {r, net.Const(Array::I64({2}, {1, 2}))});
  net.Outputs({x, c, r, r, flat});
  std::vector<Array> out = CompileAndRun(*net.graph, {Array::F({2}, {-1, 5})});
  EXPECT_EQ(out[0].Floats(), (std::vector<float>{-1, 5}));
  EXPECT_EQ(out[1].Floats(), (std::vector<float>{7, 8, 9}));
  EXPECT_EQ(out[2].Floats(), (std::vector<float>{0, 5}));
  EXPECT_EQ(out[3].Floats(), (std::vector<float>{0, 5}));
  EXPECT_EQ(out[4].Floats(), (std::vector<float>{0, 5}));
  EXPECT_EQ(out[4].dims, (std::vector<int64_t>{1, 2}));
}

// Three nodes called "x", one of them an input's reader; every pass has something to do.
TEST(Context, NamesOfNodesMayRepeat) {
  Net net;
  Endpoint a = net.Input({2}, C_DT_FLOAT, "x"), b = net.Input({2}, C_DT_FLOAT, "x"),
           c = net.Input({2}, C_DT_FLOAT, "x#2");
  net.graph->RenameNode(b.node, "x");
  const IrDef *sub = OpRegistry::Instance().Get("Sub"), *mul = OpRegistry::Instance().Get("Mul");
  auto node = [&](const IrDef *ir, Endpoint left, Endpoint right) -> Endpoint {
    Node *made = net.graph->AddNode(ir, "x");
    net.graph->Connect(left, made, 0);
    net.graph->Connect(right, made, 1);
    return {made, 0};
  };
  Endpoint two = node(mul, net.Const(Array::F({}, {1})), net.Const(Array::F({}, {2})));  // folded
  Endpoint once = node(sub, b, a), twice = node(sub, b, a);                              // one of them goes
  net.Outputs({node(mul, once, two), node(sub, twice, c), once, once});
  for (const char *level : {"0", "2"}) {
    ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", level}}));
    std::vector<std::string> names;
    for (const ModelPort &port : model->inputs()) names.push_back(port.name);
    for (const ModelPort &port : model->outputs()) names.push_back(port.name);
    EXPECT_EQ(names, (std::vector<std::string>{"x", "x#3", "x#2", "x", "x#2", "x:0", "x:0#2"})) << level;
    RunContext context(model);
    std::vector<Array> out =
        RunAll(context, {Array::F({2}, {1, 2}), Array::F({2}, {10, 30}), Array::F({2}, {100, 200})});
    EXPECT_EQ(out[0].Floats(), (std::vector<float>{18, 56})) << level;
    EXPECT_EQ(out[1].Floats(), (std::vector<float>{-91, -172})) << level;
    EXPECT_EQ(out[3].Floats(), (std::vector<float>{9, 28})) << level;
  }
  net.graph->SetOutputDesc(b.node, 0, TensorDesc(C_DT_FLOAT, Shape{-1}));
  EXPECT_EQ(Model::Compile(*net.graph, Opts({{"ge.inputShape", "x#3:2"}}))->inputs()[1].desc.shape, (Shape{2}));
}

TEST(Context, EmptyTensorsFlowThrough) {
  Net net;
  Endpoint x = net.Input({0, 3});
  net.Outputs({net.Out("Relu", {net.Out("Add", {x, net.Const(Array::F({3}, {1, 2, 3}))})})});
  std::vector<Array> out = CompileAndRun(*net.graph, {Array::F({0, 3}, {})});
  EXPECT_EQ(out[0].dims, (std::vector<int64_t>{0, 3}));
  EXPECT_TRUE(out[0].bytes.empty());
}

TEST(Context, ConcatAndSplitAreViewsAndRight) {
  Net net;
  Endpoint x = net.Input({1, 32});
  Endpoint a = net.Out("Relu", {x}), b = net.Out("Neg", {x});
  Endpoint all = net.Out("ConcatV2", {a, b, net.Const(Array::I64({}, {1}))});
  Node *split = net.Op("SplitV", {all, net.Const(Array::I64({2}, {16, 48})), net.Const(Array::I64({}, {1}))}, 2);
  net.graph->SetAttr(split, "num_split", 2);
  net.Outputs({net.Out("Exp", {{split, 0}}), net.Out("Abs", {{split, 1}})});
  ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}}));
  EXPECT_EQ(model->NewestPlan()->memory.viewed, 2u);
  RunContext context(model);
  std::vector<float> x_values(32);
  for (int i = 0; i < 32; ++i) x_values[i] = static_cast<float>(i - 16);
  std::vector<Array> out = RunAll(context, {Array::F({1, 32}, x_values)});
  std::vector<float> second = out[1].Floats();
  ASSERT_EQ(second.size(), 48u);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(second[i], static_cast<float>(i));
  for (int i = 0; i < 32; ++i) EXPECT_EQ(second[16 + i], std::abs(x_values[i]));
  for (float v : out[0].Floats()) EXPECT_EQ(v, 1);
}

TEST(Context, PrepareTellsShapesBeforeARun) {
  Net net;
  Endpoint x = net.Input({-1, 3});
  net.Outputs({net.Out("Relu", {x})});
  RunContext context(Model::Compile(*net.graph, Opts()));
  Array shape = Array::F({5, 3}, std::vector<float>(15));
  GeTensorData in = shape.View(), out{};
  in.data = nullptr;
  context.Prepare(&in, 1, &out, 1);
  EXPECT_EQ(out.dims[0], 5);
  EXPECT_EQ(out.size, 60u);
}

/// One plan serves several sizes: what a run checks is the size that it was prepared for.
TEST(Context, DataOfAnotherSizeOfTheSamePlanIsTooShort) {
  Net net;
  Endpoint x = net.Input({-1, 64}, C_DT_FLOAT, "x");
  net.Outputs({net.Out("SoftmaxV2", {x}, "y")});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  RunContext context(model);
  const auto rows = [](int64_t n) { return Array::F({n, 64}, std::vector<float>(static_cast<size_t>(n * 64), 1.f)); };
  for (int64_t n : {40, 44, 48, 45}) EXPECT_EQ(RunAll(context, {rows(n)})[0].Floats().size(), size_t(n * 64));
  Array more = rows(50), fewer = rows(41);
  GeTensorData in = more.View(), out{};
  context.Prepare(&in, 1, &out, 1);
  in.size = 45 * 64 * sizeof(float);  // of the run before
  EXPECT_THROW(context.Run(&in, 1, &out, 1, nullptr), Error);
  in = fewer.View(), out = {};
  context.Prepare(&in, 1, &out, 1);
  EXPECT_NO_THROW(context.Run(&in, 1, &out, 1, nullptr));
}

}  // namespace
}  // namespace gec
