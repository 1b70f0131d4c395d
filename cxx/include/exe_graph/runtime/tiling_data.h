// gert::TilingData: the bytes that a tiling function hands to its kernel.
#ifndef INC_EXE_GRAPH_RUNTIME_TILING_DATA_H_
#define INC_EXE_GRAPH_RUNTIME_TILING_DATA_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#include "graph/error_codes.h"

namespace gert {

class TilingContext;

/// Memory of a fixed capacity that is filled from its beginning, without gaps: what the kernel reads as a packed
/// struct. Filled either by Append or as one struct (TilingContext::GetTilingData), not both. Threads: one at a time.
class TilingData {
 public:
  TilingData(const TilingData &) = delete;
  TilingData &operator=(const TilingData &) = delete;

  size_t GetCapacity() const { return capacity_; }
  /// Bytes filled.
  size_t GetDataSize() const { return size_; }
  /// For who wrote into GetData() itself. Without effect above the capacity.
  void SetDataSize(size_t size) {
    if (size <= capacity_) size_ = size;
  }
  void *GetData() { return data_; }
  const void *GetData() const { return data_; }

  /// Adds the bytes of a value behind those that are there. GRAPH_FAILED, and nothing changes, when there is no room or
  /// the data is a struct already.
  template <class T>
  ge::graphStatus Append(const T &value) {
    static_assert(std::is_standard_layout<T>::value, "a kernel reads the bytes of the value");
    return Append(&value, 1);
  }
  /// The same for `count` values in a row.
  template <class T>
  ge::graphStatus Append(const T *values, size_t count) {
    static_assert(std::is_standard_layout<T>::value, "a kernel reads the bytes of the values");
    if (count == 0) return ge::GRAPH_SUCCESS;
    if (values == nullptr || style_ == kStruct || count > (capacity_ - size_) / sizeof(T)) return ge::GRAPH_FAILED;
    std::memcpy(static_cast<uint8_t *>(data_) + size_, values, count * sizeof(T));
    size_ += count * sizeof(T);
    style_ = kAppended;
    return ge::GRAPH_SUCCESS;
  }

  /// An object with its memory behind it, in one block; null when memory is short. The block is zeroed.
  static std::unique_ptr<uint8_t[]> CreateCap(size_t capacity) {
    size_t total = 0;
    if (CalcTotalSize(capacity, total) != ge::GRAPH_SUCCESS) return nullptr;
    std::unique_ptr<uint8_t[]> block(new (std::nothrow) uint8_t[total]());
    if (block != nullptr) (new (block.get()) TilingData)->Init(capacity, block.get() + sizeof(TilingData));
    return block;
  }
  /// Bytes of such a block; GRAPH_FAILED when there is no number for them.
  static ge::graphStatus CalcTotalSize(size_t capacity, size_t &total_size) {
    if (capacity > std::numeric_limits<size_t>::max() - sizeof(TilingData)) return ge::GRAPH_FAILED;
    total_size = sizeof(TilingData) + capacity;
    return ge::GRAPH_SUCCESS;
  }
  /// Empty, over memory of the caller's.
  void Init(size_t capacity, void *data) {
    capacity_ = capacity;
    size_ = 0;
    data_ = data;
    style_ = kEmpty;
  }

 private:
  friend class TilingContext;
  enum Style : uint64_t { kEmpty = 0, kAppended = 1, kStruct = 2 };
  TilingData() = default;
  // The whole data as one struct, or null.
  void *AsStruct(size_t size) {
    if (size > capacity_ || style_ == kAppended) return nullptr;
    size_ = size;
    style_ = kStruct;
    return data_;
  }
  size_t capacity_ = 0, size_ = 0;
  void *data_ = nullptr;
  uint64_t style_ = kEmpty;
};
static_assert(std::is_standard_layout<TilingData>::value, "plain memory");

template <class T>
TilingData &operator<<(TilingData &out, const T &value) {
  (void)out.Append(value);
  return out;
}

}  // namespace gert

#endif
