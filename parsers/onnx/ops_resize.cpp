// Resampling of images.
#include <algorithm>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

Endpoint ConstFloats(NodeContext &c, const std::vector<float> &v, const char *role) {
  return c.Const(Tensor::Of<float>(C_DT_FLOAT, Shape{static_cast<int64_t>(v.size())}, v), role);
}

void Emit(NodeContext &c, Endpoint x, Endpoint scales, Endpoint sizes, const std::string &mode, const char *transform,
          const char *nearest) {
  c.Out(0, c.Op("Resize", {x, {}, scales, sizes},
                {{"mode", mode}, {"coordinate_transformation_mode", transform}, {"nearest_mode", nearest}}));
}

std::string Mode(NodeContext &c) {
  std::string mode = c.String("mode", "nearest");
  if (mode == "bilinear" || mode == "trilinear") mode = "linear";
  if (mode != "nearest" && mode != "linear" && mode != "cubic") {
    c.Refuse(Reason::kInvalidModel, "attribute 'mode' is '" + mode + "', expected nearest, linear or cubic");
  }
  return mode;
}

void Upsample(NodeContext &c) {
  Endpoint x = c.In(0), scales;
  std::string mode = Mode(c);
  if (c.opset() < 7) {
    scales = ConstFloats(c, {1, 1, c.Float("height_scale", 1), c.Float("width_scale", 1)}, "scales");
  } else if (c.opset() < 9) {
    scales = ConstFloats(c, c.Floats("scales"), "scales");
  } else {
    scales = c.In(1);
  }
  Emit(c, x, scales, {}, mode, "asymmetric", "floor");
}

void Resize10(NodeContext &c) { Emit(c, c.In(0), c.In(1), {}, Mode(c), "asymmetric", "floor"); }

bool IsEmpty(NodeContext &c, Endpoint e) {
  Shape s = c.ShapeOf(e);
  return s.known() && s.elements() == 0;
}

// A value per axis placed among the values of all dimensions.
Endpoint Placed(NodeContext &c, Endpoint values, const std::vector<int64_t> &axes, Endpoint others, Endpoint x) {
  int64_t rank = c.NeedRank(x, "to place the axes"), n = static_cast<int64_t>(axes.size());
  std::vector<int64_t> from;
  for (int64_t i = 0; i < rank; ++i) from.push_back(n + i);
  for (int64_t i = 0; i < n; ++i) from[static_cast<size_t>(c.NeedAxis(axes[static_cast<size_t>(i)], x))] = i;
  Endpoint list = c.Op("ConcatV2", {values, others, c.ConstInt(0, "axis")}, {{"N", 2}});
  return c.Op("GatherV2", {list, c.ConstInts(from, "places"), c.ConstInt(0, "axis")});
}

// Sizes that keep the aspect ratio, and the ratio itself as scales, for all axes.
void KeepAspectRatio(NodeContext &c, Endpoint x, const std::string &policy, std::vector<int64_t> axes, Endpoint &scales,
                     Endpoint &sizes) {
  if (!sizes) c.Refuse(Reason::kInvalidModel, "keep_aspect_ratio_policy needs sizes (input 3)");
  if (policy != "not_larger" && policy != "not_smaller")
    c.Refuse(Reason::kInvalidModel, "attribute 'keep_aspect_ratio_policy' is '" + policy + "'");
  int64_t rank = c.NeedRank(x, "to keep the aspect ratio");
  for (int64_t i = 0; axes.empty() && i < rank; ++i) axes.push_back(i);
  for (int64_t &a : axes) a = c.NeedAxis(a, x);
  Formula f(c);
  Endpoint extents = f.Gather(c.ShapeValue(x), c.ConstInts(axes, "axes"), 0);
  Endpoint real = c.CastTo(extents, C_DT_DOUBLE), ratios = f.Div(c.CastTo(sizes, C_DT_DOUBLE), real);
  Endpoint best = c.Reduce(policy == "not_larger" ? "ReduceMin" : "ReduceMax", ratios, {0}, false);
  Endpoint rounded = c.Op("Floor", {f.Add(f.Mul(real, best), f.Real(0.5, C_DT_DOUBLE))});
  sizes = c.CastTo(rounded, C_DT_INT64);
  // The sizes are rounded; positions follow from the ratio itself.
  scales = f.Expand(c.CastTo(best, C_DT_FLOAT), c.ConstInts({static_cast<int64_t>(axes.size())}, "axes"));
  if (static_cast<int64_t>(axes.size()) < rank) {
    sizes = Placed(c, sizes, axes, c.ShapeValue(x), x);
    scales = Placed(c, scales, axes, ConstFloats(c, std::vector<float>(static_cast<size_t>(rank), 1.0f), "ones"), x);
  } else if (!std::is_sorted(axes.begin(), axes.end())) {
    sizes = Placed(c, sizes, axes, sizes, x);
  }
}

