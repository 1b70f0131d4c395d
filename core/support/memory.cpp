#include "core/support/memory.h"

#include <cstdio>
#include <cstring>

#include "core/support/error.h"

namespace gec {
namespace {

constexpr uint64_t kLarge = uint64_t{256} << 20;  // below this the look costs more than it tells

// The first number in a file of one number; UINT64_MAX when there is none ("max").
uint64_t NumberIn(const char *path) {
  FILE *file = std::fopen(path, "re");
  if (!file) return UINT64_MAX;
  unsigned long long value = 0;
  bool ok = std::fscanf(file, "%llu", &value) == 1;
  std::fclose(file);
  return ok ? value : UINT64_MAX;
}

uint64_t SystemMemory() {
  FILE *file = std::fopen("/proc/meminfo", "re");
  if (!file) return UINT64_MAX;
  uint64_t bytes = UINT64_MAX;
  char line[128];
  while (std::fgets(line, sizeof line, file)) {
    unsigned long long kib;
    if (std::sscanf(line, "MemAvailable: %llu", &kib) == 1) bytes = uint64_t{kib} * 1024;
  }
  std::fclose(file);
  return bytes;
}

}  // namespace

uint64_t AvailableMemory() {
  uint64_t bytes = SystemMemory();
  constexpr const char *kGroups[][2] = {
      {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
  for (const auto &group : kGroups) {
    uint64_t limit = NumberIn(group[0]), used = NumberIn(group[1]);
    if (limit == UINT64_MAX || used == UINT64_MAX) continue;
    uint64_t left = limit > used ? limit - used : 0;
    if (left < bytes) bytes = left;
  }
  return bytes;
}

void CheckMemory(uint64_t bytes, const char *what) {
  if (bytes < kLarge) return;
  uint64_t available = AvailableMemory();
  if (bytes > available)
    Fail(GE_OUT_OF_MEMORY, "out of memory: ", bytes, " bytes for ", what, ", ", available, " bytes are available");
}

}  // namespace gec
