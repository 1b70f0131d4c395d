// Regions of images: boxes, sampling grids, columns of windows, deformed windows.
#include <algorithm>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/window.h"

namespace gec::onnx {
namespace {

void NonMaxSuppression(NodeContext &c) {
  Formula f(c);
  auto scalar = [&](size_t i, int32_t type) { return c.HasInput(i) ? f.Scalar(c.In(i), type) : Endpoint(); };
  Endpoint boxes = c.In(0), scores = c.In(1), most = scalar(2, C_DT_INT64);
  if (most) most = c.CastTo(f.Max(f.Min(most, f.Int(INT32_MAX)), f.Int(0)), C_DT_INT32);
  else most = c.ConstNumber(0, C_DT_INT32, "most");
  Endpoint y = c.Op("NonMaxSuppressionV6", {boxes, scores, most, scalar(3, C_DT_FLOAT), scalar(4, C_DT_FLOAT)},
                    {{"center_point_box", int64_t{c.Flag("center_point_box", false)}}});
  c.Out(0, c.CastTo(y, C_DT_INT64));
}

void RoiAlign(NodeContext &c) {
  Endpoint x = c.In(0), rois = c.In(1), batch = c.In(2);
  std::string transform = c.opset() >= 16 ? c.String("coordinate_transformation_mode", "half_pixel")
                                          : c.String("coordinate_transformation_mode", "output_half_pixel");
  if (transform != "half_pixel" && transform != "output_half_pixel")
    c.Refuse(Reason::kInvalidModel, "attribute 'coordinate_transformation_mode' is '" + transform + "'");
  std::string mode = c.String("mode", "avg");
  if (mode != "avg" && mode != "max")
    c.Refuse(Reason::kInvalidModel, "attribute 'mode' is '" + mode + "', expected avg or max");
  const int64_t samples = c.Int("sampling_ratio", 0);
  constexpr int64_t kMostSamples = 1024;  // along one side of a bin, where 2 are usual
  if (samples < 0 || samples > kMostSamples)
    c.Refuse(samples < 0 ? Reason::kInvalidModel : Reason::kLimit,
             Str("attribute 'sampling_ratio' is ", samples, ", allowed are 0 to ", kMostSamples));
  Formula f(c);
  // Numbers of images as floats are exact up to 2^24 in float32; halves count to 2,048 only.
  Endpoint numbered = f.Concat({c.Unsqueeze(c.CastTo(batch, C_DT_FLOAT), {1}), c.CastTo(rois, C_DT_FLOAT)}, 1);
  c.Out(0, c.Op("ROIAlign", {x, numbered},
                {{"spatial_scale", c.Float("spatial_scale", 1)},
                 {"pooled_height", c.Int("output_height", 1)},
                 {"pooled_width", c.Int("output_width", 1)},
                 {"sample_num", samples},
                 {"roi_end_mode", int64_t{transform == "half_pixel" ? 2 : 0}},
                 {"pool_mode", mode}}));
}

void AffineGrid(NodeContext &c) {
  Formula f(c);
  Endpoint theta = c.In(0), size = c.CastTo(c.In(1), C_DT_INT64);
  bool corners = c.Flag("align_corners", false);
  int64_t rank = c.NeedDim(theta, 1, "to tell images from volumes");
  if (rank != 2 && rank != 3) c.Refuse(Reason::kInvalidModel, Str("theta has ", rank, " rows, expected 2 or 3"));
  int32_t type = c.NeedType(theta, "as the type of the grid");
  auto real = [&](double v) { return f.Real(v, C_DT_DOUBLE); };
  const TensorPtr wanted = ConstantOf(size);
  if (const int64_t n = c.ShapeOf(theta)[0]; wanted && n >= 0 && wanted->bytes() >= 8 && wanted->as<int64_t>()[0] != n)
    c.Refuse(Reason::kInvalidModel, Str("size begins with ", wanted->as<int64_t>()[0], ", theta has ", n, " matrices"));
  // A run gathers the second of one value, which is not there, where the two differ.
  Endpoint batch = c.Slice(size, {0}, {1}, {0});
  batch = f.Gather(batch, f.Where(f.Equal(f.Scalar(batch, C_DT_INT64), f.Dim(theta, 0)), f.Int(0), f.Int(1)), 0);
  Endpoint space = c.Slice(size, {2}, {2 + rank}, {0});
  std::vector<Endpoint> coordinates;
  for (int64_t i = rank; i-- > 0;) {  // x, y, z
    Endpoint extent = f.Gather(space, f.Int(i), 0), last = f.Sub(extent, f.Int(1)), at;
    if (corners) {  // counted from the end: a single position is at 1, as in ONNX Runtime
      at = f.Mul(c.CastTo(f.Sub(last, f.Count(extent)), C_DT_DOUBLE), real(2));
      at = f.Sub(real(1), f.Div(at, c.CastTo(f.Max(last, f.Int(1)), C_DT_DOUBLE)));
    } else {
      at = f.Add(f.Mul(c.CastTo(f.Count(extent), C_DT_DOUBLE), real(2)), real(1));
      at = f.Sub(f.Div(at, c.CastTo(extent, C_DT_DOUBLE)), real(1));
    }
    coordinates.push_back(c.Unsqueeze(f.Expand(f.Along(at, i, rank), space), {-1}));
  }
  coordinates.push_back(f.Fill(f.Vector({space, f.Int(1)}), real(1)));
  Endpoint points = c.ReshapeTo(f.Concat(coordinates, -1), {1, -1, rank + 1});
  Endpoint grid = c.Op("BatchMatMulV2", {points, c.CastTo(theta, C_DT_DOUBLE)}, {{"adj_x2", true}});
  grid = f.Reshape(grid, f.Vector({batch, space, f.Int(rank)}));
  c.Out(0, c.CastTo(grid, type));
}

// Sums the columns of windows where they came from: each has its place in the padded image.
void Col2Im(NodeContext &c) {
  Formula f(c);
  Endpoint x = c.In(0), image = c.CastTo(c.In(1), C_DT_INT64), block = c.CastTo(c.In(2), C_DT_INT64);
  int64_t n = c.NeedDim(image, 0, "to count the dimensions of the image");
  if (n < 1 || n > 3) c.Refuse(Reason::kUnsupportedUse, Str("images of ", n, " dimensions are not supported, 1 to 3"));
  size_t count = static_cast<size_t>(n);
  List pads = AttrOr(c, "pads", 2 * count, 0), strides = AttrOr(c, "strides", count, 1),
       dilations = AttrOr(c, "dilations", count, 1);
  List begin(pads.begin(), pads.begin() + n), end(pads.begin() + n, pads.end());
  Endpoint padded = f.Add(f.Add(image, c.ConstInts(begin, "begin")), c.ConstInts(end, "end"));
  auto pick = [&](Endpoint v, int64_t i) { return f.Gather(v, f.Int(i), 0); };
  Endpoint place = f.Int(0);
  for (int64_t i = 0; i < n; ++i) {
    size_t s = static_cast<size_t>(i);
    Endpoint extent = pick(padded, i), size = pick(block, i);
    Endpoint reach = f.Add(f.Mul(f.Sub(size, f.Int(1)), f.Int(dilations[s])), f.Int(1));
    Endpoint steps = f.Add(f.FloorDiv(f.Sub(extent, reach), f.Int(strides[s])), f.Int(1));
    Endpoint inside = f.Along(f.Mul(f.Count(size), f.Int(dilations[s])), i, 2 * n);
    Endpoint window = f.Along(f.Mul(f.Count(steps), f.Int(strides[s])), n + i, 2 * n);
    place = f.Add(f.Mul(place, extent), f.Add(inside, window));
  }
  // The places are the same for all images and channels: these become the slices that are added up.
  Endpoint size = f.Product(block), places = c.ReshapeTo(place, {-1, 1});
  Endpoint batch = f.Dim(x, 0), channels = f.FloorDiv(f.Dim(x, 1), size), images = f.Mul(batch, channels);
  Endpoint updates = f.Reshape(x, f.Vector({images, f.Int(-1)}));
  updates = c.Transpose(updates, {1, 0});
  Endpoint sums = c.Op("ScatterNd", {places, updates, f.Vector({f.Product(padded), images})});
  Endpoint y = f.Reshape(c.Transpose(sums, {1, 0}), f.Vector({batch, channels, padded}));
  List axes;
  for (int64_t i = 0; i < n; ++i) axes.push_back(2 + i);
  Endpoint first = c.ConstInts(begin, "begin");
  c.Out(0, c.Op("StridedSliceV2",
                {y, first, f.Add(first, image), c.ConstInts(axes, "axes"), c.ConstInts(List(count, 1), "strides")}));
}

// Samples the image at the windows' moved positions, then multiplies like a convolution with a window of one.
void DeformConv(NodeContext &c) {
  Formula f(c);
  Endpoint x = c.In(0), weights = c.In(1), offset = c.In(2), bias = c.OptIn(3), mask = c.OptIn(4);
  if (c.NeedRank(x, "to deform its windows") != 4)
    c.Refuse(Reason::kUnsupportedUse, Str("rank ", c.Rank(x), " is not supported, only 4"));
  List kernel = c.Ints("kernel_shape");
  if (kernel.empty()) kernel = {c.NeedDim(weights, 2, "as kernel size"), c.NeedDim(weights, 3, "as kernel size")};
  Window w = ReadWindow(c, x, kernel, true);
  if (w.spatial != 2) c.Refuse(Reason::kInvalidModel, Str("kernel_shape has ", w.spatial, " values, expected 2"));
  const Shape image = c.ShapeOf(x), moves = c.ShapeOf(offset);
  for (size_t i = 0; i < 2; ++i) {
    if (w.begin[i] < 0 || w.end[i] < 0)
      c.Refuse(Reason::kInvalidModel, Str("pads of dimension ", i + 2, " are negative"));
    if (!moves.has_rank() || moves.rank() != 4 || image[i + 2] < 0 || moves[i + 2] < 0) continue;
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
    const int64_t extent = (image[i + 2] + w.begin[i] + w.end[i] - reach) / w.strides[i] + 1;
    if (moves[i + 2] != extent)
      c.Refuse(Reason::kInvalidModel,
               Str("the offset has extent ", moves[i + 2], " in dimension ", i + 2, ", the output ", extent));
  }
  int64_t groups = c.Int("group", 1), parts = c.Int("offset_group", 1), taps = kernel[0] * kernel[1];
  if (groups <= 0 || parts <= 0 || groups > INT32_MAX || parts > INT32_MAX)
    c.Refuse(Reason::kInvalidModel, Str("group is ", groups, ", offset_group ", parts));
  // What made x may not tell its channels; the weights do.
  int64_t per_group = c.NeedDim(weights, 1, "as channels of a group"), channels = per_group * groups;
  if (channels % parts)
    c.Refuse(Reason::kInvalidModel, Str(channels, " channels do not divide into ", parts, " groups"));
  Endpoint batch = f.Dim(x, 0), rows = f.Dim(offset, 2), columns = f.Dim(offset, 3), n = f.Int(parts);
  Endpoint many = f.Mul(batch, n);
  auto real = [&](double v) { return f.Real(v, C_DT_DOUBLE); };
  // [batch * parts, taps, 2, rows, columns]: row and column offsets of each tap.
  Endpoint moved = f.Reshape(offset, f.Vector({many, f.Int(taps), f.Int(2), rows, columns}));
  std::vector<Endpoint> at;
  for (int64_t i = 1; i >= 0; --i) {  // x before y
    size_t s = static_cast<size_t>(i);
    std::vector<double> inside;
    for (int64_t t = 0; t < taps; ++t)
      inside.push_back(static_cast<double>((i == 0 ? t / kernel[1] : t % kernel[1]) * w.dilations[s] - w.begin[s]));
    Endpoint tap = c.Const(Tensor::Of<double>(C_DT_DOUBLE, Shape{1, taps, 1, 1}, inside), "taps");
    Endpoint walk = c.CastTo(f.Mul(f.Count(i == 0 ? rows : columns), f.Int(w.strides[s])), C_DT_DOUBLE);
    Endpoint position = f.Add(f.Add(c.CastTo(f.Gather(moved, f.Int(i), 2), C_DT_DOUBLE), tap), f.Along(walk, 2 + i, 4));
    Endpoint extent = c.CastTo(f.Dim(x, 2 + i), C_DT_DOUBLE);
    position = f.Sub(f.Div(f.Add(f.Mul(position, real(2)), real(1)), extent), real(1));
    at.push_back(c.Unsqueeze(position, {-1}));
  }
  Endpoint tall = f.Mul(rows, f.Int(taps));
  Endpoint grid = f.Reshape(f.Concat(at, -1), f.Vector({many, tall, columns, f.Int(2)}));
  Endpoint images = f.Reshape(x, f.Vector({many, f.Int(channels / parts), f.Dims(x, 2, 4)}));
  int32_t type = c.NeedType(x, "to sample it");
  Endpoint sampled = c.Op("GridSample", {images, c.CastTo(grid, type == C_DT_DOUBLE ? C_DT_DOUBLE : C_DT_FLOAT)},
                          {{"interpolation_mode", "bilinear"}, {"padding_mode", "zeros"}, {"align_corners", false}});
  if (mask) sampled = f.Mul(sampled, f.Reshape(mask, f.Vector({many, f.Int(1), tall, columns})));
  Endpoint stacked = f.Reshape(sampled, f.Vector({batch, f.Int(channels * taps), rows, columns}));
  Endpoint filter = c.ReshapeTo(weights, {-1, per_group * taps, 1, 1});
  c.Out(0, c.Op("Conv2D", {stacked, filter, bias},
                {{"strides", List{1, 1, 1, 1}},
                 {"pads", List{0, 0, 0, 0}},
                 {"dilations", List{1, 1, 1, 1}},
                 {"groups", groups},
                 {"data_format", "NCHW"}}));
}

constexpr Handler kRegionHandlers[] = {
    {"", "NonMaxSuppression", 10, NonMaxSuppression},
    {"", "RoiAlign", 10, RoiAlign},
    {"", "AffineGrid", 20, AffineGrid},
    {"", "Col2Im", 18, Col2Im},
    {"", "DeformConv", 19, DeformConv},
};

}  // namespace

HandlerTable RegionHandlers() { return {std::begin(kRegionHandlers), std::end(kRegionHandlers)}; }

}  // namespace gec::onnx
