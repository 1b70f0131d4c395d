// Attention of grouped queries with its cache and rotary positions, and these positions alone.
#include <limits>

#include "parsers/onnx/attention_parts.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/limits.h"

namespace gec::onnx {
namespace {

// How much of each head turns, and by which tables.
struct RotaryTables {
  Endpoint cosine, sine;  // [positions, part / 2]
  int64_t part = 0;
  bool whole = true, interleaved = false;
};

RotaryTables ReadTables(NodeContext &c, Endpoint x, Endpoint cosine, Endpoint sine, int64_t part, bool interleaved) {
  const char *why = "to rotate a part of each head";
  for (Endpoint table : {cosine, sine})
    if (c.Rank(table) >= 0 && c.Rank(table) != 2)
      c.Refuse(Reason::kInvalidModel, Str("a table of angles has rank ", c.Rank(table), ", expected 2"));
  const int64_t half = c.NeedDim(cosine, 1, why), size = c.ShapeOf(x)[3];
  if (part == 0) part = 2 * half;
  if (part != 2 * half || part <= 0 || (size >= 0 && part > size))
    c.Refuse(Reason::kInvalidModel,
             Str("tables of ", half, " angles do not turn ", part, " of ", size, " values of a head"));
  return {cosine, sine, part, size < 0 ? true : part == size, interleaved};
}

// Rows of the tables at these positions, [batch or 1, length].
Endpoint Turned(NodeContext &c, Endpoint x, const RotaryTables &t, Endpoint positions) {
  positions = Formula(c).FromFront(positions, "a position");
  const auto rows = [&](Endpoint table) {
    return c.CastLike(c.Op("GatherV2", {table, positions, c.ConstInt(0, "axis")}), x);
  };
  return Rotated(c, x, rows(t.cosine), rows(t.sine), t.part, t.whole, t.interleaved);
}

// [batch or 1, length]: where each starts, plus 0, 1, … length - 1.
Endpoint CountedFrom(NodeContext &c, Endpoint first, Endpoint length) {
  Formula f(c);
  return f.Add(c.Op("Reshape", {c.CastTo(first, C_DT_INT64), c.ConstInts({-1, 1}, "rows")}),
               c.Unsqueeze(f.Count(length), {0}));
}

void MicrosoftRotaryEmbedding(NodeContext &c) {
  Formula f(c);
  Endpoint x = c.In(0), ids = c.In(1);
  const int64_t rank = c.NeedRank(x, "to tell heads from features"), heads = c.Int("num_heads", 0);
  const int64_t part = c.Int("rotary_embedding_dim", 0);
  const bool interleaved = c.Flag("interleaved", false);
  if (c.Flag("is_packed_batching", false)) c.Refuse(Reason::kUnsupportedUse, "is_packed_batching is not supported");
  const float scale = c.Float("scale", 1.0f);
  if (rank != 3 && rank != 4) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", 3 or 4 is needed"));
  if (heads < 0 || heads > kMaxDim || part < 0 || part > kMaxDim)
    c.Refuse(Reason::kInvalidModel, Str("num_heads is ", heads, ", rotary_embedding_dim ", part));
  const bool flat = rank == 3;
  if (flat && heads == 0) {  // the tables tell the size of a head
    const int64_t size = part ? part : 2 * c.NeedDim(c.In(2), 1, "to tell the size of a head");
    x = c.Op("Reshape", {x, c.ConstInts({0, 0, -1, size}, "heads")});
  } else {
    x = flat ? HeadsApart(c, x, heads) : c.Transpose(x, {0, 2, 1, 3});
  }
  const RotaryTables tables = ReadTables(c, x, c.In(2), c.In(3), part, interleaved);
  ids = c.CastTo(ids, C_DT_INT64);
  // One value is the position of the first.
  const Endpoint positions = c.NeedRank(ids, "to tell positions") == 1 ? CountedFrom(c, ids, f.Dim(x, 1)) : ids;
  Endpoint y = Turned(c, x, tables, positions);
  if (scale != 1.0f) y = c.Op("Mul", {y, c.NumberLike(static_cast<double>(scale), y, "scale")});
  c.Out(0, flat ? HeadsJoined(c, y) : c.Transpose(y, {0, 2, 1, 3}));
}

struct Grouped {
  int64_t heads = 0, kv_heads = 0;
  Endpoint q, k, v;      // [batch, length, heads, size]
  Endpoint after, past;  // [batch]: rows of the cache afterwards, and before
};

// Query, key and value, which may lie one after the other in the features of one tensor.
void ReadGrouped(NodeContext &c, Grouped *g) {
  const Endpoint query = c.In(0), key = c.OptIn(1), value = c.OptIn(2);
  if (c.NeedRank(query, "to tell features") != 3)
    c.Refuse(Reason::kInvalidModel, Str("the query has rank ", c.Rank(query), ", expected 3"));
  if (!key != !value) c.Refuse(Reason::kInvalidModel, "key and value come together");
  if (g->heads % g->kv_heads != 0)
    c.Refuse(Reason::kInvalidModel, Str(g->heads, " heads of query do not divide among ", g->kv_heads, " of key"));
  const auto apart = [&](Endpoint x, int64_t heads, const char *what) {
    CheckFeatures(c, x, heads, what);
    return HeadsApart(c, x, heads);
  };
  if (key) {
    g->q = apart(query, g->heads, "query");
    g->k = apart(key, g->kv_heads, "key");
    g->v = apart(value, g->kv_heads, "value");
    return;
  }
  const int64_t all = g->heads + 2 * g->kv_heads;
  const Endpoint packed = apart(query, all, "the packed query");
  g->q = c.Slice(packed, {0}, {g->heads}, {2});
  g->k = c.Slice(packed, {g->heads}, {g->heads + g->kv_heads}, {2});
  g->v = c.Slice(packed, {g->heads + g->kv_heads}, {all}, {2});
}

