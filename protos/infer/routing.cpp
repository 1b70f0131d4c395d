// Rows sorted by expert, and tables whose sizes only a run knows.
#include <algorithm>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// x [rows, columns] and the experts [rows, k] of each row.
struct Routing {
  int64_t columns, rows;  // rows: of the sorted tensor, k for each one of x
  Shape sorted;
};

/// Without capacity all rows, or the first active_num of them; with it `capacity` rows for each expert.
Routing Routed(Context &c, bool first_active) {
  Shape x = c.DimsOfRank(0, 2, "x"), experts = c.DimsOfRank(1, 2, "expert_idx");
  int64_t tokens = c.SameDim(x[0], experts[0], "the number of rows of x and expert_idx");
  int64_t rows = tokens < 0 || experts[1] < 0 ? -1 : c.CheckedMul(tokens, experts[1], "the number of sorted rows");
  int64_t mode = c.IntAttr("drop_pad_mode"), active = c.IntAttr("active_num");
  if (mode != 0 && mode != 1) c.Fail("drop_pad_mode is ", mode, ", expected 0 or 1");
  if (mode == 1) {
    int64_t number = c.IntAttr("expert_num"), capacity = c.IntAttr("expert_capacity");
    if (number < 1) c.Fail("expert_num is ", number, ", expected at least 1 with drop_pad_mode 1");
    if (capacity < 1) c.Fail("expert_capacity is ", capacity, ", expected at least 1 with drop_pad_mode 1");
    return {x[1], rows, Shape{number, capacity, x[1]}};
  }
  int64_t kept = rows < 0 || active <= 0 || !first_active ? rows : std::min(rows, active);
  return {x[1], rows, Shape{kept, x[1]}};
}

/// One scale for each sorted row.
Shape ScalesOf(Context &c, const Shape &sorted) {
  if (sorted.rank() == 2) return Shape{sorted[0]};
  return Shape{c.CheckedMul(sorted[0], sorted[1], "the number of scales")};
}

void MoeInitRoutingQuantV2Rule(Context &c) {
  Routing r = Routed(c, true);
  int64_t experts = c.IntAttr("expert_num") > 0 ? c.IntAttr("expert_num") : -1;
  c.Out(0, C_DT_INT8, r.sorted);
  c.Out(1, C_DT_INT32, Shape{r.rows});
  c.Out(2, C_DT_INT32, Shape{experts});
  c.Out(3, C_DT_INT32, Shape{experts});
  c.Out(4, C_DT_FLOAT, ScalesOf(c, r.sorted));
}

void MoeInitRoutingV3Rule(Context &c) {
  Routing r = Routed(c, true);
  Values range = c.IntsAttr("active_expert_range");
  int64_t experts = c.IntAttr("expert_num") > 0 ? c.IntAttr("expert_num") : -1, all = experts;
  if (!range.empty()) {
    if (range.size() != 2 || range[0] < 0 || range[1] <= range[0])
      c.Fail("active_expert_range is ", Shape(range).str(), ", expected its first expert and the one behind its last");
    experts = range[1] - range[0];
  }
  int32_t type = c.IntAttr("quant_mode", -1) < 0 ? c.Type(0) : static_cast<int32_t>(C_DT_INT8);
  c.Out(0, type, r.sorted);
  c.Out(1, C_DT_INT32, Shape{r.rows});
  c.Out(2, C_DT_INT64, c.IntAttr("expert_tokens_num_type") == 2 ? Shape{all, 2} : Shape{experts});
  c.Out(3, C_DT_FLOAT, ScalesOf(c, r.sorted));
}

