// Engines that change graphs for their own nodes, before and after the library's optimisation. The engine of these
// tests makes every Neg an Erf, which it computes as -x: the result is right only where its node runs on it.
#include <map>

#include "capi/src/engine_hooks.h"
#include "core/placement/registry.h"
#include "ge/engine.h"
#include "ge/graph.h"
#include "net.h"

namespace gec {
namespace {

struct HookScript {
  std::function<GeStatus(GeGraph *, int32_t)> optimize;
  std::vector<int32_t> hooks;
  size_t kernels = 0;
};
HookScript *hooks = nullptr;

std::vector<GeNode *> NodesOf(GeGraph *graph, const std::string &type) {
  std::vector<GeNode *> nodes;
  for (size_t i = 0; i < GeGraphNodeCount(graph); ++i) {
    GeNode *node = nullptr;
    EXPECT_EQ(GeGraphGetNode(graph, i, &node), GE_SUCCESS);
    if (GeNodeType(node) == type) nodes.push_back(node);
  }
  return nodes;
}

void Replace(GeGraph *graph, GeNode *old, const char *type) {
  GeNodeSpec spec{};
  spec.struct_size = sizeof spec;
  spec.type = type;
  GeNode *fresh = nullptr, *source = nullptr;
  int32_t port = 0;
  ASSERT_EQ(GeGraphAddNode(graph, &spec, &fresh), GE_SUCCESS);
  ASSERT_EQ(GeNodeGetInputSource(old, 0, &source, &port), GE_SUCCESS);
  ASSERT_EQ(GeGraphAddDataEdge(graph, source, port, fresh, 0), GE_SUCCESS);
  while (GeNodeConsumerCount(old, 0) != 0) {
    GeNode *reader = nullptr;
    int32_t at = 0;
    ASSERT_EQ(GeNodeGetConsumer(old, 0, 0, &reader, &at), GE_SUCCESS);
    ASSERT_EQ(GeGraphRemoveEdge(graph, old, 0, reader, at), GE_SUCCESS);
    ASSERT_EQ(GeGraphAddDataEdge(graph, fresh, 0, reader, at), GE_SUCCESS);
  }
  std::vector<GeNode *> outputs(GeGraphOutputCount(graph));
  std::vector<int32_t> ports(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    ASSERT_EQ(GeGraphGetOutput(graph, i, &outputs[i], &ports[i]), GE_SUCCESS);
    if (outputs[i] == old) outputs[i] = fresh;
  }
  ASSERT_EQ(GeGraphSetOutputs(graph, outputs.data(), ports.data(), outputs.size()), GE_SUCCESS);
  ASSERT_EQ(GeGraphRemoveNode(graph, old), GE_SUCCESS);
}

GeStatus ReplaceAll(GeGraph *graph) {
  const std::vector<GeNode *> found = NodesOf(graph, "Neg");
  for (GeNode *node : found) Replace(graph, node, "Erf");
  return found.empty() ? GE_NOT_CHANGED : GE_SUCCESS;
}

GeStatus CheckErf(void *, const GeOpDesc *op, char *reason, size_t capacity) {
  if (std::string(op->type) == "Erf") return GE_SUCCESS;
  std::snprintf(reason, capacity, "only Erf");
  return GE_UNSUPPORTED;
}

GeStatus CreateErf(void *, const GeOpDesc *op, const GeKernelEnv *, GeKernel *out) {
  ++hooks->kernels;
  int64_t count = 1;
  for (int32_t d = 0; d < op->outputs[0].rank; ++d) count *= op->outputs[0].dims[d];
  out->state = reinterpret_cast<void *>(count);
  out->run = [](void *state, const GeKernelArgs *args) -> GeStatus {
    for (int64_t i = 0; i < reinterpret_cast<int64_t>(state); ++i)
      static_cast<float *>(args->outputs[0])[i] = -static_cast<const float *>(args->inputs[0])[i];
    return GE_SUCCESS;
  };
  return GE_SUCCESS;
}

class Hooks : public testing::Test {
 protected:
  Hooks() {
    hooks = &script_;
    api::OfferGraphHandles();
    GeEngineTable table{};
    table.abi_version = GE_ENGINE_ABI_VERSION;
    table.struct_size = sizeof table;
    table.name = "Hooked";
    table.open = [](const GeEngineHost *host, const char *, const char *, void **) -> GeStatus {
      host_ = host;
      return GE_SUCCESS;
    };
    table.check = CheckErf;
    table.create_kernel = CreateErf;
    table.optimize = [](void *, GeGraph *graph, int32_t hook) -> GeStatus {
      hooks->hooks.push_back(hook);
      return hooks->optimize(graph, hook);
    };
    EngineRegistry::Instance().Register(&table, "");
  }
  ~Hooks() override {
    EngineRegistry::Instance().Unload("Hooked");
    hooks = nullptr;
  }
  /// Relu(-x), and -x as a second output.
  static Net Example(std::vector<int64_t> dims = {3}) {
    Net net;
    Endpoint negative = net.Out("Neg", {net.Input(std::move(dims))}, "neg");
    net.Outputs({net.Out("Relu", {negative}, "relu"), negative});
    return net;
  }
  static void ExpectRight(const ModelPtr &model, std::vector<float> x = {1, -2, 3}) {
    RunContext context(model);
    std::vector<float> negative, positive;
    for (float v : x) negative.push_back(-v), positive.push_back(std::max(0.0f, -v));
    const std::vector<Array> out = RunAll(context, {Array::F({static_cast<int64_t>(x.size())}, x)});
    EXPECT_EQ(out[0].Floats(), positive);
    EXPECT_EQ(out[1].Floats(), negative);
  }
  HookScript script_;
  static inline const GeEngineHost *host_ = nullptr;
};

TEST_F(Hooks, AreCalledBeforeAndAfterTheLibrarysOwn) {
  for (const int32_t moment : {GE_HOOK_BEFORE_OPTIMIZATION, GE_HOOK_AFTER_OPTIMIZATION}) {
    script_ = {};
    script_.optimize = [&](GeGraph *graph, int32_t hook) {
      return hook == moment ? ReplaceAll(graph) : GeStatus{GE_NOT_CHANGED};
    };
    Net net = Example();
    // After optimisation the two are one node of the library's, so nothing is left for the engine.
    ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", moment ? "0" : "2"}}));
    EXPECT_EQ(script_.hooks, (std::vector<int32_t>{GE_HOOK_BEFORE_OPTIMIZATION, GE_HOOK_AFTER_OPTIMIZATION}));
    EXPECT_EQ(script_.kernels, 1u) << moment;
    ExpectRight(model);
    EXPECT_NE(model->ReportJson().find(moment ? "Hooked: after optimization" : "Hooked: before optimization"),
              std::string::npos);
    EXPECT_EQ(net.graph->CountOf(Symbol("Neg")), 1u);  // the program's graph stays as it is
  }
}

TEST_F(Hooks, WithOpenShapesTheSecondOneIsCalledForEachPlan) {
  script_.optimize = [&](GeGraph *graph, int32_t hook) {
    if (hook == GE_HOOK_BEFORE_OPTIMIZATION) return GeStatus{GE_NOT_CHANGED};
    for (GeNode *node : NodesOf(graph, "Neg")) {
      GeTensorData desc{};
      EXPECT_EQ(GeNodeGetOutputDesc(node, 0, &desc), GE_SUCCESS);
      EXPECT_GT(desc.dims[0], 0);
    }
    return ReplaceAll(graph);
  };
  Net net = Example({-1});
  ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}}));
  EXPECT_EQ(script_.hooks, (std::vector<int32_t>{0}));
  ExpectRight(model, {1, 2});
  ExpectRight(model, {1, 2, -3});
  ExpectRight(model, {4, 5});
  EXPECT_EQ(script_.hooks, (std::vector<int32_t>{0, 1, 1}));
  EXPECT_EQ(script_.kernels, 2u);
}

