// Matrix product with scale, bias, residual and activation becomes one FusedMatMulV2, and one with packed weights takes
// what follows into itself; a transpose of an operand becomes a flag.
#include <algorithm>
#include <cmath>

#include "core/ir/symbolic_dim.h"
#include "core/passes/builtin.h"
#include "core/passes/epilogue.h"
#include "core/passes/fusion_cost.h"

namespace gec {
namespace {

const char kFuseMatMulRule[] = "FuseMatMul";
const char kTransposeRule[] = "TransposedOperand";

struct Product {
  Node *node = nullptr;
  Endpoint x[2], bias, residual;
  bool adjoint[2] = {false, false};
  double scale = 1;
  Activation activation;
  bool fused = false;   // may have residual, scale and activation already
  bool packed = false;  // WeightOnlyQuantizedMatMul
  const char *flags[2];
};

bool HasProduct(const Graph &graph) {
  static const Symbol matmul("MatMul"), matmul2("MatMulV2"), batch("BatchMatMul"), batch2("BatchMatMulV2"),
      fused("FusedMatMulV2"), packed("WeightOnlyQuantizedMatMul");
  return graph.HasAny({matmul, matmul2, batch, batch2, fused, packed});
}

// Ports of WeightOnlyQuantizedMatMul.
constexpr size_t kPackedBias = 5, kPackedResidual = 6;

Activation ActivationAttributes(const Node &node) {
  static const Symbol activation("activation"), alpha("alpha"), beta("beta");
  return {node.String(activation), node.Float(alpha), node.Float(beta)};
}

bool ReadPacked(Node *node, Product *p) {
  *p = Product();
  p->node = node;
  p->packed = true;
  p->bias = node->input(kPackedBias);
  p->residual = node->input(kPackedResidual);
  p->activation = ActivationAttributes(*node);
  return true;
}

bool ReadProduct(Node *node, Product *p) {
  static const Symbol matmul("MatMul"), matmul2("MatMulV2"), batch("BatchMatMul"), batch2("BatchMatMulV2"),
      fused("FusedMatMulV2"), packed("WeightOnlyQuantizedMatMul"), scale("scale"), offset_x("offset_x");
  const Symbol type = node->known_type();
  if (type == packed) return ReadPacked(node, p);
  const bool flat = type == matmul || type == matmul2;
  if (!flat && type != batch && type != batch2 && type != fused) return false;
  *p = Product();
  p->node = node;
  p->fused = type == fused;
  p->flags[0] = flat ? "transpose_x1" : "adj_x1";
  p->flags[1] = flat ? "transpose_x2" : "adj_x2";
  for (size_t i = 0; i < 2; ++i) {
    p->x[i] = node->input(i);
    if (!p->x[i] || !IsFloat32(p->x[i])) return false;
    p->adjoint[i] = node->Bool(p->flags[i]);
  }
  if (node->input_count() > 2) p->bias = node->input(2);
  if (p->fused) {
    p->residual = node->input(3);
    p->scale = node->Float(scale, 1);
    p->activation = ActivationAttributes(*node);
  } else if ((node->input_count() > 3 && node->input(3)) || node->Int(offset_x, 0) != 0) {
    return false;
  }
  return true;
}

/// Number of columns of the product, -1 when unknown.
int64_t Columns(const Product &p) {
  const Shape &y = p.node->output_desc(0).shape;
  return y.has_rank() && y.rank() >= 2 ? y[y.dims().size() - 1] : -1;
}

/// A vector with one value per column: the value itself, or one of more dimensions seen so.
Endpoint AsBias(Editor &editor, Endpoint value, int64_t columns, int32_t rank) {
  const Shape &shape = DescOf(value).shape;
  if (!IsFloat32(value) || (columns <= 0 && !IsSymbolic(columns)) || shape.rank() < 1 || shape.rank() > rank) return {};
  const size_t last = shape.dims().size() - 1;
  if (shape[last] != columns ||
      std::count(shape.dims().begin(), shape.dims().end(), 1) + (columns != 1) != shape.rank())
    return {};
  if (shape.rank() == 1) return value;
  const TensorDesc row(C_DT_FLOAT, Shape{columns});
  if (TensorPtr t = ConstantOf(value))
    return editor.Constant(std::make_shared<Tensor>(row, t->buffer), value.node->name(), {value.node});
  Endpoint target =
      editor.Constant(IntTensor({std::max<int64_t>(columns, -1)}), value.node->name() + "_shape", {value.node});
  return {editor.Make("Reshape", value.node->name(), {value, target}, {}, {value.node}, &row), 0};
}

/// A transpose whose input's last dimension becomes the last but one: its rest stays, the swap becomes a flag.
bool AbsorbTranspose(Editor &editor, Product *p, size_t side) {
  static const Symbol transpose("Transpose");
  Node *node = p->x[side].node;
  std::vector<int64_t> perm;
  if (node->known_type() != transpose || !IntsAt(*node, 1, &perm) || perm.size() < 2 || Editor::HasControl(*node))
    return false;
  const size_t n = perm.size();
  const Shape &in = DescOf(node->input(0)).shape;
  if (!in.has_rank() || in.rank() != static_cast<int32_t>(n) || perm[n - 2] != static_cast<int64_t>(n - 1))
    return false;
  editor.ctx.At(kTransposeRule, p->node);
  editor.ctx.Tried(kTransposeRule);
  std::swap(perm[n - 1], perm[n - 2]);
  bool rest = false;
  for (size_t i = 0; i < n; ++i) rest |= perm[i] != static_cast<int64_t>(i);
  Endpoint source = node->input(0);
  if (rest) {
    if (!editor.OnlyUse(p->x[side])) {
      editor.ctx.Declined(kTransposeRule, *node, "it is also read by others");
      return false;
    }
    Endpoint order = editor.Constant(IntTensor(perm), node->name() + "_perm", {node});
    source = {editor.Make("Transpose", node->name(), {source, order}, {}, {node}), 0};
  }
  p->adjoint[side] = !p->adjoint[side];
  editor.graph.SetAttr(p->node, p->flags[side], p->adjoint[side]);
  editor.graph.Reconnect(source, p->node, static_cast<int32_t>(side));
  if (p->node->explicit_input_desc(side)) editor.graph.SetInputDesc(p->node, side, DescOf(source));
  editor.graph.InheritOrigins(p->node, {p->node, node}, editor.pass);
  p->x[side] = source;
  editor.changed = true;
  editor.Sweep(node);
  editor.ctx.Applied(kTransposeRule);
  return true;
}

/// The reader multiplies by a constant.
bool JoinScale(const Editor &editor, Epilogue *e, double *scale) {
  static const Symbol mul("Mul"), div("RealDiv");
  int32_t port;
  double value;
  Node *reader = e->Reader(editor, &port);
  if (!reader || (reader->known_type() != mul && !(reader->known_type() == div && port == 0))) return false;
  Endpoint other = reader->input(static_cast<size_t>(1 - port));
  if (!other || !ScalarBeside(other, e->last, &value)) return false;
  const double product = *scale * (reader->known_type() == mul ? value : 1 / value);
  if (!std::isfinite(static_cast<float>(product))) return false;
  *scale = product;
  e->Join(reader);
  return true;
}

bool JoinBias(Editor &editor, Epilogue *e, int64_t columns, Endpoint *bias) {
  static const Symbol add("Add"), bias_add("BiasAdd");
  int32_t port;
  Node *reader = e->Reader(editor, &port);
  if (!reader || (reader->known_type() != add && !(reader->known_type() == bias_add && port == 0))) return false;
  Endpoint other = reader->input(static_cast<size_t>(1 - port));
  const int32_t rank = DescOf(e->last).shape.rank();
  if (!other || rank < 2 || (reader->known_type() == bias_add && rank != 2)) return false;
  *bias = AsBias(editor, other, columns, rank);
  if (!*bias) return false;
  e->Join(reader);
  return true;
}

Node *MakeFused(Editor &editor, const Product &p, const Epilogue &e) {
  const std::string &name = e.last.node->name();
  const TensorDesc *desc = &e.last.node->output_desc(0);
  if (p.packed) {
    static const Symbol k("k"), block_size("block_size"), bits("bits");
    std::vector<Endpoint> inputs;
    for (size_t i = 0; i < kPackedBias; ++i) inputs.push_back(p.node->input(i));
    inputs.push_back(p.bias);
    inputs.push_back(e.residual);
    return editor.Make("WeightOnlyQuantizedMatMul", name, inputs,
                       {{"k", p.node->Int(k, 0)},
                        {"block_size", p.node->Int(block_size, 0)},
                        {"bits", p.node->Int(bits, 4)},
                        {"activation", e.activation.name},
                        {"alpha", e.activation.alpha},
                        {"beta", e.activation.beta}},
                       e.joined, desc);
  }
  return editor.Make("FusedMatMulV2", name, {p.x[0], p.x[1], p.bias, e.residual},
                     {{"adj_x1", p.adjoint[0]},
                      {"adj_x2", p.adjoint[1]},
                      {"scale", static_cast<float>(p.scale)},
                      {"activation", e.activation.name},
                      {"alpha", e.activation.alpha},
                      {"beta", e.activation.beta}},
                     e.joined, desc);
}

void FuseProduct(Editor &editor, Node *node) {
  Product p;
  if (!ReadProduct(node, &p) || Editor::HasControl(*node)) return;
  for (size_t side = 0; side < 2 && !p.packed; ++side) AbsorbTranspose(editor, &p, side);
  if (!p.activation.name.empty()) return;

  Transaction attempt(editor.graph.root());
  const bool was_changed = editor.changed;
  Epilogue e;
  e.last = {node, 0};
  e.joined = {node};
  e.residual = p.residual;
  bool plain = !p.packed && !p.bias && !p.residual;
  while (plain && JoinScale(editor, &e, &p.scale)) {
  }
  if (!p.bias) JoinBias(editor, &e, Columns(p), &p.bias);
  e.JoinResidual(editor);
  if (!p.bias) JoinBias(editor, &e, Columns(p), &p.bias);
  e.JoinActivation(editor);
  if (e.joined.size() == 1) {
    if (editor.ctx.why_not) editor.ctx.Declined(kFuseMatMulRule, *node, e.WhyNothingJoins(editor));
    return;
  }
  editor.ctx.At(kFuseMatMulRule, node);
  editor.ctx.Tried(kFuseMatMulRule);
  for (bool with_activation : {true, false}) {
    if (!with_activation) {
      if (e.activation.name.empty()) break;
      e.activation = Activation();
      e.joined.pop_back();
      e.last = {const_cast<Node *>(e.joined.back()), 0};
      if (e.joined.size() == 1) break;
    }
    Transaction candidate(editor.graph.root());
    Node *made = MakeFused(editor, p, e);
    std::string why;
    if (!FusionTaken(editor.ctx, *made, e.joined, &why)) {
      editor.ctx.Declined(kFuseMatMulRule, *node, why);
      continue;
    }
    editor.Replace(e.last, {made, 0});
    candidate.Commit();
    attempt.Commit();
    editor.ctx.Applied(kFuseMatMulRule);
    return;
  }
  editor.changed = was_changed;
}

}  // namespace

bool FuseMatMul(Graph &graph, PassContext &ctx) {
  if (!HasProduct(graph)) return false;
  Editor editor(graph, ctx, kFuseMatMulRule);
  // From the outputs back: of two products that are added, the later one takes the sum, when the other is computed.
  std::vector<Node *> order = graph.TopologicalOrder();
  for (size_t i = order.size(); i-- > 0;) {
    if (!order[i]->removed()) FuseProduct(editor, order[i]);
  }
  return editor.changed;
}

}  // namespace gec
