// The iteration space of a broadcasting operator: output dimensions with neighbours merged where every input steps
// alike.
#pragma once

#include <algorithm>
#include <span>

#include "kernel.h"

namespace vec {

using Extents = std::span<const int64_t>;

/// Borrows its numbers: kernels for one size own them, those for all sizes have them on the stack of a run.
struct Space {
  static constexpr size_t kMaxRank = 8;
  static constexpr size_t RoomFor(size_t inputs) { return (inputs + 1) * kMaxRank; }
  size_t rank = 0;  // at least one once it is made
  size_t inputs = 0;
  int64_t *dims = nullptr;
  int64_t inner() const { return dims[rank - 1]; }
  /// In elements; the innermost is 0 or 1.
  const int64_t *strides(size_t input) const { return dims + (input + 1) * kMaxRank; }
  int64_t *strides(size_t input) { return dims + (input + 1) * kMaxRank; }
  int64_t step(size_t input) const { return strides(input)[rank - 1]; }
};

/// `room` has RoomFor(inputs.size()) numbers. `out` has at most kMaxRank dimensions, and no input has more than it.
inline Space Collapse(Extents out, std::span<const Extents> inputs, int64_t *room) {
  Space space{0, inputs.size(), room};
  const size_t rank = out.size();
  // Distances along each dimension; neighbours are merged in the same place.
  for (size_t k = 0; k < inputs.size(); ++k) {
    int64_t *s = space.strides(k), step = 1;
    std::fill_n(s, Space::kMaxRank, 0);
    for (size_t i = 0; i < inputs[k].size() && i < rank; ++i) {
      const int64_t extent = inputs[k][inputs[k].size() - 1 - i];
      s[rank - 1 - i] = extent == 1 ? 0 : step;
      step *= extent;
    }
  }
  for (size_t i = 0; i < rank; ++i) {
    if (out[i] == 1) continue;
    bool merge = space.rank > 0;
    for (size_t k = 0; merge && k < inputs.size(); ++k) merge = space.step(k) == space.strides(k)[i] * out[i];
    if (!merge) space.dims[space.rank++] = 1;
    space.dims[space.rank - 1] *= out[i];
    for (size_t k = 0; k < inputs.size(); ++k) space.strides(k)[space.rank - 1] = space.strides(k)[i];
  }
  if (space.rank == 0) {
    space.dims[space.rank++] = 1;
    for (size_t k = 0; k < inputs.size(); ++k) space.strides(k)[0] = 0;
  }
  return space;
}

/// Walks the rows of a space (all dimensions but the innermost) and keeps the offset of each input.
class RowWalk {
 public:
  static constexpr size_t kMaxInputs = 64;
  RowWalk(const Space &space, int64_t row) : space_(space), outer_(space.rank - 1) {
    for (size_t k = outer_; k-- > 0;) {
      index_[k] = row % space.dims[k];
      row /= space.dims[k];
    }
    for (size_t i = 0; i < space.inputs; ++i) {
      offsets_[i] = 0;
      for (size_t k = 0; k < outer_; ++k) offsets_[i] += index_[k] * space.strides(i)[k];
    }
  }
  int64_t offset(size_t input) const { return offsets_[input]; }
  void Next() {
    for (size_t k = outer_; k-- > 0;) {
      bool wraps = ++index_[k] == space_.dims[k];
      for (size_t i = 0; i < space_.inputs; ++i)
        offsets_[i] += wraps ? space_.strides(i)[k] * (1 - space_.dims[k]) : space_.strides(i)[k];
      if (!wraps) return;
      index_[k] = 0;
    }
  }

 private:
  const Space &space_;
  size_t outer_;
  int64_t index_[Space::kMaxRank] = {};
  int64_t offsets_[kMaxInputs];
};

/// Refuses shapes that do not broadcast to the output's, where both are known.
inline void NeedBroadcast(const GeTensorData &in, const GeTensorData &out) {
  if (in.rank < 0 || out.rank < 0) return;
  if (out.rank > static_cast<int32_t>(Space::kMaxRank)) Refuse("rank above 8");
  if (in.rank > out.rank) Refuse("an input has a higher rank than the output");
  for (int32_t k = 0; k < in.rank; ++k) {
    int64_t a = in.dims[in.rank - 1 - k], b = out.dims[out.rank - 1 - k];
    if (a >= 0 && b >= 0 && a != b && a != 1) Refuse("an input does not broadcast to the output");
  }
}

/// The shape of a per-channel parameter of x as it broadcasts: a vector that fits dimension 1 belongs there.
inline Dims ChannelDims(const Dims &x, Dims parameter) {
  if (parameter.size() == 1 && x.size() >= 2 && parameter[0] == x[1]) parameter.resize(x.size() - 1, 1);
  return parameter;
}

}  // namespace vec
