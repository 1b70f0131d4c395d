// Tensors as indices, segments of rows, and joins whose place depends on values.
#include <algorithm>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// NumPy's indexing by tensors, which broadcast: their axes replace those that they index, where these are neighbours,
/// and come first otherwise. `indexed` tells for each axis of x whether one of the tensors is for it.
Shape IndexedShape(Context &c, size_t tensors, const std::vector<bool> &indexed) {
  Shape x = c.Dims(0), place;
  size_t used = static_cast<size_t>(std::count(indexed.begin(), indexed.end(), true)), count = c.Instances(tensors);
  if (used != count) c.Fail("indices has ", count, " tensors, expected ", used, " as axes are indexed");
  for (size_t k = 0; k < count; ++k)
    place = k == 0 ? c.Dims(tensors, 0) : c.Broadcast(place, c.Dims(tensors, k), "the indices so far", "the next ones");
  if (!x.has_rank() || !place.has_rank()) return Shape::Unknown();
  if (static_cast<int64_t>(indexed.size()) > x.rank())
    c.Fail("x has shape ", x.str(), ", expected at least ", indexed.size(), " dimensions");
  auto first = std::find(indexed.begin(), indexed.end(), true);
  auto gap = std::find(first, indexed.end(), false);
  bool neighbours = std::find(gap, indexed.end(), true) == indexed.end();
  size_t at = neighbours && first != indexed.end() ? static_cast<size_t>(first - indexed.begin()) : 0;
  Shape y;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (static_cast<size_t>(i) >= indexed.size() || !indexed[static_cast<size_t>(i)]) y.dims().push_back(x[i]);
  y.dims().insert(y.dims().begin() + static_cast<int64_t>(at), place.dims().begin(), place.dims().end());
  return y;
}

bool HasBool(Context &c, size_t ir) {
  for (size_t k = 0; k < c.Instances(ir); ++k)
    if (c.Type(ir, k) == C_DT_BOOL) return true;
  return false;
}

/// Input 1 says for each axis of x whether it is indexed.
void IndexRule(Context &c) {
  auto mask = c.KnownInts(1);
  if (!mask || HasBool(c, 3)) return c.Out(0, c.Type(0), Shape::Unknown());
  std::vector<bool> indexed;
  for (int64_t value : *mask) indexed.push_back(value != 0);
  c.Out(0, c.Type(0), IndexedShape(c, 3, indexed));
}

/// Attribute indices_mask says it; without one the first axes are meant.
void IndexByTensorRule(Context &c) {
  Values mask = c.IntsAttr("indices_mask");
  if (HasBool(c, 1)) return c.Out(0, c.Type(0), Shape::Unknown());
  std::vector<bool> indexed(mask.empty() ? c.Instances(1) : 0, true);
  for (int64_t value : mask) indexed.push_back(value != 0);
  c.Out(0, c.Type(0), IndexedShape(c, 1, indexed));
}

/// As many rows as the largest index needs.
void DynamicStitchRule(Context &c) {
  int64_t largest = -1;
  bool known = true;
  Shape rest = Shape::Unknown();
  for (size_t k = 0; k < c.Instances(0); ++k) {
    auto indices = c.KnownInts(0, k);
    known &= indices.has_value();
    for (size_t i = 0; indices && i < indices->size(); ++i) {
      if ((*indices)[i] < 0) c.Fail("indices", k, " contains ", (*indices)[i], ", expected no negative value");
      largest = std::max(largest, (*indices)[i]);
    }
    Shape at = c.Dims(0, k), x = k < c.Instances(1) ? c.Dims(1, k) : Shape::Unknown();
    if (!at.has_rank() || !x.has_rank()) continue;
    if (x.rank() < at.rank()) c.Fail("x", k, " has shape ", x.str(), ", expected one that begins with ", at.str());
    Shape row(std::vector<int64_t>(x.dims().begin() + at.rank(), x.dims().end()));
    if (rest.has_rank() && rest.rank() != row.rank())
      c.Fail("x", k, " has rows of shape ", row.str(), ", expected ", rest.str(), " like those before");
    for (int64_t i = 0; rest.has_rank() && i < row.rank(); ++i)
      row[i] = c.SameDim(row[i], rest[i], "an extent of the rows of x");
    rest = row;
  }
  if (rest.has_rank()) {
    int64_t rows = !known ? -1 : c.CheckedAdd(largest, 1, "the number of rows");
    rest.dims().insert(rest.dims().begin(), rows);
  }
  c.Out(0, c.Instances(1) ? c.Type(1) : c.Type(0), rest);
}

/// One row for each segment; the ids of the segments rise.
template <size_t ids_at>
void SegmentsRule(Context &c) {
  Shape x = c.Dims(0);
  const char *name = "segment_ids";
  Shape ids_shape = c.DimsOfRank(ids_at, 1, name);
  auto ids = c.KnownInts(ids_at);
  if (!x.has_rank()) return c.Out(0, c.Type(0), x);
  if (x.rank() == 0) c.Fail("x is a scalar, expected at least 1 dimension");
  int64_t rows = ids_at == 1 ? x[0] : c.Dims(1).elements();
  c.SameDim(ids_shape[0], rows,
            ids_at == 1 ? "the number of rows of x and segment_ids" : "the length of indices and segment_ids");
  x[0] = ids ? 0 : -1;
  for (size_t i = 0; ids && i < ids->size(); ++i) {
    int64_t id = (*ids)[i];
    if (id < 0 || (i && id < (*ids)[i - 1]))
      c.Fail(name, "[", i, "] is ", id, ", expected at least ", i ? (*ids)[i - 1] : 0);
    x[0] = c.CheckedAdd(id, 1, "the number of segments");
  }
  c.Out(0, c.Type(0), x);
}

