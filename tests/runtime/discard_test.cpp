// Constants that only packed forms are read of lose their content, and nothing else does.
#include "core/dump/dump.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

constexpr int64_t kSize = 192;  // squared, in floats: well above the size from which it pays

std::vector<float> Weights(int seed) {
  std::vector<float> w(kSize * kSize);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(static_cast<int>((i * 7 + seed) % 13) - 6) / 16;
  return w;
}

Array Rows(int64_t rows) {
  std::vector<float> x(static_cast<size_t>(rows * kSize));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2;
  return Array::F({rows, kSize}, x);
}

struct Made {
  ModelPtr model;
  std::vector<Array> outputs;
};
Made Owned(const Net &net, const std::vector<Array> &in, const Options &options = Opts()) {
  Made made;
  made.model = Model::CompileOwned(net.graph->Clone(), options);
  RunContext context(made.model);
  made.outputs = RunAll(context, in);
  EXPECT_EQ(RunAll(context, in)[0].bytes, made.outputs[0].bytes);
  return made;
}

Net Product(int64_t rows, const Array &w) {
  Net net;
  net.Outputs({net.Out("MatMulV2", {net.Input({rows, kSize}), net.Const(w)})});
  return net;
}

TEST(Discard, PackedWeightsLoseTheirContentAndResultsStay) {
  const Array w = Array::F({kSize, kSize}, Weights(1)), x = Rows(40);
  // Each graph has constants of its own: an owned one may lose them.
  std::vector<Array> want = CompileAndRun(*Product(40, w).graph, {x});
  Made made = Owned(Product(40, w), {x});
  EXPECT_EQ(made.outputs[0].Floats(), want[0].Floats());
  PlanPtr plan = made.model->NewestPlan();
  EXPECT_EQ(plan->discarded_bytes, kSize * kSize * sizeof(float));
  bool gone = false;
  for (const TensorPtr &c : plan->constants) gone |= c && c->buffer->discarded();
  EXPECT_TRUE(gone);
  // A second session and a second run context read the packed form.
  RunContext other(made.model);
  EXPECT_EQ(RunAll(other, {x})[0].Floats(), want[0].Floats());
}

TEST(Discard, AGraphThatOthersShareKeepsItsConstants) {
  Net net = Product(40, Array::F({kSize, kSize}, Weights(1)));
  ModelPtr model = Model::Compile(*net.graph, Opts());
  EXPECT_EQ(model->NewestPlan()->discarded_bytes, 0u);
  std::vector<Array> first = CompileAndRun(*net.graph, {Rows(40)}), second = CompileAndRun(*net.graph, {Rows(40)});
  EXPECT_EQ(first[0].Floats(), second[0].Floats());
}

TEST(Discard, WhatAnotherNodeReadsStays) {
  const Array w = Array::F({kSize, kSize}, Weights(2)), x = Rows(kSize);
  auto build = [&](int kind) {
    Net net;
    Endpoint in = net.Input({kSize, kSize}), c = net.Const(w);
    Endpoint product = net.Out("MatMulV2", {in, c});
    if (kind == 0) net.Outputs({net.Out("Mul", {net.Out("Exp", {product}), c})});           // by another kernel
    if (kind == 1) net.Outputs({product, net.Out("Relu", {c}), c});                         // as a graph output
    if (kind == 2) net.Outputs({net.Out("Add", {product, net.Out("MatMulV2", {c, in})})});  // as the other operand
    return net;
  };
  for (int kind = 0; kind < 3; ++kind) {
    for (const char *off : {"", "FuseMatMul", "FuseElementwise"}) {
      Options options = *off ? Opts({{"passes.disable", off}}) : Opts();
      RunContext plain(Model::Compile(*build(kind).graph, options));
      std::vector<Array> want = RunAll(plain, {x});
      Made made = Owned(build(kind), {x}, options);
      ASSERT_EQ(made.outputs.size(), want.size());
      for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(made.outputs[i].Floats(), want[i].Floats()) << kind << off;
      EXPECT_EQ(made.model->NewestPlan()->discarded_bytes, 0u) << kind << off;
    }
  }
}

TEST(Discard, ModelsThatPlanAgainKeepTheirConstants) {
  Made made = Owned(Product(-1, Array::F({kSize, kSize}, Weights(3))), {Rows(40)});
  EXPECT_EQ(made.model->NewestPlan()->discarded_bytes, 0u);
  RunContext context(made.model);
  for (int64_t rows : {1, 7, 40}) {
    Net fixed = Product(rows, Array::F({kSize, kSize}, Weights(3)));
    EXPECT_EQ(RunAll(context, {Rows(rows)})[0].Floats(), CompileAndRun(*fixed.graph, {Rows(rows)})[0].Floats());
  }
}

TEST(Discard, TheGraphCanStillBeShown) {
  Made made = Owned(Product(40, Array::F({kSize, kSize}, Weights(1))), {Rows(40)});
  ASSERT_GT(made.model->NewestPlan()->discarded_bytes, 0u);
  EXPECT_NE(DumpReadable(made.model->graph()).find("<packed>"), std::string::npos);
}

}  // namespace
}  // namespace gec
