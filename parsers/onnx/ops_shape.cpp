// Shapes and layout: reshape, transpose, split, concatenate, slice, pad and their kin.
#include <algorithm>
#include <limits>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

// With `allow_zero` a 0 in the shape is an extent, else it copies the extent of x.
Endpoint WithShape(NodeContext &c, Endpoint x, Endpoint shape, bool allow_zero) {
  if (!allow_zero) return c.Op("Reshape", {x, shape});
  return c.Op("Reshape", {x, shape}, {{"allowzero", int64_t{1}}});
}

void Reshape(NodeContext &c) {
  Endpoint x = c.In(0);
  c.Ignore({"consumed_inputs"});
  std::vector<int64_t> shape;
  bool known = true;
  bool allow_zero = c.opset() >= 14 && c.Flag("allowzero", false);
  if (c.opset() < 5) shape = c.Ints("shape");
  else if (c.ConstIn(1)) shape = c.NeedInts(1, "shape");
  else known = false;
  if (!known) {
    c.Out(0, WithShape(c, x, c.In(1), allow_zero));
    return;
  }
  int64_t open = 0;
  Shape xs = c.ShapeOf(x);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < -1) c.Refuse(Reason::kInvalidModel, Str("shape[", i, "] is ", shape[i], ", expected -1 or more"));
    open += shape[i] == -1;
    if (shape[i] != 0 || allow_zero) continue;
    if (xs.has_rank() && i >= static_cast<size_t>(xs.rank())) {
      c.Refuse(Reason::kInvalidModel, Str("shape copies dimension ", i, " of an input of rank ", xs.rank()));
    }
    if (xs.has_rank() && xs[i] > 0) shape[i] = xs[i];  // else the operator copies it
  }
  if (open > 1) c.Refuse(Reason::kInvalidModel, Str("shape has ", open, " dimensions of -1, at most one is allowed"));
  if (allow_zero && open && std::find(shape.begin(), shape.end(), 0) != shape.end())
    c.Refuse(Reason::kInvalidModel, "shape has both 0 and -1 with allowzero");
  c.Out(0, WithShape(c, x, c.ConstInts(shape, "shape"), allow_zero));
}

void Transpose(NodeContext &c) {
  Endpoint x = c.In(0);
  std::vector<int64_t> perm = c.Ints("perm");
  if (!c.HasAttr("perm")) {
    if (c.Rank(x) < 0) {
      Formula f(c);
      const Endpoint rank = f.Rank(x);
      return c.Out(0, c.Op("Transpose", {x, f.Sub(f.Sub(rank, f.Int(1)), f.Count(rank))}));
    }
    for (int64_t i = c.Rank(x); i-- > 0;) perm.push_back(i);
  }
  for (int64_t axis : perm)
    if (axis < 0) c.Refuse(Reason::kInvalidModel, Str("perm holds ", axis, ", expected axes from 0"));
  c.Out(0, c.Transpose(x, perm));
}

void Flatten(NodeContext &c) {
  Endpoint x = c.In(0);
  int64_t axis = c.Int("axis", 1), rank = c.Rank(x);
  if (rank >= 0) {
    if (axis < -rank || axis > rank)
      c.Refuse(Reason::kInvalidModel, Str("axis ", axis, " is out of range for rank ", rank));
    if (axis < 0) axis += rank;
    if (rank == 0) {
      c.Out(0, c.ReshapeTo(x, {1, 1}));
      return;
    }
    if (axis == rank) {  // everything is in the rows
      c.Out(0, c.ReshapeTo(x, {-1, 1}));
      return;
    }
  }
  c.Out(0, c.Op("Flatten", {x}, {{"axis", axis}}));
}

void Squeeze(NodeContext &c) {
  Endpoint x = c.In(0);
  Endpoint axes;
  if (c.opset() < 13) {
    if (c.HasAttr("axes")) axes = c.ConstInts(c.Ints("axes"), "axes");
  } else {
    axes = c.OptIn(1);
  }
  c.Out(0, c.Op("SqueezeV3", {x, axes}));
}

