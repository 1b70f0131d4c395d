#include "read_activation.h"

namespace onednn {

Activation ActivationOf(const std::string &name, float alpha, float beta, const std::string &prefix) {
  static const struct {
    const char *name;
    Act kind;
  } kNames[] = {
      {"", Act::kNone},
      {"relu", Act::kRelu},
      {"clip", Act::kClip},
      {"sigmoid", Act::kSigmoid},
      {"tanh", Act::kTanh},
      {"swish", Act::kSwish},
      {"gelu_erf", Act::kGeluErf},
      {"gelu_tanh", Act::kGeluTanh},
      {"leaky_relu", Act::kLeakyRelu},
      {"hard_swish", Act::kHardSwish},
      {"hard_sigmoid", Act::kHardSigmoid},
      {"elu", Act::kElu},
  };
  for (const auto &entry : kNames)
    if (name == entry.name) return {entry.kind, alpha, beta};
  Refuse(prefix, "activation \"", name, "\" is not supported");
}

Activation ActivationOf(const Node &node, const std::string &prefix) {
  return ActivationOf(node.String((prefix + "activation").c_str(), ""),
                      float(node.Float((prefix + "alpha").c_str(), 0)), float(node.Float((prefix + "beta").c_str(), 0)),
                      prefix);
}

}  // namespace onednn
