#include "runtime/session/stream_allocator.h"

#include <cstring>

namespace gec {

void StreamAllocator::Take(Tensor &tensor) {
  struct Block {
    std::shared_ptr<StreamAllocator> allocator;
    void *block = nullptr;
    ~Block() {
      if (allocator) allocator->functions_.release(allocator->functions_.user, block);
    }
  };
  const uint64_t bytes = tensor.bytes();
  if (bytes == 0) return;
  auto held = std::make_unique<Block>();
  void *memory = functions_.allocate(functions_.user, bytes, &held->block);
  if (!memory) Fail(GE_OUT_OF_MEMORY, "the stream's allocator has no memory for an output of ", bytes, " bytes");
  held->allocator = shared_from_this();
  std::memcpy(memory, tensor.data(), bytes);
  tensor.buffer = Buffer::Borrow(
      memory, bytes, [](void *user) { delete static_cast<Block *>(user); }, held.get());
  (void)held.release();
}

}  // namespace gec
