#include "core/variables/updates.h"

#include <cstring>
#include <string>
#include <unordered_map>

#include "core/ops/make_node.h"
#include "core/support/error.h"

namespace gec {
namespace {

/// Builds one update. Inputs go by their prototype names; arithmetic is spelled with operators.
class Step {
 public:
  struct Value {
    Step *step;
    Endpoint at;
  };

  Step(const Node &node, const std::function<Endpoint(int32_t)> &read)
      : node_(node), graph_(node.graph()), read_(read) {}

  Value In(const char *name) {
    const int port = node_.ir().FindInput(Symbol(name));
    if (port < 0) Fail(GE_GRAPH_INVALID, node_.Label(), " has no input '", name, "'");
    return {this, read_(static_cast<int32_t>(port))};  // types with rules have no dynamic inputs
  }
  bool Has(const char *name) const { return node_.ir().FindInput(Symbol(name)) >= 0; }
  bool Bool(const char *name, bool fallback = false) const { return node_.Bool(Symbol(name), fallback); }
  /// A number of the type that the updated tensor has.
  Value Number(float value) {
    const int32_t dtype = type();
    std::shared_ptr<Tensor> tensor;
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (dtype == C_DT_DOUBLE) tensor = Tensor::Of<double>(dtype, Shape(), {double{value}});
    else if (dtype == C_DT_FLOAT) tensor = Tensor::Of<float>(dtype, Shape(), {value});
    else if (dtype == C_DT_BF16) tensor = Tensor::Of<uint16_t>(dtype, Shape(), {static_cast<uint16_t>(bits >> 16)});
    else tensor = Tensor::Of<uint16_t>(dtype, Shape(), {static_cast<uint16_t>(value == 0 ? 0 : 0x3c00)});  // 0 or 1
    return {this, {MakeConst(graph_, std::move(tensor), node_.name() + "/number"), 0}};
  }
  Value One() { return Number(1); }
  Value Zero() { return Number(0); }
  int32_t type() const { return node_.input_desc(0).dtype; }

  Value Op(const char *type, std::initializer_list<Value> inputs) {
    static const Symbol kMaker = "LowerVariables";
    Node *made = MakeNode(graph_, type, node_.name() + "/" + type);
    int32_t port = 0;
    for (const Value &value : inputs) graph_.Connect(value.at, made, port++);
    graph_.InheritOrigins(made, {&node_}, kMaker);
    return {this, {made, 0}};
  }

