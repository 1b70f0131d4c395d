// Shapes as values: results that say how large other tensors are.
#include <algorithm>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

int64_t Length(Context &c, size_t ir, const char *name) { return c.DimsOfRank(ir, 1, name)[0]; }

void BroadcastArgsRule(Context &c) {
  int32_t type = c.SameType({0, 1}, {"x1", "x2"});
  auto a = c.Ints(0), b = c.Ints(1);
  int64_t na = Length(c, 0, "x1"), nb = Length(c, 1, "x2");
  c.Out(0, type, Shape{na < 0 || nb < 0 ? -1 : std::max(na, nb)});
  if (!a || !b) return;
  Values y(std::max(a->size(), b->size()), kUnknown);
  for (size_t i = 0; i < y.size(); ++i) {  // from the last axis
    int64_t p = i < a->size() ? (*a)[a->size() - 1 - i] : 1, q = i < b->size() ? (*b)[b->size() - 1 - i] : 1;
    int64_t &out = y[y.size() - 1 - i];
    if (p == q || q == 1) out = p;
    else if (p == 1) out = q;
    else if (p == kUnknown || q == kUnknown) out = p == kUnknown ? q : p;
    else c.Fail("x1 and x2 are shapes that cannot be broadcast: ", p, " and ", q, " at axis ", y.size() - 1 - i);
  }
  c.OutPartial(0, y);
}

/// The axes over which the gradient of each operand of a broadcast is summed.
void BroadcastGradientArgsRule(Context &c) {
  int32_t type = c.SameType({0, 1}, {"x1", "x2"});
  Length(c, 0, "x1");
  Length(c, 1, "x2");
  auto a = c.KnownInts(0), b = c.KnownInts(1);
  if (!a || !b) {
    c.Out(0, type, Shape{-1});
    return c.Out(1, type, Shape{-1});
  }
  size_t rank = std::max(a->size(), b->size());
  a->insert(a->begin(), rank - a->size(), 1);
  b->insert(b->begin(), rank - b->size(), 1);
  Values of_a, of_b;
  for (size_t i = 0; i < rank; ++i) {
    int64_t p = (*a)[i], q = (*b)[i], axis = static_cast<int64_t>(i);
    if (p != q && p != 1 && q != 1)
      c.Fail("x1 and x2 are shapes that cannot be broadcast: ", p, " and ", q, " at axis ", i);
    if (p == 1) of_a.push_back(axis);
    if (q == 1) of_b.push_back(axis);
  }
  c.Out(0, type, Shape{static_cast<int64_t>(of_a.size())});
  c.Out(1, type, Shape{static_cast<int64_t>(of_b.size())});
  c.OutPartial(0, of_a);
  c.OutPartial(1, of_b);
}

/// The inputs' shapes one after the other.
void GetShapeRule(Context &c) {
  Values y;
  for (size_t k = 0; k < c.Instances(0); ++k) {
    Shape x = c.Dims(0, k);
    if (!x.has_rank()) return c.Out(0, C_DT_INT32, Shape{-1});
    for (int64_t extent : x.dims()) y.push_back(c.ValueOf(extent));
  }
  c.Out(0, C_DT_INT32, Shape{static_cast<int64_t>(y.size())});
  c.OutPartial(0, y);
}

/// One value for each unknown extent of the shapes in shape_info.
void GetDynamicDimsRule(Context &c) {
  Values info = c.IntsAttr("shape_info");
  c.Out(0, C_DT_INT64, Shape{std::count(info.begin(), info.end(), -1)});
}

/// Pairs of (input, axis) name the extents.
void GatherShapesRule(Context &c) {
  int32_t type = c.TypeAttr("dtype", C_DT_INT32);
  const GeAttrData *axes = GeOpAttr(&c.op(), "axes");
  if (!axes || axes->type != C_VT_LIST_LIST_INT) return c.Out(0, type, Shape{-1});
  auto rows = static_cast<const int64_t *const *>(axes->list);
  Values y;
  for (size_t i = 0; i < axes->count; ++i) {
    if (axes->inner_counts[i] != 2)
      c.Fail("axes[", i, "] has ", axes->inner_counts[i], " values, expected 2: an input and an axis");
    int64_t input = rows[i][0], count = static_cast<int64_t>(c.Instances(0));
    if (input < 0 || input >= count)
      c.Fail("axes[", i, "] names input ", input, ", expected a value from 0 to ", count - 1);
    Shape x = c.Dims(0, static_cast<size_t>(input));
    int64_t extent = x.has_rank() ? x[c.Axis(rows[i][1], x.rank(), "an axis in axes")] : -1;
    y.push_back(c.ValueOf(extent));
  }
  c.Out(0, type, Shape{static_cast<int64_t>(y.size())});
  c.OutPartial(0, y);
}

void InvertPermutationRule(Context &c) {
  c.NeedIntegers(0, "x");
  c.Out(0, c.Type(0), c.DimsOfRank(0, 1, "x"));
  auto x = c.KnownInts(0);
  if (!x) return;
  Values y(x->size(), kUnknown);
  for (size_t i = 0; i < x->size(); ++i) {
    int64_t at = (*x)[i], count = static_cast<int64_t>(x->size());
    if (at < 0 || at >= count) c.Fail("x[", i, "] is ", at, ", expected a value from 0 to ", count - 1);
    if (y[static_cast<size_t>(at)] != kUnknown) c.Fail("x contains ", at, " twice");
    y[static_cast<size_t>(at)] = static_cast<int64_t>(i);
  }
  c.OutPartial(0, y);
}

