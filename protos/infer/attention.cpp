// Attention of many heads.
#include <string>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// The extents of one operand, wherever its layout puts them.
struct Heads {
  int64_t batch = -1, heads = -1, length = -1, size = -1;
};

bool LengthsFirst(Context &c, const char *attr) {
  const std::string layout = c.StringAttr(attr, "BNSH");
  if (layout != "BNSH" && layout != "BSNH") c.Fail(attr, " is '", layout, "', expected BNSH or BSNH");
  return layout == "BSNH";
}

Heads ReadHeads(Context &c, size_t ir, const char *name, const char *attr) {
  const bool lengths_first = LengthsFirst(c, attr);
  const Shape x = c.DimsOfRank(ir, 4, name);
  if (!x.has_rank()) return {};
  return {x[0], x[lengths_first ? 2 : 1], x[lengths_first ? 1 : 2], x[3]};
}

void Divides(Context &c, int64_t keys, int64_t queries) {
  if (keys == 0 || (keys > 0 && c.NoMultiple(queries, keys)))
    c.Fail(queries, " heads of query do not divide among ", keys, " heads of key");
}

void AttentionRule(Context &c) {
  Heads q = ReadHeads(c, 0, "query", "query_layout"), k = ReadHeads(c, 1, "key", "key_layout"),
        v = ReadHeads(c, 2, "value", "value_layout");
  const int64_t batch =
      c.SameDim(c.SameDim(q.batch, k.batch, "the batch of query and key"), v.batch, "the batch of query and value");
  const int64_t keys = c.SameDim(k.length, v.length, "the length of key and value");
  (void)c.SameDim(k.heads, v.heads, "the number of heads of key and value");
  (void)c.SameDim(q.size, k.size, "the size of heads of query and key");
  if (q.heads != -1) Divides(c, k.heads, q.heads);
  if (c.Has(3)) {
    const Shape mask = c.Dims(3);
    Shape scores{batch, q.heads, q.length, keys};
    if (mask.has_rank() && mask.rank() > 0 && keys >= 0 && mask[mask.rank() - 1] > 1 && mask[mask.rank() - 1] < keys)
      scores[3] = mask[mask.rank() - 1];  // it may end early
    if (c.CannotSpread(mask, scores))
      c.Fail("mask has shape ", mask.str(), ", expected one that broadcasts to ", scores.str());
  }
  if (c.Has(4)) {
    const Shape lengths = c.DimsOfRank(4, 1, "lengths");
    c.NeedIntegers(4, "lengths");
    if (lengths.has_rank()) (void)c.SameDim(lengths[0], batch, "the extent of lengths and the batch");
  }
  if (c.Has(5)) {
    const Shape sink = c.DimsOfRank(5, 1, "sink");
    if (sink.has_rank()) (void)c.SameDim(sink[0], q.heads, "the extent of sink and the heads of query");
  }
  for (const char *name : {"left_window", "right_window"})
    if (c.IntAttr(name, -1) < -1) c.Fail(name, " is ", c.IntAttr(name, -1), ", expected -1 or more");
  const std::string align = c.StringAttr("align", "start");
  if (align != "start" && align != "end" && align != "end_or_start")
    c.Fail("align is '", align, "', expected start, end or end_or_start");
  const bool lengths_first = LengthsFirst(c, "output_layout");
  c.Out(0, c.TypeAttr("dtype", c.SameType({0, 1, 2}, {"query", "key", "value"})),
        lengths_first ? Shape{batch, q.length, q.heads, v.size} : Shape{batch, q.heads, q.length, v.size});
}

void AppendKeyValueRule(Context &c) {
  const Heads rows = ReadHeads(c, 1, "rows", "rows_layout");
  const Shape cache = c.DimsOfRank(0, 4, "cache"), lengths = c.DimsOfRank(2, 1, "lengths");
  c.NeedIntegers(2, "lengths");
  Heads own;
  if (cache.has_rank()) own = {cache[0], cache[1], cache[2], cache[3]};
  const int64_t batch = c.SameDim(own.batch, rows.batch, "the batch of cache and rows");
  if (lengths.has_rank()) (void)c.SameDim(lengths[0], batch, "the extent of lengths and the batch");
  int64_t length = own.length;
  if (c.Has(3)) {
    c.NeedIntegers(3, "extent");
    const std::optional<Values> extent = c.SymbolicInts(3);
    const int64_t least = extent && extent->size() == 1 ? (*extent)[0] : kUnknown;
    const std::optional<bool> at_most = c.AtMost(least, Context::ValueOf(own.length));
    length = !at_most ? -1 : *at_most ? own.length : Context::ExtentOf(least);
  }
  c.Out(0, c.SameType({0, 1}, {"cache", "rows"}),
        Shape{batch, c.SameDim(own.heads, rows.heads, "the number of heads of cache and rows"), length,
              c.SameDim(own.size, rows.size, "the size of heads of cache and rows")});
}

constexpr Entry kAttentionRules[] = {
    {"AppendKeyValue", Guarded<AppendKeyValueRule>},
    {"ScaledDotProductAttention", Guarded<AttentionRule>},
};

}  // namespace

std::span<const Entry> AttentionRules() { return kAttentionRules; }

}  // namespace gec::infer
