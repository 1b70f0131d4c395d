// Placement is data: engine, implementation, and why engines before it refused.
#include <fstream>

#include "core/placement/ge_engines.h"
#include "runtime/profiler.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

Net Product() {
  Net net;
  Endpoint x = net.Input({4, 16});
  Endpoint y = net.Out("MatMulV2", {x, net.Const(Array::F({16, 8}, std::vector<float>(128, 1)))}, "product");
  net.Outputs({net.Out("Reshape", {net.Out("Relu", {y}), net.Const(Array::I64({1}, {32}))}, "flat")});
  return net;
}

TEST(Placement, NamesEngineAndRefusals) {
  Net net = Product();
  ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}}));
  std::vector<PlacementInfo> placement = model->Placement();
  ASSERT_EQ(placement.size(), 3u);
  EXPECT_EQ(placement[0].node, "product");
  EXPECT_NE(placement[0].engine, kReferenceEngine);
  EXPECT_NE(placement[0].refusals.find("DNN_VM_GE_LOCAL: not a view operator"), std::string::npos);
  EXPECT_EQ(placement[2].engine, "DNN_VM_GE_LOCAL");
}

TEST(Placement, ExcludedEnginesAreNotAsked) {
  Net net = Product();
  ModelPtr model = Model::Compile(
      *net.graph, Opts({{"opt_level", "0"}, {"engines.exclude", "AIcoreEngine,VectorEngine,DNN_VM_GE_LOCAL"}}));
  for (const PlacementInfo &p : model->Placement()) {
    EXPECT_EQ(p.engine, kReferenceEngine) << p.node;
    EXPECT_NE(p.refusals.find("DNN_VM_GE_LOCAL: excluded by option engines.exclude"), std::string::npos);
  }
}

TEST(Placement, ANodeMayChooseItsEngine) {
  Net net = Product();
  net.graph->SetAttr(net.graph->Find("product"), "_engine", std::string(kReferenceEngine));
  ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}}));
  EXPECT_EQ(model->Placement()[0].engine, kReferenceEngine);
  net.graph->SetAttr(net.graph->Find("product"), "_engine", "Nobody");
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"opt_level", "0"}})), GE_UNSUPPORTED,
                  "Nobody: the node asks for this engine");
}

std::string EngineOfProduct(const Net &net, const char *key = "opt_level", const char *value = "0") {
  return Model::Compile(*net.graph, Opts({{"opt_level", "0"}, {key, value}}))->Placement()[0].engine;
}

TEST(Placement, GesNamesLeaveEnginesOut) {
  const Net net = Product();
  const std::string usual = EngineOfProduct(net);
  ASSERT_EQ(usual, "AIcoreEngine");
  EXPECT_EQ(EngineOfProduct(net, "ge.exec.exclude_engines", "AiVector"), usual);
  EXPECT_EQ(EngineOfProduct(net, "ge.exec.exclude_engines", "AiCore|AiVector"), kReferenceEngine);
  for (const char *type : {"VectorEngine", "VectorCore"}) {
    ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}, {"ge.engineType", type}}));
    EXPECT_NE(model->Placement()[0].engine, "AIcoreEngine");
    EXPECT_NE(model->Placement()[0].refusals.find(Str("AIcoreEngine: excluded by option ge.engineType=", type)),
              std::string::npos)
        << model->Placement()[0].refusals;
  }
  for (const char *type : {"AIcoreEngine", "AiCore"}) EXPECT_EQ(EngineOfProduct(net, "ge.engineType", type), usual);
  EXPECT_GE_ERROR(EngineOfProduct(net, "ge.engineType", "Tensor"), GE_OPTION_INVALID, "ge.engineType");
}

TEST(Placement, NobodyForANodeIsToldInGesCodes) {
  const Net net = Product();
  EXPECT_GE_ERROR(EngineOfProduct(net, "ge.exec.exclude_engines", "AiCore|AiVector|HostCpu"), GE_UNSUPPORTED,
                  "EZ3003: 2 nodes are taken by no engine:\n  MatMulV2 'product'");
  EXPECT_GE_ERROR(EngineOfProduct(net, "ge.exec.exclude_engines", "AiCore|AiVector|HostCpu"), GE_UNSUPPORTED,
                  "\n    EZ3002: DNN_VM_HOST_CPU: excluded by option ge.exec.exclude_engines=HostCpu");
}

