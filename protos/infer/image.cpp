// Resizing and sampling of images.
#include <algorithm>
#include <cmath>

#include "protos/infer/window.h"

namespace gec::infer {
namespace {

/// floor(extent * scale); refuses what is no sensible extent.
int64_t Scaled(Context &c, int64_t extent, double scale) {
  // A symbolic extent times a whole number is one, too.
  if (IsSymbolic(extent) && scale >= 1 && scale < 1e6 && scale == std::floor(scale))
    return c.ExtentOf(c.Product(extent, static_cast<int64_t>(scale)));
  if (extent < 0) return -1;
  double value = std::floor(static_cast<double>(extent) * scale);
  if (!(scale > 0) || !(value < 1e15))
    c.Fail("a scale is ", scale, ", expected a positive number that keeps extents below 10^15");
  return static_cast<int64_t>(value);
}

void ResizeRule(Context &c) {
  Shape x = c.Dims(0), y = x.has_rank() ? Shape::OfRank(x.rank()) : x;
  bool has_sizes = c.Has(3) && c.Dims(3).elements() != 0, has_scales = c.Has(2) && c.Dims(2).elements() != 0;
  if (!has_sizes && !has_scales) c.Fail("neither scales nor sizes is given, expected one of them");
  Values axes = c.IntsAttr("axes");  // ONNX: the axes that scales and sizes speak of
  if (x.has_rank()) {
    if (axes.empty())
      for (int64_t i = 0; i < x.rank(); ++i) axes.push_back(i);
    for (int64_t &axis : axes) axis = c.Axis(axis, x.rank(), "axes");
    y = x;
    for (int64_t axis : axes) y[axis] = -1;
    if (has_sizes) {
      if (auto sizes = c.SymbolicInts(3)) {
        if (sizes->size() != axes.size()) c.Fail("sizes has ", sizes->size(), " values, expected ", axes.size());
        for (size_t i = 0; i < axes.size(); ++i) {
          int64_t size = (*sizes)[i];
          if (size == kUnknown) continue;
          if (size < 0 && !IsSymbolic(size)) c.Fail("sizes[", i, "] is ", size, ", expected no negative value");
          y[axes[i]] = size;
        }
      }
    } else if (auto scales = c.Numbers(2)) {
      if (scales->size() != axes.size()) c.Fail("scales has ", scales->size(), " values, expected ", axes.size());
      for (size_t i = 0; i < axes.size(); ++i) y[axes[i]] = Scaled(c, x[axes[i]], (*scales)[i]);
    }
  }
  c.Out(0, c.Type(0), y);
}

void ResizeDRule(Context &c) {
  Values sizes = c.IntsAttr("sizes");
  std::vector<float> scales = c.FloatsAttr("scales");
  Shape y = c.Dims(0);
  if (y.has_rank()) {
    bool last = c.StringAttr("data_format", "NCHW") == "NHWC";
    size_t spatial = y.rank() >= 2 ? static_cast<size_t>(y.rank() - 2) : 0;
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] < 0) c.Fail("sizes[", i, "] is ", sizes[i], ", expected no negative value");
    int64_t first = last ? 1 : 2;
    if (sizes.size() == static_cast<size_t>(y.rank())) {
      y = Shape(sizes);
    } else if (sizes.size() == spatial) {
      for (size_t i = 0; i < spatial; ++i) y[first + static_cast<int64_t>(i)] = sizes[i];
    } else if (sizes.empty() && scales.size() == spatial && spatial) {
      for (size_t i = 0; i < spatial; ++i) {
        int64_t axis = first + static_cast<int64_t>(i);
        y[axis] = Scaled(c, y[axis], scales[i]);
      }
    } else {
      c.Fail("sizes has ", sizes.size(), " values, expected ", spatial, " or ", y.rank());
    }
  }
  c.Out(0, c.Type(0), y);
}

/// Sizes of height and width as an input. An importer says the layout by an attribute beside the prototype's; else it
/// is that of x.
void ResizeImage(Context &c, int32_t type) {
  ImageAxes at = GeOpAttr(&c.op(), "data_format") ? AxesOf(c, c.StringAttr("data_format")) : AxesOfInput(c);
  Shape y = c.DimsOfRank(0, 4, "x");
  y[at.h] = y[at.w] = -1;
  if (auto size = c.SymbolicInts(1)) {
    if (size->size() != 2) c.Fail("size has ", size->size(), " values, expected 2");
    for (int64_t value : *size)
      if (value != kUnknown && value < 1 && !IsSymbolic(value))
        c.Fail("size contains ", value, ", expected positive values");
    if ((*size)[0] != kUnknown) y[at.h] = (*size)[0];
    if ((*size)[1] != kUnknown) y[at.w] = (*size)[1];
  }
  c.Out(0, type, y);
}

void ResizeNearestRule(Context &c) { ResizeImage(c, c.Type(0)); }
void ResizeBilinearRule(Context &c) {
  // The attribute asks for a type of its own; a node built without it keeps that of x.
  ResizeImage(c, static_cast<int32_t>(c.IntAttr("dtype", c.Type(0))));
}

