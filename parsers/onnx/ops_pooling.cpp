// Pooling.
#include <algorithm>
#include <cmath>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/window.h"

namespace gec::onnx {
namespace {

List PoolKernel(NodeContext &c, Endpoint x) {
  List kernel = c.Ints("kernel_shape");
  if (kernel.empty()) c.Refuse(Reason::kInvalidModel, "attribute 'kernel_shape' is missing");
  int64_t rank = c.Rank(x);
  if (rank >= 0 && static_cast<size_t>(rank) != kernel.size() + 2) {
    c.Refuse(Reason::kInvalidModel, Str("kernel_shape has ", kernel.size(), " values for an input of rank ", rank));
  }
  if (kernel.size() > 3) c.Refuse(Reason::kUnsupportedUse, "more than three window dimensions are not supported");
  return kernel;
}

// The lowest value of a type, the start of a maximum.
Endpoint Lowest(NodeContext &c, Endpoint x) {
  const int32_t type = c.NeedType(x, "to pad it");
  const double lowest = type == C_DT_INT8 ? INT8_MIN : type == C_DT_UINT8 ? 0 : -INFINITY;
  return c.ConstNumber(lowest, type, "lowest");
}

// Positions ONNX counts over the whole of x, in rows or in columns; ours are inside each channel of `padded`, which is
// x with w.open_pads around it.
Endpoint Indices(NodeContext &c, Endpoint x, Endpoint padded, const Window &w, Endpoint inside, bool columns) {
  Formula f(c);
  const int64_t spatial = static_cast<int64_t>(w.spatial);
  auto extent = [&](Endpoint e, int64_t i) {  // without elements there are no windows, but nothing divides by 0
    const Shape shape = c.ShapeOf(e);
    const int64_t known = shape.has_rank() ? shape[static_cast<size_t>(i + 2)] : -1;
    return known >= 0 ? f.Int(std::max<int64_t>(known, 1)) : f.Max(f.Dim(e, i + 2), f.Int(1));
  };
  Endpoint plane = extent(x, 0);
  for (int64_t i = 1; i < spatial; ++i) plane = f.Mul(plane, extent(x, i));
  if (columns || w.open_pads) {
    std::vector<Endpoint> at(w.spatial);
    for (int64_t i = spatial; i-- > 0;) {
      Endpoint &position = at[static_cast<size_t>(i)];
      position = f.FloorMod(inside, extent(padded, i));
      if (i > 0) inside = f.FloorDiv(inside, extent(padded, i));
      if (w.open_pads) position = f.Sub(position, f.Gather(w.open_pads, f.Int(i + 2), 0));
    }
    if (columns) std::reverse(at.begin(), at.end());  // the first dimension varies fastest
    inside = at[0];
    for (int64_t i = 1; i < spatial; ++i)
      inside = f.Add(f.Mul(inside, extent(x, columns ? spatial - 1 - i : i)), at[static_cast<size_t>(i)]);
  }
  Endpoint images = f.Dims(x, 0, 2), number = f.Count(f.Product(images));
  number = f.Reshape(number, f.Vector({images, c.ConstInts(List(w.spatial, 1), "ones")}));
  return f.Add(inside, f.Mul(number, plane));
}

// Maxima, and where in each channel they are.
Node *PoolWithPositions(NodeContext &c, Endpoint x, const Window &w) {
  const bool deep = w.spatial == 3;
  return c.Add(deep ? "MaxPool3DWithArgmaxV2" : "MaxPoolWithArgmaxV3", {x},
               {{"ksize", WithNC(w.kernel)},
                {"strides", WithNC(w.strides)},
                {"pads", Interleaved(w)},
                {"dtype", int64_t{C_DT_INT64}},
                {"dilation", w.dilations},
                {"ceil_mode", w.ceil},
                {"data_format", deep ? "NCDHW" : "NCHW"}});
}

// The maxima of a window of at least two dimensions. `positions`: output 1 tells where they are.
Node *Maxima(NodeContext &c, Endpoint x, const Window &w, bool positions) {
  const bool deep = w.spatial == 3;
  if (positions || (w.dilated() && !deep)) return PoolWithPositions(c, x, w);
  if (!deep)
    return c.Add(
        "MaxPoolV3", {x},
        {{"ksize", WithNC(w.kernel)}, {"strides", WithNC(w.strides)}, {"pads", Interleaved(w)}, {"ceil_mode", w.ceil}});
  return c.Add("MaxPool3D", {x},
               {{"ksize", WithNC(w.kernel)},
                {"strides", WithNC(w.strides)},
                {"padding", "CALCULATED"},
                {"pads", Interleaved(w)},
                {"dilation", WithNC(w.dilations)},
                {"ceil_mode", int64_t{w.ceil}},
                {"data_format", "NCDHW"}});
}

// The window of a maximum, and x with the padding around it that only a run tells.
Window MaxWindow(NodeContext &c, Endpoint *x) {
  Window w = ReadWindow(c, *x, PoolKernel(c, *x), true, true);
  CheckPoolPads(c, w);
  w.ceil = c.Flag("ceil_mode", false);
  if (w.open_pads) *x = WithOpenPads(c, *x, w, Lowest(c, *x));
  return w;
}

void MaxPool(NodeContext &c) {
  const Endpoint full = c.In(0);
  Endpoint x = full;
  bool columns = c.Flag("storage_order", false);
  Window w = MaxWindow(c, &x);
  bool line = w.spatial == 1;
  const Window given = w;
  const Endpoint padded = x;
  if (line) {
    Widen(w);
    x = c.Unsqueeze(x, {2});
  }
  const bool indices = c.WantsOutput(1);
  // Positions that nobody reads have a node of their own, which goes; the other one need not look for them.
  const bool read = indices && c.importer().IsRead(c.proto()->output[1]);
  const Endpoint y{Maxima(c, x, w, read), 0};
  c.Out(0, line ? c.Squeeze(y, {2}) : y);
  if (!indices) return;
  const Endpoint inside{read ? y.node : PoolWithPositions(c, x, w), 1};
  c.Out(1, Indices(c, full, padded, given, line ? c.Squeeze(inside, {2}) : inside, columns));
}

// The padding that ceil_mode adds at the end.
List Overhang(NodeContext &c, Endpoint x, const Window &w) {
  List extra(w.spatial, 0);
  for (size_t i = 0; w.ceil && i < w.spatial; ++i) {
    int64_t in = c.NeedDim(x, static_cast<int64_t>(i + 2), "for ceil_mode with dilations");
    int64_t slack = in + w.begin[i] + w.end[i] - (w.kernel[i] - 1) * w.dilations[i] - 1;
    if (slack < 0) continue;  // inference refuses it
    int64_t steps = slack / w.strides[i];
    if (slack % w.strides[i] && (steps + 1) * w.strides[i] < in + w.begin[i])
      extra[i] = (steps + 1) * w.strides[i] - slack;
  }
  return extra;
}

// Sums over dilated windows: a convolution of each channel with ones. `counts` divides by the number of elements.
Endpoint DilatedSum(NodeContext &c, Endpoint x, Window w, bool counts, bool exclusive) {
  int32_t type = c.NeedType(x, "to sum its windows");
  List extra = Overhang(c, x, w);
  bool line = w.spatial == 1;
  if (line) {
    Widen(w);
    extra.insert(extra.begin(), 0);
    x = c.Unsqueeze(x, {2});
  }
  int64_t rank = static_cast<int64_t>(w.spatial) + 2;
  auto joined = [&](Endpoint a, Endpoint b) {
    return c.Op("ConcatV2", {a, b, c.ConstInt(0, "axis")}, {{"N", int64_t{2}}});
  };
  auto space = [&](Endpoint e) { return c.Slice(c.ShapeValue(e), {2}, {rank}, {0}); };
  List single = {1, 1};
  Endpoint flat = c.Op("Reshape", {x, joined(c.ConstInts({-1, 1}, "channels"), space(x))});
  Endpoint one = c.ConstNumber(1, type, "one");
  Endpoint filter = c.Op("Fill", {c.ConstInts(WithNC(w.kernel), "filter_shape"), one});
  auto slide = [&](Endpoint e, const Window &over) {
    return c.Op(w.spatial == 3 ? "Conv3D" : "Conv2D", {e, filter},
                {{"strides", WithNC(over.strides)},
                 {"pads", Interleaved(over)},
                 {"dilations", WithNC(over.dilations)},
                 {"groups", int64_t{1}},
                 {"data_format", w.spatial == 3 ? "NCDHW" : "NCHW"}});
  };
  Window wide = w;
  for (size_t i = 0; i < w.spatial; ++i) wide.end[i] += extra[i];
  Endpoint sum = slide(flat, wide);
  if (counts) {
    Endpoint ones = c.Op("Fill", {joined(c.ConstInts(single, "single"), space(x)), one});
    if (!exclusive) {
      List paddings = {0, 0};
      paddings.insert(paddings.end(), w.begin.begin(), w.begin.end());
      paddings.insert(paddings.end(), {0, 0});
      paddings.insert(paddings.end(), w.end.begin(), w.end.end());
      ones = c.Op("PadV3", {ones, c.ConstInts(paddings, "paddings"), one},
                  {{"mode", "constant"}, {"paddings_contiguous", false}});
      wide.begin.assign(w.spatial, 0);
      wide.end = extra;
    }
    sum = c.Op("RealDiv", {sum, c.Op("Maximum", {slide(ones, wide), one})});
  }
  Endpoint y = c.Op("Reshape", {sum, joined(c.Slice(c.ShapeValue(x), {0}, {2}, {0}), space(sum))});
  return line ? c.Squeeze(y, {2}) : y;
}

// `divisor`: of every window, instead of the number of its elements.
Endpoint Average(NodeContext &c, Endpoint x, Window w, bool exclusive, int64_t divisor = 0) {
  bool line = w.spatial == 1;
  if (line) {
    Widen(w);
    x = c.Unsqueeze(x, {2});
  }
  Endpoint y;
  if (w.spatial == 3) {
    y = c.Op("AvgPool3D", {x},
             {{"ksize", WithNC(w.kernel)},
              {"strides", WithNC(w.strides)},
              {"pads", Interleaved(w)},
              {"ceil_mode", w.ceil},
              {"count_include_pad", !exclusive},
              {"divisor_override", divisor},
              {"data_format", "NCDHW"}});
  } else {
    y = c.Op("AvgPoolV2", {x},
             {{"ksize", WithNC(w.kernel)},
              {"strides", WithNC(w.strides)},
              {"padding_mode", "CALCULATED"},
              {"pads", Interleaved(w)},
              {"data_format", "NCHW"},
              {"ceil_mode", w.ceil},
              {"exclusive", exclusive},
              {"divisor_override", divisor}});
  }
  return line ? c.Squeeze(y, {2}) : y;
}

}  // namespace

Endpoint MaxPooled(NodeContext &c, Endpoint x) {
  Window w = MaxWindow(c, &x);
  const bool line = w.spatial == 1;
  if (line) {
    Widen(w);
    x = c.Unsqueeze(x, {2});
  }
  const Endpoint y{Maxima(c, x, w, false), 0};
  return line ? c.Squeeze(y, {2}) : y;
}

Endpoint AveragePooled(NodeContext &c, Endpoint x) {
  Window w = ReadWindow(c, x, PoolKernel(c, x), c.HasAttr("dilations"), true);
  CheckPoolPads(c, w);
  w.ceil = c.Flag("ceil_mode", false);
  bool exclusive = !c.Flag("count_include_pad", false);
  if (w.open_pads && exclusive) {  // sums, each by the sum over ones in place of the elements
    Formula f(c);
    auto sum = [&](Endpoint e) {
      e = WithOpenPads(c, e, w);
      return w.dilated() ? DilatedSum(c, e, w, false, false) : Average(c, e, w, false, 1);
    };
    int64_t rank = static_cast<int64_t>(w.spatial) + 2;
    Endpoint one = c.ConstNumber(1, c.NeedType(x, "to count its elements"), "one");
    Endpoint ones = f.Fill(f.Vector({c.ConstInts({1, 1}, "single"), f.Dims(x, 2, rank)}), one);
    return f.Div(sum(x), sum(ones));
  }
  x = WithOpenPads(c, x, w);
  return w.dilated() ? DilatedSum(c, x, w, true, exclusive) : Average(c, x, w, exclusive);
}

namespace {

void AveragePool(NodeContext &c) { c.Out(0, AveragePooled(c, c.In(0))); }

// (sum |x|^p)^(1/p)
Endpoint Powered(NodeContext &c, Endpoint x, double p) {
  Endpoint a = c.Op("Abs", {x});
  return p == 1 ? a : c.Op("Pow", {a, c.NumberLike(p, x, "p")});
}
Endpoint Root(NodeContext &c, Endpoint sum, double p) {
  return p == 1 ? sum : c.Op("Pow", {sum, c.NumberLike(1 / p, sum, "inverse")});
}

double NormOrder(NodeContext &c) {
  double p = c.opset() < 2 ? c.Float("p", 2.0f) : static_cast<double>(c.Int("p", 2));
  if (!(p > 0)) c.Refuse(Reason::kInvalidModel, Str("attribute 'p' is ", p));
  return p;
}

void LpPool(NodeContext &c) {
  Endpoint x = c.In(0);
  double p = NormOrder(c);
  Window w = ReadWindow(c, x, PoolKernel(c, x), c.HasAttr("dilations"), true);
  CheckPoolPads(c, w);
  w.ceil = c.opset() >= 18 && c.Flag("ceil_mode", false);
  Endpoint powered = WithOpenPads(c, Powered(c, c.Widened(x), p), w);
  Endpoint sum = w.dilated() ? DilatedSum(c, powered, w, false, false) : Average(c, powered, w, false, 1);
  c.Out(0, c.CastLike(Root(c, sum, p), x));
}

// Over all positions of each channel.
Endpoint OverPositions(NodeContext &c, const char *type, Endpoint x) {
  Formula f(c);
  const int64_t rank = c.Rank(x);
  if (rank < 0) return c.Op(type, {x, c.Op("Range", {f.Int(2), f.Rank(x), f.Int(1)})}, {{"keep_dims", true}});
  if (rank < 2) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", at least 2 is needed"));
  std::vector<int64_t> axes;
  for (int64_t i = 2; i < rank; ++i) axes.push_back(i);
  return c.Reduce(type, x, axes, true);
}

}  // namespace

