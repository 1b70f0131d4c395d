// Products with weights of 2, 4 or 8 bits: sums in double precision, a column after another.
#include <algorithm>

#include "common/activation.h"
#include "common/small_types.h"
#include "registry.h"

namespace reference {
namespace {

enum Port { kX, kWeight, kScale, kZero, kGroup, kBias, kResidual };

struct LowBitProduct {
  std::string label;
  int bits = 4;
  int64_t m = 1, n = 0, k = 0, block = 0, blocks = 0;
  bool packed_zero = false;
  bool zero = false, group = false, bias = false, residual = false;
  Activation activation;

  int64_t row_bytes() const { return blocks * block / 8 * bits; }
  int64_t zero_bytes() const { return (blocks * bits + 7) / 8; }
  double ZeroAt(const Call &call, int64_t column, int64_t at) const {
    if (!zero) return double(1 << (bits - 1));
    if (packed_zero) return PackedCode(call.in<uint8_t>(kZero) + column * zero_bytes(), at, bits);
    return call.in<float>(kZero)[column * blocks + at];
  }
  // Values [from, to) of a column as numbers.
  void Numbers(const Call &call, int64_t column, int64_t from, int64_t to, double *out) const {
    const uint8_t *data = call.in<uint8_t>(kWeight) + column * row_bytes();
    const float *scales = call.in<float>(kScale) + column * blocks;
    for (int64_t p = from; p < to; ++p) {
      const int64_t at = group ? call.in<int32_t>(kGroup)[p] : p / block;
      out[p - from] = (PackedCode(data, p, bits) - ZeroAt(call, column, at)) * double(scales[at]);
    }
  }
};

void CheckShape(const LowBitProduct &p, const Node &node, int port, const char *name, const Dims &wanted) {
  if (!node.has(port) || node.in_dims(port) == wanted) return;
  Fail(GE_PARAM_INVALID, "%s: %s has shape %s, expected %s", p.label.c_str(), name, ToText(node.in_dims(port)).c_str(),
       ToText(wanted).c_str());
}

void CheckAttributes(const Node &node) {
  const int64_t bits = node.Int("bits", 4), block = node.Int("block_size", 0);
  if (bits != 2 && bits != 4 && bits != 8)
    Fail(GE_PARAM_INVALID, "%s: bits is %lld, expected 2, 4 or 8", node.label().c_str(), (long long)bits);
  if (block < 16 || (block & (block - 1)) != 0)
    Fail(GE_PARAM_INVALID, "%s: block_size is %lld, expected a power of two from 16", node.label().c_str(),
         (long long)block);
  const auto require = [&](int port, const char *name, TypeSet types) {
    if (node.has(port) && !(TypeBit(node.in_type(port)) & types))
      Fail(GE_UNSUPPORTED, "%s: %s is not supported for %s", node.label().c_str(), DataTypeName(node.in_type(port)),
           name);
  };
  require(kWeight, "weight", TypeBit(C_DT_UINT8));
  require(kScale, "scale", TypeBit(C_DT_FLOAT));
  require(kZero, "zero_point", TypeBit(C_DT_UINT8) | TypeBit(C_DT_FLOAT));
  require(kGroup, "group_index", TypeBit(C_DT_INT32));
  require(kBias, "bias", TypeBit(C_DT_FLOAT));
  require(kResidual, "residual", TypeBit(C_DT_FLOAT));
  ReadActivation(node);
}

LowBitProduct ReadProduct(const Node &node) {
  CheckAttributes(node);
  LowBitProduct p;
  p.label = node.label();
  p.bits = int(node.Int("bits", 4));
  p.block = node.Int("block_size", 0);
  p.k = node.Int("k", 0);
  const Dims x = node.in_dims(kX), weight = node.in_dims(kWeight);
  if (p.k <= 0 || x.n == 0 || x[x.n - 1] != p.k || weight.n != 3)
    Fail(GE_PARAM_INVALID, "%s: x of shape %s and weight of shape %s do not fit k, which is %lld", p.label.c_str(),
         ToText(x).c_str(), ToText(weight).c_str(), (long long)p.k);
  p.m = x.count(0, x.n - 1), p.n = weight[0], p.blocks = (p.k - 1) / p.block + 1;
  p.zero = node.has(kZero), p.group = node.has(kGroup), p.bias = node.has(kBias), p.residual = node.has(kResidual);
  p.packed_zero = p.zero && node.in_type(kZero) == C_DT_UINT8;
  CheckShape(p, node, kWeight, "weight", {p.n, p.blocks, p.block / 8 * p.bits});
  CheckShape(p, node, kScale, "scale", {p.n, p.blocks});
  CheckShape(p, node, kZero, "zero_point", {p.n, p.packed_zero ? p.zero_bytes() : p.blocks});
  CheckShape(p, node, kGroup, "group_index", {p.k});
  CheckShape(p, node, kBias, "bias", {p.n});
  CheckShape(p, node, kResidual, "residual", node.out_dims(0));
  if (node.out_count(0) != p.m * p.n)
    Fail(GE_PARAM_INVALID, "%s: output shape is %s", p.label.c_str(), ToText(node.out_dims(0)).c_str());
  p.activation = ReadActivation(node);
  return p;
}

// One column for up to kRows rows.
constexpr int64_t kRows = 16, kDepth = 256;

void ComputeColumn(const LowBitProduct &p, const Call &call, int64_t column, int64_t row, int64_t rows) {
  double numbers[kDepth], sums[kRows] = {};
  const float *x = call.in<float>(kX) + row * p.k;
  for (int64_t from = 0; from < p.k; from += kDepth) {
    const int64_t to = std::min(p.k, from + kDepth);
    p.Numbers(call, column, from, to, numbers);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = from; i < to; ++i) sums[r] += double(x[r * p.k + i]) * numbers[i - from];
  }
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t at = (row + r) * p.n + column;
    double y = sums[r];
    if (p.bias) y += call.in<float>(kBias)[column];
    if (p.residual) y += call.in<float>(kResidual)[at];
    p.activation.Apply(&y, 1);
    call.out<float>(0)[at] = float(y);
  }
}

Kernel CreateWeightOnly(const Node &node, const OpEntry &) {
  const LowBitProduct p = ReadProduct(node);
  Kernel kernel;
  kernel.flops = 2.0 * double(p.m) * double(p.n) * double(p.k);
  kernel.run = [p](const Call &call) {
    if (p.group)
      for (int64_t i = 0; i < p.k; ++i) {
        const int32_t group = call.in<int32_t>(kGroup)[i];
        if (group < 0 || group >= p.blocks)
          Fail(GE_PARAM_INVALID, "%s: group_index %lld is %d, expected 0 to %lld", p.label.c_str(), (long long)i, group,
               (long long)p.blocks - 1);
      }
    const int64_t tiles = (p.m + kRows - 1) / kRows;
    call.Parallel(p.n * tiles, 1 + (1 << 14) / (p.k * std::min(p.m, kRows) + 1), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t row = t % tiles * kRows;
        ComputeColumn(p, call, t / tiles, row, std::min(kRows, p.m - row));
      }
    });
  };
  return kernel;
}

const OpEntry kLowBit[] = {
    {"WeightOnlyQuantizedMatMul", TypeBit(C_DT_FLOAT), &CreateWeightOnly, &CheckAttributes},
};

}  // namespace

OpTable LowBitOps() { return TableOf(kLowBit); }

}  // namespace reference
