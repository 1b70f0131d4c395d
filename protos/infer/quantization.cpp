// Quantisation along a line: scales and zero points fit the tensor, and are numbers that quantise.
#include <cmath>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

bool OneNumber(const Shape &s) { return s.rank() == 0 || (s.known() && s.elements() == 1); }

/// A scale for each block of elements along the axis, and for each element along the others.
void CheckBlocks(Context &c, const Shape &x, const Shape &scale, int64_t axis, int64_t block) {
  if (scale.rank() != x.rank())
    c.Fail("scale has shape ", scale.str(), ", expected as many dimensions as x of shape ", x.str(), " for block_size ",
           block);
  for (int64_t i = 0; i < x.rank(); ++i) {
    int64_t want = x[i];
    if (i == axis && want >= 0) want = want / block + (want % block != 0);
    else if (i == axis) continue;
    if (c.Differ(want, scale[i]))
      c.Fail("scale has ", scale[i], " values along axis ", i, ", expected ", want, " for x of shape ", x.str(),
             i == axis ? " and its block_size" : "");
  }
}

void CheckScale(Context &c, const Shape &x, const Shape &scale) {
  const int64_t block = c.IntAttr("block_size");
  if (block < 0) c.Fail("block_size is ", block, ", expected 0 or more");
  if (!scale.has_rank() || (block == 0 && OneNumber(scale))) return;
  if (block == 0 && scale.rank() != 1)
    c.Fail("scale has shape ", scale.str(), ", expected a scalar or a vector without block_size");
  if (!x.has_rank()) return;
  const int64_t axis = c.Axis(c.IntAttr("axis", 1), x.rank(), "axis");
  if (block) return CheckBlocks(c, x, scale, axis, block);
  if (c.Differ(scale[0], x[axis]))
    c.Fail("scale has ", scale[0], " values, expected ", x[axis], " as x of shape ", x.str(), " has along axis ", axis);
}

void CheckZeroPoint(Context &c, const Shape &scale, int32_t type) {
  if (!c.Has(2)) return;
  if (type != C_DT_UNDEFINED && c.Type(2) != C_DT_UNDEFINED && c.Type(2) != type)
    c.Fail("zero_point has another data type than the quantised numbers");
  const Shape zero = c.Dims(2);
  if (!scale.has_rank() || !zero.has_rank() || (OneNumber(scale) && OneNumber(zero))) return;
  bool same = zero.rank() == scale.rank();
  for (int64_t i = 0; same && i < zero.rank(); ++i) same = !c.Differ(zero[i], scale[i]);
  if (!same) c.Fail("zero_point has shape ", zero.str(), ", expected ", scale.str(), " as scale has");
}

/// `divides`: the scale is a divisor, so it must be positive.
void CheckNumbers(Context &c, bool divides) {
  const std::optional<std::vector<double>> scales = c.Numbers(1);
  for (size_t i = 0; scales && i < scales->size(); ++i) {
    const double v = (*scales)[i];
    if (!std::isfinite(v)) c.Fail("scale[", i, "] is ", v, ", expected a finite number");
    if (divides && v <= 0) c.Fail("scale[", i, "] is ", v, ", expected a positive number");
  }
}

void QuantizeLinearRule(Context &c) {
  const Shape x = c.Dims(0), scale = c.Dims(1);
  const int32_t type = c.TypeAttr("dst_type", C_DT_UNDEFINED);
  CheckScale(c, x, scale);
  CheckZeroPoint(c, scale, type);
  CheckNumbers(c, true);
  c.Out(0, type, x);
}

void DequantizeLinearRule(Context &c) {
  const Shape x = c.Dims(0), scale = c.Dims(1);
  CheckScale(c, x, scale);
  CheckZeroPoint(c, scale, c.Type(0));
  CheckNumbers(c, false);
  c.Out(0, c.TypeAttr("dst_type", C_DT_FLOAT), x);
}

void DynamicQuantizeLinearRule(Context &c) {
  c.Out(0, C_DT_UINT8, c.Dims(0));
  c.Out(1, C_DT_FLOAT, Shape{});
  c.Out(2, C_DT_UINT8, Shape{});
}

constexpr Entry kQuantizationRules[] = {
    {"QuantizeLinear", Guarded<QuantizeLinearRule>},
    {"DequantizeLinear", Guarded<DequantizeLinearRule>},
    {"DynamicQuantizeLinear", Guarded<DynamicQuantizeLinearRule>},
};

}  // namespace

std::span<const Entry> QuantizationRules() { return kQuantizationRules; }

}  // namespace gec::infer
