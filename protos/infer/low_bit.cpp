// Weights of few bits: products with them, and rows of them.
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

constexpr int64_t kLeastBlock = 16;

int64_t CheckedBits(Context &c) {
  const int64_t bits = c.IntAttr("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8) c.Fail("bits is ", bits, ", expected 2, 4 or 8");
  return bits;
}

int64_t CheckedBlock(Context &c) {
  const int64_t block = c.IntAttr("block_size");
  if (block < kLeastBlock || block > kMaxBytes || (block & (block - 1)) != 0)
    c.Fail("block_size is ", block, ", expected a power of two from ", kLeastBlock);
  return block;
}

/// A tensor has one of the extents that the weights ask for.
void CheckShape(Context &c, size_t ir, const char *name, const Shape &wanted) {
  if (!c.Has(ir)) return;
  const Shape shape = c.Dims(ir);
  if (!shape.has_rank()) return;
  bool fits = shape.rank() == wanted.rank();
  for (int64_t i = 0; fits && i < wanted.rank(); ++i) fits = !c.Differ(shape[i], wanted[i]);
  if (!fits) c.Fail(name, " has shape ", shape.str(), ", expected ", wanted.str());
}

void WeightOnlyRule(Context &c) {
  const int64_t bits = CheckedBits(c), block = CheckedBlock(c), k = c.IntAttr("k");
  if (k <= 0 || k > kMaxBytes) c.Fail("k is ", k, ", expected 1 or more");
  const int64_t blocks = (k - 1) / block + 1;
  Shape x = c.Dims(0), weight = c.DimsOfRank(1, 3, "weight");
  const int64_t n = weight.has_rank() ? weight[0] : -1;
  CheckShape(c, 1, "weight", {n, blocks, block / 8 * bits});
  CheckShape(c, 2, "scale", {n, blocks});
  if (c.Has(3)) CheckShape(c, 3, "zero_point", {n, c.Type(3) == C_DT_UINT8 ? (blocks - 1) / (8 / bits) + 1 : blocks});
  if (c.Has(4)) {
    CheckShape(c, 4, "group_index", {k});
    if (const auto groups = c.KnownInts(4))
      for (size_t i = 0; i < groups->size(); ++i)
        if ((*groups)[i] < 0 || (*groups)[i] >= blocks)
          c.Fail("group_index ", i, " is ", (*groups)[i], ", expected 0 to ", blocks - 1);
  }
  CheckShape(c, 5, "bias", {n});
  if (!x.has_rank()) return c.Out(0, C_DT_FLOAT, c.Has(6) ? c.Dims(6) : Shape::Unknown());
  if (x.rank() == 0) c.Fail("x is a scalar, expected at least 1 dimension");
  if (c.Differ(x[x.rank() - 1], k)) c.Fail("x has shape ", x.str(), ", its last extent must be k, which is ", k);
  x[x.rank() - 1] = n;
  if (c.Has(6) && c.Dims(6).has_rank()) {
    const Shape residual = c.Dims(6);
    if (residual.rank() != x.rank()) c.Fail("residual has shape ", residual.str(), ", expected ", x.str());
    for (int64_t i = 0; i < x.rank(); ++i) x[i] = c.SameDim(x[i], residual[i], "an extent of y and residual");
  }
  c.Out(0, C_DT_FLOAT, x);
}

constexpr Entry kLowBitRules[] = {
    {"WeightOnlyQuantizedMatMul", Guarded<WeightOnlyRule>},
};

}  // namespace

std::span<const Entry> LowBitRules() { return kLowBitRules; }

}  // namespace gec::infer
