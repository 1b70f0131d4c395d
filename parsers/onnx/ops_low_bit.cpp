// Weights of 2, 4 and 8 bits that stay packed: operators of the domain com.microsoft.
#include <algorithm>

#include "core/ir/types.h"
#include "ge/own_data_types.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

// Numbers of weights and bytes stay below 2^63.
constexpr int64_t kMostValues = int64_t{1} << 31;

struct LowBit {
  int64_t k, n, bits, block, blocks;
};

LowBit ReadAttributes(NodeContext &c) {
  LowBit w;
  const auto range = [&](const char *name) {
    const int64_t value = c.NeedInt(name);
    if (value < 1 || value > kMostValues)
      c.Refuse(Reason::kInvalidModel, Str("attribute '", name, "' is ", value, ", expected 1 to ", kMostValues));
    return value;
  };
  w.k = range("K"), w.n = range("N"), w.block = range("block_size");
  if (w.block < 16 || (w.block & (w.block - 1)) != 0)
    c.Refuse(Reason::kInvalidModel, Str("attribute 'block_size' is ", w.block, ", expected a power of two from 16"));
  w.bits = c.Int("bits", 4);
  if (w.bits != 2 && w.bits != 4 && w.bits != 8)
    c.Refuse(Reason::kUnsupportedUse, Str("attribute 'bits' is ", w.bits, ", expected 2, 4 or 8"));
  w.blocks = (w.k - 1) / w.block + 1;
  const int64_t accuracy = c.Int("accuracy_level", 0);
  if (accuracy < 0 || accuracy > 4)
    c.Refuse(Reason::kInvalidModel, Str("attribute 'accuracy_level' is ", accuracy, ", expected 0 to 4"));
  if (const int64_t prepacked = c.Int("weight_prepacked", 0))
    c.Refuse(Reason::kUnsupportedUse, Str("attribute 'weight_prepacked' is ", prepacked, ", expected 0"));
  return w;
}

// The value in its shape; older models have it flat.
Endpoint Shaped(NodeContext &c, Endpoint e, const char *name, const std::vector<int64_t> &wanted) {
  const Shape shape = c.ShapeOf(e), target(wanted.data(), wanted.size());
  if (!shape.known() || shape == target) return e;
  if (shape.rank() == 1 && shape.elements() == target.elements()) return c.ReshapeTo(e, wanted);
  c.Refuse(Reason::kInvalidModel, Str(name, " has shape ", shape.str(), ", expected ", target.str()));
}

Endpoint OfType(NodeContext &c, Endpoint e, const char *name, int32_t type) {
  const int32_t given = c.NeedType(e, "to read it");
  if (given != type)
    c.Refuse(Reason::kInvalidModel, Str(name, " is of type ", DataTypeName(given), ", expected ", DataTypeName(type)));
  return e;
}

Endpoint ZeroPoints(NodeContext &c, const LowBit &w) {
  if (!c.HasInput(3)) return {};
  const Endpoint zero = c.In(3);
  const int32_t type = c.NeedType(zero, "to tell packed zero points from others");
  if (type == C_DT_UINT8) return Shaped(c, zero, "zero_points", {w.n, (w.blocks - 1) / (8 / w.bits) + 1});
  if (type == C_DT_DOUBLE || !NodeContext::IsFloatType(type))
    c.Refuse(Reason::kInvalidModel, Str("zero_points is of type ", DataTypeName(type)));
  return c.CastTo(Shaped(c, zero, "zero_points", {w.n, w.blocks}), C_DT_FLOAT);
}

