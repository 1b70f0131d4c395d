// Picking and placing elements: gather, scatter, one-hot, selections.
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

void GatherND(NodeContext &c) {
  if (c.Int("batch_dims", 0) != 0) {
    c.Refuse(Reason::kUnsupportedUse, Str("batch_dims is ", c.Int("batch_dims", 0), ", only 0 is supported"));
  }
  c.Out(0, c.Op("GatherNd", {c.In(0), c.In(1)}, {{"negative_index_support", true}}));
}

void ScatterElements(NodeContext &c) {
  Endpoint x = c.In(0), indices = c.In(1), updates = c.In(2);
  std::string reduction = c.opset() >= 16 ? c.String("reduction", "none") : "none";
  c.Out(0, c.Op("ScatterElements", {x, indices, updates},
                {{"axis", c.Axis(c.Int("axis", 0), x)}, {"reduction", reduction}}));
}

void ScatterND(NodeContext &c) {
  Endpoint x = c.In(0), indices = c.In(1), updates = c.In(2);
  std::string reduction = c.opset() >= 16 ? c.String("reduction", "none") : "none";
  if (reduction != "none" && reduction != "add") {
    c.Refuse(Reason::kUnsupportedUse, "reduction '" + reduction + "' is not supported, only none and add");
  }
  if (reduction == "add") {  // equal indices add up
    Endpoint sum = c.Op("ScatterNd", {indices, updates, c.ShapeValue(x)});
    c.Out(0, c.Op("Add", {x, sum}));
    return;
  }
  c.Out(0, c.Op("TensorScatterUpdate", {x, indices, updates}));
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

constexpr Handler kHandlers[] = {
    {"", "Gather", 1, Gather},
    {"", "GatherElements", 11, GatherElements},
    {"", "GatherND", 11, GatherND},
    {"", "Scatter", 9, ScatterElements},
    {"", "ScatterElements", 11, ScatterElements},
    {"", "ScatterND", 11, ScatterND},
    {"", "OneHot", 9, OneHot},
    {"", "NonZero", 9, NonZero},
    {"", "Compress", 9, Compress},
    {"", "ReverseSequence", 10, ReverseSequence},
};

}  // namespace

HandlerTable IndexHandlers() { return {std::begin(kHandlers), std::end(kHandlers)}; }

}  // namespace gec::onnx
