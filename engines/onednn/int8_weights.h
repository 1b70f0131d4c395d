// The second operand of an integer product in the form that the kernels read.
#pragma once

#include "quantized.h"

namespace onednn {

// Which value of the weights is value k of a column, and where its group is in a row of x.
struct Int8Layout {
  // By value, in groups: elements from a column's first weight; -1: there is none, and zero is multiplied.
  std::vector<int64_t> values;
  std::vector<int32_t> offsets;  // by group, in bytes of a row of x

  int64_t groups() const { return int64_t(offsets.size()); }
  // Adds `count` values that are one after the other in x from `offset` bytes on; value i meets weight at(i).
  template <class At>
  void Add(Int8Mode mode, int64_t count, int64_t offset, const At &at) {
    const int size = GroupSize(mode);
    for (int64_t k = 0; k < count; k += size) {
      for (int64_t i = k; i < k + size; ++i) values.push_back(i < count ? at(i) : -1);
      offsets.push_back(int32_t(offset + k * BytesOfX(mode)));
    }
  }
};

struct Int8Panels {
  Int8Mode mode = Int8Mode::kWidePairs;
  const char *data = nullptr;
  const int32_t *sums = nullptr;  // per column of the packed weights, for kQuads
};

// Weights [begin, end) panels; column j begins at weights + j * column_step.
struct Int8Source {
  const void *weights;
  bool is_signed;
  int64_t column_step, columns;
  const void *zeros;  // or null
  int64_t zero_count;

  int32_t zero(int64_t column) const {
    return zero_count == 0 ? 0 : Value8(zeros, is_signed, zero_count == 1 ? 0 : column);
  }
};

inline int64_t PanelCount(int64_t columns, const Int8Kernels &kernels) {
  return (columns + kernels.columns - 1) / kernels.columns;
}
inline int64_t PanelBytes(Int8Mode mode, int64_t groups, const Int8Kernels &kernels) {
  return groups * kernels.columns * GroupSize(mode) * BytesOfWeight(mode);
}
void PackPanels(const Int8Source &source, Int8Mode mode, const Int8Layout &layout, const Int8Kernels &kernels,
                int64_t begin, int64_t end, char *to);
void SumColumns(const Int8Source &source, const Int8Layout &layout, int32_t *to);

// Sums of `count` rows, kInt8Batch at most, in tiles of about the same height; row_at(r) is where row r of x begins and
// is asked in order.
template <class RowAt>
void SumBatch(const Int8Kernels &kernels, Int8Mode mode, Int8Tile tile, int count, const RowAt &row_at) {
  const char *rows[kInt8Batch];
  for (int r = 0; r < count; ++r) rows[r] = row_at(r);
  tile.rows = rows;
  for (int done = 0, tiles = (count + kernels.rows - 1) / kernels.rows; done < count; done += tile.m, --tiles) {
    tile.m = (count - done + tiles - 1) / tiles;
    kernels.tile[int(mode)](tile);
    tile.rows += tile.m;
    tile.sums += tile.m * kernels.columns;
  }
}

// The mode for constant weights with constant zero points: narrow where they fit.
Int8Mode ModeOf(const GeKernelEnv &env, const Int8Source &source, int64_t elements, const Int8Kernels &kernels);

}  // namespace onednn
