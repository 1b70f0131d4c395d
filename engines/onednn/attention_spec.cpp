#include "attention_spec.h"

#include <algorithm>

#include "matmul_kernels.h"

namespace onednn {

namespace {

// A block of scores, 96 by 384 floats, stays in the second-level cache together with its keys and values.
constexpr int64_t kMostRows = 96, kMostKeys = 384;
// One row's scores take little room: longer blocks mean fewer corrections of the running sums.
constexpr int64_t kMostKeysOfFew = 2048;
// But in bf16 they become float32 block by block, in the first-level cache.
constexpr int64_t kMostWideKeys = 64;

bool LengthsFirst(const Node &node, const char *attr) {
  const std::string layout = node.String(attr, "BNSH");
  if (layout != "BNSH" && layout != "BSNH") Refuse(attr, " is '", layout, "', expected BNSH or BSNH");
  return layout == "BSNH";
}

void RequireTensor(const Tensor &t, const char *what, bool bf16 = false) {
  if (!bf16) RequireFloat(t, what);
  else if (t.type() != C_DT_BF16) Refuse(what, " is ", t.type_name(), ", query DT_BF16");
  RequirePlain(t, what);
  if (t.ranked() && t.rank() != 4) Refuse("the rank of ", what, " is ", t.rank(), ", expected 4");
}

HeadsAt HeadsOf(const int64_t *dims, bool lengths_first) {
  HeadsAt h;
  h.heads = dims[lengths_first ? 2 : 1], h.length = dims[lengths_first ? 1 : 2], h.size = dims[3];
  h.batch_step = h.heads * h.length * h.size;
  h.head_step = lengths_first ? h.size : h.length * h.size;
  h.step = lengths_first ? h.heads * h.size : h.size;
  return h;
}

void SetMaskSteps(AttentionCut *c, const int64_t *dims, int rank) {
  const int64_t all[4] = {c->batch, c->q.heads, c->q.length, c->k.length};
  int64_t step = 1;
  for (int i = 3; i >= 4 - rank; --i) {
    const int64_t extent = dims[i - (4 - rank)];
    const bool ends_early = i == 3 && extent < all[i];
    if (extent != 1 && extent != all[i] && !ends_early)
      Refuse("the mask's extent ", extent, " does not broadcast to ", all[i], " (axis ", i, " of the scores)");
    c->mask_steps[i] = extent == 1 ? 0 : step;
    if (i == 3 && extent != 1) c->mask_keys = extent;
    step *= extent;
  }
}

void CheckShapes(const AttentionCut &c, int64_t k_batch, int64_t v_batch) {
  if (k_batch != c.batch || v_batch != c.batch) Refuse("the batch of query, key and value differs");
  if (c.k.heads <= 0 || c.q.heads % c.k.heads || c.v.heads != c.k.heads)
    Refuse(c.q.heads, " heads of query, ", c.k.heads, " of key and ", c.v.heads, " of value do not fit");
  if (c.k.length != c.v.length || c.q.size != c.k.size) Refuse("query, key and value have extents that do not fit");
}

}  // namespace

AttentionSpec ReadAttention(const Node &node) {
  AttentionSpec s;
  s.bf16 = node.in(0).present() && node.in(0).type() == C_DT_BF16;
  s.y_bf16 = s.bf16 && node.out(0).present() && node.out(0).type() == C_DT_BF16;
  RequireTensor(node.in(0), "query", s.bf16);
  RequireTensor(node.in(1), "key", s.bf16);
  RequireTensor(node.in(2), "value", s.bf16);
  if (node.out(0).present()) RequireTensor(node.out(0), "attention", s.y_bf16);
  s.query_lengths_first = LengthsFirst(node, "query_layout"), s.key_lengths_first = LengthsFirst(node, "key_layout");
  s.value_lengths_first = LengthsFirst(node, "value_layout");
  s.output_lengths_first = LengthsFirst(node, "output_layout");
  s.scale = float(node.Float("scale", 1)), s.softcap = float(node.Float("softcap", 0));
  s.left = node.Int("left_window", -1), s.right = node.Int("right_window", -1);
  const std::string align = node.String("align", "start");
  s.from_end = align != "start", s.from_start = align != "end", s.zero_unseen = node.Bool("zero_unseen", false);
  if (const Tensor mask = node.in(3); mask.present()) {
    s.mask = true, s.mask_is_bool = mask.type() == C_DT_BOOL;
    if (!s.mask_is_bool) RequireFloat(mask, "mask");
    RequirePlain(mask, "mask");
    if (!mask.ranked() || mask.rank() > 4) Refuse("the mask's rank is not known or above 4");
    s.mask_rank = mask.rank();
  }
  if (const Tensor lengths = node.in(4); lengths.present()) {
    s.lengths = true, s.wide_lengths = lengths.type() == C_DT_INT64;
    if (!s.wide_lengths && lengths.type() != C_DT_INT32) Refuse("lengths of type ", lengths.type_name());
  }
  if (const Tensor sink = node.in(5); sink.present()) {
    s.sink = true;
    RequireFloat(sink, "sink");
  }
  return s;
}

AttentionCut CutAttention(const AttentionSpec &spec, const KernelSet &kernels, int threads, const int64_t *q,
                          const int64_t *k, const int64_t *v, const int64_t *mask) {
  AttentionCut c;
  c.batch = q[0];
  c.q = HeadsOf(q, spec.query_lengths_first), c.k = HeadsOf(k, spec.key_lengths_first);
  c.v = HeadsOf(v, spec.value_lengths_first);
  CheckShapes(c, k[0], v[0]);
  const int64_t y[4] = {c.batch, spec.output_lengths_first ? c.q.length : c.q.heads,
                        spec.output_lengths_first ? c.q.heads : c.q.length, c.v.size};
  c.y = HeadsOf(y, spec.output_lengths_first);
  c.mask_keys = c.k.length;
  if (spec.mask) SetMaskSteps(&c, mask, spec.mask_rank);
  c.group = c.q.heads / c.k.heads;
  c.few = c.rows() <= kSkinnyRows;

  const int64_t mr = kernels.rows, nr = kernels.columns;
  c.key_block = std::max<int64_t>(nr, std::min(RoundUp(c.k.length, nr), !c.few      ? kMostKeys
                                                                        : spec.bf16 ? kMostWideKeys
                                                                                    : kMostKeysOfFew));
  if (!c.few && c.k.length > kMostKeys) {  // all of about the same length
    const int64_t blocks = (c.k.length + kMostKeys - 1) / kMostKeys;
    c.key_block = RoundUp((c.k.length + blocks - 1) / blocks, nr);
  }
  const int64_t heads = c.batch * c.k.heads;
  c.row_blocks = c.few ? 1 : (c.rows() + kMostRows - 1) / kMostRows;
  while (!c.few && heads * c.row_blocks < 2 * threads && c.rows() > c.row_blocks * 2 * mr) ++c.row_blocks;
  c.row_block = c.row_blocks ? (c.rows() + c.row_blocks - 1) / c.row_blocks : 0;
  if (!c.few) c.row_block = RoundUp(c.row_block, mr);
  c.row_blocks = c.row_block ? (c.rows() + c.row_block - 1) / c.row_block : 0;
  c.tasks = heads * c.row_blocks;
  c.lanes = std::min<int64_t>(c.tasks, threads == 1 ? 1 : 4 * threads);

  // Rows a power of two apart fall into the same cache sets.
  const bool pairs = spec.bf16 && !c.few;
  c.key_depth = pairs ? c.k.size / 2 : c.k.size, c.value_depth = pairs ? (c.v.length + 1) / 2 : c.v.length;
  c.q_stride = c.key_depth % 512 ? c.key_depth : c.key_depth + 16;
  c.s_stride = c.key_block + 16;
  c.o_stride = RoundUp(c.v.size, nr);
  auto reserve = [&](int64_t floats) {
    const int64_t at = c.lane_floats;
    c.lane_floats += RoundUp(floats, 16);
    return at;
  };
  c.q_at = reserve(c.row_block * c.q_stride);
  c.s_at = reserve(c.row_block * c.s_stride);
  c.o_at = reserve((c.few ? 2 : 1) * c.row_block * c.o_stride);
  c.rows_at = reserve(3 * c.row_block);
  c.mask_at = reserve(c.key_block);
  c.wide_at = reserve(spec.bf16 && c.few ? c.key_block * std::max(c.k.size, c.v.size) : 0);
  auto reserve_bytes = [&](int64_t floats) {
    const uint64_t at = c.workspace;
    c.workspace += (uint64_t(floats) * sizeof(float) + 63) / 64 * 64;
    return at;
  };
  c.key_panels = (c.k.length + nr - 1) / nr, c.value_panels = (c.v.size + nr - 1) / nr;
  if (!c.few) {
    c.keys_at = reserve_bytes(heads * c.key_panels * nr * c.key_depth);
    c.values_at = reserve_bytes(heads * c.value_panels * nr * c.value_depth);
  }
  c.lanes_at = reserve_bytes(c.lanes * c.lane_floats);
  return c;
}

}  // namespace onednn
