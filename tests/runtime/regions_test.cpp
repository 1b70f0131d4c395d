// Engines that take parts of graphs. The engine of these tests computes elementwise operators with loops of its own;
// the library's engines are the oracle, on the same graph without it.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>

#include "core/placement/registry.h"
#include "net.h"

namespace gec {
namespace {

/// A test says here how its engine behaves; one at a time.
struct Script {
  std::function<GeStatus(const GeGraphView &, const GeClaims &)> claim;
  std::map<std::string, std::vector<std::string>>
      wishes;                                        // by engine: names of the nodes that it claims in place of it
  std::function<GeStatus(const GeRegion &)> refuse;  // empty: makes every region
  std::vector<size_t> sizes;                         // nodes of the regions it was given
  std::vector<std::string> types;                    // that it saw when it claimed
  size_t runs = 0;
};
Script *script = nullptr;

/// The operators of this engine: how many operands they have and what they compute.
struct Formula {
  size_t operands;
  float (*compute)(float a, float b);
};
const std::map<std::string, Formula> &Formulas() {
  static const std::map<std::string, Formula> formulas{{"Add", {2, [](float a, float b) { return a + b; }}},
                                                       {"Sub", {2, [](float a, float b) { return a - b; }}},
                                                       {"Mul", {2, [](float a, float b) { return a * b; }}},
                                                       {"Neg", {1, [](float a, float) { return -a; }}},
                                                       {"Abs", {1, [](float a, float) { return std::fabs(a); }}},
                                                       {"Tanh", {1, [](float a, float) { return std::tanh(a); }}}};
  return formulas;
}
bool Computes(const char *type) { return Formulas().count(type) != 0; }

/// A region as the kernel keeps it: every value has a place in `values`.
struct Program {
  struct Step {
    std::string type;
    std::vector<std::pair<int32_t, const float *>> operands;  // number of a value, or a constant of one element
    size_t result;
  };
  std::vector<Step> steps;
  std::vector<size_t> outputs;
  size_t inputs = 0, elements = 0;
};

size_t Elements(const GeTensorData &t) {
  size_t n = 1;
  for (int32_t d = 0; d < t.rank; ++d) n *= static_cast<size_t>(t.dims[d]);
  return n;
}

GeStatus RunProgram(void *state, const GeKernelArgs *args) {
  const Program &program = *static_cast<Program *>(state);
  if (script) ++script->runs;
  std::vector<std::vector<float>> values(program.inputs + program.steps.size(), std::vector<float>(program.elements));
  for (size_t i = 0; i < program.inputs; ++i)
    std::memcpy(values[i].data(), args->inputs[i], program.elements * sizeof(float));
  for (const Program::Step &step : program.steps) {
    const auto formula = Formulas().find(step.type);
    for (size_t e = 0; formula != Formulas().end() && e < program.elements; ++e) {
      auto operand = [&](size_t k) {
        if (k >= step.operands.size()) return 0.0f;
        const auto &[number, constant] = step.operands[k];
        return constant ? *constant : values[static_cast<size_t>(number)][e];
      };
      values[step.result][e] = formula->second.compute(operand(0), operand(1));
    }
  }
  for (size_t o = 0; o < program.outputs.size(); ++o)
    std::memcpy(args->outputs[o], values[program.outputs[o]].data(), program.elements * sizeof(float));
  return GE_SUCCESS;
}

GeStatus CreateRegion(void *, const GeRegion *region, const GeKernelEnv *env, GeKernel *out) {
  script->sizes.push_back(region->graph->node_count);
  if (script->refuse) {
    if (GeStatus status = script->refuse(*region); status != GE_SUCCESS) return env->fail(status, "not today");
  }
  auto program = std::make_unique<Program>();
  program->inputs = region->input_count;
  program->elements = Elements(region->outputs[0]);
  size_t edge = 0;
  for (size_t k = 0; k < region->graph->node_count; ++k) {
    const GeOpDesc &op = *region->graph->nodes[k];
    Program::Step step{op.type, {}, program->inputs + k};
    for (size_t i = 0; i < op.input_count; ++i) {
      const GeGraphEdge *from = edge < region->graph->edge_count ? &region->graph->edges[edge] : nullptr;
      if (from && from->to == static_cast<int32_t>(k) && from->to_port == static_cast<int32_t>(i)) {
        step.operands.emplace_back(
            from->from < 0 ? from->from_port : from->from + static_cast<int32_t>(program->inputs), nullptr);
        ++edge;
      } else {
        EXPECT_TRUE(op.inputs[i].flags & GE_TENSOR_CONSTANT) << op.type << " input " << i << " comes from nowhere";
        step.operands.emplace_back(-1, static_cast<const float *>(op.inputs[i].data));
      }
    }
    program->steps.push_back(std::move(step));
  }
  EXPECT_EQ(edge, region->graph->edge_count);
  for (size_t o = 0; o < region->output_count; ++o)
    program->outputs.push_back(program->inputs + static_cast<size_t>(region->graph->outputs[o].node));
  out->run = RunProgram;
  out->state = program.release();
  out->destroy = [](void *state) { delete static_cast<Program *>(state); };
  out->implementation = "test:region";
  return GE_SUCCESS;
}

GeStatus Claim(void *engine, const GeGraphView *graph, const GeClaims *claims) {
  for (size_t k = 0; k < graph->node_count; ++k) script->types.push_back(graph->nodes[k]->type);
  if (script->wishes.empty()) return script->claim(*graph, *claims);
  std::vector<int32_t> numbers;
  for (const std::string &wish : script->wishes[static_cast<const char *>(engine)])
    for (size_t k = 0; k < graph->node_count; ++k)
      if (graph->nodes[k]->name == wish) numbers.push_back(static_cast<int32_t>(k));
  return claims->take(claims->host, numbers.data(), numbers.size());
}

/// Everything that the engine can compute, as one set.
GeStatus ClaimAll(const GeGraphView &graph, const GeClaims &claims) {
  std::vector<int32_t> numbers;
  for (size_t k = 0; k < graph.node_count; ++k)
    if (Computes(graph.nodes[k]->type)) numbers.push_back(static_cast<int32_t>(k));
  return claims.take(claims.host, numbers.data(), numbers.size());
}

class Regions : public testing::Test {
 protected:
  Regions() {
    script = &script_;
    script_.claim = ClaimAll;
    Register("TestRegions", GE_ENGINE_COMPOSITE, 7);
  }
  ~Regions() override {
    for (const std::string &name : names_) EngineRegistry::Instance().Unload(name);
    script = nullptr;
  }
  void Register(const char *name, uint32_t flags, int32_t cost) {
    GeEngineTable table{};
    table.abi_version = GE_ENGINE_ABI_VERSION;
    table.struct_size = sizeof table;
    table.name = name;
    table.cost = cost;
    table.flags = flags;
    table.open = [](const GeEngineHost *, const char *, const char *options, void **engine) -> GeStatus {
      *engine = strdup(options);
      return GE_SUCCESS;
    };
    table.close = [](void *engine) { std::free(engine); };
    table.claim = Claim;
    table.create_region = CreateRegion;
    EngineRegistry::Instance().Register(&table, name);
    names_.push_back(name);
  }
  /// Engines of these names, of equal cost, asked in this order.
  void RegisterInOrder(const std::vector<const char *> &names) {
    for (const std::string &name : names_) EngineRegistry::Instance().Unload(name);
    names_.clear();
    for (const char *name : names) Register(name, GE_ENGINE_COMPOSITE, 7);
  }
  static size_t RegionCount(const Model &model) { return model.graph().CountOf(Symbol("PartitionedCall")); }

