// Attention written out (product, scale, mask, softmax, product) becomes one ScaledDotProductAttention, which reads its
// operands where they lie: transposes that bring the heads forward, and back, go.
#include <array>
#include <cmath>
#include <optional>

#include "core/ops/traits.h"
#include "core/passes/builtin.h"
#include "core/passes/editor.h"
#include "core/passes/fusion_cost.h"

namespace gec {
namespace {

const char kAttentionRule[] = "FuseAttention";

using AxisOrder = std::array<int64_t, 4>;
constexpr AxisOrder kInOrder = {0, 1, 2, 3}, kLengthsFirst = {0, 2, 1, 3};

/// A product of two batches of matrices, perhaps scaled and with something added.
struct PlainProduct {
  Endpoint x[2], added;
  bool adjoint[2];
  double scale = 1;
};

bool ReadPlainProduct(Endpoint e, PlainProduct *p) {
  static const Symbol batch("BatchMatMulV2"), with_scale("FusedMatMulV2"), adj1("adj_x1"), adj2("adj_x2"),
      offset_x("offset_x"), scale("scale"), activation("activation");
  const Symbol type = e.node->known_type();
  const bool fused = type == with_scale;  // the graph of a class comes after a compile for open extents, which made it
  if ((type != batch && !fused) || Editor::HasControl(*e.node)) return false;
  *p = PlainProduct();
  for (size_t i = 0; i < e.node->input_count(); ++i) {
    const Endpoint x = e.node->input(i);
    if (i < 2 ? !x || !IsFloat32(x) || DescOf(x).shape.rank() != 4 : x && (!fused || p->added)) return false;
    if (i < 2) p->x[i] = x;
    else if (x) p->added = x;
  }
  if (e.node->Int(offset_x, 0) != 0 || (fused && !e.node->String(activation).empty())) return false;
  p->adjoint[0] = e.node->Bool(adj1), p->adjoint[1] = e.node->Bool(adj2);
  if (fused) p->scale = static_cast<double>(e.node->Float(scale, 1));
  return true;
}

bool ReadAxisOrder(const Node &node, AxisOrder *order) {
  static const Symbol transpose("Transpose");
  std::vector<int64_t> perm;
  if (node.known_type() != transpose || !IntsAt(node, 1, &perm) || perm.size() != 4) return false;
  for (size_t i = 0; i < 4; ++i) {
    if (perm[i] < 0 || perm[i] > 3) return false;
    (*order)[i] = perm[i];
  }
  return true;
}

/// An operand as the fused operator reads it.
struct HeadsOperand {
  Endpoint value;
  const char *layout = "BNSH";
  double scale = 1;
  int64_t repeats = 1;  // of each head, in a row
};

/// The value of which `e`, with heads in front, repeats each head `times` times: an axis was put behind the heads,
/// spread and joined with them. `e` itself otherwise.
Endpoint WithoutRepeats(Endpoint e, int64_t *times) {
  static const Symbol expand("Expand"), broadcast("BroadcastTo");
  if (!IsView(*e.node) || !e.node->input(0)) return e;
  const Endpoint spread = e.node->input(0);
  const Symbol type = spread.node->known_type();
  if ((type != expand && type != broadcast) || !spread.node->input(0)) return e;
  const Endpoint thin = spread.node->input(0);
  if (!IsView(*thin.node) || !thin.node->input(0)) return e;
  const Endpoint x = thin.node->input(0);
  const Shape &own = DescOf(x).shape, &one = DescOf(thin).shape, &all = DescOf(spread).shape, &y = DescOf(e).shape;
  if (own.rank() != 4 || one.rank() != 5 || all.rank() != 5 || y.rank() != 4 || !own.determined() || one[2] != 1 ||
      all[2] <= 0 || own[1] <= 0)
    return e;
  const std::array<std::array<int64_t, 3>, 4> same = {
      {{own[0], one[0], all[0]}, {own[1], one[1], all[1]}, {own[2], one[3], all[3]}, {own[3], one[4], all[4]}}};
  for (const auto &extents : same)
    if (extents[0] != extents[1] || extents[0] != extents[2]) return e;
  if (y[0] != own[0] || y[2] != own[2] || y[3] != own[3] || y[1] != own[1] * all[2]) return e;
  *times *= all[2];
  return x;
}

/// The value that is multiplied by a constant to give `e`; `e` itself otherwise.
Endpoint WithoutScale(Endpoint e, double *scale) {
  static const Symbol mul("Mul"), div("RealDiv");
  const Symbol type = e.node->known_type();
  double value = 0;
  for (size_t i : {0, 1}) {
    if (type != mul && (type != div || i == 1)) continue;
    const Endpoint x = e.node->input(i), other = e.node->input(1 - i);
    if (!x || !other || DescOf(x).shape.rank() != 4 || !ScalarBeside(other, x, &value)) continue;
    const double product = type == mul ? *scale * value : *scale / value;
    if (!std::isfinite(static_cast<float>(product)) || product == 0) return e;
    *scale = product;
    return x;
  }
  return e;
}

/// The value behind transposes and factors, as far back as a layout can tell it.
std::optional<HeadsOperand> ReadHeadsOperand(Endpoint e, bool adjoint) {
  std::optional<HeadsOperand> best;
  double scale = 1;
  int64_t repeats = 1;
  AxisOrder order = adjoint ? AxisOrder{0, 1, 3, 2} : kInOrder;  // axis i of what is wanted is axis order[i] of `e`
  for (int depth = 0; depth < 6; ++depth) {
    if (order == kInOrder || order == kLengthsFirst)
      best = HeadsOperand{e, order == kInOrder ? "BNSH" : "BSNH", scale, repeats};
    const double before = scale;
    Endpoint inner = WithoutScale(e, &scale);
    if (inner == e && (order == kInOrder || order == AxisOrder{0, 1, 3, 2}) && repeats == 1)
      inner = WithoutRepeats(e, &repeats);
    AxisOrder perm{};
    if (inner != e) {
      e = inner;
      continue;
    }
    scale = before;
    if (!ReadAxisOrder(*e.node, &perm) || !e.node->input(0)) break;
    for (int64_t &axis : order) axis = perm[static_cast<size_t>(axis)];
    e = e.node->input(0);
  }
  return best;
}

/// A minus so large that a score beside it does not count.
bool Forbids(Endpoint e, bool *infinite) {
  double value = 0;
  if (!ScalarOf(e, &value) || !(value <= -1e30)) return false;
  *infinite = std::isinf(value);
  return true;
}

struct AttentionSite {
  HeadsOperand q, k, v;
  double scale = 1;
  Endpoint mask, forbidden;  // `forbidden`: what stands where the mask, of truth values, is false
  bool output_lengths_first = false;
  Node *last = nullptr;
  std::vector<Node *> covered;
};

/// Scores behind mask and scale: true when `e` comes from a product of queries and keys.
bool ReadScores(Endpoint e, AttentionSite *site, int depth = 0) {
  static const Symbol add("Add"), select("SelectV2");
  if (!e || e.port != 0 || depth > 4 || Editor::HasControl(*e.node) || !IsFloat32(e)) return false;
  const Symbol type = e.node->known_type();
  const size_t mark = site->covered.size();
  site->covered.push_back(e.node);
  PlainProduct p;
  if (ReadPlainProduct(e, &p)) {
    const std::optional<HeadsOperand> q = ReadHeadsOperand(p.x[0], p.adjoint[0]),
                                      k = ReadHeadsOperand(p.x[1], !p.adjoint[1]);
    // The product adds its own before whatever is further on.
    if (q && k && (!p.added || (!site->mask && site->scale == 1))) {
      if (p.added) site->mask = p.added;
      site->q = *q, site->k = *k;
      site->scale *= p.scale;
      site->scale *= q->scale * k->scale;
      return true;
    }
  } else if (const Endpoint x = WithoutScale(e, &site->scale); x != e) {
    if (ReadScores(x, site, depth + 1)) return true;
  } else if (type == add && !site->mask) {
    for (size_t i : {0, 1}) {
      const Endpoint x = e.node->input(i);
      if (!x || !SameKnownShape(x, e) || !IsFloat32(e.node->input(1 - i))) continue;
      site->mask = e.node->input(1 - i);
      if (site->scale == 1 && ReadScores(x, site, depth + 1)) return true;
      site->mask = {}, site->scale = 1;
    }
  } else if (type == select && !site->mask && site->scale == 1) {
    const Endpoint x = e.node->input(1);
    bool infinite = false;
    if (x && SameKnownShape(x, e) && Forbids(e.node->input(2), &infinite)) {
      site->mask = e.node->input(0);
      if (!infinite) site->forbidden = e.node->input(2);
      if (ReadScores(x, site, depth + 1)) return true;
      site->mask = site->forbidden = {};
    }
  }
  site->covered.resize(mark);
  return false;
}

bool IsLastSoftmax(const Node &node) {
  static const Symbol softmax("SoftmaxV2"), axes("axes"), half("half_to_float");
  if (node.known_type() != softmax || Editor::HasControl(node) || node.Bool(half)) return false;
  const std::vector<int64_t> list = node.attrs().Ints(axes);
  return list.empty() || (list.size() == 1 && (list[0] == -1 || list[0] == 3));
}

bool ReadAttentionSite(const Editor &editor, Node *root, AttentionSite *site) {
  PlainProduct p;
  if (!ReadPlainProduct({root, 0}, &p) || p.adjoint[0] || p.added || !p.x[0] || p.x[0].port != 0 ||
      !IsLastSoftmax(*p.x[0].node))
    return false;
  const std::optional<HeadsOperand> v = ReadHeadsOperand(p.x[1], p.adjoint[1]);
  if (!v) return false;
  site->v = *v;
  site->v.scale *= p.scale;
  Node *softmax = p.x[0].node;
  site->covered = {root, softmax};
  if (!ReadScores(softmax->input(0), site)) return false;
  site->last = root;
  AxisOrder perm{};
  if (editor.OnlyUse({root, 0})) {
    Node *reader = root->uses(0)[0].node;
    if (ReadAxisOrder(*reader, &perm) && perm == kLengthsFirst && !Editor::HasControl(*reader)) {
      site->output_lengths_first = true;
      site->last = reader;
      site->covered.push_back(reader);
    }
  }
  return true;
}

/// Nothing of the operands is spread over others, which the products would do and the fused operator does not.
bool ExtentsFit(const AttentionSite &site, const Node &root, Refusal *why) {
  const auto heads = [](const HeadsOperand &o) {
    const Shape &s = DescOf(o.value).shape;
    const size_t at = o.layout[1] == 'N' ? 1 : 2;
    return std::array<int64_t, 2>{s[0], s[at]};
  };
  const auto q = heads(site.q), k = heads(site.k), v = heads(site.v);
  const Shape &y = root.output_desc(0).shape;
  *why = {"batch or heads of its operands are not known to be the same", "operands of one batch and number of heads"};
  if (q[0] == -1 || q[1] == -1 || y.rank() != 4 || y[0] != q[0] || y[1] != q[1] || site.q.repeats != 1) return false;
  if (site.k.repeats != site.v.repeats || k != v || k[0] != q[0]) return false;
  if (site.k.repeats == 1 ? k[1] != q[1] : k[1] * site.k.repeats != q[1]) return false;
  if (!site.mask) return true;
  *why = {"the mask does not broadcast to the scores", "a mask of the shape of the scores"};
  const Shape &mask = DescOf(site.mask).shape;
  return mask.has_rank() && mask.rank() <= 4;
}

void FuseSite(Editor &editor, Node *root) {
  AttentionSite site;
  if (!ReadAttentionSite(editor, root, &site)) return;
  editor.ctx.At(kAttentionRule, root);
  editor.ctx.Tried(kAttentionRule);
  Refusal why;
  if (!ExtentsFit(site, *root, &why) || !Pattern::Legal(site.covered, site.last, editor.outputs(), &why)) {
    editor.ctx.Declined(kAttentionRule, *root, why);
    return;
  }
  const std::vector<const Node *> parts(site.covered.begin(), site.covered.end());
  Transaction attempt(editor.graph.root());
  const bool was_changed = editor.changed;
  Endpoint mask = site.mask;
  if (site.forbidden) {  // a score beside it makes no difference, so that it can be added
    const Endpoint zero = editor.Constant(ScalarTensor(0), root->name() + "_seen", {root});
    mask = {editor.Make("SelectV2", root->name() + "_mask", {site.mask, zero, site.forbidden}, {}, {root}), 0};
  }
  Node *made =
      editor.Make("ScaledDotProductAttention", site.last->name(), {site.q.value, site.k.value, site.v.value, mask},
                  {{"scale", static_cast<float>(site.scale)},
                   {"query_layout", site.q.layout},
                   {"key_layout", site.k.layout},
                   {"value_layout", site.v.layout},
                   {"output_layout", site.output_lengths_first ? "BSNH" : "BNSH"}},
                  parts, &site.last->output_desc(0));
  Endpoint result = {made, 0};
  if (site.v.scale != 1) {
    const Endpoint factor =
        editor.Constant(ScalarTensor(static_cast<float>(site.v.scale)), root->name() + "_scale", {root});
    result = {editor.Make("Mul", site.last->name(), {result, factor}, {}, {root}, &site.last->output_desc(0)), 0};
  }
  if (Refusal cost; !FusionTaken(editor.ctx, *made, parts, &cost)) {
    editor.changed = was_changed;
    editor.ctx.Declined(kAttentionRule, *root, cost);
    return;
  }
  attempt.Commit();
  editor.ctx.Applied(kAttentionRule);
  editor.Replace({site.last, 0}, result);
}

}  // namespace

bool FuseAttention(Graph &graph, PassContext &ctx) {
  static const Symbol softmax("SoftmaxV2");
  if (!graph.Has(softmax)) return false;
  Editor editor(graph, ctx, kAttentionRule);
  for (Node *node : graph.TopologicalOrder()) {
    if (!node->removed()) FuseSite(editor, node);
  }
  return editor.changed;
}

}  // namespace gec
