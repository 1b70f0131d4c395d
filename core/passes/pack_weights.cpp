// A product whose weights are constant numbers of few bits in blocks becomes WeightOnlyQuantizedMatMul, so that they
// stay packed: DequantizeLinear along the inner axis, then the product. The numbers are laid column by column.
#include <algorithm>
#include <cstring>

#include "core/ir/types.h"
#include "core/passes/builtin.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/product.h"
#include "ge/own_data_types.h"

namespace gec {
namespace {

const char kPackWeightsRule[] = "PackWeights";

struct BlockedWeights {
  TensorPtr numbers, scale, zero;  // zero may be null
  int64_t k = 0, n = 0, block = 0, blocks = 0;
  bool by_columns = false;  // [n, k], else [k, n]
  uint32_t bits = 0;
  bool has_sign = false;

  /// Where value p of a column, or one of its blocks, lies.
  int64_t At(int64_t column, int64_t p, int64_t count) const {
    return by_columns ? column * count + p : p * n + column;
  }
};

/// Bits of a number that the operator takes, 0 for other types.
uint32_t WeightBits(int32_t type) {
  switch (type) {
    case C_DT_INT8:
    case C_DT_UINT8:
    case C_DT_INT4:
    case C_DT_UINT4:
    case C_DT_INT2:
    case C_DT_UINT2:
      return DataTypeBits(type);
    default:
      return 0;
  }
}

uint32_t CodeAt(const Tensor &t, int64_t i, uint32_t bits) {
  const uint64_t at = static_cast<uint64_t>(i) * bits;
  return t.as<uint8_t>()[at / 8] >> (at % 8) & ((1u << bits) - 1);
}

bool ReadWeights(const Product &p, BlockedWeights *w) {
  static const Symbol dequantize("DequantizeLinear"), axis("axis"), block_size("block_size");
  const Node *node = p.x[1].node;
  if (node->known_type() != dequantize || Editor::HasControl(*node) || node->input_count() < 2 || !node->input(0) ||
      !node->input(1))
    return false;
  w->numbers = ConstantOf(node->input(0));
  w->scale = ConstantOf(node->input(1));
  const bool zero = node->input_count() > 2 && node->input(2);
  if (zero) w->zero = ConstantOf(node->input(2));
  if (!w->numbers || !w->scale || (zero && !w->zero)) return false;
  const TensorDesc &x = w->numbers->desc;
  w->bits = WeightBits(x.dtype);
  w->has_sign = x.dtype == C_DT_INT8 || x.dtype == C_DT_INT4 || x.dtype == C_DT_INT2;
  w->block = node->Int(block_size, 0);
  if (w->bits == 0 || w->scale->desc.dtype != C_DT_FLOAT || x.shape.rank() != 2 || x.shape.elements() == 0 ||
      w->block < 16 || (w->block & (w->block - 1)) != 0 || w->scale->desc.shape.rank() != 2)
    return false;
  w->by_columns = p.adjoint[1];
  const size_t inner = w->by_columns ? 1 : 0;
  int64_t along = node->Int(axis, 1);
  if (along < 0) along += 2;
  w->k = x.shape[inner], w->n = x.shape[1 - inner];
  w->blocks = (w->k - 1) / w->block + 1;
  const Shape &scale = w->scale->desc.shape;
  return along == static_cast<int64_t>(inner) && scale[inner] == w->blocks && scale[1 - inner] == w->n &&
         (!zero || (w->zero->desc.dtype == x.dtype && w->zero->desc.shape == scale));
}

/// Values of columns one after the other, low bits first, each column from a byte of its own on. Signed numbers get
/// half their range added, which the zero points get as well.
TensorPtr Columns(const BlockedWeights &w, const Tensor &from, int64_t count, int64_t bytes, Shape shape) {
  auto buffer = Buffer::Allocate(static_cast<uint64_t>(w.n * bytes));
  auto *to = static_cast<uint8_t *>(buffer->data());
  const uint32_t flip = w.has_sign ? 1u << (w.bits - 1) : 0;
  constexpr int64_t kTile = 64;  // columns whose bytes stay in the cache
  for (int64_t first = 0; first < w.n; first += kTile)
    for (int64_t p = 0; p < count; ++p)
      for (int64_t c = first; c < std::min(w.n, first + kTile); ++c) {
        const int64_t bit = p * w.bits;
        const uint32_t code = CodeAt(from, w.At(c, p, count), w.bits) ^ flip;
        to[c * bytes + bit / 8] = static_cast<uint8_t>(to[c * bytes + bit / 8] | code << (bit % 8));
      }
  return std::make_shared<Tensor>(TensorDesc(C_DT_UINT8, std::move(shape)), std::move(buffer));
}

TensorPtr Scales(const BlockedWeights &w) {
  std::vector<float> scales(static_cast<size_t>(w.n * w.blocks));
  for (int64_t c = 0; c < w.n; ++c)
    for (int64_t b = 0; b < w.blocks; ++b)
      scales[static_cast<size_t>(c * w.blocks + b)] = w.scale->as<float>()[w.At(c, b, w.blocks)];
  return Tensor::Of<float>(C_DT_FLOAT, Shape{w.n, w.blocks}, scales);
}

TensorPtr ZeroPoints(const BlockedWeights &w) {
  const int64_t bytes = (w.blocks * w.bits + 7) / 8;
  if (w.zero) return Columns(w, *w.zero, w.blocks, bytes, Shape{w.n, bytes});
  if (w.has_sign) return nullptr;  // half the range is the usual one
  return std::make_shared<Tensor>(TensorDesc(C_DT_UINT8, Shape{w.n, bytes}),
                                  Buffer::Allocate(static_cast<uint64_t>(w.n * bytes)));
}

void PackProduct(Editor &editor, Node *node) {
  Product p;
  BlockedWeights w;
  if (!ReadProduct(node, &p) || p.fused || p.adjoint[0] || p.scale != 1 || Editor::HasControl(*node) ||
      DescOf(p.x[0]).shape.rank() < 1 || !ReadWeights(p, &w))
    return;
  editor.ctx.At(kPackWeightsRule, node);
  editor.ctx.Tried(kPackWeightsRule);
  Transaction attempt(editor.graph.root());
  const std::vector<const Node *> from = {node, p.x[1].node};
  const std::string &name = p.x[1].node->name();
  const int64_t bytes = w.block / 8 * w.bits;
  const TensorPtr zero = ZeroPoints(w);
  const auto constant = [&](TensorPtr value) { return editor.Constant(std::move(value), name, {p.x[1].node}); };
  Node *made =
      editor.Make("WeightOnlyQuantizedMatMul", node->name(),
                  {p.x[0], constant(Columns(w, *w.numbers, w.k, w.blocks * bytes, Shape{w.n, w.blocks, bytes})),
                   constant(Scales(w)), zero ? constant(zero) : Endpoint(), Endpoint(), p.bias, Endpoint()},
                  {{"k", w.k}, {"block_size", w.block}, {"bits", int64_t{w.bits}}}, from, &node->output_desc(0));
  Refusal why;
  if (!FusionTaken(editor.ctx, *made, from, &why)) return editor.ctx.Declined(kPackWeightsRule, *node, why);
  editor.Replace({node, 0}, {made, 0});
  attempt.Commit();
  editor.ctx.Applied(kPackWeightsRule);
}

}  // namespace

bool PackWeights(Graph &graph, PassContext &ctx) {
  static const Symbol dequantize("DequantizeLinear");
  if (!graph.Has(dequantize) || !HasProduct(graph)) return false;
  Editor editor(graph, ctx, kPackWeightsRule);
  for (Node *node : graph.TopologicalOrder())
    if (!node->removed()) PackProduct(editor, node);
  return editor.changed;
}

}  // namespace gec