// The block of each of the K values; nothing where it is the one that the value lies in.
Endpoint Groups(NodeContext &c, const LowBit &w) {
  if (!c.HasInput(4)) return {};
  Endpoint groups = OfType(c, c.In(4), "g_idx", C_DT_INT32);
  const Shape shape = c.ShapeOf(groups);
  const int64_t padded = w.blocks * w.block;
  if (shape.known() && (shape.rank() != 1 || (shape[0] != w.k && shape[0] != padded)))
    c.Refuse(Reason::kInvalidModel, Str("g_idx has shape ", shape.str(), ", expected [", w.k, "]",
                                        padded != w.k ? Str(" or [", padded, "]") : ""));
  if (const TensorPtr value = ConstantOf(groups)) {
    bool plain = true;
    for (int64_t i = 0; i < w.k; ++i) {
      const int32_t group = value->as<int32_t>()[i];
      if (group < 0 || group >= w.blocks)
        c.Refuse(Reason::kInvalidModel, Str("g_idx ", i, " is ", group, ", expected 0 to ", w.blocks - 1));
      plain = plain && group == i / w.block;
    }
    if (plain) return {};
    const int32_t *first = value->as<int32_t>();
    return c.Const(Tensor::Of<int32_t>(C_DT_INT32, Shape{w.k}, {first, first + w.k}), "groups");
  }
  if (shape.known() && shape[0] != w.k) groups = c.Slice(groups, {0}, {w.k}, {0});
  return groups;
}

// The values in the order of their blocks, where every block has as many as it holds; else empty.
std::vector<int64_t> OrderOfGroups(const LowBit &w, const Tensor &groups) {
  std::vector<int64_t> next(static_cast<size_t>(w.blocks)), order(static_cast<size_t>(w.k), -1);
  for (int64_t i = 0; i < w.k; ++i) {
    const int64_t block = groups.as<int32_t>()[i], at = block * w.block + next[static_cast<size_t>(block)]++;
    if (at >= std::min(w.k, (block + 1) * w.block)) return {};
    order[static_cast<size_t>(at)] = i;
  }
  return order;
}

// Weights with the values of each column in another order.
TensorPtr Reordered(const LowBit &w, const Tensor &weights, const std::vector<int64_t> &order) {
  const int64_t bytes = w.blocks * (w.block / 8 * w.bits), mask = (1 << w.bits) - 1;
  auto buffer = Buffer::Allocate(static_cast<uint64_t>(w.n * bytes));
  for (int64_t column = 0; column < w.n; ++column) {
    const uint8_t *from = weights.as<uint8_t>() + column * bytes;
    uint8_t *to = static_cast<uint8_t *>(buffer->data()) + column * bytes;
    for (int64_t i = 0; i < w.k; ++i) {
      const int64_t bit = order[static_cast<size_t>(i)] * w.bits, at = i * w.bits;
      const int64_t code = from[bit / 8] >> (bit % 8) & mask;
      to[at / 8] = static_cast<uint8_t>(to[at / 8] | code << (at % 8));
    }
  }
  return std::make_shared<Tensor>(weights.desc, std::move(buffer));
}

// Known groups that fill their blocks become the usual ones: values of x and of the weights change places.
void SortGroups(NodeContext &c, const LowBit &w, Endpoint *x, Endpoint *weights, Endpoint *groups) {
  const TensorPtr known = *groups ? ConstantOf(*groups) : nullptr, numbers = ConstantOf(*weights);
  if (!known || !numbers) return;
  const std::vector<int64_t> order = OrderOfGroups(w, *known);
  if (order.empty()) return;
  *weights = c.Const(Reordered(w, *numbers, order), "weights");
  *x = c.Op("GatherV2", {*x, c.ConstInts(order, "order"), c.ConstInt(-1, "axis")});
  *groups = {};
}

