// A map from names for whole graphs: open addressing, so that a look-up touches one slot and one entry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gec::onnx {

/// Key is std::string, or std::string_view where the texts outlive the table. Pointers to values last until the next
/// insertion.
template <class Key, class Value>
class NameTable {
 public:
  void reserve(size_t count) {
    entries_.reserve(count);
    if (2 * count > slots_.size()) Rebuild(count);
  }
  Value *find(std::string_view name) {
    if (slots_.empty()) return nullptr;
    const Slot &slot = slots_[Place(Hash(name), name)];
    return slot.entry ? &entries_[slot.entry - 1].second : nullptr;
  }
  bool contains(std::string_view name) { return find(name) != nullptr; }
  /// False when the name is there already; its value stays.
  bool insert(std::string_view name, Value value) {
    if (2 * (entries_.size() + 1) > slots_.size()) Rebuild(2 * entries_.size() + 8);
    const uint32_t hash = Hash(name);
    Slot &slot = slots_[Place(hash, name)];
    if (slot.entry) return false;
    entries_.emplace_back(Key(name), std::move(value));
    slot = {hash, static_cast<uint32_t>(entries_.size())};
    return true;
  }
  Value &operator[](std::string_view name) {
    if (Value *found = find(name)) return *found;
    insert(name, Value());
    return entries_.back().second;
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t entry = 0;  // its number plus 1; 0: free
  };
  static uint32_t Hash(std::string_view name) { return static_cast<uint32_t>(std::hash<std::string_view>()(name)); }
  /// The slot with this name, or the free one where it belongs.
  size_t Place(uint32_t hash, std::string_view name) const {
    const size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    while (slots_[i].entry && (slots_[i].hash != hash || entries_[slots_[i].entry - 1].first != name))
      i = (i + 1) & mask;
    return i;
  }
  void Rebuild(size_t count) {
    size_t size = 16;
    while (size < 2 * (count + 1)) size *= 2;
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot &slot : old) {
      if (!slot.entry) continue;
      size_t i = slot.hash & (size - 1);
      while (slots_[i].entry) i = (i + 1) & (size - 1);
      slots_[i] = slot;
    }
  }

  std::vector<std::pair<Key, Value>> entries_;
  std::vector<Slot> slots_;  // a power of two, half of them free at least
};

}  // namespace gec::onnx
