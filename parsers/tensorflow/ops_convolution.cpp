// Convolutions and batch normalisation. Images stay in the layout that the file says, NHWC as a rule: the operators'
// attribute data_format tells engines. Filters stay HWIO, which is format HWCN.
#include <algorithm>

#include "parsers/tensorflow/handlers.h"
#include "parsers/tensorflow/node_context.h"

namespace gec::tensorflow {
namespace {

using List = std::vector<int64_t>;

struct Layout {
  std::string name;
  size_t spatial = 2, first = 1, channels = 3;  // where the extents of space begin, where the channels are
};

Layout LayoutOf(NodeContext &c, size_t spatial) {
  Layout l;
  l.spatial = spatial;
  l.name = c.Text("data_format", spatial == 3 ? "NDHWC" : "NHWC");
  const std::string last = spatial == 3 ? "NDHWC" : "NHWC", first = spatial == 3 ? "NCDHW" : "NCHW";
  if (l.name != last && l.name != first)
    c.Refuse(Reason::kUnsupportedUse, Str("data_format is '", l.name, "', supported are ", last, " and ", first));
  l.first = l.name == last ? 1 : 2;
  l.channels = l.name == last ? spatial + 1 : 1;
  return l;
}

// One value for each dimension, in the order of the layout.
List PerDimension(NodeContext &c, const char *name, const Layout &l, bool required) {
  List values = c.Ints(name);
  if (values.empty() && !required) values.assign(l.spatial + 2, 1);
  if (values.size() != l.spatial + 2)
    c.Refuse(Reason::kInvalidModel, Str(name, " has ", values.size(), " values, expected ", l.spatial + 2));
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 1 || values[i] > INT32_MAX)
      c.Refuse(Reason::kInvalidModel, Str(name, " has ", values[i], ", expected a positive number"));
    if ((i == 0 || i == l.channels) && values[i] != 1)
      c.Refuse(Reason::kUnsupportedUse, Str(name, " is ", values[i], " along batch or channels, expected 1"));
  }
  return values;
}

struct Pads {
  List values;        // before and after each extent of space
  bool open = false;  // SAME, and they follow from extents that only a run tells
};

// SAME gives as many windows as strides fit in; what is missing is added on both sides, the odd one behind.
void AddSame(List *pads, int64_t in, int64_t kernel, int64_t stride, int64_t dilation) {
  const int64_t reach = (kernel - 1) * dilation + 1, out = (in + stride - 1) / stride;
  const int64_t total = std::max<int64_t>((out - 1) * stride + reach - in, 0);
  pads->push_back(total / 2);
  pads->push_back(total - total / 2);
}

/// `extents`: of the image that is read with these strides; -1 unknown.
Pads PadsOf(NodeContext &c, const Layout &l, const List &extents, const List &kernel, const List &strides,
            const List &dilations) {
  Pads pads;
  const std::string mode = c.Text("padding", "");
  const List given = c.Ints("explicit_paddings");
  if (mode == "VALID") {
    pads.values.assign(2 * l.spatial, 0);
  } else if (mode == "EXPLICIT") {
    if (given.size() != 2 * (l.spatial + 2))
      c.Refuse(Reason::kInvalidModel,
               Str("explicit_paddings has ", given.size(), " values, expected ", 2 * (l.spatial + 2)));
    pads.values.assign(given.begin() + static_cast<std::ptrdiff_t>(2 * l.first),
                       given.begin() + static_cast<std::ptrdiff_t>(2 * (l.first + l.spatial)));
    for (int64_t p : pads.values)
      if (p < 0 || p > INT32_MAX) c.Refuse(Reason::kInvalidModel, Str("explicit_paddings has ", p));
  } else if (mode == "SAME") {
    for (size_t i = 0; i < l.spatial; ++i) {
      const int64_t stride = strides[l.first + i];
      pads.open |= extents[i] < 0 && stride != 1;
      // With stride 1 any extent needs the same.
      AddSame(&pads.values, extents[i] < 0 ? kernel[i] * dilations[l.first + i] : extents[i], kernel[i], stride,
              dilations[l.first + i]);
    }
  } else {
    c.Refuse(Reason::kInvalidModel, Str("padding is '", mode, "', expected SAME, VALID or EXPLICIT"));
  }
  return pads;
}

