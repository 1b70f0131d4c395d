#include "core/support/symbol.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_set>

namespace gec {
namespace {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
struct Table {
  std::shared_mutex mutex;
  std::unordered_set<std::string, TextHash, std::equal_to<>> texts;
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
  {
    std::shared_lock lock(table.mutex);
    auto it = table.texts.find(text);
    if (it != table.texts.end()) {
      text_ = &*it;
      return;
    }
  }
  std::unique_lock lock(table.mutex);
  text_ = &*table.texts.emplace(text).first;
}

}  // namespace gec
