// A product of a one-hot matrix with a table is a lookup of rows.
//
// The one-hot matrix is Equal(x, 0 … n-1) as float, or OneHot itself. An x outside 0 … n-1 gives a row of zeros there,
// so the table gets a row of zeros at either end and x is clamped to them.
#include <algorithm>
#include <cstring>

#include "core/ir/types.h"
#include "core/passes/builtin.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

const char kOneHotMatMulRule[] = "OneHotMatMul";

/// 0 … n-1 along the last dimension, every other dimension 1.
bool IsIota(const Tensor &t) {
  const Shape &s = t.desc.shape;
  if (!IsIntegerType(t.desc.dtype) || !s.known() || s.rank() < 1 || s.elements() != s[s.dims().size() - 1])
    return false;
  std::vector<int64_t> values = t.Ints();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

struct OneHotSite {
  Endpoint index;  // its last dimension is 1 when `column`
  bool column = false;
  int64_t depth = 0;
  std::vector<const Node *> nodes;
};

bool ReadOneHot(Endpoint value, OneHotSite *site) {
  static const Symbol cast("Cast"), equal("Equal"), one_hot("OneHot"), axis("axis");
  Node *node = value.node;
  if (node->known_type() == one_hot) {
    TensorPtr depth = ConstantInput(*node, 1);
    double on, off;
    if (!depth || depth->Ints().size() != 1 || !ScalarOf(node->input(2), &on) || !ScalarOf(node->input(3), &off))
      return false;
    int32_t rank = DescOf(value).shape.rank();
    int64_t at = node->Int(axis, -1);
    if (on != 1 || off != 0 || rank < 1 || (at != -1 && at != rank - 1)) return false;
    site->index = node->input(0);
    site->depth = depth->Ints()[0];
    site->nodes = {node};
  } else if (node->known_type() == cast && node->input(0) && node->input(0).node->known_type() == equal) {
    Node *compare = node->input(0).node;
    for (size_t k = 0; k < 2 && !site->index; ++k) {
      TensorPtr iota = ConstantInput(*compare, 1 - k);
      Endpoint x = compare->input(k);
      if (!iota || !x || !IsIota(*iota)) continue;
      const Shape &s = DescOf(x).shape;
      // One index per row, and the comparison adds no dimension in front.
      if (!s.has_rank() || s.rank() < 1 || s[s.dims().size() - 1] != 1 || s.rank() < iota->desc.shape.rank()) continue;
      site->index = x;
      site->column = true;
      site->depth = iota->desc.shape.elements();
      site->nodes = {node, compare};
    }
  }
  if (!site->index) return false;
  int32_t type = DescOf(site->index).dtype;
  return site->depth > 0 && (type == C_DT_INT32 || type == C_DT_INT64);
}

TensorPtr IntScalar(int32_t dtype, int64_t value) {
  if (dtype == C_DT_INT64) return Tensor::Of(C_DT_INT64, Shape(), std::vector<int64_t>{value});
  return Tensor::Of(C_DT_INT32, Shape(), std::vector<int32_t>{static_cast<int32_t>(value)});
}

/// The table between two rows of zeros.
TensorPtr Padded(const Tensor &table) {
  const int64_t rows = table.desc.shape[0], columns = table.desc.shape[1];
  TensorDesc desc(C_DT_FLOAT, Shape{rows + 2, columns});
  auto buffer = Buffer::Allocate(desc.bytes());
  std::memcpy(static_cast<float *>(buffer->data()) + columns, table.data(), table.bytes());
  return std::make_shared<Tensor>(std::move(desc), std::move(buffer));
}

bool IsPlainProduct(const Node &node) {
  static const Symbol matmul("MatMulV2"), batch("BatchMatMulV2");
  const bool flat = node.known_type() == matmul;
  if (!flat && node.known_type() != batch) return false;
  return node.input(0) && node.input(1) && !node.input(2) && !node.input(3) &&
         !node.Bool(flat ? "transpose_x1" : "adj_x1") && !node.Bool(flat ? "transpose_x2" : "adj_x2");
}

void ReplaceOneHot(Editor &editor, Node *node) {
  OneHotSite site;
  if (!IsPlainProduct(*node) || !ReadOneHot(node->input(0), &site)) return;
  editor.ctx.At(kOneHotMatMulRule, node);
  editor.ctx.Tried(kOneHotMatMulRule);
  auto declined = [&](const Refusal &why) { editor.ctx.Declined(kOneHotMatMulRule, *node, why); };
  TensorPtr table = ConstantInput(*node, 1);
  if (!table || table->desc.dtype != C_DT_FLOAT || table->desc.shape.rank() != 2 || table->desc.shape[0] != site.depth)
    return declined(
        {"the table is no constant matrix with one row per index", "a constant table", Mismatch::kConstant});
  constexpr uint64_t kMost = uint64_t{4} << 20;
  if (!editor.OnlyUse(node->input(1)) && table->bytes() > kMost)
    return declined({"the table is large and also read by others", "one reader of a large table", Mismatch::kReader});
  const float *values = table->as<float>();
  if (!std::all_of(values, values + table->bytes() / sizeof(float), [](float v) { return v - v == 0; }))
    return declined({"the table holds infinite values, which a product spreads to other rows", "finite values"});
  for (const Node *part : site.nodes) {
    if (Editor::HasControl(*part))
      return declined({"a node of the one-hot matrix has control edges", "no control edges"});
  }
  if (Editor::HasControl(*node)) return declined({"it has control edges", "no control edges"});

  const std::string &name = node->name();
  const int32_t type = DescOf(site.index).dtype;
  auto number = [&](int64_t v) { return editor.Constant(IntScalar(type, v), name + "_bound", {node}); };
  Endpoint index = site.index;
  if (site.column) {
    Endpoint last = editor.Constant(IntTensor({-1}), name + "_axes", {node});
    index = {editor.Make("SqueezeV3", name + "_index", {index, last}, {}, {node}), 0};
  }
  index = {editor.Make("Maximum", name + "_index", {index, number(-1)}, {}, {node}), 0};
  index = {editor.Make("Minimum", name + "_index", {index, number(site.depth)}, {}, {node}), 0};
  index = {editor.Make("Add", name + "_index", {index, number(1)}, {}, {node}), 0};
  std::vector<const Node *> from = site.nodes;
  from.push_back(node);
  Endpoint rows = editor.Constant(Padded(*table), node->input(1).node->name(), {node->input(1).node});
  Node *made = editor.Make("GatherV2", name, {rows, index, number(0)}, {}, from, &node->output_desc(0));
  editor.ctx.Applied(kOneHotMatMulRule);
  editor.Replace({node, 0}, {made, 0});
}

}  // namespace

bool OneHotMatMul(Graph &graph, PassContext &ctx) {
  static const Symbol matmul("MatMulV2"), batch("BatchMatMulV2");
  if (!graph.HasAny({matmul, batch})) return false;
  Editor editor(graph, ctx, kOneHotMatMulRule);
  for (Node *node : graph.TopologicalOrder()) {
    if (!node->removed()) ReplaceOneHot(editor, node);
  }
  return editor.changed;
}

}  // namespace gec
