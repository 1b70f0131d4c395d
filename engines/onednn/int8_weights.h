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

// Weights [begin, end) panels; column j begins at weights + j * column_step.
struct Int8Source {
  const void *weights;
  bool is_signed;
  int64_t column_step, columns;
  int64_t depth_step,
      column_depth;   // from one weight of a column to one that x meets next, roughly; how many there are
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

// Constant weights, packed once per model. They come in parts of equal form (the matrices of a batch, the groups of a
// convolution), each of which has its panels.
//
// Without VNNI kQuads adds two products in int16. Where two weights are too large for that, their group of a panel is
// there twice, with halves of its weights: exact, and faster than kPairs as long as few groups are.
class ConstantPanels {
 public:
  struct Panel {
    int64_t groups;
    const int32_t *offsets;
    const char *weights;
  };
  // The mode that suits these weights; `elements`: how many there are. Every part has the columns of `source`.
  void ChooseMode(const GeKernelEnv &env, const Int8Source &source, int64_t elements, const Int8Kernels &kernels);
  Int8Mode mode() const { return mode_; }
  // part_at(i) is the source of part i. The layout, made for the mode, is kept by the caller.
  template <class PartAt>
  void Pack(const GeKernelEnv &env, const std::string &key, const Int8Layout &layout, int64_t parts,
            const PartAt &part_at, const Int8Kernels &kernels) {
    std::vector<Int8Source> sources;
    for (int64_t i = 0; i < parts; ++i) sources.push_back(part_at(i));
    PackParts(env, key, layout, sources, kernels);
  }
  // Counted over all parts.
  Panel at(int64_t panel) const {
    if (!starts_) return {layout_->groups(), layout_->offsets.data(), weights_ + panel * panel_bytes_};
    const int64_t first = starts_[panel];
    return {starts_[panel + 1] - first, offsets_.data() + first, weights_ + first * group_bytes_};
  }
  // No group is there twice.
  bool as_laid_out() const { return starts_ == nullptr; }
  // Of the columns of all parts; for kQuads, else null.
  const int32_t *column_sums() const { return sums_; }

 private:
  void PackParts(const GeKernelEnv &env, const std::string &key, const Int8Layout &layout,
                 const std::vector<Int8Source> &parts, const Int8Kernels &kernels);

  Int8Mode mode_ = Int8Mode::kWidePairs;
  bool narrow_ = false;
  const Int8Layout *layout_ = nullptr;
  int64_t panel_bytes_ = 0, group_bytes_ = 0;
  const int64_t *starts_ = nullptr;  // of each panel in offsets_ and weights_, in groups
  std::vector<int32_t> offsets_;
  const int32_t *sums_ = nullptr;
  const char *weights_ = nullptr;
};

}  // namespace onednn
