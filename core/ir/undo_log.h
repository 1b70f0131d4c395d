// The log of a transaction: for every change an entry that undoes it. Entries run in reverse order and must not
// throw: they only use room that the change left behind.
//
// A pass over a large graph makes hundreds of thousands of records that all live until it ends. They lie one behind the
// other in blocks, so that making and dropping them costs no allocation each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

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

  UndoLog() = default;
  UndoLog(const UndoLog &) = delete;
  UndoLog &operator=(const UndoLog &) = delete;
  ~UndoLog() {
    // Most records hold nothing: a log without others is not walked over, which lies out of the caches by now.
    for (size_t i = records_.size(); holding_ != 0 && i-- > 0;) {
      if (!records_[i].destroy) continue;
      records_[i].destroy(records_[i].at);
      --holding_;
    }
  }

  size_t size() const { return records_.size(); }
  /// The function as it lies in the log, so that a change can complete it. Throws before anything is recorded.
  template <class Undo>
  Undo &Push(Undo undo) {
    static_assert(alignof(Undo) <= alignof(std::max_align_t));
    ReserveOneMore(records_);
    Undo *made = new (Room(sizeof(Undo))) Undo(std::move(undo));
    void (*destroy)(void *) = nullptr;
    if constexpr (!std::is_trivially_destructible_v<Undo>) {
      destroy = [](void *at) { static_cast<Undo *>(at)->~Undo(); };
    }
    records_.push_back({[](void *at) { (*static_cast<Undo *>(at))(); }, destroy, made});
    if (destroy) ++holding_;
    return *made;
  }
  /// Takes the newest change back.
  void Undo() {
    records_.back().run(records_.back().at);
    Drop();
  }

 private:
  struct Record {
    void (*run)(void *);
    void (*destroy)(void *);  // null: nothing to destroy
    void *at;
  };
  struct Block {
    std::unique_ptr<std::byte[]> data;
    size_t size = 0, used = 0;
  };
  static constexpr size_t kFirst = 1024, kLargest = size_t{1} << 16;

  void *Room(size_t bytes) {
    constexpr size_t kAlign = alignof(std::max_align_t);
    bytes = (bytes + kAlign - 1) / kAlign * kAlign;
    if (blocks_.empty() || blocks_.back().size - blocks_.back().used < bytes) {
      ReserveOneMore(blocks_);
      const size_t next = blocks_.empty() ? kFirst : std::min(kLargest, 2 * blocks_.back().size);
      const size_t size = std::max(bytes, next);
      blocks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[size]), size, 0});
    }
    Block &block = blocks_.back();
    void *at = block.data.get() + block.used;
    block.used += bytes;
    return at;
  }
  void Drop() {
    Record record = records_.back();
    records_.pop_back();
    if (record.destroy) {
      record.destroy(record.at);
      --holding_;
    }
    // Records end in the order opposite to the one they were made in, and so does their memory.
    auto inside = [&](const Block &b) { return record.at >= b.data.get() && record.at < b.data.get() + b.size; };
    while (!inside(blocks_.back())) blocks_.pop_back();
    blocks_.back().used = static_cast<size_t>(static_cast<std::byte *>(record.at) - blocks_.back().data.get());
  }

  std::vector<Record> records_;
  size_t holding_ = 0;  // records with something to destroy
  std::vector<Block> blocks_;
};

}  // namespace gec
