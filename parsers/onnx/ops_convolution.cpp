// Convolution and pooling.
#include <algorithm>

#include "parsers/onnx/handlers.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

using List = AttrValue::ListInt;

// Strides, dilations and pads of a sliding window over the dimensions behind N and C.
struct Window {
  size_t spatial = 0;
  List kernel, strides, dilations, begin, end;  // begin, end: pads
  bool ceil = false;
};

List AttrOr(NodeContext &c, const char *name, size_t n, int64_t fallback) {
  List values = c.Ints(name);
  if (values.empty()) values.assign(n, fallback);
  if (values.size() != n) c.Refuse(Reason::kInvalidModel, Str(name, " has ", values.size(), " values, expected ", n));
  return values;
}

// Pads of auto_pad SAME_*: the output has ceil(input / stride) elements.
void SamePads(NodeContext &c, Endpoint x, Window &w, bool upper) {
  Shape s = c.ShapeOf(x);
  for (size_t i = 0; i < w.spatial; ++i) {
    int64_t extent = (w.kernel[i] - 1) * w.dilations[i] + 1, total;
    if (w.strides[i] == 1) {
      total = extent - 1;
    } else {
      int64_t in = s.has_rank() && i + 2 < static_cast<size_t>(s.rank()) ? s[i + 2] : -1;
      if (in > INT32_MAX) c.Refuse(Reason::kLimit, Str("dimension ", i + 2, " is ", in, ", the limit is ", INT32_MAX));
      if (in < 0) {
        c.Refuse(Reason::kNeedsStatic,
                 Str("auto_pad with stride ", w.strides[i], " needs dimension ", i + 2, " of the input"));
      }
      int64_t out = (in + w.strides[i] - 1) / w.strides[i];
      total = std::max<int64_t>((out - 1) * w.strides[i] + extent - in, 0);
    }
    w.begin[i] = upper ? total / 2 : total - total / 2;
    w.end[i] = total - w.begin[i];
  }
}

void CheckWindow(NodeContext &c, const Window &w) {
  for (size_t i = 0; i < w.spatial; ++i) {
    if (w.kernel[i] <= 0 || w.strides[i] <= 0 || w.dilations[i] <= 0 || w.kernel[i] > INT32_MAX ||
        w.strides[i] > INT32_MAX || w.dilations[i] > INT32_MAX) {
      c.Refuse(Reason::kInvalidModel, Str("kernel ", w.kernel[i], ", stride ", w.strides[i], ", dilation ",
                                          w.dilations[i], " of dimension ", i + 2, " must be positive 32-bit numbers"));
    }
    if (std::abs(w.begin[i]) > INT32_MAX || std::abs(w.end[i]) > INT32_MAX) {
      c.Refuse(Reason::kInvalidModel, Str("pads of dimension ", i + 2, " are out of range"));
    }
  }
}

Window ReadWindow(NodeContext &c, Endpoint x, List kernel, bool dilated) {
  Window w;
  w.kernel = std::move(kernel);
  w.spatial = w.kernel.size();
  if (w.spatial == 0) c.Refuse(Reason::kInvalidModel, "the kernel has no dimensions");
  w.strides = AttrOr(c, "strides", w.spatial, 1);
  w.dilations = dilated ? AttrOr(c, "dilations", w.spatial, 1) : List(w.spatial, 1);
  List pads = AttrOr(c, "pads", 2 * w.spatial, 0);
  w.begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(w.spatial));
  w.end.assign(pads.begin() + static_cast<std::ptrdiff_t>(w.spatial), pads.end());
  CheckWindow(c, w);
  std::string automatic = c.String("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    SamePads(c, x, w, automatic == "SAME_UPPER");
  } else if (automatic == "VALID") {
    w.begin.assign(w.spatial, 0);
    w.end.assign(w.spatial, 0);
  } else if (automatic != "NOTSET" && !automatic.empty()) {
    c.Refuse(Reason::kInvalidModel, "attribute 'auto_pad' is '" + automatic + "'");
  }
  return w;
}

