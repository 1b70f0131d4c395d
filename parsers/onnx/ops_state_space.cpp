// Layers that carry a state from call to call, and attention whose scores a subgraph may change.
#include <cmath>
#include <limits>

#include "core/ir/types.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/rounds.h"

namespace gec::onnx {
namespace {

void LinearAttention(NodeContext &c) {
  const int64_t q_heads = c.NeedInt("q_num_heads"), kv_heads = c.NeedInt("kv_num_heads");
  c.Ignore({"chunk_size"});
  if (kv_heads < 1 || q_heads < 1 || q_heads > kMaxDim || q_heads % kv_heads != 0)
    c.Refuse(Reason::kInvalidModel, Str(q_heads, " query heads do not divide into ", kv_heads, " key heads"));
  const std::string rule = c.String("update_rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta", delta = rule == "delta" || rule == "gated_delta";
  if (!gated && !delta && rule != "linear")
    c.Refuse(Reason::kInvalidModel,
             "attribute 'update_rule' is '" + rule + "', expected linear, gated, delta or gated_delta");
  if (c.HasInput(4) != gated)
    c.Refuse(Reason::kInvalidModel, Str("update_rule ", rule, gated ? " needs" : " takes no", " decay"));
  if (c.HasInput(5) != delta)
    c.Refuse(Reason::kInvalidModel, Str("update_rule ", rule, delta ? " needs" : " takes no", " beta"));
  Node *node = c.Add("LinearAttention", {c.In(0), c.In(1), c.In(2), c.OptIn(3), c.OptIn(4), c.OptIn(5)},
                     {{"q_num_heads", q_heads}, {"kv_num_heads", kv_heads}, {"scale", c.Float("scale", 0)}});
  c.Out(0, Endpoint{node, 0});
  c.Out(1, Endpoint{node, 1});
}

void CausalConvWithState(NodeContext &c) {
  Formula f(c);
  const Endpoint x = c.In(0), past = c.OptIn(3);
  Endpoint weights = c.In(1);
  const std::string activation = c.String("activation", "none");
  const bool silu = activation == "silu" || activation == "swish";
  if (!silu && activation != "none")
    c.Refuse(Reason::kInvalidModel, "attribute 'activation' is '" + activation + "', expected silu, swish or none");
  for (const auto &[e, what] : {std::pair{x, "the input"}, {weights, "the weights"}})
    if (c.Rank(e) >= 0 && c.Rank(e) != 3)
      c.Refuse(Reason::kInvalidModel, Str(what, " of shape ", c.ShapeOf(e).str(), ", expected rank 3"));
  const int64_t channels = c.NeedDim(weights, 0, "as the number of channels"),
                kernel = c.NeedDim(weights, 2, "as the length of the state"), depth = c.ShapeOf(weights)[1];
  if (kernel < 1 || (depth >= 0 && depth != 1))
    c.Refuse(Reason::kInvalidModel, Str("weights of shape ", c.ShapeOf(weights).str(), ", expected [channels, 1, k]"));
  const Endpoint before =
      past ? past : f.Zeros(f.Vector({f.Dim(x, 0), f.Int(channels), f.Int(kernel - 1)}), c.NeedType(x, "to pad it"));
  const Endpoint whole = f.Concat({before, x}, 2);
  weights = ConstantOf(weights) ? c.ReshapeTo(weights, {channels, 1, 1, kernel}) : c.Unsqueeze(weights, {2});
  const AttrValue::ListInt ones = {1, 1, 1, 1}, none = {0, 0, 0, 0};
  Endpoint y =
      c.Op("Conv2D", {c.Unsqueeze(whole, {2}), weights, c.OptIn(2)},
           {{"strides", ones}, {"pads", none}, {"dilations", ones}, {"groups", channels}, {"data_format", "NCHW"}});
  y = c.Squeeze(y, {2});
  c.Out(0, silu ? f.Mul(y, c.Op("Sigmoid", {y})) : y);
  if (!c.WantsOutput(1)) return;
  const Endpoint end = f.Dim(whole, 2);
  c.Out(1, f.Slice(whole, f.Sub(end, f.Int(kernel - 1)), end, 2));
}

/// The scores or weights after the subgraph of an attribute, which has to keep their type.
Endpoint Modified(NodeContext &c, const char *name, Endpoint e) {
  if (!c.HasAttr(name)) return e;
  Onnx__GraphProto *graph = c.GraphAttr(name);
  if (graph->n_input != 1 || graph->n_output != 1)
    c.Refuse(Reason::kInvalidModel, Str("'", name, "' has ", graph->n_input, " inputs and ", graph->n_output,
                                        " outputs, expected one of each"));
  const Value out = WriteOut(c, graph, {e}, Str(c.name(), "/", name, "/"))[0];
  if (!out.is_tensor() || (c.Type(out.parts[0]) != c.Type(e) && c.Type(out.parts[0]) != C_DT_UNDEFINED))
    c.Refuse(Reason::kInvalidModel,
             Str("'", name, "' makes ", out.is_tensor() ? DataTypeName(c.Type(out.parts[0])) : out.what(), " of ",
                 DataTypeName(c.Type(e))));
  return out.parts[0];
}

void FlexAttention(NodeContext &c) {
  Formula f(c);
  const Endpoint q = c.In(0);
  Endpoint k = c.In(1), v = c.In(2);
  const int32_t type = c.NeedType(q, "to scale the scores"),
                precise = c.TypeAttr("softmax_precision", type == C_DT_DOUBLE ? type : int32_t{C_DT_FLOAT});
  for (const auto &[e, what] : {std::pair{q, "Q"}, {k, "K"}, {v, "V"}})
    if (c.NeedRank(e, "to tell heads from lengths") != 4)
      c.Refuse(Reason::kInvalidModel, Str(what, " has shape ", c.ShapeOf(e).str(), ", expected rank 4"));
  const int64_t heads = c.NeedDim(q, 1, "as the number of query heads"),
                shared = c.NeedDim(k, 1, "as the number of key heads");
  if (shared < 1 || heads % shared != 0)
    c.Refuse(Reason::kInvalidModel, Str(heads, " query heads do not divide into ", shared, " key heads"));
  const auto repeat = [&](Endpoint x) {
    if (heads == shared) return x;
    const Endpoint wide = c.Op("Expand", {c.Unsqueeze(x, {2}), c.ConstInts({1, 1, heads / shared, 1, 1}, "times")});
    return f.Reshape(wide, f.Vector({f.Int(0), f.Int(heads), f.Dim(x, 2), f.Dim(x, 3)}));
  };
  const double scale = c.HasAttr("scale")
                           ? c.Float("scale", 1)
                           : 1 / std::sqrt(static_cast<double>(c.NeedDim(q, 3, "for the default scale")));
  Endpoint scores = c.Op("BatchMatMulV2", {f.Mul(q, c.NumberLike(scale, q, "scale")), repeat(k)}, {{"adj_x2", true}});
  scores = Modified(c, "score_mod", c.CastTo(scores, precise));
  Endpoint weights = c.Op("SoftmaxV2", {scores}, {{"axes", AttrValue::ListInt{-1}}});
  weights = Modified(c, "prob_mod", weights);
  c.Out(0, c.CastTo(c.Op("BatchMatMulV2", {weights, c.CastTo(repeat(v), precise)}), type));
}

constexpr Handler kStateSpaceHandlers[] = {
    {"", "LinearAttention", 27, LinearAttention},
    {"", "CausalConvWithState", 27, CausalConvWithState},
    {"ai.onnx.preview", "FlexAttention", 1, FlexAttention},
};

}  // namespace

HandlerTable StateSpaceHandlers() { return {std::begin(kStateSpaceHandlers), std::end(kStateSpaceHandlers)}; }

}  // namespace gec::onnx
