// Joining and cutting.
#include <algorithm>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// The type of the first tensor of a dynamic input, which all have that have any.
int32_t TypeOfAll(const Context &c, size_t ir) {
  const int32_t type = c.Type(ir, 0);
  for (size_t k = 1; k < c.Instances(ir); ++k)
    if (type != C_DT_UNDEFINED && c.Type(ir, k) != C_DT_UNDEFINED && c.Type(ir, k) != type)
      c.Fail("x", k, " has data type ", GeDataTypeName(c.Type(ir, k)), ", expected ", GeDataTypeName(type), " like x0");
  return type;
}

/// Concatenation of the dynamic input at `ir` along an axis.
void ConcatAlong(Context &c, size_t ir, std::optional<int64_t> given_axis) {
  size_t count = c.Instances(ir);
  if (count == 0) c.Fail("x has no tensors, expected at least 1");
  int64_t declared = c.IntAttr("N", 1);
  // Programs often leave N at its default.
  if (declared != 1 && declared != static_cast<int64_t>(count))
    c.Fail("N is ", declared, ", but x has ", count, " tensors");
  int64_t rank = -1;
  for (size_t k = 0; k < count; ++k) {
    Shape x = c.Dims(ir, k);
    if (!x.has_rank()) continue;
    if (x.rank() == 0) c.Fail("x", k, " is a scalar, expected at least 1 dimension");
    if (rank >= 0 && x.rank() != rank)
      c.Fail("x", k, " has shape ", x.str(), ", expected ", rank, " dimensions as the others");
    rank = x.rank();
  }
  const int32_t type = TypeOfAll(c, ir);
  if (rank < 0) return c.Out(0, type, Shape::Unknown());
  if (!given_axis) return c.Out(0, type, Shape::OfRank(rank));
  int64_t axis = c.Axis(*given_axis, rank, "concat_dim");
  Shape y = Shape::OfRank(rank);
  int64_t total = 0;
  for (size_t k = 0; k < count; ++k) {
    Shape x = c.Dims(ir, k);
    if (!x.has_rank()) x = Shape::OfRank(rank);
    for (int64_t i = 0; i < rank; ++i) {
      if (i == axis) continue;
      if (c.Differ(y[i], x[i]))
        c.Fail("x", k, " has extent ", x[i], " along axis ", i, ", expected ", y[i], " as the others");
      if (y[i] < 0 && x[i] != -1) y[i] = x[i];
    }
    if (total < 0 || x[axis] < 0) total = c.ExtentOf(c.Sum(c.ValueOf(total), c.ValueOf(x[axis])));
    else total = c.CheckedAdd(total, x[axis], "the extent along concat_dim");
  }
  y[axis] = total;
  c.Out(0, type, y);
  if (rank != 1 || total < 0 || static_cast<size_t>(total) > kMaxValues || !c.WantsPartial(0) || !IsInteger(type))
    return;
  Values out;
  for (size_t k = 0; k < count; ++k) {
    auto values = c.SymbolicInts(ir, k);
    if (!values) return;
    out.insert(out.end(), values->begin(), values->end());
  }
  for (int64_t value : out)
    if (value != kUnknown) return c.OutPartial(0, out);
}

void ConcatV2Rule(Context &c) { ConcatAlong(c, 0, c.Int(1, "concat_dim")); }
void ConcatRule(Context &c) { ConcatAlong(c, 1, c.Int(0, "concat_dim")); }
void ConcatDRule(Context &c) { ConcatAlong(c, 0, c.IntAttr("concat_dim")); }

void PhonyConcatRule(Context &c) {
  Values dims = c.IntsAttr("concat_dim"), counts = c.IntsAttr("N");
  if (dims.size() != 1) return c.Out(0, c.Type(0, 0), Shape::Unknown());
  ConcatAlong(c, 0, dims[0]);
}

void PackRule(Context &c) {
  size_t count = c.Instances(0);
  if (count == 0) c.Fail("x has no tensors, expected at least 1");
  int64_t declared = c.IntAttr("N", 1);
  if (declared != 1 && declared != static_cast<int64_t>(count))
    c.Fail("N is ", declared, ", but x has ", count, " tensors");
  (void)TypeOfAll(c, 0);
  Shape x = Shape::Unknown();
  for (size_t k = 0; k < count; ++k) {
    Shape next = c.Dims(0, k);
    if (!next.has_rank()) continue;
    if (!x.has_rank()) {
      x = next;
      continue;
    }
    if (x.rank() != next.rank()) c.Fail("x", k, " has shape ", next.str(), ", expected ", x.str(), " as the others");
    for (int64_t i = 0; i < x.rank(); ++i) {
      if (c.Differ(x[i], next[i])) c.Fail("x", k, " has shape ", next.str(), ", expected ", x.str(), " as the others");
      if (x[i] < 0 && next[i] != -1) x[i] = next[i];
    }
  }
  if (!x.has_rank()) return c.Out(0, c.Type(0, 0), x);
  int64_t axis = c.Axis(c.IntAttr("axis"), x.rank() + 1, "axis");
  bool scalars = x.rank() == 0;
  x.dims().insert(x.dims().begin() + axis, static_cast<int64_t>(count));
  c.Out(0, c.Type(0, 0), x);
  if (!scalars || !c.WantsPartial(0) || !IsInteger(c.Type(0, 0))) return;
  Values out;
  bool any = false;
  for (size_t k = 0; k < count; ++k) {
    auto value = c.SymbolicInts(0, k);
    if (!value || value->size() != 1) return;
    any = any || (*value)[0] != kUnknown;
    out.push_back((*value)[0]);
  }
  if (any && out.size() <= kMaxValues) c.OutPartial(0, out);
}