void Unsqueeze(NodeContext &c) {
  Endpoint x = c.In(0);
  if (c.opset() < 13) {
    if (!c.HasAttr("axes")) c.Refuse(Reason::kInvalidModel, "attribute 'axes' is missing");
    c.Out(0, c.Unsqueeze(x, c.Ints("axes")));
  } else {
    c.Out(0, c.Op("UnsqueezeV3", {x, c.In(1)}));
  }
}

void Concat(NodeContext &c) {
  std::vector<Endpoint> inputs = c.AllInputs();
  if (inputs.empty()) c.Refuse(Reason::kInvalidModel, "it has no inputs");
  int64_t axis = c.opset() < 4 ? c.Int("axis", 1) : c.NeedInt("axis");
  axis = c.Axis(axis, inputs[0]);
  int64_t n = static_cast<int64_t>(inputs.size());
  inputs.push_back(c.ConstInt(axis, "axis"));
  c.Out(0, c.Op("ConcatV2", inputs, {{"N", n}}));
}

void Split(NodeContext &c) {
  Endpoint x = c.In(0);
  int64_t axis = c.Axis(c.Int("axis", 0), x);
  int64_t count = static_cast<int64_t>(c.output_count());
  if (count == 0) c.Refuse(Reason::kInvalidModel, "it has no outputs");
  std::vector<int64_t> sizes;
  Endpoint sizes_input;
  if (c.opset() >= 13) {
    if (c.HasInput(1)) {
      if (c.ConstIn(1)) sizes = c.NeedInts(1, "split");
      else sizes_input = c.In(1);
    }
    if (c.opset() >= 18 && c.HasAttr("num_outputs")) {
      int64_t declared = c.Int("num_outputs", count);
      if (declared != count) {
        c.Refuse(Reason::kInvalidModel, Str("num_outputs is ", declared, ", but the node has ", count, " outputs"));
      }
    }
  } else {
    sizes = c.Ints("split");
    if (c.opset() < 2) sizes_input = c.OptIn(1);
  }
  if (!sizes.empty() && static_cast<int64_t>(sizes.size()) != count) {
    c.Refuse(Reason::kInvalidModel, Str("split has ", sizes.size(), " sizes for ", count, " outputs"));
  }
  Node *node;
  if (sizes.empty() && !sizes_input) {
    int64_t d = c.Rank(x) >= 0 ? c.ShapeOf(x)[static_cast<size_t>(c.NeedAxis(axis, x))] : -1;
    if (d < 0 && c.opset() >= 18) {  // parts of the same size but the last, told at run time
      Formula f(c);
      Endpoint extent = f.Dim(x, axis), n = f.Int(count);
      Endpoint part = f.FloorDiv(f.Add(extent, f.Int(count - 1)), n);
      Endpoint left = f.Sub(extent, f.Mul(f.Count(n), part));
      sizes_input = f.Max(f.Min(left, part), f.Int(0));
    } else if (d < 0) {  // equal parts, told at run time
      node = c.Add("Split", {c.ConstInt(axis, "axis"), x}, {{"num_split", count}}, static_cast<int32_t>(count));
      for (int64_t i = 0; i < count; ++i) c.Out(static_cast<size_t>(i), {node, static_cast<int32_t>(i)});
      return;
    }
    if (!sizes_input && d > kMaxDim)
      c.Refuse(Reason::kLimit, Str("dimension ", d, " is too large, the limit is ", kMaxDim));
    int64_t part = (d + count - 1) / count;  // only the last part may be smaller
    if (!sizes_input && c.opset() < 18 && d % count != 0) {
      c.Refuse(Reason::kInvalidModel, Str("dimension ", axis, " of ", d, " does not divide into ", count, " parts"));
    }
    for (int64_t i = 0; !sizes_input && i < count; ++i) sizes.push_back(std::clamp<int64_t>(d - i * part, 0, part));
  }
  Endpoint parts = sizes_input ? sizes_input : c.ConstInts(sizes, "sizes");
  node = c.Add("SplitV", {x, parts, c.ConstInt(axis, "axis")}, {{"num_split", count}}, static_cast<int32_t>(count));
  for (int64_t i = 0; i < count; ++i) c.Out(static_cast<size_t>(i), {node, static_cast<int32_t>(i)});
}

