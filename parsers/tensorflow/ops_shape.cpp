// Shapes, and values that are moved, where names or attributes differ.
#include "parsers/tensorflow/handlers.h"
#include "parsers/tensorflow/node_context.h"

namespace gec::tensorflow {
namespace {

void ShapeOrSize(NodeContext &c) {
  c.Out(0, c.Op(c.op(), {c.In(0)}, {{"dtype", int64_t{c.Type("out_type", C_DT_INT32)}}}));
}

void ShapeN(NodeContext &c) {
  c.Ignore({"N"});
  const int64_t type = c.Type("out_type", C_DT_INT32);
  std::vector<Endpoint> all = c.AllInputs();
  for (size_t i = 0; i < all.size(); ++i) c.Out(i, c.Op("Shape", {all[i]}, {{"dtype", type}}));
}

void Squeeze(NodeContext &c) {
  std::vector<int64_t> axes = c.Ints("squeeze_dims");
  if (axes.empty()) axes = c.Ints("axis");
  c.Out(0, c.Op("Squeeze", {c.In(0)}, {{"axis", axes}}));
}

void Roll(NodeContext &c) {
  std::vector<int64_t> shifts = c.NeedInts(1, "shift"), dims = c.NeedInts(2, "axis");
  c.Out(0, c.Op("Roll", {c.In(0)}, {{"shifts", shifts}, {"dims", dims}}));
}

struct Blocks {
  std::vector<int64_t> sizes, before, after;  // one for each dimension behind the batch
  int64_t product = 1;
};

Blocks ReadBlocks(NodeContext &c, const char *borders_name) {
  Blocks b;
  b.sizes = c.NeedInts(1, "block_shape");
  const std::vector<int64_t> borders = c.NeedInts(2, borders_name);
  if (borders.size() != 2 * b.sizes.size())
    c.Refuse(Reason::kInvalidModel,
             Str(borders_name, " has ", borders.size(), " values, expected ", 2 * b.sizes.size()));
  for (size_t i = 0; i < b.sizes.size(); ++i) {
    b.before.push_back(borders[2 * i]);
    b.after.push_back(borders[2 * i + 1]);
    if (b.sizes[i] < 1 || b.sizes[i] > INT32_MAX || b.before[i] < 0 || b.after[i] < 0 || b.before[i] > INT32_MAX ||
        b.after[i] > INT32_MAX)
      c.Refuse(Reason::kInvalidModel, Str("block ", b.sizes[i], " with ", borders_name, " ", b.before[i], " and ",
                                          b.after[i], " is out of range"));
    if (b.product > INT32_MAX / b.sizes[i]) c.Refuse(Reason::kLimit, "the blocks are too large");
    b.product *= b.sizes[i];
  }
  return b;
}

// One dimension of a reshape may be left open: the batch.
void SpaceToBatch(NodeContext &c) {
  const Endpoint x = c.In(0);
  const Blocks b = ReadBlocks(c, "paddings");
  const size_t m = b.sizes.size(), rank = static_cast<size_t>(c.NeedRank(x, "to split it into blocks"));
  if (rank < m + 1) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", block_shape ", m, " values"));
  std::vector<int64_t> pads(2 * rank), split{-1}, perm, joined{-1};
  for (size_t i = 0; i < m; ++i) {
    pads[2 * (i + 1)] = b.before[i];
    pads[2 * (i + 1) + 1] = b.after[i];
    const int64_t extent =
        c.NeedDim(x, static_cast<int64_t>(i + 1), "to split it into blocks") + b.before[i] + b.after[i];
    if (extent % b.sizes[i] != 0)
      c.Refuse(Reason::kInvalidModel, Str("dimension ", i + 1, " has ", extent,
                                          " with its padding, expected a multiple "
                                          "of ",
                                          b.sizes[i]));
    split.push_back(extent / b.sizes[i]);
    split.push_back(b.sizes[i]);
    joined.push_back(extent / b.sizes[i]);
  }
  for (size_t i = 0; i < m; ++i) perm.push_back(static_cast<int64_t>(2 * i + 2));
  perm.push_back(0);
  for (size_t i = 0; i < m; ++i) perm.push_back(static_cast<int64_t>(2 * i + 1));
  for (size_t i = m + 1; i < rank; ++i) {
    const int64_t extent = c.NeedDim(x, static_cast<int64_t>(i), "to split it into blocks");
    split.push_back(extent);
    joined.push_back(extent);
    perm.push_back(static_cast<int64_t>(2 * m + i - m));
  }
  const Endpoint amounts =
      c.Const(Tensor::Of<int64_t>(C_DT_INT64, Shape{static_cast<int64_t>(rank), 2}, pads), "paddings");
  const Endpoint padded = c.Op("Pad", {x, amounts});
  c.Out(0, c.Reshape(c.Transpose(c.Reshape(padded, split), perm), joined));
}

void BatchToSpace(NodeContext &c) {
  const Endpoint x = c.In(0);
  const Blocks b = ReadBlocks(c, "crops");
  const size_t m = b.sizes.size(), rank = static_cast<size_t>(c.NeedRank(x, "to put blocks together"));
  if (rank < m + 1) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", block_shape ", m, " values"));
  std::vector<int64_t> split = b.sizes, perm{static_cast<int64_t>(m)}, joined{-1};
  split.push_back(-1);
  std::vector<int64_t> begin(rank), size(rank, -1);
  for (size_t i = 0; i < m; ++i) {
    const int64_t extent = c.NeedDim(x, static_cast<int64_t>(i + 1), "to put blocks together");
    if (extent > INT32_MAX) c.Refuse(Reason::kLimit, Str("dimension ", i + 1, " is ", extent));
    split.push_back(extent);
    joined.push_back(extent * b.sizes[i]);
    perm.push_back(static_cast<int64_t>(m + 1 + i));
    perm.push_back(static_cast<int64_t>(i));
    begin[i + 1] = b.before[i];
    size[i + 1] = extent * b.sizes[i] - b.before[i] - b.after[i];
    if (size[i + 1] < 0) c.Refuse(Reason::kInvalidModel, Str("crops leave nothing of dimension ", i + 1));
  }
  for (size_t i = m + 1; i < rank; ++i) {
    const int64_t extent = c.NeedDim(x, static_cast<int64_t>(i), "to put blocks together");
    split.push_back(extent);
    joined.push_back(extent);
    perm.push_back(static_cast<int64_t>(m + i));
  }
  const Endpoint whole = c.Reshape(c.Transpose(c.Reshape(x, split), perm), joined);
  c.Out(0, c.Op("Slice", {whole, c.ConstInts(begin, "offsets"), c.ConstInts(size, "size")}));
}

constexpr Handler kShapeHandlers[] = {
    {"Shape", ShapeOrSize},
    {"Size", ShapeOrSize},
    {"ShapeN", ShapeN},
    {"Squeeze", Squeeze},
    {"Roll", Roll},
    {"SpaceToBatchND", SpaceToBatch},
    {"BatchToSpaceND", BatchToSpace},
};

}  // namespace

HandlerTable ShapeHandlers() { return {std::begin(kShapeHandlers), std::end(kShapeHandlers)}; }

}  // namespace gec::tensorflow
