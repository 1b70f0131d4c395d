// The prototypes that come with the library. Defined in protos/register.cpp.
#pragma once

#include <functional>

#include "ge/op.h"

namespace gec {

/// Gets a schema that is valid during the call, and the inference function or null.
using BuiltinOpVisitor = std::function<void(const GeOpSchema &, GeInferFn)>;

/// Calls `visit` with one built-in operator; false when there is none of that type.
bool VisitBuiltinOp(const char *type, const BuiltinOpVisitor &visit);
/// Calls `visit` with every built-in operator.
void ForEachBuiltinOp(const BuiltinOpVisitor &visit);

}  // namespace gec