List WithNC(const List &spatial) {
  List all = {1, 1};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return all;
}
// [top, bottom, left, right]; three dimensions: [front, back, top, bottom, left, right].
List Interleaved(const Window &w) {
  List pads;
  for (size_t i = 0; i < w.spatial; ++i) {
    pads.push_back(w.begin[i]);
    pads.push_back(w.end[i]);
  }
  return pads;
}
// One dimension becomes two, the first of extent 1.
void Widen(Window &w) {
  for (List *l : {&w.kernel, &w.strides, &w.dilations}) l->insert(l->begin(), 1);
  w.begin.insert(w.begin.begin(), 0);
  w.end.insert(w.end.begin(), 0);
  w.spatial = 2;
}

size_t SpatialDims(NodeContext &c, Endpoint x, Endpoint weights) {
  int64_t rank = c.Rank(x) >= 0 ? c.Rank(x) : c.Rank(weights);
  if (rank < 0) c.Refuse(Reason::kNeedsStatic, "the rank of the input or of the weights must be known");
  if (rank < 3) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", at least 3 is needed"));
  if (rank > 5) c.Refuse(Reason::kUnsupportedUse, Str("rank ", rank, " is not supported, at most 5"));
  return static_cast<size_t>(rank - 2);
}

List KernelShape(NodeContext &c, Endpoint weights, size_t spatial) {
  List kernel = c.Ints("kernel_shape");
  Shape s = c.ShapeOf(weights);
  if (s.has_rank() && static_cast<size_t>(s.rank()) != spatial + 2) {
    c.Refuse(Reason::kInvalidModel, Str("the weights have rank ", s.rank(), ", expected ", spatial + 2));
  }
  if (kernel.empty()) {
    for (size_t i = 0; i < spatial; ++i)
      kernel.push_back(c.NeedDim(weights, static_cast<int64_t>(i + 2), "as kernel size"));
  } else if (kernel.size() != spatial) {
    c.Refuse(Reason::kInvalidModel, Str("kernel_shape has ", kernel.size(), " values, expected ", spatial));
  } else if (s.has_rank()) {
    for (size_t i = 0; i < spatial; ++i) {
      if (s[i + 2] >= 0 && s[i + 2] != kernel[i]) {
        c.Refuse(Reason::kInvalidModel,
                 Str("kernel_shape says ", kernel[i], " for dimension ", i + 2, ", the weights have ", s[i + 2]));
      }
    }
  }
  return kernel;
}

// A filter of one dimension as one of two.
Endpoint WidenFilter(NodeContext &c, Endpoint w) {
  Shape s = c.ShapeOf(w);
  if (ConstantOf(w) && s.known()) return c.ReshapeTo(w, {s[0], s[1], 1, s[2]});
  return c.Unsqueeze(w, {2});
}

void Conv(NodeContext &c) {
  Endpoint x = c.In(0), weights = c.In(1), bias = c.OptIn(2);
  size_t spatial = SpatialDims(c, x, weights);
  Window w = ReadWindow(c, x, KernelShape(c, weights, spatial), true);
  int64_t groups = c.Int("group", 1);
  if (groups <= 0) c.Refuse(Reason::kInvalidModel, Str("group is ", groups));
  if (spatial == 1) {
    Widen(w);
    x = c.Unsqueeze(x, {2});
    weights = WidenFilter(c, weights);
  }
  bool deep = w.spatial == 3;
  Endpoint y = c.Op(deep ? "Conv3D" : "Conv2D", {x, weights, bias},
                    {{"strides", WithNC(w.strides)},
                     {"pads", Interleaved(w)},
                     {"dilations", WithNC(w.dilations)},
                     {"groups", groups},
                     {"data_format", deep ? "NCDHW" : "NCHW"}});
  c.Out(0, spatial == 1 ? c.Squeeze(y, {2}) : y);
}

