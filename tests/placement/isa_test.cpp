// Features against what the kernel says of the processor, caps, and plug-ins of other levels.
#include "core/placement/isa.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/placement/registry.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

// The kernel's own names: it has asked CPUID, and leaves out what it does not support.
const std::pair<uint64_t, const char *> kKernelNames[] = {
    {GE_CPU_SSE3, "pni"},
    {GE_CPU_SSSE3, "ssse3"},
    {GE_CPU_SSE4_1, "sse4_1"},
    {GE_CPU_SSE4_2, "sse4_2"},
    {GE_CPU_POPCNT, "popcnt"},
    {GE_CPU_MOVBE, "movbe"},
    {GE_CPU_LZCNT, "abm"},
    {GE_CPU_BMI1, "bmi1"},
    {GE_CPU_BMI2, "bmi2"},
    {GE_CPU_AVX, "avx"},
    {GE_CPU_F16C, "f16c"},
    {GE_CPU_FMA, "fma"},
    {GE_CPU_AVX2, "avx2"},
    {GE_CPU_AVX_VNNI, "avx_vnni"},
    {GE_CPU_AVX512F, "avx512f"},
    {GE_CPU_AVX512CD, "avx512cd"},
    {GE_CPU_AVX512BW, "avx512bw"},
    {GE_CPU_AVX512DQ, "avx512dq"},
    {GE_CPU_AVX512VL, "avx512vl"},
    {GE_CPU_AVX512_VNNI, "avx512_vnni"},
    {GE_CPU_AVX512_BF16, "avx512_bf16"},
    {GE_CPU_AVX512_FP16, "avx512_fp16"},
    {GE_CPU_AMX_TILE, "amx_tile"},
    {GE_CPU_AMX_INT8, "amx_int8"},
    {GE_CPU_AMX_BF16, "amx_bf16"},
};

std::set<std::string> KernelFlags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(Isa, FeaturesAreThoseThatTheKernelReports) {
  const std::set<std::string> flags = KernelFlags();
  ASSERT_FALSE(flags.empty());
  for (const auto &[feature, name] : kKernelNames)
    EXPECT_EQ(Offers(ProcessorFeatures(), feature), flags.count(name) == 1) << name;
}

TEST(Isa, LevelsHoldTheFeaturesOfTheCompilersLevels) {
  EXPECT_TRUE(Offers(GE_CPU_X86_64_V4, GE_CPU_X86_64_V3));
  EXPECT_STREQ(IsaName(0), "scalar");
  EXPECT_STREQ(IsaName(GE_CPU_X86_64_V3), "avx2");
  EXPECT_STREQ(IsaName(GE_CPU_X86_64_V3 & ~GE_CPU_BMI2), "scalar");
  EXPECT_STREQ(IsaName(GE_CPU_X86_64_V4), "avx512");
  EXPECT_STREQ(IsaName(GE_CPU_X86_64_V4 | GE_CPU_AMX_TILE), "amx");
  EXPECT_EQ(FeatureNames(0), "none");
  EXPECT_EQ(FeatureNames(GE_CPU_AVX2 | GE_CPU_FMA), "FMA, AVX2");
}

/// Runs `body` in a process of its own whose GE_MAX_ISA is `cap`; its result is what the process prints.
template <class Body>
std::string Capped(const char *cap, const Body &body) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    setenv("GE_MAX_ISA", cap, 1);
    std::string text;
    try {
      text = body();
    } catch (const Error &e) {
      text = Str("error: ", e.what());
    }
    (void)!write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(n));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

// The features of a process are read once; a test that has read them would pass its own on.
TEST(Isa, CapsTakeFeaturesAwayAndUnknownOnesAreNamed) {
  const auto names = [] { return FeatureNames(HostFeatures()); };
  EXPECT_EQ(Capped("scalar", names), "none");
  EXPECT_EQ(Capped("avx2", names), FeatureNames(ProcessorFeatures() & (GE_CPU_X86_64_V3 | GE_CPU_AVX_VNNI)));
  EXPECT_EQ(Capped("amx", names), FeatureNames(ProcessorFeatures()));
  EXPECT_EQ(Capped("sse9", names),
            "error: environment variable GE_MAX_ISA is 'sse9', allowed: scalar, avx2, avx512, amx");
}

TEST(Isa, APlugInForAnotherProcessorIsKeptWithItsReason) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "ge_levels";
  fs::create_directories(folder / "x86-64-v3");
  fs::copy_file(std::string(GE_ENGINE_CASES) + "/good.so", folder / "x86-64-v3" / "libge_engine_level.so",
                fs::copy_options::overwrite_existing);
  const std::string text = Capped("scalar", [&] {
    EngineRegistry &registry = EngineRegistry::Instance();
    registry.LoadFrom(folder.string());
    std::string found;
    for (const EngineEntryPtr &e : registry.Entries())
      if (e->name == "level") found = Str(e->engine ? "usable" : "unusable", ": ", e->error, "; ", registry.Problems());
    return found;
  });
  EXPECT_EQ(text, "unusable: it needs what the processor or GE_MAX_ISA does not offer: " +
                      FeatureNames(GE_CPU_X86_64_V3) + "; ");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace gec