  Script script_;
  std::vector<std::string> names_;
};

/// x → Neg → Tanh → Sqrt(Abs) → Mul by 3 → Add x
Net Chain(std::vector<int64_t> dims) {
  Net net;
  Endpoint x = net.Input(dims);
  Endpoint y = net.Out("Tanh", {net.Out("Neg", {x}, "neg")}, "tanh");
  y = net.Out("Sqrt", {net.Out("Abs", {y}, "abs")}, "sqrt");
  y = net.Out("Mul", {y, net.Const(Array::F({}, {3}))}, "mul");
  net.Outputs({net.Out("Add", {y, x}, "add")});
  return net;
}

std::vector<float> Want(const std::vector<float> &x) {
  std::vector<float> y;
  for (float v : x) y.push_back(std::sqrt(std::fabs(std::tanh(-v))) * 3 + v);
  return y;
}

void Near(const std::vector<float> &got, const std::vector<float> &want, float bound = 1e-5f) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], bound) << i;
}

TEST_F(Regions, AreTakenBeforeFusionAndRunFromOnePlan) {
  Net net = Chain({2, 3});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  EXPECT_EQ(script_.sizes, (std::vector<size_t>{3, 2}));  // around Sqrt, which the engine does not compute
  ASSERT_TRUE(model->NewestPlan() && model->NewestPlan()->is_static());
  EXPECT_EQ(model->NewestPlan()->steps.size(), 3u);
  RunContext context(model);
  const std::vector<float> x{0, 1, -2, 3, 0.5f, -0.25f};
  Near(RunAll(context, {Array::F({2, 3}, x)})[0].Floats(), Want(x));
  EXPECT_EQ(script_.runs, 2u);
  size_t mine = 0;
  for (const PlacementInfo &info : model->Placement()) {
    mine += info.engine == "TestRegions";
    EXPECT_EQ(info.implementation == "test:region", info.engine == "TestRegions");
  }
  EXPECT_EQ(mine, 2u);
  EXPECT_NE(model->ReportJson().find(
                "{\"name\":\"TestRegions_region_0\",\"engine\":\"TestRegions\",\"nodes\":3,\"refusal\":\"\"}"),
            std::string::npos)
      << model->ReportJson();
}

