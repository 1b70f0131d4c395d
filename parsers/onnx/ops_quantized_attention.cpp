// ONNX Runtime's QAttention: queries, keys and values come of one quantised product; what follows is in floats.
#include <cmath>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/quantized.h"

namespace gec::onnx {
namespace {

// [batch, length, heads * size] as [batch, heads, length, size].
Endpoint HeadsApart(NodeContext &c, Endpoint x, int64_t heads) {
  return c.Transpose(c.Op("Reshape", {x, c.ConstInts({0, 0, heads, -1}, "heads")}), {0, 2, 1, 3});
}

// The addend of the scores [batch, heads, length, keys]; empty when every query may look everywhere.
Endpoint ScoreMask(NodeContext &c, Endpoint index, Endpoint queries, Endpoint keys, bool causal, float filter) {
  Formula f(c);
  Endpoint allowed;
  const Endpoint length = f.Dim(keys, 2), columns = f.Count(length);
  if (index) {
    const int64_t rank = c.NeedRank(index, "to tell a mask from lengths");
    if (rank == 1) allowed = f.Less(columns, c.Unsqueeze(c.CastTo(index, C_DT_INT64), {1, 2, 3}));
    else if (rank == 2) allowed = f.Less(f.Int(0), c.Unsqueeze(c.CastTo(index, C_DT_INT64), {1, 2}));
    else c.Refuse(Reason::kUnsupportedUse, Str("mask_index of rank ", rank, " is not supported, at most 2"));
  }
  if (causal) {
    const Endpoint rows = f.Dim(queries, 2), first = f.Sub(length, rows);
    const Endpoint past = f.LessEqual(columns, f.Add(c.Unsqueeze(f.Count(rows), {1}), first));
    allowed = allowed ? f.And(allowed, past) : past;
  }
  if (!allowed) return {};
  return f.Where(allowed, f.Real(0, C_DT_FLOAT), f.Real(filter, C_DT_FLOAT));
}

void QAttention(NodeContext &c) {
  Formula f(c);
  const Quantized x{c.In(0), c.In(3), c.OptIn(6)}, weights{c.In(1), c.In(4), c.OptIn(7)};
  const Endpoint bias = c.In(2), index = c.OptIn(5), past = c.OptIn(8);
  const int64_t heads = c.NeedInt("num_heads");
  if (heads < 1 || heads > kMaxDim) c.Refuse(Reason::kInvalidModel, Str("attribute 'num_heads' is ", heads));
  const bool causal = c.Flag("unidirectional", false);
  const float filter = c.Float("mask_filter_value", -10000.0f);
  if (c.Flag("do_rotary", false) || c.Flag("past_present_share_buffer", false))
    c.Refuse(Reason::kUnsupportedUse, "rotary positions and shared buffers are not supported");
  const int64_t width = c.NeedDim(weights.x, 1, "to tell queries, keys and values apart"), each = width / 3;
  if (width % 3 != 0 || each % heads != 0)
    c.Refuse(Reason::kInvalidModel, Str("the weights have ", width, " columns for ", heads, " heads"));
  const float scale = c.Float("scale", 0.0f);
  const double factor = scale != 0 ? static_cast<double>(scale) : 1 / std::sqrt(static_cast<double>(each / heads));

  const Endpoint all = QuantizedProduct(c, x, weights, bias, {}, C_DT_FLOAT);
  Endpoint part[3];
  for (int64_t i = 0; i < 3; ++i) part[i] = HeadsApart(c, c.Slice(all, {i * each}, {(i + 1) * each}, {2}), heads);
  Endpoint keys = part[1], values = part[2];
  if (past) {
    const auto before = [&](int64_t i) { return c.Squeeze(c.Slice(past, {i}, {i + 1}, {0}), {0}); };
    keys = f.Concat({before(0), keys}, 2);
    values = f.Concat({before(1), values}, 2);
  }
  if (c.WantsOutput(1)) c.Out(1, f.Concat({c.Unsqueeze(keys, {0}), c.Unsqueeze(values, {0})}, 0));
  Endpoint scores = f.Mul(c.Op("BatchMatMulV2", {part[0], keys}, {{"adj_x2", true}}), f.Real(factor, C_DT_FLOAT));
  if (const Endpoint mask = ScoreMask(c, index, part[0], keys, causal, filter)) scores = f.Add(scores, mask);
  const Endpoint chances = c.Op("SoftmaxV2", {scores}, {{"axes", AttrValue::ListInt{-1}}});
  const Endpoint seen = c.Transpose(c.Op("BatchMatMulV2", {chances, values}), {0, 2, 1, 3});
  c.Out(0, c.Op("Reshape", {seen, c.ConstInts({0, 0, each}, "features")}));
}

constexpr Handler kQuantizedAttentionHandlers[] = {{"com.microsoft", "QAttention", 1, QAttention}};

}  // namespace

HandlerTable QuantizedAttentionHandlers() {
  return {std::begin(kQuantizedAttentionHandlers), std::end(kQuantizedAttentionHandlers)};
}

}  // namespace gec::onnx