void ConvTranspose(NodeContext &c) {
  Endpoint x = c.In(0), weights = c.In(1), bias = c.OptIn(2);
  size_t spatial = SpatialDims(c, x, weights);
  List kernel = KernelShape(c, weights, spatial);
  List out_pads = AttrOr(c, "output_padding", spatial, 0);
  int64_t groups = c.Int("group", 1);
  if (groups <= 0) c.Refuse(Reason::kInvalidModel, Str("group is ", groups));
  std::string automatic = c.String("auto_pad", "NOTSET");
  List wanted = c.Ints("output_shape");
  Window w;
  w.kernel = kernel;
  w.spatial = spatial;
  w.strides = AttrOr(c, "strides", spatial, 1);
  w.dilations = AttrOr(c, "dilations", spatial, 1);
  List pads = AttrOr(c, "pads", 2 * spatial, 0);
  w.begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(spatial));
  w.end.assign(pads.begin() + static_cast<std::ptrdiff_t>(spatial), pads.end());
  CheckWindow(c, w);
  for (int64_t p : out_pads) {
    if (p < 0 || p > INT32_MAX) c.Refuse(Reason::kInvalidModel, Str("output_padding has ", p));
  }
  bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (automatic == "VALID") {
    w.begin.assign(spatial, 0);
    w.end.assign(spatial, 0);
  }
  if (!wanted.empty() || same) {
    if (wanted.size() == spatial + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
    if (!wanted.empty() && wanted.size() != spatial) {
      c.Refuse(Reason::kInvalidModel, Str("output_shape has ", wanted.size(), " values, expected ", spatial));
    }
    for (size_t i = 0; i < spatial; ++i) {
      int64_t extent = (kernel[i] - 1) * w.dilations[i] + 1;
      int64_t total;
      if (wanted.empty()) {
        total = std::max<int64_t>(extent - w.strides[i] + out_pads[i], 0);  // output = input * stride
      } else {
        int64_t in = c.NeedDim(x, static_cast<int64_t>(i + 2), "to reach output_shape");
        if (in > INT32_MAX || wanted[i] < 0 || wanted[i] > INT32_MAX) {
          c.Refuse(Reason::kLimit, Str("output_shape has ", wanted[i], " for an input of ", in));
        }
        total = (in - 1) * w.strides[i] + out_pads[i] + extent - wanted[i];
        if (total < 0) {  // more than the windows cover: zeros are added behind
          out_pads[i] -= total;
          total = 0;
        }
      }
      w.begin[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      if (automatic == "SAME_LOWER") w.begin[i] = total - total / 2;
      w.end[i] = total - w.begin[i];
    }
  }
  if (spatial == 1) {
    Widen(w);
    out_pads.insert(out_pads.begin(), 0);
    x = c.Unsqueeze(x, {2});
    weights = WidenFilter(c, weights);
  }
  bool deep = w.spatial == 3;
  List out_padding = {0, 0};
  out_padding.insert(out_padding.end(), out_pads.begin(), out_pads.end());
  // Zeros: the size of the result follows from the attributes.
  Endpoint size = c.ConstInts(List(w.spatial + 2, 0), "input_size");
  Endpoint y = c.Op(deep ? "Conv3DTranspose" : "Conv2DTranspose", {size, x, weights, bias},
                    {{"strides", WithNC(w.strides)},
                     {"pads", Interleaved(w)},
                     {"dilations", WithNC(w.dilations)},
                     {"groups", groups},
                     {"data_format", deep ? "NCDHW" : "NCHW"},
                     {"output_padding", out_padding}});
  c.Out(0, spatial == 1 ? c.Squeeze(y, {2}) : y);
}

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

void RefuseDilations(NodeContext &c, const Window &w) {
  for (int64_t d : w.dilations) {
    if (d != 1) c.Refuse(Reason::kUnsupportedUse, Str("a dilation of ", d, " is not supported, only 1"));
  }
}

void MaxPool(NodeContext &c) {
  Endpoint x = c.In(0);
  Window w = ReadWindow(c, x, PoolKernel(c, x), true);
  w.ceil = c.Int("ceil_mode", 0) != 0;
  c.Ignore({"storage_order"});
  RefuseDilations(c, w);
  bool line = w.spatial == 1;
  if (line) {
    Widen(w);
    x = c.Unsqueeze(x, {2});
  }
  Endpoint y;
  if (w.spatial == 3) {
    y = c.Op("MaxPool3D", {x},
             {{"ksize", WithNC(w.kernel)},
              {"strides", WithNC(w.strides)},
              {"padding", "CALCULATED"},
              {"pads", Interleaved(w)},
              {"ceil_mode", int64_t{w.ceil}},
              {"data_format", "NCDHW"}});
  } else {
    y = c.Op(
        "MaxPoolV3", {x},
        {{"ksize", WithNC(w.kernel)}, {"strides", WithNC(w.strides)}, {"pads", Interleaved(w)}, {"ceil_mode", w.ceil}});
  }
  c.Out(0, line ? c.Squeeze(y, {2}) : y);
}

Endpoint Average(NodeContext &c, Endpoint x, Window w, bool exclusive) {
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
              {"data_format", "NCDHW"}});
  } else {
    y = c.Op("AvgPoolV2", {x},
             {{"ksize", WithNC(w.kernel)},
              {"strides", WithNC(w.strides)},
              {"padding_mode", "CALCULATED"},
              {"pads", Interleaved(w)},
              {"data_format", "NCHW"},
              {"ceil_mode", w.ceil},
              {"exclusive", exclusive}});
  }
  return line ? c.Squeeze(y, {2}) : y;
}