TEST_F(Regions, ARefusedRegionIsFusedAndPlacedLikeEverythingElse) {
  script_.refuse = [](const GeRegion &) { return GE_UNSUPPORTED; };
  Net net = Chain({2, 3});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  EXPECT_EQ(script_.sizes.size(), 2u);
  EXPECT_EQ(RegionCount(*model), 0u);
  EXPECT_TRUE(model->graph().subgraphs().empty());
  EXPECT_EQ(model->NewestPlan()->steps.size(), 1u);  // all of it is one loop again
  EXPECT_NE(model->ReportJson().find("\"refusal\":\"TestRegions: not today\""), std::string::npos);
  RunContext context(model);
  const std::vector<float> x{0, 1, -2, 3, 0.5f, -0.25f};
  Near(RunAll(context, {Array::F({2, 3}, x)})[0].Floats(), Want(x));
  EXPECT_EQ(script_.runs, 0u);
}

TEST_F(Regions, OpenShapesGetAKernelForEachShape) {
  Net net = Chain({-1, 3});
  RunContext context(Model::Compile(*net.graph, Opts()));
  EXPECT_TRUE(script_.sizes.empty());
  for (int64_t rows : {1, 4, 1}) {
    std::vector<float> x(static_cast<size_t>(rows) * 3, 0.75f);
    Near(RunAll(context, {Array::F({rows, 3}, x)})[0].Floats(), Want(x));
  }
  EXPECT_EQ(script_.sizes, (std::vector<size_t>{3, 2, 3, 2}));
  EXPECT_EQ(script_.runs, 6u);
}

TEST_F(Regions, NamesOfTheProgramsOwnGraphsAreLeftToThem) {
  script_.claim = [](const GeGraphView &graph, const GeClaims &claims) {  // every other node: a region each
    for (int32_t k = 0; k < static_cast<int32_t>(graph.node_count); k += 2)
      if (Computes(graph.nodes[k]->type)) claims.take(claims.host, &k, 1);
    return GeStatus(GE_SUCCESS);
  };
  Net net = Chain({2});
  Node *branch = net.Op("If", {net.Input({}, C_DT_BOOL), net.graph->Outputs()[0]}, 1);
  for (const char *name : {"then_branch", "else_branch"}) {
    const char *graph = name[0] == 't' ? "TestRegions_region_1" : "TestRegions_region_2";
    net.graph->AttachSubgraph(branch, name, Sub(graph, {{{2}, C_DT_FLOAT}}, [&](Net &n, auto &in) {
                                return std::vector<Endpoint>{n.Out(name[0] == 't' ? "Identity" : "Neg", {in[0]})};
                              }));
  }
  net.Outputs({{branch, 0}});
  ModelPtr model = Model::Compile(*net.graph, Opts({{"verify", "1"}}));
  EXPECT_GE(RegionCount(*model), 3u);
  RunContext context(model);
  const std::vector<float> x{1, -2};
  Near(RunAll(context, {Array::F({2}, x), Array::Bool(true)})[0].Floats(), Want(x));
}

TEST_F(Regions, BranchesHaveRegions) {
  Net net;
  Endpoint condition = net.Input({}, C_DT_BOOL), x = net.Input({2});
  Node *branch = net.Op("If", {condition, x}, 1);
  for (const char *name : {"then_branch", "else_branch"}) {
    const char *type = name[0] == 't' ? "Neg" : "Abs";
    net.graph->AttachSubgraph(branch, name, Sub(name, {{{2}, C_DT_FLOAT}}, [&](Net &n, auto &in) {
                                return std::vector<Endpoint>{n.Out("Tanh", {n.Out(type, {in[0]})})};
                              }));
  }
  net.Outputs({{branch, 0}});
  RunContext context(Model::Compile(*net.graph, Opts({{"verify", "1"}})));
  Near(RunAll(context, {Array::Bool(true), Array::F({2}, {1, -2})})[0].Floats(), {std::tanh(-1.f), std::tanh(2.f)});
  Near(RunAll(context, {Array::Bool(false), Array::F({2}, {1, -2})})[0].Floats(), {std::tanh(1.f), std::tanh(2.f)});
  EXPECT_EQ(script_.runs, 2u);
}

