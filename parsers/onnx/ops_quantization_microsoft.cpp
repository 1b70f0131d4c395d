// Quantised operators that ONNX Runtime adds to ONNX: the plain operator between DequantizeLinear and QuantizeLinear,
// which the passes put together.
#include <algorithm>
#include <cmath>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/quantized.h"
#include "parsers/onnx/window.h"

namespace gec::onnx {
namespace {

// Scale and zero point of the result, at these inputs.
Quantized ResultOf(NodeContext &c, size_t at) { return {{}, c.In(at), c.OptIn(at + 1)}; }

// y quantised; without a zero point to the type of the input `like`.
void QuantizedOut(NodeContext &c, Endpoint y, const Quantized &as, Endpoint like) {
  const int32_t type = c.NeedType(as.zero ? as.zero : like, "to quantise to it");
  c.Out(0, Quantize(c, y, as.scale, as.zero, 1, 0, type));
}

void Binary(NodeContext &c, const char *type) {
  const Quantized a = QuantizedIn(c, 0), b = QuantizedIn(c, 3);
  QuantizedOut(c, c.Op(type, {Dequantize(c, a), Dequantize(c, b)}), ResultOf(c, 6), a.x);
}
void QLinearAdd(NodeContext &c) { Binary(c, "Add"); }
void QLinearMul(NodeContext &c) { Binary(c, "Mul"); }

void QLinearSigmoid(NodeContext &c) {
  const Quantized x = QuantizedIn(c, 0);
  QuantizedOut(c, c.Op("Sigmoid", {Dequantize(c, x)}), ResultOf(c, 3), x.x);
}

void QLinearLeakyRelu(NodeContext &c) {
  const Quantized x = QuantizedIn(c, 0);
  const float alpha = c.Float("alpha", 0.01f);
  QuantizedOut(c, c.Op("LeakyRelu", {Dequantize(c, x)}, {{"negative_slope", alpha}}), ResultOf(c, 3), x.x);
}

void QLinearSoftmax(NodeContext &c) {
  const Quantized x = QuantizedIn(c, 0);
  const int64_t version = c.NeedInt("opset");
  const int64_t axis = c.Int("axis", -1);
  Endpoint y = Dequantize(c, x);
  if (version >= 13) {
    y = c.Op("SoftmaxV2", {y}, {{"axes", AttrValue::ListInt{c.Axis(axis, x.x)}}});
  } else {  // all dimensions from the axis on are one
    const Endpoint shape = c.ShapeValue(x.x);
    const Endpoint flat = c.Op("Flatten", {y}, {{"axis", c.NeedAxis(axis, x.x)}});
    y = c.Op("Reshape", {c.Op("SoftmaxV2", {flat}, {{"axes", AttrValue::ListInt{-1}}}), shape});
  }
  QuantizedOut(c, y, ResultOf(c, 3), x.x);
}

void QLinearReduceMean(NodeContext &c) {
  const Quantized x = QuantizedIn(c, 0);
  List axes = c.Ints("axes");
  const bool keep = c.Flag("keepdims", true);
  if (axes.empty()) {
    const int64_t rank = c.NeedRank(x.x, "to reduce all its dimensions");
    for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  QuantizedOut(c, c.Reduce("ReduceMean", Dequantize(c, x), axes, keep), ResultOf(c, 3), x.x);
}

void QLinearWhere(NodeContext &c) {
  const Endpoint condition = c.In(0);
  const Quantized x = QuantizedIn(c, 1), y = QuantizedIn(c, 4);
  QuantizedOut(c, c.Op("SelectV2", {condition, Dequantize(c, x), Dequantize(c, y)}), ResultOf(c, 7), x.x);
}

void QLinearConcat(NodeContext &c) {
  const Quantized as = ResultOf(c, 0);
  const size_t count = c.input_count();
  if (count < 5 || (count - 2) % 3 != 0)
    c.Refuse(Reason::kInvalidModel, Str("it has ", count, " inputs, expected two and three for each part"));
  std::vector<Endpoint> parts;
  Endpoint first;
  for (size_t i = 2; i < count; i += 3) {
    const Quantized part = QuantizedIn(c, i);
    if (!first) first = part.x;
    parts.push_back(Dequantize(c, part));
  }
  const int64_t axis = c.NeedInt("axis");
  QuantizedOut(c, Formula(c).Concat(parts, axis), as, first);
}

// f on x with its channels in dimension 1.
template <class F>
Endpoint ChannelsFirst(NodeContext &c, Endpoint x, bool last, const F &f) {
  if (!last) return f(x);
  const int64_t rank = c.NeedRank(x, "to find its channels");
  if (rank < 3) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", at least 3 is needed"));
  List first{0, rank - 1}, back{0};
  for (int64_t i = 1; i < rank - 1; ++i) first.push_back(i);
  for (int64_t i = 2; i < rank; ++i) back.push_back(i);
  back.push_back(1);
  return c.Transpose(f(c.Transpose(x, first)), back);
}

void QLinearAveragePool(NodeContext &c) {
  const Quantized x = QuantizedIn(c, 0);
  const bool last = c.Flag("channels_last", false);
  const Endpoint y = ChannelsFirst(c, Dequantize(c, x), last, [&](Endpoint image) { return AveragePooled(c, image); });
  QuantizedOut(c, y, ResultOf(c, 3), x.x);
}

void QLinearGlobalAveragePool(NodeContext &c) {
  const Quantized x = QuantizedIn(c, 0);
  const bool last = c.Flag("channels_last", false);
  const Endpoint y =
      ChannelsFirst(c, Dequantize(c, x), last, [&](Endpoint image) { return GlobalAveragePooled(c, image); });
  QuantizedOut(c, y, ResultOf(c, 3), x.x);
}

void NhwcMaxPool(NodeContext &c) {
  c.Out(0, ChannelsFirst(c, c.In(0), true, [&](Endpoint image) { return MaxPooled(c, image); }));
}

void QLinearConvLast(NodeContext &c) {
  const Quantized x = QuantizedIn(c, 0), filter = QuantizedIn(c, 3);
  const Quantized as{{}, c.In(6), c.OptIn(7)};
  const int32_t type = c.NeedType(as.zero ? as.zero : x.x, "to quantise to it");
  const Endpoint bias = c.OptIn(8);
  c.Out(0, ChannelsFirst(c, x.x, c.Flag("channels_last", false), [&](Endpoint image) {
          return QuantizedConvolution(c, {image, x.scale, x.zero}, filter, bias, as, type);
        }));
}

// A row of one value for each column, which a product adds by itself.
bool IsRow(const Shape &s) { return s.known() && (s.rank() == 1 || (s.rank() == 2 && s[0] == 1)); }

void QGemm(NodeContext &c) {
  Quantized a = QuantizedIn(c, 0), b = QuantizedIn(c, 3);
  Endpoint bias = c.OptIn(6);
  const Quantized as{{}, c.OptIn(7), c.OptIn(8)};
  const float alpha = c.Float("alpha", 1.0f);
  if (c.Flag("transA", false)) a.x = c.Transpose(a.x, {1, 0});
  if (c.Flag("transB", false)) b.x = c.Transpose(b.x, {1, 0});
  if (alpha != 1.0f) a.scale = c.Op("Mul", {a.scale, c.NumberLike(alpha, a.scale, "alpha")});
  const int32_t type =
      !as.scale ? static_cast<int32_t>(C_DT_FLOAT) : c.NeedType(as.zero ? as.zero : a.x, "to quantise to it");
  if (!bias || IsRow(c.ShapeOf(bias))) {
    if (bias && c.Rank(bias) == 2) bias = c.Squeeze(bias, {0});
    return c.Out(0, QuantizedProduct(c, a, b, bias, as, type));
  }
  // A matrix: sums first, then what they stand for.
  Endpoint sum = QuantizedProduct(c, {a.x, {}, a.zero}, {b.x, {}, b.zero}, {}, {}, C_DT_INT32);
  Formula f(c);
  Endpoint y = f.Mul(c.CastTo(f.Add(sum, bias), C_DT_FLOAT), f.Mul(a.scale, b.scale));
  c.Out(0, as.scale ? Quantize(c, y, as.scale, as.zero, 1, 0, type) : y);
}

void DynamicQuantizeMatMul(NodeContext &c) {
  Node *node = c.Add("DynamicQuantizeLinear", {c.In(0)});
  const Quantized a{{node, 0}, {node, 1}, {node, 2}}, b{c.In(1), c.In(2), c.OptIn(3)};
  c.Out(0, QuantizedProduct(c, a, b, c.OptIn(4), {}, C_DT_FLOAT));
}

void MatMulIntegerToFloat(NodeContext &c) {
  const Quantized a{c.In(0), c.In(2), c.OptIn(4)}, b{c.In(1), c.In(3), c.OptIn(5)};
  c.Out(0, QuantizedProduct(c, a, b, c.OptIn(6), {}, C_DT_FLOAT));
}

void QuantizeLinear(NodeContext &c) {
  const Endpoint x = c.In(0), scale = c.In(1), zero = c.OptIn(2);
  const int32_t type = zero ? c.NeedType(zero, "to quantise to it") : static_cast<int32_t>(C_DT_UINT8);
  c.Out(0, Quantize(c, x, scale, zero, c.Int("axis", 1), c.Int("block_size", 0), type));
}
void DequantizeLinear(NodeContext &c) {
  const Quantized q = QuantizedIn(c, 0);
  c.Out(0, Dequantize(c, q, c.Int("axis", 1), c.Int("block_size", 0)));
}

constexpr Handler kMicrosoftHandlers[] = {
    {"com.microsoft", "QuantizeLinear", 1, QuantizeLinear},
    {"com.microsoft", "DequantizeLinear", 1, DequantizeLinear},
    {"com.microsoft", "QLinearAdd", 1, QLinearAdd},
    {"com.microsoft", "QLinearMul", 1, QLinearMul},
    {"com.microsoft", "QLinearSigmoid", 1, QLinearSigmoid},
    {"com.microsoft", "QLinearLeakyRelu", 1, QLinearLeakyRelu},
    {"com.microsoft", "QLinearSoftmax", 1, QLinearSoftmax},
    {"com.microsoft", "QLinearReduceMean", 1, QLinearReduceMean},
    {"com.microsoft", "QLinearWhere", 1, QLinearWhere},
    {"com.microsoft", "QLinearConcat", 1, QLinearConcat},
    {"com.microsoft", "QLinearAveragePool", 1, QLinearAveragePool},
    {"com.microsoft", "QLinearGlobalAveragePool", 1, QLinearGlobalAveragePool},
    {"com.microsoft", "QLinearConv", 1, QLinearConvLast},
    {"com.microsoft", "NhwcMaxPool", 1, NhwcMaxPool},
    {"com.microsoft", "QGemm", 1, QGemm},
    {"com.microsoft", "DynamicQuantizeMatMul", 1, DynamicQuantizeMatMul},
    {"com.microsoft", "MatMulIntegerToFloat", 1, MatMulIntegerToFloat},
};

}  // namespace

HandlerTable MicrosoftQuantizationHandlers() { return {std::begin(kMicrosoftHandlers), std::end(kMicrosoftHandlers)}; }

}  // namespace gec::onnx
