// Matrix product with scale, bias, residual and activation becomes one FusedMatMulV2, and one with packed weights takes
// what follows into itself; a transpose of an operand becomes a flag.
#include <cmath>

#include "core/passes/builtin.h"
#include "core/passes/epilogue.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/product.h"

namespace gec {
namespace {

const char kFuseMatMulRule[] = "FuseMatMul";
const char kTransposeRule[] = "TransposedOperand";

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
      editor.ctx.Declined(kTransposeRule, *node, {"it is also read by others", "one reader", Mismatch::kReader});
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

Node *MakeFused(Editor &editor, const Product &p, const Epilogue &e) {
  const std::string &name = e.last.node->name();
  const TensorDesc *desc = &e.last.node->output_desc(0);
  if (p.packed) {
    static const Symbol k("k"), block_size("block_size"), bits("bits");
    std::vector<Endpoint> inputs;
    for (size_t i = 0; i < kPackedBias; ++i) inputs.push_back(p.node->input(i));
    inputs.push_back(p.bias);
    inputs.push_back(e.residual);
    return editor.Make(p.node->ir().type.c_str(), name, inputs,
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
  if ((!ReadProduct(node, &p) && !ReadPackedProduct(node, &p)) || Editor::HasControl(*node)) return;
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
    Refusal why;
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
  static const Symbol packed("WeightOnlyQuantizedMatMul");
  if (!HasProduct(graph) && !graph.HasAny({packed})) return false;
  Editor editor(graph, ctx, kFuseMatMulRule);
  // From the outputs back: of two products that are added, the later one takes the sum, when the other is computed.
  std::vector<Node *> order = graph.TopologicalOrder();
  for (size_t i = order.size(); i-- > 0;) {
    if (!order[i]->removed()) FuseProduct(editor, order[i]);
  }
  return editor.changed;
}

}  // namespace gec
