// Quantisation whose scales belong to blocks or rows.
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

int64_t CeilOf(int64_t extent, int64_t by) { return extent < 0 ? -1 : extent / by + (extent % by != 0); }

/// A scale for each block along the axis, in pairs.
Shape BlockScales(Context &c, const Shape &x, int64_t axis, int64_t block) {
  if (!x.has_rank()) return x;
  Shape y = x;
  axis = c.Axis(axis, x.rank(), "axis");
  y[axis] = CeilOf(CeilOf(x[axis], block), 2);
  y.dims().push_back(2);
  return y;
}

void DynamicMxQuantRule(Context &c) {
  int64_t block = c.IntAttr("blocksize", 32);
  if (block < 1) c.Fail("blocksize is ", block, ", expected at least 1");
  c.Out(0, c.TypeAttr("dst_type", C_DT_FLOAT4_E2M1), c.Dims(0));
  c.Out(1, C_DT_FLOAT8_E8M0, BlockScales(c, c.Dims(0), c.IntAttr("axis", -1), block));
}

/// Half of x along one axis, quantised in blocks of 32 along another.
void SwigluMxQuantRule(Context &c) {
  Shape y = c.Dims(0);
  if (y.has_rank()) {
    int64_t axis = c.Axis(c.IntAttr("activate_dim", -1), y.rank(), "activate_dim");
    if (c.NoMultiple(y[axis], 2)) c.Fail("x has ", y[axis], " values along axis ", axis, ", expected an even number");
    y[axis] = c.ExtentOf(c.Quotient(c.ValueOf(y[axis]), 2));
  }
  c.Out(0, c.TypeAttr("dst_type", C_DT_FLOAT4_E2M1), y);
  c.Out(1, C_DT_FLOAT8_E8M0, c.Has(1) ? Shape::Unknown() : BlockScales(c, y, c.IntAttr("axis", -1), 32));
}

/// x [k, m, n] between two square matrices. 4-bit floats have a scale for each block of 32, integers one for each k.
void FlatQuantRule(Context &c) {
  Shape x = c.DimsOfRank(0, 3, "x"), left = c.DimsOfRank(1, 2, "kronecker_p1");
  Shape right = c.DimsOfRank(2, 2, "kronecker_p2");
  int64_t m = c.SameDim(x[1], c.SameDim(left[0], left[1], "the extents of kronecker_p1"), "x.1 and kronecker_p1");
  int64_t n = c.SameDim(x[2], c.SameDim(right[0], right[1], "the extents of kronecker_p2"), "x.2 and kronecker_p2");
  int32_t type = c.TypeAttr("dst_dtype", C_DT_INT4);
  if (type != C_DT_FLOAT4_E2M1) {
    if (type == C_DT_INT32 && n >= 0) {  // eight values in one element
      if (n % 8) c.Fail("x has ", n, " columns, expected a multiple of 8 for DT_INT32");
      n /= 8;
    }
    c.Out(0, type, Shape{x[0], m, n});
    return c.Out(1, C_DT_FLOAT, Shape{x[0]});
  }
  int64_t width = m < 0 || n < 0 ? -1 : c.CheckedMul(m, n, "the number of values of a row");
  c.Out(0, type, Shape{x[0], width});
  c.Out(1, C_DT_FLOAT8_E8M0, Shape{x[0], CeilOf(width, 64), 2});
}

/// Integers have a scale for each row, floats one for each block of 32.
void RotateQuantRule(Context &c) {
  Shape x = c.Dims(0), rot = c.DimsOfRank(1, 2, "rot");
  c.SameDim(rot[0], rot[1], "the extents of rot");
  int32_t type = c.TypeAttr("y_dtype", C_DT_INT8);
  c.Out(0, type, x);
  if (type != C_DT_INT8 && type != C_DT_INT4)
    return c.Out(1, C_DT_FLOAT8_E8M0, BlockScales(c, x, c.IntAttr("axis", -1), 32));
  if (x.has_rank() && x.rank() == 0) c.Fail("x is a scalar, expected at least 1 dimension");
  if (x.has_rank()) x.dims().pop_back();
  c.Out(1, C_DT_FLOAT, x);
}

/// PyTorch's names of quantised types.
void QuantizeRule(Context &c) {
  std::string name = c.StringAttr("dtype");
  int32_t type = name == "torch.qint8"    ? C_DT_INT8
                 : name == "torch.quint8" ? C_DT_UINT8
                 : name == "torch.qint32" ? C_DT_INT32
                                          : C_DT_UNDEFINED;
  if (type == C_DT_UNDEFINED) c.Fail("dtype is '", name, "', expected torch.qint8, torch.quint8 or torch.qint32");
  Shape x = c.Dims(0), scales = c.Dims(1);
  if (x.has_rank() && scales.has_rank() && scales.elements() > 1) {
    int64_t axis = c.Axis(c.IntAttr("axis", 1), x.rank(), "axis");
    c.SameDim(x[axis], scales.elements(), "the extent of x along axis and the number of scales");
  }
  c.Out(0, type, x);
}

constexpr Entry kBlockScaleRules[] = {
    {"DynamicMxQuant", Guarded<DynamicMxQuantRule>},
    {"SwigluMxQuant", Guarded<SwigluMxQuantRule>},
    {"FlatQuant", Guarded<FlatQuantRule>},
    {"RotateQuant", Guarded<RotateQuantRule>},
    {"Quantize", Guarded<QuantizeRule>},
};

}  // namespace

std::span<const Entry> BlockScaleRules() { return kBlockScaleRules; }

}  // namespace gec::infer
