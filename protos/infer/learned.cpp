// Recurrent attention, trees, labels, determinants.
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// The extent of one head where `width` holds `heads` of them.
int64_t HeadSize(const Context &c, int64_t width, int64_t heads, const char *name) {
  if (width < 0) return -1;
  if (width % heads != 0) c.Fail(name, " has ", width, " features, expected a multiple of ", heads, " heads");
  return width / heads;
}

void LinearAttentionRule(Context &c) {
  const int64_t q_heads = c.IntAttr("q_num_heads"), kv_heads = c.IntAttr("kv_num_heads");
  if (q_heads < 1 || kv_heads < 1)
    c.Fail("q_num_heads is ", q_heads, " and kv_num_heads ", kv_heads, ", at least 1 is needed");
  const Shape q = c.DimsOfRank(0, 3, "query"), k = c.DimsOfRank(1, 3, "key"), v = c.DimsOfRank(2, 3, "value");
  const int64_t values = v.has_rank() ? HeadSize(c, v[2], kv_heads, "value") : -1,
                keys = q.has_rank()   ? HeadSize(c, q[2], q_heads, "query")
                       : k.has_rank() ? HeadSize(c, k[2], kv_heads, "key")
                                      : -1;
  const int64_t batch = q.has_rank() ? q[0] : -1, length = q.has_rank() ? q[1] : -1;
  const int64_t width = values < 0 ? -1 : c.CheckedMul(values, q_heads, "the number of features");
  c.Out(0, c.Type(0), Shape{batch, length, width});
  c.Out(1, c.Has(3) ? c.Type(3) : c.Type(0), Shape{batch, kv_heads, keys, values});
}

void TreeEnsembleRule(Context &c) {
  const Shape x = c.DimsOfRank(0, 2, "x");
  const int64_t targets = c.IntAttr("target_count");
  if (targets < 1) c.Fail("target_count is ", targets, ", at least 1 is needed");
  c.Out(0, c.Type(7), Shape{x.has_rank() ? x[0] : -1, targets});
}

void FindKeysRule(Context &c) {
  c.SameType({0, 1}, {"x", "keys"});
  c.DimsOfRank(1, 1, "keys");
  c.Out(0, C_DT_INT64, c.Dims(0));
}

void CoupleProbabilitiesRule(Context &c) {
  const Shape pairs = c.DimsOfRank(0, 2, "pairs");
  const int64_t classes = c.IntAttr("classes");
  if (classes < 2 || classes > 100'000) c.Fail("classes is ", classes, ", expected 2 to 100000");
  const int64_t wanted = classes * (classes - 1) / 2;
  if (pairs.has_rank() && pairs[1] >= 0 && pairs[1] != wanted)
    c.Fail("pairs has ", pairs[1], " columns, expected ", wanted, " for ", classes, " classes");
  c.Out(0, c.Type(0), Shape{pairs.has_rank() ? pairs[0] : -1, classes});
}

void DeterminantRule(Context &c) {
  Shape x = c.Dims(0);
  if (!x.has_rank()) return c.Out(0, c.Type(0), x);
  if (x.rank() < 2 || c.Differ(x[x.rank() - 2], x[x.rank() - 1]))
    c.Fail("x has shape ", x.str(), ", expected square matrices");
  x.dims().resize(x.dims().size() - 2);
  c.Out(0, c.Type(0), x);
}

constexpr Entry kLearnedRules[] = {
    {"LinearAttention", Guarded<LinearAttentionRule>},
    {"TreeEnsemble", Guarded<TreeEnsembleRule>},
    {"FindKeys", Guarded<FindKeysRule>},
    {"CoupleProbabilities", Guarded<CoupleProbabilitiesRule>},
    {"MatrixDeterminant", Guarded<DeterminantRule>},
};

}  // namespace

std::span<const Entry> LearnedRules() { return kLearnedRules; }

}  // namespace gec::infer