void RefuseWhatIsNotThere(NodeContext &c) {
  for (const char *name : {"k_quant_type", "v_quant_type"})
    if (c.String(name, "NONE") != "NONE")
      c.Refuse(Reason::kUnsupportedUse, Str("quantised caches (", name, ") are not supported"));
  c.Ignore({"kv_cache_bit_width", "q_norm_epsilon", "k_norm_epsilon", "qk_norm_epsilon"});
  if (c.Flag("sliding_window_cache", false)) c.Refuse(Reason::kUnsupportedUse, "sliding_window_cache is not supported");
  if (c.Int("qk_output", 0) != 0 || c.WantsOutput(3)) c.Refuse(Reason::kUnsupportedUse, "output_qk is not available");
  static constexpr const char *kInputs[] = {"k_scale", "v_scale", "q_norm_weight", "k_norm_weight", "query_seqlens"};
  for (size_t i = 0; i < 5; ++i)
    if (c.OptIn(12 + i)) c.Refuse(Reason::kUnsupportedUse, Str("input ", kInputs[i], " is not supported"));
}

void GroupQueryAttention(NodeContext &c) {
  Formula f(c);
  Grouped g;
  g.heads = NeedHeads(c, "num_heads"), g.kv_heads = NeedHeads(c, "kv_num_heads");
  RefuseWhatIsNotThere(c);
  ReadGrouped(c, &g);
  const Endpoint past_key = c.OptIn(3), past_value = c.OptIn(4), total = f.Scalar(c.In(6), C_DT_INT64);
  if (!past_key != !past_value) c.Refuse(Reason::kInvalidModel, "past_key and past_value come together");
  const Endpoint length = f.Dim(g.q, 1);
  const Endpoint told = c.CastTo(c.In(5), C_DT_INT64);  // the last row of each cache
  g.after = f.Add(c.Rank(told) == 1 ? told : f.Flat(told), f.Int(1));
  g.past = f.Max(f.Sub(g.after, length), f.Int(0));
  const Endpoint ids = c.OptIn(9);
  const bool rotary = c.Flag("do_rotary", false), interleaved = c.Flag("rotary_interleaved", false);
  const Endpoint cosine = c.OptIn(7), sine = c.OptIn(8);
  if (rotary) {
    if (!cosine || !sine) c.Refuse(Reason::kInvalidModel, "do_rotary needs cos_cache and sin_cache");
    const Endpoint positions = ids ? c.CastTo(ids, C_DT_INT64) : CountedFrom(c, g.past, length);
    g.q = Turned(c, g.q, ReadTables(c, g.q, cosine, sine, 0, interleaved), positions);
    g.k = Turned(c, g.k, ReadTables(c, g.k, cosine, sine, 0, interleaved), positions);
  }
  AttentionParts p;
  p.q = g.q, p.k = g.k, p.v = g.v;
  if (past_key) {
    const auto append = [&](Endpoint past, Endpoint rows) {
      return c.Op("AppendKeyValue", {past, rows, g.after, total}, {{"rows_layout", "BSNH"}});
    };
    p.k = append(past_key, g.k), p.v = append(past_value, g.v);
    p.k_layout = p.v_layout = "BNSH";
  } else if (c.WantsOutput(1) || c.WantsOutput(2)) {
    p.k = c.Transpose(g.k, {0, 2, 1, 3}), p.v = c.Transpose(g.v, {0, 2, 1, 3});
    p.k_layout = p.v_layout = "BNSH";
  }
  if (c.WantsOutput(1)) c.Out(1, p.k);
  if (c.WantsOutput(2)) c.Out(2, p.v);
  p.lengths = g.after;
  p.mask = c.OptIn(10), p.sink = c.OptIn(11);
  if (c.Flag("smooth_softmax", false) && !p.sink) p.sink = f.Fill(f.Vector({f.Int(g.heads)}), f.Real(0, C_DT_FLOAT));
  p.scale = ScaleOf(c, g.q, true), p.softcap = c.Float("softcap", 0);
  const int64_t window = c.Int("local_window_size", -1);
  const bool causal = c.Flag("causal", true);
  if (window == 0 || window < -1) c.Refuse(Reason::kInvalidModel, Str("local_window_size is ", window));
  if (causal) p.right = 0, p.left = window < 0 ? -1 : window - 1;
  else if (window >= 0) c.Refuse(Reason::kInvalidModel, "local_window_size needs causal attention");
  p.align = "end_or_start", p.zero_unseen = true;
  c.Out(0, HeadsJoined(c, Attend(c, p)));
}

constexpr Handler kContribGroupedHandlers[] = {
    {"com.microsoft", "GroupQueryAttention", 1, GroupQueryAttention},
    {"com.microsoft", "RotaryEmbedding", 1, MicrosoftRotaryEmbedding},
};

}  // namespace

HandlerTable ContribGroupedHandlers() {
  return {std::begin(kContribGroupedHandlers), std::end(kContribGroupedHandlers)};
}

}  // namespace gec::onnx
