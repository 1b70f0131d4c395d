// The explicit table of the prototypes that come with the library.
#pragma once

#include "core/ops/registry.h"

namespace gec {

/// Registers every built-in prototype with its inference function. Defined in protos/register.cpp.
void RegisterBuiltinOps(OpRegistry &registry);

}  // namespace gec
