// Attention as ONNX Runtime's optimiser writes it: with merged projections, biases, padding masks and caches.
#include <limits>

#include "parsers/onnx/attention_parts.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/limits.h"

namespace gec::onnx {
namespace {

constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

struct ContribAttention {
  Endpoint q, k, v;  // [batch, length, heads, size]; k and v with heads in front where `cached`
  bool cached = false;
  Endpoint bias, padding, attention_bias, past_key, past_value, past_length;
  Endpoint present_key, present_value;  // results
  int64_t heads = 0;
  bool causal = false;
  float filter = -10000;
};

Endpoint OrNothing(NodeContext &c, Endpoint e, int64_t begin, int64_t end) {
  return e ? c.Slice(e, {begin}, {end}, {0}) : e;
}

Endpoint Plus(NodeContext &c, Endpoint x, Endpoint bias) { return bias ? c.Op("Add", {x, bias}) : x; }

// A mask of which keys count, in any of its forms, as numbers to add: [batch, 1, 1 or queries, keys].
Endpoint PaddingToAdd(NodeContext &c, Endpoint mask, Endpoint q, Endpoint keys, int64_t key_axis, Endpoint past,
                      float filter) {
  Formula f(c);
  const int64_t rank = c.NeedRank(mask, "to tell its form");
  const int32_t type = c.NeedType(q, "to add the mask");
  Endpoint seen;
  if (rank == 1) {
    // [batch]: ends. [2 * batch]: ends, then starts. [3 * batch + 2]: lengths, then sums of lengths.
    const int64_t n = c.ShapeOf(mask)[0], batch = c.ShapeOf(q)[0];
    const Endpoint position = f.Count(f.Dim(keys, key_axis)), all = f.Dim(q, 0);
    const Endpoint wide = c.CastTo(mask, C_DT_INT64);
    const bool more = n >= 0 && batch >= 0 && n != batch;
    if (more && n != 2 * batch && n != 3 * batch + 2)
      c.Refuse(Reason::kInvalidModel, Str("the mask has ", n, " values for a batch of ", batch));
    const Endpoint ends = more ? f.Slice(wide, f.Int(0), all, 0) : wide;
    seen = f.Less(position, c.Unsqueeze(ends, {1, 2, 3}));
    if (more && n == 2 * batch) {
      const Endpoint starts = f.Slice(wide, all, f.Int(kToTheEnd), 0);
      seen = f.And(seen, c.Op("GreaterEqual", {position, c.Unsqueeze(starts, {1, 2, 3})}));
    }
  } else {
    if (rank > 4) c.Refuse(Reason::kInvalidModel, Str("the mask has rank ", rank, ", at most 4 is expected"));
    if (rank == 4) {  // of all positions: rows of these queries
      const Endpoint from = past ? f.Dim(past, 2) : f.Int(0);
      mask = f.Slice(f.Slice(mask, from, f.Add(from, f.Dim(q, 1)), 2), f.Int(0), f.Dim(keys, key_axis), 3);
    }
    seen = c.Op("Greater", {mask, c.NumberLike(0, mask, "masked")});
    if (rank < 4) seen = c.Unsqueeze(seen, rank == 2 ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{1});
  }
  return c.Op("SelectV2",
              {seen, c.ConstNumber(0, type, "seen"), c.ConstNumber(static_cast<double>(filter), type, "padding")});
}

// Keys and values with those of the past in front; what becomes of `lengths` where the buffer is longer than them.
void JoinPast(NodeContext &c, ContribAttention *a, AttentionParts *p) {
  Formula f(c);
  const bool told = a->past_key || c.WantsOutput(1) || c.WantsOutput(2);
  p->k = a->k, p->v = a->v;
  if (a->cached) {
    p->k_layout = p->v_layout = "BNSH";
  } else if (a->past_length) {
    const Endpoint after = f.Add(f.Scalar(a->past_length, C_DT_INT64), f.Dim(a->k, 1));
    p->lengths = f.Fill(f.Vector({f.Dim(a->q, 0)}), after);
    const auto append = [&](Endpoint past, Endpoint rows) {
      return c.Op("AppendKeyValue", {past, rows, p->lengths, {}}, {{"rows_layout", "BSNH"}});
    };
    p->k = append(a->past_key, a->k), p->v = append(a->past_value, a->v);
    p->k_layout = p->v_layout = "BNSH";
  } else if (told) {
    p->k = c.Transpose(a->k, {0, 2, 1, 3}), p->v = c.Transpose(a->v, {0, 2, 1, 3});
    p->k_layout = p->v_layout = "BNSH";
    if (a->past_key) {
      p->k = f.Concat({a->past_key, p->k}, 2);
      p->v = f.Concat({a->past_value, p->v}, 2);
    }
  }
  a->present_key = p->k, a->present_value = p->v;
}

Endpoint RunContribAttention(NodeContext &c, ContribAttention *a) {
  AttentionParts p;
  p.q = a->q;
  p.scale = ScaleOf(c, a->q, true);
  JoinPast(c, a, &p);
  if (a->padding) {
    const int64_t key_axis = p.k_layout[1] == 'N' ? 2 : 1;
    p.mask = PaddingToAdd(c, a->padding, a->q, p.k, key_axis, a->past_key, a->filter);
  }
  if (a->attention_bias) p.mask = p.mask ? c.Op("Add", {p.mask, a->attention_bias}) : a->attention_bias;
  if (a->causal) {
    p.right = 0;
    p.align = a->past_key ? "end" : "start";
  }
  p.zero_unseen = true;
  return HeadsJoined(c, Attend(c, p));
}

// One of several operands that lie beside each other in each head: [batch, length, heads, number, size].
Endpoint Unpacked(NodeContext &c, Endpoint x, int64_t index, int64_t number) {
  const Shape shape = c.ShapeOf(x);
  if (shape[3] >= 0 && shape[3] != number)
    c.Refuse(Reason::kInvalidModel,
             Str("the packed operand has shape ", shape.str(), ", expected ", number, " at axis 3"));
  return c.Squeeze(c.Slice(x, {index}, {index + 1}, {3}), {3});
}

// Features of one projection: the bias is added before heads are told apart, where a product takes it.
Endpoint Projected(NodeContext &c, Endpoint x, Endpoint bias, int64_t heads, const char *what) {
  CheckFeatures(c, x, heads, what);
  return HeadsApart(c, Plus(c, x, bias), heads);
}

// Per head where the operand has rank 4 by now.
Endpoint HeadBias(NodeContext &c, Endpoint bias, int64_t heads) {
  return bias ? c.Op("Reshape", {bias, c.ConstInts({heads, -1}, "heads")}) : bias;
}

void ReadOperands(NodeContext &c, ContribAttention *a, Endpoint query, Endpoint key, Endpoint value) {
  const int64_t rank = c.NeedRank(query, "to tell its form"), heads = a->heads;
  if (rank != 3 && rank != 5) c.Refuse(Reason::kInvalidModel, Str("the query has rank ", rank, ", expected 3 or 5"));
  if (!key != !value && !(key && c.Rank(key) == 5)) c.Refuse(Reason::kInvalidModel, "key and value come together");
  const int64_t hidden = rank == 5 || !a->bias ? -1 : c.NeedDim(query, 2, "to divide the bias");
  if (rank == 5) {
    if (key) c.Refuse(Reason::kInvalidModel, "a packed query comes without key");
    const int64_t part =
        a->bias ? c.NeedDim(query, 2, "to divide the bias") * c.NeedDim(query, 4, "to divide the bias") : 0;
    Endpoint *to[] = {&a->q, &a->k, &a->v};
    for (int64_t i = 0; i < 3; ++i)
      *to[i] = Plus(c, Unpacked(c, query, i, 3), HeadBias(c, OrNothing(c, a->bias, i * part, (i + 1) * part), heads));
    return;
  }
  if (!key) c.Refuse(Reason::kInvalidModel, "key and value are needed beside a query of rank 3");
  a->q = Projected(c, query, OrNothing(c, a->bias, 0, hidden), heads, "query");
  const int64_t key_rank = c.NeedRank(key, "to tell its form");
  const Endpoint key_bias = OrNothing(c, a->bias, hidden, 2 * hidden),
                 value_bias = OrNothing(c, a->bias, 2 * hidden, kToTheEnd);
  if (key_rank == 5) {
    a->k = Plus(c, Unpacked(c, key, 0, 2), HeadBias(c, key_bias, heads));
    a->v = Plus(c, Unpacked(c, key, 1, 2), HeadBias(c, value_bias, heads));
  } else if (key_rank == 4) {
    a->k = key, a->v = value, a->cached = true;
  } else if (key_rank == 3) {
    a->k = Projected(c, key, key_bias, heads, "key");
    a->v = Projected(c, value, value_bias, heads, "value");
  } else {
    c.Refuse(Reason::kInvalidModel, Str("the key has rank ", key_rank, ", expected 3, 4 or 5"));
  }
}

void FinishMultiHead(NodeContext &c, ContribAttention *a) {
  if (!a->past_key != !a->past_value) c.Refuse(Reason::kInvalidModel, "past_key and past_value come together");
  if (a->past_length && !a->past_key) c.Refuse(Reason::kInvalidModel, "past_sequence_length without past_key");
  if (a->cached && a->past_key) c.Refuse(Reason::kInvalidModel, "a key of rank 4 comes without past_key");
  if (c.WantsOutput(3)) c.Refuse(Reason::kUnsupportedUse, "output qk is not available");
  c.Out(0, RunContribAttention(c, a));
  if (c.WantsOutput(1)) c.Out(1, a->present_key);
  if (c.WantsOutput(2)) c.Out(2, a->present_value);
}

void MultiHeadAttention(NodeContext &c) {
  ContribAttention a;
  a.heads = NeedHeads(c, "num_heads");
  a.causal = c.Flag("unidirectional", false);
  a.filter = c.Float("mask_filter_value", -10000.0f);
  a.bias = c.OptIn(3), a.padding = c.OptIn(4), a.attention_bias = c.OptIn(5);
  a.past_key = c.OptIn(6), a.past_value = c.OptIn(7), a.past_length = c.OptIn(8);
  if (c.OptIn(9)) c.Refuse(Reason::kUnsupportedUse, "cache_indirection (beams) is not supported");
  ReadOperands(c, &a, c.In(0), c.OptIn(1), c.OptIn(2));
  FinishMultiHead(c, &a);
}

void DecoderMaskedMultiHeadAttention(NodeContext &c) {
  ContribAttention a;
  a.heads = NeedHeads(c, "num_heads");
  a.filter = c.Float("mask_filter_value", -10000.0f);
  const bool shared = c.Flag("past_present_share_buffer", false);
  c.Ignore({"output_qk"});
  a.padding = c.OptIn(3), a.attention_bias = c.OptIn(4);
  a.past_key = c.OptIn(5), a.past_value = c.OptIn(6);
  const Endpoint past_length = c.OptIn(7);
  if (shared && a.past_key) {
    if (!past_length) c.Refuse(Reason::kInvalidModel, "past_sequence_length is needed where buffers are shared");
    a.past_length = past_length;
  }
  (void)c.OptIn(8);
  if (c.OptIn(9)) c.Refuse(Reason::kUnsupportedUse, "cache_indirection (beams) is not supported");
  a.bias = c.OptIn(10);
  Endpoint q = c.In(0), k = c.OptIn(1), v = c.OptIn(2);
  if (!k && c.NeedRank(q, "to tell its form") == 3) {  // features of all three, one after the other
    const int64_t features = c.NeedDim(q, 2, "to divide the packed query"), part = features / 3;
    if (features % 3 != 0) c.Refuse(Reason::kInvalidModel, Str("the packed query has ", features, " features"));
    const Endpoint whole = q;
    q = c.Slice(whole, {0}, {part}, {2}), k = c.Slice(whole, {part}, {2 * part}, {2});
    v = c.Slice(whole, {2 * part}, {kToTheEnd}, {2});
  }
  ReadOperands(c, &a, q, k, v);
  if (a.cached) a.past_key = a.past_value = a.past_length = {};
  FinishMultiHead(c, &a);
}

// Hidden sizes of query, key and value.
std::vector<int64_t> HiddenSizes(NodeContext &c, Endpoint weights, int64_t heads) {
  std::vector<int64_t> sizes = c.Ints("qkv_hidden_sizes");
  const int64_t all = c.NeedDim(weights, 1, "to divide the weights");
  if (sizes.empty()) {
    if (all % 3 != 0) c.Refuse(Reason::kInvalidModel, Str("weights of ", all, " columns do not divide by 3"));
    sizes.assign(3, all / 3);
  }
  if (sizes.size() != 3)
    c.Refuse(Reason::kInvalidModel, Str("qkv_hidden_sizes has ", sizes.size(), " values, expected 3"));
  int64_t sum = 0;
  for (int64_t size : sizes) {
    if (size <= 0 || size > kMaxDim || size % heads != 0)
      c.Refuse(Reason::kInvalidModel, Str("a hidden size of ", size, " does not divide among ", heads, " heads"));
    sum += size;
  }
  if (sum != all)
    c.Refuse(Reason::kInvalidModel, Str("hidden sizes add up to ", sum, ", the weights have ", all, " columns"));
  if (sizes[0] != sizes[1])
    c.Refuse(Reason::kInvalidModel, Str("hidden sizes of query and key differ: ", sizes[0], " and ", sizes[1]));
  return sizes;
}

void MicrosoftAttention(NodeContext &c) {
  Formula f(c);
  ContribAttention a;
  a.heads = NeedHeads(c, "num_heads");
  a.causal = c.Flag("unidirectional", false);
  a.filter = c.Float("mask_filter_value", -10000.0f);
  const bool shared = c.Flag("past_present_share_buffer", false);
  if (c.Flag("do_rotary", false)) c.Refuse(Reason::kUnsupportedUse, "do_rotary is not supported");
  c.Ignore({"rotary_embedding_dim"});
  const Endpoint x = c.In(0), weights = c.In(1), bias = c.OptIn(2), past = c.OptIn(4), past_length = c.OptIn(6);
  a.padding = c.OptIn(3), a.attention_bias = c.OptIn(5);
  if (c.NeedRank(x, "to tell features") != 3)
    c.Refuse(Reason::kInvalidModel, Str("the input has rank ", c.Rank(x), ", expected 3"));
  const std::vector<int64_t> sizes = HiddenSizes(c, weights, a.heads);
  Endpoint *to[] = {&a.q, &a.k, &a.v};
  for (int64_t i = 0, at = 0; i < 3; at += sizes[static_cast<size_t>(i++)]) {
    // Each its own product: what comes out lies as the attention reads it.
    const int64_t end = at + sizes[static_cast<size_t>(i)];
    const Endpoint part = c.Op("BatchMatMulV2", {x, c.Slice(weights, {at}, {end}, {1})});
    *to[i] = HeadsApart(c, Plus(c, part, OrNothing(c, bias, at, end)), a.heads);
  }
  if (past) {
    a.past_key = c.Squeeze(c.Slice(past, {0}, {1}, {0}), {0});
    a.past_value = c.Squeeze(c.Slice(past, {1}, {2}, {0}), {0});
  }
  if (shared) {
    if (!past || !past_length)
      c.Refuse(Reason::kInvalidModel, "past and past_sequence_length are needed where buffers are shared");
    a.past_length = past_length;
  }
  c.Out(0, RunContribAttention(c, &a));
  if (c.WantsOutput(1)) c.Out(1, f.Concat({c.Unsqueeze(a.present_key, {0}), c.Unsqueeze(a.present_value, {0})}, 0));
}

constexpr Handler kContribAttentionHandlers[] = {
    {"com.microsoft", "Attention", 1, MicrosoftAttention},
    {"com.microsoft", "DecoderMaskedMultiHeadAttention", 1, DecoderMaskedMultiHeadAttention},
    {"com.microsoft", "MultiHeadAttention", 1, MultiHeadAttention},
};

}  // namespace

HandlerTable ContribAttentionHandlers() {
  return {std::begin(kContribAttentionHandlers), std::end(kContribAttentionHandlers)};
}

}  // namespace gec::onnx
