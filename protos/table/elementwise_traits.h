// Traits of built-in operators that have no row beside their prototype.
#pragma once

#include "ge/op_traits.h"

namespace gec {

/// Of the operators in ge/elementwise.def what that says; of all others that they are pure. Static.
const GeOpTraits &ElementwiseTraits(const char *type);

}  // namespace gec
