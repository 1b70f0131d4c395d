// Allocator: memory that a program provides, handed out in counted blocks.
#ifndef INC_EXTERNAL_GE_GE_ALLOCATOR_H_
#define INC_EXTERNAL_GE_GE_ALLOCATOR_H_

#include <cstddef>
#include <memory>

namespace ge {

class Allocator;

/// One block. The count starts at 1; the last Free gives the block back to its allocator, which owns this object.
class MemBlock {
 public:
  MemBlock(Allocator &allocator, void *addr, size_t block_size)
      : allocator_(allocator), addr_(addr), block_size_(block_size) {}
  virtual ~MemBlock() = default;
  const void *GetAddr() const { return addr_; }
  void *GetAddr() { return addr_; }
  size_t GetSize() const { return block_size_; }
  void SetSize(size_t mem_size) { block_size_ = mem_size; }
  void Free();
  size_t AddCount() { return ++count_; }
  size_t SubCount() { return --count_; }
  size_t GetCount() const { return count_; }

 private:
  Allocator &allocator_;
  void *addr_;
  size_t count_ = 1;
  size_t block_size_;
};

class Allocator {
 public:
  Allocator() = default;
  virtual ~Allocator() = default;
  Allocator(const Allocator &) = delete;
  Allocator &operator=(const Allocator &) = delete;
  virtual MemBlock *Malloc(size_t size) = 0;
  virtual void Free(MemBlock *block) = 0;
  /// Memory at `addr` if that can be had.
  virtual MemBlock *MallocAdvise(size_t size, void *addr) {
    (void)addr;
    return Malloc(size);
  }
};
using AllocatorPtr = std::shared_ptr<Allocator>;

inline void MemBlock::Free() {
  if (GetCount() > 0 && SubCount() == 0) allocator_.Free(this);
}

}  // namespace ge

#endif
