#include "protos/infer/quantized.h"

#include <cmath>

#include "ge/data.h"

namespace gec::infer {
namespace {

bool Is8Bits(int32_t type) { return type == C_DT_INT8 || type == C_DT_UINT8; }

void CheckCount(Context &c, size_t ir, const std::string &name, int64_t most) {
  if (!c.Has(ir)) return;
  const int64_t count = c.Dims(ir).elements();
  if (count < 0 || count == 1 || most < 0 || count == most) return;
  if (most == 1) c.Fail(name, " has ", count, " values, expected 1");
  c.Fail(name, " has ", count, " values, expected 1 or ", most);
}

/// An 8-bit operand with its scale and zero point, at `ir` and behind it.
void CheckOperand(Context &c, size_t ir, const std::string &name, int64_t most) {
  const int32_t type = c.Type(ir);
  if (type != C_DT_UNDEFINED && !Is8Bits(type))
    c.Fail(name, " has data type ", GeDataTypeName(type), ", expected DT_INT8 or DT_UINT8");
  if (c.Has(ir + 2)) c.SameType({ir, ir + 2}, {name.c_str(), (name + "_zero_point").c_str()});
  CheckCount(c, ir + 1, name + "_scale", most);
  CheckCount(c, ir + 2, name + "_zero_point", most);
}

void CheckBias(Context &c, bool integers, int64_t columns) {
  if (!c.Has(kQuantizedBias)) return;
  const int32_t type = c.Type(kQuantizedBias);
  if (type != C_DT_UNDEFINED && type != C_DT_INT32 && (integers || type != C_DT_FLOAT))
    c.Fail("bias has data type ", GeDataTypeName(type), ", expected DT_INT32", integers ? "" : " or DT_FLOAT");
  const int64_t count = c.Dims(kQuantizedBias).elements();
  if (c.Differ(count, columns)) c.Fail("bias has ", count, " values, expected ", columns);
}

void CheckOutput(Context &c, int32_t dst) {
  const bool scaled = Is8Bits(dst);
  if (!scaled && (c.Has(kQuantizedOutScale) || c.Has(kQuantizedOutZero)))
    c.Fail("y_scale and y_zero_point go with a dst_type of 8 bits, but it is ", GeDataTypeName(dst));
  if (!scaled) return;
  CheckCount(c, kQuantizedOutScale, "y_scale", 1);
  CheckCount(c, kQuantizedOutZero, "y_zero_point", 1);
  const int32_t zero = c.Has(kQuantizedOutZero) ? c.Type(kQuantizedOutZero) : C_DT_UNDEFINED;
  if (zero != C_DT_UNDEFINED && zero != dst)
    c.Fail("y_zero_point has data type ", GeDataTypeName(zero), ", expected the dst_type ", GeDataTypeName(dst));
}

}  // namespace

void CheckScale(Context &c, size_t ir, const std::string &name, bool divides) {
  if (!c.Has(ir)) return;
  const int32_t type = c.Type(ir);
  if (type != C_DT_UNDEFINED && type != C_DT_FLOAT)
    c.Fail(name, " has data type ", GeDataTypeName(type), ", expected DT_FLOAT");
  const auto values = c.Numbers(ir);
  if (!values) return;
  for (size_t i = 0; i < values->size(); ++i) {
    const double value = (*values)[i];
    if (!std::isfinite(value) || (divides && value == 0))
      c.Fail(name, "[", i, "] is ", value, ", expected a finite number", divides ? " other than 0" : "");
  }
}

int32_t QuantizedType(Context &c, const char *x, const char *weights, int64_t rows, int64_t columns) {
  const int32_t dst = c.TypeAttr("dst_type", C_DT_UNDEFINED);
  if (dst != C_DT_INT32 && dst != C_DT_FLOAT && !Is8Bits(dst))
    c.Fail("dst_type is ", GeDataTypeName(dst), ", expected DT_INT32, DT_FLOAT, DT_INT8 or DT_UINT8");
  CheckOperand(c, 0, x, rows);
  CheckOperand(c, kQuantizedWeights, weights, columns);
  CheckScale(c, kQuantizedScale, std::string(x) + "_scale");
  CheckScale(c, kQuantizedWeightScale, std::string(weights) + "_scale");
  CheckScale(c, kQuantizedOutScale, "y_scale", true);
  const bool integers = dst == C_DT_INT32;
  if (integers && (c.Has(kQuantizedScale) || c.Has(kQuantizedWeightScale)))
    c.Fail("a product of dst_type DT_INT32 has no scales");
  if (integers && !c.StringAttr("activation").empty())
    c.Fail("a product of dst_type DT_INT32 has no activation, but it is '", c.StringAttr("activation"), "'");
  CheckBias(c, integers, columns);
  CheckOutput(c, dst);
  return dst;
}

}  // namespace gec::infer
