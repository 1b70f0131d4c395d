#include "runtime/packed_room.h"

#include <algorithm>

#include "core/support/large_pages.h"
#include "runtime/constant_memory.h"

namespace gec {

std::shared_ptr<Buffer> PackedRoom::Take(uint64_t bytes) {
  constexpr uint64_t kSmall = uint64_t{1} << 20, kBlock = uint64_t{32} << 20;
  const uint64_t memory =
      ConstantMemoryFor(std::max<uint64_t>(bytes, 1)) + 64;  // whole vectors are read beyond the end
  std::unique_lock lock(mutex_);
  if (!block_ || block_->size() - used_ < memory) {
    // Blocks grow with what is there: a small model has no use for large ones.
    const uint64_t next = block_ ? std::min(kBlock, 4 * block_->size()) : kSmall;
    block_ = Buffer::AllocateLarge(std::max(next, memory));
    used_ = 0;
  }
  char *data = static_cast<char *>(block_->data()) + used_;
  const uint64_t room = block_->size() - used_;
  auto holder = std::make_unique<std::shared_ptr<Buffer>>(block_);
  std::shared_ptr<Buffer> piece = Buffer::Borrow(
      data, bytes, [](void *user) { delete static_cast<std::shared_ptr<Buffer> *>(user); }, holder.get());
  holder.release();
  used_ += memory;
  lock.unlock();  // threads touch their memory side by side
  LargePages::Process().Take(data, memory, room);
  return piece;
}

}  // namespace gec
