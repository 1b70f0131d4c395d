// Quantised values, decomposed into plain arithmetic.
#include <limits>

#include "core/ir/types.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/window.h"

namespace gec::onnx {
namespace {

// A vector of one value per slice along `axis`, shaped to broadcast over x.
Endpoint AlongAxis(NodeContext &c, Endpoint v, Endpoint x, int64_t axis) {
  Shape s = c.ShapeOf(v);
  if (!s.has_rank()) c.Refuse(Reason::kNeedsStatic, "the rank of scale and zero point must be known");
  if (s.rank() == 0 || (s.rank() == 1 && s[0] == 1)) return c.ReshapeTo(v, {});
  if (s.rank() != 1) c.Refuse(Reason::kUnsupportedUse, Str("scales of rank ", s.rank(), " (blocks) are not supported"));
  int64_t rank = c.NeedRank(x, "to apply a scale per slice");
  axis = c.NeedAxis(axis, x);
  std::vector<int64_t> axes;
  for (int64_t i = axis + 1; i < rank; ++i) axes.push_back(i - axis);
  return axes.empty() ? v : c.Unsqueeze(v, axes);
}

// One value per block along `axis`, repeated for each element of x.
Endpoint Blocks(NodeContext &c, Endpoint v, Endpoint x, int64_t axis, int64_t block) {
  if (!v || block == 0) return v;
  if (block < 0) c.Refuse(Reason::kInvalidModel, Str("block_size is ", block));
  Formula f(c);
  axis = c.NeedAxis(axis, x);
  return f.Gather(v, f.FloorDiv(f.Count(f.Dim(x, axis)), f.Int(block)), axis);
}
int64_t BlockSize(NodeContext &c) { return c.opset() >= 21 ? c.Int("block_size", 0) : 0; }

// Scale or zero point as it applies to x.
Endpoint Spread(NodeContext &c, Endpoint v, Endpoint x, int64_t axis, int64_t block) {
  return block ? Blocks(c, v, x, axis, block) : AlongAxis(c, v, x, axis);
}

void Limits(NodeContext &c, int32_t type, double *low, double *high) {
  switch (type) {
    case C_DT_INT8:
      *low = -128, *high = 127;
      return;
    case C_DT_UINT8:
      *low = 0, *high = 255;
      return;
    case C_DT_INT16:
      *low = -32768, *high = 32767;
      return;
    case C_DT_UINT16:
      *low = 0, *high = 65535;
      return;
    default:
      c.Refuse(Reason::kUnsupportedType, Str("quantisation to ", DataTypeName(type), " is not supported"));
  }
}

Endpoint Quantize(NodeContext &c, Endpoint x, Endpoint scale, Endpoint zero, int32_t type) {
  if (type == C_DT_FLOAT8_E4M3FN || type == C_DT_FLOAT8_E5M2) {  // the cast rounds and saturates
    Endpoint y = c.Op("RealDiv", {x, scale});
    if (zero) y = c.Op("Add", {y, c.CastTo(zero, C_DT_FLOAT)});
    return c.Op("Cast", {y}, {{"dst_type", int64_t{type}}});
  }
  double low, high;
  Limits(c, type, &low, &high);
  Endpoint y = c.Op(NodeContext::Has("Rint") ? "Rint" : "Round", {c.Op("RealDiv", {x, scale})});
  if (zero) y = c.Op("Add", {y, c.CastTo(zero, C_DT_FLOAT)});
  y = c.Op("ClipByValueV2", {y, c.ConstNumber(low, C_DT_FLOAT, "low"), c.ConstNumber(high, C_DT_FLOAT, "high")});
  return c.Op("Cast", {y}, {{"dst_type", int64_t{type}}});
}

void QuantizeLinear(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1), zero = c.OptIn(2);
  int64_t axis = c.Int("axis", 1);
  c.Ignore({"precision"});
  bool saturate = c.Flag("saturate", true);
  int64_t block = BlockSize(c);
  int32_t type =
      c.HasAttr("output_dtype") && c.Int("output_dtype", 0) != 0 ? c.TypeAttr("output_dtype", C_DT_UINT8) : -1;
  if (type < 0) type = zero ? c.NeedType(zero, "to quantise to it") : static_cast<int32_t>(C_DT_UINT8);
  if (!saturate && (type == C_DT_FLOAT8_E4M3FN || type == C_DT_FLOAT8_E5M2))
    c.Refuse(Reason::kUnsupportedUse, "saturate = 0 is not supported");
  scale = c.CastTo(Spread(c, scale, x, axis, block), C_DT_FLOAT);
  if (zero) zero = Spread(c, zero, x, axis, block);
  c.Out(0, Quantize(c, c.CastTo(x, C_DT_FLOAT), scale, zero, type));
}

void DequantizeLinear(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1), zero = c.OptIn(2);
  int64_t axis = c.Int("axis", 1);
  int64_t block = BlockSize(c);
  int32_t type = c.NeedType(scale, "as the type of the result");
  if (c.HasAttr("output_dtype") && c.Int("output_dtype", 0) != 0) type = c.TypeAttr("output_dtype", type);
  Endpoint y = c.CastTo(x, C_DT_FLOAT);
  if (zero) y = c.Op("Sub", {y, c.CastTo(Spread(c, zero, x, axis, block), C_DT_FLOAT)});
  y = c.Op("Mul", {y, c.CastTo(Spread(c, scale, x, axis, block), C_DT_FLOAT)});
  c.Out(0, c.CastTo(y, type));
}

