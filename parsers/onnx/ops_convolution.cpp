// Convolution.
#include <algorithm>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/window.h"

namespace gec::onnx {
namespace {

size_t SpatialDims(NodeContext &c, Endpoint x, Endpoint weights) {
  int64_t rank = c.Rank(x) >= 0 ? c.Rank(x) : c.Rank(weights);
  if (rank < 0) c.Refuse(Reason::kNeedsStatic, "the rank of the input or of the weights must be known");
  if (rank < 3) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", at least 3 is needed"));
  if (rank > 5) c.Refuse(Reason::kUnsupportedUse, Str("rank ", rank, " is not supported, at most 5"));
  return static_cast<size_t>(rank - 2);
}

// `may_open`: -1 for an extent that only a run tells.
List KernelShape(NodeContext &c, Endpoint weights, size_t spatial, bool may_open) {
  List kernel = c.Ints("kernel_shape");
  Shape s = c.ShapeOf(weights);
  if (s.has_rank() && static_cast<size_t>(s.rank()) != spatial + 2) {
    c.Refuse(Reason::kInvalidModel, Str("the weights have rank ", s.rank(), ", expected ", spatial + 2));
  }
  if (kernel.empty()) {
    for (size_t i = 0; i < spatial; ++i) {
      const bool open = may_open && (!s.has_rank() || s[i + 2] < 0);
      kernel.push_back(open ? -1 : c.NeedDim(weights, static_cast<int64_t>(i + 2), "as kernel size"));
    }
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

}  // namespace

Endpoint ConvolutionBy(NodeContext &c, Endpoint x, Endpoint weights, Endpoint padding, const MakeConvolution &make) {
  size_t spatial = SpatialDims(c, x, weights);
  Window w = ReadWindow(c, x, KernelShape(c, weights, spatial, true), true, true, weights);
  x = WithOpenPads(c, x, w, padding);
  int64_t groups = c.Int("group", 1);
  if (groups <= 0) c.Refuse(Reason::kInvalidModel, Str("group is ", groups));
  if (spatial == 1) {
    Widen(w);
    x = c.Unsqueeze(x, {2});
    weights = WidenFilter(c, weights);
  }
  Endpoint y = make(x, weights, w, groups);
  return spatial == 1 ? c.Squeeze(y, {2}) : y;
}

Endpoint Convolution(NodeContext &c, Endpoint x, Endpoint weights, Endpoint bias) {
  return ConvolutionBy(c, x, weights, {}, [&](Endpoint wide, Endpoint filter, const Window &w, int64_t groups) {
    const bool deep = w.spatial == 3;
    return c.Op(deep ? "Conv3D" : "Conv2D", {wide, filter, bias},
                {{"strides", WithNC(w.strides)},
                 {"pads", Interleaved(w)},
                 {"dilations", WithNC(w.dilations)},
                 {"groups", groups},
                 {"data_format", deep ? "NCDHW" : "NCHW"}});
  });
}

namespace {

void Conv(NodeContext &c) { c.Out(0, Convolution(c, c.In(0), c.In(1), c.OptIn(2))); }

// output_shape of an input whose extents are not known: everything is computed, then what is padding is cut off.
void TransposedToShape(NodeContext &c, Endpoint x, Endpoint weights, Endpoint bias, const Window &w, const List &extra,
                       const List &wanted, int64_t groups, bool upper) {
  Formula f(c);
  int64_t rank = static_cast<int64_t>(w.spatial) + 2;
  Window whole = w;
  whole.begin.assign(w.spatial, 0);
  whole.end.assign(w.spatial, 0);
  bool line = w.spatial == 1;
  if (line) {
    Widen(whole);
    x = c.Unsqueeze(x, {2});
    weights = WidenFilter(c, weights);
  }
  bool deep = whole.spatial == 3;
  Endpoint y = c.Op(deep ? "Conv3DTransposeV2" : "Conv2DTranspose",
                    {c.ConstInts(List(whole.spatial + 2, 0), "input_size"), x, weights},
                    {{"strides", WithNC(whole.strides)},
                     {"pads", Interleaved(whole)},
                     {"dilations", WithNC(whole.dilations)},
                     {"groups", groups},
                     {"data_format", deep ? "NCDHW" : "NCHW"},
                     {"output_padding", List(whole.spatial + 2, 0)}});
  if (line) y = c.Squeeze(y, {2});
  Endpoint size = c.ConstInts(wanted, "output_shape"), reached = f.Dims(y, 2, rank);
  Endpoint total = f.Max(f.Sub(f.Add(reached, c.ConstInts(extra, "output_padding")), size), f.Int(0));
  Endpoint begin = upper ? f.FloorDiv(total, f.Int(2)) : f.Sub(total, f.FloorDiv(total, f.Int(2)));
  Endpoint missing = f.Max(f.Sub(f.Add(begin, size), reached), f.Int(0));
  y = f.Pad(y, f.Vector({c.ConstInts(List(w.spatial + 4, 0), "no_pads"), missing}));
  List axes;
  for (int64_t i = 2; i < rank; ++i) axes.push_back(i);
  y = c.Op("StridedSliceV2",
           {y, begin, f.Add(begin, size), c.ConstInts(axes, "axes"), c.ConstInts(List(w.spatial, 1), "strides")});
  c.Out(0, bias ? f.Add(y, f.Along(bias, 1, rank)) : y);
}

void ConvTranspose(NodeContext &c) {
  Endpoint x = c.In(0), weights = c.In(1), bias = c.OptIn(2);
  size_t spatial = SpatialDims(c, x, weights);
  List kernel = KernelShape(c, weights, spatial, false);
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
  if (wanted.size() == spatial && !c.ShapeOf(x).known()) {
    for (int64_t extent : wanted)
      if (extent < 1 || extent > INT32_MAX) c.Refuse(Reason::kInvalidModel, Str("output_shape has ", extent));
    return TransposedToShape(c, x, weights, bias, w, out_pads, wanted, groups, automatic == "SAME_UPPER");
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
  Endpoint y = c.Op(deep ? "Conv3DTransposeV2" : "Conv2DTranspose", {size, x, weights, bias},
                    {{"strides", WithNC(w.strides)},
                     {"pads", Interleaved(w)},
                     {"dilations", WithNC(w.dilations)},
                     {"groups", groups},
                     {"data_format", deep ? "NCDHW" : "NCHW"},
                     {"output_padding", out_padding}});
  c.Out(0, spatial == 1 ? c.Squeeze(y, {2}) : y);
}

constexpr Handler kConvolutionHandlers[] = {
    {"", "Conv", 1, Conv},
    {"", "ConvTranspose", 1, ConvTranspose},
};

}  // namespace

HandlerTable ConvolutionHandlers() { return {std::begin(kConvolutionHandlers), std::end(kConvolutionHandlers)}; }

}  // namespace gec::onnx