void UnpackRule(Context &c) {
  Shape x = c.Dims(0);
  size_t count = c.OutCount();
  Shape y = x;
  if (x.has_rank()) {
    if (x.rank() == 0) c.Fail("x is a scalar, expected at least 1 dimension");
    int64_t axis = c.Axis(c.IntAttr("axis"), x.rank(), "axis");
    if (c.Differ(x[axis], static_cast<int64_t>(count)))
      c.Fail("x has extent ", x[axis], " along axis ", axis, ", but there are ", count, " outputs");
    y.dims().erase(y.dims().begin() + axis);
  }
  for (size_t k = 0; k < count; ++k) c.Out(k, c.Type(0), y);
}

void SplitEvenly(Context &c, size_t ir, std::optional<int64_t> given_axis) {
  Shape x = c.Dims(ir);
  int64_t parts = c.IntAttr("num_split", 1);
  if (parts != static_cast<int64_t>(c.OutCount()))
    c.Fail("num_split is ", parts, ", but there are ", c.OutCount(), " outputs");
  if (parts < 1) c.Fail("num_split is ", parts, ", expected at least 1");
  if (x.has_rank()) {
    if (!given_axis) {
      x = Shape::OfRank(x.rank());
    } else {
      int64_t axis = c.Axis(*given_axis, x.rank(), "split_dim");
      if (c.NoMultiple(x[axis], parts))
        c.Fail("x has extent ", x[axis], " along axis ", axis, ", expected a multiple of ", parts);
      x[axis] = c.ExtentOf(c.Quotient(c.ValueOf(x[axis]), parts));
    }
  }
  for (size_t k = 0; k < c.OutCount(); ++k) c.Out(k, c.Type(ir), x);
  auto values = x.has_rank() && x.rank() == 1 && x[0] >= 0 ? c.Partial(ir) : std::nullopt;
  if (!values) return;
  int64_t size = x[0];
  for (size_t k = 0; k < c.OutCount(); ++k) {
    auto first = values->begin() + static_cast<int64_t>(k) * size;
    c.OutPartial(k, Values(first, first + size));
  }
}

void SplitRule(Context &c) { SplitEvenly(c, 1, c.Int(0, "split_dim")); }
void SplitDRule(Context &c) { SplitEvenly(c, 0, c.IntAttr("split_dim")); }

void PhonySplitRule(Context &c) {
  Values dims = c.IntsAttr("split_dim"), counts = c.IntsAttr("num_split");
  Shape x = c.Dims(0);
  if (dims.size() != counts.size())
    c.Fail("split_dim has ", dims.size(), " values, expected ", counts.size(), " as num_split");
  if (x.has_rank())
    for (size_t i = 0; i < dims.size(); ++i) {
      int64_t axis = c.Axis(dims[i], x.rank(), "split_dim");
      if (counts[i] < 1 || c.NoMultiple(x[axis], counts[i]))
        c.Fail("num_split[", i, "] is ", counts[i], ", expected a divisor of the extent ", x[axis]);
      x[axis] = c.ExtentOf(c.Quotient(c.ValueOf(x[axis]), counts[i]));
    }
  for (size_t k = 0; k < c.OutCount(); ++k) c.Out(k, c.Type(0), x);
}

