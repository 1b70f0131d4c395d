// Weights of few bits: products with them, and rows of them.
#include "protos/infer/context.h"
#include "protos/infer/quantized.h"

namespace gec::infer {
namespace {

constexpr int64_t kLeastBlock = 16;

constexpr int64_t kHalfBits = 16;

int64_t CheckedBits(Context &c, bool half = false) {
  const int64_t bits = c.IntAttr("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8 && !(half && bits == kHalfBits))
    c.Fail("bits is ", bits, ", expected ", half ? "2, 4, 8 or 16" : "2, 4 or 8");
  return bits;
}

int64_t CheckedBlock(Context &c, int64_t usual = 0) {
  const int64_t block = c.IntAttr("block_size", usual);
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
  const int64_t bits = CheckedBits(c, true), block = CheckedBlock(c), k = c.IntAttr("k");
  if (bits == kHalfBits && c.Has(3)) c.Fail("zero_point is given, numbers of 16 bits have none");
  if (k <= 0 || k > kMaxBytes) c.Fail("k is ", k, ", expected 1 or more");
  const int64_t blocks = (k - 1) / block + 1;
  Shape x = c.Dims(0), weight = c.DimsOfRank(1, 3, "weight");
  const int64_t n = weight.has_rank() ? weight[0] : -1;
  CheckShape(c, 1, "weight", {n, blocks, block / 8 * bits});
  CheckShape(c, 2, "scale", {n, blocks});
  CheckScale(c, 2, "scale");
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

void GatherBlockRule(Context &c) {
  Shape x = c.Dims(0);
  const Shape indices = c.Dims(1), scale = c.Dims(2);
  const bool bytes = c.Type(0) == C_DT_UINT8;
  const int64_t bits = bytes ? CheckedBits(c) : 8, block = c.IntAttr("block_size", 128);
  if (block != 0) CheckedBlock(c, 128);
  CheckScale(c, 2, "scale");
  if (!x.has_rank()) return c.Out(0, C_DT_FLOAT, Shape::Unknown());
  if (x.rank() == 0) c.Fail("data is a scalar, expected at least 1 dimension");
  const int64_t last = x.rank() - 1;
  if (bytes && x[last] >= 0) x[last] = c.CheckedMul(x[last], 8 / bits, "the numbers of a row");
  else if (bytes && bits < 8) x[last] = -1;
  const int64_t gather = c.Axis(c.IntAttr("gather_axis", 0), x.rank(), "gather_axis");
  const int64_t quantize = c.Axis(c.IntAttr("quantize_axis", 1), x.rank(), "quantize_axis");
  Shape blocks = x;
  if (x[quantize] >= 0)
    blocks[quantize] = block == 0 ? (x[quantize] > 0) : x[quantize] / block + (x[quantize] % block != 0);
  else blocks[quantize] = -1;
  if (scale.has_rank()) {
    bool fits = scale.rank() == x.rank();
    for (int64_t i = 0; fits && i <= last; ++i) fits = !c.Differ(scale[i], blocks[i]) || scale[i] == 1;
    if (!fits) c.Fail("scale has shape ", scale.str(), ", expected ", blocks.str());
    Shape zeros = scale;
    if (bytes && zeros[last] >= 0) zeros[last] = (zeros[last] * bits + 7) / 8;
    CheckShape(c, 3, "zero_point", zeros);
  }
  if (!indices.has_rank()) return c.Out(0, C_DT_FLOAT, Shape::Unknown());
  Shape y(std::vector<int64_t>(x.dims().begin(), x.dims().begin() + gather));
  y.dims().insert(y.dims().end(), indices.dims().begin(), indices.dims().end());
  y.dims().insert(y.dims().end(), x.dims().begin() + gather + 1, x.dims().end());
  c.Out(0, C_DT_FLOAT, y);
}

constexpr Entry kLowBitRules[] = {
    {"GatherBlockQuantized", Guarded<GatherBlockRule>},
    {"WeightOnlyQuantizedMatMul", Guarded<WeightOnlyRule>},
};

}  // namespace

std::span<const Entry> LowBitRules() { return kLowBitRules; }

}  // namespace gec::infer
