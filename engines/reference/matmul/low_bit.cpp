// Products with weights of 2, 4, 8 or 16 bits: sums in double precision, a column after another.
#include <algorithm>
#include <cstring>

#include "common/activation.h"
#include "common/small_types.h"
#include "registry.h"

namespace reference {
namespace {

enum LowBitPort { kLowBitX, kLowBitWeight, kLowBitScale, kLowBitZero, kLowBitGroup, kLowBitBias, kLowBitResidual };

struct LowBitProduct {
  std::string label;
  int bits = 4;
  int64_t m = 1, n = 0, k = 0, block = 0, blocks = 0;
  bool packed_zero = false;
  bool zero = false, group = false, bias = false, residual = false;
  Activation activation;

  int64_t row_bytes() const { return blocks * block / 8 * bits; }
  int64_t zero_bytes() const { return (blocks * bits + 7) / 8; }
  bool half() const { return bits == 16; }
  double CodeAt(const uint8_t *data, int64_t p) const {
    if (!half()) return PackedCode(data, p, bits);
    Half value;
    memcpy(&value, data + p * int64_t(sizeof value), sizeof value);
    return ToFloat(value);
  }
  double ZeroAt(const Call &call, int64_t column, int64_t at) const {
    if (!zero) return half() ? 0 : double(1 << (bits - 1));
    if (packed_zero) return PackedCode(call.in<uint8_t>(kLowBitZero) + column * zero_bytes(), at, bits);
    return call.in<float>(kLowBitZero)[column * blocks + at];
  }
  // Values [from, to) of a column as numbers.
  void Numbers(const Call &call, int64_t column, int64_t from, int64_t to, double *out) const {
    const uint8_t *data = call.in<uint8_t>(kLowBitWeight) + column * row_bytes();
    const float *scales = call.in<float>(kLowBitScale) + column * blocks;
    for (int64_t p = from; p < to; ++p) {
      const int64_t at = group ? call.in<int32_t>(kLowBitGroup)[p] : p / block;
      out[p - from] = (CodeAt(data, p) - ZeroAt(call, column, at)) * double(scales[at]);
    }
  }
};

void CheckShape(const LowBitProduct &p, const Node &node, int port, const char *name, const Dims &wanted) {
  if (!node.has(port) || node.in_dims(port) == wanted) return;
  Fail(GE_PARAM_INVALID, "%s: %s has shape %s, expected %s", p.label.c_str(), name, ToText(node.in_dims(port)).c_str(),
       ToText(wanted).c_str());
}

void CheckLowBit(const Node &node) {
  const int64_t bits = node.Int("bits", 4), block = node.Int("block_size", 0);
  if (bits != 2 && bits != 4 && bits != 8 && bits != 16)
    Fail(GE_PARAM_INVALID, "%s: bits is %lld, expected 2, 4, 8 or 16", node.label().c_str(), (long long)bits);
  if (bits == 16 && node.has(kLowBitZero))
    Fail(GE_PARAM_INVALID, "%s: zero_point is given, numbers of 16 bits have none", node.label().c_str());
  if (block < 16 || (block & (block - 1)) != 0)
    Fail(GE_PARAM_INVALID, "%s: block_size is %lld, expected a power of two from 16", node.label().c_str(),
         (long long)block);
  const auto require = [&](int port, const char *name, TypeSet types) {
    if (node.has(port) && !(TypeBit(node.in_type(port)) & types))
      Fail(GE_UNSUPPORTED, "%s: %s is not supported for %s", node.label().c_str(), DataTypeName(node.in_type(port)),
           name);
  };
  require(kLowBitWeight, "weight", TypeBit(C_DT_UINT8));
  require(kLowBitScale, "scale", TypeBit(C_DT_FLOAT));
  require(kLowBitZero, "zero_point", TypeBit(C_DT_UINT8) | TypeBit(C_DT_FLOAT));
  require(kLowBitGroup, "group_index", TypeBit(C_DT_INT32));
  require(kLowBitBias, "bias", TypeBit(C_DT_FLOAT));
  require(kLowBitResidual, "residual", TypeBit(C_DT_FLOAT));
  ReadActivation(node);
}

LowBitProduct ReadLowBit(const Node &node) {
  CheckLowBit(node);
  LowBitProduct p;
  p.label = node.label();
  p.bits = int(node.Int("bits", 4));
  p.block = node.Int("block_size", 0);
  p.k = node.Int("k", 0);
  const Dims x = node.in_dims(kLowBitX), weight = node.in_dims(kLowBitWeight);
  if (p.k <= 0 || x.n == 0 || x[x.n - 1] != p.k || weight.n != 3)
    Fail(GE_PARAM_INVALID, "%s: x of shape %s and weight of shape %s do not fit k, which is %lld", p.label.c_str(),
         ToText(x).c_str(), ToText(weight).c_str(), (long long)p.k);
  p.m = x.count(0, x.n - 1), p.n = weight[0], p.blocks = (p.k - 1) / p.block + 1;
  p.zero = node.has(kLowBitZero), p.group = node.has(kLowBitGroup), p.bias = node.has(kLowBitBias),
  p.residual = node.has(kLowBitResidual);
  p.packed_zero = p.zero && node.in_type(kLowBitZero) == C_DT_UINT8;
  CheckShape(p, node, kLowBitWeight, "weight", {p.n, p.blocks, p.block / 8 * p.bits});
  CheckShape(p, node, kLowBitScale, "scale", {p.n, p.blocks});
  CheckShape(p, node, kLowBitZero, "zero_point", {p.n, p.packed_zero ? p.zero_bytes() : p.blocks});
  CheckShape(p, node, kLowBitGroup, "group_index", {p.k});
  CheckShape(p, node, kLowBitBias, "bias", {p.n});
  CheckShape(p, node, kLowBitResidual, "residual", node.out_dims(0));
  if (node.out_count(0) != p.m * p.n)
    Fail(GE_PARAM_INVALID, "%s: output shape is %s", p.label.c_str(), ToText(node.out_dims(0)).c_str());
  p.activation = ReadActivation(node);
  return p;
}

// One column for up to kLowBitRows rows.
constexpr int64_t kLowBitRows = 16, kLowBitDepth = 256;

void ComputeColumn(const LowBitProduct &p, const Call &call, int64_t column, int64_t row, int64_t rows) {
  double numbers[kLowBitDepth], sums[kLowBitRows] = {};
  const float *x = call.in<float>(kLowBitX) + row * p.k;
  for (int64_t from = 0; from < p.k; from += kLowBitDepth) {
    const int64_t to = std::min(p.k, from + kLowBitDepth);
    p.Numbers(call, column, from, to, numbers);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = from; i < to; ++i) sums[r] += double(x[r * p.k + i]) * numbers[i - from];
  }
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t at = (row + r) * p.n + column;
    double y = sums[r];
    if (p.bias) y += call.in<float>(kLowBitBias)[column];
    if (p.residual) y += call.in<float>(kLowBitResidual)[at];
    p.activation.Apply(&y, 1);
    call.out<float>(0)[at] = float(y);
  }
}