void MatMulNBits(NodeContext &c) {
  const LowBit w = ReadAttributes(c);
  const Endpoint x = c.In(0);
  const int32_t type = c.NeedType(x, "as the type of the result");
  if (type == C_DT_DOUBLE || !NodeContext::IsFloatType(type))
    c.Refuse(Reason::kInvalidModel, Str("A is of type ", DataTypeName(type)));
  const Endpoint weight = OfType(c, c.In(1), "B", C_DT_UINT8);
  const Shape given = c.ShapeOf(weight);
  if (given.known() && given.elements() == 0)
    c.Refuse(Reason::kUnsupportedUse,
             Str("B has shape ", given.str(), "; weights that are left out are not supported"));
  Endpoint data = Shaped(c, weight, "B", {w.n, w.blocks, w.block / 8 * w.bits});
  const Endpoint scale = c.CastTo(Shaped(c, c.In(2), "scales", {w.n, w.blocks}), C_DT_FLOAT);
  const Endpoint zero = ZeroPoints(c, w);
  Endpoint groups = Groups(c, w), rows = c.CastTo(x, C_DT_FLOAT);
  SortGroups(c, w, &rows, &data, &groups);
  Endpoint bias = c.OptIn(5);
  if (bias) bias = c.CastTo(Shaped(c, bias, "bias", {w.n}), C_DT_FLOAT);
  const Endpoint y = c.Op("WeightOnlyQuantizedMatMul", {rows, data, scale, zero, groups, bias, {}},
                          {{"k", w.k}, {"block_size", w.block}, {"bits", w.bits}});
  c.Out(0, c.CastTo(y, type));
}

bool IsSmallFloat(int32_t type) {
  return type == C_DT_FLOAT8_E4M3FN || type == C_DT_FLOAT8_E4M3FNUZ || type == C_DT_FLOAT8_E5M2 ||
         type == C_DT_FLOAT8_E5M2FNUZ || type == C_DT_FLOAT4_E2M1;
}

void GatherBlockQuantized(NodeContext &c) {
  const Endpoint data = c.In(0), indices = c.In(1), zero = c.OptIn(3);
  const int32_t kind = c.NeedType(data, "to expand it"), type = c.NeedType(c.In(2), "as the type of the result");
  const bool bytes = kind == C_DT_UINT8, floats = IsSmallFloat(kind);
  if (!bytes && !floats && kind != C_DT_INT4 && kind != C_DT_UINT4)
    c.Refuse(Reason::kInvalidModel, Str("data is of type ", DataTypeName(kind)));
  if (type == C_DT_DOUBLE || !NodeContext::IsFloatType(type))
    c.Refuse(Reason::kInvalidModel, Str("scales is of type ", DataTypeName(type)));
  int64_t bits = c.Int("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8 && !floats)
    c.Refuse(Reason::kUnsupportedUse, Str("attribute 'bits' is ", bits, ", expected 2, 4 or 8"));
  if (floats) bits = 8;
  const int64_t block = c.Int("block_size", 128);
  if (!(block == 0 && floats) && (block < 16 || block > kMostValues || (block & (block - 1)) != 0))
    c.Refuse(Reason::kInvalidModel, Str("attribute 'block_size' is ", block, ", expected a power of two from 16"));
  if (zero && floats) c.Refuse(Reason::kInvalidModel, "zero_points beside data of floating point");
  if (zero) OfType(c, zero, "zero_points", kind);
  const int64_t rank = c.NeedRank(data, "to resolve axes");
  const int64_t gather = c.NeedAxis(c.Int("gather_axis", 0), data),
                quantize = c.NeedAxis(c.Int("quantize_axis", 1), data);
  if (bytes && gather != 0)
    c.Refuse(Reason::kInvalidModel, Str("attribute 'gather_axis' is ", gather, ", expected 0 for data of bytes"));
  if (bytes && bits < 8 && rank > 1 && quantize == gather)
    c.Refuse(Reason::kInvalidModel, Str("attributes 'gather_axis' and 'quantize_axis' are both ", gather));
  const Endpoint y =
      c.Op("GatherBlockQuantized", {data, indices, c.CastTo(c.In(2), C_DT_FLOAT), zero},
           {{"bits", bits}, {"block_size", block}, {"gather_axis", gather}, {"quantize_axis", quantize}});
  c.Out(0, c.CastTo(y, type));
}

constexpr Handler kLowBitHandlers[] = {
    {"com.microsoft", "GatherBlockQuantized", 1, GatherBlockQuantized},
    {"com.microsoft", "MatMulNBits", 1, MatMulNBits},
};

}  // namespace

HandlerTable LowBitHandlers() { return {std::begin(kLowBitHandlers), std::end(kLowBitHandlers)}; }

}  // namespace gec::onnx
