// The instruction sets that the processor and the operating system let this process use.
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/placement/registry.h"

namespace gec {
namespace {

constexpr const char *kNames[] = {"scalar", "avx2", "avx512", "amx"};

/// Tile registers must be asked for before their first use; the answer holds for the whole process.
bool TilesGranted() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24, kInt8 = 1u << 25;
  if ((d & kTile) == 0 || (d & (kBf16 | kInt8)) == 0) return false;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

int32_t Detect() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return GE_ISA_SCALAR;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl")) {
    return GE_ISA_AVX2;
  }
  return TilesGranted() ? GE_ISA_AMX : GE_ISA_AVX512;
}

int32_t Capped() {
  int32_t best = Detect();
  const char *cap = std::getenv("GE_MAX_ISA");
  if (cap == nullptr || cap[0] == '\0') return best;
  for (int32_t i = GE_ISA_SCALAR; i <= GE_ISA_AMX; ++i) {
    if (std::string(cap) == kNames[i]) return best < i ? best : i;
  }
  Fail(GE_OPTION_INVALID, "environment variable GE_MAX_ISA is '", cap, "', allowed: scalar, avx2, avx512, amx");
}

}  // namespace

int32_t HostIsa() {
  static const int32_t isa = Capped();
  return isa;
}

const char *IsaName(int32_t isa) { return isa >= GE_ISA_SCALAR && isa <= GE_ISA_AMX ? kNames[isa] : "unknown"; }

}  // namespace gec
