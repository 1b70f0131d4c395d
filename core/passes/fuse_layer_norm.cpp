// Layer normalisation written out in single operators: (x - mean) / sqrt(variance + epsilon), times gamma, plus beta.
#include <algorithm>

#include "core/passes/builtin.h"
#include "core/passes/editor.h"

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

/// `value` with the shape of the normalised dimensions; none when it is spread differently.
Endpoint AsParameter(Editor &editor, Endpoint value, const Node *norm, const char *what) {
  std::vector<int64_t> dims;
  if (!IntsAt(*norm, 1, &dims) || !IsFloat32(value)) return {};
  Shape wanted(dims.data(), dims.size());
  const Shape &have = DescOf(value).shape;
  if (!have.known()) return {};
  if (have == wanted) return value;
  // Leading ones may go when the content is a constant: the new tensor shares it.
  TensorPtr t = ConstantOf(value);
  if (!t || have.rank() < wanted.rank() || have.rank() > norm->output_desc(0).shape.rank()) return {};
  size_t lead = static_cast<size_t>(have.rank() - wanted.rank());
  for (size_t i = 0; i < have.dims().size(); ++i) {
    if (have[i] != (i < lead ? 1 : wanted[i - lead])) return {};
  }
  return editor.Constant(std::make_shared<Tensor>(TensorDesc(C_DT_FLOAT, wanted), t->buffer), norm->name() + what,
                         {norm});
}

Endpoint MakeNorm(Editor &editor, Endpoint x, Endpoint shape, Endpoint gamma, Endpoint beta, float epsilon,
                  std::string_view name, const std::vector<const Node *> &from) {
  return {editor.Make("LayerNormV4", name, {x, shape, gamma, beta}, {{"epsilon", epsilon}}, from), 0};
}

enum class Square { kPow, kSquare, kMul, kDifference };
enum class Divide { kRealDiv, kRsqrt, kReciprocal };

RewriteRule NormRule(Square square, Divide divide) {
  Pattern p;
  int x = p.Any(), axes1 = p.Const(), axes2 = p.Const(), epsilon = p.Scalar();
  int mean = p.Op({"ReduceMean"}, {x, axes1}, KeepsDims);
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
  int variance = p.Op({"ReduceMean"}, {squared, axes2}, KeepsDims);
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
          [=](Editor &editor, const Match &m, Node *root, std::string *why) -> Endpoint {
            std::vector<int64_t> dims;
            double eps = 0;
            if (!IsFloat32(m[x]) || !LastDims(m[mean], m[variance], m[x], &dims)) {
              *why = "it does not normalise known last dimensions of float32";
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
          [=](Editor &editor, const Match &m, Node *root, std::string *why) -> Endpoint {
            static const Symbol epsilon("epsilon");
            Endpoint parameter = AsParameter(editor, m[value], m[norm].node, is_gamma ? "_gamma" : "_beta");
            if (!parameter) {
              *why = "its other operand does not have the normalised shape";
              return {};
            }
            return MakeNorm(editor, m[x], m[shape], is_gamma ? parameter : m[gamma], is_gamma ? Endpoint() : parameter,
                            m[norm].node->Float(epsilon), root->name(), {m[norm].node, root});
          }};
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
  return RunRules(editor, *rules);
}

}  // namespace gec