 private:
  const Node &node_;
  Graph &graph_;
  const std::function<Endpoint(int32_t)> &read_;
};

using Value = Step::Value;
Value operator+(Value a, Value b) { return a.step->Op("Add", {a, b}); }
Value operator-(Value a, Value b) { return a.step->Op("Sub", {a, b}); }
Value operator*(Value a, Value b) { return a.step->Op("Mul", {a, b}); }
Value operator/(Value a, Value b) { return a.step->Op("RealDiv", {a, b}); }
Value Sqrt(Value a) { return a.step->Op("Sqrt", {a}); }
Value Square(Value a) { return a.step->Op("Square", {a}); }
Value Abs(Value a) { return a.step->Op("Abs", {a}); }
Value Sign(Value a) { return a.step->Op("Sign", {a}); }
Value Exp(Value a) { return a.step->Op("Exp", {a}); }
Value Neg(Value a) { return a.step->Op("Neg", {a}); }
Value Max(Value a, Value b) { return a.step->Op("Maximum", {a, b}); }
Value Pow(Value a, Value b) { return a.step->Op("Pow", {a, b}); }

using Values = std::vector<Value>;
/// rate * old + (1 - rate) * fresh
Value Average(Value rate, Value old, Value fresh) { return rate * old + (rate.step->One() - rate) * fresh; }

Values Assign(Step &s) { return {s.In("value")}; }
Values AssignAdd(Step &s) { return {s.In("ref") + s.In("value")}; }
Values AssignSub(Step &s) { return {s.In("var") - s.In("value")}; }
Values GradientDescent(Step &s) { return {s.In("var") - s.In("alpha") * s.In("delta")}; }

Values Momentum(Step &s) {
  Value lr = s.In("lr"), grad = s.In("grad"), momentum = s.In("momentum");
  Value accum = s.In("accum") * momentum + grad;
  Value step = s.Bool("use_nesterov") ? grad * lr + accum * momentum * lr : lr * accum;
  return {s.In("var") - step, accum};
}

Values KerasMomentum(Step &s) {
  Value part = s.In("lr") * s.In("grad"), momentum = s.In("momentum");
  Value accum = s.In("accum") * momentum - part;
  return {s.In("var") + (s.Bool("use_nesterov") ? accum * momentum - part : accum), accum};
}

Values Adagrad(Step &s) {
  Value grad = s.In("grad"), accum = s.In("accum");
  if (s.Bool("update_slots", true)) accum = accum + Square(grad);
  Value divisor = Sqrt(accum);
  if (s.Has("epsilon")) divisor = divisor + s.In("epsilon");
  return {s.In("var") - s.In("lr") * grad / divisor, accum};
}

Values Adadelta(Step &s) {
  Value grad = s.In("grad"), rho = s.In("rho"), epsilon = s.In("epsilon"), updates = s.In("accum_update");
  Value accum = Average(rho, s.In("accum"), Square(grad));
  Value update = Sqrt(updates + epsilon) / Sqrt(accum + epsilon) * grad;
  return {s.In("var") - s.In("lr") * update, accum, Average(rho, updates, Square(update))};
}

struct Moments {
  Value m, v, rate;
};
Moments AdamMoments(Step &s) {
  Value grad = s.In("grad");
  Value rate = s.In("lr") * Sqrt(s.One() - s.In("beta2_power")) / (s.One() - s.In("beta1_power"));
  return {Average(s.In("beta1"), s.In("m"), grad), Average(s.In("beta2"), s.In("v"), Square(grad)), rate};
}

Values Adam(Step &s) {
  Moments a = AdamMoments(s);
  Value direction = s.Bool("use_nesterov") ? Average(s.In("beta1"), a.m, s.In("grad")) : a.m;
  return {s.In("var") - a.rate * direction / (Sqrt(a.v) + s.In("epsilon")), a.m, a.v};
}

Values AdamWithAmsgrad(Step &s) {
  Moments a = AdamMoments(s);
  Value largest = Max(s.In("vhat"), a.v);
  return {s.In("var") - a.rate * a.m / (Sqrt(largest) + s.In("epsilon")), a.m, a.v, largest};
}

Values AdaMax(Step &s) {
  Value grad = s.In("grad");
  Value m = Average(s.In("beta1"), s.In("m"), grad), v = Max(s.In("beta2") * s.In("v"), Abs(grad));
  return {s.In("var") - s.In("lr") / (s.One() - s.In("beta1_power")) * m / (v + s.In("epsilon")), m, v};
}

Values RMSProp(Step &s) {
  Value grad = s.In("grad"), ms = Average(s.In("rho"), s.In("ms"), Square(grad));
  Value mom = s.In("momentum") * s.In("mom") + s.In("lr") * grad / Sqrt(ms + s.In("epsilon"));
  return {s.In("var") - mom, ms, mom};
}

Values CenteredRMSProp(Step &s) {
  Value grad = s.In("grad"), rho = s.In("rho");
  Value mg = Average(rho, s.In("mg"), grad), ms = Average(rho, s.In("ms"), Square(grad));
  Value mom = s.In("momentum") * s.In("mom") + s.In("lr") * grad / Sqrt(ms - Square(mg) + s.In("epsilon"));
  return {s.In("var") - mom, mg, ms, mom};
}

Values AddSign(Step &s) {
  Value grad = s.In("grad"), m = Average(s.In("beta"), s.In("m"), grad);
  return {s.In("var") - s.In("lr") * (s.In("alpha") + s.In("sign_decay") * Sign(grad) * Sign(m)) * grad, m};
}

Values PowerSign(Step &s) {
  Value grad = s.In("grad"), m = Average(s.In("beta"), s.In("m"), grad);
  return {s.In("var") - s.In("lr") * Exp(s.In("logbase") * s.In("sign_decay") * Sign(grad) * Sign(m)) * grad, m};
}

/// sign(x) * max(|x| - rate * l1, 0) / (1 + rate * l2)
Value Shrink(Step &s, Value x, Value rate) {
  return Sign(x) * Max(Abs(x) - rate * s.In("l1"), s.Zero()) / (s.One() + rate * s.In("l2"));
}
Values ProximalGradientDescent(Step &s) {
  Value alpha = s.In("alpha");
  return {Shrink(s, s.In("var") - alpha * s.In("delta"), alpha)};
}
Values ProximalAdagrad(Step &s) {
  Value grad = s.In("grad"), accum = s.In("accum") + Square(grad), rate = s.In("lr") / Sqrt(accum);
  return {Shrink(s, s.In("var") - rate * grad, rate), accum};
}

Values Ftrl(Step &s) {
  Value grad = s.In("grad"), var = s.In("var"), lr = s.In("lr"), power = Neg(s.In("lr_power")), l2 = s.In("l2");
  Value old = s.In("accum"), accum = old + Square(grad), raised = Pow(accum, power);
  if (s.Has("l2_shrinkage")) {
    Value shrinkage = s.In("l2_shrinkage");
    grad = grad + (shrinkage + shrinkage) * var;
  }
  Value linear = s.In("linear") + grad - (raised - Pow(old, power)) / lr * var;
  Value step = Sign(linear) * Max(Abs(linear) - s.In("l1"), s.Zero());
  return {Neg(step) / (raised / lr + (l2 + l2)), accum, linear};
}

struct Rule {
  std::vector<const char *> changed;
  Values (*build)(Step &);
};

const std::unordered_map<Symbol, Rule> &Rules() {
  static const auto *rules = new std::unordered_map<Symbol, Rule>{
      {"Assign", {{"ref"}, Assign}},
      {"AssignAdd", {{"ref"}, AssignAdd}},
      {"AssignSub", {{"var"}, AssignSub}},
      {"AssignVariableOp", {{"resource"}, Assign}},
      {"ApplyGradientDescent", {{"var"}, GradientDescent}},
      {"ApplyProximalGradientDescent", {{"var"}, ProximalGradientDescent}},
      {"ApplyMomentum", {{"var", "accum"}, Momentum}},
      {"InplaceApplyMomentum", {{"var", "accum"}, Momentum}},
      {"ApplyKerasMomentum", {{"var", "accum"}, KerasMomentum}},
      {"ApplyAdagrad", {{"var", "accum"}, Adagrad}},
      {"ApplyAdagradD", {{"var", "accum"}, Adagrad}},
      {"ApplyAdagradV2", {{"var", "accum"}, Adagrad}},
      {"ApplyProximalAdagrad", {{"var", "accum"}, ProximalAdagrad}},
      {"InplaceApplyProximalAdagrad", {{"var", "accum"}, ProximalAdagrad}},
      {"ApplyAdadelta", {{"var", "accum", "accum_update"}, Adadelta}},
      {"InplaceApplyAdadelta", {{"var", "accum", "accum_update"}, Adadelta}},
      {"ApplyAdam", {{"var", "m", "v"}, Adam}},
      {"ApplyAdamD", {{"var", "m", "v"}, Adam}},
      {"ApplyAdamWithAmsgrad", {{"var", "m", "v", "vhat"}, AdamWithAmsgrad}},
      {"ApplyAdamWithAmsgradV2", {{"var", "m", "v", "vhat"}, AdamWithAmsgrad}},
      {"ApplyAdaMax", {{"var", "m", "v"}, AdaMax}},
      {"ApplyRMSProp", {{"var", "ms", "mom"}, RMSProp}},
      {"ApplyCenteredRMSProp", {{"var", "mg", "ms", "mom"}, CenteredRMSProp}},
      {"InplaceApplyCenteredRMSProp", {{"var", "mg", "ms", "mom"}, CenteredRMSProp}},
      {"ApplyAddSign", {{"var", "m"}, AddSign}},
      {"ApplyPowerSign", {{"var", "m"}, PowerSign}},
      {"InplaceApplyPowerSign", {{"var", "m"}, PowerSign}},
      {"ApplyFtrl", {{"var", "accum", "linear"}, Ftrl}},
      {"ApplyFtrlV2", {{"var", "accum", "linear"}, Ftrl}},
  };
  return *rules;
}

}  // namespace

std::span<const char *const> UpdatedInputs(Symbol type) {
  auto at = Rules().find(type);
  if (at == Rules().end()) return {};
  return at->second.changed;
}

std::vector<Endpoint> BuildUpdate(const Node &node, const std::function<Endpoint(int32_t)> &read) {
  const Rule &rule = Rules().at(node.type());
  Step step(node, read);
  const bool plain = rule.build == Assign || rule.build == AssignAdd || rule.build == AssignSub;
  const int32_t type = step.type();
  if (!plain && type != C_DT_FLOAT && type != C_DT_DOUBLE && type != C_DT_FLOAT16 && type != C_DT_BF16) return {};
  std::vector<Endpoint> made;
  for (const Value &value : rule.build(step)) made.push_back(value.at);
  return made;
}

std::vector<Symbol> UpdateTypes() {
  std::vector<Symbol> types;
  for (const auto &[type, rule] : Rules()) types.push_back(type);
  return types;
}

}  // namespace gec
