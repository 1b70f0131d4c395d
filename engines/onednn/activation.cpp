#include "read_activation.h"

namespace onednn {

Activation ActivationOf(const Node &node) {
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
  std::string name = node.String("activation", "");
  for (const auto &entry : kNames)
    if (name == entry.name) return {entry.kind, float(node.Float("alpha", 0)), float(node.Float("beta", 0))};
  Refuse("activation \"", name, "\" is not supported");
}

}  // namespace onednn
