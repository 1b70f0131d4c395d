#include "runtime/options.h"

#include <filesystem>
#include <fstream>

#include "runtime/threads.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

TEST(Options, UnknownKeysNameNearOnes) {
  Options o;
  EXPECT_GE_ERROR(o.Set("thread", "1"), GE_OPTION_INVALID, "threads");
  EXPECT_GE_ERROR(o.Set("ge.exec.deviceID", "1"), GE_OPTION_INVALID, "ge.exec.deviceId");
}

TEST(Options, BadValuesNameWhatIsAllowed) {
  Options o;
  EXPECT_GE_ERROR(o.Set("precision", "int3"), GE_OPTION_INVALID, "allowed: fp32");
  EXPECT_GE_ERROR(o.Set("opt_level", "4"), GE_OPTION_INVALID, "an integer from 0 to 3");
  EXPECT_GE_ERROR(o.Set("threads", "two"), GE_OPTION_INVALID, "option threads is 'two'");
  EXPECT_GE_ERROR(o.Set("threads", "99999999999999999999"), GE_OPTION_INVALID, "threads");
  EXPECT_GE_ERROR(o.Set("ge.graphRunMode", "2"), GE_OPTION_INVALID, "allowed: 0, 1");
  EXPECT_GE_ERROR(o.Set("ge.inputShape", "x=1,2"), GE_OPTION_INVALID, "ge.inputShape");
  EXPECT_TRUE(o.all().empty());
}

TEST(Options, EveryDefaultIsAllowed) {
  for (size_t i = 0; i < OptionSpecCount(); ++i) {
    const OptionSpec *spec = OptionSpecAt(i);
    if (i) {
      EXPECT_LT(std::string(OptionSpecAt(i - 1)->key), spec->key);
    }
    EXPECT_NE(spec->doc[0], '\0') << spec->key;
    EXPECT_NO_THROW(CheckOption(spec->key, spec->fallback)) << spec->key;
  }
  EXPECT_EQ(OptionSpecAt(OptionSpecCount()), nullptr);
}

TEST(Options, GeKeysTakeEffect) {
  Options o;
  o.Set("ge.oo.level", "O1");
  o.Set("ge.exec.disableReuseMemory", "1");
  o.Set("ge.optimizationSwitch", "FuseGelu:off;FuseConv:on");
  o.Set("ge.oo.constantFolding", "false");
  Settings s = Resolve(o);
  EXPECT_EQ(s.opt_level, 1);
  EXPECT_FALSE(s.reuse_memory);
  EXPECT_EQ(s.disabled_passes, std::vector<std::string>{"ConstantFolding"});
  EXPECT_EQ(s.switches.option, (std::map<std::string, bool, std::less<>>{{"FuseGelu", false}, {"FuseConv", true}}));
  o.Set("opt_level", "3");
  EXPECT_EQ(Resolve(o).opt_level, 3);
  Options names;
  names.Set("ge.disableOptimizations", "RemoveSameConstPass,ConstantFoldingPass,TransOpWithoutReshapeFusionPass");
  EXPECT_EQ(Resolve(names).disabled_passes, (std::vector<std::string>{"CommonSubexpression", "ConstantFolding"}));
}

TEST(Options, PrecisionModesExcludeEachOther) {
  Options o;
  o.Set("ge.exec.precision_mode", "force_fp32");
  o.Set("ge.exec.precision_mode_v2", "origin");
  EXPECT_GE_ERROR(Resolve(o), GE_OPTION_INVALID, "exclude each other");
}

TEST(Options, InputShapeReplacesTheGraphs) {
  Net net;
  net.Outputs({net.Out("Relu", {net.Input({-1, 3}, C_DT_FLOAT, "x")})});
  ModelPtr model = Model::Compile(*net.graph, Opts({{"ge.inputShape", "x:4,3"}}));
  EXPECT_EQ(model->outputs()[0].desc.shape, (Shape{4, 3}));
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"ge.inputShape", "y:4,3"}})), GE_OPTION_INVALID,
                  "'y', the graph has: x");
}

TEST(Options, DumpDirHoldsTheStages) {
  std::string folder = ::testing::TempDir() + "/ge_dump_dir";
  std::filesystem::remove_all(folder);
  Net net;
  net.Outputs({net.Out("Neg", {net.Out("Identity", {net.Input({2})}, "same")}, "negation")});
  Model::Compile(*net.graph, Opts({{"dump_dir", folder.c_str()}}));
  std::vector<std::string> names;
  for (const auto &file : std::filesystem::directory_iterator(folder)) names.push_back(file.path().filename());
  std::sort(names.begin(), names.end());
  ASSERT_GE(names.size(), 3u);
  EXPECT_EQ(names.front(), "000_input.txt");
  EXPECT_NE(names.back().find("_final.txt"), std::string::npos);
  std::ifstream file(folder + "/000_input.txt");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("same"), std::string::npos);
  std::filesystem::remove_all(folder);
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"dump_dir", "/proc/no/folder"}})), GE_PATH_INVALID, "dump_dir");
}

TEST(Options, UnknownPassesAndEnginePathsAreRefused) {
  Net net;
  net.Outputs({net.Out("Relu", {net.Input({1})})});
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"passes.disable", "FuseGelo"}})), GE_OPTION_INVALID, "FuseGelu");
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"engines.path", "/no/such/folder"}})), GE_PATH_INVALID,
                  "/no/such/folder");
}

TEST(Threads, DefaultIsBoundByAffinityAndQuota) {
  EXPECT_GE(DefaultThreads(), 1);
  EXPECT_LE(DefaultThreads(), AffinityThreads());
  if (CgroupLimit() > 0) {
    EXPECT_LE(DefaultThreads(), static_cast<int32_t>(CgroupLimit() + 1));
  }
}

}  // namespace
}  // namespace gec
