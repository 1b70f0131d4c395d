#include "core/support/memory.h"

#include <algorithm>
#include <atomic>
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

std::atomic<uint64_t> taken{0};

// A row of /proc/meminfo in bytes.
uint64_t SystemMemory(const char *row) {
  FILE *file = std::fopen("/proc/meminfo", "re");
  if (!file) return UINT64_MAX;
  uint64_t bytes = UINT64_MAX;
  char line[128];
  while (std::fgets(line, sizeof line, file)) {
    unsigned long long kib;
    const size_t length = std::strlen(row);
    if (std::strncmp(line, row, length) == 0 && std::sscanf(line + length, ": %llu", &kib) == 1)
      bytes = uint64_t{kib} * 1024;
  }
  std::fclose(file);
  return bytes;
}

constexpr const char *kGroups[][2] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};

}  // namespace

uint64_t TotalMemory() {
  uint64_t bytes = SystemMemory("MemTotal");
  for (const auto &group : kGroups) bytes = std::min(bytes, NumberIn(group[0]));
  return bytes;
}

uint64_t AvailableMemory() {
  uint64_t bytes = SystemMemory("MemAvailable");
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
  uint64_t total = TotalMemory(), others = taken.load(std::memory_order_relaxed);
  if (others > total || bytes > total - others)
    Fail(GE_OUT_OF_MEMORY, "out of memory: ", bytes, " bytes for ", what, ", while ", others, " of ", total,
         " bytes are taken by other tensors and runs");
}

void TookMemory(uint64_t bytes) noexcept {
  if (bytes >= kLarge) taken.fetch_add(bytes, std::memory_order_relaxed);
}
void GaveMemory(uint64_t bytes) noexcept {
  if (bytes >= kLarge) taken.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace gec
