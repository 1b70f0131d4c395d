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
  EXPECT_GE_ERROR(o.Set("precision", "int3"), GE_OPTION_INVALID,
                  "allowed: fp32, bf16, fp16_weights, int8_weights, int4_weights");
  EXPECT_GE_ERROR(o.Set("precision.nodes", "a=fp32;b=int3"), GE_OPTION_INVALID, "'int3' for 'b', allowed: fp32");
  EXPECT_GE_ERROR(o.Set("precision.nodes", "int8_weights"), GE_OPTION_INVALID, "expected pattern=precision");
  EXPECT_GE_ERROR(o.Set("opt_level", "2147483648"), GE_OPTION_INVALID, "an integer from 0 to 2147483647");
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

// Options that GE's samples and guides set in most programs must not stop one.
TEST(Options, WhatGeProgramsSetRoutinelyIsAccepted) {
  const std::pair<const char *, const char *> kRoutine[] = {{"ge.exec.deviceId", "0"},
                                                            {"ge.graphRunMode", "1"},
                                                            {"ge.socVersion", "Ascend910B1"},
                                                            {"ge.exec.rankTableFile", "ranks.json"},
                                                            {"ge.exec.rankId", "0"},
                                                            {"ge.exec.precision_mode", "allow_fp32_to_fp16"},
                                                            {"ge.exec.precision_mode", "force_fp16"},
                                                            {"ge.exec.precision_mode_v2", "fp16"},
                                                            {"ge.aicoreNum", "24|48"},
                                                            {"ge.autoMultistreamParallelMode", "cv"},
                                                            {"ge.inputShape", "x:-1,3,224,224"},
                                                            {"ge.dynamicDims", "1;2;4;8"},
                                                            {"ge.dynamicNodeType", "1"},
                                                            {"ge.jit_compile", "1"},
                                                            {"ge.exec.logicalDeviceClusterDeployMode", "SINGLE"},
                                                            {"ge.exec.logicalDeviceId", "[0:0]"},
                                                            {"ge.exec.hostInputIndexes", "0;1"},
                                                            {"ge.graphMemoryMaxSize", "16000000000"},
                                                            {"ge.op_compiler_cache_dir", "cache"},
                                                            {"ge.optimizationSwitch", "SomePassOfGe:off"},
                                                            {"ge.disableOptimizations", "SomePassOfGe"},
                                                            {"log", "error"},
                                                            {"input_format", "NCHW"},
                                                            {"input_format", "ND"}};
  for (const auto &[key, value] : kRoutine) EXPECT_NO_THROW(CheckOption(key, value)) << key;
}

TEST(Options, LowPrecisionIsAllowedAndOtherNumbersAreRefused) {
  EXPECT_EQ(EffectOf("ge.exec.precision_mode", "force_fp32"), OptionEffect::kActs);
  EXPECT_EQ(EffectOf("ge.exec.precision_mode", "force_fp16"), OptionEffect::kActs);
  EXPECT_EQ(EffectOf("ge.exec.precision_mode_v2", "origin"), OptionEffect::kDevice);
  EXPECT_EQ(EffectOf("ge.exec.precision_mode_v2", "mixed_float16"), OptionEffect::kDevice);
  EXPECT_EQ(EffectOf("ge.exec.precision_mode_v2", "mixed_bfloat16"), OptionEffect::kDevice);
  EXPECT_EQ(EffectOf("ge.exec.precision_mode_v2", "cube_hif8"), OptionEffect::kRefused);
}

TEST(Options, MissingLimitsCachesLogsAndDevicesAreSaid) {
  const std::pair<const char *, const char *> kMissing[] = {{"ge.graphMemoryMaxSize", "1"},
                                                            {"ge.variableMemoryMaxSize", "1"},
                                                            {"ge.flowGraphMemMaxSize", "1"},
                                                            {"ge.graphMaxParallelModelNum", "2"},
                                                            {"ge.op_compiler_cache_dir", "cache"},
                                                            {"ge.graph_compiler_cache_dir", "cache"},
                                                            {"ge.exec.increBuildCachePath", "cache"},
                                                            {"ge.enableCompressWeight", "true"},
                                                            {"ge.exec.deviceId", "7"},
                                                            {"ge.session_device_id", "1"},
                                                            {"log", "debug"}};
  for (const auto &[key, value] : kMissing) EXPECT_EQ(EffectOf(key, value), OptionEffect::kWarns) << key;
  for (const char *none : {"-1", "0"}) EXPECT_EQ(EffectOf("ge.exec.deviceId", none), OptionEffect::kDevice);
  EXPECT_GE_ERROR(CheckOption("log", "banana"), GE_OPTION_INVALID, "debug, info, warning, error, null");
}

