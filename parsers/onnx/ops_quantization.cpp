// ONNX's quantised operators: their inner form is QuantizeLinear, DequantizeLinear and two integer products.
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/quantized.h"

namespace gec::onnx {
namespace {

int64_t BlockSize(NodeContext &c) { return c.opset() >= 21 ? c.Int("block_size", 0) : 0; }
int64_t AxisOf(NodeContext &c) { return c.Int("axis", 1); }
int32_t OutputType(NodeContext &c) {
  return c.HasAttr("output_dtype") && c.Int("output_dtype", 0) != 0 ? c.TypeAttr("output_dtype", C_DT_UNDEFINED)
                                                                    : static_cast<int32_t>(C_DT_UNDEFINED);
}

void QuantizeLinear(NodeContext &c) {
  const Endpoint x = c.In(0), scale = c.In(1), zero = c.OptIn(2);
  c.Ignore({"precision"});
  const bool saturate = c.Flag("saturate", true);
  const int64_t axis = AxisOf(c), block = BlockSize(c);
  int32_t type = OutputType(c);
  if (type == C_DT_UNDEFINED) type = zero ? c.NeedType(zero, "to quantise to it") : static_cast<int32_t>(C_DT_UINT8);
  c.Out(0, Quantize(c, x, scale, zero, axis, block, type, saturate));
}

void DequantizeLinear(NodeContext &c) {
  const Quantized q = QuantizedIn(c, 0);
  const int64_t axis = AxisOf(c), block = BlockSize(c);
  c.Out(0, Dequantize(c, q, axis, block, OutputType(c)));
}

void DynamicQuantizeLinear(NodeContext &c) {
  Node *node = c.Add("DynamicQuantizeLinear", {c.In(0)});
  for (int32_t port = 0; port < 3; ++port) c.Out(static_cast<size_t>(port), {node, port});
}

// Products of 8-bit integers, exact in 32 bits.
void MatMulInteger(NodeContext &c) {
  c.Out(0, QuantizedProduct(c, {c.In(0), {}, c.OptIn(2)}, {c.In(1), {}, c.OptIn(3)}, {}, {}, C_DT_INT32));
}

void QLinearMatMul(NodeContext &c) {
  const Quantized a = QuantizedIn(c, 0), b = QuantizedIn(c, 3), y{{}, c.In(6), c.In(7)};
  c.Out(0, QuantizedProduct(c, a, b, {}, y, c.NeedType(y.zero, "to quantise to it")));
}

// Convolution of 8-bit integers, exact in 32 bits.
void ConvInteger(NodeContext &c) {
  c.Out(0, QuantizedConvolution(c, {c.In(0), {}, c.OptIn(2)}, {c.In(1), {}, c.OptIn(3)}, {}, {}, C_DT_INT32));
}

void QLinearConv(NodeContext &c) {
  const Quantized x = QuantizedIn(c, 0), filter = QuantizedIn(c, 3), y{{}, c.In(6), c.In(7)};
  c.Out(0, QuantizedConvolution(c, x, filter, c.OptIn(8), y, c.NeedType(y.zero, "to quantise to it")));
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