TEST_F(Regions, ShapesThatDependOnValuesGetKernelsWhenTheyAreKnown) {
  Net net;
  Endpoint found = net.Out("NonZero", {net.Input({4})});
  Node *cast = net.Op("Cast", {found}, 1);
  net.graph->SetAttr(cast, "dst_type", AttrValue(int64_t{C_DT_FLOAT}));
  net.Outputs({net.Out("Neg", {net.Out("Tanh", {{cast, 0}})})});
  RunContext context(Model::Compile(*net.graph, Opts()));
  EXPECT_TRUE(script_.sizes.empty());
  Near(RunAll(context, {Array::F({4}, {0, 1, 0, 1})})[0].Floats(), {-std::tanh(1.f), -std::tanh(3.f)});
  Near(RunAll(context, {Array::F({4}, {0, 0, 1, 0})})[0].Floats(), {-std::tanh(2.f)});
  EXPECT_EQ(script_.sizes, (std::vector<size_t>{2, 2}));
  EXPECT_EQ(script_.runs, 2u);
}

TEST_F(Regions, ShapesOnlyInsideThatDependOnValuesAreWaitedFor) {
  script_.refuse = [](const GeRegion &) { return GE_UNSUPPORTED; };
  script_.claim = [](const GeGraphView &graph, const GeClaims &claims) {
    std::vector<int32_t> numbers;
    for (size_t k = 0; k < graph.node_count; ++k) {
      const std::string type = graph.nodes[k]->type;
      if (type == "Tanh" || type == "ReduceSum") numbers.push_back(static_cast<int32_t>(k));
    }
    return claims.take(claims.host, numbers.data(), numbers.size());
  };
  Net net;
  Node *cast = net.Op("Cast", {net.Out("NonZero", {net.Input({4})})}, 1);
  net.graph->SetAttr(cast, "dst_type", AttrValue(int64_t{C_DT_FLOAT}));
  Endpoint sum = net.Out("ReduceSum", {net.Out("Tanh", {{cast, 0}}), net.Const(Array::I64({2}, {0, 1}))});
  net.Outputs({sum});
  RunContext context(Model::Compile(*net.graph, Opts()));
  EXPECT_TRUE(script_.sizes.empty());
  Near(RunAll(context, {Array::F({4}, {0, 1, 0, 1})})[0].Floats(), {std::tanh(1.f) + std::tanh(3.f)});
  EXPECT_EQ(script_.sizes, (std::vector<size_t>{2}));
}

/// A value that follows from the shape is a constant in the plan of that shape only.
TEST_F(Regions, WhatOnePlanKnowsIsNotBakedIntoKernelsThatOthersShare) {
  Net net;
  Node *cast = net.Op("Cast", {net.Out("Shape", {net.Input({-1})})}, 1);
  net.graph->SetAttr(cast, "dst_type", AttrValue(int64_t{C_DT_FLOAT}));
  net.Outputs({net.Out("Mul", {net.Input({1}), {cast, 0}})});
  RunContext context(Model::Compile(*net.graph, Opts()));
  for (int64_t n : {2, 3}) {
    const Array x = Array::F({n}, std::vector<float>(static_cast<size_t>(n)));
    Near(RunAll(context, {x, Array::F({1}, {10})})[0].Floats(), {10.f * static_cast<float>(n)});
  }
  EXPECT_EQ(script_.sizes, (std::vector<size_t>{1}));  // shared
  EXPECT_EQ(script_.runs, 2u);
}