void SliceOld(NodeContext &c) {
  Endpoint x = c.In(0);
  std::vector<int64_t> starts = c.Ints("starts"), ends = c.Ints("ends"), axes = c.Ints("axes");
  if (axes.empty()) {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (starts.size() != ends.size() || axes.size() != starts.size()) {
    c.Refuse(Reason::kInvalidModel,
             Str("starts, ends and axes have ", starts.size(), ", ", ends.size(), " and ", axes.size(), " values"));
  }
  c.Out(0, c.Slice(x, starts, ends, axes));
}

/// ONNX recommends the least and the greatest number for "to the end"; any that is beyond every tensor says the same,
/// and does not meet numbers that stand for something unknown.
Endpoint Bounded(NodeContext &c, size_t input, Endpoint values) {
  constexpr int64_t kBeyond = int64_t{1} << 48;
  if (!c.ConstIn(input)) return values;
  std::vector<int64_t> bounded = c.NeedInts(input, input == 1 ? "starts" : "ends");
  bool changed = false;
  for (int64_t &v : bounded) {
    const int64_t near = std::clamp(v, -kBeyond, kBeyond);
    changed |= near != v;
    v = near;
  }
  return changed ? c.ConstInts(bounded, input == 1 ? "starts" : "ends") : values;
}

void Slice(NodeContext &c) {
  Endpoint x = c.In(0), starts = c.In(1), ends = c.In(2), axes = c.OptIn(3), steps = c.OptIn(4);
  TensorPtr step_values = c.ConstIn(4);
  if (step_values) {
    for (int64_t s : c.NeedInts(4, "steps")) {
      if (s == 0) c.Refuse(Reason::kInvalidModel, "a step is 0");
    }
  }
  if (!axes) {
    Shape s = c.ShapeOf(starts);
    if (s.rank() != 1 || s[0] < 0)
      c.Refuse(Reason::kNeedsStatic, "the number of starts must be known when axes are absent");
    std::vector<int64_t> all;
    for (int64_t i = 0; i < s[0]; ++i) all.push_back(i);
    axes = c.ConstInts(all, "axes");
  }
  c.Out(0, c.Op("StridedSliceV2", {x, Bounded(c, 1, starts), Bounded(c, 2, ends), axes, steps}));
}

void Expand(NodeContext &c) {
  if (const TensorPtr shape = c.ConstIn(1)) {
    for (int64_t extent : c.NeedInts(1, "shape"))
      if (extent < 0) c.Refuse(Reason::kInvalidModel, Str("shape (input 1) holds ", extent));
  }
  c.Out(0, c.Op("Expand", {c.In(0), c.In(1)}));
}

void Tile(NodeContext &c) {
  Endpoint x = c.In(0);
  if (c.opset() < 6) {
    int64_t tiles = c.NeedInteger(1, "tiles"), axis = c.NeedInteger(2, "axis");
    std::vector<int64_t> repeats(static_cast<size_t>(c.NeedRank(x, "to tile one dimension")), 1);
    repeats.at(static_cast<size_t>(c.NeedAxis(axis, x))) = tiles;
    c.Out(0, c.Op("Tile", {x, c.ConstInts(repeats, "repeats")}));
    return;
  }
  c.Out(0, c.Op("Tile", {x, c.In(1)}));
}

void Shape_(NodeContext &c) {
  Endpoint x = c.In(0);
  Endpoint shape = c.Op("Shape", {x}, {{"dtype", int64_t{C_DT_INT64}}});
  if (c.opset() >= 15 && (c.HasAttr("start") || c.HasAttr("end"))) {
    int64_t start = c.Int("start", 0), end = c.Int("end", std::numeric_limits<int64_t>::max());
    shape = c.Slice(shape, {start}, {end}, {0});
  }
  c.Out(0, shape);
}

void Size(NodeContext &c) { c.Out(0, c.Op("Size", {c.In(0)}, {{"dtype", int64_t{C_DT_INT64}}})); }

void DepthToSpace(NodeContext &c) {
  Endpoint x = c.In(0);
  int64_t block = c.NeedInt("blocksize");
  std::string mode = c.opset() >= 11 ? c.String("mode", "DCR") : "DCR";
  if (mode != "DCR" && mode != "CRD")
    c.Refuse(Reason::kInvalidModel, "attribute 'mode' is '" + mode + "', expected DCR or CRD");
  if (block <= 0) c.Refuse(Reason::kInvalidModel, Str("blocksize is ", block));
  c.Out(0, c.Op("DepthToSpace", {x}, {{"block_size", block}, {"mode", mode}, {"data_format", "NCHW"}}));
}

void SpaceToDepth(NodeContext &c) {
  Endpoint x = c.In(0);
  int64_t block = c.NeedInt("blocksize");
  std::string mode = c.String("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    c.Refuse(Reason::kInvalidModel, "attribute 'mode' is '" + mode + "', expected DCR or CRD");
  if (block <= 0) c.Refuse(Reason::kInvalidModel, Str("blocksize is ", block));
  if (mode == "DCR") {
    c.Out(0, c.Op("SpaceToDepth", {x}, {{"block_size", block}, {"data_format", "NCHW"}}));
    return;
  }
  int64_t h = c.NeedDim(x, 2, "to split it into blocks"), w = c.NeedDim(x, 3, "to split it into blocks");
  int64_t channels = c.NeedDim(x, 1, "to order the blocks");
  if (block > h || block > w || h % block != 0 || w % block != 0 || channels > INT32_MAX) {
    c.Refuse(Reason::kInvalidModel, Str(h, " by ", w, " does not divide into blocks of ", block));
  }
  Endpoint split = c.Op("Reshape", {x, c.ConstInts({0, channels, h / block, block, w / block, block}, "blocks")});
  Endpoint moved = c.Transpose(split, {0, 1, 3, 5, 2, 4});
  c.Out(0, c.Op("Reshape", {moved, c.ConstInts({0, channels * block * block, h / block, w / block}, "shape")}));
}

// Negative amounts cut off; the operator only adds.
void PadBy(NodeContext &c, Endpoint x, std::vector<int64_t> pads, Endpoint value, const std::string &mode) {
  for (int64_t p : pads) {
    if (p < -kMaxDim || p > kMaxDim)
      c.Refuse(Reason::kLimit, Str("a pad of ", p, " is too large, the limit is ", kMaxDim));
  }
  const size_t rank = mode == "constant" ? 0 : pads.size() / 2;  // a constant lies beyond whatever is cut off
  const Shape shape = c.ShapeOf(x);
  std::vector<int64_t> begin, end, axes;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = shape.has_rank() && i < static_cast<size_t>(shape.rank()) ? shape[i] : -1;
    const int64_t cut = std::max<int64_t>(-pads[i], 0) + std::max<int64_t>(-pads[rank + i], 0);
    if (extent >= 0 && cut > extent)
      c.Refuse(Reason::kInvalidModel, Str("pads cut ", cut, " off dimension ", i, " of extent ", extent));
    int64_t &low = pads[i], &high = pads[rank + i];
    if (low >= 0 && high >= 0) continue;
    axes.push_back(static_cast<int64_t>(i));
    begin.push_back(low < 0 ? -low : 0);
    end.push_back(high < 0 ? high : std::numeric_limits<int64_t>::max());
    low = std::max<int64_t>(low, 0);
    high = std::max<int64_t>(high, 0);
  }
  if (!axes.empty()) x = c.Slice(x, begin, end, axes);
  c.Out(0, c.Op("PadV3", {x, c.ConstInts(pads, "paddings"), value}, {{"mode", mode}, {"paddings_contiguous", false}}));
}

std::string PadMode(NodeContext &c) {
  std::string mode = c.String("mode", "constant");
  if (mode == "wrap") mode = "circular";
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "circular") {
    c.Refuse(Reason::kInvalidModel, "attribute 'mode' is '" + mode + "', expected constant, reflect, edge or wrap");
  }
  return mode;
}

