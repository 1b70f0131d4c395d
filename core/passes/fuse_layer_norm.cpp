// Layer normalisation written out in single operators: (x - mean) / sqrt(variance + epsilon), times gamma, plus beta.
#include <algorithm>

#include "core/passes/builtin.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/rows.h"

namespace gec {
namespace {

bool KeepsDims(Endpoint e) {
  static const Symbol keep("keep_dims");
  return e.node->Bool(keep);
}

/// Both reductions run over the same dimensions, which are the last ones of x and known.
bool LastDims(Endpoint mean, Endpoint variance, Endpoint x, std::vector<int64_t> *dims) {
  std::vector<int64_t> a, b;
  const Shape &shape = DescOf(x).shape;
  if (!shape.has_rank() || !IntsAt(*mean.node, 1, &a) || !IntsAt(*variance.node, 1, &b) || a.empty()) return false;
  for (auto *axes : {&a, &b}) {
    for (int64_t &v : *axes) v = v < 0 ? v + shape.rank() : v;
    std::sort(axes->begin(), axes->end());
  }
  if (a != b) return false;
  dims->clear();
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t want = shape.rank() - static_cast<int64_t>(a.size() - i);
    if (a[i] != want || want < 0 || shape[static_cast<size_t>(want)] <= 0) return false;
    dims->push_back(shape[static_cast<size_t>(want)]);
  }
  return true;
}

/// `value` with the shape of the normalised dimensions of an x of this rank; none when it is spread differently.
Endpoint AsParameter(Editor &editor, Endpoint value, const std::vector<int64_t> &dims, int32_t rank, const Node *root,
                     const char *what) {
  if (!IsFloat32(value)) return {};
  Shape wanted(dims.data(), dims.size());
  const Shape &have = DescOf(value).shape;
  if (!have.known()) return {};
  if (have == wanted) return value;
  // Leading ones may go when the content is a constant: the new tensor shares it.
  TensorPtr t = ConstantOf(value);
  if (!t || have.rank() < wanted.rank() || have.rank() > rank) return {};
  size_t lead = static_cast<size_t>(have.rank() - wanted.rank());
  for (size_t i = 0; i < have.dims().size(); ++i) {
    if (have[i] != (i < lead ? 1 : wanted[i - lead])) return {};
  }
  return editor.Constant(std::make_shared<Tensor>(TensorDesc(C_DT_FLOAT, wanted), t->buffer), root->name() + what,
                         {root});
}

Endpoint MakeNorm(Editor &editor, Endpoint x, Endpoint shape, Endpoint gamma, Endpoint beta, float epsilon,
                  std::string_view name, const std::vector<const Node *> &from) {
  return {editor.Make("LayerNormV4", name, {x, shape, gamma, beta}, {{"epsilon", epsilon}}, from), 0};
}

enum class Square { kPow, kSquare, kMul, kDifference };
enum class Divide { kRealDiv, kRsqrt, kReciprocal };

RewriteRule NormRule(Square square, Divide divide) {
  static const PatternCondition kKeepsDims{"keep_dims = true", KeepsDims, Mismatch::kAttribute};
  Pattern p;
  int x = p.Any(), axes1 = p.Const(), axes2 = p.Const(), epsilon = p.Scalar();
  int mean = p.Op({"ReduceMean"}, {x, axes1}, kKeepsDims);
  int centred = p.Op({"Sub"}, {x, mean});
  int squared = 0;
  switch (square) {
    case Square::kPow:
      squared = p.Op({"Pow"}, {centred, p.Scalar(2)});
      break;
    case Square::kSquare:
      squared = p.Op({"Square"}, {centred});
      break;
    case Square::kMul:
      squared = p.Op({"Mul"}, {centred, centred});
      break;
    case Square::kDifference:
      squared = p.Commutative({"SquaredDifference"}, x, mean);
      break;
  }
  int variance = p.Op({"ReduceMean"}, {squared, axes2}, kKeepsDims);
  int sum = p.Commutative({"Add"}, variance, epsilon);
  switch (divide) {
    case Divide::kRealDiv:
      p.Op({"RealDiv", "Div"}, {centred, p.Op({"Sqrt"}, {sum})});
      break;
    case Divide::kRsqrt:
      p.Commutative({"Mul"}, centred, p.Op({"Rsqrt"}, {sum}));
      break;
    case Divide::kReciprocal:
      p.Commutative({"Mul"}, centred, p.Op({"Reciprocal"}, {p.Op({"Sqrt"}, {sum})}));
      break;
  }
  return {"Normalise", std::move(p),
          [=](Editor &editor, const Match &m, Node *root, Refusal *why) -> Endpoint {
            std::vector<int64_t> dims;
            double eps = 0;
            if (!IsFloat32(m[x]) || !LastDims(m[mean], m[variance], m[x], &dims)) {
              *why = {"it does not normalise known last dimensions of float32",
                      "a norm of known last dimensions of float32"};
              return {};
            }
            ScalarOf(m[epsilon], &eps);
            Endpoint shape = editor.Constant(IntTensor(dims), root->name() + "_normalized_shape", {root});
            return MakeNorm(editor, m[x], shape, {}, {}, static_cast<float>(eps), root->name(),
                            {m.covered.begin(), m.covered.end()});
          },
          "LayerNormV4"};
}

/// A factor or an addend after a normalisation that has none yet.
RewriteRule ParameterRule(bool is_gamma) {
  Pattern p;
  int x = p.Any(), shape = p.Const(), value = p.Any();
  int gamma = is_gamma ? -1 : p.Any();
  int norm = is_gamma ? p.Op({"LayerNormV4"}, {x, shape}) : p.Op({"LayerNormV4"}, {x, shape, gamma});
  p.Commutative({is_gamma ? "Mul" : "Add"}, norm, value);
  return {is_gamma ? "Gamma" : "Beta", std::move(p),
          [=](Editor &editor, const Match &m, Node *root, Refusal *why) -> Endpoint {
            static const Symbol epsilon("epsilon");
            std::vector<int64_t> dims;
            Endpoint parameter;
            if (IntsAt(*m[norm].node, 1, &dims)) {
              parameter = AsParameter(editor, m[value], dims, DescOf(m[norm]).shape.rank(), m[norm].node,
                                      is_gamma ? "_gamma" : "_beta");
            }
            if (!parameter) {
              *why = {"its other operand does not have the normalised shape", "an operand of the normalised shape"};
              return {};
            }
            return MakeNorm(editor, m[x], m[shape], is_gamma ? parameter : m[gamma], is_gamma ? Endpoint() : parameter,
                            m[norm].node->Float(epsilon), root->name(), {m[norm].node, root});
          }};
}

/// A normalisation whose mean and variance were computed beside the rows, in whatever form:
/// (x - mean) * rsqrt(variance + epsilon), the last factor perhaps multiplied by gamma first. What is matched here and
/// not by the patterns above are means that come from sums, E[x^2] - E[x]^2, and views between the steps.
struct NormSite {
  Endpoint x, gamma;
  std::vector<int64_t> axes;
  double epsilon = 0;
};

/// The variance of site->x over site->axes, in either form.
bool Variance(RowWalk &walk, Endpoint e, const NormSite &site) {
  auto mean_of_x = [&](Endpoint m) {
    Endpoint x;
    std::vector<int64_t> axes;
    return walk.Mean(m, &x, &axes) && x == site.x && axes == site.axes;
  };
  auto mean_square = [&](Endpoint m, Endpoint *base) {
    Endpoint square;
    std::vector<int64_t> axes;
    return walk.Mean(m, &square, &axes) && axes == site.axes && walk.Square(square, base);
  };
  // Rounding can make the difference of squares negative, so that some put it above zero.
  Endpoint above = e;
  if (walk.IsBehindViews(&above, {"Relu"}, 1)) {
    e = above.node->input(0);
  } else if (walk.IsBehindViews(&above, {"Maximum"}, 2)) {
    double zero = 1;
    const size_t value = ScalarOf(above.node->input(0), &zero) ? 1 : 0;
    if (!ScalarOf(above.node->input(1 - value), &zero) || zero != 0) return false;
    e = above.node->input(value);
  }
  const size_t mark = walk.Mark();
  Endpoint base;
  if (mean_square(e, &base) && walk.Is(base, {"Sub"}, 2) && base.node->input(0) == site.x &&
      IsBesideRows(base.node->input(1), site.x, site.axes) && mean_of_x(base.node->input(1)))
    return true;
  walk.Back(mark);
  return walk.IsBehindViews(&e, {"Sub"}, 2) && SameKnownShape(e.node->input(0), e.node->input(1)) &&
         mean_square(e.node->input(0), &base) && base == site.x && walk.Square(e.node->input(1), &base) &&
         mean_of_x(base);
}

/// sqrt(variance + epsilon)
bool Deviation(RowWalk &walk, Endpoint e, const char *root, NormSite *site) {
  if (!walk.IsBehindViews(&e, {root}, 1)) return false;
  Endpoint sum = e.node->input(0);
  if (!walk.IsBehindViews(&sum, {"Add"}, 2)) return false;
  const size_t value = ScalarOf(sum.node->input(0), &site->epsilon) ? 1 : 0;
  return ScalarOf(sum.node->input(1 - value), &site->epsilon) && Variance(walk, sum.node->input(value), *site);
}

/// One over the deviation, perhaps times gamma.
bool InverseDeviation(RowWalk &walk, Endpoint e, NormSite *site) {
  const size_t mark = walk.Mark();
  Endpoint at = e;
  if (IsBesideRows(e, site->x, site->axes)) {
    if (Deviation(walk, e, "Rsqrt", site)) return true;
    walk.Back(mark);
    if (walk.IsBehindViews(&at, {"Reciprocal"}, 1) && Deviation(walk, at.node->input(0), "Sqrt", site)) return true;
    walk.Back(mark);
  }
  if (site->gamma || !walk.Is(e, {"Mul"}, 2)) return false;
  for (size_t k : {0, 1}) {
    const size_t inner = walk.Mark();
    site->gamma = e.node->input(1 - k);
    if (InverseDeviation(walk, e.node->input(k), site)) return true;
    walk.Back(inner);
  }
  site->gamma = {};
  return false;
}

bool ReadNorm(RowWalk &walk, Node *root, NormSite *site) {
  const bool quotient = walk.Is({root, 0}, {"RealDiv", "Div"}, 2);
  if (!quotient && !walk.Is({root, 0}, {"Mul"}, 2)) return false;
  const size_t mark = walk.Mark();
  for (size_t k : {0, 1}) {
    if (k == 1 && quotient) break;
    Endpoint centred = root->input(k), other = root->input(1 - k), x;
    if (walk.Is(centred, {"Sub"}, 2) && walk.Mean(centred.node->input(1), &x, &site->axes) &&
        x == centred.node->input(0) && IsBesideRows(centred.node->input(1), x, site->axes)) {
      site->x = x;
      site->gamma = {};
      if (quotient ? IsBesideRows(other, x, site->axes) && Deviation(walk, other, "Sqrt", site)
                   : InverseDeviation(walk, other, site))
        return true;
    }
    walk.Back(mark);
  }
  return false;
}

void NormaliseRows(Editor &editor, Node *root) {
  static const char kRule[] = "NormaliseRows";
  RowWalk walk(editor.ctx);
  NormSite site;
  if (!ReadNorm(walk, root, &site)) return walk.TellMiss(editor.ctx, kRule, root);
  editor.ctx.At(kRule, root);
  editor.ctx.Tried(kRule);
  auto declined = [&](const Refusal &why) { editor.ctx.Declined(kRule, *root, why); };
  Refusal why;
  if (!Pattern::Legal(walk.covered(), root, editor.outputs(), &why)) return declined(why);
  const Shape &shape = DescOf(site.x).shape;
  std::vector<int64_t> dims;
  for (int64_t axis : site.axes) dims.push_back(shape[static_cast<size_t>(axis)]);
  const bool last = site.axes[0] == shape.rank() - static_cast<int64_t>(site.axes.size());
  if (!IsFloat32(site.x) || !last || Shape(dims.data(), dims.size()).elements() == 0)
    return declined({"it does not normalise last dimensions of float32", "a norm of last dimensions of float32"});
  Transaction attempt(editor.graph.root());
  const bool was_changed = editor.changed;
  Endpoint gamma;
  if (site.gamma) {
    gamma = AsParameter(editor, site.gamma, dims, shape.rank(), root, "_gamma");
    if (!gamma) return declined({"its factor does not have the normalised shape", "a factor of the normalised shape"});
  }
  const std::vector<const Node *> from(walk.covered().begin(), walk.covered().end());
  Endpoint normalized = editor.Constant(IntTensor(dims), root->name() + "_normalized_shape", {root});
  Endpoint made = MakeNorm(editor, site.x, normalized, gamma, {}, static_cast<float>(site.epsilon), root->name(), from);
  if (!FusionPays(editor.ctx, *made.node, from, &why)) {
    editor.changed = was_changed;
    return declined(why);
  }
  attempt.Commit();
  editor.ctx.Applied(kRule);
  editor.Replace({root, 0}, made);
}

}  // namespace

bool FuseLayerNorm(Graph &graph, PassContext &ctx) {
  static const std::vector<RewriteRule> *rules = [] {
    auto *all = new std::vector<RewriteRule>();
    for (Square s : {Square::kPow, Square::kSquare, Square::kMul, Square::kDifference}) {
      for (Divide d : {Divide::kRealDiv, Divide::kRsqrt, Divide::kReciprocal}) all->push_back(NormRule(s, d));
    }
    all->push_back(ParameterRule(true));
    all->push_back(ParameterRule(false));
    return all;
  }();
  Editor editor(graph, ctx, "FuseLayerNorm");
  static const Symbol mean("ReduceMean"), sum("ReduceSum");
  if (graph.HasAny({mean, sum})) {
    for (Node *node : graph.TopologicalOrder()) {
      if (!node->removed()) NormaliseRows(editor, node);
    }
  }
  RunRules(editor, *rules);
  return editor.changed;
}

}  // namespace gec
