#include "core/support/memory.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

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

// The start of a file as text, read without allocating; "" when it cannot be read.
void ReadInto(const char *path, char *text, size_t capacity) noexcept {
  text[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t size = read(file, text, capacity - 1);
  text[size > 0 ? size : 0] = '\0';
  close(file);
}

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

void MemoryText(char *text, size_t capacity) noexcept {
  constexpr double kMega = 1 << 20;
  char file[256] = "";
  unsigned long long pages = 0, resident = 0;
  ReadInto("/proc/self/statm", file, sizeof file);
  std::sscanf(file, "%llu %llu", &pages, &resident);
  const double page = static_cast<double>(sysconf(_SC_PAGESIZE)) / kMega;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    std::snprintf(text, capacity, "the process has %.1f MB of address space, its limit is %.1f MB",
                  static_cast<double>(pages) * page, static_cast<double>(limit.rlim_cur) / kMega);
    return;
  }
  ReadInto("/proc/meminfo", file, sizeof file);
  unsigned long long kib = 0;
  const char *row = std::strstr(file, "MemAvailable:");
  if (row) std::sscanf(row + 13, "%llu", &kib);
  std::snprintf(text, capacity, "the process holds %.1f MB, the system has %.1f MB left",
                static_cast<double>(resident) * page, static_cast<double>(kib) / 1024);
}

void FailMemory(uint64_t bytes, const std::string &what) {
  char left[128];
  MemoryText(left, sizeof left);
  const std::string asked = bytes ? Str(": ", bytes, " bytes for ") : " in ";  // 0: somewhere in the work
  Fail(GE_OUT_OF_MEMORY, "out of memory", asked, what, "; ", left);
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
