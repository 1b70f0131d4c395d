// Memory that a caller gives a model for its constants, those that kernels pack included.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "core/ir/tensor.h"
#include "core/plan/memory_plan.h"
#include "core/support/error.h"

namespace gec {

/// The bytes that a constant takes there.
inline uint64_t ConstantMemoryFor(uint64_t bytes) {
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

/// Handed out from front to back, each piece at a multiple of 64 bytes; any thread.
class ConstantMemory {
 public:
  ConstantMemory(void *memory, uint64_t size) : at_(static_cast<char *>(memory)), left_(size), size_(size) {}
  /// Throws GE_OUT_OF_MEMORY. The memory stays the caller's.
  std::shared_ptr<Buffer> Take(uint64_t bytes) {
    std::lock_guard lock(mutex_);
    const uint64_t memory = ConstantMemoryFor(bytes);
    if (memory > left_) {
      Fail(GE_OUT_OF_MEMORY, "memory for constants has ", size_, " bytes, and with one of ", bytes, " bytes ",
           memory - left_, " are missing");
    }
    std::shared_ptr<Buffer> buffer = Buffer::Borrow(at_, bytes, nullptr, nullptr);
    at_ += memory;
    left_ -= memory;
    return buffer;
  }

 private:
  std::mutex mutex_;
  char *at_;
  uint64_t left_;
  const uint64_t size_;
};
using ConstantMemoryPtr = std::shared_ptr<ConstantMemory>;

}  // namespace gec