TEST_F(Hooks, ARefusalUndoesWhatWasChanged) {
  script_.optimize = [](GeGraph *graph, int32_t) {
    ReplaceAll(graph);
    return host_->fail(GE_UNSUPPORTED, "not worth it");
  };
  Net net = Example();
  ModelPtr model = Model::Compile(*net.graph, Opts());
  EXPECT_EQ(script_.kernels, 0u);
  EXPECT_EQ(model->graph().CountOf(Symbol("Erf")), 0u);
  ExpectRight(model);
}

TEST_F(Hooks, FailuresNameEngineAndMomentAndLeaveTheProgramsGraph) {
  const auto failing = [&](GeStatus code, const char *text, std::function<GeStatus(GeGraph *)> change) {
    script_.optimize = [change](GeGraph *graph, int32_t) { return change(graph); };
    Net net = Example();
    EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts()), code, text);
    EXPECT_EQ(net.graph->CountOf(Symbol("Neg")), 1u);
    net.graph->Verify();
  };
  failing(GE_FAILED, "'Hooked: before optimization': the device is on fire", [](GeGraph *graph) {
    ReplaceAll(graph);
    return host_->fail(GE_FAILED, "the device is on fire");
  });
  failing(GE_FAILED, "engine Hooked threw an exception in optimize: broken", [](GeGraph *graph) -> GeStatus {
    ReplaceAll(graph);
    throw std::runtime_error("broken");
  });
  failing(GE_GRAPH_INVALID, "'Hooked: before optimization'", [](GeGraph *graph) {  // an output's node is gone
    EXPECT_EQ(GeGraphRemoveNode(graph, NodesOf(graph, "Relu")[0]), GE_SUCCESS);
    return GeStatus{GE_SUCCESS};
  });
}

