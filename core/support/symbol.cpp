#include "core/support/symbol.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace gec {
namespace {

/// Open addressing over texts that never move. Types and attribute names are looked up for every node that a model
/// brings, so what counts are the places in memory that a look-up touches: one slot, and the text only where the hashes
/// agree.
class Table {
 public:
  std::shared_mutex mutex;
  const std::string no_symbol = "(a text that is no symbol)";  // made with the table, as questions do not allocate

  static size_t Hash(std::string_view text) { return std::hash<std::string_view>()(text); }
  const std::string *Find(size_t hash, std::string_view text) const {
    if (slots_.empty()) return nullptr;
    const size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask; slots_[i].text; i = (i + 1) & mask) {
      if (slots_[i].hash == hash && *slots_[i].text == text) return slots_[i].text;
    }
    return nullptr;
  }
  size_t size() const { return texts_.size(); }
  const std::string *Add(size_t hash, std::string_view text) {
    if (2 * (texts_.size() + 1) > slots_.size()) Grow();
    const std::string *made = &texts_.emplace_back(text);
    Place({hash, made});
    return made;
  }

 private:
  struct Slot {
    size_t hash = 0;
    const std::string *text = nullptr;
  };
  void Place(Slot slot) {
    const size_t mask = slots_.size() - 1;
    size_t i = slot.hash & mask;
    while (slots_[i].text) i = (i + 1) & mask;
    slots_[i] = slot;
  }
  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 4096 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot &slot : old) {
      if (slot.text) Place(slot);
    }
  }
  std::deque<std::string> texts_;
  std::vector<Slot> slots_;  // a power of two, half of them empty at least
};
// Symbols outlive every user, those in static destructors included, so the table is never destroyed.
Table &TheTable() {
  static Table *table = new Table;
  return *table;
}
const std::string *EmptyText() {
  static const std::string *text = new std::string;
  return text;
}

}  // namespace

Symbol::Symbol() noexcept : text_(EmptyText()) {}

Symbol::Symbol(std::string_view text) {
  if (text.empty()) {
    text_ = EmptyText();
    return;
  }
  Table &table = TheTable();
  const size_t hash = Table::Hash(text);
  {
    std::shared_lock lock(table.mutex);
    text_ = table.Find(hash, text);
  }
  if (text_) return;
  std::unique_lock lock(table.mutex);
  text_ = table.Find(hash, text);  // another thread may have added it meanwhile
  if (!text_) text_ = table.Add(hash, text);
}

Symbol Symbol::Lookup(std::string_view text) {
  Symbol found;
  if (text.empty()) return found;
  Table &table = TheTable();
  std::shared_lock lock(table.mutex);
  found.text_ = table.Find(Table::Hash(text), text);
  if (!found.text_) found.text_ = &table.no_symbol;
  return found;
}

size_t Symbol::Count() noexcept {
  Table &table = TheTable();
  std::shared_lock lock(table.mutex);
  return table.size();
}

}  // namespace gec