void DynamicQuantizeLinear(NodeContext &c) {
  Endpoint x = c.In(0);
  Endpoint all = c.ReshapeTo(x, {-1});  // its range is that of x, whose rank may be unknown
  Endpoint nought = c.ConstNumber(0, C_DT_FLOAT, "zero");
  Endpoint low = c.Op("Minimum", {c.Reduce("ReduceMin", all, {0}, false), nought});
  Endpoint high = c.Op("Maximum", {c.Reduce("ReduceMax", all, {0}, false), nought});
  Endpoint scale = c.Op("RealDiv", {c.Op("Sub", {high, low}), c.ConstNumber(255, C_DT_FLOAT, "steps")});
  Endpoint zero = Quantize(c, c.Op("Neg", {low}), scale, {}, C_DT_UINT8);
  c.Out(0, Quantize(c, x, scale, zero, C_DT_UINT8));
  c.Out(1, scale);
  c.Out(2, zero);
}

// Products of 8-bit integers, exact in 32 bits.
void MatMulInteger(NodeContext &c) {
  Endpoint a = c.CastTo(c.In(0), C_DT_INT32), b = c.CastTo(c.In(1), C_DT_INT32);
  int64_t rank_a = c.NeedRank(a, "to multiply it"), rank_b = c.NeedRank(b, "to multiply it");
  if (rank_a < 2 || rank_b < 2) c.Refuse(Reason::kUnsupportedUse, "operands of rank 1 are not supported");
  if (c.HasInput(2)) {  // one zero point, or one per row
    Endpoint zero = c.CastTo(c.In(2), C_DT_INT32);
    if (c.Rank(zero) == 1 && c.ShapeOf(zero)[0] != 1) zero = c.Unsqueeze(zero, {1});
    a = c.Op("Sub", {a, zero});
  }
  if (c.HasInput(3)) b = c.Op("Sub", {b, c.CastTo(c.In(3), C_DT_INT32)});
  c.Out(0, c.Op("BatchMatMulV2", {a, b}));
}

Endpoint Dequantized(NodeContext &c, size_t value, int64_t axis) {
  Endpoint x = c.In(value), scale = c.In(value + 1), zero = c.In(value + 2);
  Endpoint y = c.Op("Sub", {c.CastTo(x, C_DT_FLOAT), c.CastTo(AlongAxis(c, zero, x, axis), C_DT_FLOAT)});
  return c.Op("Mul", {y, c.CastTo(AlongAxis(c, scale, x, axis), C_DT_FLOAT)});
}

void QLinearMatMul(NodeContext &c) {
  int64_t rank_a = c.NeedRank(c.In(0), "to multiply it"), rank_b = c.NeedRank(c.In(3), "to multiply it");
  if (rank_a < 2 || rank_b < 2) c.Refuse(Reason::kUnsupportedUse, "operands of rank 1 are not supported");
  Endpoint a = Dequantized(c, 0, rank_a - 2), b = Dequantized(c, 3, rank_b - 1);
  Endpoint y = c.Op("BatchMatMulV2", {a, b});
  Endpoint scale = c.CastTo(AlongAxis(c, c.In(6), y, -2), C_DT_FLOAT), zero = AlongAxis(c, c.In(7), y, -2);
  c.Out(0, Quantize(c, y, scale, zero, c.NeedType(zero, "to quantise to it")));
}

// Convolution of 8-bit integers, exact in 32 bits.
void ConvInteger(NodeContext &c) {
  Endpoint x = c.CastTo(c.In(0), C_DT_INT32), weights = c.CastTo(c.In(1), C_DT_INT32);
  if (c.HasInput(2)) x = c.Op("Sub", {x, c.CastTo(AlongAxis(c, c.In(2), x, 1), C_DT_INT32)});
  if (c.HasInput(3)) weights = c.Op("Sub", {weights, c.CastTo(AlongAxis(c, c.In(3), weights, 0), C_DT_INT32)});
  c.Out(0, Convolution(c, x, weights, {}));
}

void QLinearConv(NodeContext &c) {
  Endpoint x = Dequantized(c, 0, 1), weights = Dequantized(c, 3, 0), bias = c.OptIn(8);
  if (bias) {  // in steps of both scales
    Formula f(c);
    Endpoint step = f.Mul(c.CastTo(f.Flat(c.In(1)), C_DT_FLOAT), c.CastTo(f.Flat(c.In(4)), C_DT_FLOAT));
    bias = f.Mul(c.CastTo(bias, C_DT_FLOAT), step);
  }
  Endpoint y = Convolution(c, x, weights, bias);
  Endpoint scale = c.CastTo(AlongAxis(c, c.In(6), y, 1), C_DT_FLOAT), zero = AlongAxis(c, c.In(7), y, 1);
  c.Out(0, Quantize(c, y, scale, zero, c.NeedType(zero, "to quantise to it")));
}

constexpr Handler kQuantizationHandlers[] = {
    {"", "MatMulInteger", 10, MatMulInteger},
    {"", "QLinearMatMul", 10, QLinearMatMul},
    {"", "ConvInteger", 10, ConvInteger},
    {"", "QLinearConv", 10, QLinearConv},
    {"", "QuantizeLinear", 10, QuantizeLinear},
    {"", "DequantizeLinear", 10, DequantizeLinear},
    {"", "DynamicQuantizeLinear", 11, DynamicQuantizeLinear},
};

}  // namespace

HandlerTable QuantizationHandlers() { return {std::begin(kQuantizationHandlers), std::end(kQuantizationHandlers)}; }

}  // namespace gec::onnx