/// Where each of the shapes begins in their concatenation.
void ConcatOffsetRule(Context &c) {
  auto axis = c.Int(0, "concat_dim");
  int64_t start = 0;
  for (size_t k = 0; k < c.Instances(1); ++k) {
    Shape x = c.Dims(1, k);
    if (x.has_rank() && x.rank() != 1) c.Fail("x", k, " has shape ", x.str(), ", expected 1 dimension");
    c.Out(k, c.Type(1, k), x);
    auto extents = c.Ints(1, k);
    if (!axis || !extents) {
      start = kUnknown;
      continue;
    }
    size_t at = static_cast<size_t>(c.Axis(*axis, static_cast<int64_t>(extents->size()), "concat_dim"));
    Values y(extents->size(), 0);
    y[at] = start;
    int64_t extent = (*extents)[at];
    if (start != kUnknown) start = extent == kUnknown ? kUnknown : c.CheckedAdd(start, extent, "an offset");
    c.OutPartial(k, y);
  }
}

/// The shape that results, with the -1 of what is asked for filled in.
void SparseReshapeRule(Context &c) {
  Shape indices = c.DimsOfRank(0, 2, "indices"), old_shape = c.DimsOfRank(1, 1, "shape");
  Shape new_shape = c.DimsOfRank(2, 1, "new_shape");
  c.SameDim(indices[1], old_shape[0], "the rank in indices and in shape");
  c.Out(0, c.Type(0), Shape{indices[0], new_shape[0]});
  c.Out(1, c.Type(1), new_shape);
  auto from = c.KnownInts(1), to = c.KnownInts(2);
  if (!to) return;
  int64_t given = 1, hole = -1;
  for (size_t i = 0; i < to->size(); ++i) {
    if ((*to)[i] == -1 && hole < 0) hole = static_cast<int64_t>(i);
    else if ((*to)[i] < 0) c.Fail("new_shape[", i, "] is ", (*to)[i], ", expected no negative value but one -1");
    else given = c.CheckedMul(given, (*to)[i], "the number of elements of new_shape");
  }
  if (hole >= 0) {
    if (!from) return;
    int64_t total = 1;
    for (int64_t extent : *from) total = c.CheckedMul(total, extent, "the number of elements of shape");
    if (given < 1 || total % given)
      c.Fail("shape has ", total, " elements, expected a multiple of ", given, " for new_shape");
    (*to)[static_cast<size_t>(hole)] = total / given;
  }
  c.OutPartial(1, *to);
}

/// Bits for as many elements as a shape has, 128 at a time, in bytes.
void DropOutGenMaskRule(Context &c) {
  auto shape = c.KnownInts(0);
  int64_t bytes = -1;
  if (shape) {
    int64_t count = 1;
    for (int64_t extent : *shape) {
      if (extent < 0) c.Fail("shape contains ", extent, ", expected no negative value");
      count = c.CheckedMul(count, extent, "the number of elements of shape");
    }
    bytes = (count / 128 + (count % 128 != 0)) * 16;
  }
  c.Out(0, C_DT_UINT8, Shape{bytes});
}

/// TensorFlow: all axes of the shapes but the last, which is that of the sequences.
void EditDistanceRule(Context &c) {
  int64_t rank = c.SameDim(Length(c, 2, "hypothesis_shape"), Length(c, 5, "truth_shape"), "the rank of both tensors");
  if (rank < 0) return c.Out(0, C_DT_FLOAT, Shape::Unknown());
  if (rank < 2 || rank > GE_MAX_RANK) c.Fail("hypothesis_shape has ", rank, " values, expected 2 to ", GE_MAX_RANK);
  auto a = c.Ints(2), b = c.Ints(5);
  Shape y = Shape::OfRank(rank - 1);
  for (size_t i = 0; a && b && i + 1 < a->size(); ++i)
    if ((*a)[i] != kUnknown && (*b)[i] != kUnknown) y.dims()[i] = std::max<int64_t>({(*a)[i], (*b)[i], 0});
  c.Out(0, C_DT_FLOAT, y);
}

/// Counts for each row of a sparse matrix, or of a sparse vector.
void SparseBincountRule(Context &c) {
  auto dense = c.Ints(2);
  auto size = c.Int(3, "size");
  if (size && *size < 0) c.Fail("size is ", *size, ", expected no negative value");
  int64_t bins = size ? *size : -1;
  if (!dense) return c.Out(0, c.Type(4), Shape::Unknown());
  if (dense->size() != 1 && dense->size() != 2) c.Fail("dense_shape has ", dense->size(), " values, expected 1 or 2");
  int64_t rows = (*dense)[0] == kUnknown ? -1 : (*dense)[0];
  c.Out(0, c.Type(4), dense->size() == 1 ? Shape{bins} : Shape{rows, bins});
}

constexpr Entry kShapeValueRules[] = {
    {"BroadcastArgs", Guarded<BroadcastArgsRule>},
    {"BroadcastGradientArgs", Guarded<BroadcastGradientArgsRule>},
    {"GetShape", Guarded<GetShapeRule>},
    {"GetDynamicDims", Guarded<GetDynamicDimsRule>},
    {"GatherShapes", Guarded<GatherShapesRule>},
    {"InvertPermutation", Guarded<InvertPermutationRule>},
    {"ConcatOffset", Guarded<ConcatOffsetRule>},
    {"SparseReshape", Guarded<SparseReshapeRule>},
    {"StatelessDropOutGenMask", Guarded<DropOutGenMaskRule>},
    {"EditDistance", Guarded<EditDistanceRule>},
    {"SparseBincount", Guarded<SparseBincountRule>},
};

}  // namespace

std::span<const Entry> ShapeValueRules() { return kShapeValueRules; }

}  // namespace gec::infer
