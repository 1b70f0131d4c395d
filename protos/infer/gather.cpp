// Reading and writing at computed positions.
#include <algorithm>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

Shape GatherShape(Context &c, const Shape &x, const Shape &indices, int64_t axis, int64_t batch_dims) {
  Shape y;
  auto &dims = y.dims();
  dims.insert(dims.end(), x.dims().begin(), x.dims().begin() + axis);
  for (int64_t i = 0; i < batch_dims; ++i)
    dims[static_cast<size_t>(i)] = c.SameDim(x[i], indices[i], "a batch extent of x and indices");
  dims.insert(dims.end(), indices.dims().begin() + batch_dims, indices.dims().end());
  dims.insert(dims.end(), x.dims().begin() + axis + 1, x.dims().end());
  return y;
}

void GatherAlong(Context &c, std::optional<int64_t> given_axis) {
  c.NeedIntegers(1, "indices");
  Shape x = c.Dims(0), indices = c.Dims(1);
  if (!x.has_rank() || !indices.has_rank()) return c.Out(0, c.Type(0), Shape::Unknown());
  if (x.rank() == 0) c.Fail("x is a scalar, expected at least 1 dimension");
  int64_t batch = c.IntAttr("batch_dims");
  if (batch < 0) batch += indices.rank();
  if (batch < 0 || batch > indices.rank() || batch >= x.rank())
    c.Fail("batch_dims is ", c.IntAttr("batch_dims"), ", too large for indices of shape ", indices.str());
  int64_t rank = x.rank() - 1 + indices.rank() - batch;
  if (!given_axis) return c.Out(0, c.Type(0), Shape::OfRank(rank));
  int64_t axis = c.Axis(*given_axis, x.rank(), "axis");
  if (axis < batch) c.Fail("axis is ", axis, ", expected at least batch_dims ", batch);
  c.Out(0, c.Type(0), GatherShape(c, x, indices, axis, batch));
  if (x.rank() != 1 || batch != 0) return;
  auto values = c.Partial(0);
  auto chosen = c.Ints(1);
  if (!values || !chosen) return;
  Values out(chosen->size(), kUnknown);
  int64_t count = static_cast<int64_t>(values->size());
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t at = (*chosen)[i];
    if (at == kUnknown) continue;
    if (at < -count || at >= count)
      c.Fail("indices[", i, "] is ", at, ", expected a value from ", -count, " to ", count - 1);
    out[i] = (*values)[static_cast<size_t>(at < 0 ? at + count : at)];
  }
  c.OutPartial(0, out);
}

void GatherV2Rule(Context &c) { GatherAlong(c, c.Int(2, "axis")); }

void GatherRule(Context &c) { GatherAlong(c, std::max<int64_t>(0, c.IntAttr("batch_dims"))); }

void GatherNdRule(Context &c) {
  c.NeedIntegers(1, "indices");
  Shape x = c.Dims(0), indices = c.Dims(1);
  if (!x.has_rank() || !indices.has_rank()) return c.Out(0, c.Type(0), Shape::Unknown());
  if (indices.rank() == 0) c.Fail("indices is a scalar, expected at least 1 dimension");
  int64_t depth = indices[indices.rank() - 1];
  if (depth < 0) return c.Out(0, c.Type(0), Shape::Unknown());
  if (depth > x.rank())
    c.Fail("indices has tuples of ", depth, ", expected at most the ", x.rank(), " dimensions of x");
  Shape y(std::vector<int64_t>(indices.dims().begin(), indices.dims().end() - 1));
  y.dims().insert(y.dims().end(), x.dims().begin() + depth, x.dims().end());
  c.Out(0, c.Type(0), y);
}

void GatherElementsRule(Context &c) {
  c.NeedIntegers(1, "index");
  Shape x = c.Dims(0), index = c.Dims(1);
  if (x.has_rank()) {
    c.Axis(c.IntAttr("dim"), x.rank(), "dim");
    if (index.has_rank() && index.rank() != x.rank())
      c.Fail("index has shape ", index.str(), ", expected ", x.rank(), " dimensions as x");
  }
  c.Out(0, c.Type(0), index);
}

void ScatterElementsRule(Context &c) {
  c.NeedIntegers(1, "indices");
  Shape data = c.Dims(0), indices = c.Dims(1), updates = c.Dims(2);
  if (data.has_rank()) {
    c.Axis(c.IntAttr("axis"), data.rank(), "axis");
    if (indices.has_rank() && indices.rank() != data.rank())
      c.Fail("indices has shape ", indices.str(), ", expected ", data.rank(), " dimensions as data");
  }
  bool fit = !indices.has_rank() || !updates.has_rank() || indices.rank() == updates.rank();
  for (int64_t i = 0; fit && indices.has_rank() && i < updates.rank(); ++i) fit = !c.Differ(indices[i], updates[i]);
  if (!fit) c.Fail("updates has shape ", updates.str(), ", expected ", indices.str(), " as indices");
  c.Out(0, c.SameType({0, 2}, {"data", "updates"}), data);
}