List SpatialOf(NodeContext &c, Endpoint x, const Layout &l) {
  const Shape &shape = c.ShapeOf(x);
  if (shape.has_rank() && static_cast<size_t>(shape.rank()) != l.spatial + 2)
    c.Refuse(Reason::kInvalidModel, Str("the input has rank ", shape.rank(), ", expected ", l.spatial + 2));
  List extents;
  for (size_t i = 0; i < l.spatial; ++i) extents.push_back(shape.has_rank() ? shape[l.first + i] : -1);
  for (int64_t e : extents)
    if (e > INT32_MAX) c.Refuse(Reason::kLimit, Str("the image has extent ", e, ", the limit is ", INT32_MAX));
  return extents;
}

List KernelOf(NodeContext &c, Endpoint filter, const Layout &l) {
  if (c.NeedRank(filter, "as a filter") != static_cast<int64_t>(l.spatial + 2))
    c.Refuse(Reason::kInvalidModel, Str("the filter has rank ", c.Rank(filter), ", expected ", l.spatial + 2));
  List kernel;
  for (size_t i = 0; i < l.spatial; ++i) {
    kernel.push_back(c.NeedDim(filter, static_cast<int64_t>(i), "as the extent of the filter"));
    if (kernel[i] < 1 || kernel[i] > INT32_MAX)
      c.Refuse(Reason::kInvalidModel, Str("the filter has extent ", kernel[i]));
  }
  return kernel;
}

// A constant says its layout; another filter is brought into the usual one, channels first.
Endpoint Filter(NodeContext &c, Endpoint filter, const Layout &l) {
  if (!ConstantOf(filter)) {
    List perm = {static_cast<int64_t>(l.spatial) + 1, static_cast<int64_t>(l.spatial)};
    for (size_t i = 0; i < l.spatial; ++i) perm.push_back(static_cast<int64_t>(i));
    return c.Transpose(filter, perm);
  }
  TensorDesc desc = filter.node->output_desc(static_cast<size_t>(filter.port));
  desc.format = desc.origin_format = l.spatial == 3 ? C_FORMAT_DHWCN : C_FORMAT_HWCN;
  c.scope().graph->SetOutputDesc(filter.node, static_cast<size_t>(filter.port), std::move(desc));
  return filter;
}

Endpoint Convolve(NodeContext &c, const Layout &l, Endpoint x, Endpoint filter, const List &kernel, int64_t groups) {
  const List strides = PerDimension(c, "strides", l, true), dilations = PerDimension(c, "dilations", l, false);
  const Pads pads = PadsOf(c, l, SpatialOf(c, x, l), kernel, strides, dilations);
  NewAttrs attrs = {{"strides", strides}, {"dilations", dilations}, {"groups", groups}, {"data_format", l.name}};
  c.Ignore({"use_cudnn_on_gpu"});
  if (!pads.open) {
    attrs.emplace_back("pads", pads.values);
    return c.Op(l.spatial == 3 ? "Conv3D" : "Conv2D", {x, filter}, std::move(attrs));
  }
  if (l.spatial == 3)
    c.Refuse(Reason::kNeedsStatic, "the extents of the input must be known for padding SAME with strides");
  attrs.emplace_back("pad_mode", "SAME_UPPER");
  return c.Op("Conv2DV2", {x, filter}, std::move(attrs));
}

void Conv(NodeContext &c) {
  const Layout l = LayoutOf(c, c.op() == "Conv3D" ? 3 : 2);
  const Endpoint x = c.In(0), filter = c.In(1);
  const List kernel = KernelOf(c, filter, l);
  const int64_t taken = c.ShapeOf(filter)[l.spatial];
  int64_t groups = 1;
  if (const Shape &s = c.ShapeOf(x); s.rank() == static_cast<int32_t>(l.spatial + 2) && taken > 0) {
    const int64_t channels = s[l.channels];
    if (channels > 0 && channels % taken != 0)
      c.Refuse(Reason::kInvalidModel, Str("the input has ", channels, " channels, the filter takes ", taken));
    if (channels > 0) groups = channels / taken;
  }
  c.Out(0, Convolve(c, l, x, Filter(c, filter, l), kernel, groups));
}

// Filter HWIM: M results of each channel, which lie side by side in the output: groups of one channel.
void Depthwise(NodeContext &c) {
  const Layout l = LayoutOf(c, 2);
  const Endpoint x = c.In(0), filter = c.In(1);
  const List kernel = KernelOf(c, filter, l);
  const int64_t channels = c.NeedDim(filter, 2, "as the number of groups");
  const int64_t each = c.NeedDim(filter, 3, "as results of a channel");
  if (channels < 1 || each < 1 || channels > INT32_MAX || each > INT32_MAX)
    c.Refuse(Reason::kInvalidModel, Str("the filter has shape ", c.ShapeOf(filter).str()));
  const Endpoint grouped = c.Reshape(filter, {kernel[0], kernel[1], 1, channels * each});
  c.Out(0, Convolve(c, l, x, Filter(c, grouped, l), kernel, channels));
}

