// One attention: its computation, and how the work is cut into blocks.
#pragma once

#include "kernels.h"
#include "support.h"

namespace onednn {

// Extents and steps in elements of an operand of rank 4, wherever its layout puts heads and length.
struct HeadsAt {
  int64_t heads = 0, length = 0, size = 0;
  int64_t batch_step = 0, head_step = 0, step = 0;
};

// The attributes; none of them depends on extents.
struct AttentionSpec {
  bool query_lengths_first = false, key_lengths_first = false, value_lengths_first = false,
       output_lengths_first = false;
  float scale = 1, softcap = 0;
  int64_t left = -1, right = -1;
  bool from_end = false, from_start = true,
       zero_unseen = false;  // where queries stand: both of the first are "end_or_start"
  bool mask = false, mask_is_bool = false, lengths = false, wide_lengths = false, sink = false;
  int mask_rank = 0;
  bool bf16 = false, y_bf16 = false;  // query, key and value; the result. Scores and sums are float32
};

// Extents, and the cut: rows (all queries of the heads that share a head of keys) in blocks that meet keys in blocks.
struct AttentionCut {
  int64_t batch = 0;
  HeadsAt q, k, v, y;
  int64_t mask_steps[4] = {0, 0, 0, 0};  // over [batch, heads, query, key]
  int64_t mask_keys = 0;                 // that the mask tells of
  int64_t group = 1;                     // heads of query for each head of keys
  bool few = false;                      // rows so few that keys and values are read once, as they lie
  int64_t row_block = 0, row_blocks = 0, key_block = 0, tasks = 0, lanes = 0;
  int64_t q_stride = 0, s_stride = 0, o_stride = 0;
  // Floats along the depth of a panel of keys and of one of values: in bf16 each holds two numbers.
  int64_t key_depth = 0, value_depth = 0;
  int64_t key_panels = 0, value_panels = 0;  // of one head
  int64_t q_at = 0, s_at = 0, o_at = 0, rows_at = 0, mask_at = 0,
          wide_at = 0;  // in a lane's scratch, in floats; the last one: keys or values of a block that few rows read
  int64_t lane_floats = 0;
  uint64_t keys_at = 0, values_at = 0, lanes_at = 0, workspace = 0;  // in the workspace, in bytes

  int64_t rows() const { return group * q.length; }
  double flops() const { return 2.0 * batch * q.heads * q.length * k.length * double(q.size + v.size); }
};

AttentionSpec ReadAttention(const Node &node);
// `mask` may be null; it has spec.mask_rank extents.
AttentionCut CutAttention(const AttentionSpec &spec, const KernelSet &kernels, int threads, const int64_t *q,
                          const int64_t *k, const int64_t *v, const int64_t *mask);

}  // namespace onednn