void PadOld(NodeContext &c) {
  Endpoint x = c.In(0);
  std::vector<int64_t> pads = c.Ints(c.opset() < 2 ? "paddings" : "pads");
  std::string mode = PadMode(c);
  int64_t rank = c.Rank(x);
  if (pads.size() % 2 != 0 || (rank >= 0 && static_cast<int64_t>(pads.size()) != 2 * rank)) {
    c.Refuse(Reason::kInvalidModel, Str("pads has ", pads.size(), " values for rank ", rank));
  }
  Endpoint value = c.NumberLike(c.Float("value", 0.0f), x, "value");
  PadBy(c, x, pads, value, mode);
}

// Pads of axes that are told at run time, or of a value whose rank is, among zeros for all the others.
Endpoint PlacedPads(NodeContext &c, Endpoint x, Endpoint pads, Endpoint axes) {
  Formula f(c);
  const Endpoint rank = f.Rank(x);
  axes = c.CastTo(axes, C_DT_INT64);
  axes = f.Where(f.Less(axes, f.Int(0)), f.Add(axes, rank), axes);
  Endpoint places = f.Concat({axes, f.Add(axes, rank)}, 0);
  Endpoint none = f.Fill(f.Vector({f.Mul(rank, f.Int(2))}), f.Int(0));
  return c.Op("ScatterElements", {none, places, pads}, {{"axis", int64_t{0}}});
}

