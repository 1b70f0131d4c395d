// How much memory an allocation may ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gec {

/// Bytes that can still be had without swapping: what the system says, and what the control group leaves.
/// UINT64_MAX when neither tells.
uint64_t AvailableMemory();

/// Bytes of the machine, or of the control group where that has fewer. UINT64_MAX when neither tells.
uint64_t TotalMemory();

/// "the process holds 812.0 MB, at most 1024.0 MB are allowed", for messages when there is none left: allocates
/// nothing.
void MemoryText(char *text, size_t capacity) noexcept;

/// Throws GE_OUT_OF_MEMORY: how many bytes for what (0: nobody knows), and how much there is.
[[noreturn]] void FailMemory(uint64_t bytes, const std::string &what);

/// Refuses a large block that is not to be had, instead of letting the system end the process when it is written to.
/// Throws GE_OUT_OF_MEMORY with both numbers; `what` says what the block is for. Small blocks are not looked at.
void CheckMemory(uint64_t bytes, const char *what);

/// Large blocks that live are counted, since the system promises more than it has: a block is refused as well when all
/// of them together would not fit. `bytes` as given to CheckMemory; small ones are not counted.
void TookMemory(uint64_t bytes) noexcept;
void GaveMemory(uint64_t bytes) noexcept;

}  // namespace gec