Endpoint GlobalAveragePooled(NodeContext &c, Endpoint x) {
  if (c.Rank(x) == 4 && NodeContext::Has("GlobalAveragePool")) return c.Op("GlobalAveragePool", {x});
  return OverPositions(c, "ReduceMean", x);
}

namespace {

void GlobalAveragePool(NodeContext &c) { c.Out(0, GlobalAveragePooled(c, c.In(0))); }

void GlobalMaxPool(NodeContext &c) { c.Out(0, OverPositions(c, "ReduceMax", c.In(0))); }

void GlobalLpPool(NodeContext &c) {
  Endpoint x = c.In(0);
  double p = NormOrder(c);
  Endpoint sum = OverPositions(c, "ReduceSum", Powered(c, c.Widened(x), p));
  c.Out(0, c.CastLike(Root(c, sum, p), x));
}

// Refuses an output_shape that images and channels, or what the windows reach, do not fit into.
void CheckUnpooled(NodeContext &c, const Shape &x, const Window &w, const TensorPtr &wanted) {
  if (!wanted || !x.has_rank()) return;
  const std::vector<int64_t> extents = wanted->Ints();
  if (extents.size() != x.dims().size())
    c.Refuse(Reason::kInvalidModel, Str("output_shape has ", extents.size(), " values, expected ", x.rank()));
  for (size_t i = 0; i < extents.size(); ++i) {
    if (x[i] < 0) continue;
    const size_t k = i - 2;  // of the window
    const int64_t least = i < 2 ? x[i] : (x[i] - 1) * w.strides[k] + w.kernel[k] - w.begin[k] - w.end[k];
    if (i < 2 ? extents[i] != least : extents[i] < least)
      c.Refuse(Reason::kInvalidModel, Str("output_shape ", i, " is ", extents[i], i < 2 ? ", expected " : ", at least ",
                                          least, i < 2 ? "" : " is needed"));
  }
}

// Values at the places that MaxPool found them, zeros elsewhere.
void MaxUnpool(NodeContext &c) {
  Formula f(c);
  Endpoint x = c.In(0), indices = f.FromFront(c.CastTo(c.In(1), C_DT_INT64), "an index");
  Window w = ReadWindow(c, x, PoolKernel(c, x), false);
  CheckPoolPads(c, w);
  std::vector<Endpoint> extents = {f.Dims(x, 0, 2)};
  for (size_t i = 0; i < w.spatial; ++i) {
    Endpoint steps = f.Mul(f.Sub(f.Dim(x, static_cast<int64_t>(i + 2)), f.Int(1)), f.Int(w.strides[i]));
    extents.push_back(f.Add(steps, f.Int(w.kernel[i] - w.begin[i] - w.end[i])));
  }
  Endpoint shape = f.Vector(extents), empty = f.Zeros(f.Product(shape), c.NeedType(x, "to fill its surroundings"));
  empty = f.Flat(empty);
  Endpoint y = c.Op("ScatterElements", {empty, f.Flat(indices), f.Flat(x)}, {{"axis", int64_t{0}}});
  y = f.Reshape(y, shape);
  if (Endpoint wanted = c.OptIn(2)) {
    wanted = c.CastTo(wanted, C_DT_INT64);
    CheckUnpooled(c, c.ShapeOf(x), w, ConstantOf(wanted));
    // What is too small becomes a pad that no kernel takes.
    Endpoint behind = f.Sub(wanted, shape);
    behind = f.Where(f.Less(behind, f.Int(0)), f.Int(-kMaxDim), behind);
    y = f.Pad(y, f.Vector({c.ConstInts(List(w.spatial + 2, 0), "before"), behind}));
  }
  c.Out(0, y);
}

constexpr Handler kPoolingHandlers[] = {
    {"", "MaxUnpool", 9, MaxUnpool},
    {"", "MaxPool", 1, MaxPool},
    {"", "AveragePool", 1, AveragePool},
    {"", "LpPool", 1, LpPool},
    {"", "GlobalAveragePool", 1, GlobalAveragePool},
    {"", "GlobalMaxPool", 1, GlobalMaxPool},
    {"", "GlobalLpPool", 1, GlobalLpPool},
};

}  // namespace

HandlerTable PoolingHandlers() { return {std::begin(kPoolingHandlers), std::end(kPoolingHandlers)}; }

}  // namespace gec::onnx
