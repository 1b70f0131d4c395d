// The built-in prototypes as a table, sorted by operator type.
#pragma once

#include <cstddef>
#include <functional>

#include "ge/op.h"

namespace gec {

/// Gets a schema that is valid during the call.
using PrototypeVisitor = std::function<void(const GeOpSchema &)>;

size_t BuiltinPrototypeCount();
const char *BuiltinPrototypeType(size_t index);
/// Calls `visit` with the prototype of one operator; false when it is not built in. Costs a search in the table and
/// the building of that one prototype.
bool VisitBuiltinPrototype(const char *type, const PrototypeVisitor &visit);
/// Calls `visit` with every built-in prototype, by type.
void ForEachBuiltinPrototype(const PrototypeVisitor &visit);

}  // namespace gec