TEST_F(Regions, AreMadeOnceEachAlsoWhereNoKernelIsShared) {
  EngineRegistry::Instance().Unload("TestRegions");
  names_.clear();
  Register("TestNames", GE_ENGINE_COMPOSITE | GE_ENGINE_NAMES_NODES, 7);
  Net net = Chain({2, 3});
  RunContext context(Model::Compile(*net.graph, Opts()));
  RunAll(context, {Array::F({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(script_.sizes, (std::vector<size_t>{3, 2}));
}

TEST_F(Regions, ACompiledGraphIsOfferedAnewWhenItIsCompiledAgain) {
  Net net = Chain({2, 3});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  EXPECT_EQ(RegionCount(*model), 2u);
  ModelPtr again = Model::Compile(*model->graph().Clone(), Opts({{"engines.exclude", "TestRegions"}}));
  EXPECT_EQ(RegionCount(*again), 0u);
  EXPECT_TRUE(again->graph().subgraphs().empty());
  RunContext context(again);
  const std::vector<float> x{0, 1, -2, 3, 0.5f, -0.25f};
  Near(RunAll(context, {Array::F({2, 3}, x)})[0].Floats(), Want(x));
}

TEST_F(Regions, OneValueMayBeSeveralOutputsOfTheGraph) {
  Net net;
  Endpoint x = net.Input({2}), y = net.Out("Neg", {x}), z = net.Out("Abs", {y});
  net.Outputs({y, z, y, x});
  RunContext context(Model::Compile(*net.graph, Opts()));
  const auto got = RunAll(context, {Array::F({2}, {1, -2})});
  EXPECT_EQ(got[0].Floats(), (std::vector<float>{-1, 2}));
  EXPECT_EQ(got[1].Floats(), (std::vector<float>{1, 2}));
  EXPECT_EQ(got[2].Floats(), got[0].Floats());
  EXPECT_EQ(got[3].Floats(), (std::vector<float>{1, -2}));
  EXPECT_EQ(script_.sizes, (std::vector<size_t>{2}));
}

TEST_F(Regions, WhatNobodyReadsIsNoRegion) {
  Net net;
  Endpoint x = net.Input({2});
  net.Out("Tanh", {x});
  net.Outputs({net.Out("Sqrt", {x})});
  ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}}));
  EXPECT_EQ(RegionCount(*model), 0u);
  EXPECT_TRUE(script_.sizes.empty());
}

TEST_F(Regions, PinnedNodesAreTakenByTheirEngineOnlyAndNeverFused) {
  Net net = Chain({2, 3});
  net.graph->SetAttr(net.graph->Find("tanh"), "_engine", AttrValue(std::string("DNN_VM_HOST_CPU")));
  ModelPtr model = Model::Compile(*net.graph, Opts());
  EXPECT_EQ(script_.sizes, (std::vector<size_t>{1, 1, 2}));
  for (const PlacementInfo &info : model->Placement()) {
    EXPECT_EQ(info.engine == "DNN_VM_HOST_CPU", info.node == "tanh") << info.node;
  }
  EXPECT_NE(model->graph().Find("tanh"), nullptr);
}

TEST_F(Regions, CompositeEnginesAreAskedFirstWhateverTheirCost) {
  Register("TestCheap", 0, 0);  // claims the same, but comes later
  Net net = Chain({2, 3});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  for (const PlacementInfo &info : model->Placement()) EXPECT_NE(info.engine, "TestCheap");
  ModelPtr without = Model::Compile(*net.graph, Opts({{"engines.exclude", "TestRegions"}}));
  size_t cheap = 0;
  for (const PlacementInfo &info : without->Placement()) cheap += info.engine == "TestCheap";
  EXPECT_EQ(cheap, 2u);
}

/// Takes Tanh, one node at a time, and knows nothing of fused operators.
GeEngineTable OfTanh(int32_t cost, uint32_t flags) {
  GeEngineTable table{};
  table.abi_version = GE_ENGINE_ABI_VERSION;
  table.struct_size = sizeof table;
  table.name = "TestTanh";
  table.cost = cost;
  table.flags = flags;
  table.check = [](void *, const GeOpDesc *op, char *, size_t) {
    return GeStatus(std::strcmp(op->type, "Tanh") == 0 ? GE_SUCCESS : GE_UNSUPPORTED);
  };
  table.create_kernel = [](void *, const GeOpDesc *op, const GeKernelEnv *, GeKernel *out) {
    out->state = new size_t(Elements(op->inputs[0]));
    out->destroy = [](void *state) { delete static_cast<size_t *>(state); };
    out->run = [](void *state, const GeKernelArgs *args) {
      for (size_t i = 0; i < *static_cast<size_t *>(state); ++i)
        static_cast<float *>(args->outputs[0])[i] = std::tanh(static_cast<const float *>(args->inputs[0])[i]);
      return GeStatus(GE_SUCCESS);
    };
    return GeStatus(GE_SUCCESS);
  };
  return table;
}

