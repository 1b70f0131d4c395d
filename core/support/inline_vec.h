// A vector with room for N elements inside the object: nodes have few ports and shapes few dimensions, so most of them
// need no allocation. Elements must be nothrow-movable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

namespace gec {

template <class T, size_t N>
class InlineVec {
 public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  InlineVec() noexcept {}  // not defaulted: T() would fill the room for elements with zeros
  explicit InlineVec(size_t n, const T &value = T()) { resize(n, value); }
  InlineVec(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  InlineVec(It first, It last) {
    assign(first, last);
  }
  InlineVec(const InlineVec &other) { assign(other.begin(), other.end()); }
  InlineVec(InlineVec &&other) noexcept { Steal(other); }
  InlineVec &operator=(const InlineVec &other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlineVec &operator=(InlineVec &&other) noexcept {
    if (this != &other) {
      Release();
      Steal(other);
    }
    return *this;
  }
  ~InlineVec() { Release(); }

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T *data() noexcept { return data_; }
  const T *data() const noexcept { return data_; }
  T *begin() noexcept { return data_; }
  T *end() noexcept { return data_ + size_; }
  const T *begin() const noexcept { return data_; }
  const T *end() const noexcept { return data_ + size_; }
  T &operator[](size_t i) noexcept { return data_[i]; }
  const T &operator[](size_t i) const noexcept { return data_[i]; }
  T &back() noexcept { return data_[size_ - 1]; }
  const T &back() const noexcept { return data_[size_ - 1]; }
  T &front() noexcept { return data_[0]; }
  const T &front() const noexcept { return data_[0]; }

  void reserve(size_t n) {
    if (n > capacity_) Grow(n);
  }
  size_t capacity() const noexcept { return capacity_; }
  void push_back(T value) {
    if (size_ == capacity_) Grow(capacity_ * 2 + 1);
    new (data_ + size_) T(std::move(value));
    ++size_;
  }
  template <class... Args>
  T &emplace_back(Args &&...args) {
    if (size_ == capacity_) Grow(capacity_ * 2 + 1);
    new (data_ + size_) T(std::forward<Args>(args)...);
    return data_[size_++];
  }
  void pop_back() noexcept { data_[--size_].~T(); }
  void clear() noexcept {
    std::destroy_n(data_, size_);
    size_ = 0;
  }
  void resize(size_t n, const T &value = T()) {
    reserve(n);
    while (size_ > n) pop_back();
    while (size_ < n) push_back(value);
  }
  /// As resize, for elements that cannot be copied.
  void resize_empty(size_t n) {
    reserve(n);
    while (size_ > n) pop_back();
    while (size_ < n) emplace_back();
  }
  template <class It>
  void assign(It first, It last) {
    clear();
    reserve(static_cast<size_t>(std::distance(first, last)));
    for (; first != last; ++first) push_back(*first);
  }
  iterator insert(const_iterator at, T value) {
    size_t index = static_cast<size_t>(at - data_);
    push_back(std::move(value));
    std::rotate(data_ + index, data_ + size_ - 1, data_ + size_);
    return data_ + index;
  }
  iterator erase(const_iterator at) {
    T *p = data_ + (at - data_);
    std::move(p + 1, end(), p);
    pop_back();
    return p;
  }
  friend bool operator==(const InlineVec &a, const InlineVec &b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }
  friend bool operator!=(const InlineVec &a, const InlineVec &b) { return !(a == b); }

 private:
  T *Inline() noexcept { return reinterpret_cast<T *>(storage_); }
  void Grow(size_t n) {
    T *fresh = static_cast<T *>(::operator new(n * sizeof(T), std::align_val_t(alignof(T))));
    std::uninitialized_move_n(data_, size_, fresh);
    std::destroy_n(data_, size_);
    if (data_ != Inline()) ::operator delete(data_, std::align_val_t(alignof(T)));
    data_ = fresh;
    capacity_ = static_cast<uint32_t>(n);
  }
  void Release() noexcept {
    std::destroy_n(data_, size_);
    if (data_ != Inline()) ::operator delete(data_, std::align_val_t(alignof(T)));
    data_ = Inline();
    size_ = 0;
    capacity_ = N;
  }
  void Steal(InlineVec &other) noexcept {
    if (other.data_ != other.Inline()) {
      data_ = other.data_;
      size_ = other.size_;
      capacity_ = other.capacity_;
      other.data_ = other.Inline();
      other.size_ = 0;
      other.capacity_ = N;
    } else {
      std::uninitialized_move_n(other.data_, other.size_, Inline());
      data_ = Inline();
      size_ = other.size_;
      capacity_ = N;
      other.clear();
    }
  }

  // In this order: a walk that reads sizes and first elements finds them in one line of the cache.
  T *data_ = Inline();
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  alignas(T) unsigned char storage_[N * sizeof(T)];
};

}  // namespace gec
