// Attention and what goes with it, written out in matrix products and softmax.
#include <cmath>
#include <limits>

#include "parsers/onnx/attention_parts.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

// [batch, length, heads * size] as [batch, heads, length, size].
Endpoint SplitHeads(NodeContext &c, Endpoint x, int64_t heads) {
  return c.Transpose(c.Op("Reshape", {x, c.ConstInts({0, 0, heads, -1}, "heads")}), {0, 2, 1, 3});
}

// Dimension `axis` as a scalar: a constant when it is known.
Endpoint Extent(NodeContext &c, Endpoint x, int64_t axis) {
  int64_t d = c.ShapeOf(x)[static_cast<size_t>(axis)];
  if (d >= 0) return c.ConstInt(d, "extent");
  return c.Op("GatherV2", {c.ShapeValue(x), c.ConstInt(axis, "axis"), c.ConstInt(0, "zero")});
}

Endpoint Counting(NodeContext &c, Endpoint extent) {
  return c.Op("Range", {c.ConstInt(0, "from"), extent, c.ConstInt(1, "step")});
}

struct AttentionInputs {
  Endpoint q, k, v, mask, past_key, valid;
};

// True where a query may look; empty when it may look everywhere.
Endpoint Allowed(NodeContext &c, const AttentionInputs &in, bool causal, int64_t left, int64_t right) {
  Endpoint columns, positions, allowed;
  if (!causal && left < 0 && right < 0 && !in.valid) return {};
  columns = Counting(c, Extent(c, in.k, 2));
  Endpoint valid = in.valid ? c.Unsqueeze(c.CastTo(in.valid, C_DT_INT64), {1, 2, 3}) : Endpoint{};
  auto both = [&](Endpoint more) { allowed = allowed ? c.Op("LogicalAnd", {allowed, more}) : more; };
  if (causal || left >= 0 || right >= 0) {
    Endpoint length = Extent(c, in.q, 2);
    positions = c.Unsqueeze(Counting(c, length), {1});
    if (in.past_key) positions = c.Op("Add", {positions, Extent(c, in.past_key, 2)});
    else if (valid) positions = c.Op("Add", {positions, c.Op("Sub", {valid, length})});
    if (causal) both(c.Op("LessEqual", {columns, positions}));
    if (right >= 0) both(c.Op("LessEqual", {columns, c.Op("Add", {positions, c.ConstInt(right, "right")})}));
    if (left >= 0) both(c.Op("GreaterEqual", {columns, c.Op("Sub", {positions, c.ConstInt(left, "left")})}));
  }
  if (valid) both(c.Op("Less", {columns, valid}));
  return allowed;
}

// A mask that ends early forbids what it does not tell.
Endpoint WholeMask(NodeContext &c, Endpoint mask, Endpoint keys) {
  Shape ms = c.ShapeOf(mask), ks = c.ShapeOf(keys);
  if (!ms.has_rank() || ms.rank() < 1) return mask;
  size_t last = static_cast<size_t>(ms.rank() - 1);
  if (ms[last] < 0 || ks[2] < 0 || ms[last] == 1 || ms[last] >= ks[2]) return mask;
  std::vector<int64_t> pads(2 * static_cast<size_t>(ms.rank()), 0);
  pads.back() = ks[2] - ms[last];
  bool logical = c.Type(mask) == C_DT_BOOL;
  Endpoint filler = c.NumberLike(logical ? 0 : -std::numeric_limits<double>::infinity(), mask, "forbidden");
  return c.Op("PadV3", {mask, c.ConstInts(pads, "pads"), filler},
              {{"mode", "constant"}, {"paddings_contiguous", false}});
}

// Of a tensor of rank 4; -1 where a run tells.
int64_t HeadsOf(NodeContext &c, Endpoint x, const char *what) {
  const Shape shape = c.ShapeOf(x);
  if (!shape.has_rank()) return -1;
  if (shape.rank() != 4) c.Refuse(Reason::kInvalidModel, Str(what, " has shape ", shape.str(), ", expected rank 4"));
  return shape[1];
}

