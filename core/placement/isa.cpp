// CPUID says what the processor has, XGETBV which registers the operating system saves. (The compiler's
// __builtin_cpu_supports knows other sets of names in each compiler, and leaves out some of these.)
#include "core/placement/isa.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "core/support/error.h"

namespace gec {
namespace {

enum Register { kEax, kEbx, kEcx, kEdx };

// Registers that a feature needs the operating system to save: bits of XCR0.
constexpr uint64_t kNoState = 0, kYmm = 0x6, kZmm = 0xe6, kTiles = 0x60000;

struct FeatureRow {
  uint64_t feature;
  const char *name;
  unsigned leaf, subleaf;
  Register reg;
  int bit;
  uint64_t state;
};

constexpr FeatureRow kFeatures[] = {
    {GE_CPU_SSE3, "SSE3", 1, 0, kEcx, 0, kNoState},
    {GE_CPU_SSSE3, "SSSE3", 1, 0, kEcx, 9, kNoState},
    {GE_CPU_SSE4_1, "SSE4.1", 1, 0, kEcx, 19, kNoState},
    {GE_CPU_SSE4_2, "SSE4.2", 1, 0, kEcx, 20, kNoState},
    {GE_CPU_POPCNT, "POPCNT", 1, 0, kEcx, 23, kNoState},
    {GE_CPU_MOVBE, "MOVBE", 1, 0, kEcx, 22, kNoState},
    {GE_CPU_LZCNT, "LZCNT", 0x80000001, 0, kEcx, 5, kNoState},
    {GE_CPU_BMI1, "BMI1", 7, 0, kEbx, 3, kNoState},
    {GE_CPU_BMI2, "BMI2", 7, 0, kEbx, 8, kNoState},
    {GE_CPU_AVX, "AVX", 1, 0, kEcx, 28, kYmm},
    {GE_CPU_F16C, "F16C", 1, 0, kEcx, 29, kYmm},
    {GE_CPU_FMA, "FMA", 1, 0, kEcx, 12, kYmm},
    {GE_CPU_AVX2, "AVX2", 7, 0, kEbx, 5, kYmm},
    {GE_CPU_AVX_VNNI, "AVX-VNNI", 7, 1, kEax, 4, kYmm},
    {GE_CPU_AVX512F, "AVX512F", 7, 0, kEbx, 16, kZmm},
    {GE_CPU_AVX512CD, "AVX512CD", 7, 0, kEbx, 28, kZmm},
    {GE_CPU_AVX512BW, "AVX512BW", 7, 0, kEbx, 30, kZmm},
    {GE_CPU_AVX512DQ, "AVX512DQ", 7, 0, kEbx, 17, kZmm},
    {GE_CPU_AVX512VL, "AVX512VL", 7, 0, kEbx, 31, kZmm},
    {GE_CPU_AVX512_VNNI, "AVX512-VNNI", 7, 0, kEcx, 11, kZmm},
    {GE_CPU_AVX512_BF16, "AVX512-BF16", 7, 1, kEax, 5, kZmm},
    {GE_CPU_AVX512_FP16, "AVX512-FP16", 7, 0, kEdx, 23, kZmm},
    {GE_CPU_AMX_TILE, "AMX-TILE", 7, 0, kEdx, 24, kTiles},
    {GE_CPU_AMX_INT8, "AMX-INT8", 7, 0, kEdx, 25, kTiles},
    {GE_CPU_AMX_BF16, "AMX-BF16", 7, 0, kEdx, 22, kTiles},
};

// The caps of GE_MAX_ISA, lowest first: what must be there for the name to apply, and what a process capped to it
// keeps.
struct Cap {
  const char *name;
  uint64_t needs, keeps;
};
constexpr uint64_t kKeptAvx2 = GE_CPU_X86_64_V3 | GE_CPU_AVX_VNNI;
constexpr uint64_t kKeptAvx512 =
    kKeptAvx2 | GE_CPU_X86_64_V4 | GE_CPU_AVX512_VNNI | GE_CPU_AVX512_BF16 | GE_CPU_AVX512_FP16;
constexpr uint64_t kAmx = GE_CPU_AMX_TILE | GE_CPU_AMX_INT8 | GE_CPU_AMX_BF16;
constexpr Cap kCaps[] = {
    {"scalar", 0, 0},
    {"avx2", GE_CPU_X86_64_V3, kKeptAvx2},
    {"avx512", GE_CPU_X86_64_V4, kKeptAvx512},
    {"amx", GE_CPU_X86_64_V4 | GE_CPU_AMX_TILE, kKeptAvx512 | kAmx},
};

/// Registers that the operating system saves when it switches threads.
uint64_t SavedState() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kXgetbvAllowed = 1u << 27;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & kXgetbvAllowed) == 0) return 0;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

/// Tile registers must be asked for before their first use; the answer holds for the whole process.
bool TilesGranted() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

uint64_t Detected() {
  const uint64_t saved = SavedState();
  uint64_t found = 0;
  for (const FeatureRow &first : kFeatures) {
    // Each leaf once: in a virtual machine every CPUID is a way out of it and back.
    const auto in_leaf = [&](const FeatureRow &row) { return row.leaf == first.leaf && row.subleaf == first.subleaf; };
    if (&first != std::find_if(std::begin(kFeatures), std::end(kFeatures), in_leaf)) continue;
    unsigned values[4] = {};
    if (!__get_cpuid_count(first.leaf, first.subleaf, &values[kEax], &values[kEbx], &values[kEcx], &values[kEdx]))
      continue;
    for (const FeatureRow &row : kFeatures) {
      if (in_leaf(row) && (values[row.reg] >> row.bit & 1u) != 0 && (saved & row.state) == row.state)
        found |= row.feature;
    }
  }
  if ((found & kAmx) != 0 && !TilesGranted()) found &= ~kAmx;
  return found;
}

// What the kernels of this build are made to run without (cmake/GeEmulation.cmake).
#ifdef GE_EMULATE_AVX512
constexpr uint64_t kEmulated = GE_CPU_X86_64_V4 | GE_CPU_AVX512_VNNI | GE_CPU_AVX512_BF16 | kAmx;
#else
constexpr uint64_t kEmulated = 0;
#endif

uint64_t KeptByCap() {
  const char *cap = std::getenv("GE_MAX_ISA");
  if (cap == nullptr || cap[0] == '\0') return ~uint64_t{0};
  std::string known;
  for (const Cap &each : kCaps) {
    if (std::string_view(cap) == each.name) return each.keeps;
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  }
  Fail(GE_OPTION_INVALID, "environment variable GE_MAX_ISA is '", cap, "', allowed: ", known);
}

}  // namespace

uint64_t ProcessorFeatures() {
  static const uint64_t features = Detected();
  return features;
}

uint64_t HostFeatures() {
  static const uint64_t features = (ProcessorFeatures() | kEmulated) & KeptByCap();
  return features;
}

const char *IsaName(uint64_t features) {
  const char *name = kCaps[0].name;
  for (const Cap &cap : kCaps) {
    if (Offers(features, cap.needs)) name = cap.name;
  }
  return name;
}

std::string FeatureNames(uint64_t features) {
  std::string names;
  for (const FeatureRow &row : kFeatures) {
    if (features & row.feature) names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names.empty() ? "none" : names;
}

}  // namespace gec
