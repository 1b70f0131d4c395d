// gert::Range: the lower and the upper bound of a value that is not known yet, such as the shape of an output.
#ifndef INC_EXE_GRAPH_RUNTIME_RANGE_H_
#define INC_EXE_GRAPH_RUNTIME_RANGE_H_

#include <type_traits>

#include "exe_graph/runtime/shape.h"
#include "graph/error_codes.h"

namespace gert {

/// Two borrowed pointers, which may be the same. In a range of shapes a dimension of -1 in the upper bound has no
/// bound.
template <class T>
class Range {
 public:
  Range() = default;
  Range(T *min, T *max) : min_(min), max_(max) {}
  /// A known value: both bounds are equal.
  explicit Range(T *same) : min_(same), max_(same) {}
  /// Compares values, of ranges with both bounds set.
  bool operator==(const Range &other) const { return *min_ == *other.min_ && *max_ == *other.max_; }
  bool operator!=(const Range &other) const { return !(*this == other); }
  const T *GetMin() const { return min_; }
  const T *GetMax() const { return max_; }
  T *GetMin() { return min_; }
  T *GetMax() { return max_; }
  void SetMin(T *min) { min_ = min; }
  void SetMax(T *max) { max_ = max; }

 private:
  T *min_ = nullptr;
  T *max_ = nullptr;
};
static_assert(std::is_standard_layout<Range<int>>::value, "plain memory");

}  // namespace gert

#endif