// Every key head serves `times` query heads in a row.
Endpoint RepeatHeads(NodeContext &c, Endpoint x, int64_t times, int64_t heads) {
  if (times == 1) return x;
  int64_t size = c.NeedDim(x, 3, "to repeat key heads");
  Endpoint wide = c.Op("Expand", {c.Unsqueeze(x, {2}), c.ConstInts({1, 1, times, 1, 1}, "times")});
  return c.Op("Reshape", {wide, c.ConstInts({0, heads, -1, size}, "heads")});
}

// The same where a run tells how many heads there are; a reshape refuses what does not divide.
Endpoint RepeatOpenHeads(NodeContext &c, Endpoint x, Endpoint heads) {
  Formula g{c};
  const Endpoint one = c.ConstInt(1, "one"), times = g.FloorDiv(heads, Extent(c, x, 1));
  const Endpoint wide = g.Expand(c.Unsqueeze(x, {2}), g.Vector({one, one, times, one, one}));
  const Endpoint rest = c.ConstInt(-1, "rest"), size = Extent(c, x, 3);
  return g.Reshape(wide, g.Vector({c.ConstInt(0, "batch"), heads, rest, size}));
}

struct AttentionAttributes {
  bool causal, flat;
  int64_t left, right, mode, q_heads, kv_heads;
  float softcap;
  int32_t type, precise;
};

AttentionAttributes ReadAttributes(NodeContext &c) {
  AttentionAttributes a;
  a.causal = c.Flag("is_causal", false);
  a.left = c.Int("left_window_size", -1), a.right = c.Int("right_window_size", -1);
  a.mode = c.Int("qk_matmul_output_mode", 0);
  a.q_heads = c.Int("q_num_heads", 0), a.kv_heads = c.Int("kv_num_heads", 0);
  a.softcap = c.Float("softcap", 0);
  a.type = c.NeedType(c.In(0), "to scale the scores"), a.precise = c.TypeAttr("softmax_precision", a.type);
  for (const auto &[name, heads] : {std::pair{"q_num_heads", a.q_heads}, {"kv_num_heads", a.kv_heads}})
    if (heads < 0 || heads > kMaxDim) c.Refuse(Reason::kInvalidModel, Str("attribute '", name, "' is ", heads));
  a.flat = c.NeedRank(c.In(0), "to tell heads from features") == 3;
  if (a.flat && (a.q_heads <= 0 || a.kv_heads <= 0))
    c.Refuse(Reason::kInvalidModel, "q_num_heads and kv_num_heads are needed for rank 3");
  if (!a.flat) {
    a.q_heads = HeadsOf(c, c.In(0), "query");
    a.kv_heads = HeadsOf(c, c.In(1), "key");
  }
  const bool open = a.q_heads < 0 || a.kv_heads < 0;
  if (!open && (a.kv_heads <= 0 || a.q_heads % a.kv_heads != 0))
    c.Refuse(Reason::kInvalidModel, Str(a.q_heads, " query heads do not divide into ", a.kv_heads, " key heads"));
  return a;
}

Endpoint WithPast(NodeContext &c, Endpoint past, Endpoint x) {
  return past ? c.Op("ConcatV2", {past, x, c.ConstInt(2, "axis")}, {{"N", 2}}) : x;
}

// A mask of truth values and another one, of numbers or truth values, as one.
Endpoint BothMasks(NodeContext &c, Endpoint allowed, Endpoint mask, int32_t type) {
  if (!allowed || !mask) return allowed ? allowed : mask;
  if (c.Type(mask) == C_DT_BOOL) return c.Op("LogicalAnd", {allowed, mask});
  const Endpoint never = c.ConstNumber(-std::numeric_limits<double>::infinity(), type, "forbidden");
  return c.Op("SelectV2", {allowed, c.CastTo(mask, type), never});
}