Kernel CreateWeightOnly(const Node &node, const OpEntry &) {
  const LowBitProduct p = ReadLowBit(node);
  Kernel kernel;
  kernel.flops = 2.0 * double(p.m) * double(p.n) * double(p.k);
  kernel.run = [p](const Call &call) {
    if (p.group)
      for (int64_t i = 0; i < p.k; ++i) {
        const int32_t group = call.in<int32_t>(kLowBitGroup)[i];
        if (group < 0 || group >= p.blocks)
          Fail(GE_PARAM_INVALID, "%s: group_index %lld is %d, expected 0 to %lld", p.label.c_str(), (long long)i, group,
               (long long)p.blocks - 1);
      }
    const int64_t tiles = (p.m + kLowBitRows - 1) / kLowBitRows;
    call.Parallel(p.n * tiles, 1 + (1 << 14) / (p.k * std::min(p.m, kLowBitRows) + 1), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t row = t % tiles * kLowBitRows;
        ComputeColumn(p, call, t / tiles, row, std::min(kLowBitRows, p.m - row));
      }
    });
  };
  return kernel;
}

const OpEntry kLowBit[] = {
    {"WeightOnlyQuantizedMatMul", TypeBit(C_DT_FLOAT), &CreateWeightOnly, &CheckLowBit},
};

}  // namespace

OpTable LowBitOps() { return TableOf(kLowBit); }

}  // namespace reference
