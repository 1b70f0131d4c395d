// Picking and placing elements: gather, scatter, one-hot, selections.
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

void Gather(NodeContext &c) {
  Endpoint x = c.In(0), indices = c.In(1);
  int64_t axis = c.Axis(c.Int("axis", 0), x);
  c.Out(0, c.Op("GatherV2", {x, indices, c.ConstInt(axis, "axis")}, {{"negative_index_support", true}}));
}

void GatherElements(NodeContext &c) {
  Endpoint x = c.In(0), indices = c.In(1);
  c.Out(0, c.Op("GatherElements", {x, indices}, {{"dim", c.Axis(c.Int("axis", 0), x)}}));
}

// Indices that leave out the batch dimensions get them in front.
Endpoint WithBatch(NodeContext &c, Endpoint indices, int64_t batch) {
  Formula f(c);
  int64_t rank = c.NeedRank(indices, "to number the batch");
  if (batch < 0 || batch >= rank) c.Refuse(Reason::kInvalidModel, Str("batch_dims is ", batch, " for rank ", rank));
  indices = c.CastTo(indices, C_DT_INT64);
  Endpoint shape = f.Vector({f.Dims(indices, 0, rank - 1), c.ConstInts({1}, "one")});
  std::vector<Endpoint> parts;
  for (int64_t i = 0; i < batch; ++i) parts.push_back(f.Expand(f.Along(f.Count(f.Dim(indices, i)), i, rank), shape));
  parts.push_back(indices);
  return f.Concat(parts, rank - 1);
}

void GatherND(NodeContext &c) {
  Endpoint x = c.In(0), indices = c.In(1);
  if (int64_t batch = c.Int("batch_dims", 0)) indices = WithBatch(c, indices, batch);
  c.Out(0, c.Op("GatherNd", {x, indices}, {{"negative_index_support", true}}));
}

void ScatterElements(NodeContext &c) {
  Endpoint x = c.In(0), indices = c.In(1), updates = c.In(2);
  std::string reduction = c.opset() >= 16 ? c.String("reduction", "none") : "none";
  c.Out(0, c.Op("ScatterElements", {x, indices, updates},
                {{"axis", c.Axis(c.Int("axis", 0), x)}, {"reduction", reduction}}));
}

// Indices of slices as positions of single elements of the flat tensor.
Endpoint ScatterFlat(NodeContext &c, Endpoint x, Endpoint indices, Endpoint updates, const std::string &reduction) {
  Formula f(c);
  int64_t depth = c.NeedDim(indices, -1, "to address elements"), rank = c.NeedRank(x, "to address elements");
  if (depth > rank) c.Refuse(Reason::kInvalidModel, Str("indices address ", depth, " dimensions of ", rank));
  Endpoint shape = c.ShapeValue(x), at = f.Int(0);
  indices = c.CastTo(indices, C_DT_INT64);
  for (int64_t k = 0; k < depth; ++k) {
    Endpoint extent = f.Dim(x, k), index = f.Gather(indices, f.Int(k), -1);
    index = f.Where(f.Less(index, f.Int(0)), f.Add(index, extent), index);
    at = f.Add(f.Mul(at, extent), index);
  }
  Endpoint slice = f.Product(f.Dims(x, depth, rank));
  Endpoint positions = f.Add(f.Mul(c.ReshapeTo(at, {-1, 1}), slice), f.Count(slice));
  Endpoint y = c.Op("ScatterElements", {f.Flat(x), f.Flat(positions), f.Flat(updates)},
                    {{"axis", int64_t{0}}, {"reduction", reduction}});
  return f.Reshape(y, shape);
}

void ScatterND(NodeContext &c) {
  Endpoint x = c.In(0), indices = c.In(1), updates = c.In(2);
  std::string reduction = c.opset() >= 16 ? c.String("reduction", "none") : "none";
  if (reduction == "none") {
    c.Out(0, c.Op("TensorScatterUpdate", {x, indices, updates}));
  } else if (reduction == "add") {  // equal indices add up
    Endpoint sum = c.Op("ScatterNd", {indices, updates, c.ShapeValue(x)});
    c.Out(0, c.Op("Add", {x, sum}));
  } else if (reduction == "mul" || reduction == "max" || reduction == "min") {
    c.Out(0, ScatterFlat(c, x, indices, updates, reduction));
  } else {
    c.Refuse(Reason::kInvalidModel, "reduction '" + reduction + "' is unknown, expected none, add, mul, max or min");
  }
}