/// Rows for the experts of this rank, as many as may come at most. How the ranks count what they receive differs among
/// devices.
template <bool with_positions>
void MoeDistributeDispatchRule(Context &c) {
  Shape x = c.DimsOfRank(0, 2, "x"), experts = c.DimsOfRank(1, 2, "expert_ids");
  int64_t tokens = c.SameDim(x[0], experts[0], "the number of rows of x and expert_ids"), k = experts[1];
  int64_t ranks = c.IntAttr("ep_world_size"), rank = c.IntAttr("ep_rank_id"), number = c.IntAttr("moe_expert_num");
  int64_t shared_ranks = c.IntAttr("shared_expert_rank_num"), shared = c.IntAttr("shared_expert_num", 1);
  if (ranks < 1) c.Fail("ep_world_size is ", ranks, ", expected at least 1");
  if (rank < 0 || rank >= ranks) c.Fail("ep_rank_id is ", rank, ", expected a value from 0 to ", ranks - 1);
  if (number < 1) c.Fail("moe_expert_num is ", number, ", expected at least 1");
  if (shared_ranks < 0 || shared_ranks >= ranks)
    c.Fail("shared_expert_rank_num is ", shared_ranks, ", expected a value from 0 to ", ranks - 1);
  if (number % (ranks - shared_ranks))
    c.Fail("moe_expert_num is ", number, ", expected a multiple of the ", ranks - shared_ranks, " ranks with experts");
  bool is_shared = rank < shared_ranks;
  int64_t local = is_shared ? 1 : number / (ranks - shared_ranks), all = c.IntAttr("global_bs"), rows = -1;
  if (all < 0) c.Fail("global_bs is ", all, ", expected no negative value");
  if (all == 0 && tokens >= 0) all = c.CheckedMul(tokens, ranks, "the rows of all ranks");
  else if (all == 0) all = -1;
  if (is_shared && all >= 0) {
    if (shared < 0) c.Fail("shared_expert_num is ", shared, ", expected no negative value");
    rows = c.CheckedMul(all, shared, "the rows of a shared expert") / shared_ranks;
  } else if (all >= 0 && k >= 0) {
    rows = c.CheckedMul(all, std::min(local, k), "the rows of the experts of a rank");
  }
  int64_t copies = std::max<int64_t>(1, c.IntAttr("tp_world_size"));
  int64_t received = rows < 0 ? -1 : c.CheckedMul(rows, copies, "the rows of the experts of a rank");
  int64_t positions = tokens < 0 || k < 0 ? -1 : c.CheckedMul(tokens, k, "the number of positions");
  c.Out(0, c.IntAttr("quant_mode") == 0 ? c.Type(0) : static_cast<int32_t>(C_DT_INT8), Shape{received, x[1]});
  c.Out(1, C_DT_FLOAT, Shape{-1});
  c.Out(2, C_DT_INT32, Shape{with_positions ? positions : -1});
  c.Out(3, C_DT_INT64, Shape{local});
  c.Out(4, C_DT_INT32, Shape{-1});
  c.Out(5, C_DT_INT32, Shape{-1});
  c.Out(6, C_DT_FLOAT, Shape{-1});
}

/// Keys, counters, flags and values of each table: how many there are is not known.
void HashTableExportRule(Context &c) {
  constexpr int32_t kTypes[] = {C_DT_INT64, C_DT_UINT64, C_DT_UINT8, C_DT_FLOAT};
  const int32_t *counts = c.op().ir_output_total == 4 ? c.op().ir_output_counts : nullptr;
  size_t port = 0;
  for (size_t group = 0; group < 4; ++group) {
    size_t count = counts ? static_cast<size_t>(counts[group]) : c.OutCount() / 4;
    for (size_t k = 0; k < count; ++k) c.Out(port++, kTypes[group], Shape{-1});
  }
}

/// Vectors of splits, then the values.
void RaggedFromVariantRule(Context &c) {
  size_t splits = c.OutCount() ? c.OutCount() - 1 : 0;
  for (size_t k = 0; k < splits; ++k) c.Out(k, c.TypeAttr("Tsplits", C_DT_INT64), Shape{-1});
  c.Out(splits, c.TypeAttr("Tvalues", C_DT_UNDEFINED), Shape::Unknown());
}

constexpr Entry kRoutingRules[] = {
    {"MoeInitRoutingQuantV2", Guarded<MoeInitRoutingQuantV2Rule>},
    {"MoeInitRoutingV3", Guarded<MoeInitRoutingV3Rule>},
    {"MoeDistributeDispatch", Guarded<MoeDistributeDispatchRule<true>>},
    {"MoeDistributeDispatchV2", Guarded<MoeDistributeDispatchRule<false>>},
    {"EmbeddingHashTableExport", Guarded<HashTableExportRule>},
    {"RaggedTensorFromVariant", Guarded<RaggedFromVariantRule>},
};

}  // namespace

std::span<const Entry> RoutingRules() { return kRoutingRules; }

}  // namespace gec::infer
