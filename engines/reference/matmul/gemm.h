// Blocked matrix product of operands of any real type and any strides.
#pragma once

#include <algorithm>

#include "common/node.h"

namespace reference {

struct MatrixAccess {
  int64_t row = 0, column = 0;  // strides in elements
};

// One tile of the product stays on the stack; columns of B are read in order.
template <class C>
struct Gemm {
  static constexpr int64_t kRows = 16, kColumns = 128, kDepth = 256;
  int64_t m = 0, n = 0, k = 0;
  MatrixAccess a, b;
  LoadFn<C> load_a = nullptr, load_b = nullptr;

  int64_t row_tiles() const { return (m + kRows - 1) / kRows; }
  int64_t column_tiles() const { return (n + kColumns - 1) / kColumns; }
  int64_t tiles() const { return row_tiles() * column_tiles(); }
  int64_t grain() const {
    return std::max<int64_t>(1, (1 << 16) / (std::min(m, kRows) * std::min(n, kColumns) * k + 1));
  }

  // finish(row, column, columns, values) once per row of the tile.
  template <class Finish>
  void Tile(const void *pa, int64_t offset_a, const void *pb, int64_t offset_b, int64_t tile,
            const Finish &finish) const {
    const int64_t m0 = tile / column_tiles() * kRows, n0 = tile % column_tiles() * kColumns;
    const int64_t rows = std::min(kRows, m - m0), columns = std::min(kColumns, n - n0);
    C total[kRows][kColumns] = {}, part[kRows][kColumns], left[kRows][kDepth], right[kColumns];
    for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
      const int64_t depth = std::min(kDepth, k - k0);
      for (int64_t r = 0; r < rows; ++r) {
        load_a(pa, offset_a + (m0 + r) * a.row + k0 * a.column, a.column, depth, left[r]);
        std::fill(part[r], part[r] + columns, C(0));
      }
      for (int64_t d = 0; d < depth; ++d) {
        load_b(pb, offset_b + (k0 + d) * b.row + n0 * b.column, b.column, columns, right);
        for (int64_t r = 0; r < rows; ++r) {
          const C factor = left[r][d];
          for (int64_t c = 0; c < columns; ++c) part[r][c] += factor * right[c];
        }
      }
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) total[r][c] += part[r][c];
    }
    for (int64_t r = 0; r < rows; ++r) finish(m0 + r, n0, columns, total[r]);
  }
};

// Products of integers are taken in 64 bits without a sign check.
inline Compute ProductCompute(int32_t type) {
  Compute c = ComputeOf(type);
  return c == Compute::kUInt ? Compute::kInt : c;
}

}  // namespace reference