void SplitVRule(Context &c) {
  Shape x = c.Dims(0);
  size_t parts = c.OutCount();
  int64_t declared = c.IntAttr("num_split", static_cast<int64_t>(parts));
  if (declared != static_cast<int64_t>(parts)) c.Fail("num_split is ", declared, ", but there are ", parts, " outputs");
  auto sizes = c.SymbolicInts(1);
  if (sizes && sizes->size() != parts) c.Fail("size_splits has ", sizes->size(), " values, expected ", parts);
  auto given_axis = c.Int(2, "split_dim");
  if (!x.has_rank() || !given_axis) {
    for (size_t k = 0; k < parts; ++k) c.Out(k, c.Type(0), x.has_rank() ? Shape::OfRank(x.rank()) : x);
    return;
  }
  int64_t axis = c.Axis(*given_axis, x.rank(), "split_dim");
  Values out(parts, -1);
  int64_t sum = 0, open = 0, at = -1;
  bool complete = sizes.has_value();
  for (size_t k = 0; sizes && k < parts; ++k) {
    int64_t size = (*sizes)[k];
    if (size == kUnknown) {
      complete = false;
    } else if (size == -1) {
      ++open;
      at = static_cast<int64_t>(k);
    } else if (IsSymbolic(size)) {
      out[k] = size;
      sum = c.Sum(sum, size);
    } else if (size < 0) {
      c.Fail("size_splits[", k, "] is ", size, ", expected -1 or more");
    } else {
      out[k] = size;
      sum = IsSymbolic(sum) || sum == kUnknown ? c.Sum(sum, size) : c.CheckedAdd(sum, size, "the sum of size_splits");
    }
  }
  if (open > 1) c.Fail("size_splits has ", open, " values of -1, expected at most 1");
  if (complete && (x[axis] < 0 || sum < 0)) {
    if (open) out[static_cast<size_t>(at)] = c.ExtentOf(c.Difference(c.ValueOf(x[axis]), sum));
  } else if (complete) {
    if (open ? sum > x[axis] : sum != x[axis])
      c.Fail("size_splits adds up to ", sum, ", expected ", x[axis], " as the extent of x along axis ", axis);
    if (open) out[static_cast<size_t>(at)] = x[axis] - sum;
  }
  for (size_t k = 0; k < parts; ++k) {
    Shape y = x;
    y[axis] = out[k];
    c.Out(k, c.Type(0), y);
  }
  auto values = x.rank() == 1 ? c.Partial(0) : std::nullopt;
  size_t first = 0;
  for (size_t k = 0; values && k < parts && out[k] >= 0; ++k) {
    size_t next = first + static_cast<size_t>(out[k]);
    if (next > values->size()) break;
    c.OutPartial(k,
                 Values(values->begin() + static_cast<int64_t>(first), values->begin() + static_cast<int64_t>(next)));
    first = next;
  }
}

void HcomAllGatherRule(Context &c) {
  Shape y = c.Dims(0);
  int64_t ranks = c.IntAttr("rank_size");
  if (ranks < 1) c.Fail("rank_size is ", ranks, ", expected at least 1");
  if (y.has_rank() && y.rank() > 0) y[0] = y[0] < 0 ? -1 : c.CheckedMul(y[0], ranks, "the first extent");
  c.Out(0, c.Type(0), y);
}

void HcomReduceScatterRule(Context &c) {
  Shape y = c.Dims(0);
  int64_t ranks = c.IntAttr("rank_size");
  if (ranks < 1) c.Fail("rank_size is ", ranks, ", expected at least 1");
  if (y.has_rank() && y.rank() > 0 && y[0] >= 0) {
    if (y[0] % ranks) c.Fail("x has ", y[0], " rows, expected a multiple of rank_size ", ranks);
    y[0] /= ranks;
  }
  c.Out(0, c.Type(0), y);
}

/// A vector that ends with the last element that some rank sends here.
void HcomAllToAllVRule(Context &c) {
  auto counts = c.KnownInts(3), places = c.KnownInts(4);
  int64_t length = counts && places ? 0 : -1;
  if (counts && places && counts->size() != places->size())
    c.Fail("recv_displacements has ", places->size(), " values, expected ", counts->size(), " as recv_counts");
  for (size_t i = 0; length >= 0 && i < counts->size(); ++i) {
    if ((*counts)[i] < 0) c.Fail("recv_counts[", i, "] is ", (*counts)[i], ", expected no negative value");
    if ((*places)[i] < 0) c.Fail("recv_displacements[", i, "] is ", (*places)[i], ", expected no negative value");
    length = std::max(length, c.CheckedAdd((*counts)[i], (*places)[i], "the end of what is received"));
  }
  c.Out(0, c.Type(0), Shape{length});
}

constexpr Entry kJoinRules[] = {
    {"HcomAllToAllV", Guarded<HcomAllToAllVRule>},
    {"Concat", Guarded<ConcatRule>},
    {"ConcatV2", Guarded<ConcatV2Rule>},
    {"ConcatD", Guarded<ConcatDRule>},
    {"PhonyConcat", Guarded<PhonyConcatRule>},
    {"Pack", Guarded<PackRule>},
    {"Unpack", Guarded<UnpackRule>},
    {"Split", Guarded<SplitRule>},
    {"SplitD", Guarded<SplitDRule>},
    {"SplitV", Guarded<SplitVRule>},
    {"PhonySplit", Guarded<PhonySplitRule>},
    {"HcomAllGather", Guarded<HcomAllGatherRule>},
    {"HcomReduceScatter", Guarded<HcomReduceScatterRule>},
};

}  // namespace

std::span<const Entry> JoinRules() { return kJoinRules; }

}  // namespace gec::infer