TEST_F(Hooks, WhatTheGraphTakesAndGivesStays) {
  const auto keep_first = [](GeGraph *graph) {
    GeNode *node = nullptr;
    int32_t port = 0;
    EXPECT_EQ(GeGraphGetOutput(graph, 0, &node, &port), GE_SUCCESS);
    EXPECT_EQ(GeGraphSetOutputs(graph, &node, &port, 1), GE_SUCCESS);
    return GeStatus{GE_SUCCESS};
  };
  const auto add_one = [](GeGraph *graph) {
    GeNode *nodes[3] = {};
    int32_t ports[3] = {};
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(GeGraphGetOutput(graph, i, &nodes[i], &ports[i]), GE_SUCCESS);
    nodes[2] = nodes[0];
    EXPECT_EQ(GeGraphSetOutputs(graph, nodes, ports, 3), GE_SUCCESS);
    return GeStatus{GE_SUCCESS};
  };
  const std::pair<std::function<GeStatus(GeGraph *)>, const char *> cases[] = {
      {keep_first, "output 1, DT_FLOAT ["},
      {keep_first, "] became nothing"},
      {add_one, "nothing became output 2, DT_FLOAT ["}};
  for (const auto &[change, text] : cases) {
    for (const int32_t moment : {GE_HOOK_BEFORE_OPTIMIZATION, GE_HOOK_AFTER_OPTIMIZATION}) {
      script_.optimize = [&change = change, moment](GeGraph *graph, int32_t hook) {
        return hook == moment ? change(graph) : GeStatus{GE_NOT_CHANGED};
      };
      EXPECT_GE_ERROR(Model::Compile(*Example().graph, Opts()), GE_PARAM_INVALID, text);
      const auto open = [&] {
        RunContext context(Model::Compile(*Example({-1}).graph, Opts()));
        RunAll(context, {Array::F({2}, {1, 2})});
      };
      EXPECT_GE_ERROR(open(), GE_PARAM_INVALID, text);
    }
  }
}

