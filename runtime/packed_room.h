// Memory of a model for packed constants, which live as long as it does.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "core/ir/tensor.h"

namespace gec {

/// Pieces of large blocks, one behind the other: the first touch of memory takes longer than packing what goes there,
/// and takes a third in large pages, which small allocations do not get. Any thread.
class PackedRoom {
 public:
  /// Zeros, at a multiple of 64 bytes. Throws GE_OUT_OF_MEMORY.
  std::shared_ptr<Buffer> Take(uint64_t bytes);

 private:
  std::mutex mutex_;
  std::shared_ptr<Buffer> block_;  // pieces hold it
  uint64_t used_ = 0;
};

}  // namespace gec