// One operator for all of it.
void AttentionAtOnce(NodeContext &c, AttentionInputs in, Endpoint past_value, const AttentionAttributes &a) {
  AttentionParts p;
  const auto operand = [&](Endpoint x, int64_t heads, bool apart) {
    return !a.flat ? x : apart ? HeadsApart(c, x, heads) : SplitHeads(c, x, heads);
  };
  // Values that other nodes read have the heads in front.
  const bool keys_told = in.past_key || c.WantsOutput(1), values_told = in.past_key || c.WantsOutput(2);
  if (!a.flat) p.q_layout = p.y_layout = "BNSH";
  if (!a.flat || keys_told) p.k_layout = "BNSH";
  if (!a.flat || values_told) p.v_layout = "BNSH";
  p.q = operand(in.q, a.q_heads, true);
  const Endpoint new_keys = operand(in.k, a.kv_heads, !keys_told);
  p.k = WithPast(c, in.past_key, new_keys);
  p.v = WithPast(c, past_value, operand(in.v, a.kv_heads, !values_told));
  if (c.WantsOutput(1)) c.Out(1, p.k);
  if (c.WantsOutput(2)) c.Out(2, p.v);
  p.scale = ScaleOf(c, p.q, false), p.softcap = a.softcap;
  p.mask = in.mask, p.zero_unseen = true;
  const Shape new_shape = c.ShapeOf(new_keys);
  const int64_t queries = c.ShapeOf(p.q)[a.flat ? 1 : 2];
  const int64_t keys = new_shape.rank() == 4 ? new_shape[keys_told || !a.flat ? 2 : 1] : -1;
  const bool moved = a.causal || a.left >= 0 || a.right >= 0;
  if (moved && in.past_key && (queries < 0 || queries != keys)) {  // whether queries end with the keys is not known
    AttentionInputs with_heads = in;
    with_heads.q = a.flat ? SplitHeads(c, in.q, a.q_heads) : in.q;
    with_heads.k = p.k;
    p.mask = BothMasks(c, Allowed(c, with_heads, a.causal, a.left, a.right), in.mask, a.type);
  } else {
    p.left = a.left, p.right = a.causal ? 0 : a.right;
    p.align = in.past_key || in.valid ? "end" : "start";
  }
  if (in.valid) p.lengths = in.valid;
  const Endpoint y = Attend(c, p);
  c.Out(0, a.flat ? HeadsJoined(c, y) : y);
}

// In products and a softmax of their own: for those who want the scores, or another precision between them.
void AttentionWrittenOut(NodeContext &c, AttentionInputs in, Endpoint past_value, const AttentionAttributes &a) {
  if (a.flat) {
    in.q = SplitHeads(c, in.q, a.q_heads);
    in.k = SplitHeads(c, in.k, a.kv_heads);
    in.v = SplitHeads(c, in.v, a.kv_heads);
  }
  in.k = WithPast(c, in.past_key, in.k);
  in.v = WithPast(c, past_value, in.v);
  c.Out(1, in.k);
  c.Out(2, in.v);
  const bool open = a.q_heads < 0 || a.kv_heads < 0;
  const auto repeat = [&](Endpoint x) {
    return open ? RepeatOpenHeads(c, x, Extent(c, in.q, 1)) : RepeatHeads(c, x, a.q_heads / a.kv_heads, a.q_heads);
  };
  Endpoint keys = repeat(in.k), values = repeat(in.v);
  Endpoint scores = c.Op("BatchMatMulV2", {in.q, keys}, {{"adj_x2", true}});
  scores = c.Op("Mul", {scores, c.NumberLike(ScaleOf(c, in.q, false), in.q, "scale")});
  if (a.mode == 0) c.Out(3, scores);
  if (a.softcap != 0) {
    Endpoint cap = c.ConstNumber(a.softcap, a.type, "softcap");
    scores = c.Op("Mul", {c.Op("Tanh", {c.Op("RealDiv", {scores, cap})}), cap});
  }
  if (a.mode == 1) c.Out(3, scores);
  Endpoint allowed = Allowed(c, in, a.causal, a.left, a.right);
  if (in.mask) {
    Endpoint mask = WholeMask(c, in.mask, in.k);
    if (c.Type(mask) == C_DT_BOOL) allowed = allowed ? c.Op("LogicalAnd", {allowed, mask}) : mask;
    else scores = c.Op("Add", {scores, c.CastTo(mask, a.type)});
  }
  if (allowed) {
    Endpoint never = c.ConstNumber(-std::numeric_limits<double>::infinity(), a.type, "forbidden");
    scores = c.Op("SelectV2", {allowed, scores, never});
  }
  if (a.mode == 2) c.Out(3, scores);
  Endpoint weights = c.Op("SoftmaxV2", {c.CastTo(scores, a.precise)}, {{"axes", AttrValue::ListInt{-1}}});
  weights = c.CastTo(weights, a.type);
  if (allowed || in.mask) {  // a query that may look nowhere sees nothing
    weights = c.Op("SelectV2", {c.Op("IsNan", {weights}), c.ConstNumber(0, a.type, "nothing"), weights});
  }
  if (a.mode == 3) c.Out(3, weights);
  Endpoint y = c.Op("BatchMatMulV2", {weights, values});
  if (a.flat) y = HeadsJoined(c, c.Transpose(y, {0, 2, 1, 3}));
  c.Out(0, y);
}