/// Each tensor is padded along the axis to a multiple of num_chunks, and what lies behind the axis is one row.
void ChunkCatRule(Context &c) {
  int64_t dim = c.IntAttr("dim"), chunks = c.IntAttr("num_chunks"), width = 0;
  if (chunks < 1) c.Fail("num_chunks is ", chunks, ", expected at least 1");
  Shape y = Shape::Unknown();
  int32_t type = c.Instances(0) ? c.Type(0, 0) : static_cast<int32_t>(C_DT_UNDEFINED);
  for (size_t k = 0; k < c.Instances(0); ++k) {
    Shape x = c.Dims(0, k);
    if (!x.has_rank()) {
      width = -1;
      continue;
    }
    int64_t axis = c.Axis(dim, x.rank(), "dim"), part = x[axis] < 0 ? -1 : x[axis] / chunks + (x[axis] % chunks != 0);
    for (int64_t i = axis + 1; i < x.rank(); ++i)
      part = part < 0 || x[i] < 0 ? -1 : c.CheckedMul(part, x[i], "the width of a chunk");
    width = width < 0 || part < 0 ? -1 : c.CheckedAdd(width, part, "the width of a chunk");
    Shape lead(std::vector<int64_t>(x.dims().begin(), x.dims().begin() + axis));
    if (y.has_rank() && y.rank() != axis) c.Fail("dim is ", dim, ", another axis in x", k, " of shape ", x.str());
    for (int64_t i = 0; y.has_rank() && i < axis; ++i)
      lead[i] = c.SameDim(lead[i], y[i], "an extent before the axis of all x");
    y = lead;
  }
  if (y.has_rank()) {
    y.dims().push_back(chunks);
    y.dims().push_back(width);
  }
  c.Out(0, type, y);
}

/// Rows of a table, summed by bags: of indices between offsets, or of each row of indices.
void EmbeddingBagRule(Context &c) {
  Shape weight = c.DimsOfRank(0, 2, "weight"), indices = c.Dims(1);
  std::string mode = c.StringAttr("mode", "mean");
  if (mode != "mean" && mode != "sum" && mode != "max") c.Fail("mode is '", mode, "', expected mean, sum or max");
  int64_t bags = -1;
  if (c.Has(2)) {
    bags = c.DimsOfRank(2, 1, "offsets")[0];
    if (bags > 0 && c.BoolAttr("include_last_offset")) --bags;
  } else if (indices.has_rank()) {
    if (indices.rank() != 2) c.Fail("indices has shape ", indices.str(), ", expected 2 dimensions without offsets");
    bags = indices[0];
  }
  c.Out(0, c.Type(0), Shape{bags, weight[1]});
  c.Out(1, c.Type(1), Shape{-1});
  c.Out(2, c.Type(1), Shape{bags});
  c.Out(3, c.Type(1), mode == "max" ? Shape{bags, weight[1]} : Shape::Unknown());
}

/// Every row of one sequence with every row of the other, for each of the batch.
void DynSeqOuterRule(Context &c) {
  Shape x = c.DimsOfRank(0, 2, "x1"), other = c.DimsOfRank(1, 2, "x2");
  int64_t width = c.SameDim(x[1], other[1], "the number of columns of x1 and x2"), rows = -1;
  auto first = c.KnownInts(2), second = c.KnownInts(3);
  if (first && second) {
    if (first->size() != second->size())
      c.Fail("seq_len1 has ", first->size(), " values, expected ", second->size(), " as seq_len2");
    rows = 0;
    for (size_t i = 0; i < first->size(); ++i)
      rows = c.CheckedAdd(rows, c.CheckedMul((*first)[i], (*second)[i], "the number of rows"), "the number of rows");
    if (rows < 0) c.Fail("seq_len1 and seq_len2 lead to ", rows, " rows, expected no negative number");
  }
  c.Out(0, c.Type(0), Shape{rows, width});
}

/// ONNX: how often each n-gram of the vocabulary occurs.
void TfIdfVectorizerRule(Context &c) {
  Shape x = c.Dims(0);
  Values indexes = c.IntsAttr("ngram_indexes");
  if (indexes.empty()) c.Fail("ngram_indexes has no values, expected at least 1");
  int64_t last = *std::max_element(indexes.begin(), indexes.end());
  if (last < 0) c.Fail("ngram_indexes contains ", last, ", expected no negative value");
  if (x.has_rank()) {
    if (x.rank() != 1 && x.rank() != 2) c.Fail("input has shape ", x.str(), ", expected 1 or 2 dimensions");
    x[x.rank() - 1] = c.CheckedAdd(last, 1, "the size of the vocabulary");
  }
  c.Out(0, C_DT_FLOAT, x);
}

constexpr Entry kIndexingRules[] = {
    {"Index", Guarded<IndexRule>},
    {"IndexAiCore", Guarded<IndexRule>},
    {"IndexByTensor", Guarded<IndexByTensorRule>},
    {"DynamicStitch", Guarded<DynamicStitchRule>},
    {"SegmentSum", Guarded<SegmentsRule<1>>},
    {"SparseSegmentMean", Guarded<SegmentsRule<2>>},
    {"SparseSegmentSum", Guarded<SegmentsRule<2>>},
    {"ChunkCat", Guarded<ChunkCatRule>},
    {"EmbeddingBag", Guarded<EmbeddingBagRule>},
    {"DynSeqOuter", Guarded<DynSeqOuterRule>},
    {"TfIdfVectorizer", Guarded<TfIdfVectorizerRule>},
};

}  // namespace

std::span<const Entry> IndexingRules() { return kIndexingRules; }

}  // namespace gec::infer
