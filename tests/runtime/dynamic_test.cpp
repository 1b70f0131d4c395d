// Shapes that are known when running only: specialised plans, their cache, and shapes that depend on values.
#include <map>
#include <set>

#include "tests/runtime/net.h"

namespace gec {
namespace {

Net Dynamic(std::vector<int64_t> dims) {  // flatten, multiply by its size, softmax-like scaling
  Net net;
  Endpoint x = net.Input(std::move(dims));
  Endpoint shape = net.Out("Shape", {x});
  net.graph->SetAttr(shape.node, "dtype", static_cast<int64_t>(C_DT_INT64));
  Endpoint total = net.Out("ReduceProd", {shape, net.Const(Array::I64({1}, {0}))});
  Endpoint flat = net.Out("Reshape", {x, net.Const(Array::I64({1}, {-1}))});
  Endpoint scale = net.Out("Cast", {total});
  net.graph->SetAttr(scale.node, "dst_type", static_cast<int64_t>(C_DT_FLOAT));
  Endpoint y = net.Out("Mul", {flat, scale});
  net.Outputs({net.Out("Add", {net.Out("Relu", {y}), flat})});
  return net;
}

std::vector<float> Ramp(int64_t n) {
  std::vector<float> v(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) v[static_cast<size_t>(i)] = static_cast<float>(i) - 3.5f;
  return v;
}

TEST(Dynamic, EveryShapeGivesWhatTheStaticModelGives) {
  Net dynamic = Dynamic({-1, -1});
  RunContext context(Model::Compile(*dynamic.graph, Opts()));
  for (auto [a, b] : std::vector<std::pair<int64_t, int64_t>>{{2, 3}, {5, 7}, {2, 3}, {1, 1}, {8, 2}, {0, 4}}) {
    Net fixed = Dynamic({a, b});
    Array x = Array::F({a, b}, Ramp(a * b));
    std::vector<Array> want = CompileAndRun(*fixed.graph, {x}), got = RunAll(context, {x});
    EXPECT_EQ(got[0].dims, want[0].dims);
    EXPECT_EQ(got[0].Floats(), want[0].Floats());
    for (int64_t i = 0; i < a * b; ++i) {
      float v = Ramp(a * b)[static_cast<size_t>(i)];
      EXPECT_FLOAT_EQ(got[0].Floats()[static_cast<size_t>(i)], std::max(v * static_cast<float>(a * b), 0.f) + v);
    }
  }
}

// The interpreter asks inference once for what it has seen, and has to notice which values matter.
TEST(Dynamic, ValuesThatDecideShapesAreNoticedWhileInterpreting) {
  Net net;
  Endpoint x = net.Input({-1}), y = net.Input({5}), begin = net.Input({1}, C_DT_INT64),
           end = net.Input({1}, C_DT_INT64);
  Endpoint where = net.Out("NonZero", {x});  // its size depends on data, so nodes run one by one
  Endpoint slice = net.Out("StridedSliceV2", {y, begin, end, net.Const(Array::I64({1}, {0}))});
  net.Outputs({where, net.Out("Add", {slice, slice}), net.Out("Mul", {y, y})});
  RunContext context(Model::Compile(*net.graph, Opts()));
  for (int round = 0; round < 2; ++round) {
    for (int64_t b = 0; b < 5; ++b) {
      for (int64_t e = b; e <= 5; ++e) {  // 20 positions, six sizes
        const float seed = static_cast<float>(10 * b + e + round);
        std::vector<float> values, want, squares;
        for (int i = 0; i < 5; ++i) values.push_back(seed + static_cast<float>(i));
        for (int64_t i = b; i < e; ++i) want.push_back(2 * values[static_cast<size_t>(i)]);
        for (float v : values) squares.push_back(v * v);
        std::vector<Array> out = RunAll(
            context, {Array::F({3}, {0, 1, seed}), Array::F({5}, values), Array::I64({1}, {b}), Array::I64({1}, {e})});
        EXPECT_EQ(out[0].dims[0], seed == 0 ? 1 : 2);
        EXPECT_EQ(out[1].dims, (std::vector<int64_t>{e - b}));
        EXPECT_EQ(out[1].Floats(), want);
        EXPECT_EQ(out[2].Floats(), squares);
      }
    }
  }
}

TEST(Dynamic, UnknownRankWorks) {
  Net net;
  Endpoint x = net.Input({}, C_DT_FLOAT);
  net.graph->SetOutputDesc(x.node, 0, TensorDesc(C_DT_FLOAT, Shape::UnknownRank()));
  net.Outputs({net.Out("Neg", {x})});
  RunContext context(Model::Compile(*net.graph, Opts()));
  EXPECT_EQ(RunAll(context, {Array::F({2, 1, 1}, {1, 2})})[0].dims, (std::vector<int64_t>{2, 1, 1}));
  EXPECT_EQ(RunAll(context, {Array::F({}, {4})})[0].Floats()[0], -4);
}

TEST(Dynamic, PlansAreBoundedAndTheLeastRecentlyUsedGoes) {
  Net net = Dynamic({-1, -1});
  ModelPtr model = Model::Compile(*net.graph, Opts({{"max_plans", "3"}}));
  RunContext context(model);
  for (int64_t n = 1; n <= 10; ++n) {
    RunAll(context, {Array::F({n, 2}, Ramp(2 * n))});
    EXPECT_LE(model->plan_count(), 3u);
  }
  PlanPtr newest = model->NewestPlan();
  RunAll(context, {Array::F({9, 2}, Ramp(18))});  // still there
  EXPECT_EQ(model->NewestPlan(), newest);
  RunAll(context, {Array::F({1, 2}, Ramp(2))});  // was dropped, is made anew
  EXPECT_NE(model->NewestPlan(), newest);
}

TEST(Dynamic, WeightsArePackedOnceForAllShapes) {
  Net net;
  Endpoint x = net.Input({-1, 64});
  std::vector<float> w(64 * 64, 0.5f);
  net.Outputs({net.Out("MatMulV2", {x, net.Const(Array::F({64, 64}, w))})});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  RunContext context(model);
  RunAll(context, {Array::F({40, 64}, std::vector<float>(40 * 64, 1))});
  uint64_t packed = model->env().packed_bytes();
  for (int64_t n = 41; n < 48; ++n) {
    std::vector<Array> out = RunAll(context, {Array::F({n, 64}, std::vector<float>(static_cast<size_t>(n) * 64, 1))});
    for (float v : out[0].Floats()) ASSERT_FLOAT_EQ(v, 32);
  }
  EXPECT_EQ(model->env().packed_bytes(), packed);
}

std::map<std::string, int> PlacedTypes(const Model &model) {
  std::map<std::string, int> types;
  for (const ExecPlan::Placed &placed : model.NewestPlan()->placed) ++types[placed.node->type().str()];
  return types;
}

/// What only known shapes allow: a sum with equal shapes as a residual, an Expand to the shape it has, a table of
/// positions as long as the input.
Net Twin(std::vector<int64_t> dims, std::vector<int64_t> other) {
  Net net;
  Endpoint x = net.Input(std::move(dims)), r = net.Input(std::move(other));
  std::vector<float> w(64 * 64);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(static_cast<int>(i % 7) - 3) / 8;
  Endpoint shape = net.Out("Shape", {x});
  net.graph->SetAttr(shape.node, "dtype", static_cast<int64_t>(C_DT_INT64));
  Endpoint length = net.Out("GatherV2", {shape, net.Const(Array::I64({}, {1})), net.Const(Array::I64({}, {0}))});
  Endpoint places = net.Out("Range", {net.Const(Array::I64({}, {0})), length, net.Const(Array::I64({}, {1}))});
  Endpoint table = net.Out("GatherV2", {net.Const(Array::F({64, 64}, w)), places, net.Const(Array::I64({}, {0}))});
  Endpoint wide = net.Out("Expand", {x, shape});
  Endpoint product = net.Out("BatchMatMulV2", {net.Out("Add", {wide, table}), net.Const(Array::F({64, 64}, w))});
  net.Outputs({net.Out("Add", {product, r})});
  return net;
}

TEST(Dynamic, ASpecialisedPlanHasTheNodesOfTheStaticModel) {
  const std::vector<int64_t> dims{2, 5, 64};
  const std::vector<float> values = Ramp(2 * 5 * 64);
  Array x = Array::F(dims, values), r = Array::F(dims, values);
  Net unknown = Twin({-1, -1, 64}, {-1, -1, 64}), known = Twin(dims, dims);
  for (const char *off : {"", "FuseMatMul", "RemoveIdentity", "ConstantFolding", "FuseElementwise"}) {
    Options options = *off ? Opts({{"passes.disable", off}}) : Opts();
    ModelPtr dynamic = Model::Compile(*unknown.graph, options), fixed = Model::Compile(*known.graph, options);
    RunContext first(dynamic), second(fixed);
    std::vector<Array> got = RunAll(first, {x, r}), want = RunAll(second, {x, r});
    EXPECT_EQ(got[0].Floats(), want[0].Floats()) << off;
    EXPECT_EQ(PlacedTypes(*dynamic), PlacedTypes(*fixed)) << off;
  }
  ModelPtr model = Model::Compile(*unknown.graph, Opts());
  RunContext context(model);
  RunAll(context, {x, r});
  EXPECT_EQ(PlacedTypes(*model), (std::map<std::string, int>{{"Add", 1}, {"FusedMatMulV2", 1}}));
  // By hand: y = (x + w[0..5)) w + x, at one place.
  double want = values[64 + 3];
  auto w = [](int64_t i, int64_t j) { return static_cast<double>((i * 64 + j) % 7 - 3) / 8; };
  for (int64_t k = 0; k < 64; ++k) want += (values[static_cast<size_t>(64 + k)] + w(1, k)) * w(k, 3);
  EXPECT_NEAR(RunAll(context, {x, r})[0].Floats()[64 + 3], want, 1e-2);
}

TEST(Dynamic, ConstantsAreSharedByAllPlans) {
  Net net = Twin({-1, -1, 64}, {-1, -1, 64});
  ModelPtr model = Model::Compile(*net.graph, Opts({{"general_plans", "0"}}));
  RunContext context(model), other(model);
  std::set<const void *> large, of_first;
  std::vector<PlanPtr> plans;
  for (int64_t n = 1; n <= 6; ++n) {
    Array x = Array::F({n, 5, 64}, Ramp(n * 5 * 64));
    RunAll(n % 2 ? context : other, {x, x});
    plans.push_back(model->NewestPlan());
    for (const TensorPtr &c : plans.back()->constants) {
      if (c && c->bytes() >= 1024) large.insert(c->data());
    }
    if (n == 1) of_first = large;
  }
  EXPECT_EQ(of_first.size(), 2u);  // the weights, and the positions that specialising folds
  EXPECT_EQ(large, of_first);
  EXPECT_EQ(std::set<PlanPtr>(plans.begin(), plans.end()).size(), 6u);
}

TEST(Dynamic, ShapesThatDependOnValues) {  // reshape to a shape that is fed
  Net net;
  Endpoint x = net.Input({12}), shape = net.Input({2}, C_DT_INT64);
  net.Outputs({net.Out("Neg", {net.Out("Reshape", {x, shape})})});
  RunContext context(Model::Compile(*net.graph, Opts()));
  for (auto [a, b] : std::vector<std::pair<int64_t, int64_t>>{{3, 4}, {4, 3}, {12, 1}, {2, -1}, {3, 4}}) {
    std::vector<Array> out = RunAll(context, {Array::F({12}, Ramp(12)), Array::I64({2}, {a, b})});
    EXPECT_EQ(out[0].dims, (std::vector<int64_t>{a, b < 0 ? 6 : b}));
    EXPECT_EQ(out[0].Floats()[11], -(11 - 3.5f));
  }
}

TEST(Dynamic, ShapesThatDependOnData) {
  Net net;
  Endpoint x = net.Input({2, 3});
  Endpoint where = net.Out("Where", {x});
  Endpoint twice = net.Out("Add", {where, where});
  net.Outputs({where, twice});
  RunContext context(Model::Compile(*net.graph, Opts()));
  std::vector<Array> out = RunAll(context, {Array::F({2, 3}, {0, 1, 0, 2, 0, 3})});
  EXPECT_EQ(out[0].dims, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(out[0].As<int64_t>(), (std::vector<int64_t>{0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(out[1].As<int64_t>(), (std::vector<int64_t>{0, 2, 2, 0, 2, 4}));
  out = RunAll(context, {Array::F({2, 3}, {0, 0, 0, 0, 0, 0})});
  EXPECT_EQ(out[0].dims, (std::vector<int64_t>{0, 2}));
  out = RunAll(context, {Array::F({2, 3}, {1, 1, 1, 1, 1, 1})});
  EXPECT_EQ(out[0].dims, (std::vector<int64_t>{6, 2}));
}

TEST(Dynamic, InterpretedResultsFitIntoTheCallersBuffer) {
  Net net;
  Endpoint x = net.Input({4});
  net.Outputs({net.Out("Where", {x})});
  RunContext context(Model::Compile(*net.graph, Opts()));
  Array a = Array::F({4}, {0, 1, 1, 0});
  GeTensorData in = a.View(), out{};
  int64_t room[4] = {};
  out.data = room;
  out.size = sizeof room;
  context.Run(&in, 1, &out, 1, nullptr);
  EXPECT_EQ(out.size, 16u);
  EXPECT_EQ(room[0], 1);
  EXPECT_EQ(room[1], 2);
  out.data = room;
  out.size = 8;
  EXPECT_GE_ERROR(context.Run(&in, 1, &out, 1, nullptr), GE_DATA_MISMATCH, "needs 16");
}

TEST(Dynamic, AShapeThatCannotBeFailsAndTheContextGoesOn) {
  Net net;
  Endpoint x = net.Input({-1}), y = net.Input({-1});
  net.Outputs({net.Out("Add", {x, y})});
  RunContext context(Model::Compile(*net.graph, Opts()));
  RunAll(context, {Array::F({2}, {1, 2}), Array::F({2}, {1, 2})});
  EXPECT_GE_ERROR(RunAll(context, {Array::F({2}, {1, 2}), Array::F({3}, {1, 2, 3})}), GE_INFER_FAILED, "Add");
  EXPECT_EQ(RunAll(context, {Array::F({2}, {1, 2}), Array::F({2}, {1, 2})})[0].Floats(), (std::vector<float>{2, 4}));
}

}  // namespace
}  // namespace gec