void AveragePool(NodeContext &c) {
  Endpoint x = c.In(0);
  Window w = ReadWindow(c, x, PoolKernel(c, x), c.HasAttr("dilations"));
  RefuseDilations(c, w);
  w.ceil = c.Int("ceil_mode", 0) != 0;
  c.Out(0, Average(c, x, w, c.Int("count_include_pad", 0) == 0));
}

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
  Window w = ReadWindow(c, x, PoolKernel(c, x), c.HasAttr("dilations"));
  RefuseDilations(c, w);
  w.ceil = c.opset() >= 18 && c.Int("ceil_mode", 0) != 0;
  double count = 1;
  for (int64_t k : w.kernel) count *= static_cast<double>(k);
  Endpoint mean = Average(c, Powered(c, x, p), w, false);
  c.Out(0, Root(c, c.Op("Mul", {mean, c.NumberLike(count, x, "count")}), p));
}

std::vector<int64_t> SpatialAxes(NodeContext &c, Endpoint x) {
  int64_t rank = c.NeedRank(x, "to pool over all its positions");
  if (rank < 2) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", at least 2 is needed"));
  std::vector<int64_t> axes;
  for (int64_t i = 2; i < rank; ++i) axes.push_back(i);
  return axes;
}

void GlobalAveragePool(NodeContext &c) {
  Endpoint x = c.In(0);
  if (c.Rank(x) == 4 && NodeContext::Has("GlobalAveragePool")) c.Out(0, c.Op("GlobalAveragePool", {x}));
  else c.Out(0, c.Reduce("ReduceMean", x, SpatialAxes(c, x), true));
}

void GlobalMaxPool(NodeContext &c) {
  Endpoint x = c.In(0);
  c.Out(0, c.Reduce("ReduceMax", x, SpatialAxes(c, x), true));
}

void GlobalLpPool(NodeContext &c) {
  Endpoint x = c.In(0);
  double p = NormOrder(c);
  c.Out(0, Root(c, c.Reduce("ReduceSum", Powered(c, x, p), SpatialAxes(c, x), true), p));
}

constexpr Handler kHandlers[] = {
    {"", "Conv", 1, Conv},
    {"", "ConvTranspose", 1, ConvTranspose},
    {"", "MaxPool", 1, MaxPool},
    {"", "AveragePool", 1, AveragePool},
    {"", "LpPool", 1, LpPool},
    {"", "GlobalAveragePool", 1, GlobalAveragePool},
    {"", "GlobalMaxPool", 1, GlobalMaxPool},
    {"", "GlobalLpPool", 1, GlobalLpPool},
};

}  // namespace

HandlerTable ConvolutionHandlers() { return {std::begin(kHandlers), std::end(kHandlers)}; }

}  // namespace gec::onnx