/// Checks that updates fits slices of a tensor of shape `x` at index tuples.
void CheckTuples(Context &c, const Shape &x, const Shape &indices, const Shape &updates, const char *name) {
  if (!indices.has_rank()) return;
  if (indices.rank() == 0) c.Fail("indices is a scalar, expected at least 1 dimension");
  int64_t depth = indices[indices.rank() - 1];
  if (!x.has_rank() || depth < 0) return;
  if (depth > x.rank()) c.Fail("indices has tuples of ", depth, ", expected at most ", x.rank());
  if (!updates.has_rank()) return;
  Shape want(std::vector<int64_t>(indices.dims().begin(), indices.dims().end() - 1));
  want.dims().insert(want.dims().end(), x.dims().begin() + depth, x.dims().end());
  bool fits = want.rank() == updates.rank();
  for (int64_t i = 0; fits && i < want.rank(); ++i) fits = !c.Differ(want[i], updates[i]);
  if (!fits) c.Fail(name, " has shape ", updates.str(), ", expected ", want.str());
}

void ScatterNdRule(Context &c) {
  c.NeedIntegers(0, "indices");
  Shape extents = c.Dims(2), y = Shape::Unknown();
  if (extents.has_rank() && extents.rank() != 1) c.Fail("shape has shape ", extents.str(), ", expected 1 dimension");
  if (auto values = c.SymbolicInts(2)) {
    y = Shape::OfRank(static_cast<int64_t>(values->size()));
    for (size_t i = 0; i < values->size(); ++i) {
      int64_t extent = (*values)[i];
      if (extent == kUnknown) continue;
      if (extent < 0 && !IsSymbolic(extent)) c.Fail("shape[", i, "] is ", extent, ", expected no negative value");
      y.dims()[i] = extent;
    }
  }
  CheckTuples(c, y, c.Dims(0), c.Dims(1), "x");
  c.Out(0, c.Type(1), y);
}

void ScatterTuplesRule(Context &c) {
  c.NeedIntegers(1, "indices");
  CheckTuples(c, c.Dims(0), c.Dims(1), c.Dims(2), "updates");
  c.Out(0, c.SameType({0, 2}, {"the target", "updates"}), c.Dims(0));
}

void ScatterUpdateRule(Context &c) {
  c.NeedIntegers(1, "indices");
  Shape var = c.Dims(0), indices = c.Dims(1), updates = c.Dims(2);
  if (var.has_rank() && indices.has_rank() && updates.has_rank()) {
    if (var.rank() == 0) c.Fail("var is a scalar, expected at least 1 dimension");
    Shape want = indices;
    want.dims().insert(want.dims().end(), var.dims().begin() + 1, var.dims().end());
    bool fits = want.rank() == updates.rank() || updates.rank() == 0;
    for (int64_t i = 0; fits && i < updates.rank(); ++i) fits = !c.Differ(want[i], updates[i]);
    if (!fits) c.Fail("updates has shape ", updates.str(), ", expected ", want.str());
  }
  c.Out(0, c.SameType({0, 2}, {"var", "updates"}), var);
}

/// One row for each segment; segment ids cover the leading axes of x.
void UnsortedSegmentRule(Context &c) {
  c.NeedIntegers(1, "segment_ids");
  Shape x = c.Dims(0), ids = c.Dims(1);
  auto count = c.Int(2, "num_segments");
  if (count && *count < 0) c.Fail("num_segments is ", *count, ", expected no negative value");
  if (!x.has_rank() || !ids.has_rank()) return c.Out(0, c.Type(0), Shape::Unknown());
  if (ids.rank() > x.rank())
    c.Fail("segment_ids has shape ", ids.str(), ", expected at most the ", x.rank(), " dimensions of x");
  for (int64_t i = 0; i < ids.rank(); ++i) c.SameDim(x[i], ids[i], "an extent of x and segment_ids");
  Shape y{count ? *count : -1};
  y.dims().insert(y.dims().end(), x.dims().begin() + ids.rank(), x.dims().end());
  c.Out(0, c.Type(0), y);
}

constexpr Entry kGatherRules[] = {
    {"Gather", Guarded<GatherRule>},
    {"GatherV2", Guarded<GatherV2Rule>},
    {"UnsortedSegmentSum", Guarded<UnsortedSegmentRule>},
    {"UnsortedSegmentMax", Guarded<UnsortedSegmentRule>},
    {"UnsortedSegmentMin", Guarded<UnsortedSegmentRule>},
    {"UnsortedSegmentProd", Guarded<UnsortedSegmentRule>},
    {"GatherNd", Guarded<GatherNdRule>},
    {"GatherElements", Guarded<GatherElementsRule>},
    {"ScatterElements", Guarded<ScatterElementsRule>},
    {"ScatterNd", Guarded<ScatterNdRule>},
    {"ScatterNdUpdate", Guarded<ScatterTuplesRule>},
    {"TensorScatterUpdate", Guarded<ScatterTuplesRule>},
    {"ScatterUpdate", Guarded<ScatterUpdateRule>},
};

}  // namespace

std::span<const Entry> GatherRules() { return kGatherRules; }

}  // namespace gec::infer
