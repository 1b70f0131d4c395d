// The iteration space of a broadcasting operator: output dimensions with neighbours merged where every input steps
// alike.
#pragma once

#include "kernel.h"

namespace vec {

struct Space {
  Dims dims;                  // at least one
  std::vector<Dims> strides;  // per input, in elements; the innermost is 0 or 1
};

inline Space Collapse(const Dims &out, const std::vector<Dims> &inputs) {
  size_t rank = out.size();
  std::vector<Dims> strides;
  for (const Dims &in : inputs) {
    Dims s(rank, 0);
    int64_t step = 1;
    for (size_t k = 0; k < in.size() && k < rank; ++k) {
      int64_t extent = in[in.size() - 1 - k];
      s[rank - 1 - k] = extent == 1 ? 0 : step;
      step *= extent;
    }
    strides.push_back(s);
  }
  Space space;
  space.strides.resize(inputs.size());
  for (size_t i = 0; i < rank; ++i) {
    if (out[i] == 1) continue;
    bool merge = !space.dims.empty();
    for (size_t k = 0; merge && k < inputs.size(); ++k) merge = space.strides[k].back() == strides[k][i] * out[i];
    if (merge) {
      space.dims.back() *= out[i];
      for (size_t k = 0; k < inputs.size(); ++k) space.strides[k].back() = strides[k][i];
    } else {
      space.dims.push_back(out[i]);
      for (size_t k = 0; k < inputs.size(); ++k) space.strides[k].push_back(strides[k][i]);
    }
  }
  if (space.dims.empty()) {
    space.dims.push_back(1);
    for (Dims &s : space.strides) s.push_back(0);
  }
  return space;
}

/// Walks the rows of a space (all dimensions but the innermost) and keeps the offset of each input.
class RowWalk {
 public:
  static constexpr size_t kMaxInputs = 64;
  RowWalk(const Space &space, int64_t row) : space_(space), outer_(space.dims.size() - 1) {
    for (size_t k = outer_; k-- > 0;) {
      index_[k] = row % space.dims[k];
      row /= space.dims[k];
    }
    for (size_t i = 0; i < space.strides.size(); ++i) {
      offsets_[i] = 0;
      for (size_t k = 0; k < outer_; ++k) offsets_[i] += index_[k] * space.strides[i][k];
    }
  }
  int64_t offset(size_t input) const { return offsets_[input]; }
  void Next() {
    for (size_t k = outer_; k-- > 0;) {
      bool wraps = ++index_[k] == space_.dims[k];
      for (size_t i = 0; i < space_.strides.size(); ++i)
        offsets_[i] += wraps ? space_.strides[i][k] * (1 - space_.dims[k]) : space_.strides[i][k];
      if (!wraps) return;
      index_[k] = 0;
    }
  }

 private:
  const Space &space_;
  size_t outer_;
  int64_t index_[16] = {};
  int64_t offsets_[kMaxInputs];
};

/// Refuses shapes that do not broadcast to the output's, where both are known.
inline void NeedBroadcast(const GeTensorData &in, const GeTensorData &out) {
  if (in.rank < 0 || out.rank < 0) return;
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
