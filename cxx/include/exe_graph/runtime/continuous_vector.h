// Lists of attribute values as contexts hand them out: the elements lie right behind the object.
#ifndef INC_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H_
#define INC_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "graph/error_codes.h"

namespace gert {

/// A block of `size` elements of one type that the reader has to know.
class ContinuousVector {
 public:
  /// A vector with room for `capacity` elements, without any yet. Null when memory is short.
  template <class T>
  static std::unique_ptr<uint8_t[]> Create(size_t capacity) {
    static_assert(alignof(T) <= alignof(ContinuousVector), "elements lie right behind the object");
    std::unique_ptr<uint8_t[]> block(new (std::nothrow) uint8_t[sizeof(ContinuousVector) + capacity * sizeof(T)]());
    if (block != nullptr) new (block.get()) ContinuousVector(capacity);
    return block;
  }
  size_t GetSize() const { return size_; }
  /// GRAPH_FAILED when there is no room for as many.
  ge::graphStatus SetSize(size_t size) {
    if (size > capacity_) return ge::GRAPH_FAILED;
    size_ = size;
    return ge::GRAPH_SUCCESS;
  }
  size_t GetCapacity() const { return capacity_; }
  const void *GetData() const { return this + 1; }
  void *MutableData() { return this + 1; }

 protected:
  explicit ContinuousVector(size_t capacity) : capacity_(capacity) {}

 private:
  size_t capacity_, size_ = 0;
};

/// The same with its type. Only ever a view of a block that ContinuousVector::Create made.
template <class T>
class TypedContinuousVector : private ContinuousVector {
 public:
  TypedContinuousVector() = delete;
  using ContinuousVector::GetCapacity;
  using ContinuousVector::GetSize;
  using ContinuousVector::SetSize;
  const T *GetData() const { return static_cast<const T *>(ContinuousVector::GetData()); }
  T *MutableData() { return static_cast<T *>(ContinuousVector::MutableData()); }
};

/// Rows of different lengths: the blocks of one vector each lie behind one another.
class ContinuousVectorVector {
 public:
  size_t GetSize() const { return size_; }
  /// Row i, or null.
  const ContinuousVector *Get(size_t i) const {
    if (i >= size_) return nullptr;
    return reinterpret_cast<const ContinuousVector *>(reinterpret_cast<const uint8_t *>(this) + Offsets()[i]);
  }
  /// From rows of numbers; null when memory is short. `rows[i]` has `counts[i]` elements of `element` bytes.
  static std::unique_ptr<uint8_t[]> Create(size_t count, const void *const *rows, const int64_t *counts,
                                           size_t element) {
    size_t bytes = sizeof(ContinuousVectorVector) + count * sizeof(size_t);
    for (size_t i = 0; i < count; ++i) bytes += Room(static_cast<size_t>(counts[i]) * element);
    std::unique_ptr<uint8_t[]> block(new (std::nothrow) uint8_t[bytes]());
    if (block == nullptr) return nullptr;
    auto *self = new (block.get()) ContinuousVectorVector(count);
    size_t at = sizeof(ContinuousVectorVector) + count * sizeof(size_t);
    for (size_t i = 0; i < count; ++i) {
      self->Offsets()[i] = at;
      const size_t used = static_cast<size_t>(counts[i]) * element;
      auto *row = new (block.get() + at) Row(static_cast<size_t>(counts[i]));
      if (used > 0) std::memcpy(row->MutableData(), rows[i], used);
      at += Room(used);
    }
    return block;
  }

 private:
  struct Row : ContinuousVector {
    explicit Row(size_t count) : ContinuousVector(count) { (void)SetSize(count); }
  };
  static size_t Room(size_t bytes) { return sizeof(ContinuousVector) + (bytes + 7) / 8 * 8; }
  explicit ContinuousVectorVector(size_t size) : size_(size) {}
  const size_t *Offsets() const { return reinterpret_cast<const size_t *>(this + 1); }
  size_t *Offsets() { return reinterpret_cast<size_t *>(this + 1); }
  size_t size_;
};

}  // namespace gert

#endif