// What is told of some axes becomes what is told of all: the image's own extents and the scale 1 stand for the others.
void PlaceOnAllAxes(NodeContext &c, Endpoint x, const std::vector<int64_t> &axes, Endpoint &roi, Endpoint &scales,
                    Endpoint &sizes) {
  size_t rank = static_cast<size_t>(c.NeedRank(x, "to place the axes"));
  if (roi) {  // starts, then ends
    int64_t n = static_cast<int64_t>(axes.size());
    auto side = [&](int64_t first, float other) {
      Endpoint values = c.Slice(c.CastTo(roi, C_DT_FLOAT), {first}, {first + n}, {0});
      return Placed(c, values, axes, ConstFloats(c, std::vector<float>(rank, other), "others"), x);
    };
    Endpoint starts = side(0, 0), ends = side(n, 1);
    roi = c.Op("ConcatV2", {starts, ends, c.ConstInt(0, "axis")}, {{"N", 2}});
  }
  if (scales && !ConstantOf(scales)) {
    scales = Placed(c, scales, axes, ConstFloats(c, std::vector<float>(rank, 1.0f), "ones"), x);
  } else if (sizes && !ConstantOf(sizes)) {
    sizes = Placed(c, c.CastTo(sizes, C_DT_INT64), axes, c.ShapeValue(x), x);
  } else if (scales) {
    TensorPtr value = ConstantOf(scales);
    if (!value || value->desc.dtype != C_DT_FLOAT ||
        value->desc.shape.elements() != static_cast<int64_t>(axes.size())) {
      c.Refuse(Reason::kNeedsStatic, "scales (input 2) must be constant, one per axis, when axes are given");
    }
    std::vector<float> full(rank, 1.0f);
    for (size_t i = 0; i < axes.size(); ++i) full[static_cast<size_t>(c.NeedAxis(axes[i], x))] = value->as<float>()[i];
    scales = ConstFloats(c, full, "scales");
  } else {
    std::vector<int64_t> wanted = c.NeedInts(3, "sizes"), full;
    if (wanted.size() != axes.size())
      c.Refuse(Reason::kInvalidModel, Str("sizes has ", wanted.size(), " values for ", axes.size(), " axes"));
    std::vector<bool> set(rank, false);
    full.assign(rank, 0);
    for (size_t i = 0; i < axes.size(); ++i) {
      size_t a = static_cast<size_t>(c.NeedAxis(axes[i], x));
      full[a] = wanted[i];
      set[a] = true;
    }
    for (size_t i = 0; i < rank; ++i) {
      if (!set[i]) full[i] = c.NeedDim(x, static_cast<int64_t>(i), "because sizes does not tell it");
    }
    sizes = c.ConstInts(full, "sizes");
  }
}

void Resize(NodeContext &c) {
  Endpoint x = c.In(0), roi = c.OptIn(1), scales = c.OptIn(2), sizes = c.OptIn(3);
  std::string mode = Mode(c);
  std::string transform = c.String("coordinate_transformation_mode", "half_pixel");
  std::string nearest = c.String("nearest_mode", "round_prefer_floor");
  float cubic = c.Float("cubic_coeff_a", -0.75f), outside = c.Float("extrapolation_value", 0.0f);
  int64_t exclude = c.Flag("exclude_outside", false);
  int64_t antialias = c.opset() >= 18 && c.Flag("antialias", false);
  std::string policy = c.opset() >= 18 ? c.String("keep_aspect_ratio_policy", "stretch") : "stretch";
  std::vector<int64_t> axes = c.opset() >= 18 ? c.Ints("axes") : std::vector<int64_t>();
  // An empty tensor is an absent input in files of version 11.
  if (scales && IsEmpty(c, scales)) scales = {};
  if (sizes && IsEmpty(c, sizes)) sizes = {};
  if (!scales == !sizes)
    c.Refuse(Reason::kInvalidModel, "exactly one of scales (input 2) and sizes (input 3) is needed");
  if (transform != "tf_crop_and_resize") roi = {};
  if (policy != "stretch") {
    KeepAspectRatio(c, x, policy, axes, scales, sizes);
    axes.clear();
  }
  if (!axes.empty()) PlaceOnAllAxes(c, x, axes, roi, scales, sizes);
  c.Out(0, c.Op("Resize", {x, roi, scales, sizes},
                {{"antialias", antialias},
                 {"coordinate_transformation_mode", transform},
                 {"cubic_coeff_a", cubic},
                 {"exclude_outside", exclude},
                 {"extrapolation_value", outside},
                 {"mode", mode},
                 {"nearest_mode", nearest}}));
}

void GridSample(NodeContext &c) {
  Endpoint x = c.In(0), grid = c.In(1);
  std::string mode = c.String("mode", c.opset() < 20 ? "bilinear" : "linear");
  if (mode == "linear") mode = "bilinear";
  if (mode == "cubic") mode = "bicubic";
  std::string padding = c.String("padding_mode", "zeros");
  bool corners = c.Flag("align_corners", false);
  int64_t rank = c.Rank(x);
  if (rank >= 0 && rank != 4 && rank != 5)
    c.Refuse(Reason::kUnsupportedUse, Str("rank ", rank, " is not supported, only 4 and 5"));
  c.Out(0, c.Op("GridSample", {x, grid},
                {{"interpolation_mode", mode}, {"padding_mode", padding}, {"align_corners", corners}}));
}

constexpr Handler kResizeHandlers[] = {
    {"", "Upsample", 1, Upsample},
    {"", "Resize", 10, Resize10},
    {"", "Resize", 11, Resize},
    {"", "GridSample", 16, GridSample},
    {"com.microsoft", "GridSample", 1, GridSample},
};

}  // namespace

HandlerTable ResizeHandlers() { return {std::begin(kResizeHandlers), std::end(kResizeHandlers)}; }

}  // namespace gec::onnx
