// Blocks of space that move into the batch and back.
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// Block extents and pairs (before, after) for as many axes behind the batch.
struct Blocks {
  Values extents, borders;
};

std::optional<Blocks> FromInputs(Context &c, const char *borders) {
  auto extents = c.KnownInts(1), pairs = c.KnownInts(2);
  if (!extents || !pairs) return std::nullopt;
  if (pairs->size() != 2 * extents->size())
    c.Fail(borders, " has ", pairs->size(), " values, expected 2 for each of the ", extents->size(),
           " values of block_shape");
  return Blocks{*extents, *pairs};
}

Blocks FromAttrs(Context &c, const char *borders) {
  Values extents = c.IntsAttr("block_shape");
  return {extents, c.IntsAttr(borders, 2 * extents.size())};
}

void CheckRank(Context &c, const Shape &x, const Blocks &b) {
  if (x.rank() <= static_cast<int64_t>(b.extents.size()))
    c.Fail("x has shape ", x.str(), ", expected more than the ", b.extents.size(), " dimensions of block_shape");
  for (size_t i = 0; i < b.extents.size(); ++i) {
    if (b.extents[i] < 1) c.Fail("block_shape[", i, "] is ", b.extents[i], ", expected at least 1");
    if (b.borders[2 * i] < 0 || b.borders[2 * i + 1] < 0)
      c.Fail("the borders of axis ", i + 1, " are ", b.borders[2 * i], " and ", b.borders[2 * i + 1],
             ", expected no negative values");
  }
}

int64_t Multiplied(Context &c, int64_t extent, int64_t by, const char *what) {
  return extent < 0 ? c.ExtentOf(c.Product(c.ValueOf(extent), by)) : c.CheckedMul(extent, by, what);
}

void SpaceToBatch(Context &c, const std::optional<Blocks> &b) {
  Shape y = c.Dims(0);
  if (!b && y.has_rank()) y = Shape::OfRank(y.rank());
  if (!y.has_rank() || !b) return c.Out(0, c.Type(0), y);
  CheckRank(c, y, *b);
  for (size_t i = 0; i < b->extents.size(); ++i) {
    int64_t &extent = y[static_cast<int64_t>(i) + 1], block = b->extents[i];
    const int64_t added = c.CheckedAdd(b->borders[2 * i], b->borders[2 * i + 1], "the paddings");
    extent = extent < 0 ? c.ExtentOf(c.Sum(c.ValueOf(extent), added)) : c.CheckedAdd(extent, added, "an extent");
    if (c.NoMultiple(extent, block))
      c.Fail("axis ", i + 1, " has ", extent, " padded positions, expected a multiple of ", block);
    extent = c.ExtentOf(c.Quotient(c.ValueOf(extent), block));
    y[0] = Multiplied(c, y[0], block, "the batch");
  }
  c.Out(0, c.Type(0), y);
}

void BatchToSpace(Context &c, const std::optional<Blocks> &b) {
  Shape y = c.Dims(0);
  if (!b && y.has_rank()) y = Shape::OfRank(y.rank());
  if (!y.has_rank() || !b) return c.Out(0, c.Type(0), y);
  CheckRank(c, y, *b);
  for (size_t i = 0; i < b->extents.size(); ++i) {
    int64_t &extent = y[static_cast<int64_t>(i) + 1], block = b->extents[i];
    const int64_t cropped = c.CheckedAdd(b->borders[2 * i], b->borders[2 * i + 1], "the crops");
    extent = Multiplied(c, extent, block, "an extent");
    if (!c.AtMost(cropped, c.ValueOf(extent)).value_or(true))
      c.Fail("the crops of axis ", i + 1, " are ", cropped, ", expected at most ", extent);
    extent = c.ExtentOf(c.Difference(c.ValueOf(extent), cropped));
    if (c.NoMultiple(y[0], block)) c.Fail("the batch of x is ", c.Dims(0)[0], ", expected a multiple of the blocks");
    y[0] = c.ExtentOf(c.Quotient(c.ValueOf(y[0]), block));
  }
  c.Out(0, c.Type(0), y);
}

