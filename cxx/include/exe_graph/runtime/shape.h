// gert::Shape: the dimensions of a tensor of a run call.
#ifndef INC_EXE_GRAPH_RUNTIME_SHAPE_H_
#define INC_EXE_GRAPH_RUNTIME_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace gert {

class Shape {
 public:
  static constexpr size_t kMaxDimNum = 25;
  /// The answer of GetDim for a dimension that no shape has.
  static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();
  Shape() = default;
  /// Empty where there are more than kMaxDimNum.
  Shape(const std::initializer_list<int64_t> &dims) {
    if (dims.size() > kMaxDimNum) return;
    for (int64_t dim : dims) AppendDim(dim);
  }
  size_t GetDimNum() const { return rank_; }
  void SetDimNum(size_t rank) { rank_ = rank <= kMaxDimNum ? rank : kMaxDimNum; }
  int64_t GetDim(size_t i) const { return i < kMaxDimNum ? dims_[i] : kInvalidDimValue; }
  void SetDim(size_t i, int64_t value) {
    if (i < kMaxDimNum) dims_[i] = value;
  }
  Shape &AppendDim(int64_t value) {
    if (rank_ < kMaxDimNum) dims_[rank_++] = value;
    return *this;
  }
  /// Elements; a scalar has one.
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (size_t i = 0; i < rank_; ++i) size *= dims_[i];
    return size;
  }
  bool IsScalar() const { return rank_ == 0; }
  void SetScalar() { rank_ = 0; }
  const int64_t &operator[](size_t i) const { return dims_[i]; }
  int64_t &operator[](size_t i) { return dims_[i]; }
  bool operator==(const Shape &other) const {
    if (rank_ != other.rank_) return false;
    for (size_t i = 0; i < rank_; ++i)
      if (dims_[i] != other.dims_[i]) return false;
    return true;
  }
  bool operator!=(const Shape &other) const { return !(*this == other); }

 private:
  size_t rank_ = 0;
  int64_t dims_[kMaxDimNum] = {};
};

}  // namespace gert

#endif
