// The log of a transaction: for every change an entry that undoes it. Entries run in reverse order and must not
// throw: they only use room that the change left behind.
//
// A pass over a large graph makes hundreds of thousands of records that all live until it ends. They lie one behind the
// other in blocks, so that making and dropping them costs no allocation each.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/fetch_pages.h"
#include "core/support/large_pages.h"

namespace gec {

/// Room for one more element, growing geometrically.
template <class Vec>
void ReserveOneMore(Vec &v) {
  if (v.size() == v.capacity()) v.reserve(v.size() * 2 + 4);
}

struct UndoLog {
  std::vector<Node *> removed;                   // released when the outermost transaction commits
  std::vector<GraphPtr> detached;                // former subgraphs, still recorded here
  std::vector<std::pair<Node *, size_t>> holes;  // outputs whose list of uses may have some
  size_t remarks = 0;                            // records of attributes that begin with "_", undone ones included

  UndoLog() = default;
  UndoLog(const UndoLog &) = delete;
  UndoLog &operator=(const UndoLog &) = delete;
  ~UndoLog() {
    // Most records hold nothing: a log without others is not walked over, which lies out of the caches by now.
    for (Record *record = last_; holding_ != 0; record = record->before) {
      if (!record->kind->destroy) continue;
      record->kind->destroy(record + 1);
      --holding_;
    }
  }

  size_t size() const { return count_; }
  /// The function as it lies in the log, so that a change can complete it. Throws before anything is recorded.
  template <class Undo>
  Undo &Push(Undo undo) {
    static_assert(alignof(Undo) <= kAlign && std::is_nothrow_move_constructible_v<Undo>);
    static constexpr Kind kKind = KindOf<Undo>();
    auto *record = new (Room(sizeof(Record) + sizeof(Undo))) Record{&kKind, last_};
    last_ = record;
    ++count_;
    if constexpr (!std::is_trivially_destructible_v<Undo>) ++holding_;
    return *new (record + 1) Undo(std::move(undo));
  }
  /// Takes the newest change back.
  void Undo() {
    last_->kind->run(last_ + 1);
    Drop();
  }

 private:
  static constexpr size_t kAlign = alignof(std::max_align_t);
  struct Kind {
    void (*run)(void *);
    void (*destroy)(void *);  // null: nothing to destroy
  };
  template <class Undo>
  static constexpr Kind KindOf() {
    Kind kind{[](void *at) { (*static_cast<Undo *>(at))(); }, nullptr};
    if constexpr (!std::is_trivially_destructible_v<Undo>)
      kind.destroy = [](void *at) { static_cast<Undo *>(at)->~Undo(); };
    return kind;
  }
  /// The function lies behind it.
  struct alignas(kAlign) Record {
    const Kind *kind;
    Record *before;
  };
  struct Release {
    size_t align;
    void operator()(std::byte *data) const noexcept { ::operator delete(data, std::align_val_t(align)); }
  };
  struct Block {
    std::unique_ptr<std::byte, Release> data;
    size_t size = 0, used = 0;
  };
  // The first records lie in the log itself: most transactions make few. Blocks stay below what the C library asks the
  // system for each time, until they are many: then they are huge pages.
  static constexpr size_t kInside = 768, kFirst = 2048, kUsual = size_t{1} << 16, kHuge = LargePages::kBytes;
  static constexpr size_t kManyBlocks = 32;

  void *Room(size_t bytes) {
    bytes = (bytes + kAlign - 1) / kAlign * kAlign;
    if (blocks_.empty() && kInside - used_inside_ >= bytes) {
      used_inside_ += bytes;
      return inside_ + used_inside_ - bytes;
    }
    if (blocks_.empty() || blocks_.back().size - blocks_.back().used < bytes) AddBlock(bytes);
    Block &block = blocks_.back();
    void *at = block.data.get() + block.used;
    block.used += bytes;
    return at;
  }
  void AddBlock(size_t bytes) {
    ReserveOneMore(blocks_);
    const bool huge = blocks_.size() >= kManyBlocks;
    const size_t next = huge ? kHuge : blocks_.empty() ? kFirst : std::min(kUsual, 2 * blocks_.back().size);
    const size_t size = std::max(bytes, next), align = huge ? kHuge : kAlign;
    blocks_.push_back({{static_cast<std::byte *>(::operator new(size, std::align_val_t(align))), {align}}, size, 0});
    if (huge) LargePages::Process().Take(blocks_.back().data.get(), size, size);
    else FetchPages(blocks_.back().data.get(), size);
  }
  void Drop() {
    Record *record = last_;
    last_ = record->before;
    --count_;
    if (record->kind->destroy) {
      record->kind->destroy(record + 1);
      --holding_;
    }
    // Records end in the order opposite to the one they were made in, and so does their memory.
    const auto *at = reinterpret_cast<std::byte *>(record);
    auto lies_in = [&](const Block &b) { return at >= b.data.get() && at < b.data.get() + b.size; };
    while (!blocks_.empty() && !lies_in(blocks_.back())) blocks_.pop_back();
    if (blocks_.empty()) used_inside_ = static_cast<size_t>(at - inside_);
    else blocks_.back().used = static_cast<size_t>(at - blocks_.back().data.get());
  }

  Record *last_ = nullptr;
  size_t count_ = 0;
  size_t holding_ = 0;  // records with something to destroy
  size_t used_inside_ = 0;
  alignas(kAlign) std::byte inside_[kInside];
  std::vector<Block> blocks_;
};

}  // namespace gec
