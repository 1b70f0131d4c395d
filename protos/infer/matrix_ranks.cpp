// Matrix products between transpositions, over several ranks, and of groups of rows.
#include <algorithm>

#include "protos/infer/matrix.h"

namespace gec::infer {
namespace {

/// Counts of an attribute for `ranks` or groups, added up; unknown when there are none.
int64_t Sum(Context &c, const char *attr) {
  Values counts = c.IntsAttr(attr);
  int64_t total = counts.empty() ? -1 : 0;
  for (int64_t count : counts) {
    if (count < 0) c.Fail(attr, " contains ", count, ", expected no negative value");
    total = c.CheckedAdd(total, count, attr);
  }
  return total;
}

int64_t Times(Context &c, int64_t extent, int64_t factor, const char *name) {
  return extent < 0 || factor < 0 ? -1 : c.CheckedMul(extent, factor, name);
}

int64_t Divided(Context &c, int64_t extent, int64_t by, const char *what, const char *by_name) {
  if (extent < 0 || by < 1) return -1;
  if (extent % by) c.Fail(what, " has ", extent, " values, expected a multiple of ", by_name, " ", by);
  return extent / by;
}

int64_t WorldSize(Context &c, const char *attr) {
  int64_t size = c.IntAttr(attr);
  if (size < 1) c.Fail(attr, " is ", size, ", expected at least 1");
  return size;
}

/// A batch of products between transpositions. A scale, or a split, joins the batch with the columns.
void TransposedProduct(Context &c, int32_t type, bool joined) {
  auto permuted = [&](const Shape &x, const char *name) {
    Values perm = c.IntsAttr(name);
    return perm.empty() || !x.has_rank() ? x : c.Permuted(x, perm, name);
  };
  Shape a = permuted(c.DimsOfRank(0, 3, "x1"), "perm_x1"), b = permuted(c.DimsOfRank(1, 3, "x2"), "perm_x2");
  Shape y = permuted(Product(c, a, b, false, false), "perm_y");
  int64_t split = c.IntAttr("batch_split_factor", 1);
  if (split < 1) c.Fail("batch_split_factor is ", split, ", expected at least 1");
  if (split > 1) {
    int64_t columns = Divided(c, Times(c, y[1], y[2], "the columns of a part"), split, "a row", "batch_split_factor");
    y = Shape{split, y[0], columns};
  } else if (joined) {
    y = Shape::OfRank(3);
  }
  c.Out(0, type, y);
}
void TransposeBatchMatMulRule(Context &c) {
  bool scaled = c.Has(3);
  TransposedProduct(c, scaled ? static_cast<int32_t>(C_DT_INT8) : c.SameType({0, 1}, {"x1", "x2"}), scaled);
}
void TransposeQuantBatchMatMulRule(Context &c) { TransposedProduct(c, c.TypeAttr("dtype", C_DT_UNDEFINED), false); }

Shape PlainProduct(Context &c, const char *transpose_a, const char *transpose_b, Names names = {"x1", "x2"}) {
  return Product(c, c.Dims(0), c.Dims(1), c.BoolAttr(transpose_a), c.BoolAttr(transpose_b), names);
}

void DualLevelQuantRule(Context &c) {
  c.Out(0, c.TypeAttr("dtype", C_DT_UNDEFINED), PlainProduct(c, "transpose_x1", "transpose_x2"));
}

/// The second matrix comes in two parts of the same shape.
void EmuSplitWeightRule(Context &c) {
  Shape y = PlainProduct(c, "transpose_x", "transpose_w", {"x", "w_high"});
  Shape high = c.Dims(1), low = c.Dims(2);
  if (high.has_rank() && low.has_rank() && high.known() && low.known() && high != low)
    c.Fail("w_low has shape ", low.str(), ", expected ", high.str(), " like w_high");
  c.Out(0, c.TypeAttr("y_dtype", C_DT_FLOAT), y);
}

/// Products of a batch, summed over axis 0.
void QuantReduceSumRule(Context &c) {
  Shape y = Product(c, c.DimsOfRank(0, 3, "x1"), c.DimsOfRank(1, 3, "x2"), c.BoolAttr("transpose_x1"),
                    c.BoolAttr("transpose_x2"));
  auto dims = c.KnownInts(2);
  if (dims && *dims != Values{0}) c.Fail("dims is ", Shape(*dims).str(), ", expected [0], the batch");
  if (c.BoolAttr("keep_dims")) y[0] = 1;
  else y = Shape{y[1], y[2]};
  c.Out(0, C_DT_BF16, y);
}

/// The result has a scale for each two blocks of 32 values of a row.
void ActivationQuantRule(Context &c) {
  Shape y = PlainProduct(c, "transpose_x1", "transpose_x2"), scale = y;
  if (y.has_rank() && y.rank() > 0) {
    int64_t n = y[y.rank() - 1];
    scale[y.rank() - 1] = n < 0 ? -1 : n / 64 + (n % 64 != 0);
    scale.dims().push_back(2);
  }
  c.Out(0, c.TypeAttr("y_dtype", C_DT_FLOAT8_E4M3FN), y);
  c.Out(1, C_DT_FLOAT8_E8M0, scale);
}

/// Rows of all ranks, times a matrix; and the rows themselves.
void AllGatherMatmulRule(Context &c) {
  Shape a = c.DimsOfRank(0, 2, "x1"), b = c.DimsOfRank(1, 2, "x2");
  Shape y = Product(c, a, b, c.BoolAttr("is_trans_a"), c.BoolAttr("is_trans_b"));
  int64_t ranks = c.IntAttr("rank_size") > 0 ? c.IntAttr("rank_size") : -1;
  int64_t rows = Times(c, y[0], ranks, "the rows of all ranks");
  int32_t type = c.SameType({0, 1}, {"x1", "x2"});
  c.Out(0, type, Shape{rows, y[1]});
  c.Out(1, type, c.BoolAttr("is_gather_out", true) ? Shape{rows, a[c.BoolAttr("is_trans_a") ? 0 : 1]} : Shape{-1, -1});
}

/// Each rank keeps its part of the rows of the sum.
void MatmulReduceScatterRule(Context &c) {
  Shape y = Product(c, c.DimsOfRank(0, 2, "x1"), c.DimsOfRank(1, 2, "x2"), c.BoolAttr("is_trans_a"),
                    c.BoolAttr("is_trans_b"));
  y[0] = Divided(c, y[0], c.IntAttr("rank_size"), "the product", "rank_size");
  c.Out(0, c.SameType({0, 1}, {"x1", "x2"}), y);
}

/// Quantised operands give the type that the scales decide.
void MatmulAllReduceRule(Context &c) {
  int32_t type = c.Type(0);
  if (type == C_DT_INT8) {
    int32_t scale = c.Has(6) ? c.Type(6) : static_cast<int32_t>(C_DT_UNDEFINED);
    bool packed = scale == C_DT_UINT64 || scale == C_DT_INT64;
    type = packed ? static_cast<int32_t>(C_DT_FLOAT16) : scale == C_DT_BF16 ? scale : C_DT_UNDEFINED;
  }
  c.Out(0, type, PlainProduct(c, "is_trans_a", "is_trans_b"));
}

/// Experts' rows travel to their ranks, parts of them are gathered, then multiplied. How x is split among the second
/// group of ranks: 0 along the columns, 1 along the rows.
void AllToAllGatherRule(Context &c) {
  Shape x = c.DimsOfRank(0, 3, "x"), w = c.DimsOfRank(1, 3, "weight");
  int64_t ep = WorldSize(c, "ep_world_size"), tp = WorldSize(c, "tp_world_size");
  bool by_rows = c.IntAttr("x_shard_type") == 1, transposed = c.BoolAttr("transpose_weight");
  int64_t experts = c.SameDim(Divided(c, x[0], ep, "the experts of x", "ep_world_size"), w[0],
                              "the number of experts of a rank in x and weight");
  int64_t rows = Times(c, Times(c, x[1], ep, "the rows of an expert"), by_rows ? tp : 1, "the rows of an expert");
  int64_t inner = c.SameDim(by_rows ? x[2] : Times(c, x[2], tp, "the columns of x"), w[transposed ? 2 : 1],
                            "the inner extent of x and weight");
  int64_t columns = w[transposed ? 1 : 2];
  c.Out(0, c.Type(0), Shape{experts, rows, columns});
  Shape nothing = Shape::Unknown();
  c.Out(1, c.Type(0), c.BoolAttr("output_y2_flag") ? Shape{experts, rows, inner} : nothing);
  c.Out(2, c.Type(0), c.BoolAttr("output_y3_flag") ? Shape{experts, rows, columns} : nothing);
}

/// The way back.
void ReduceScatterAllToAllRule(Context &c) {
  Shape x = c.DimsOfRank(0, 3, "x"), w = c.DimsOfRank(1, 3, "weight");
  int64_t ep = WorldSize(c, "ep_world_size"), tp = WorldSize(c, "tp_world_size");
  Shape y = Product(c, x, w, false, c.BoolAttr("transpose_weight"), {"x", "weight"});
  bool by_rows = c.IntAttr("y_shard_type") == 1;
  int64_t rows = Divided(c, y[1], ep, "an expert's rows", "ep_world_size");
  int64_t columns = y[2];
  if (by_rows) rows = Divided(c, rows, tp, "an expert's rows", "tp_world_size");
  else columns = Divided(c, columns, tp, "a row", "tp_world_size");
  c.Out(0, c.Type(0), Shape{Times(c, y[0], ep, "the number of experts"), rows, columns});
}

/// Rows by expert times the expert's matrix, [experts, rows, columns]; as many rows as `rows` says.
void GroupedOverRanks(Context &c, bool permuted) {
  Shape x = c.DimsOfRank(0, 2, "gmm_x"), w = c.DimsOfRank(1, 3, "gmm_weight");
  bool transposed = c.BoolAttr("trans_gmm_weight");
  int64_t inner = c.SameDim(x[1], w[transposed ? 2 : 1], "the inner extent of gmm_x and gmm_weight");
  int64_t rows = Sum(c, "recv_counts");
  c.SameDim(x[0], Sum(c, "send_counts"), "the rows of gmm_x and the sum of send_counts");
  c.Out(0, c.Type(0), Shape{rows, w[transposed ? 1 : 2]});
  Shape shared = Shape::Unknown();
  if (c.Has(4) && c.Has(5))
    shared = Product(c, c.DimsOfRank(4, 2, "mm_x"), c.DimsOfRank(5, 2, "mm_weight"), false,
                     c.BoolAttr("trans_mm_weight"), {"mm_x", "mm_weight"});
  c.Out(1, c.Type(0), shared);
  if (permuted) c.Out(2, c.Type(0), c.BoolAttr("permute_out_flag") ? Shape{rows, inner} : Shape::Unknown());
}
void AllToAllvGroupedRule(Context &c) { GroupedOverRanks(c, true); }
void GroupedAllToAllvRule(Context &c) { GroupedOverRanks(c, false); }

/// A product of rows by expert that are added up by token: the tokens are an attribute.
void GroupedFinalizeRule(Context &c) {
  Shape x = c.DimsOfRank(0, 2, "x"), w = c.DimsOfRank(1, 3, "w");
  bool transposed = c.BoolAttr("transpose_w");
  c.SameDim(x[c.BoolAttr("transpose_x") ? 0 : 1], w[transposed ? 2 : 1], "the inner extent of x and w");
  int64_t tokens = c.IntAttr("output_bs");
  if (tokens < 0) c.Fail("output_bs is ", tokens, ", expected no negative value");
  c.Out(0, C_DT_FLOAT, Shape{tokens > 0 ? tokens : -1, w[transposed ? 1 : 2]});
}

/// A sparse matrix, given by the shape in input 2, times a dense one.
void SparseDenseRule(Context &c) {
  Shape indices = c.DimsOfRank(0, 2, "x1_indices"), b = c.DimsOfRank(3, 2, "x2"), a = Shape::OfRank(2);
  c.SameDim(indices[1], 2, "the number of columns of x1_indices");
  if (auto shape = c.Ints(2)) {
    if (shape->size() != 2) c.Fail("x1_shape has ", shape->size(), " values, expected 2");
    for (int64_t i = 0; i < 2; ++i) {
      int64_t extent = (*shape)[static_cast<size_t>(i)];
      if (extent != kUnknown && extent < 0) c.Fail("x1_shape[", i, "] is ", extent, ", expected no negative value");
      if (extent != kUnknown) a[i] = extent;
    }
  }
  c.Out(0, c.Type(3), Product(c, a, b, c.BoolAttr("adjoint_a"), c.BoolAttr("adjoint_b")));
}

/// Caffe's inner product: the dimensions from `axis` on are one row.
void FullyConnectionRule(Context &c) {
  int64_t outputs = c.IntAttr("num_output"), axis = c.IntAttr("axis", 1);
  if (outputs < 1) c.Fail("num_output is ", outputs, ", expected at least 1");
  if (axis != 1 && axis != 2) c.Fail("axis is ", axis, ", expected 1 or 2");
  Shape x = c.Dims(0), y = Shape::OfRank(axis);
  if (x.has_rank()) {
    if (x.rank() <= axis) c.Fail("x has shape ", x.str(), ", expected more than ", axis, " dimensions");
    for (int64_t i = 0; i < axis; ++i) y[i] = x[i];
  }
  y.dims().push_back(outputs);
  int32_t type = c.SameType({0, 1}, {"x", "w"});
  c.Out(0, type == C_DT_INT8 || type == C_DT_INT4 ? static_cast<int32_t>(C_DT_INT32) : type, y);
}

constexpr Entry kMatrixRankRules[] = {
    {"TransposeBatchMatMul", Guarded<TransposeBatchMatMulRule>},
    {"TransposeQuantBatchMatMul", Guarded<TransposeQuantBatchMatMulRule>},
    {"DualLevelQuantBatchMatmul", Guarded<DualLevelQuantRule>},
    {"MatmulEmuSplitWeight", Guarded<EmuSplitWeightRule>},
    {"QuantMatmulReduceSum", Guarded<QuantReduceSumRule>},
    {"QuantMatmulActivationQuant", Guarded<ActivationQuantRule>},
    {"AllGatherMatmul", Guarded<AllGatherMatmulRule>},
    {"MatmulReduceScatter", Guarded<MatmulReduceScatterRule>},
    {"MatmulAllReduce", Guarded<MatmulAllReduceRule>},
    {"AlltoAllAllGatherBatchMatMul", Guarded<AllToAllGatherRule>},
    {"BatchMatMulReduceScatterAlltoAll", Guarded<ReduceScatterAllToAllRule>},
    {"AlltoAllvGroupedMatMul", Guarded<AllToAllvGroupedRule>},
    {"GroupedMatMulAlltoAllv", Guarded<GroupedAllToAllvRule>},
    {"GroupedMatmulFinalizeRouting", Guarded<GroupedFinalizeRule>},
    {"SparseTensorDenseMatMul", Guarded<SparseDenseRule>},
    {"FullyConnection", Guarded<FullyConnectionRule>},
};

}  // namespace

std::span<const Entry> MatrixRankRules() { return kMatrixRankRules; }

}  // namespace gec::infer