void Pad(NodeContext &c) {
  Endpoint x = c.In(0), value = c.OptIn(2);
  std::string mode = PadMode(c);
  if (value && c.Rank(value) > 0) value = c.ReshapeTo(value, {});
  bool has_axes = c.opset() >= 18 && c.HasInput(3);
  if (!c.ConstIn(1)) {
    Endpoint pads = c.In(1);
    if (has_axes && (!c.ConstIn(3) || c.Rank(x) < 0)) {
      pads = PlacedPads(c, x, c.CastTo(pads, C_DT_INT64), c.In(3));
    } else if (has_axes) {
      // Dimensions without a pad take the zero behind the list.
      std::vector<int64_t> axes = c.NeedInts(3, "axes");
      int64_t n = static_cast<int64_t>(axes.size()), all = c.NeedRank(x, "to place the pads");
      std::vector<int64_t> from(static_cast<size_t>(2 * all), 2 * n);
      for (int64_t i = 0; i < n; ++i) {
        int64_t a = c.NeedAxis(axes[static_cast<size_t>(i)], x);
        if (from[static_cast<size_t>(a)] != 2 * n)
          c.Refuse(Reason::kInvalidModel, Str("axes (input 3) hold axis ", a, " twice"));
        from[static_cast<size_t>(a)] = i;
        from[static_cast<size_t>(all + a)] = n + i;
      }
      Endpoint zero = c.ConstInts({0}, "no_pad");
      Endpoint list = c.Op("ConcatV2", {c.CastTo(pads, C_DT_INT64), zero, c.ConstInt(0, "axis")}, {{"N", 2}});
      pads = c.Op("GatherV2", {list, c.ConstInts(from, "places"), c.ConstInt(0, "axis")});
    }
    c.Out(0, c.Op("PadV3", {x, pads, value}, {{"mode", mode}, {"paddings_contiguous", false}}));
    return;
  }
  if (has_axes && (!c.ConstIn(3) || c.Rank(x) < 0)) {
    Endpoint placed = PlacedPads(c, x, c.ConstInts(c.NeedInts(1, "pads"), "pads"), c.In(3));
    c.Out(0, c.Op("PadV3", {x, placed, value}, {{"mode", mode}, {"paddings_contiguous", false}}));
    return;
  }
  std::vector<int64_t> pads = c.NeedInts(1, "pads");
  int64_t rank = c.Rank(x);
  if (has_axes) {
    std::vector<int64_t> axes = c.NeedInts(3, "axes");
    rank = c.NeedRank(x, "to place the pads");
    if (pads.size() != 2 * axes.size()) {
      c.Refuse(Reason::kInvalidModel, Str("pads has ", pads.size(), " values for ", axes.size(), " axes"));
    }
    std::vector<int64_t> full(static_cast<size_t>(2 * rank), 0);
    std::vector<bool> seen(static_cast<size_t>(rank), false);
    for (size_t i = 0; i < axes.size(); ++i) {
      size_t a = static_cast<size_t>(c.NeedAxis(axes[i], x));
      if (seen[a]) c.Refuse(Reason::kInvalidModel, Str("axes (input 3) hold axis ", a, " twice"));
      seen[a] = true;
      full[a] = pads[i];
      full[static_cast<size_t>(rank) + a] = pads[axes.size() + i];
    }
    pads = full;
  } else if (pads.size() % 2 != 0 || (rank >= 0 && static_cast<int64_t>(pads.size()) != 2 * rank)) {
    c.Refuse(Reason::kInvalidModel, Str("pads has ", pads.size(), " values for rank ", rank));
  }
  PadBy(c, x, pads, value, mode);
}

