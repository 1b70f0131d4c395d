// A tensor seen as lines along one axis: [outer, length, inner].
#pragma once

#include <algorithm>

#include "common/node.h"

namespace reference {

struct Lines {
  int64_t outer = 1, length = 1, inner = 1;
  static constexpr int64_t kTile = 256;

  // fn(offset of the first element, outer index, first column, columns) for tiles of neighbouring lines.
  template <class F>
  void ForEachTile(const Call &call, const F &fn) const {
    if (outer * inner == 0) return;
    int64_t tiles = (inner + kTile - 1) / kTile;
    int64_t grain = std::max<int64_t>(1, (1 << 14) / (length * std::min(inner, kTile) + 1));
    call.Parallel(outer * tiles, grain, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        int64_t o = t / tiles, column = t % tiles * kTile;
        fn(o * length * inner + column, o, column, std::min(kTile, inner - column));
      }
    });
  }
};

inline Lines LinesOf(const std::string &label, const Dims &x, int64_t axis) {
  if (x.n == 0 && (axis == 0 || axis == -1)) return {};
  int a = NormalAxis(label, axis, x.n);
  return {x.count(0, a), x[a], x.count(a + 1, x.n)};
}

}  // namespace reference
