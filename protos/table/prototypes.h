// The built-in prototypes as an explicit table.
#pragma once

#include <cstddef>
#include <functional>

#include "ge/op.h"

namespace gec {

size_t BuiltinPrototypeCount();
/// Calls `visit` with every built-in prototype, in header order; the schema is valid during the call.
void ForEachBuiltinPrototype(const std::function<void(const GeOpSchema &)> &visit);

}  // namespace gec
