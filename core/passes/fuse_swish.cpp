// Products of x and a gate of x: Swish, hard Swish and Mish.
#include "core/passes/builtin.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

using Make = std::function<std::vector<Editor::Attr>(const Match &, bool *ok)>;

/// The root becomes one operator of x.
RewriteRule Rule(const char *name, const char *type, Pattern p, int x, Make attrs = {}) {
  return {name, std::move(p), [=](Editor &editor, const Match &m, Node *root, Refusal *why) -> Endpoint {
            const Shape &from = DescOf(m[x]).shape, &to = root->output_desc(0).shape;
            bool ok = IsFloat32(m[x]) && from.has_rank() && from.rank() == to.rank();
            std::vector<Editor::Attr> set = ok && attrs ? attrs(m, &ok) : std::vector<Editor::Attr>();
            if (!ok) {
              *why = {"its operand is not float32 of the same rank, or a constant does not fit",
                      "a float32 operand of the rank of the result, and its constants"};
              return {};
            }
            return {editor.Make(type, root->name(), {m[x]}, set, {m.covered.begin(), m.covered.end()},
                                &root->output_desc(0)),
                    0};
          }};
}

RewriteRule Swish() {
  Pattern p;
  int x = p.Any();
  p.Commutative({"Mul"}, x, p.Op({"Sigmoid"}, {x}));
  return Rule("Swish", "Swish", std::move(p), x);
}

RewriteRule ScaledSwish() {
  Pattern p;
  int x = p.Any(), scale = p.Scalar();
  p.Commutative({"Mul"}, x, p.Op({"Sigmoid"}, {p.Commutative({"Mul"}, x, scale)}));
  return Rule("ScaledSwish", "Swish", std::move(p), x, [=](const Match &m, bool *ok) -> std::vector<Editor::Attr> {
    double value = 0;
    *ok = ScalarOf(m[scale], &value);
    return {{"scale", static_cast<float>(value)}};
  });
}

bool IsHardGate(Endpoint e) { return Near(e.node->Float("alpha"), 1.0 / 6, 1e-4) && Near(e.node->Float("beta"), 0.5); }

RewriteRule HardSwishOfGate() {
  Pattern p;
  int x = p.Any();
  p.Commutative({"Mul"}, x,
                p.Op({"HardSigmoid"}, {x}, {"alpha = 1 / 6 and beta = 0.5", IsHardGate, Mismatch::kAttribute}));
  return Rule("HardSwish", "HardSwishV2", std::move(p), x);
}

/// clip(x + 3, 0, 6), as ClipByValueV2 or Relu6
int Gate(Pattern &p, int x, bool relu6) {
  int shifted = p.Commutative({"Add"}, x, p.Scalar(3));
  if (relu6) return p.Op({"Relu6"}, {shifted});
  const auto is_zero = [](Endpoint e) {
    double v;
    return ScalarOf(e, &v) && v == 0;
  };
  int zero = p.Const({"a float constant of one element, 0", is_zero, Mismatch::kConstant});
  return p.Op({"ClipByValueV2"}, {shifted, zero, p.Scalar(6)});
}

RewriteRule HardSwishByParts(bool relu6, bool divide, int order) {
  Pattern p;
  int x = p.Any();
  int gate = Gate(p, x, relu6);
  int factor = p.Scalar(divide ? 6.0 : 1.0 / 6);
  auto scaled = [&](int value) {
    return divide ? p.Op({"RealDiv", "Div"}, {value, factor}) : p.Commutative({"Mul"}, value, factor);
  };
  if (order == 0) scaled(p.Commutative({"Mul"}, x, gate));
  else if (order == 1) p.Commutative({"Mul"}, x, scaled(gate));
  else p.Commutative({"Mul"}, scaled(x), gate);
  return Rule("HardSwish", "HardSwishV2", std::move(p), x);
}

RewriteRule Mish(bool by_parts) {
  Pattern p;
  int x = p.Any();
  // With log(1 + exp(x)) the sum may overflow, but tanh of it is 1 either way.
  int softplus =
      by_parts ? p.Op({"Log"}, {p.Commutative({"Add"}, p.Op({"Exp"}, {x}), p.Scalar(1))}) : p.Op({"Softplus"}, {x});
  p.Commutative({"Mul"}, x, p.Op({"Tanh"}, {softplus}));
  return Rule("Mish", "Mish", std::move(p), x);
}

}  // namespace

bool FuseSwish(Graph &graph, PassContext &ctx) {
  static const std::vector<RewriteRule> *rules = [] {
    auto *all = new std::vector<RewriteRule>();
    all->push_back(Swish());
    all->push_back(ScaledSwish());
    all->push_back(HardSwishOfGate());
    for (bool relu6 : {false, true}) {
      for (bool divide : {false, true}) {
        for (int order : {0, 1, 2}) all->push_back(HardSwishByParts(relu6, divide, order));
      }
    }
    for (bool by_parts : {false, true}) all->push_back(Mish(by_parts));
    return all;
  }();
  Editor editor(graph, ctx, "FuseSwish");
  return RunRules(editor, *rules);
}

}  // namespace gec