// Cuts off or adds zeros on both sides alike; of an odd number the larger half behind.
void CenterCropPad(NodeContext &c) {
  Endpoint x = c.In(0), wanted = c.CastTo(c.In(1), C_DT_INT64);
  Formula f(c);
  int64_t rank = c.NeedRank(x, "to find its axes");
  std::vector<int64_t> axes = c.Ints("axes");
  if (axes.empty())
    for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  for (int64_t &a : axes) a = c.NeedAxis(a, x);
  Endpoint extents = f.Gather(c.ShapeValue(x), c.ConstInts(axes, "axes"), 0), zero = f.Int(0), two = f.Int(2);
  Endpoint begin = f.FloorDiv(f.Max(f.Sub(extents, wanted), zero), two);
  Endpoint cut = c.Op("StridedSliceV2", {x, begin, f.Add(begin, f.Min(extents, wanted)), c.ConstInts(axes, "axes"),
                                         c.ConstInts(std::vector<int64_t>(axes.size(), 1), "strides")});
  Endpoint missing = f.Max(f.Sub(wanted, extents), zero), before = f.FloorDiv(missing, two);
  Endpoint pads = f.Concat({before, f.Sub(missing, before)}, 0);
  c.Out(0, f.Pad(cut, PlacedPads(c, x, pads, c.ConstInts(axes, "axes"))));
}

constexpr Handler kShapeHandlers[] = {
    {"", "CenterCropPad", 18, CenterCropPad},
    {"", "Reshape", 1, Reshape},
    {"", "Transpose", 1, MovesElements<Transpose>},
    {"", "Flatten", 1, Flatten},
    {"", "Squeeze", 1, Squeeze},
    {"", "Unsqueeze", 1, Unsqueeze},
    {"", "Concat", 1, MovesElements<Concat>},
    {"", "Split", 1, MovesElements<Split>},
    {"", "Slice", 1, MovesElements<SliceOld>},
    {"", "Slice", 10, MovesElements<Slice>},
    {"", "Expand", 8, MovesElements<Expand>},
    {"", "Tile", 1, MovesElements<Tile>},
    {"", "Shape", 1, Shape_},
    {"", "Size", 1, Size},
    {"", "DepthToSpace", 1, DepthToSpace},
    {"", "SpaceToDepth", 1, SpaceToDepth},
    {"", "Pad", 1, MovesElements<PadOld>},
    {"", "Pad", 11, MovesElements<Pad>},
    {"com.microsoft", "Pad", 1, MovesElements<Pad>},
};

}  // namespace

HandlerTable ShapeHandlers() { return {std::begin(kShapeHandlers), std::end(kShapeHandlers)}; }

}  // namespace gec::onnx
