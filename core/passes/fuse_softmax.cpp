// Softmax written out in single operators: exp(x - max) / sum, and its logarithm (x - max) - log(sum).
#include <cmath>

#include "core/passes/builtin.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/rows.h"

namespace gec {
namespace {

struct SoftmaxSite {
  Endpoint x;
  std::vector<int64_t> axes;
  const char *type = "SoftmaxV2";
};

bool IsMinusInfinity(Endpoint e) {
  double value = 0;
  return ScalarOf(e, &value) && std::isinf(value) && value < 0;
}

/// x minus its maximum over the axes. Some exporters put a Maximum with -inf around it, which changes nothing.
bool Shifted(RowWalk &walk, Endpoint e, SoftmaxSite *site) {
  if (!walk.Is(e, {"Sub"}, 2)) return false;
  Endpoint x = e.node->input(0), beside = e.node->input(1), most = beside;
  if (walk.IsBehindViews(&most, {"Maximum"}, 2)) {
    const size_t inner = IsMinusInfinity(most.node->input(0)) ? 1 : 0;
    if (!IsMinusInfinity(most.node->input(1 - inner))) return false;
    most = most.node->input(inner);
  }
  return walk.Reduction(most, "ReduceMax", &site->x, &site->axes) && site->x == x &&
         IsBesideRows(beside, x, site->axes);
}

/// The sum of *exp = exp(*shifted) over the axes of the maximum.
bool SumOfExp(RowWalk &walk, Endpoint sum, Endpoint *exp, Endpoint *shifted, SoftmaxSite *site) {
  std::vector<int64_t> axes;
  if (!walk.Reduction(sum, "ReduceSum", exp, &axes) || !walk.Is(*exp, {"Exp"}, 1)) return false;
  *shifted = exp->node->input(0);
  if (!Shifted(walk, *shifted, site)) return false;
  const auto text = [](const std::vector<int64_t> &list) { return Shape(list.data(), list.size()).str(); };
  if (site->axes != axes)
    return walk.Ends(sum, Mismatch::kAttribute, Str("a sum over axes ", text(site->axes), ", as the maximum"),
                     Str("a sum over axes ", text(axes)));
  return IsBesideRows(sum, site->x, axes) || walk.Ends(sum, Mismatch::kShape, "a sum beside each row", "another shape");
}

bool ReadSoftmax(RowWalk &walk, Node *root, SoftmaxSite *site) {
  Endpoint exp, shifted, value = root->input(0), other = root->input(1);
  if (walk.Is({root, 0}, {"RealDiv", "Div"}, 2)) return SumOfExp(walk, other, &exp, &shifted, site) && exp == value;
  if (walk.Is({root, 0}, {"Sub"}, 2)) {
    site->type = "LogSoftmaxV2";
    return walk.Is(other, {"Log"}, 1) && SumOfExp(walk, other.node->input(0), &exp, &shifted, site) && shifted == value;
  }
  if (!walk.Is({root, 0}, {"Mul"}, 2)) return false;
  if (value.node->known_type().view() == "Reciprocal") std::swap(value, other);
  return walk.Is(other, {"Reciprocal"}, 1) && SumOfExp(walk, other.node->input(0), &exp, &shifted, site) &&
         exp == value;
}

void Rewrite(Editor &editor, Node *root) {
  static const char kRule[] = "Softmax";
  RowWalk walk(editor.ctx);
  SoftmaxSite site;
  if (!ReadSoftmax(walk, root, &site)) return walk.TellMiss(editor.ctx, kRule, root);
  editor.ctx.At(kRule, root);
  editor.ctx.Tried(kRule);
  // The kernels that run it fast take one dimension, the logarithm the last one.
  const bool last = site.axes[0] == DescOf(site.x).shape.rank() - 1;
  Refusal why("it is not float32 along one dimension", "float32 along one dimension, which is the last of a logarithm");
  if (!IsFloat32(site.x) || site.axes.size() != 1 || (!last && root->known_type().view() == "Sub") ||
      !Pattern::Legal(walk.covered(), root, editor.outputs(), &why)) {
    editor.ctx.Declined(kRule, *root, why);
    return;
  }
  const std::vector<const Node *> parts(walk.covered().begin(), walk.covered().end());
  Transaction attempt(editor.graph.root());
  const bool was_changed = editor.changed;
  Node *made = editor.Make(site.type, root->name(), {site.x}, {{"axes", site.axes}}, parts, &root->output_desc(0));
  if (Refusal cost; !FusionPays(editor.ctx, *made, parts, &cost)) {
    editor.changed = was_changed;
    editor.ctx.Declined(kRule, *root, cost);
    return;
  }
  attempt.Commit();
  editor.ctx.Applied(kRule);
  editor.Replace({root, 0}, {made, 0});
}

}  // namespace

bool FuseSoftmax(Graph &graph, PassContext &ctx) {
  static const Symbol exp("Exp");
  if (!graph.Has(exp)) return false;
  Editor editor(graph, ctx, "FuseSoftmax");
  for (Node *node : graph.TopologicalOrder()) {
    if (!node->removed()) Rewrite(editor, node);
  }
  return editor.changed;
}

}  // namespace gec