void GridSampleRule(Context &c) {
  Shape x = c.Dims(0), grid = c.Dims(1);
  int64_t rank = x.has_rank() ? x.rank() : grid.has_rank() ? grid.rank() : 4;
  if (rank != 4 && rank != 5) c.Fail("x has shape ", x.str(), ", expected 4 or 5 dimensions");
  x = c.DimsOfRank(0, rank, "x");
  grid = c.DimsOfRank(1, rank, "grid");
  int64_t last = rank - 1;
  if (c.Differ(grid[last], rank - 2))
    c.Fail("grid has extent ", grid[last], " along axis ", last, ", expected ", rank - 2);
  bool channel_last = c.BoolAttr("channel_last");
  Shape y = Shape::OfRank(rank);
  y[0] = c.SameDim(x[0], grid[0], "the batch of x and grid");
  y[channel_last ? last : 1] = x[channel_last ? last : 1];
  for (int64_t i = 1; i < last; ++i) y[channel_last ? i : i + 1] = grid[i];
  c.Out(0, c.Type(0), y);
}

int64_t BlockSize(Context &c) {
  int64_t block = c.IntAttr("block_size");
  if (block < 1 || block > 65536) c.Fail("block_size is ", block, ", expected a value from 1 to 65536");
  return block;
}

void DepthToSpaceRule(Context &c) {
  int64_t block = BlockSize(c);
  std::string mode = c.StringAttr("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") c.Fail("mode is '", mode, "', expected DCR or CRD");
  ImageAxes at = AxesOf(c, c.StringAttr("data_format", "NHWC"));
  Shape y = c.DimsOfRank(0, 4, "x");
  if (c.NoMultiple(y[at.c], block * block))
    c.Fail("x has ", y[at.c], " channels, expected a multiple of block_size squared, ", block * block);
  y[at.c] = c.ExtentOf(c.Quotient(c.ValueOf(y[at.c]), block * block));
  for (int64_t axis : {at.h, at.w})
    y[axis] = y[axis] < 0 ? c.ExtentOf(c.Product(c.ValueOf(y[axis]), block))
                          : c.CheckedMul(y[axis], block, "an output extent");
  c.Out(0, c.Type(0), y);
}

void SpaceToDepthRule(Context &c) {
  int64_t block = BlockSize(c);
  ImageAxes at = AxesOf(c, c.StringAttr("data_format", "NHWC"));
  Shape y = c.DimsOfRank(0, 4, "x");
  for (int64_t axis : {at.h, at.w}) {
    if (c.NoMultiple(y[axis], block))
      c.Fail("x has extent ", y[axis], " along axis ", axis, ", expected a multiple of block_size ", block);
    y[axis] = c.ExtentOf(c.Quotient(c.ValueOf(y[axis]), block));
  }
  y[at.c] = y[at.c] < 0 ? c.ExtentOf(c.Product(c.ValueOf(y[at.c]), block * block))
                        : c.CheckedMul(y[at.c], block * block, "the number of channels");
  c.Out(0, c.Type(0), y);
}

/// Three extents of space, or factors for those of x.
void UpsampleVolumeRule(Context &c) {
  Shape y = c.DimsOfRank(0, 5, "x");
  Values sizes = c.IntsAttr("output_size");
  std::vector<float> scales = c.FloatsAttr("scales");
  if (!sizes.empty() && sizes.size() != 3) c.Fail("output_size has ", sizes.size(), " values, expected 3");
  if (sizes.empty() && !scales.empty() && scales.size() != 3)
    c.Fail("scales has ", scales.size(), " values, expected 3");
  for (size_t i = 0; i < 3; ++i) {
    int64_t &extent = y[static_cast<int64_t>(i) + 2];
    if (!sizes.empty() && sizes[i] < 1) c.Fail("output_size[", i, "] is ", sizes[i], ", expected at least 1");
    extent = !sizes.empty() ? sizes[i] : scales.empty() ? -1 : Scaled(c, extent, scales[i]);
  }
  c.Out(0, c.Type(0), y);
}

/// Coordinates for each position of images, or volumes, of the shape output_size; the positions are one axis.
void AffineGridRule(Context &c) {
  Shape theta = c.DimsOfRank(0, 3, "theta"), y = Shape{theta[0], -1, -1};
  auto size = c.Ints(1);
  if (size) {
    if (size->size() != 4 && size->size() != 5) c.Fail("output_size has ", size->size(), " values, expected 4 or 5");
    int64_t space = static_cast<int64_t>(size->size()) - 2, positions = 1;
    for (size_t i = 0; i < size->size(); ++i) {
      int64_t extent = (*size)[i];
      if (extent != kUnknown && extent < 1) c.Fail("output_size[", i, "] is ", extent, ", expected at least 1");
      if (i < 2) continue;
      positions = positions < 0 || extent == kUnknown ? -1 : c.CheckedMul(positions, extent, "the number of positions");
    }
    c.SameDim(theta[1], space, "the number of rows of theta and the axes of space");
    c.SameDim(theta[2], space + 1, "the number of columns of theta and the axes of space with an offset");
    if ((*size)[0] != kUnknown) y[0] = c.SameDim(theta[0], (*size)[0], "the batch of theta and output_size");
    y[1] = positions;
    y[2] = space;
  }
  c.Out(0, c.Type(0), y);
}

