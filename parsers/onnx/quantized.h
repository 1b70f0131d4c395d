// Quantised values in their inner form: QuantizeLinear and DequantizeLinear around plain operators, and the integer
// products QuantizedMatMul and QuantizedConv2D.
#pragma once

#include "parsers/onnx/node_context.h"

namespace gec::onnx {

/// Numbers with what they stand for. scale and zero may be empty: 1 and 0.
struct Quantized {
  Endpoint x, scale, zero;
};

/// Inputs `at`, `at` + 1 and `at` + 2 of the node.
Quantized QuantizedIn(NodeContext &c, size_t at);
/// The values, as floats of the scale's type unless `type` says another.
Endpoint Dequantize(NodeContext &c, const Quantized &q, int64_t axis = 1, int64_t block = 0,
                    int32_t type = C_DT_UNDEFINED);
/// x quantised; to the zero point's type unless `type` says another.
Endpoint Quantize(NodeContext &c, Endpoint x, Endpoint scale, Endpoint zero, int64_t axis = 1, int64_t block = 0,
                  int32_t type = C_DT_UNDEFINED, bool saturate = true);

/// a @ b as `type`, or quantised by y's scale and zero point where y.scale is there. bias: one int32 or float for each
/// column. Scales and zero points: one number, one for each row of a, each column of b.
Endpoint QuantizedProduct(NodeContext &c, Quantized a, Quantized b, Endpoint bias, const Quantized &y, int32_t type);
/// The same for a convolution with the node's attributes; the filter's scales are one number or one for each channel.
Endpoint QuantizedConvolution(NodeContext &c, Quantized x, Quantized filter, Endpoint bias, const Quantized &y,
                              int32_t type);

}  // namespace gec::onnx