TEST_F(Regions, NodesOfAnEngineThatKnowsNoFusedOperatorsStayItsOwn) {
  script_.claim = [](const GeGraphView &, const GeClaims &) { return GeStatus(GE_SUCCESS); };
  const std::vector<float> x{0, 1, -2, 3, 0.5f, -0.25f};
  const auto nodes = [&](int32_t cost, uint32_t flags) {
    const GeEngineTable table = OfTanh(cost, flags);
    EngineRegistry::Instance().Register(&table, "");
    Net net = Chain({2, 3});
    ModelPtr model = Model::Compile(*net.graph, Opts());
    EngineRegistry::Instance().Unload("TestTanh");
    RunContext context(model);
    Near(RunAll(context, {Array::F({2, 3}, x)})[0].Floats(), Want(x));
    std::vector<std::string> engines;
    for (const PlacementInfo &info : model->Placement()) engines.push_back(info.engine);
    return engines;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(nodes(0, 0), (Names{"VectorEngine", "TestTanh", "VectorEngine"}));
  EXPECT_EQ(nodes(0, GE_ENGINE_FUSIBLE), (Names{"VectorEngine"}));
  EXPECT_EQ(nodes(3, 0), (Names{"VectorEngine"}));  // it would not have been the first to take Tanh
}

TEST_F(Regions, NodesOfARefusedRegionStayTheirEnginesAlsoWithOpenShapes) {
  script_.refuse = [](const GeRegion &) { return GE_UNSUPPORTED; };
  const GeEngineTable table = OfTanh(0, 0);
  EngineRegistry::Instance().Register(&table, "");
  names_.push_back("TestTanh");
  Net net = Chain({-1, 3});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  RunContext context(model);
  const std::vector<float> x{0, 1, -2};
  Near(RunAll(context, {Array::F({1, 3}, x)})[0].Floats(), Want(x));
  std::vector<std::string> engines;
  for (const PlacementInfo &info : model->Placement()) engines.push_back(info.engine);
  EXPECT_EQ(engines, (std::vector<std::string>{"VectorEngine", "TestTanh", "VectorEngine"}));
}

TEST_F(Regions, EngineSeesTheGraphCleanedAndWithoutConstants) {
  Net net;
  Endpoint x = net.Input({2});
  x = net.Out("Identity", {x});
  Endpoint six = net.Out("Add", {net.Const(Array::F({}, {2})), net.Const(Array::F({}, {4}))});
  net.Outputs({net.Out("Mul", {x, six})});
  Model::Compile(*net.graph, Opts());
  EXPECT_EQ(script_.types, (std::vector<std::string>{"Mul"}));
}

TEST_F(Regions, WhatAnEngineMayNotTakeIsRefusedOrLeftOut) {
  const auto compile = [] {
    Net net = Chain({2, 3});
    const size_t before = net.graph->node_count();
    try {
      Model::Compile(*net.graph, Opts());
    } catch (...) {
      EXPECT_EQ(net.graph->node_count(), before);
      throw;
    }
  };
  const auto take = [&](std::vector<int32_t> numbers) {
    script_.claim = [numbers](const GeGraphView &, const GeClaims &claims) {
      claims.take(claims.host, numbers.data(), numbers.size());
      return GE_SUCCESS;  // whatever take said
    };
  };
  take({0, 6});
  EXPECT_GE_ERROR(compile(), GE_PARAM_INVALID, "engine TestRegions takes node 6, the graph has nodes 0 to 5");
  take({-1});
  EXPECT_GE_ERROR(compile(), GE_PARAM_INVALID, "takes node -1");
  take({1, 0, 1});
  EXPECT_GE_ERROR(compile(), GE_PARAM_INVALID, "takes node 1, Tanh 'tanh', twice");
  script_.claim = [](const GeGraphView &, const GeClaims &claims) { return claims.take(claims.host, nullptr, 3); };
  EXPECT_GE_ERROR(compile(), GE_PARAM_INVALID, "takes 3 nodes and names none");
  script_.claim = [](const GeGraphView &, const GeClaims &) -> GeStatus { throw std::runtime_error("lost its mind"); };
  EXPECT_GE_ERROR(compile(), GE_FAILED, "threw an exception in claim: lost its mind");
  script_.claim = ClaimAll;
  script_.refuse = [](const GeRegion &) { return GE_FAILED; };
  EXPECT_GE_ERROR(compile(), GE_FAILED,
                  "region 'TestRegions_region_0': engine TestRegions could not make a kernel: not today");
}

/// A graph that two engines want parts of, and who gets what.
struct Contest {
  const char *name;
  Net net;
  std::map<std::string, std::vector<std::string>> wishes;
  std::vector<size_t> first, second;  // nodes of the regions where the one or the other is asked first, sorted
};

/// Each node's type is told by its name: "neg1", "abs0".
Endpoint Named(Net &net, const std::string &name, std::vector<Endpoint> inputs) {
  std::string type = name.substr(0, name.size() - 1);
  type[0] = static_cast<char>(std::toupper(type[0]));
  return net.Out(type.c_str(), std::move(inputs), name.c_str());
}

/// x → neg0 → tanh1 → abs2 → neg3 → tanh4 → neg5 → abs6 → tanh7
Contest OnAChain() {
  Contest c{"chain", Net(), {}, {2, 3, 3}, {1, 1, 6}};
  Endpoint y = c.net.Input({2});
  for (const char *name : {"neg0", "tanh1", "abs2", "neg3", "tanh4", "neg5", "abs6", "tanh7"})
    y = Named(c.net, name, {y});
  c.net.Outputs({y});
  c.wishes["TestRegions"] = {"neg0", "tanh1", "abs2", "neg5", "abs6", "tanh7"};
  c.wishes["TestOther"] = {"tanh1", "abs2", "neg3", "tanh4", "neg5", "abs6"};
  return c;
}

/// Branches abs0 → neg1 → tanh2 → abs3 and tanh5 → neg6 → abs7 → tanh8 of x that add4 joins.
Contest OnTwoBranches() {
  Contest c{"branches", Net(), {}, {2, 2, 2, 3}, {1, 2, 3, 3}};
  Endpoint x = c.net.Input({2}), left = x, right = x;
  for (const char *name : {"abs0", "neg1", "tanh2", "abs3"}) left = Named(c.net, name, {left});
  for (const char *name : {"tanh5", "neg6", "abs7", "tanh8"}) right = Named(c.net, name, {right});
  c.net.Outputs({Named(c.net, "add4", {left, right})});
  c.wishes["TestRegions"] = {"abs0", "neg1", "abs7", "tanh8", "add4"};
  c.wishes["TestOther"] = {"neg1", "tanh2", "abs3", "tanh5", "neg6", "abs7"};
  return c;
}

/// The same with an edge from each branch into the other: either set alone is one region, both together were a cycle.
Contest OnCrossedBranches() {
  Contest c{"crossed", Net(), {}, {}, {}};
  Endpoint x = c.net.Input({2});
  const Endpoint a0 = Named(c.net, "neg0", {x}), b0 = Named(c.net, "tanh5", {x});
  const Endpoint a1 = Named(c.net, "add1", {a0, b0}), b1 = Named(c.net, "sub6", {b0, a0});
  c.net.Outputs({Named(c.net, "abs2", {a1}), Named(c.net, "abs7", {b1})});
  c.wishes["TestRegions"] = {"neg0", "add1", "abs2", "sub6"};
  c.wishes["TestOther"] = {"tanh5", "sub6", "abs7", "add1"};
  return c;
}

TEST_F(Regions, TwoEnginesMayWantTheSameNodes) {
  const Array feed = Array::F({2}, {0.75f, -1.5f});
  for (Contest &c : std::array{OnAChain(), OnTwoBranches(), OnCrossedBranches()}) {
    const auto want = CompileAndRun(*c.net.graph, {feed}, Opts({{"engines.exclude", "TestRegions"}}));
    script_.wishes = c.wishes;
    for (const bool swapped : {false, true}) {
      SCOPED_TRACE(std::string(c.name) + (swapped ? ", the other first" : ""));
      if (swapped) RegisterInOrder({"TestOther", "TestRegions"});
      else RegisterInOrder({"TestRegions", "TestOther"});
      script_.sizes.clear();
      for (const char *level : {"2", "0"}) {
        ModelPtr model = Model::Compile(*c.net.graph, Opts({{"verify", "1"}, {"opt_level", level}}));
        RunContext context(model);
        const auto got = RunAll(context, {feed});
        for (size_t o = 0; o < want.size(); ++o) Near(got[o].Floats(), want[o].Floats());
        size_t nodes = 0;
        for (size_t size : script_.sizes) nodes += size;
        std::sort(script_.sizes.begin(), script_.sizes.end());
        const std::vector<size_t> &sizes = swapped ? c.second : c.first;
        EXPECT_TRUE(sizes.empty() || script_.sizes == sizes) << testing::PrintToString(script_.sizes);
        EXPECT_EQ(nodes, c.net.graph->node_count() - c.net.graph->Inputs().size());  // each by one of the two
        script_.sizes.clear();
      }
    }
    RegisterInOrder({"TestRegions"});
  }
}

/// A random graph of what the engine computes, and Sigmoid, which it does not.
template <class Pick>
Net RandomNet(const Pick &pick) {
  Net net;
  std::vector<Endpoint> values{net.Input({5}), net.Input({5}), net.Const(Array::F({}, {0.5f}))};
  const size_t nodes = 3 + pick(40);
  std::vector<std::pair<std::string, size_t>> types{{"Sigmoid", 1}};
  for (const auto &[type, formula] : Formulas()) types.emplace_back(type, formula.operands);
  for (size_t k = 0; k < nodes; ++k) {
    const auto any = [&] { return values[values.size() - 1 - pick(std::min<size_t>(values.size(), 8))]; };
    const auto &[type, operands] = types[pick(types.size())];
    Endpoint a = any(), b = any();
    if (a == values[2]) a = values[0];
    values.push_back(net.Out(type.c_str(), operands == 2 ? std::vector<Endpoint>{a, b} : std::vector<Endpoint>{a}));
  }
  net.Outputs({values.back(), values[3 + pick(values.size() - 3)]});
  return net;
}

/// Random graphs, random sets, one engine or two in either order: whatever is taken, the graph stays without cycles and
/// the results stay the same.
TEST_F(Regions, AnySetOfNodesMayBeTaken) {
  std::mt19937 random(1);
  const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const std::vector<Array> feed{Array::F({5}, {0.1f, -0.7f, 1.2f, -0.01f, 0.9f}), Array::F({5}, {1, -1, 0.3f, 0, 2})};
  script_.claim = [&](const GeGraphView &graph, const GeClaims &claims) {
    std::vector<std::vector<int32_t>> sets(1 + pick(3));
    for (size_t k = 0; k < graph.node_count; ++k) {
      if (Computes(graph.nodes[k]->type) && pick(3)) sets[pick(sets.size())].push_back(static_cast<int32_t>(k));
    }
    for (const auto &set : sets) {
      if (GeStatus status = claims.take(claims.host, set.data(), set.size()); status != GE_SUCCESS) return status;
    }
    return GeStatus(GE_SUCCESS);
  };
  script_.refuse = [&](const GeRegion &) { return pick(4) ? GeStatus(GE_SUCCESS) : GeStatus(GE_UNSUPPORTED); };
  const std::vector<const char *> orders[] = {
      {"TestRegions"}, {"TestRegions", "TestOther"}, {"TestOther", "TestRegions"}};
  std::map<std::string, size_t> regions;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const Net net = RandomNet(pick);
    RegisterInOrder({});
    const auto want = CompileAndRun(*net.graph, feed);
    for (const std::vector<const char *> &order : orders) {
      SCOPED_TRACE(order[0]);
      RegisterInOrder(order);
      ModelPtr model = Model::Compile(*net.graph, Opts({{"verify", "1"}}));
      for (const PlacementInfo &info : model->Placement()) ++regions[info.engine];
      RunContext taken(model);
      const auto got = RunAll(taken, feed);
      for (size_t o = 0; o < want.size(); ++o) {
        const std::vector<float> got_values = got[o].Floats(), want_values = want[o].Floats();
        for (size_t i = 0; i < want_values.size(); ++i) {
          if (!std::isfinite(want_values[i])) continue;
          EXPECT_NEAR(got_values[i], want_values[i], 1e-4f * (1 + std::fabs(want_values[i]))) << o << ' ' << i;
        }
      }
    }
  }
  EXPECT_GT(regions["TestRegions"], 100u);
  EXPECT_GT(regions["TestOther"], 100u);
}

TEST(RegionTables, AreCompleteOrRefused) {
  GeEngineTable table{};
  table.abi_version = GE_ENGINE_ABI_VERSION;
  table.struct_size = sizeof table;
  table.name = "TestTable";
  const auto add = [&] { EngineRegistry::Instance().Register(&table, ""); };
  table.flags = GE_ENGINE_COMPOSITE;
  EXPECT_GE_ERROR(add(), GE_PARAM_INVALID, "lacks claim, which a composite engine has");
  table.flags = 0;
  table.claim = Claim;
  EXPECT_GE_ERROR(add(), GE_PARAM_INVALID, "lacks create_region");
  table.create_region = CreateRegion;
  table.create_kernel = [](void *, const GeOpDesc *, const GeKernelEnv *, GeKernel *) { return GeStatus(GE_SUCCESS); };
  EXPECT_GE_ERROR(add(), GE_PARAM_INVALID, "lacks check");
}

}  // namespace
}  // namespace gec