TEST(Placement, GesAttributeChoosesTheEngineAsOursDoes) {
  for (const GeEngineName &row : kGeEngineNames) {
    Net net = Product();
    net.graph->SetAttr(net.graph->Find("product"), "_specified_engine_name", std::string(row.name));
    net.graph->SetAttr(net.graph->Find("product"), "_specified_kernel_lib_name", std::string("any"));
    const std::string here = row.here;
    if (here == "AIcoreEngine") {
      EXPECT_EQ(EngineOfProduct(net, "engines.exclude", here.c_str()), here);  // asked all the same: the node names it
    } else if (here == kReferenceEngine) {
      EXPECT_EQ(EngineOfProduct(net), here) << row.name;
    } else {  // refused by the engine, or there is none
      EXPECT_GE_ERROR(EngineOfProduct(net), GE_UNSUPPORTED, Str("EZ3002: ", row.name, ": "));
    }
  }
  Net net = Product();
  net.graph->SetAttr(net.graph->Find("product"), "_specified_engine_name", std::string("AIcoreEngine"));
  net.graph->SetAttr(net.graph->Find("product"), "_engine", std::string(kReferenceEngine));
  EXPECT_EQ(EngineOfProduct(net), kReferenceEngine);
}

TEST(Placement, FusionsLeaveNodesAloneThatNameAnEngineInGesWords) {
  Net net;
  Endpoint x = net.Input({4, 16});
  const Endpoint y = net.Out("Exp", {net.Out("Neg", {x}, "neg")}, "exp");
  net.Outputs({y});
  ASSERT_EQ(Model::Compile(*net.graph, Opts())->Placement().size(), 1u);  // one loop
  net.graph->SetAttr(net.graph->Find("exp"), "_specified_engine_name", std::string("DNN_VM_AICPU"));
  const std::vector<PlacementInfo> placement = Model::Compile(*net.graph, Opts())->Placement();
  ASSERT_EQ(placement.size(), 2u);
  EXPECT_EQ(placement[1].engine, kReferenceEngine);
}

TEST(Placement, TheTableOfGesEnginesStandsInTheDocument) {
  std::ifstream file(GE_SOURCE_DIR "/docs/engines.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const GeEngineName &row : kGeEngineNames) {
    const auto cell = [](const char *name) { return name[0] ? Str("`", name, "`") : std::string("-"); };
    const std::string line = Str("| `", row.name, "` | ", cell(row.exclude), " | ", cell(row.here), " |");
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

TEST(Placement, EveryNodeThatNobodyTakesIsListed) {
  Net net = Product();
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"opt_level", "0"},
                                                   {"engines.exclude", "DNN_VM_HOST_CPU,AIcoreEngine,VectorEngine"}})),
                  GE_UNSUPPORTED, "2 nodes are taken by no engine");
  try {
    Model::Compile(*net.graph,
                   Opts({{"opt_level", "0"}, {"engines.exclude", "DNN_VM_HOST_CPU,AIcoreEngine,VectorEngine"}}));
  } catch (const Error &e) {
    std::string text = e.what();
    EXPECT_NE(text.find("MatMulV2 'product'"), std::string::npos) << text;
    EXPECT_NE(text.find("DNN_VM_HOST_CPU: excluded"), std::string::npos) << text;
  }
}

TEST(Placement, DynamicModelsAreRefusedAtCompileTimeToo) {
  Net net;
  net.Outputs({net.Out("Relu", {net.Input({-1})}, "r")});
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"engines.exclude", "DNN_VM_HOST_CPU,AIcoreEngine,VectorEngine"}})),
                  GE_UNSUPPORTED, "Relu 'r'");
}

TEST(Placement, ReportProfileAndMemoryPictureAreWellFormed) {
  Net net = Product();
  ModelPtr model = Model::Compile(*net.graph, Opts());
  std::string report = model->ReportJson();
  for (const char *part : {"\"inputs\"", "\"placement\"", "\"passes\"", "\"arena_bytes\"", "DNN_VM_GE_LOCAL"}) {
    EXPECT_NE(report.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(std::count(report.begin(), report.end(), '{'), std::count(report.begin(), report.end(), '}'));
  EXPECT_NE(MemorySvg(*model->NewestPlan()).find("</svg>"), std::string::npos);
  // Names stand in the picture as text, not only as tool tips.
  for (const MemoryBlock &block : model->NewestPlan()->memory.blocks) {
    if (block.value < 0) continue;
    const ExecPlan::ValueName &name = model->NewestPlan()->values[static_cast<size_t>(block.value)];
    EXPECT_NE(MemorySvg(*model->NewestPlan()).find(name.node->OriginText() + "</text>"), std::string::npos);
  }
  EXPECT_NE(MemoryJson(*model->NewestPlan()).find("\"blocks\""), std::string::npos);
  RunContext context(model);
  Array x = Array::F({4, 16}, std::vector<float>(64, 1));
  GeTensorData in = x.View(), out{};
  Profiler profiler;
  context.Run(&in, 1, &out, 1, &profiler);
  profiler.Finish();
  std::string trace = profiler.Json("g");
  EXPECT_NE(trace.find("\"traceEvents\""), std::string::npos);
  EXPECT_NE(trace.find("product"), std::string::npos);
  EXPECT_NE(trace.find("[4, 16]"), std::string::npos);
  EXPECT_EQ(static_cast<const float *>(out.data)[0], 16);
}

}  // namespace
}  // namespace gec
