#include "capi/src/es_holders.h"

#include <mutex>

#include "capi/src/es_builder.h"

namespace gec::api {

struct EsHolders::Block {
  EsCTensorHolder slots[kPerBlock];
  Block *next = nullptr;  // while it is idle
};

namespace {

/// Blocks that no builder uses, in the order they came: 256 of them (1 MiB) are kept before the
/// oldest is used again, so that a handle of a destroyed tensor is recognised for long.
class IdleBlocks {
 public:
  static IdleBlocks &Instance() {
    static IdleBlocks *idle = new IdleBlocks();  // never destroyed: builders may outlive every static object
    return *idle;
  }
  EsHolders::Block *Take() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (count_ > kUnloaded) return Oldest();
    }
    return new EsHolders::Block();
  }
  void Give(EsHolders::Block *block) noexcept {
    block->next = nullptr;
    EsHolders::Block *beyond = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      (last_ ? last_->next : first_) = block;
      last_ = block;
      ++count_;
      if (count_ > kMost) beyond = Oldest();
    }
    delete beyond;
  }

 private:
  EsHolders::Block *Oldest() noexcept {
    EsHolders::Block *block = first_;
    first_ = block->next;
    if (!first_) last_ = nullptr;
    --count_;
    return block;
  }
  static constexpr size_t kUnloaded = 256, kMost = 2048;
  std::mutex mutex_;
  EsHolders::Block *first_ = nullptr, *last_ = nullptr;
  size_t count_ = 0;
};

}  // namespace

EsHolders::~EsHolders() {
  for (size_t i = 0; i < size_; ++i) (*this)[i] = EsCTensorHolder();
  for (Block *block : blocks_) IdleBlocks::Instance().Give(block);
}

EsCTensorHolder &EsHolders::operator[](size_t i) noexcept { return blocks_[i / kPerBlock]->slots[i % kPerBlock]; }

EsCTensorHolder *EsHolders::Add(const EsCTensorHolder &holder) {
  if (size_ == blocks_.size() * kPerBlock) {
    if (blocks_.size() == blocks_.capacity()) blocks_.reserve(blocks_.size() * 2 + 4);
    blocks_.push_back(IdleBlocks::Instance().Take());
  }
  EsCTensorHolder &made = (*this)[size_];
  made = holder;
  ++size_;
  return &made;
}

}  // namespace gec::api