void SpaceToBatchRule(Context &c) { SpaceToBatch(c, FromInputs(c, "paddings")); }
void SpaceToBatchDRule(Context &c) { SpaceToBatch(c, FromAttrs(c, "paddings")); }
void BatchToSpaceRule(Context &c) { BatchToSpace(c, FromInputs(c, "crops")); }
void BatchToSpaceDRule(Context &c) { BatchToSpace(c, FromAttrs(c, "crops")); }

/// One block_size for height and width of an image whose channels are last unless its format says otherwise.
template <void (*rule)(Context &, const std::optional<Blocks> &)>
void ImageBlocks(Context &c, std::optional<Values> borders, const char *name) {
  int64_t block = c.IntAttr("block_size");
  if (block < 1) c.Fail("block_size is ", block, ", expected at least 1");
  Shape x = c.DimsOfRank(0, 4, "x");
  if (borders && borders->size() != 4) c.Fail(name, " has ", borders->size(), " values, expected 4");
  if (!borders) return rule(c, std::nullopt);
  bool channels_first = c.In(0).format == C_FORMAT_NCHW;
  if (!channels_first) return rule(c, Blocks{{block, block}, *borders});
  borders->insert(borders->begin(), 2, 0);
  rule(c, Blocks{{1, block, block}, *borders});
}
void SpaceToBatchImageRule(Context &c) { ImageBlocks<SpaceToBatch>(c, c.KnownInts(1), "paddings"); }
void BatchToSpaceImageRule(Context &c) { ImageBlocks<BatchToSpace>(c, c.KnownInts(1), "crops"); }
void SpaceToBatchImageDRule(Context &c) { ImageBlocks<SpaceToBatch>(c, c.IntsAttr("paddings"), "paddings"); }
void BatchToSpaceImageDRule(Context &c) { ImageBlocks<BatchToSpace>(c, c.IntsAttr("crops"), "crops"); }

/// The rows of each partition: how many is not known.
void DynamicPartitionRule(Context &c) {
  Shape x = c.Dims(0), partitions = c.Dims(1), y = Shape::Unknown();
  if (x.has_rank() && partitions.has_rank()) {
    if (partitions.rank() > x.rank())
      c.Fail("partitions has shape ", partitions.str(), ", expected at most the ", x.rank(), " dimensions of x");
    y = Shape{-1};
    y.dims().insert(y.dims().end(), x.dims().begin() + partitions.rank(), x.dims().end());
  }
  for (size_t k = 0; k < c.OutCount(); ++k) c.Out(k, c.Type(0), y);
}

/// x repeated `tiles` times along an axis.
void TileWithAxisRule(Context &c) {
  Shape y = c.Dims(0);
  int64_t tiles = c.IntAttr("tiles", 1);
  if (tiles < 1) c.Fail("tiles is ", tiles, ", expected at least 1");
  if (y.has_rank()) {
    int64_t axis = c.Axis(c.IntAttr("axis", 1), y.rank(), "axis");
    y[axis] = Multiplied(c, y[axis], tiles, "an extent");
  }
  c.Out(0, c.Type(0), y);
}

constexpr Entry kBlockRules[] = {
    {"SpaceToBatchND", Guarded<SpaceToBatchRule>},       {"SpaceToBatchNDD", Guarded<SpaceToBatchDRule>},
    {"BatchToSpaceND", Guarded<BatchToSpaceRule>},       {"BatchToSpaceNDD", Guarded<BatchToSpaceDRule>},
    {"SpaceToBatch", Guarded<SpaceToBatchImageRule>},    {"SpaceToBatchD", Guarded<SpaceToBatchImageDRule>},
    {"BatchToSpace", Guarded<BatchToSpaceImageRule>},    {"BatchToSpaceD", Guarded<BatchToSpaceImageDRule>},
    {"DynamicPartition", Guarded<DynamicPartitionRule>}, {"TileWithAxis", Guarded<TileWithAxisRule>},
};

}  // namespace

std::span<const Entry> BlockRules() { return kBlockRules; }

}  // namespace gec::infer
