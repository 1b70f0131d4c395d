#include "parsers/onnx/quantized.h"

#include <algorithm>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/window.h"

namespace gec::onnx {
namespace {

bool Quantises8(int32_t type) { return type == C_DT_INT8 || type == C_DT_UINT8; }

/// One number as a scalar; anything else as it is.
Endpoint AsPlainScalar(NodeContext &c, Endpoint v) {
  if (!v) return v;
  const Shape s = c.ShapeOf(v);
  return s.known() && s.rank() > 0 && s.elements() == 1 ? c.ReshapeTo(v, {}) : v;
}

/// At most one extent is not 1.
bool IsLine(NodeContext &c, Endpoint v) {
  const Shape s = v ? c.ShapeOf(v) : Shape();
  if (s.rank() <= 1) return true;
  if (!s.known()) c.Refuse(Reason::kNeedsStatic, "the shape of scale and zero point must be known");
  return s.elements() == *std::max_element(s.dims().begin(), s.dims().end());
}

/// A value for each row [.., rows, 1] or column [.., 1, columns] of a product as a vector.
Endpoint AsLine(NodeContext &c, Endpoint v) {
  v = AsPlainScalar(c, v);
  if (!v) return v;
  const Shape s = c.ShapeOf(v);
  if (!IsLine(c, v))
    c.Refuse(Reason::kUnsupportedUse, Str("scale or zero point of shape ", s.str(), " for rows or columns"));
  return s.rank() <= 1 ? v : c.ReshapeTo(v, {s.elements()});
}

Quantized AsLines(NodeContext &c, const Quantized &q) {
  return {q.x, q.scale ? c.CastTo(AsLine(c, q.scale), C_DT_FLOAT) : q.scale, AsLine(c, q.zero)};
}

bool IsOneNumber(NodeContext &c, Endpoint v) {
  const Shape s = v ? c.ShapeOf(v) : Shape();
  return s.known() && s.elements() == 1;
}

/// x - zero as int32, where the zero points spread over x as they are.
Endpoint Difference(NodeContext &c, const Quantized &q) {
  Endpoint x = c.CastTo(q.x, C_DT_INT32);
  return q.zero ? c.Op("Sub", {x, c.CastTo(q.zero, C_DT_INT32)}) : x;
}

/// The same for zero points along an axis.
Endpoint Shifted(NodeContext &c, const Quantized &q, int64_t axis) {
  Endpoint x = c.CastTo(q.x, C_DT_INT32);
  if (!q.zero) return x;
  Endpoint zero = c.CastTo(AsPlainScalar(c, q.zero), C_DT_INT32);
  if (c.Rank(zero) == 1) {
    const int64_t rank = c.NeedRank(x, "to apply a zero point per slice");
    zero = Formula(c).Along(zero, c.NeedAxis(axis, x), rank);
  }
  return c.Op("Sub", {x, zero});
}

}  // namespace

Quantized QuantizedIn(NodeContext &c, size_t at) { return {c.In(at), c.In(at + 1), c.OptIn(at + 2)}; }

Endpoint Dequantize(NodeContext &c, const Quantized &q, int64_t axis, int64_t block, int32_t type) {
  if (type == C_DT_UNDEFINED) type = c.NeedType(q.scale, "as the type of the result");
  return c.Op("DequantizeLinear", {q.x, q.scale, q.zero},
              {{"axis", axis}, {"block_size", block}, {"dst_type", int64_t{type}}});
}

Endpoint Quantize(NodeContext &c, Endpoint x, Endpoint scale, Endpoint zero, int64_t axis, int64_t block, int32_t type,
                  bool saturate) {
  if (type == C_DT_UNDEFINED) type = zero ? c.NeedType(zero, "to quantise to it") : static_cast<int32_t>(C_DT_UINT8);
  return c.Op("QuantizeLinear", {x, scale, zero},
              {{"axis", axis}, {"block_size", block}, {"dst_type", int64_t{type}}, {"saturate", saturate}});
}

Endpoint QuantizedProduct(NodeContext &c, Quantized a, Quantized b, Endpoint bias, const Quantized &y, int32_t type) {
  const int64_t rank_a = c.NeedRank(a.x, "to multiply it"), rank_b = c.NeedRank(b.x, "to multiply it");
  if (rank_a < 1 || rank_b < 1) c.Refuse(Reason::kInvalidModel, "a scalar is no operand of a matrix product");
  if (rank_a == 1) a.x = c.Unsqueeze(a.x, {0});
  if (rank_b == 1) b.x = c.Unsqueeze(b.x, {1});
  if (type == C_DT_INT32 && (!IsLine(c, a.zero) || !IsLine(c, b.zero)))  // a zero point for each row of each matrix
    return c.Op("BatchMatMulV2", {Difference(c, a), Difference(c, b)});
  a = AsLines(c, a);
  b = AsLines(c, b);
  const bool whole = !y.scale || (IsOneNumber(c, y.scale) && (!y.zero || IsOneNumber(c, y.zero)));
  const bool quantises = y.scale && whole && Quantises8(type);
  Endpoint y_scale, y_zero;
  if (quantises) {
    y_scale = c.CastTo(AsPlainScalar(c, y.scale), C_DT_FLOAT);
    y_zero = AsPlainScalar(c, y.zero);
  }
  const int32_t made = y.scale && !quantises ? static_cast<int32_t>(C_DT_FLOAT) : type;
  Endpoint out = c.Op("QuantizedMatMul", {a.x, a.scale, a.zero, b.x, b.scale, b.zero, bias, y_scale, y_zero},
                      {{"dst_type", int64_t{made}}});
  if (y.scale && !quantises) out = Quantize(c, out, y.scale, y.zero, whole ? 1 : -2, 0, type);
  List dropped;
  if (rank_a == 1) dropped.push_back(-2);
  if (rank_b == 1) dropped.push_back(-1);
  return dropped.empty() ? out : c.Squeeze(out, dropped);
}

Endpoint QuantizedConvolution(NodeContext &c, Quantized x, Quantized filter, Endpoint bias, const Quantized &y,
                              int32_t type) {
  x = {x.x, x.scale ? c.CastTo(AsPlainScalar(c, x.scale), C_DT_FLOAT) : x.scale, AsPlainScalar(c, x.zero)};
  filter = {filter.x, filter.scale ? c.CastTo(AsPlainScalar(c, filter.scale), C_DT_FLOAT) : filter.scale,
            AsPlainScalar(c, filter.zero)};
  Endpoint y_scale, y_zero;
  if (y.scale) {
    y_scale = c.CastTo(AsPlainScalar(c, y.scale), C_DT_FLOAT);
    y_zero = AsPlainScalar(c, y.zero);
  }
  const auto make = [&](Endpoint wide, Endpoint weights, const Window &w, int64_t groups) -> Endpoint {
    if (w.spatial == 2)
      return c.Op("QuantizedConv2D", {wide, x.scale, x.zero, weights, filter.scale, filter.zero, bias, y_scale, y_zero},
                  {{"strides", WithNC(w.strides)},
                   {"pads", Interleaved(w)},
                   {"dilations", WithNC(w.dilations)},
                   {"groups", groups},
                   {"data_format", "NCHW"},
                   {"dst_type", int64_t{type}}});
    const bool sums = type == C_DT_INT32;
    Endpoint image = sums ? Shifted(c, {wide, {}, x.zero}, 1) : Dequantize(c, {wide, x.scale, x.zero});
    Endpoint kernel =
        sums ? Shifted(c, {weights, {}, filter.zero}, 0) : Dequantize(c, {weights, filter.scale, filter.zero}, 0);
    Endpoint addend = bias;
    if (bias && !sums) {  // in steps of both scales
      Formula f(c);
      addend = f.Mul(c.CastTo(bias, C_DT_FLOAT), f.Mul(f.Flat(x.scale), f.Flat(filter.scale)));
    }
    Endpoint out = c.Op("Conv3D", {image, kernel, addend},
                        {{"strides", WithNC(w.strides)},
                         {"pads", Interleaved(w)},
                         {"dilations", WithNC(w.dilations)},
                         {"groups", groups},
                         {"data_format", "NCDHW"}});
    return y.scale ? Quantize(c, out, y_scale, y_zero, 1, 0, type) : out;
  };
  return ConvolutionBy(c, x.x, filter.x, x.zero, make);
}

}  // namespace gec::onnx
