// Attention and what goes with it, written out in matrix products and softmax.
#include <cmath>
#include <limits>

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

void Attention(NodeContext &c) {
  AttentionInputs in{c.In(0), c.In(1), c.In(2), c.OptIn(3), c.OptIn(4), c.OptIn(6)};
  Endpoint past_value = c.OptIn(5);
  bool causal = c.Flag("is_causal", false);
  int64_t left = c.Int("left_window_size", -1), right = c.Int("right_window_size", -1);
  int64_t mode = c.Int("qk_matmul_output_mode", 0), q_heads = c.Int("q_num_heads", 0),
          kv_heads = c.Int("kv_num_heads", 0);
  float softcap = c.Float("softcap", 0);
  int32_t type = c.NeedType(in.q, "to scale the scores"), precise = c.TypeAttr("softmax_precision", type);
  if (!in.past_key != !past_value) c.Refuse(Reason::kInvalidModel, "past_key and past_value come together");
  for (const auto &[name, heads] : {std::pair{"q_num_heads", q_heads}, {"kv_num_heads", kv_heads}})
    if (heads < 0 || heads > kMaxDim) c.Refuse(Reason::kInvalidModel, Str("attribute '", name, "' is ", heads));
  bool flat = c.NeedRank(in.q, "to tell heads from features") == 3;
  if (flat) {
    if (q_heads <= 0 || kv_heads <= 0)
      c.Refuse(Reason::kInvalidModel, "q_num_heads and kv_num_heads are needed for rank 3");
    in.q = SplitHeads(c, in.q, q_heads);
    in.k = SplitHeads(c, in.k, kv_heads);
    in.v = SplitHeads(c, in.v, kv_heads);
  } else {
    q_heads = HeadsOf(c, in.q, "query");
    kv_heads = HeadsOf(c, in.k, "key");
  }
  const bool open = q_heads < 0 || kv_heads < 0;
  if (!open && (kv_heads <= 0 || q_heads % kv_heads != 0)) {
    c.Refuse(Reason::kInvalidModel, Str(q_heads, " query heads do not divide into ", kv_heads, " key heads"));
  }
  if (in.past_key) {
    Endpoint axis = c.ConstInt(2, "axis");
    in.k = c.Op("ConcatV2", {in.past_key, in.k, axis}, {{"N", 2}});
    in.v = c.Op("ConcatV2", {past_value, in.v, axis}, {{"N", 2}});
  }
  c.Out(1, in.k);
  c.Out(2, in.v);
  double scale = c.HasAttr("scale") ? c.Float("scale", 1)
                                    : 1 / std::sqrt(static_cast<double>(c.NeedDim(in.q, 3, "for the default scale")));
  const auto repeat = [&](Endpoint x) {
    return open ? RepeatOpenHeads(c, x, Extent(c, in.q, 1)) : RepeatHeads(c, x, q_heads / kv_heads, q_heads);
  };
  Endpoint keys = repeat(in.k), values = repeat(in.v);
  Endpoint scores = c.Op("BatchMatMulV2", {in.q, keys}, {{"adj_x2", true}});
  scores = c.Op("Mul", {scores, c.NumberLike(scale, in.q, "scale")});
  if (mode == 0) c.Out(3, scores);
  if (softcap != 0) {
    Endpoint cap = c.ConstNumber(softcap, type, "softcap");
    scores = c.Op("Mul", {c.Op("Tanh", {c.Op("RealDiv", {scores, cap})}), cap});
  }
  if (mode == 1) c.Out(3, scores);
  Endpoint allowed = Allowed(c, in, causal, left, right);
  if (in.mask) {
    Endpoint mask = WholeMask(c, in.mask, in.k);
    if (c.Type(mask) == C_DT_BOOL) allowed = allowed ? c.Op("LogicalAnd", {allowed, mask}) : mask;
    else scores = c.Op("Add", {scores, c.CastTo(mask, type)});
  }
  if (allowed) {
    Endpoint never = c.ConstNumber(-std::numeric_limits<double>::infinity(), type, "forbidden");
    scores = c.Op("SelectV2", {allowed, scores, never});
  }
  if (mode == 2) c.Out(3, scores);
  Endpoint weights = c.Op("SoftmaxV2", {c.CastTo(scores, precise)}, {{"axes", AttrValue::ListInt{-1}}});
  weights = c.CastTo(weights, type);
  if (allowed || in.mask) {  // a query that may look nowhere sees nothing
    weights = c.Op("SelectV2", {c.Op("IsNan", {weights}), c.ConstNumber(0, type, "nothing"), weights});
  }
  if (mode == 3) c.Out(3, weights);
  Endpoint y = c.Op("BatchMatMulV2", {weights, values});
  if (flat) y = c.Op("Reshape", {c.Transpose(y, {0, 2, 1, 3}), c.ConstInts({0, 0, -1}, "features")});
  c.Out(0, y);
}

void RotaryEmbedding(NodeContext &c) {
  Endpoint x = c.In(0), cosine = c.In(1), sine = c.In(2), ids = c.OptIn(3);
  int64_t heads = c.Int("num_heads", 0), part = c.Int("rotary_embedding_dim", 0);
  bool interleaved = c.Flag("interleaved", false);
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
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
  Endpoint rotated = part == size ? x : c.Slice(x, {0}, {part}, {3}), rest;
  if (part != size) rest = c.Slice(x, {part}, {kEnd}, {3});
  if (ids) {
    ids = Formula(c).FromFront(c.CastTo(ids, C_DT_INT64), "a position");
    cosine = c.Op("GatherV2", {cosine, ids, c.ConstInt(0, "axis")});
    sine = c.Op("GatherV2", {sine, ids, c.ConstInt(0, "axis")});
  }
  cosine = c.Unsqueeze(cosine, {2});
  sine = c.Unsqueeze(sine, {2});
  Endpoint a = interleaved ? c.Slice(rotated, {0}, {kEnd}, {3}, {2}) : c.Slice(rotated, {0}, {part / 2}, {3});
  Endpoint b = interleaved ? c.Slice(rotated, {1}, {kEnd}, {3}, {2}) : c.Slice(rotated, {part / 2}, {kEnd}, {3});
  Endpoint real = c.Op("Sub", {c.Op("Mul", {cosine, a}), c.Op("Mul", {sine, b})});
  Endpoint imaginary = c.Op("Add", {c.Op("Mul", {sine, a}), c.Op("Mul", {cosine, b})});
  Endpoint last = c.ConstInt(-1, "axis");
  if (interleaved) {
    real = c.Unsqueeze(real, {4});
    imaginary = c.Unsqueeze(imaginary, {4});
    rotated = c.Op("ConcatV2", {real, imaginary, last}, {{"N", 2}});
    rotated = c.Op("Reshape", {rotated, c.ConstInts({0, 0, 0, part}, "size")});
  } else {
    rotated = c.Op("ConcatV2", {real, imaginary, last}, {{"N", 2}});
  }
  if (rest) rotated = c.Op("ConcatV2", {rotated, rest, last}, {{"N", 2}});
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
