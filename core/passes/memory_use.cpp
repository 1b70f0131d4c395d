#include "core/passes/memory_use.h"

#include <malloc.h>

#include <cstdio>
#include <cstring>

namespace gec {
namespace {
int64_t StatusLine(const char *key) noexcept {
  std::FILE *file = std::fopen("/proc/self/status", "r");
  if (!file) return 0;
  char line[256];
  long long kib = 0;
  const size_t length = std::strlen(key);
  while (std::fgets(line, sizeof line, file))
    if (std::strncmp(line, key, length) == 0) std::sscanf(line + length, ": %lld", &kib);
  std::fclose(file);
  return kib * 1024;
}
}  // namespace

int64_t AllocatedBytes() noexcept {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}
int64_t ResidentBytes() noexcept { return StatusLine("VmRSS"); }
int64_t HighestResidentBytes() noexcept { return StatusLine("VmHWM"); }
void ResetHighestResidentBytes() noexcept {
  if (std::FILE *file = std::fopen("/proc/self/clear_refs", "w")) {  // proc(5): 5 resets the peak
    std::fputs("5", file);
    std::fclose(file);
  }
}

}  // namespace gec