TEST(Options, WhatWouldChangeResultsOrFilesIsRefused) {
  const std::pair<const char *, const char *> kRefused[] = {{"ge.host_env_cpu", "riscv64"},
                                                            {"ge.host_env_os", "windows"},
                                                            {"ge.runFlag", "0"},
                                                            {"execute_times", "5"},
                                                            {"ge.distributed_cluster_build", "1"}};
  for (const auto &[key, value] : kRefused) EXPECT_GE_ERROR(CheckOption(key, value), GE_UNSUPPORTED, key);
  for (const auto &[key, value] : {std::pair{"ge.host_env_os", "linux"}, {"ge.runFlag", "1"}, {"execute_times", "1"}})
    EXPECT_EQ(EffectOf(key, value), OptionEffect::kDevice) << key;
#ifdef __x86_64__
  EXPECT_EQ(EffectOf("ge.host_env_cpu", "x86_64"), OptionEffect::kDevice);
  EXPECT_EQ(EffectOf("ge.host_env_cpu", "aarch64"), OptionEffect::kRefused);
#endif
}

TEST(Options, WithoutALevelItIsTwo) {
  Options o;
  EXPECT_EQ(Resolve(o).opt_level, 2);
  o.Set("ge.oo.level", "");
  EXPECT_EQ(Resolve(o).opt_level, 2);
  o.Set("ge.oo.level", "O3");
  EXPECT_EQ(Resolve(o).opt_level, 3);
}

TEST(Options, SwitchesThatDoNothingAreSaidOnce) {
  Net net;
  net.Outputs({net.Out("Relu", {net.Input({1})})});
  auto told = [&](const char *key, const char *value) {
    (void)TakeWarnings();
    Model::Compile(*net.graph, Opts({{key, value}}));
    const std::string text = TakeWarnings();
    Model::Compile(*net.graph, Opts({{key, value}}));
    EXPECT_EQ(TakeWarnings(), "") << key;
    return text;
  };
  EXPECT_EQ(told("ge.optimizationSwitch", "garbage"),
            "option ge.optimizationSwitch: 'garbage' is ignored, it is not of the form Pass:on or Pass:off\n");
  EXPECT_EQ(told("ge.optimizationSwitch", "NoSuchPass:off; FuseGelu:off;NorThis:on"),
            "option ge.optimizationSwitch has no effect on 'NoSuchPass', 'NorThis': there are no such passes\n");
  EXPECT_EQ(told("ge.optimizationSwitch", "FuseGelu:maybe"),
            "option ge.optimizationSwitch: in 'FuseGelu:maybe' 'maybe' counts as off, allowed: on, off\n");
  EXPECT_EQ(told("ge.optimizationSwitch", "FuseGelu:on"), "");
  EXPECT_EQ(told("ge.fusionSwitchFile", "/no/such/file.json"),
            "option ge.fusionSwitchFile: '/no/such/file.json' cannot be opened, it is ignored\n");
  EXPECT_EQ(told("ge.disableOptimizations", "RemoveSameConstPass,PassOfGe"),
            "option ge.disableOptimizations has no effect on 'PassOfGe': there is no such pass\n");
}

TEST(Options, EnginesThatAreNotThereAreRefusedOrSaid) {
  Net net;
  net.Outputs({net.Out("Relu", {net.Input({1})})});
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"engines.exclude", "VectorEngin"}})), GE_OPTION_INVALID,
                  "option engines.exclude: there is no engine 'VectorEngin', there are: ");
  (void)TakeWarnings();
  Model::Compile(*net.graph, Opts({{"ge.exec.exclude_engines", "AiCpu|VectorEngine|DNN_HCCL"}}));
  EXPECT_EQ(TakeWarnings(),
            "option ge.exec.exclude_engines has no effect on 'AiCpu': there is no engine DNN_VM_AICPU here\n"
            "option ge.exec.exclude_engines has no effect on 'DNN_HCCL': there is no engine DNN_HCCL here\n");
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"ge.exec.exclude_engines", "AiVector|AiCor"}})), GE_OPTION_INVALID,
                  "option ge.exec.exclude_engines: there is no engine 'AiCor', allowed: AiCore, AiVector, Dvpp, AiCpu, "
                  "AiCpuAscend, HostCpu, Hccl, FftsPlus, Dsa, ");
}

TEST(Options, InputFormatIsHeldAgainstTheInputs) {
  Net net;
  const Endpoint x = net.Input({1, 2, 3, 4}, C_DT_FLOAT, "picture");
  net.Outputs({net.Out("Relu", {x})});
  TensorDesc desc = x.node->output_desc(0);
  desc.format = desc.origin_format = C_FORMAT_NHWC;
  net.graph->SetOutputDesc(x.node, 0, desc);
  (void)TakeWarnings();
  for (const char *fine : {"NHWC", "ND", "NCDHW"}) (void)Model::Compile(*net.graph, Opts({{"input_format", fine}}));
  EXPECT_EQ(TakeWarnings(), "");
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts({{"input_format", "NCHW"}})), GE_OPTION_INVALID,
                  "option input_format is 'NCHW', input 'picture' of graph 'net' is NHWC");
  EXPECT_GE_ERROR(Model::OptimizeOffline(*net.graph, Opts({{"input_format", "NCHW"}}), nullptr), GE_OPTION_INVALID,
                  "NCHW");
  desc.format = desc.origin_format = C_FORMAT_ND;
  net.graph->SetOutputDesc(x.node, 0, desc);
  (void)Model::Compile(*net.graph, Opts({{"input_format", "NCHW"}}));
  EXPECT_EQ(TakeWarnings().find("option input_format is 'NCHW', and inputs of format ND stay as they are"), 0u);
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
