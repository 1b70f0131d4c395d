// A map from names to values of any type, and a lock, for what the headers keep to themselves. Every program that
// includes these headers compiles them: one kind of std::map for all value types and no <mutex> save it a third of that
// time.
#ifndef INC_GRAPH_DETAIL_NAME_MAP_H_
#define INC_GRAPH_DETAIL_NAME_MAP_H_

#include <pthread.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace ge {
namespace detail {

/// As std::map<std::string, T> is used here: ordered by name, values stay where they are.
template <class T>
class NameMap {
  using Table = std::map<std::string, void *>;

 public:
  template <class V>
  struct Item {
    const std::string &first;
    V &second;
    const Item *operator->() const { return this; }
  };
  template <class V>
  class Iterator {
   public:
    explicit Iterator(Table::const_iterator at) : at_(at) {}
    Item<V> operator*() const { return {at_->first, *static_cast<V *>(at_->second)}; }
    Item<V> operator->() const { return **this; }
    Iterator &operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator &other) const { return at_ == other.at_; }
    bool operator!=(const Iterator &other) const { return at_ != other.at_; }

   private:
    Table::const_iterator at_;
  };
  using iterator = Iterator<T>;
  using const_iterator = Iterator<const T>;

  NameMap() = default;
  NameMap(const NameMap &other) {
    for (const auto &entry : other) (*this)[entry.first] = entry.second;
  }
  NameMap(NameMap &&other) noexcept { table_.swap(other.table_); }
  NameMap &operator=(NameMap other) noexcept {
    table_.swap(other.table_);
    return *this;
  }
  ~NameMap() { clear(); }

  iterator begin() { return iterator(table_.begin()); }
  iterator end() { return iterator(table_.end()); }
  const_iterator begin() const { return const_iterator(table_.begin()); }
  const_iterator end() const { return const_iterator(table_.end()); }
  iterator find(const std::string &name) { return iterator(table_.find(name)); }
  const_iterator find(const std::string &name) const { return const_iterator(table_.find(name)); }
  T &at(const std::string &name) { return *static_cast<T *>(table_.at(name)); }
  size_t count(const std::string &name) const { return table_.count(name); }
  size_t size() const { return table_.size(); }
  bool empty() const { return table_.empty(); }

  T &operator[](const std::string &name) {
    auto found = table_.find(name);
    if (found == table_.end()) {
      found = table_.emplace(name, nullptr).first;
      found->second = new T();  // should it throw: deleting nullptr is harmless, and find() has never given it out
    }
    return *static_cast<T *>(found->second);
  }
  /// False when there is one of the name already; that one stays.
  bool emplace(const std::string &name, const T &value) {
    if (table_.count(name) != 0) return false;
    (*this)[name] = value;
    return true;
  }
  size_t erase(const std::string &name) {
    auto found = table_.find(name);
    if (found == table_.end()) return 0;
    delete static_cast<T *>(found->second);
    table_.erase(found);
    return 1;
  }
  void clear() {
    for (auto &item : table_) delete static_cast<T *>(item.second);
    table_.clear();
  }

 private:
  Table table_;
};

class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;
  ~Mutex() { (void)pthread_mutex_destroy(&mutex_); }
  void lock() { (void)pthread_mutex_lock(&mutex_); }
  void unlock() { (void)pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a mutex as long as it lives.
class Lock {
 public:
  explicit Lock(Mutex &mutex) : mutex_(mutex) { mutex_.lock(); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
  ~Lock() { mutex_.unlock(); }

 private:
  Mutex &mutex_;
};

}  // namespace detail
}  // namespace ge

#endif
