// gert::Stride: distances in elements between neighbours along each dimension of a tensor.
#ifndef INC_EXE_GRAPH_RUNTIME_STRIDE_H_
#define INC_EXE_GRAPH_RUNTIME_STRIDE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>

namespace gert {

class Stride {
 public:
  static constexpr size_t kMaxDimNum = 25;
  /// The answer of GetStride for a dimension that does not exist.
  static constexpr int64_t kInvalidStrideValue = std::numeric_limits<int64_t>::min();
  Stride() = default;
  /// Empty where there are more than kMaxDimNum.
  Stride(const std::initializer_list<int64_t> &strides) {
    if (strides.size() > kMaxDimNum) return;
    for (int64_t stride : strides) AppendStride(stride);
  }
  size_t GetDimNum() const { return count_; }
  void SetDimNum(size_t count) { count_ = count <= kMaxDimNum ? count : kMaxDimNum; }
  int64_t GetStride(size_t i) const { return i < count_ ? strides_[i] : kInvalidStrideValue; }
  void SetStride(size_t i, int64_t stride) {
    if (i < kMaxDimNum) strides_[i] = stride;
  }
  /// Without effect when there are kMaxDimNum already.
  Stride &AppendStride(int64_t stride) {
    if (count_ < kMaxDimNum) strides_[count_++] = stride;
    return *this;
  }
  const int64_t &operator[](size_t i) const { return strides_[i]; }
  int64_t &operator[](size_t i) { return strides_[i]; }
  bool operator==(const Stride &other) const {
    if (count_ != other.count_) return false;
    for (size_t i = 0; i < count_; ++i)
      if (strides_[i] != other.strides_[i]) return false;
    return true;
  }
  bool operator!=(const Stride &other) const { return !(*this == other); }

 private:
  size_t count_ = 0;
  int64_t strides_[kMaxDimNum] = {};
};
static_assert(std::is_standard_layout<Stride>::value, "plain memory");

}  // namespace gert

#endif
