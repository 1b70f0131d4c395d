// Placement is data: engine, implementation, and why engines before it refused.
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
  std::string trace = profiler.Json();
  EXPECT_NE(trace.find("\"traceEvents\""), std::string::npos);
  EXPECT_NE(trace.find("product"), std::string::npos);
  EXPECT_NE(trace.find("[4, 16]"), std::string::npos);
  EXPECT_EQ(static_cast<const float *>(out.data)[0], 16);
}

}  // namespace
}  // namespace gec
