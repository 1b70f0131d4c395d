// GELU written out: x * (1 + erf(x / sqrt 2)) / 2 and its tanh form, in every order of the factors.
#include "core/passes/builtin.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

enum class Cube { kPow, kMulSquare, kMulMul, kScaledFirst };

/// One pattern per way to multiply x, the bracket and one half.
void AddRules(std::vector<RewriteRule> *rules, const char *name, const char *approximate,
              const std::function<int(Pattern &, int x)> &bracket) {
  for (int order = 0; order < 3; ++order) {
    Pattern p;
    int x = p.Any();
    int half = p.Scalar(0.5);
    int one_plus = bracket(p, x);
    if (order == 0) p.Commutative({"Mul"}, p.Commutative({"Mul"}, x, one_plus), half);
    else if (order == 1) p.Commutative({"Mul"}, p.Commutative({"Mul"}, x, half), one_plus);
    else p.Commutative({"Mul"}, x, p.Commutative({"Mul"}, one_plus, half));
    rules->push_back(
        {name, std::move(p), [=](Editor &editor, const Match &m, Node *root, Refusal *why) -> Endpoint {
           const Shape &from = DescOf(m[x]).shape, &to = root->output_desc(0).shape;
           if (!IsFloat32(m[x]) || !from.has_rank() || from.rank() != to.rank()) {
             *why = {"its operand is not float32 of the same rank", "a float32 operand of the rank of the result"};
             return {};
           }
           return {editor.Make("GeluV2", root->name(), {m[x]}, {{"approximate", approximate}},
                               {m.covered.begin(), m.covered.end()}, &root->output_desc(0)),
                   0};
         }});
  }
}

int Erf(Pattern &p, int x, bool divide) {
  int scaled = divide ? p.Op({"RealDiv", "Div"}, {x, p.Scalar(1.4142135623730951)})
                      : p.Commutative({"Mul"}, x, p.Scalar(0.7071067811865476));
  return p.Commutative({"Add"}, p.Op({"Erf"}, {scaled}), p.Scalar(1));
}

int OnePlusTanh(Pattern &p, int inner) { return p.Commutative({"Add"}, p.Op({"Tanh"}, {inner}), p.Scalar(1)); }

/// tanh(0.79788 * (x + 0.044715 * x^3))
int TanhOfCube(Pattern &p, int x, Cube form) {
  if (form == Cube::kScaledFirst) {  // x * (x * (0.044715 * x))
    int scaled = p.Commutative({"Mul"}, x, p.Commutative({"Mul"}, x, p.Commutative({"Mul"}, x, p.Scalar(0.044715))));
    return OnePlusTanh(p, p.Commutative({"Mul"}, p.Commutative({"Add"}, x, scaled), p.Scalar(0.7978845608028654)));
  }
  int cube = 0;
  switch (form) {
    case Cube::kPow:
      cube = p.Op({"Pow"}, {x, p.Scalar(3)});
      break;
    case Cube::kMulSquare:
      cube = p.Commutative({"Mul"}, x, p.Op({"Square"}, {x}));
      break;
    case Cube::kMulMul:
      cube = p.Commutative({"Mul"}, x, p.Op({"Mul"}, {x, x}));
      break;
    case Cube::kScaledFirst:
      break;
  }
  int sum = p.Commutative({"Add"}, x, p.Commutative({"Mul"}, cube, p.Scalar(0.044715)));
  return OnePlusTanh(p, p.Commutative({"Mul"}, sum, p.Scalar(0.7978845608028654)));
}

/// tanh(0.79788 * x * (1 + 0.044715 * x * x))
int TanhFactored(Pattern &p, int x, bool square) {
  int xx = square ? p.Op({"Square"}, {x}) : p.Op({"Mul"}, {x, x});
  int poly = p.Commutative({"Add"}, p.Commutative({"Mul"}, xx, p.Scalar(0.044715)), p.Scalar(1));
  int scaled = p.Commutative({"Mul"}, x, p.Scalar(0.7978845608028654));
  return OnePlusTanh(p, p.Commutative({"Mul"}, scaled, poly));
}

}  // namespace

bool FuseGelu(Graph &graph, PassContext &ctx) {
  static const std::vector<RewriteRule> *rules = [] {
    auto *all = new std::vector<RewriteRule>();
    for (bool divide : {false, true})
      AddRules(all, "GeluErf", "none", [=](Pattern &p, int x) { return Erf(p, x, divide); });
    for (Cube form : {Cube::kPow, Cube::kMulSquare, Cube::kMulMul, Cube::kScaledFirst})
      AddRules(all, "GeluTanh", "tanh", [=](Pattern &p, int x) { return TanhOfCube(p, x, form); });
    for (bool square : {false, true})
      AddRules(all, "GeluTanh", "tanh", [=](Pattern &p, int x) { return TanhFactored(p, x, square); });
    return all;
  }();
  Editor editor(graph, ctx, "FuseGelu");
  return RunRules(editor, *rules);
}

}  // namespace gec