// Rows of a cache at places that differ from one entry of the batch to the next.
void TensorScatter(NodeContext &c) {
  Endpoint cache = c.In(0), update = c.In(1), start = c.OptIn(2);
  Formula f(c);
  int64_t rank = c.NeedRank(cache, "to find the sequence"), axis = c.NeedAxis(c.Int("axis", -2), cache);
  std::string mode = c.String("mode", "linear");
  if (mode != "linear" && mode != "circular")
    c.Refuse(Reason::kInvalidModel, "attribute 'mode' is '" + mode + "', expected linear or circular");
  if (axis == 0) c.Refuse(Reason::kInvalidModel, "axis is 0, the batch");
  Endpoint place = f.Along(f.Count(f.Dim(update, axis)), axis, rank);
  if (start) place = f.Add(place, f.Along(f.FromFront(c.CastTo(start, C_DT_INT64), "a write index"), 0, rank));
  if (mode == "circular") place = f.FloorMod(place, f.Dim(cache, axis));
  place = f.Expand(place, c.ShapeValue(update));
  c.Out(0, c.Op("ScatterElements", {cache, place, update}, {{"axis", axis}, {"reduction", "none"}}));
}

void Unique(NodeContext &c) {
  Endpoint x = c.In(0);
  bool sorted = c.Flag("sorted", true);
  Endpoint axes = c.HasAttr("axis") ? c.ConstInts({c.Axis(c.Int("axis", 0), x)}, "axis") : c.ConstInts({}, "no_axis");
  Node *node = c.Add("UniqueWithCountsExt2", {x, axes}, {{"out_idx", DataTypeValue{C_DT_INT64}}, {"sorted", sorted}});
  const int32_t ports[] = {0, 1, 3, 2};  // values, first positions, inverse, counts
  for (size_t i = 0; i < 4; ++i)
    if (c.WantsOutput(i)) c.Out(i, {node, ports[i]});
}

void OneHot(NodeContext &c) {
  Endpoint x = c.In(0), values = c.In(2), depth;
  if (c.ConstIn(1)) depth = c.ConstInt(c.NeedInteger(1, "depth"), "depth");
  else depth = c.Op("Reshape", {c.CastTo(c.In(1), C_DT_INT64), c.ConstInts({}, "scalar")});
  int64_t axis = c.Int("axis", -1), rank = c.Rank(x);
  if (rank >= 0) {
    if (axis < -rank - 1 || axis > rank)
      c.Refuse(Reason::kInvalidModel, Str("axis ", axis, " is out of range for rank ", rank));
    if (axis < 0) axis += rank + 1;
    if (axis == rank) axis = -1;
  }
  x = c.CastTo(x, C_DT_INT64);
  // Negative indices count from the end.
  Endpoint below = c.Op("Less", {x, c.ConstInt(0, "zero")});
  x = c.Op("SelectV2", {below, c.Op("Add", {x, depth}), x});
  auto pick = [&](int64_t i) { return c.Op("GatherV2", {values, c.ConstInt(i, "index"), c.ConstInt(0, "axis")}); };
  Endpoint off = pick(0), on = pick(1);
  c.Out(0, c.Op("OneHot", {x, depth, on, off}, {{"axis", axis}}));
}

void NonZero(NodeContext &c) {
  c.Out(0, c.Op("NonZero", {c.In(0)}, {{"transpose", true}, {"dtype", DataTypeValue{C_DT_INT64}}}));
}

void Compress(NodeContext &c) {
  Endpoint x = c.In(0), condition = c.In(1);
  int64_t axis = 0;
  if (c.HasAttr("axis")) axis = c.Axis(c.Int("axis", 0), x);
  else x = c.ReshapeTo(x, {-1});
  Endpoint found = c.Op("NonZero", {condition}, {{"transpose", true}, {"dtype", DataTypeValue{C_DT_INT64}}});
  Endpoint indices = c.ReshapeTo(found, {-1});
  c.Out(0, c.Op("GatherV2", {x, indices, c.ConstInt(axis, "axis")}));
}

void ReverseSequence(NodeContext &c) {
  int64_t batch = c.Int("batch_axis", 1), time = c.Int("time_axis", 0);
  c.Out(0, c.Op("ReverseSequence", {c.In(0), c.In(1)}, {{"seq_dim", time}, {"batch_dim", batch}}));
}

constexpr Handler kIndexHandlers[] = {
    {"", "Gather", 1, MovesElements<Gather>},
    {"", "GatherElements", 11, GatherElements},
    {"", "GatherND", 11, GatherND},
    {"com.microsoft", "GatherND", 1, GatherND},
    {"", "Scatter", 9, ScatterElements},
    {"", "ScatterElements", 11, ScatterElements},
    {"", "ScatterND", 11, ScatterND},
    {"", "TensorScatter", 24, TensorScatter},
    {"", "Unique", 11, Unique},
    {"", "OneHot", 9, OneHot},
    {"", "NonZero", 9, NonZero},
    {"", "Compress", 9, Compress},
    {"", "ReverseSequence", 10, ReverseSequence},
};

}  // namespace

HandlerTable IndexHandlers() { return {std::begin(kIndexHandlers), std::end(kIndexHandlers)}; }

}  // namespace gec::onnx
