#include "runtime/options.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/support/log.h"
#include "core/support/warnings.h"
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

/// Values of an option, the default apart.
std::vector<std::string> OtherValues(const OptionSpec &spec) {
  std::vector<std::string> values;
  std::istringstream list(spec.values);
  if (spec.kind == OptionKind::kChoice) {
    for (std::string value; std::getline(list, value, '|');) values.push_back(value);
  } else if (spec.kind == OptionKind::kInteger) {
    const int64_t low = std::strtoll(spec.values, nullptr, 10);  // "low..high"
    values = {Str(low), Str(low + 1), Str(low + 2)};
  } else {
    values = {"some text"};
  }
  std::erase(values, spec.fallback);
  return values;
}

bool Has(std::string_view list, std::string_view value) {
  return ("|" + std::string(list) + "|").find("|" + std::string(value) + "|") != std::string::npos;
}

TEST(Options, EveryRowActsOrSaysThatItDoesNot) {
  for (size_t i = 0; i < OptionSpecCount(); ++i) {
    const OptionSpec &spec = *OptionSpecAt(i);
    for (const std::string &value : OtherValues(spec)) {
      if (spec.effect == OptionEffect::kActs) continue;  // their tests are those of what they do
      (void)TakeWarnings();
      const std::string named = Str("option ", spec.key, " is '", value, "'");
      if (spec.effect == OptionEffect::kRefused && !Has(spec.silent, value) && !Has(spec.warned, value)) {
        EXPECT_GE_ERROR(CheckOption(spec.key, value), GE_UNSUPPORTED, named);
        EXPECT_GE_ERROR(CheckOption(spec.key, value), GE_UNSUPPORTED, spec.doc);
        continue;
      }
      EXPECT_NO_THROW(CheckOption(spec.key, value)) << named;
      const std::string told = TakeWarnings();
      const bool warns = EffectOf(spec.key, value) == OptionEffect::kWarns;
      EXPECT_TRUE(told.empty() || (warns && told.find(named) == 0)) << told;
      EXPECT_EQ(warns, spec.effect != OptionEffect::kDevice && !Has(spec.silent, value)) << named;
      CheckOption(spec.key, value);
      EXPECT_EQ(TakeWarnings(), "") << "told twice: " << named;
    }
    EXPECT_NO_THROW(CheckOption(spec.key, spec.fallback)) << spec.key;
    EXPECT_EQ(TakeWarnings(), "") << spec.key;
  }
}

TEST(Options, AWarningNamesOptionValueAndReasonOnceInAProcess) {
  // Not a key that the test above has used up: tests of one binary share the process under some runners.
  (void)TakeWarnings();
  std::string logged;
  SetLogSink([](void *user, int32_t, const char *text) { *static_cast<std::string *>(user) += text; }, &logged,
             GE_LOG_WARNING);
  Warn("one line");
  Warn("another line");
  Warn("one line");
  SetLogSink(nullptr, nullptr, GE_LOG_WARNING);
  EXPECT_EQ(TakeWarnings(), "one line\nanother line\n");
  EXPECT_EQ(TakeWarnings(), "");
  EXPECT_EQ(logged, "one lineanother lineone line");
  Warn("one line");
  EXPECT_EQ(TakeWarnings(), "one line\n");
}

TEST(Options, WarningsThatNobodyTakesAreBounded) {
  (void)TakeWarnings();
  SetLogSink(nullptr, nullptr, GE_LOG_OFF);
  for (int i = 0; i < 100000; ++i) Warn(Str("warning ", i));
  SetLogSink(nullptr, nullptr, GE_LOG_WARNING);
  const std::string kept = TakeWarnings();
  EXPECT_LE(kept.size(), size_t{64} << 10);
  EXPECT_EQ(kept.substr(0, 10), "warning 0\n");
}

// What GE's samples and guides set in most programs must not stop one.
TEST(Options, WhatGeProgramsSetRoutinelyIsAccepted) {
  const std::pair<const char *, const char *> kRoutine[] = {{"ge.exec.deviceId", "0"},
                                                            {"ge.graphRunMode", "1"},
                                                            {"ge.socVersion", "Ascend910B1"},
                                                            {"ge.exec.rankTableFile", "ranks.json"},
                                                            {"ge.exec.rankId", "0"},
                                                            {"ge.exec.precision_mode", "allow_fp32_to_fp16"},
                                                            {"ge.exec.precision_mode", "force_fp16"},
                                                            {"ge.aicoreNum", "24|48"},
                                                            {"ge.autoMultistreamParallelMode", "cv"},
                                                            {"ge.inputShape", "x:-1,3,224,224"},
                                                            {"ge.dynamicDims", "1;2;4;8"},
                                                            {"ge.dynamicNodeType", "1"},
                                                            {"ge.jit_compile", "1"},
                                                            {"ge.exec.logicalDeviceClusterDeployMode", "SINGLE"},
                                                            {"ge.exec.logicalDeviceId", "[0:0]"},
                                                            {"ge.exec.hostInputIndexes", "0;1"},
                                                            {"input_format", "ND"}};
  for (const auto &[key, value] : kRoutine) EXPECT_NO_THROW(CheckOption(key, value)) << key;
}

TEST(Options, LowPrecisionIsAllowedAndOtherNumbersAreRefused) {
  EXPECT_EQ(EffectOf("ge.exec.precision_mode", "force_fp32"), OptionEffect::kDevice);
  EXPECT_EQ(EffectOf("ge.exec.precision_mode", "force_fp16"), OptionEffect::kWarns);
  EXPECT_EQ(EffectOf("ge.exec.precision_mode_v2", "origin"), OptionEffect::kDevice);
  EXPECT_EQ(EffectOf("ge.exec.precision_mode_v2", "mixed_float16"), OptionEffect::kWarns);
  EXPECT_EQ(EffectOf("ge.exec.precision_mode_v2", "cube_hif8"), OptionEffect::kRefused);
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

TEST(Options, TheOlderFormOfShapesIsRead) {
  Net net;
  net.Outputs({net.Out("Relu", {net.Input({-1, 3}, C_DT_FLOAT, "x")})});
  ModelPtr model = Model::Compile(*net.graph, Opts({{"input_shape_range", "x:[1~8,3]"}}));
  EXPECT_EQ(model->outputs()[0].desc.shape, (Shape{-1, 3}));
  model = Model::Compile(*net.graph, Opts({{"input_shape_range", "x:[4,3]"}}));
  EXPECT_EQ(model->outputs()[0].desc.shape, (Shape{4, 3}));
  Options o;
  EXPECT_GE_ERROR(o.Set("input_shape_range", "[1~8,3]"), GE_OPTION_INVALID, "option input_shape_range: '1~8,3'");
}

TEST(Options, OptionsOfFilesAreRefusedForGraphs) {
  Net net;
  net.Outputs({net.Out("Relu", {net.Input({2})}, "y")});
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"ge.outputNodeName", "y:0"}})), GE_OPTION_INVALID,
                  "option ge.outputNodeName is 'y:0'");
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
