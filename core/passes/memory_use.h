// How much memory the process uses, as the C library and the kernel count it.
#pragma once

#include <cstdint>

namespace gec {

/// Bytes that the process allocated and did not free.
int64_t AllocatedBytes() noexcept;
/// Bytes in memory now, and at most since the last reset; 0 where the kernel does not say.
int64_t ResidentBytes() noexcept;
int64_t HighestResidentBytes() noexcept;
void ResetHighestResidentBytes() noexcept;

}  // namespace gec
