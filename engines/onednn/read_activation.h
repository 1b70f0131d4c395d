// The activation of a fused operator, from its attributes. Apart from activation.h, which sources for other instruction
// sets include: those must not hold copies of the kit's functions.
#pragma once

#include "activation.h"
#include "support.h"

namespace onednn {

// Reads the attributes activation, alpha and beta, whose names begin with `prefix`; refuses names that are not known.
Activation ActivationOf(const Node &node, const std::string &prefix = "");
// By its name; `prefix` is what the message begins with when that is not known.
Activation ActivationOf(const std::string &name, float alpha, float beta, const std::string &prefix = "");

}  // namespace onednn