// The gradient of a convolution as a layer of its own. Its filter reads the smaller image's channels last.
void ConvTranspose(NodeContext &c) {
  const Layout l = LayoutOf(c, 2);
  const Endpoint size = c.In(0), filter = c.In(1), x = c.In(2);
  const List kernel = KernelOf(c, filter, l);
  const List strides = PerDimension(c, "strides", l, true), dilations = PerDimension(c, "dilations", l, false);
  List extents(l.spatial, -1);
  if (TensorPtr known = ConstantOf(size)) {
    const List values = c.NeedInts(0, "input_sizes");
    if (values.size() == 4) extents = {values[l.first], values[l.first + 1]};
    else if (values.size() == 2) extents = values;
    else c.Refuse(Reason::kInvalidModel, Str("input_sizes has ", values.size(), " values, expected 4"));
    for (int64_t e : extents)
      if (e < 1 || e > INT32_MAX) c.Refuse(Reason::kInvalidModel, Str("input_sizes has ", e));
    if (values.size() == 2) c.Refuse(Reason::kUnsupportedUse, "input_sizes with two values is not supported");
  }
  // Of an unknown extent it is taken that strides fit in, as layers do it that compute it from the smaller image.
  for (size_t i = 0; i < l.spatial; ++i)
    if (extents[i] < 0) extents[i] = strides[l.first + i] * std::max<int64_t>(kernel[i] * dilations[l.first + i], 1);
  const Pads pads = PadsOf(c, l, extents, kernel, strides, dilations);
  c.Ignore({"use_cudnn_on_gpu"});
  c.Out(0, c.Op("Conv2DTranspose", {size, x, Filter(c, filter, l)},
                {{"strides", strides},
                 {"pads", pads.values},
                 {"dilations", dilations},
                 {"groups", int64_t{1}},
                 {"data_format", l.name}}));
}

void AvgPool3D(NodeContext &c) {
  const Layout l = LayoutOf(c, 3);
  const Endpoint x = c.In(0);
  const List window = PerDimension(c, "ksize", l, true), strides = PerDimension(c, "strides", l, true);
  const List kernel(window.begin() + static_cast<std::ptrdiff_t>(l.first),
                    window.begin() + static_cast<std::ptrdiff_t>(l.first + 3));
  const Pads pads = PadsOf(c, l, SpatialOf(c, x, l), kernel, strides, List(5, 1));
  if (pads.open) c.Refuse(Reason::kNeedsStatic, "the extents of the input must be known for padding SAME with strides");
  c.Out(0, c.Op("AvgPool3D", {x},
                {{"ksize", window},
                 {"strides", strides},
                 {"pads", pads.values},
                 {"count_include_pad", false},
                 {"data_format", l.name}}));
}

void BatchNorm(NodeContext &c) {
  const Endpoint x = c.In(0), scale = c.In(1), offset = c.In(2), mean = c.In(3), variance = c.In(4);
  const bool training = c.Bool("is_training", true);
  std::vector<Endpoint> inputs = {x, scale, offset};
  // Empty ones stand for none.
  const bool statistics = c.ShapeOf(mean) != Shape{0};
  if (!training && !statistics) c.Refuse(Reason::kInvalidModel, "inference needs mean and variance");
  if (statistics) inputs.insert(inputs.end(), {mean, variance});
  Node *node = c.Add("BatchNorm", inputs,
                     {{"epsilon", c.Float("epsilon", 1e-4f)},
                      {"data_format", c.Text("data_format", "NHWC")},
                      {"is_training", training},
                      {"exponential_avg_factor", c.Float("exponential_avg_factor", 1.0f)}});
  c.Out(0, {node, 0});
  c.Out(1, training ? Endpoint{node, 1} : mean);
  c.Out(2, training ? Endpoint{node, 2} : variance);
}

constexpr Handler kConvolutionHandlers[] = {
    {"Conv2D", Conv},
    {"Conv3D", Conv},
    {"DepthwiseConv2dNative", Depthwise},
    {"Conv2DBackpropInput", ConvTranspose},
    {"AvgPool3D", AvgPool3D},
    {"FusedBatchNorm", BatchNorm},
    {"FusedBatchNormV2", BatchNorm},
    {"FusedBatchNormV3", BatchNorm},
};

}  // namespace

HandlerTable ConvolutionHandlers() { return {std::begin(kConvolutionHandlers), std::end(kConvolutionHandlers)}; }

}  // namespace gec::tensorflow