TEST_F(Hooks, OutputsKeepTheirShape) {
  const auto drop_last = [](GeGraph *graph) {  // the output is what its node reads
    GeNode *node = nullptr, *source = nullptr;
    int32_t port = 0;
    EXPECT_EQ(GeGraphGetOutput(graph, 0, &node, &port), GE_SUCCESS);
    EXPECT_EQ(GeNodeGetInputSource(node, 0, &source, &port), GE_SUCCESS);
    EXPECT_EQ(GeGraphSetOutputs(graph, &source, &port, 1), GE_SUCCESS);
    return GeStatus{GE_SUCCESS};
  };
  const auto summed = [](int64_t rows) {
    Net net;
    net.Outputs({net.Out("ReduceSum", {net.Out("Cosh", {net.Input({rows, 3})}), net.Const(Array::I64({1}, {0}))})});
    return net;
  };
  const auto lengthened = [](int64_t rows) {  // the rank stays
    Net net;
    Endpoint x = net.Out("Cosh", {net.Input({rows, 3})});
    net.Outputs({net.Out("ConcatV2", {x, x, net.Const(Array::I64({}, {1}))})});
    return net;
  };
  for (const int32_t moment : {GE_HOOK_BEFORE_OPTIMIZATION, GE_HOOK_AFTER_OPTIMIZATION}) {
    const std::string which = moment ? "'Hooked: after optimization': " : "'Hooked: before optimization': ";
    script_.optimize = [&](GeGraph *graph, int32_t hook) {
      return hook == moment ? drop_last(graph) : GeStatus{GE_NOT_CHANGED};
    };
    const auto compile = [&](const Net &net) {
      const size_t before = net.graph->node_count();
      const Endpoint output = net.graph->Outputs()[0];
      try {
        Model::Compile(*net.graph, Opts({{"opt_level", "0"}}));
      } catch (...) {
        EXPECT_EQ(net.graph->node_count(), before);
        EXPECT_EQ(net.graph->Outputs()[0].node, output.node);
        net.graph->Verify();
        throw;
      }
    };
    EXPECT_GE_ERROR(compile(summed(2)), GE_PARAM_INVALID,
                    which +
                        "it changed what the graph takes and gives: output 0, DT_FLOAT [3] became output 0, "
                        "DT_FLOAT [2, 3]");
    EXPECT_GE_ERROR(compile(lengthened(2)), GE_PARAM_INVALID,
                    which +
                        "it changed what the graph takes and gives: output 0, DT_FLOAT [2, 6] became output 0, "
                        "DT_FLOAT [2, 3]");
    const auto run = [&](const Net &net) {
      RunContext context(Model::Compile(*net.graph, Opts({{"opt_level", "0"}})));
      RunAll(context, {Array::F({2, 3}, {1, 2, 3, 4, 5, 6})});
    };
    EXPECT_GE_ERROR(run(summed(-1)), GE_PARAM_INVALID, which + "it changed");
    EXPECT_GE_ERROR(run(lengthened(-1)), GE_PARAM_INVALID, which + "it changed");
  }
}

/// Descriptions of fresh nodes follow from their inputs: an engine that says nothing of them changes no type.
TEST_F(Hooks, FreshNodesAreInferredBeforeTheyAreCompared) {
  script_.optimize = [](GeGraph *graph, int32_t hook) {
    if (hook != GE_HOOK_BEFORE_OPTIMIZATION) return GeStatus{GE_NOT_CHANGED};
    for (GeNode *node : NodesOf(graph, "Neg")) Replace(graph, node, "Abs");
    return GeStatus{GE_SUCCESS};
  };
  Net net;
  net.Outputs({net.Out("Neg", {net.Input({2, 2}, C_DT_INT32)})});
  EXPECT_EQ(CompileAndRun(*net.graph, {Array::I32({2, 2}, {1, -2, 3, -4})})[0].As<int32_t>(),
            (std::vector<int32_t>{1, 2, 3, 4}));
}

TEST_F(Hooks, WhatIsCalledNoChangeIsNone) {
  script_.optimize = [](GeGraph *graph, int32_t) {
    ReplaceAll(graph);
    return GeStatus{GE_NOT_CHANGED};
  };
  Net net = Example();
  ModelPtr model = Model::Compile(*net.graph, Opts());
  EXPECT_EQ(script_.kernels, 0u);
  EXPECT_EQ(model->graph().CountOf(Symbol("Erf")), 0u);
  ExpectRight(model);
}

TEST_F(Hooks, NodesOfOtherEnginesStay) {
  script_.optimize = [](GeGraph *graph, int32_t) { return ReplaceAll(graph); };
  Net net = Example();
  for (Node *node : net.graph->Nodes())
    if (node->name() == "neg") net.graph->SetAttr(node, EngineAttr(), AttrValue(std::string("VectorEngine")));
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts()), GE_PARAM_INVALID,
                  "'Hooked: before optimization': it removed Neg 'neg', which engine VectorEngine is to run");
}

}  // namespace
}  // namespace gec
