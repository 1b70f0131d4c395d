#include "capi/src/es_handed_over.h"

#include <mutex>
#include <new>
#include <unordered_set>

namespace gec::api {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_set<const void *> boxes;
};
Table &TheTable() {
  // Never destroyed, since builders may outlive static objects, and made without memory that might not be there.
  alignas(Table) static unsigned char place[sizeof(Table)];
  static Table *table = new (place) Table;
  return *table;
}

}  // namespace

bool HandedOver(const void *box) noexcept {
  Table &table = TheTable();
  std::lock_guard lock(table.mutex);
  return table.boxes.count(box) != 0;
}

void ReturnToPool(const void *box) noexcept {
  Table &table = TheTable();
  std::lock_guard lock(table.mutex);
  table.boxes.erase(box);
}

void HandingOver::Add(const void *box) {
  boxes_.reserve(boxes_.size() + 1);
  Table &table = TheTable();
  {
    std::lock_guard lock(table.mutex);
    table.boxes.insert(box);
  }
  boxes_.push_back(box);
}

HandingOver::~HandingOver() {
  for (const void *box : boxes_) ReturnToPool(box);
}

}  // namespace gec::api
