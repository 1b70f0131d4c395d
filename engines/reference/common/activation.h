// The activations that fused operators name.
#pragma once

#include <string>

#include "common/node.h"

namespace reference {

struct Activation {
  enum Kind {
    kNone,
    kRelu,
    kClip,
    kSigmoid,
    kTanh,
    kSwish,
    kGeluErf,
    kGeluTanh,
    kLeakyRelu,
    kHardSwish,
    kHardSigmoid,
    kElu
  };
  Kind kind = kNone;
  double alpha = 0, beta = 0;

  void Apply(float *x, int64_t n) const;
  void Apply(double *x, int64_t n) const;
  void Apply(int64_t *x, int64_t n) const;  // relu and clip only
};

// Attributes activation, alpha, beta, whose names begin with `prefix`. Fails when the name is unknown.
Activation ReadActivation(const Node &node, const std::string &prefix = "");
// By its name, of a node whose attribute is called `attribute`.
Activation NamedActivation(const Node &node, const char *attribute, const std::string &name, double alpha, double beta);

}  // namespace reference