void Attention(NodeContext &c) {
  const AttentionInputs in{c.In(0), c.In(1), c.In(2), c.OptIn(3), c.OptIn(4), c.OptIn(6)};
  const Endpoint past_value = c.OptIn(5);
  if (!in.past_key != !past_value) c.Refuse(Reason::kInvalidModel, "past_key and past_value come together");
  const AttentionAttributes a = ReadAttributes(c);
  const bool narrow = a.precise == C_DT_FLOAT || a.precise == C_DT_FLOAT16 || a.precise == C_DT_BF16;
  if (c.WantsOutput(3) || (a.precise != a.type && !narrow)) AttentionWrittenOut(c, in, past_value, a);
  else AttentionAtOnce(c, in, past_value, a);
}

void RotaryEmbedding(NodeContext &c) {
  Endpoint x = c.In(0), cosine = c.In(1), sine = c.In(2), ids = c.OptIn(3);
  int64_t heads = c.Int("num_heads", 0), part = c.Int("rotary_embedding_dim", 0);
  bool interleaved = c.Flag("interleaved", false);
  const int64_t rank = c.NeedRank(x, "to tell heads from features");
  if (rank != 3 && rank != 4) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", 3 or 4 is needed"));
  const bool flat = rank == 3;
  if (heads < 0 || heads > kMaxDim) c.Refuse(Reason::kInvalidModel, Str("attribute 'num_heads' is ", heads));
  // From here on [batch, length, heads, size].
  if (flat) {
    if (heads <= 0) c.Refuse(Reason::kInvalidModel, "num_heads is needed for rank 3");
    x = c.Op("Reshape", {x, c.ConstInts({0, 0, heads, -1}, "heads")});
  } else {
    x = c.Transpose(x, {0, 2, 1, 3});
  }
  const char *why = "to rotate the halves of each head";
  const bool open = c.ShapeOf(x)[3] < 0;  // a run tells the size; the cosines are of half of what turns
  const int64_t size = !open ? c.NeedDim(x, 3, why) : part == 0 ? 2 * c.NeedDim(cosine, -1, why) : -1;
  if (part == 0) part = size;
  if (part <= 0 || part % 2 != 0 || (!open && part > size))
    c.Refuse(Reason::kInvalidModel, Str("rotary_embedding_dim is ", part, open ? std::string() : Str(" of ", size)));
  if (ids) {
    ids = Formula(c).FromFront(c.CastTo(ids, C_DT_INT64), "a position");
    cosine = c.Op("GatherV2", {cosine, ids, c.ConstInt(0, "axis")});
    sine = c.Op("GatherV2", {sine, ids, c.ConstInt(0, "axis")});
  }
  const Endpoint rotated = Rotated(c, x, cosine, sine, part, part == size, interleaved);
  c.Out(0, flat ? c.Op("Reshape", {rotated, c.ConstInts({0, 0, -1}, "features")}) : c.Transpose(rotated, {0, 2, 1, 3}));
}

void SwiGLU(NodeContext &c) {
  Endpoint gate = c.In(0), value = c.In(1);
  float alpha = c.Float("alpha", 1.0f);
  Endpoint scaled = alpha == 1.0f ? gate : c.Op("Mul", {gate, c.NumberLike(alpha, gate, "alpha")});
  c.Out(0, c.Op("Mul", {c.Op("Mul", {gate, c.Op("Sigmoid", {scaled})}), value}));
}

constexpr Handler kAttentionHandlers[] = {
    {"", "Attention", 23, Attention},
    {"", "RotaryEmbedding", 23, RotaryEmbedding},
    {"", "SwiGLU", 28, SwiGLU},
};

}  // namespace

HandlerTable AttentionHandlers() { return {std::begin(kAttentionHandlers), std::end(kAttentionHandlers)}; }

}  // namespace gec::onnx
