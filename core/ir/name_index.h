// Finds a node by name: open addressing, eight bytes per slot, keys live in the nodes. Names may repeat: the index then
// holds the first node and knows that there are more.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gec {

class NameIndex {
 public:
  static uint32_t Hash(std::string_view name) noexcept {
    return static_cast<uint32_t>(std::hash<std::string_view>()(name));
  }
  /// Calls same(id) for candidates; the id for which it held, or -1.
  template <class Same>
  int64_t Find(uint32_t hash, Same &&same) const {
    if (slots_.empty()) return -1;
    size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask, n = 0; n <= mask; i = (i + 1) & mask, ++n) {
      const Slot &slot = slots_[i];
      if (slot.id == kEmpty) return -1;
      if (slot.id != kErased && slot.hash == hash && same(slot.id & ~kShared)) return slot.id & ~kShared;
    }
    return -1;
  }
  /// Has the place of a name at hand for a look-up to come: that of a large graph does not lie in the caches. Inline
  /// always: a call of what only fetches has no effect that the compiler knows of, and it would leave the call out.
  [[gnu::always_inline]] void Fetch(uint32_t hash) const noexcept {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  /// Makes room so that the next `more` Inserts cannot fail. Room once made stays: putting back what was erased cannot
  /// fail.
  void Reserve(size_t more = 1) {
    if ((used_ + more) * 4 <= slots_.size() * 3) return;
    size_t size = slots_.empty() ? 16 : slots_.size();
    while ((live_ + more) * 2 > size) size *= 2;
    std::vector<Slot> old(size);
    old.swap(slots_);
    used_ = live_ = 0;
    for (const Slot &slot : old) {
      if (slot.id < kErased) Insert(slot.hash, slot.id & ~kShared, slot.id & kShared);
    }
  }
  /// `shared`: other nodes have, or had, the same name.
  void Insert(uint32_t hash, uint32_t id, bool shared = false) noexcept {
    size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    while (slots_[i].id < kErased) i = (i + 1) & mask;
    if (slots_[i].id == kEmpty) ++used_;
    slots_[i] = {hash, shared ? id | kShared : id};
    ++live_;
  }
  struct Erased {
    bool there, shared;
  };
  Erased Erase(uint32_t hash, uint32_t id) noexcept {
    size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask, n = 0; n <= mask; i = (i + 1) & mask, ++n) {
      if (slots_[i].id == kEmpty) break;
      if (slots_[i].id == kErased || (slots_[i].id & ~kShared) != id) continue;
      Erased erased{true, (slots_[i].id & kShared) != 0};
      slots_[i].id = kErased;
      --live_;
      return erased;
    }
    return {false, false};
  }
  /// Of names that no other node has.
  template <class Gone>
  void EraseIf(Gone &&gone) noexcept {
    for (Slot &slot : slots_) {
      if (slot.id >= kErased || !gone(slot.id & ~kShared)) continue;
      slot.id = kErased;
      --live_;
    }
  }
  static constexpr uint32_t kMostIds = 0x7FFFFFFE;

 private:
  static constexpr uint32_t kErased = 0xFFFFFFFE, kEmpty = 0xFFFFFFFF, kShared = 0x80000000;
  struct Slot {
    uint32_t hash = 0;
    uint32_t id = kEmpty;
  };
  std::vector<Slot> slots_;  // a power of two
  size_t live_ = 0;          // names
  size_t used_ = 0;          // names and erased slots
};

}  // namespace gec