/// From an axis on the extents are those of another tensor.
void CropRule(Context &c) {
  Shape x = c.Dims(0), size = c.Dims(1);
  if (!x.has_rank() || !size.has_rank()) return c.Out(0, c.Type(0), x.has_rank() ? Shape::OfRank(x.rank()) : x);
  if (size.rank() != x.rank()) c.Fail("size has shape ", size.str(), ", expected ", x.rank(), " dimensions as x");
  int64_t axis = c.Axis(c.IntAttr("axis", 2), x.rank(), "axis");
  Values offsets = c.IntsAttr("offsets");
  size_t cropped = static_cast<size_t>(x.rank() - axis);
  if (offsets.size() > 1 && offsets.size() != cropped)
    c.Fail("offsets has ", offsets.size(), " values, expected 1 or ", cropped);
  for (int64_t i = axis; i < x.rank(); ++i) {
    int64_t offset = offsets.empty() ? 0 : offsets.size() == 1 ? offsets[0] : offsets[static_cast<size_t>(i - axis)];
    if (x[i] >= 0 && size[i] >= 0 && (offset < 0 || size[i] > x[i] || offset > x[i] - size[i]))
      c.Fail("x has extent ", x[i], " along axis ", i, ", too small for ", size[i], " from ", offset, " on");
    x[i] = size[i];
  }
  c.Out(0, c.Type(0), x);
}

/// Height and width are attributes; -1 keeps them.
void SpatialTransformerRule(Context &c) {
  ImageAxes at = AxesOfInput(c);
  Shape y = c.DimsOfRank(0, 4, "x");
  Values size = c.IntsAttr("output_size");
  if (!size.empty() && size.size() != 2) c.Fail("output_size has ", size.size(), " values, expected 2");
  for (size_t i = 0; i < size.size(); ++i) {
    if (size[i] < -1 || size[i] == 0) c.Fail("output_size[", i, "] is ", size[i], ", expected a positive number or -1");
    if (size[i] > 0) y[i == 0 ? at.h : at.w] = size[i];
  }
  c.Out(0, c.Type(0), y);
}

/// As many boxes for each image as are asked for, or as can be there.
void CombinedNonMaxSuppressionRule(Context &c) {
  Shape boxes = c.DimsOfRank(0, 4, "boxes"), scores = c.DimsOfRank(1, 3, "scores");
  c.SameDim(boxes[3], 4, "the number of coordinates of a box");
  c.SameDim(boxes[1], scores[1], "the number of boxes in boxes and scores");
  if (boxes[2] != 1 && c.Differ(boxes[2], scores[2]) && c.Differ(boxes[2], 1))
    c.Fail("boxes has boxes for ", boxes[2], " classes, expected 1 or ", scores[2], " as scores");
  int64_t batch = c.SameDim(boxes[0], scores[0], "the batch of boxes and scores");
  auto per_class = c.Int(2, "max_output_size_per_class"), total = c.Int(3, "max_total_size");
  if (total && *total < 1) c.Fail("max_total_size is ", *total, ", expected at least 1");
  if (per_class && *per_class < 1) c.Fail("max_output_size_per_class is ", *per_class, ", expected at least 1");
  int64_t count = total ? *total : -1;
  if (c.BoolAttr("pad_per_class") && count >= 0)
    count =
        per_class && scores[2] >= 0 ? std::min(count, c.CheckedMul(*per_class, scores[2], "the number of boxes")) : -1;
  c.Out(0, C_DT_FLOAT, Shape{batch, count, 4});
  c.Out(1, C_DT_FLOAT, Shape{batch, count});
  c.Out(2, C_DT_FLOAT, Shape{batch, count});
  c.Out(3, C_DT_INT32, Shape{batch});
}

constexpr Entry kImageRules[] = {
    {"UpsampleNearest3d", Guarded<UpsampleVolumeRule>},
    {"AffineGrid", Guarded<AffineGridRule>},
    {"Crop", Guarded<CropRule>},
    {"SpatialTransformer", Guarded<SpatialTransformerRule>},
    {"CombinedNonMaxSuppression", Guarded<CombinedNonMaxSuppressionRule>},
    {"Resize", Guarded<ResizeRule>},
    {"ResizeD", Guarded<ResizeDRule>},
    {"ResizeNearestNeighborV2", Guarded<ResizeNearestRule>},
    {"ResizeBilinearV2", Guarded<ResizeBilinearRule>},
    {"ResizeBicubicV2", Guarded<ResizeNearestRule>},
    {"ResizeNearestNeighborV2Grad", Guarded<ResizeNearestRule>},
    {"GridSample", Guarded<GridSampleRule>},
    {"DepthToSpace", Guarded<DepthToSpaceRule>},
    {"SpaceToDepth", Guarded<SpaceToDepthRule>},
};

}  // namespace

std::span<const Entry> ImageRules() { return kImageRules; }

}  // namespace gec::infer
