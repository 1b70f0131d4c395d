#include "common/activation.h"

#include "elementwise/scalar_math.h"

namespace reference {
namespace {

template <class C>
void Run(const Activation &act, C *x, int64_t n) {
  const C alpha = C(act.alpha), beta = C(act.beta);
  auto each = [&](auto f) {
    for (int64_t i = 0; i < n; ++i) x[i] = f(x[i]);
  };
  switch (act.kind) {
    case Activation::kNone:
      return;
    case Activation::kRelu:
      return each([](C v) { return Max(v, C(0)); });
    case Activation::kClip:
      return each([=](C v) { return Clip(v, alpha, beta); });
    case Activation::kSigmoid:
      return each([](C v) { return Sigmoid(v); });
    case Activation::kTanh:
      return each([](C v) { return std::tanh(v); });
    case Activation::kSwish:
      return each([](C v) { return v * Sigmoid(v); });
    case Activation::kGeluErf:
      return each([](C v) { return GeluErf(v); });
    case Activation::kGeluTanh:
      return each([](C v) { return GeluTanh(v); });
    case Activation::kLeakyRelu:
      return each([=](C v) { return v > 0 ? v : v * alpha; });
    case Activation::kHardSwish:
      return each([](C v) { return HardSwish(v); });
    case Activation::kHardSigmoid:
      return each([=](C v) { return Clip(v * alpha + beta, C(0), C(1)); });
    case Activation::kElu:
      return each([=](C v) { return v > 0 ? v : alpha * std::expm1(v); });
  }
}

}  // namespace

void Activation::Apply(float *x, int64_t n) const { Run(*this, x, n); }
void Activation::Apply(double *x, int64_t n) const { Run(*this, x, n); }
void Activation::Apply(int64_t *x, int64_t n) const {
  for (int64_t i = 0; i < n; ++i) {
    if (kind == kRelu) x[i] = Max(x[i], int64_t(0));
    else if (kind == kClip) x[i] = Clip(x[i], int64_t(alpha), int64_t(beta));
  }
}

Activation NamedActivation(const Node &node, const char *attribute, const std::string &name, double alpha,
                           double beta) {
  static const struct {
    const char *name;
    Activation::Kind kind;
  } kNames[] = {{"", Activation::kNone},
                {"relu", Activation::kRelu},
                {"clip", Activation::kClip},
                {"sigmoid", Activation::kSigmoid},
                {"tanh", Activation::kTanh},
                {"swish", Activation::kSwish},
                {"gelu_erf", Activation::kGeluErf},
                {"gelu_tanh", Activation::kGeluTanh},
                {"leaky_relu", Activation::kLeakyRelu},
                {"hard_swish", Activation::kHardSwish},
                {"hard_sigmoid", Activation::kHardSigmoid},
                {"elu", Activation::kElu}};
  for (const auto &entry : kNames)
    if (name == entry.name) return {entry.kind, alpha, beta};
  Fail(GE_UNSUPPORTED, "%s: %s '%s' is unknown", node.label().c_str(), attribute, name.c_str());
}

Activation ReadActivation(const Node &node, const std::string &prefix) {
  const std::string activation = prefix + "activation";
  return NamedActivation(node, activation.c_str(), node.String(activation.c_str(), ""),
                         node.Float((prefix + "alpha").c_str(), 0), node.Float((prefix + "beta").c_str(), 0));
}

}  // namespace reference
